#!/usr/bin/env python3
"""Holds the times that `run` gives against a plain loop around the same calls, on a GPU.

For each problem cuBLAS and the last row of its step are timed by `run`, by the loop, and by `run`
again. The loop is taken twice, with the calls one after the other, where the power limit may lower the
clocks, and with pauses, after which a call starts colder; its faster median counts. Fails where the
medians differ by more than 2 % from a size of 2048 on, by more than 4 % below: there a call takes some
10 to 100 microseconds, and an event's resolution is half of one.

    bare_loop.py BUILD [STEP...]
"""
import json
import subprocess
import sys
import tempfile

# Options, the row beside the reference, and what the two may differ by.
CASES = [
    ("step07", "-n 1024", "placed", 0.04),
    ("step07", "-n 2048", "placed", 0.02),
    ("step07", "-n 4096", "placed", 0.02),
    ("step07", "-n 8192", "placed", 0.02),
    ("step08", "-m 131072 -n 1024 -k 32", "fused_fast", 0.02),
    ("step08", "-m 131072 -n 1024 -k 128", "fused_fast", 0.02),
    ("step09.8", "-n 1024", "register_tile", 0.04),
    ("step09.8", "-n 2048", "register_tile", 0.02),
    ("step09.8", "-n 4096", "register_tile", 0.02),
    ("step10", "-n 128 -p 128 -q 128", "tensor_split_k", 0.04),
    ("step10", "-n 256 -p 256 -q 256", "tensor_split_k", 0.04),
    ("step10", "-n 2048 -p 32 -q 64", "tensor_split_k", 0.02),
    ("step10", "-n 4096 -p 64 -q 64", "tensor_split_k", 0.02),
    ("step11", "-n 1024", "floyd_warshall_blocked", 0.04),
    ("step11", "-n 4096", "floyd_warshall_blocked", 0.02),
]


def run_times(target, options, variant):
    """Milliseconds of each row by `run`."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run(["./run", target, *options, "--variant", variant, "--runtime", "gpu",
                        "--json", file.name], check=True, stdout=subprocess.DEVNULL)
        kernels = json.load(open(file.name))["kernels"]
    return {k["name"]: k["time_ms"]["median"] for k in kernels if "time_ms" in k}


def loop_times(build, target, options, variant):
    """Milliseconds of each row in a plain loop, one call after the other and with pauses."""
    lines = subprocess.run([f"{build}/tests/bare_loop", target, *options, "--variant", variant],
                           check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {name: (float(tight), float(eased)) for name, tight, eased in map(str.split, lines)}


def main():
    build, steps = sys.argv[1], sys.argv[2:]
    worst, misses = 0.0, 0
    print(f"{'problem':36}{'row':24}{'loop':>10}{'pauses':>10}{'run':>10}  run / loop")
    for target, options, variant, allowed in CASES:
        if steps and target not in steps:
            continue
        first = run_times(target, options.split(), variant)
        loop = loop_times(build, target, options.split(), variant)
        second = run_times(target, options.split(), variant)
        for name, (tight, eased) in loop.items():
            by_run = (first[name] + second[name]) / 2
            share = by_run / min(tight, eased)
            bad = not abs(share - 1.0) <= allowed
            misses += bad
            worst = max(worst, abs(share - 1.0))
            print(f"{target + ' ' + options:36}{name:24}{tight:10.4f}{eased:10.4f}{by_run:10.4f}"
                  f"  {share:.3f}{f'  more than {allowed:.0%} apart' if bad else ''}", flush=True)
    if worst == 0.0:
        print("bare-loop: nothing was compared", file=sys.stderr)
        return 1
    print(f"largest difference {worst:.1%}; {misses} too large")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
