// bun-event-loop: Bun.serve, jobs on the event loop itself.

import { GRACE_MS } from "../javascript/contract.mjs";
import { fetchHandler, options } from "../javascript/fetch.mjs";

const server = Bun.serve({ hostname: options.host, port: options.port, idleTimeout: 0, fetch: fetchHandler() });
console.log(`listening on http://${server.hostname}:${server.port}`);
for (const signal of ["SIGTERM", "SIGINT"]) {
  process.once(signal, () => {
    setTimeout(() => process.exit(0), GRACE_MS).unref();
    server.stop().then(() => process.exit(0));
  });
}
