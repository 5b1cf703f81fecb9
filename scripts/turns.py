"""What the benchmarks of this folder share: contenders take turns, one computation each, in a new order each round."""

import random
import statistics
import subprocess
import sys


class Worker:
    """A process that names its contenders and then computes what it is told to, by one line each.

    `name` is what it is called where it does not start; the keywords are those of `subprocess.Popen`.
    """

    def __init__(self, name, *command, **how):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **how)
        self.names = self.process.stdout.readline().rstrip("\n").split("\t")
        if self.names == [""]:
            sys.exit(f"{name} did not start")

    def run(self, name):
        """Milliseconds of one computation."""
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return float(answer) if answer else sys.exit(f"{name}: its process ended")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def measure(workers, rounds, warm_up, seed):
    """Milliseconds of each contender, round by round; the rounds that warm up are not among them."""
    order = [(name, worker) for worker in workers for name in worker.names]
    times = {name: [] for name, _ in order}
    shuffle = random.Random(seed).shuffle
    for number in range(rounds + warm_up):
        shuffle(order)
        for name, worker in order:
            taken = worker.run(name)
            if number >= warm_up:
                times[name].append(taken)
        print(f"\rround {number + 1} of {rounds + warm_up}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return times


def print_times(times):
    """The table of medians."""
    print("| contender | median, ms | fastest, ms |\n|---|---|---|")
    for name, values in times.items():
        print(f"| {name} | {statistics.median(values):.2f} | {min(values):.2f} |")


def print_ratios(ratios):
    """The table of what the project promises: title, times of one, times of the other, `at most` or `at least`, bound or None."""
    print("\n| ratio of times | medians | median of the rounds' ratios | target |\n|---|---|---|---|")
    for title, one, other, word, bound in ratios:
        ratio = statistics.median(one) / statistics.median(other)
        paired = statistics.median(a / b for a, b in zip(one, other))
        target = ""
        if bound is not None:
            met = ratio <= bound if word == "at most" else ratio >= bound
            target = f"{word} {bound}: {'met' if met else '**missed**'}"
        print(f"| {title} | {ratio:.3f} | {paired:.3f} | {target} |")


def version(*command, **how):
    """The first line that a command prints."""
    return subprocess.run(command, capture_output=True, text=True, **how).stdout.splitlines()[0]
