// The HTTP contract (servers/CONTRACT.md), parts core and metrics, apart from any HTTP library: what a request asks for, and what
// the answers look like.

/** How long requests under way may take to end after SIGTERM. */
export const GRACE_MS = 2000;

const PLAIN = "text/plain; charset=utf-8";
const TITLES = {
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  422: "Unprocessable Entity",
  500: "Internal Server Error",
  503: "Service Unavailable",
};
const SALT_MAX = 4294967295;
const COMPUTATIONS = { fib: { name: "n", max: 93 }, "atan-tan": { name: "num", max: 12 } };

/** What is set on the command line: `--host`, `--port`, `--workers`, `--max-n`. */
export function settings(args, defaultWorkers) {
  const given = { host: "127.0.0.1", port: "8080", workers: String(defaultWorkers), "max-n": "50" };
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i].replace(/^--/, "");
    if (!(name in given) || args[i + 1] === undefined) throw new Error(`${args[i]}: unknown, or without a value`);
    given[name] = args[i + 1];
  }
  const [port, workers, maxN] = ["port", "workers", "max-n"].map((name) => {
    const value = digits(given[name]);
    if (value === undefined || value > 65535) throw new Error(`--${name} ${given[name]}: no number that makes sense`);
    return value;
  });
  if (workers < 1) throw new Error("--workers 0: at least one");
  return { host: given.host, port, workers, maxN };
}

/** A number is digits and nothing else. */
function digits(text) {
  return /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

function plain(body) {
  return { status: 200, headers: { "content-type": PLAIN }, body };
}

/** An error as problem details (RFC 9457). */
export function problem(status, detail, headers = {}) {
  const body = JSON.stringify({ type: "about:blank", title: TITLES[status], status, detail });
  return { status, headers: { "content-type": "application/problem+json", ...headers }, body };
}

/** The answer that carries the result of a job. */
export function answer(body, { queue, compute, cpu }) {
  const timing = [`queue;dur=${queue.toFixed(3)}`, `compute;dur=${compute.toFixed(3)}`];
  if (cpu !== undefined) timing.push(`cpu;dur=${cpu.toFixed(3)}`);
  return { status: 200, headers: { "content-type": PLAIN, "server-timing": timing.join(", ") }, body };
}

/**
 * What a request asks for: `{ reply }` where the answer is known at once, `{ job }` where something has to be computed.
 * `metrics` gives the text of /metrics, where the server has that part.
 */
export function route(method, target, maxN, metrics) {
  const [path, query = ""] = split(target, "?");
  const [, first, second, ...rest] = path.split("/");
  const computation = Object.hasOwn(COMPUTATIONS, first) && second !== undefined && rest.length === 0 ? first : undefined;
  const fixed = {
    "/healthz": () => plain("ok"),
    "/hello": () => plain("hello"),
    ...(metrics && {
      "/metrics": () => ({ status: 200, headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" }, body: metrics() }),
    }),
  };
  const known = computation ?? (Object.hasOwn(fixed, path) ? path : undefined);
  if (known === undefined) return { reply: problem(404, `there is nothing at ${path}`) };
  if (method !== "GET") return { reply: problem(405, `${path} takes GET, not ${method}`, { allow: "GET" }) };
  return computation ? job(computation, second, query, maxN) : { reply: fixed[path](), counted: false };
}

function split(text, at) {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function job(kind, segment, query, maxN) {
  const { name, max } = COMPUTATIONS[kind];
  const wrong = (detail) => ({ reply: problem(400, detail), counted: true });
  const number = digits(decoded(segment));
  if (number === undefined || number > max) {
    return wrong(`${name} must be a whole number from 0 to ${max}, and is \`${segment.slice(0, 40)}\``);
  }
  const given = query.split("&").map((pair) => split(pair, "=")).find(([key]) => key === "salt");
  const salt = given === undefined ? 0 : digits(given[1] ?? "");
  if (salt === undefined || salt > SALT_MAX) {
    return wrong(`salt must be a whole number from 0 to ${SALT_MAX}, and is \`${(given[1] ?? "").slice(0, 40)}\``);
  }
  if (kind === "fib" && number > maxN) {
    return { reply: problem(422, `n is ${number}; this server computes at most ${maxN}`), counted: true };
  }
  return { job: { kind, number, salt }, counted: true };
}

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
