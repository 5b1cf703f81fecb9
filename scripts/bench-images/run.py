#!/usr/bin/env python3
"""Compares a whole image request with its peers: all contenders in one run, turn by turn. README.md says what is needed."""

import argparse
import http.client
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PHOTO = ROOT / "scenarios/images/deep-field-1680x1050.jpg"
SERVER_CPU, CLIENT_CPU = 0, 1
PATH = "/convolve?kernel=gaussian&size=7&sigma=7&edge=zero&quality=80&method="

# What the project promises: its name, how much faster than what, and the ratio of times (first / second).
TARGETS = [
    ("HTTP request, direct, against sharp", "server direct", "sharp", 0.3),
    ("HTTP request, direct, against OpenCV", "server direct", "opencv filter2D", 1.0),
    ("HTTP request, separable, against OpenCV's", "server separable", "opencv sepFilter2D", None),
    ("HTTP request, direct, Wasm against native", "server direct, wasm", "server direct", None),
]


class Server:
    """`loadgen serve event-loop` on one CPU, asked over HTTP from the other: reading, writing and HTTP are in its times."""

    def __init__(self, loadgen, label, photo, *arguments):
        command = [loadgen, "serve", "event-loop", "--port", "0", "--cpus", str(SERVER_CPU), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        host, port = self.process.stdout.readline().rsplit("/", 1)[1].split(":")
        self.connection = http.client.HTTPConnection(host, int(port))
        self.photo = photo
        self.names = [f"server {method}{label}" for method in ("direct", "separable")]

    def run(self, name):
        method = name.split()[1].rstrip(",")
        begun = time.perf_counter()
        self.connection.request("POST", PATH + method, self.photo)
        reply = self.connection.getresponse()
        body = reply.read()
        taken = (time.perf_counter() - begun) * 1e3
        if reply.status != 200 or not body.startswith(b"\xff\xd8"):
            sys.exit(f"{name}: {reply.status} {body[:200]}")
        return taken

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Worker:
    """A process on the same CPU that names its contenders and then computes what it is told to."""

    def __init__(self, *command):
        command = ["taskset", "-c", str(SERVER_CPU), *command]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.names = self.process.stdout.readline().rstrip("\n").split("\t")
        if self.names == [""]:
            sys.exit(f"{command[3]} did not start")

    def run(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return float(answer) if answer else sys.exit(f"{name}: its process ended")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def measure(workers, rounds, seed):
    """Milliseconds of each contender, round by round, each round in an order of its own."""
    order = [(name, worker) for worker in workers for name in worker.names]
    times = {name: [] for name, _ in order}
    shuffle = random.Random(seed).shuffle
    for number in range(rounds + 3):
        shuffle(order)
        for name, worker in order:
            taken = worker.run(name)
            if number >= 3:  # the first rounds warm up
                times[name].append(taken)
        print(f"\rround {number + 1} of {rounds + 3}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return times


def report(times):
    print("| contender | median, ms | fastest, ms |\n|---|---|---|")
    for name in sorted(times):
        print(f"| {name} | {statistics.median(times[name]):.2f} | {min(times[name]):.2f} |")
    print("\n| ratio of times | medians | median of the rounds' ratios | target |\n|---|---|---|---|")
    for title, one, other, bound in TARGETS:
        one, other = times[one], times[other]
        ratio = statistics.median(one) / statistics.median(other)
        paired = statistics.median(a / b for a, b in zip(one, other))
        target = "" if bound is None else f"at most {bound}: {'met' if ratio <= bound else '**missed**'}"
        print(f"| {title} | {ratio:.3f} | {paired:.3f} | {target} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--image", type=Path, default=PHOTO, help="a JPEG (default: the photograph of the scenarios)")
    arguments = parser.parse_args()
    subprocess.run(["cargo", "build", "--release"], cwd=ROOT, check=True)
    loadgen = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/loadgen"
    photo = arguments.image.read_bytes()
    workers = []
    try:
        workers.append(Server(loadgen, "", photo))
        workers.append(Server(loadgen, ", wasm", photo, "--backend", "wasm"))
        workers.append(Worker(sys.executable, HERE / "contender.py", arguments.image))
        workers.append(Worker("node", HERE / "contender.mjs", arguments.image))
        os.sched_setaffinity(0, {CLIENT_CPU})
        times = measure(workers, arguments.rounds, arguments.seed)
    finally:
        for worker in workers:
            worker.stop()
    version = lambda *command: subprocess.run(command, capture_output=True, text=True, cwd=HERE).stdout.splitlines()[0]
    opencv = version(sys.executable, "-c", "import cv2; print(cv2.__version__)")
    sharp = version("node", "-p", "const v = require('sharp').versions; `sharp ${v.sharp} (libvips ${v.vips})`")
    print(f"{arguments.rounds} rounds; {version('rustc', '--version')}; OpenCV {opencv}; Node {version('node', '--version')}, {sharp}\n")
    report(times)


main()
