// node-worker-per-request: a new worker thread for each request, which ends with it.

import { Worker } from "node:worker_threads";
import { Refused, serve } from "./http.mjs";
import { now } from "./job.mjs";

serve((job) => {
  return new Promise((resolve, reject) => {
    const enqueued = now();
    const worker = new Worker(new URL("one-job.mjs", import.meta.url), { workerData: { job, enqueued } });
    worker.once("message", resolve);
    worker.once("error", (error) => reject(error.code === "ERR_WORKER_INIT_FAILED" ? new Refused(error.message) : error));
    worker.once("exit", (code) => reject(new Error(`its worker ended with code ${code}`)));
  });
});
