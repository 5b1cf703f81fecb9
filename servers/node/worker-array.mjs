// node-worker-array: N worker threads, made beforehand, a queue each, dealt round-robin.

import { options, serve } from "./http.mjs";
import { MatchedWorker } from "./matched-worker.mjs";

const workers = Array.from({ length: options.workers }, () => new MatchedWorker());
await Promise.all(workers.map((worker) => worker.ready()));
let next = 0;
serve((job) => workers[next++ % workers.length].execute(job));
