// The computations of the contract, for every JavaScript runtime.

/** F(n) by naive recursion: both calls are really made. Exact up to n = 78. */
function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/** The sum of atan(i) * tan(i) for i = num^7 down to 0. */
function atanTan(num) {
  let sum = 0;
  for (let i = num ** 7; i >= 0; i--) sum += Math.atan(i) * Math.tan(i);
  return sum;
}

/** The body of the answer to a job, its salt added. */
export function compute({ kind, number, salt }) {
  // The sum of two numbers that a double holds may be one that it does not.
  return kind === "fib" ? String(BigInt(fib(number)) + BigInt(salt)) : shortest(atanTan(number) + salt);
}

/** The shortest text that reads back as the same double, without an exponent. */
function shortest(value) {
  const text = String(value);
  return text.includes("e") ? value.toFixed(20).replace(/\.?0+$/, "") : text;
}
