// What a worker of node-static-pool runs: the pool gives it one job at a time.

import { parentPort } from "node:worker_threads";
import { run } from "./job.mjs";

parentPort.on("message", (task) => parentPort.postMessage(run(task)));
