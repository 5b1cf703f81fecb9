// HTTP for every server on Node: the contract on node:http. What differs between variants is `execute` alone.

import { createServer } from "node:http";
import { availableParallelism } from "node:os";
import { GRACE_MS, answer, problem, route, settings } from "../javascript/contract.mjs";
import { Counters } from "../javascript/counters.mjs";

export const options = settings(process.argv.slice(2), availableParallelism());

/** The job was not taken; the client may try again. */
export class Refused extends Error {}

/**
 * Serves until SIGTERM or SIGINT. `execute(job)` gives `{ body, queue, compute, cpu }` or a promise of it: the text of the answer, and
 * how long the job waited and ran, in milliseconds. `silent`: another process announces the address; this one is one of several, which
 * know their own part alone, so it has no /metrics.
 */
export function serve(execute, { silent = false, listen = { host: options.host, port: options.port } } = {}) {
  const counters = new Counters();
  const metrics = silent ? undefined : () => counters.render(process.resourceUsage());
  const server = createServer((request, response) => {
    // A body that no route wants is read and thrown away, so that the connection can be used again.
    request.resume();
    const asked = route(request.method, request.url, options.maxN, metrics);
    const end = asked.counted ? counters.start() : () => {};
    if (asked.reply) {
      if (asked.counted) end("invalid");
      return send(response, asked.reply);
    }
    compute(asked.job, response, counters, execute).then(([reply, outcome]) => {
      end(response.destroyed ? "cancelled" : outcome);
      send(response, reply);
    });
  });
  // No time limits: a loop that was blocked for a minute would find them all exceeded and disconnect everybody.
  Object.assign(server, { timeout: 0, requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
  server.listen({ backlog: 1024, ...listen }, () => {
    const { address, port } = server.address();
    if (!silent) console.log(`listening on http://${address.includes(":") ? `[${address}]` : address}:${port}`);
  });
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => stop(server));
}

async function compute(job, response, counters, execute) {
  if (response.destroyed) {
    counters.skipped();
    return [problem(503, "the client is gone"), "cancelled"];
  }
  counters.computed();
  try {
    const { body, ...times } = await execute(job);
    return [answer(body, times), "ok"];
  } catch (error) {
    const refused = error instanceof Refused;
    return [problem(refused ? 503 : 500, `the job failed: ${error.message}`), refused ? "refused" : "failed"];
  }
}

function send(response, { status, headers, body }) {
  if (response.destroyed) return;
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

function stop(server) {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
  setTimeout(() => process.exit(0), GRACE_MS).unref();
}
