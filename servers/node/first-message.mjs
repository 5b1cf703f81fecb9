// THE FAULT OF THE ARTICLE, kept on purpose: each request adds a listener to its worker and takes the first message that comes,
// whichever job it answers. One finished job answers everybody who waits, and the listeners stay.
//
// Nobody should build a server like this; docs/studies/worker-threads.md shows what it does to a benchmark.

import { Worker } from "node:worker_threads";
import { now } from "./job.mjs";

export class FirstMessageWorker {
  #worker = new Worker(new URL("worker.mjs", import.meta.url));

  constructor() {
    this.#worker.setMaxListeners(0);
  }

  execute(job) {
    return new Promise((resolve, reject) => {
      this.#worker.on("message", ({ result, error }) => (error === undefined ? resolve(result) : reject(new Error(error))));
      this.#worker.on("error", reject);
      this.#worker.postMessage({ job, enqueued: now() });
    });
  }
}
