#!/usr/bin/env python3
"""Runs the command line that the study of 2011 published, `ab -n 4c -c c URL`, and `loadgen run` in turn, and prints whether they agree. README.md says how."""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SERVER_CPU, CLIENT_CPU = "0", "1"
LEVELS = (1, 5, 10, 20)
# ab writes the mean in whole milliseconds.
AB_ROUNDING_MS = 0.5


class Server:
    """A server on one CPU, which prints its address."""

    def __init__(self, command):
        self.command = ["taskset", "-c", SERVER_CPU, *map(str, command)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        return line.split()[-1] if line else sys.exit(f"{' '.join(self.command)} did not start")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def output(*command):
    """What a command prints, run on the clients' CPU."""
    command = ["taskset", "-c", CLIENT_CPU, *map(str, command)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def run_ab(url, clients, requests):
    """Requests/s, and the mean response time in ms, by ab."""
    text = output("ab", "-n", requests, "-c", clients, url)
    if not re.search(r"^Failed requests:\s+0$", text, re.M) or "Non-2xx" in text:
        sys.exit(f"ab had failures:\n{text}")
    # Not `Time per request`, which is c / (requests/s): with n = 4c fewer than c requests are under way in the end.
    return float(re.search(r"^Requests per second:\s+([\d.]+)", text, re.M)[1]), float(re.search(r"^Total:\s+\d+\s+(\d+)", text, re.M)[1])


def run_loadgen(loadgen, url, clients, requests, answer):
    """The same by loadgen, which opens a connection for each request, as ab does, and checks the answers."""
    load = ["-c", clients, "-n", requests, "--connections", "per-request", "--timeout", "10m"]
    result = json.loads(output(loadgen, "run", "--url", url, *load, "--expect-body", answer, "--json"))
    return result["throughput_rps"], result["latency_ms"]["mean"]


def fibonacci(n):
    this, following = 0, 1
    for _ in range(n):
        this, following = following, this + following
    return this


def agree(ab, loadgen, rounding=0.0):
    """Whether the medians are no further apart than the repetitions of one tool."""
    spread = max(max(values) - min(values) for values in (ab, loadgen))
    return abs(statistics.median(ab) - statistics.median(loadgen)) <= spread + rounding


def show(values, digits):
    return "{:,.{d}f} ({:,.{d}f} to {:,.{d}f})".format(statistics.median(values), min(values), max(values), d=digits)


def measure(name, command, n, loadgen, rounds, shuffle):
    """The table's rows of one server; whether all agree."""
    every = True
    with Server(command) as address:
        url, answer = f"{address}/fib/{n}", str(fibonacci(n))
        tools = {"ab": lambda *load: run_ab(url, *load), "loadgen": lambda *load: run_loadgen(loadgen, url, *load, answer)}
        tools["loadgen"](1, 3)
        figures = {(tool, clients): [] for tool in tools for clients in LEVELS}
        for number in range(rounds):
            print(f"{name}: round {number + 1} of {rounds}", file=sys.stderr)
            order = list(LEVELS)
            shuffle(order)
            for turn, clients in enumerate(order):
                # Who is first changes from one level to the next, and from one round to the next.
                for tool in sorted(tools, reverse=(turn + number) % 2 == 1):
                    figures[tool, clients].append(tools[tool](clients, 4 * clients))
    job = statistics.median(mean for _, mean in figures["loadgen", 1])
    for clients in LEVELS:
        (ab_rate, ab_mean), (own_rate, own_mean) = (zip(*figures[tool, clients]) for tool in ("ab", "loadgen"))
        # ab begins with one client, and with the others when that has its answer: each of them waits for one job less, once.
        whole = [mean + (clients - 1) / (4 * clients) * job for mean in ab_mean]
        same = agree(ab_rate, own_rate) and agree(whole, own_mean, AB_ROUNDING_MS)
        every &= same
        ratio = statistics.median(own_rate) / statistics.median(ab_rate)
        print(
            f"| {name} | {n} | {clients} | {4 * clients} | {show(ab_rate, 3)} | {show(own_rate, 3)} | {ratio:.3f} "
            f"| {show(ab_mean, 0)} | {show(whole, 0)} | {show(own_mean, 1)} | {'yes' if same else '**no**'} |",
            flush=True,
        )
    return every


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4, help="repetitions of every level by each tool (default: 4)")
    parser.add_argument("--fib", type=int, default=40, help="what event-loop computes (default: 40)")
    parser.add_argument("--node-fib", type=int, default=37, help="what node-event-loop computes, which takes 2.5 times as long for it (default: 37)")
    parser.add_argument("--quick", action="store_true", help="fib(30) on both, three rounds: to see whether it works")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--loadgen", type=Path, help="the program (default: a release build of this tree)")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds, arguments.fib, arguments.node_fib = 3, 30, 30
    if arguments.rounds < 2 or not 0 <= arguments.fib <= 50 or not 0 <= arguments.node_fib <= 50:
        parser.error("--rounds is at least 2, or there is no spread; --fib and --node-fib are from 0 to 50")
    for program, package in (("ab", "apache2-utils"), ("taskset", "util-linux")):
        if not shutil.which(program):
            sys.exit(f"{program} is not installed (Debian: apt install {package})")
    loadgen = arguments.loadgen
    if loadgen is None:
        subprocess.run(["cargo", "build", "--release"], cwd=ROOT, check=True)
        loadgen = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/loadgen"
    servers = {"event-loop": ([loadgen, "serve", "event-loop", "--port", "0"], arguments.fib)}
    if shutil.which("node"):
        servers["node-event-loop"] = (["node", ROOT / "servers/node/event-loop.mjs", "--port", "0"], arguments.node_fib)
    else:
        print("node is not installed: node-event-loop is left out", file=sys.stderr)

    version = subprocess.run(["ab", "-V"], capture_output=True, text=True).stdout.splitlines()[0]
    print(f"`ab -n 4c -c c URL` ({version}) and `loadgen run`, {arguments.rounds} alternating rounds; medians (least to most)\n")
    print("| server | fib | c | n | requests/s, ab | requests/s, loadgen | loadgen / ab | mean ms, ab | late starts added | mean ms, loadgen | agree within the spread |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    begun, shuffle = time.monotonic(), random.Random(arguments.seed).shuffle
    every = [measure(name, command, n, loadgen, arguments.rounds, shuffle) for name, (command, n) in servers.items()]
    print(f"\n{'All agree.' if all(every) else 'They do not all agree.'} ({time.monotonic() - begun:.0f} s)")
    sys.exit(0 if all(every) else 1)


main()
