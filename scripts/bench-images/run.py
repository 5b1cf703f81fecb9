#!/usr/bin/env python3
"""Compares a whole image request with its peers: all contenders in one run, turn by turn. README.md says what is needed."""

import argparse
import http.client
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from turns import Worker, measure, print_ratios, print_times, version

WARM_UP = 3
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


def pinned(name, *command):
    """A worker on the CPU of the servers."""
    return Worker(name, "taskset", "-c", str(SERVER_CPU), *command)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--image", type=Path, default=PHOTO, help="a JPEG (default: the photograph of the scenarios)")
    arguments = parser.parse_args()
    subprocess.run(["cargo", "build", "--release"], cwd=ROOT, check=True)
    loadgen = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release/loadgen"
    photo = arguments.image.read_bytes()
    workers = []
    try:
        workers.append(Server(loadgen, "", photo))
        workers.append(Server(loadgen, ", wasm", photo, "--backend", "wasm"))
        workers.append(pinned("OpenCV", sys.executable, HERE / "contender.py", arguments.image))
        workers.append(pinned("node", "node", HERE / "contender.mjs", arguments.image))
        os.sched_setaffinity(0, {CLIENT_CPU})
        times = measure(workers, arguments.rounds, WARM_UP, arguments.seed)
    finally:
        for worker in workers:
            worker.stop()
    opencv = version(sys.executable, "-c", "import cv2; print(cv2.__version__)", cwd=HERE)
    sharp = version("node", "-p", "const v = require('sharp').versions; `sharp ${v.sharp} (libvips ${v.vips})`", cwd=HERE)
    print(f"{arguments.rounds} rounds; {version('rustc', '--version')}; OpenCV {opencv}; Node {version('node', '--version')}, {sharp}\n")
    print_times({name: times[name] for name in sorted(times)})
    print_ratios((title, times[one], times[other], "at most", bound) for title, one, other, bound in TARGETS)


main()
