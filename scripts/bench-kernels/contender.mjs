// Node's side of the benchmark: plain JavaScript, and the study's C as Wasm. The protocol is that of
// servers/examples/contenders.rs.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { convolve, gaussian } from "./convolution.mjs";

const [width, height, channels] = [1680, 1050, 3];
const image = new Uint8Array(width * height * channels);
let state = 1;
for (let i = 0; i < image.length; i++) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  image[i] = state >>> 24;
}
const kernel = gaussian(7, 7);

/** The study's convolution in an instance of its own, with the image copied in and the answer copied out. */
function study(name) {
  const module = new WebAssembly.Module(readFileSync(new URL(`../../servers/wasm/${name}.wasm`, import.meta.url)));
  const { memory, convolve, __heap_base } = new WebAssembly.Instance(module).exports;
  const align = (address) => (address + 15) & ~15;
  const weights = align(__heap_base.value);
  const input = align(weights + kernel.byteLength);
  const output = align(input + image.length);
  memory.grow(Math.ceil((output + image.length - memory.buffer.byteLength) / 65536));
  return () => {
    new Float64Array(memory.buffer, weights, kernel.length).set(kernel);
    new Uint8Array(memory.buffer).set(image, input);
    const code = convolve(input, output, width, height, weights, 7, 0, height, 0.5);
    if (code !== 0) throw new Error(`${name} answered ${code}`);
    return new Uint8Array(memory.buffer).slice(output, output + image.length);
  };
}

const contenders = {
  "javascript direct": () => convolve(image, width, height, kernel, 7),
  "node study-o0": study("study-o0"),
  "node study-o3": study("study-o3"),
};

// Warm: compiled by the optimising compilers before anything is measured. And all must compute the same.
const expected = Buffer.from(convolve(image, width, height, kernel, 7));
for (let i = 0; i < 5; i++) {
  for (const [name, work] of Object.entries(contenders)) {
    if (!expected.equals(Buffer.from(work()))) throw new Error(`${name} computes something else`);
  }
}

console.log(Object.keys(contenders).join("\t"));
for await (const line of createInterface({ input: process.stdin })) {
  const begun = performance.now();
  contenders[line]();
  console.log(performance.now() - begun);
}
