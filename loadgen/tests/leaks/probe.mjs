// Loaded before a server on Node, Bun or Deno: on SIGUSR2 its process collects its garbage and says what it holds, on standard error.

import { createRequire, syncBuiltinESMExports } from "node:module";
import process from "node:process";
import v8 from "node:v8";
import vm from "node:vm";

const threads = createRequire(import.meta.url)("node:worker_threads");
const workers = new Set();
const kept = () => [...workers].map((worker) => worker.deref()).filter((worker) => worker !== undefined);

/** Listeners of an emitter, for any event. */
const listeners = (emitter) => emitter.eventNames().reduce((sum, event) => sum + emitter.listenerCount(event), 0);

async function collector() {
  if (globalThis.Bun) {
    const { heapSize } = await import("bun:jsc");
    return () => (Bun.gc(true), heapSize());
  }
  const collect = globalThis.gc ?? (v8.setFlagsFromString("--expose-gc"), vm.runInNewContext("gc"));
  return () => (collect(), process.memoryUsage().heapUsed);
}

if (threads.isMainThread) {
  threads.Worker = class extends threads.Worker {
    constructor(...args) {
      super(...args);
      workers.add(new WeakRef(this));
    }
  };
  if (!globalThis.Bun && !globalThis.Deno) syncBuiltinESMExports();
  const heap = await collector();
  process.on("SIGUSR2", async () => {
    // What ended a moment ago is let go of in a turn of the loop.
    heap();
    await new Promise((resolve) => setTimeout(resolve, 10));
    const told = { pid: process.pid, heap: heap(), workers: kept().length };
    console.error(`probe ${JSON.stringify({ ...told, listeners: [process, ...kept()].reduce((sum, each) => sum + listeners(each), 0) })}`);
  });
  console.error(`probed ${process.pid}`);
}
