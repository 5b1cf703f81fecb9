// node-native: the event loop hands each job to this project's own native kernels, on a pool of N threads behind Node-API: the design of
// the study of 2011. servers/native is the module's source.

import { createRequire } from "node:module";
import { options, serve } from "./http.mjs";

function load() {
  try {
    return createRequire(import.meta.url)("./kernels.node");
  } catch (error) {
    console.error(`error: ${error.message.split("\n")[0]}: \`cargo xtask node-native\` builds servers/node/kernels.node`);
    process.exit(1);
  }
}

const { Pool } = load();
const pool = new Pool(options.workers);
serve(({ kind, number, salt }) => pool.compute(kind, number, salt));
