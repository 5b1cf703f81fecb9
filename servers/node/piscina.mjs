// node-piscina: the package piscina with a fixed number of threads.

import { Piscina } from "piscina";
import { options, serve } from "./http.mjs";
import { now } from "./job.mjs";

const filename = new URL("piscina-task.mjs", import.meta.url).href;
const pool = new Piscina({ filename, minThreads: options.workers, maxThreads: options.workers });
serve((job) => pool.run({ job, enqueued: now() }));
