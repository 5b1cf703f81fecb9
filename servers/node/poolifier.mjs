// node-poolifier: FixedThreadPool of the package poolifier.

import { fileURLToPath } from "node:url";
import { FixedThreadPool } from "poolifier";
import { options, serve } from "./http.mjs";
import { now } from "./job.mjs";

const task = fileURLToPath(new URL("poolifier-task.mjs", import.meta.url));
const pool = new FixedThreadPool(options.workers, task);
serve((job) => pool.execute({ job, enqueued: now() }));
