// node-single-worker-first-message: node-single-worker with the article's fault (first-message.mjs).

import { serve } from "./http.mjs";
import { FirstMessageWorker } from "./first-message.mjs";

const worker = new FirstMessageWorker();
serve((job) => worker.execute(job));
