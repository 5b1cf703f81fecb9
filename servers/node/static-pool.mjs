// node-static-pool: StaticPool of the package node-worker-threads-pool.

import { fileURLToPath } from "node:url";
import { StaticPool } from "node-worker-threads-pool";
import { options, serve } from "./http.mjs";
import { now } from "./job.mjs";

const task = fileURLToPath(new URL("static-pool-task.mjs", import.meta.url));
const pool = new StaticPool({ size: options.workers, task });
serve((job) => pool.exec({ job, enqueued: now() }));
