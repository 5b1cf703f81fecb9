// What a worker of node-poolifier runs.

import { ThreadWorker } from "poolifier";
import { run } from "./job.mjs";

export default new ThreadWorker(run);
