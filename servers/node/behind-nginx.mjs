// node-behind-nginx: N processes, each the plain event-loop.mjs on a port of its own, and nginx in front that deals requests round-robin.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { GRACE_MS } from "../javascript/contract.mjs";
import { options } from "./http.mjs";
import { authority, configuration, freePort } from "./nginx.mjs";

/** Debian has nginx where the PATH of users does not lead. */
const env = { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/local/sbin:/usr/sbin` };
/** What makes a program get a signal where this process is killed without a word; it is part of util-linux. */
const LEASH = ["setpriv", "--pdeathsig"];

const leashed = spawnSync(LEASH[0], [LEASH[1], "KILL", "true"]).status === 0;
const children = new Map();
let stopping = false;

/** Starts a child whose end is the end of everything, in a group of its own: Ctrl-C is for this process, which ends them in order. */
function start(name, command, lastSignal, stdout) {
  const [program, ...args] = leashed ? [...LEASH, lastSignal, ...command] : command;
  const child = spawn(program, args, { stdio: ["ignore", stdout, "inherit"], detached: true, env });
  child.once("error", (error) => fail(`${name}: ${error.message}`));
  child.once("exit", (code, signal) => {
    if (!stopping) fail(`${name} ended with ${signal ?? `code ${code}`}`);
    children.delete(name);
  });
  children.set(name, child);
  return child;
}

/** The port of an event loop of its own, once it listens. */
async function startLoop(number) {
  const program = fileURLToPath(new URL("event-loop.mjs", import.meta.url));
  const command = [process.execPath, program, "--host", "127.0.0.1", "--port", "0", "--max-n", String(options.maxN)];
  const [line] = await once(createInterface(start(`event loop ${number}`, command, "KILL", "pipe").stdout), "line");
  return Number(line.split(":").at(-1));
}

/** Resolves once a request to this path is answered with 200. */
async function answered(path, host, port) {
  for (;;) {
    const status = await new Promise((resolve) => {
      get({ host, port, path, agent: false }, (response) => resolve(response.resume().statusCode)).once("error", resolve);
    });
    if (status === 200) return;
    await sleep(20);
  }
}

/** Kills what a child left as well: nginx's worker outlives its master. */
function kill() {
  for (const { pid } of children.values()) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has just ended, or never began.
    }
  }
}

function fail(why) {
  console.error(`error: ${why}`);
  kill();
  process.exit(1);
}

async function end(name, signal) {
  const child = children.get(name);
  if (child?.kill(signal)) await once(child, "exit");
}

/** nginx first, so that the requests under way find their event loops. */
async function stop() {
  if (stopping) return;
  stopping = true;
  setTimeout(kill, GRACE_MS);
  await end("nginx", "SIGQUIT");
  await Promise.all([...children.keys()].map((name) => end(name, "SIGTERM")));
  process.exit(0);
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, stop);
if (spawnSync("nginx", ["-v"], { env }).error) fail("nginx is not installed (Debian: apt-get install nginx)");
const folder = mkdtempSync(join(tmpdir(), "cpubound-nginx-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

const { host, workers } = options;
const port = await freePort(host, options.port).catch((error) => fail(error.message));
const ports = await Promise.all(Array.from({ length: workers }, (_, number) => startLoop(number)));
const file = join(folder, "nginx.conf");
writeFileSync(file, configuration(folder, authority(host, port), ports));
if (!stopping) {
  // By SIGTERM its master ends its worker too.
  start("nginx", ["nginx", "-e", "stderr", "-p", folder, "-c", file], "TERM", "inherit");
  for (let i = 0; i < workers; i++) await answered("/healthz", host, port);
  if (!stopping) console.log(`listening on http://${authority(host, port)}`);
}
