// A job where it is computed: the answer, and how long it waited and ran. (Node 20 cannot tell the CPU time of one thread.)

import { compute } from "../javascript/kernels.mjs";

/** Milliseconds on a clock that all threads of a process share. */
export const now = () => performance.timeOrigin + performance.now();

/** Computes a job that was handed over at the time `enqueued`. */
export function run({ job, enqueued }) {
  const begun = now();
  const body = compute(job);
  return { body, queue: Math.max(0, begun - enqueued), compute: now() - begun };
}
