// The direct convolution as one writes it in plain JavaScript, on typed arrays: interleaved 8-bit RGB, taps outside the
// image skipped (zero padding), rounded half up. No Wasm, no trick: the contender that Wasm is compared with. Loop for
// loop the same as servers/wasm/study/convolution.c. (A loop over the channels inside it would be 2.3 times slower.)

export function gaussian(size, sigma) {
  const radius = (size - 1) / 2;
  const weights = new Float64Array(size * size);
  let sum = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const weight = Math.exp(-((x - radius) ** 2 + (y - radius) ** 2) / (2 * sigma * sigma));
      weights[y * size + x] = weight;
      sum += weight;
    }
  }
  return weights.map((weight) => weight / sum);
}

export function convolve(image, width, height, kernel, size) {
  const output = new Uint8ClampedArray(image.length);
  const radius = (size - 1) >> 1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let j = -radius; j <= radius; j++) {
        const row = y + j;
        if (row < 0 || row >= height) continue;
        for (let i = -radius; i <= radius; i++) {
          const column = x + i;
          if (column < 0 || column >= width) continue;
          const pixel = (row * width + column) * 3;
          const weight = kernel[(j + radius) * size + i + radius];
          red += image[pixel] * weight;
          green += image[pixel + 1] * weight;
          blue += image[pixel + 2] * weight;
        }
      }
      const target = (y * width + x) * 3;
      output[target] = Math.floor(red + 0.5);
      output[target + 1] = Math.floor(green + 0.5);
      output[target + 2] = Math.floor(blue + 0.5);
    }
  }
  return output;
}
