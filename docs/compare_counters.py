#!/usr/bin/env python3
"""Compares the simulator's counters with those that a GPU gave at a size too large to simulate;
docs/pages/agreement.md has those of sizes that were simulated.

    compare_counters.py [RECORDED.json] [SIZE]

Runs every step on the simulator at SIZE (default 512) and prints, for each kernel and counter, the
count for a warp's 32 products as simulated and as recorded, and the difference. Edges and epilogues
weigh more at smaller sizes: they are taken out by a second run at half the size, since all counts
are a k n m + b m n, and the main term alone is compared; the rest is shown for the recorded size.
Exits with 1 where a counter differs by more than 2 %.
"""

import json
import pathlib
import sys

import lab

COUNTERS = {name: title for title, name in lab.AGREED}
LIMIT = lab.AGREED_WITHIN


def simulate(step, size):
    """Counters of each kernel of a step, by its row's name."""
    result = lab.simulated(step, "--profile", "--check-only", "-m", size, "-n", size, "-k", size)
    return {f"{step}.{k['name']}": k["counters"] for k in result["kernels"] if "counters" in k}


def extrapolate(small, large, size, wanted):
    """The count at `wanted`, from those at size / 2 and size, as a size^3 + b size^2."""
    half = size // 2
    a = (large / size**2 - small / half**2) / (size - half)
    b = large / size**2 - a * size
    return a * wanted**3 + b * wanted**2


def compare(recorded, size):
    """Prints the table; true when all is within the limit."""
    wanted = recorded["problem"]["m"]
    per = wanted**3 / 32
    rows = {k["name"]: k["counters"] for k in recorded["kernels"] if k["name"].startswith("step")}
    good = True
    print(f"| kernel | counter | simulator | {recorded['device']['name']} | difference |")
    print("|---|---|--:|--:|--:|")
    for step in sorted({name.split(".")[0] for name in rows}):
        small, large = simulate(step, size // 2), simulate(step, size)
        for name in (n for n in rows if n.startswith(step + ".")):
            for counter, title in COUNTERS.items():
                hardware = rows[name].get(counter, 0)
                value = extrapolate(small[name][counter], large[name][counter], size, wanted)
                if hardware == 0 and value == 0:
                    continue
                error = value / hardware - 1 if hardware else float("inf")
                good = good and abs(error) <= LIMIT
                mark = "" if abs(error) <= LIMIT else " **"
                print(f"| {name} | {title} | {value / per:.5f} | {hardware / per:.5f} "
                      f"| {100 * error:+.2f} %{mark} |", flush=True)
    return good


def main():
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else lab.RESULTS / "counters-h200-4096.json"
    size = int(sys.argv[2]) if len(sys.argv) > 2 else 512
    return 0 if compare(json.loads(path.read_text()), size) else 1


if __name__ == "__main__":
    sys.exit(main())
