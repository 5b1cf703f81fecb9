// HTTP for servers on runtimes that speak Request and Response (Bun, Deno): jobs on the event loop itself.

import process from "node:process";
import { answer, problem, route, settings } from "./contract.mjs";
import { Counters } from "./counters.mjs";
import { compute } from "./kernels.mjs";

export const options = settings(process.argv.slice(2), 1);

/** What answers a `Request` with a `Response`. */
export function fetchHandler() {
  const counters = new Counters();
  const metrics = () => counters.render(process.resourceUsage());
  return (request) => {
    const { pathname, search } = new URL(request.url);
    const asked = route(request.method, pathname + search, options.maxN, metrics);
    const end = asked.counted ? counters.start() : () => {};
    if (asked.reply) {
      if (asked.counted) end("invalid");
      return respond(asked.reply);
    }
    counters.computed();
    try {
      const begun = performance.now();
      const body = compute(asked.job);
      end("ok");
      return respond(answer(body, { queue: 0, compute: performance.now() - begun }));
    } catch (error) {
      end("failed");
      return respond(problem(500, `the job failed: ${error.message}`));
    }
  };
}

function respond({ status, headers, body }) {
  return new Response(body, { status, headers: { ...headers, "content-length": String(new TextEncoder().encode(body).length) } });
}
