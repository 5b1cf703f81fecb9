#!/usr/bin/env python3
"""Compares `loadgen run` with other load generators: CPU for each request, agreement, open loop. README.md says what is needed."""

import argparse
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SERVER_CPU, CLIENT_CPU = "0", "1"
BODY = "hello"
# CPU for each request of loadgen over that of the tool, at most.
TARGETS = {"wrk": 0.80, "ab": 0.90, "oha": 0.50, "hey": 0.25, "autocannon": 0.33}

NGINX = """
daemon off; worker_processes 1; error_log /dev/null; pid {folder}/pid;
worker_rlimit_nofile 30000;
events {{ worker_connections 25000; }}
http {{
  access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port} backlog=20000; location / {{ default_type text/plain; return 200 "{body}"; }} }}
}}
"""


def free_port():
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Nginx:
    """nginx with one worker on one CPU; answers every path with the same five bytes."""

    def __enter__(self):
        self.folder, port = tempfile.TemporaryDirectory(), free_port()
        config = Path(self.folder.name, "nginx.conf")
        config.write_text(NGINX.format(folder=self.folder.name, port=port, body=BODY))
        command = ["taskset", "-c", SERVER_CPU, "nginx", "-e", "/dev/null", "-p", self.folder.name, "-c", config]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        time.sleep(1)
        return f"http://127.0.0.1:{port}/"

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


class Ours:
    """One of this project's servers on one CPU."""

    def __init__(self, loadgen, variant):
        self.command = [loadgen, "serve", variant, "--port", "0", "--cpus", SERVER_CPU]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        return self.process.stdout.readline().split()[-1]

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def bare_client(folder):
    """bare.c, built; `None` without a C compiler."""
    if not shutil.which("cc"):
        print("cc is not installed: no bare client, so the least that a client can take is not known", file=sys.stderr)
        return None
    program = Path(folder, "bare")
    subprocess.run(["cc", "-O2", "-o", program, Path(__file__).parent / "bare.c"], check=True)
    answers = lambda text: float(re.match(r"(\d+) answers", text)[1])
    rate = lambda text: float(re.search(r"([\d.]+) requests/s", text)[1])
    return lambda url, c, n, s: [program, url.rsplit(":", 1)[1].rstrip("/"), c, n], answers, rate, None


def tools(loadgen, autocannon):
    """The command of each tool that is installed, and how its output tells requests, requests/s and the median in ms."""
    number = lambda pattern, scale=1.0: lambda text: float(re.search(pattern, text, re.M)[1].replace(",", "")) * scale
    unit = {"us": 1e-3, "ms": 1.0, "s": 1e3}
    wrk_p50 = lambda text: (lambda found: float(found[1]) * unit[found[2]])(re.search(r"50%\s+([\d.]+)(us|ms|s)", text))
    of_json = lambda *path: lambda text: float(__import__("functools").reduce(lambda value, key: value[key], path, json.loads(text)))
    known = {
        "loadgen": (
            lambda url, c, n, s: [loadgen, "run", "--url", url, "-c", c, "-n", n, "--expect-body", BODY, "--json"],
            of_json("ok"), of_json("throughput_rps"), of_json("latency_ms", "p50"),
        ),
        "wrk": (
            lambda url, c, n, s: ["wrk", "-t1", "-c", c, "-d", f"{s}s", "--latency", url],
            number(r"(\d+) requests in"), number(r"Requests/sec:\s+([\d.]+)"), wrk_p50,
        ),
        "ab": (
            lambda url, c, n, s: ["ab", "-q", "-k", "-c", c, "-n", n, url],
            number(r"Complete requests:\s+(\d+)"), number(r"Requests per second:\s+([\d.]+)"), number(r"^\s+50%\s+(\d+)"),
        ),
        "h2load": (
            lambda url, c, n, s: ["h2load", "--h1", "-t1", "-c", c, "-n", n, url],
            number(r"requests: \d+ total, \d+ started, \d+ done, (\d+) succeeded"), number(r"finished in .*, ([\d.]+) req/s"), None,
        ),
        "oha": (
            lambda url, c, n, s: ["oha", "--no-tui", "--output-format", "json", "-c", c, "-n", n, url],
            lambda text: float(sum(json.loads(text)["statusCodeDistribution"].values())),
            of_json("summary", "requestsPerSec"), lambda text: json.loads(text)["latencyPercentiles"]["p50"] * 1e3,
        ),
        "hey": (
            lambda url, c, n, s: ["hey", "-c", c, "-n", n, url],
            number(r"\[200\]\s+(\d+) responses"), number(r"Requests/sec:\s+([\d.]+)"), number(r"50% in ([\d.]+) secs", 1e3),
        ),
        "autocannon": (
            lambda url, c, n, s: [autocannon, "--json", "-c", c, "-a", n, url],
            of_json("2xx"), of_json("requests", "average"), of_json("latency", "p50"),
        ),
    }
    here = {name: tool for name, tool in known.items() if shutil.which(str(tool[0]("", 1, 1, 1)[0]))}
    for name in known.keys() - here.keys():
        print(f"{name} is not installed: left out", file=sys.stderr)
    return here


def run(command, cpu=CLIENT_CPU):
    """Output, CPU seconds and peak memory of a command on one CPU."""
    command = ["taskset", "-c", cpu, *map(str, command)]
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        output.seek(0)
        text = output.read()
    if status != 0:
        sys.exit(f"{' '.join(command)} ended with status {status}:\n{text}")
    return text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def middle(values):
    values = sorted(values)
    return statistics.median(values), values[0], values[-1]


def cpu_per_request(here, connections, seconds, repetitions, seed):
    """Microseconds of client CPU for each request against nginx."""
    print(f"## CPU for each request\n\nnginx on one CPU, each tool on the other, {repetitions} interleaved repetitions; medians (least to most)\n")
    print("| connections | tool | µs of CPU for each request | loadgen / tool | target | bare / tool | requests/s |\n|---|---|---|---|---|---|---|")
    shuffle = random.Random(seed).shuffle
    with Nginx() as url:
        for count in connections:
            rate = float(here["loadgen"][2](run(here["loadgen"][0](url, count, 20_000, 1))[0]))
            requests = int(rate * seconds)
            costs, rates, order = {name: [] for name in here}, {name: [] for name in here}, list(here)
            for _ in range(repetitions):
                shuffle(order)
                for name in order:
                    command, done, speed, _ = here[name]
                    text, cpu, _ = run(command(url, count, requests, seconds))
                    costs[name].append(cpu / done(text) * 1e6)
                    rates[name].append(speed(text))
            own = statistics.median(costs["loadgen"])
            floor = statistics.median(costs["bare"]) if "bare" in costs else None
            for name in here:
                cost, least, most = middle(costs[name])
                bound = TARGETS.get(name) if count > 1 else (1.0 if name == "wrk" else None)
                target = "" if bound is None else f"at most {bound}: {'met' if own / cost <= bound else '**missed**'}"
                ratio = "" if name == "loadgen" else f"{own / cost:.2f}"
                least_of_tool = f"{floor / cost:.2f}" if floor is not None and name != "bare" else ""
                spread, rate = f"{cost:.2f} ({least:.2f} to {most:.2f})", f"{statistics.median(rates[name]):,.0f}"
                print(f"| {count} | {name} | {spread} | {ratio} | {target} | {least_of_tool} | {rate} |", flush=True)


def agreement(here, loadgen, repetitions, seed):
    """Requests/s and medians of all tools on a server whose CPU is the bottleneck."""
    count, requests, path, seconds = 10, 4_000, "/fib/27", 4
    answer = "196418"
    command = lambda url, c, n, s: [loadgen, "run", "--url", url, "-c", c, "-n", n, "--expect-body", answer, "--json"]
    here = here | {"loadgen": (command, *here["loadgen"][1:])}
    print(f"\n## Agreement\n\n`loadgen serve event-loop` on one CPU, {path}, {count} connections, {repetitions} interleaved repetitions; medians (least to most)\n")
    print("| tool | requests/s | p50, ms |\n|---|---|---|")
    rates, medians, order = {name: [] for name in here}, {name: [] for name in here}, list(here)
    shuffle = random.Random(seed).shuffle
    with Ours(loadgen, "event-loop") as url:
        for _ in range(repetitions):
            shuffle(order)
            for name in order:
                command, _, speed, p50 = here[name]
                text = run(command(url + path, count, requests, seconds))[0]
                rates[name].append(speed(text))
                if p50:
                    medians[name].append(p50(text))
    for name in here:
        show = lambda values, digits: "{:,.{d}f} ({:,.{d}f} to {:,.{d}f})".format(*middle(values), d=digits) if values else ""
        print(f"| {name} | {show(rates[name], 0)} | {show(medians[name], 2)} |", flush=True)


def open_loop(loadgen, seconds, repetitions):
    """Whether requests are sent when they should be."""
    print(f"\n## Open loop\n\nnginx, 100 connections, {seconds} s; the worst of {repetitions} repetitions\n")
    print("| asked, requests/s | sent, off by | mean lateness, µs | CPU of the generator | what it warns of |\n|---|---|---|---|---|")
    with Nginx() as url:
        for rate in (1, 1_000, 10_000, 50_000):
            length = 20 if rate == 1 else seconds
            runs = []
            for _ in range(1 if rate == 1 else repetitions):
                command = [loadgen, "run", "--url", url, "-c", 100, "--rate", rate, "-d", f"{length}s", "--expect-body", BODY, "--json"]
                text, cpu, _ = run(command)
                runs.append((json.loads(text), cpu))
            schedules = [result["schedule"] for result, _ in runs]
            off = max(abs(schedule["sent_rps"] / rate - 1) for schedule in schedules)
            late = max(schedule["lateness_ms"]["mean"] for schedule in schedules) * 1e3
            cpu = max(cpu for _, cpu in runs) / length
            said = {warning for result, _ in runs for warning in result["warnings"]}
            print(f"| {rate:,} | {off:.3%} | {late:.1f} | {cpu:.2%} | {'; '.join(sorted(said)) or 'nothing'} |", flush=True)


def many_connections(loadgen):
    """Ten thousand connections at once."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 11_000:
        print(f"\n10,000 connections: the limit of open files is {hard}")
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with Nginx() as url:
        command = [loadgen, "run", "--url", url, "-c", 10_000, "-n", 200_000, "--expect-body", BODY, "--json"]
        text, cpu, memory = run(command)
    result = json.loads(text)
    print(
        f"\n## 10,000 connections\n\n{result['ok']:,} of {result['requests']:,} requests right, {result['throughput_rps']:,.0f} requests/s, "
        f"{cpu / result['requests'] * 1e6:.2f} µs of CPU for each, peak memory {memory / 1e6:.1f} MB (at most 60: {'met' if memory < 60e6 else '**missed**'})"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=3, help="about how long each tool sends (default: 3)")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--autocannon", default="autocannon", help="where it is, if not on the PATH")
    parser.add_argument("--only", nargs="+", default=["cpu", "agreement", "open", "many"], help="which parts")
    arguments = parser.parse_args()
    subprocess.run(["cargo", "build", "--release"], cwd=ROOT, check=True)
    loadgen = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/loadgen"
    here = tools(loadgen, arguments.autocannon)
    if "cpu" in arguments.only:
        with tempfile.TemporaryDirectory() as folder:
            bare = bare_client(folder)
            contenders = here | ({"bare": bare} if bare else {})
            cpu_per_request(contenders, arguments.connections, arguments.seconds, arguments.repetitions, arguments.seed)
    if "agreement" in arguments.only:
        agreement({name: here[name] for name in here if name != "h2load"}, loadgen, arguments.repetitions, arguments.seed)
    if "open" in arguments.only:
        open_loop(loadgen, 10, 3)
    if "many" in arguments.only:
        many_connections(loadgen)


main()
