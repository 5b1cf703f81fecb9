// A worker thread whose answers are matched with their jobs by id, so that any number of jobs can wait for it.

import { Worker } from "node:worker_threads";
import { now } from "./job.mjs";

export class MatchedWorker {
  #waiting = new Map();
  #next = 0;
  #worker = new Worker(new URL("worker.mjs", import.meta.url));

  constructor() {
    this.#worker.on("message", ({ id, result, error }) => {
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) resolve(result);
      else reject(new Error(error));
    });
    // A worker that ends takes its jobs with it.
    this.#worker.on("error", (error) => this.#failAll(error));
    this.#worker.on("exit", (code) => this.#failAll(new Error(`its worker ended with code ${code}`)));
  }

  /** Resolves once the worker computes. */
  ready() {
    return this.execute({ kind: "fib", number: 1, salt: 0 });
  }

  execute(job) {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, job, enqueued: now() });
    });
  }

  #failAll(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
