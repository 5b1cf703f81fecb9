// What a thread of node-piscina runs.

export { run as default } from "./job.mjs";
