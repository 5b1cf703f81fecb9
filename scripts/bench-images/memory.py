#!/usr/bin/env python3
"""How much memory a server takes for a large image: its peak, and what is left after each of ten requests."""

import argparse
import http.client
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy

ROOT = Path(__file__).resolve().parent.parent.parent
PHOTO = ROOT / "scenarios/images/deep-field-1680x1050.jpg"
WIDTH, HEIGHT, BYTES = 11384, 4221, 10.3e6
PATH = "/convolve?kernel=gaussian&size=7&sigma=7&edge=zero"


def large_image():
    """The photograph tiled to the size of the study's large image, with about as many bytes."""
    photo = cv2.imread(str(PHOTO))
    tiled = numpy.tile(photo, (HEIGHT // photo.shape[0] + 1, WIDTH // photo.shape[1] + 1, 1))[:HEIGHT, :WIDTH]
    encode = lambda quality: cv2.imencode(".jpg", tiled, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
    return min((encode(quality) for quality in range(80, 98, 2)), key=lambda data: abs(len(data) - BYTES))


def memory(pid):
    """Peak and present resident memory, bytes."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) * 1024 for name in ("VmHWM", "VmRSS"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", default="worker-pool")
    parser.add_argument("--requests", type=int, default=10)
    parser.add_argument("arguments", nargs="*", help="further arguments of `loadgen serve`, after --")
    arguments = parser.parse_args()
    subprocess.run(["cargo", "build", "--release"], cwd=ROOT, check=True)
    loadgen = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/loadgen"
    image, raw = large_image(), WIDTH * HEIGHT * 3
    command = [loadgen, "serve", arguments.variant, "--port", "0", *arguments.arguments]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        host, port = server.stdout.readline().rsplit("/", 1)[1].split(":")
        connection = http.client.HTTPConnection(host, int(port))
        print(f"{arguments.variant}: {WIDTH} x {HEIGHT}, {len(image) / 1e6:.1f} MB as JPEG, {raw / 1e6:.0f} MB raw\n")
        print("| request | peak / raw | resident after it, MB |\n|---|---|---|")
        for number in range(1, arguments.requests + 1):
            connection.request("POST", PATH, image)
            reply = connection.getresponse()
            body = reply.read()
            if reply.status != 200:
                sys.exit(f"{reply.status} {body[:200]}")
            peak, resident = memory(server.pid)
            print(f"| {number} | {peak / raw:.2f} | {resident / 1e6:.1f} |", flush=True)
    finally:
        server.terminate()
        server.wait()


main()
