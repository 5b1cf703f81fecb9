// node-single-worker: one worker thread, made beforehand, computes everything.

import { serve } from "./http.mjs";
import { MatchedWorker } from "./matched-worker.mjs";

const worker = new MatchedWorker();
await worker.ready();
serve((job) => worker.execute(job));
