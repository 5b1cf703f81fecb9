// deno-event-loop: Deno.serve, jobs on the event loop itself.

import { GRACE_MS } from "../javascript/contract.mjs";
import { fetchHandler, options } from "../javascript/fetch.mjs";

const server = Deno.serve({
  hostname: options.host,
  port: options.port,
  onListen: ({ hostname, port }) => console.log(`listening on http://${hostname}:${port}`),
  handler: fetchHandler(),
});
for (const signal of ["SIGTERM", "SIGINT"]) {
  Deno.addSignalListener(signal, () => {
    setTimeout(() => Deno.exit(0), GRACE_MS);
    server.shutdown().then(() => Deno.exit(0));
  });
}
