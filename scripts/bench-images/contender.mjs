// sharp's side of the benchmark, on one thread of libvips.
//
// The first line of output names the contenders, separated by tabs. Each line of input is one of them; it is answered
// with the milliseconds of one computation.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import sharp from "sharp";

sharp.concurrency(1);
sharp.cache(false);
const photo = readFileSync(process.argv[2]);
const [size, sigma] = [7, 7];
const weight = (i) => Math.exp(-((i - (size - 1) / 2) ** 2) / (2 * sigma * sigma));
const sum = [...Array(size).keys()].reduce((total, i) => total + weight(i), 0);
const kernel = [...Array(size * size).keys()].map((i) => (weight(i % size) * weight(Math.floor(i / size))) / sum ** 2);

const contenders = {
  sharp: () => sharp(photo).convolve({ width: size, height: size, kernel, scale: 1 }).jpeg({ quality: 80 }).toBuffer(),
};

console.log(Object.keys(contenders).join("\t"));
for await (const line of createInterface({ input: process.stdin })) {
  const begun = performance.now();
  await contenders[line]();
  console.log(performance.now() - begun);
}
