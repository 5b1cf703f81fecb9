#!/usr/bin/env python3
"""Compares the kernels with their peers: all contenders in one run, turn by turn. README.md says what is needed."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from turns import Worker, measure, print_ratios, print_times, version

WARM_UP = 2
WIDTH, HEIGHT, SIZE, SIGMA = 1680, 1050, 7, 7.0

# What the project promises: its name, how much faster than what, and the ratio of times (first / second).
TARGETS = [
    ("direct against filter2D", "kernel direct {best}", "opencv filter2D", "at most", 0.5),
    ("separable against sepFilter2D", "kernel separable {best}", "opencv sepFilter2D", "at most", 1.0),
    ("optimised Wasm against native, 128 bits", "wasm optimised", "native simd128", "at most", 1.5),
    ("JavaScript against optimised Wasm", "javascript direct", "wasm optimised", "at least", 8.0),
    ("two copies at once against two halves", "kernel direct copies on 2 threads", "kernel direct halves on 2 threads", "at least", 1.8),
    ("fib, native against C", "fib native", "fib c", "at most", 1.05),
    ("fib, Wasm against native", "fib wasm", "fib native", "at most", 1.25),
    ("study, in Node: C as Wasm at -O0 against JavaScript", "node study-o0", "javascript direct", "", None),
    ("study, in Node: C as Wasm at -O3 against JavaScript", "node study-o3", "javascript direct", "", None),
]


class OpenCv:
    """OpenCV in this process, on one thread, into images that are there already."""

    def __init__(self):
        import cv2
        import numpy

        cv2.setNumThreads(1)
        self.version = cv2.__version__
        image = numpy.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=numpy.uint8)
        output = numpy.empty_like(image)
        column = cv2.getGaussianKernel(SIZE, SIGMA)
        square = column @ column.T
        border = cv2.BORDER_CONSTANT
        self.contenders = {
            "opencv filter2D": lambda: cv2.filter2D(image, -1, square, dst=output, borderType=border),
            "opencv sepFilter2D": lambda: cv2.sepFilter2D(image, -1, column, column, dst=output, borderType=border),
        }
        self.names = list(self.contenders)

    def run(self, name):
        begun = time.perf_counter()
        self.contenders[name]()
        return (time.perf_counter() - begun) * 1e3


def report(times):
    best = [path for path in ("simd512", "simd256", "simd128", "portable") if f"kernel direct {path}" in times][0]
    print_times(times)
    print_ratios(
        (title, times[one.format(best=best)], times[other], word, bound) for title, one, other, word, bound in TARGETS
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fib", type=int, default=32, help="which Fibonacci number (default: 32)")
    arguments = parser.parse_args()
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    subprocess.run(["cargo", "build", "--release", "--package", "servers", "--example", "contenders"], cwd=ROOT, check=True)
    program = target / "release" / "bench-kernels-fib"
    subprocess.run(["clang", "-O2", "-fno-optimize-sibling-calls", HERE / "fib.c", "-o", program], check=True)
    opencv = OpenCv()
    workers = [
        Worker("contenders", target / "release/examples/contenders", str(arguments.fib)),
        opencv,
        Worker("node", "node", HERE / "contender.mjs"),
        Worker("fib", program, str(arguments.fib)),
    ]
    times = measure(workers, arguments.rounds, WARM_UP, arguments.seed)
    print(
        f"{arguments.rounds} rounds, {len(os.sched_getaffinity(0))} CPUs; {version('rustc', '--version')}; "
        f"OpenCV {opencv.version}; Node {version('node', '--version')}; {version('clang', '--version')}; fib({arguments.fib})\n"
    )
    report(times)


main()
