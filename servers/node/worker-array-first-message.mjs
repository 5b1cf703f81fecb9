// node-worker-array-first-message: node-worker-array with the article's fault (first-message.mjs).

import { options, serve } from "./http.mjs";
import { FirstMessageWorker } from "./first-message.mjs";

const workers = Array.from({ length: options.workers }, () => new FirstMessageWorker());
let next = 0;
serve((job) => workers[next++ % workers.length].execute(job));
