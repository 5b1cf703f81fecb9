// Plain JavaScript's side of the benchmark: the same protocol as servers/examples/contenders.rs.

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
const contenders = { "javascript direct": () => convolve(image, width, height, kernel, 7) };

// Warm: compiled by the optimising compiler before anything is measured.
for (let i = 0; i < 5; i++) convolve(image, width, height, kernel, 7);

console.log(Object.keys(contenders).join("\t"));
for await (const line of createInterface({ input: process.stdin })) {
  const begun = performance.now();
  contenders[line]();
  console.log(performance.now() - begun);
}
