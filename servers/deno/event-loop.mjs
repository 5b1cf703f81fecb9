// deno-event-loop: Deno.serve, jobs on the event loop itself.

import { fetchHandler, options } from "../javascript/fetch.mjs";

const server = Deno.serve({
  hostname: options.host,
  port: options.port,
  onListen: ({ hostname, port }) => console.log(`listening on http://${hostname}:${port}`),
  handler: fetchHandler(),
});
for (const signal of ["SIGTERM", "SIGINT"]) {
  Deno.addSignalListener(signal, () => {
    setTimeout(() => Deno.exit(0), 2000);
    server.shutdown().then(() => Deno.exit(0));
  });
}
