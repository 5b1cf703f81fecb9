// node-cluster: N processes with an event loop each, jobs inline; the first process accepts connections and deals them round-robin.

import cluster from "node:cluster";
import { options, serve } from "./http.mjs";
import { now, run } from "./job.mjs";

if (cluster.isPrimary) {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  let listening = 0;
  for (let i = 0; i < options.workers; i++) cluster.fork();
  cluster.on("listening", (_, { address, port }) => {
    if (++listening === options.workers) console.log(`listening on http://${address}:${port}`);
  });
  cluster.on("exit", () => process.exit(Object.keys(cluster.workers).length === 0 ? 0 : undefined));
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => Object.values(cluster.workers).forEach((worker) => worker.kill("SIGTERM")));
  }
} else {
  serve((job) => run({ job, enqueued: now() }), { silent: true });
}
