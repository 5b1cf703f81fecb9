// A worker thread that computes one job and ends.

import { parentPort, workerData } from "node:worker_threads";
import { run } from "./job.mjs";

parentPort.postMessage(run(workerData));
