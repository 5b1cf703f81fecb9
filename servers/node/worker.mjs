// A worker thread that computes the jobs that it is sent, and answers each with the id that came with it.

import { parentPort } from "node:worker_threads";
import { run } from "./job.mjs";

parentPort.on("message", ({ id, ...task }) => {
  try {
    parentPort.postMessage({ id, result: run(task) });
  } catch (error) {
    parentPort.postMessage({ id, error: error.message });
  }
});
