#!/usr/bin/env python3
"""Compares the timing model, on the simulator's counters alone, with times measured on an H200.

    compare_model.py            models what is recorded, prints the table, keeps docs/results/modelled-*
    compare_model.py --record   simulates first (half an hour), keeps docs/results/simulated-*
    compare_model.py --slice    the shares of the peak on a slice, at 512, beside those of the whole GPU at 4096, and
                                those of the bandwidth of the warm-ups 00c and 00d; keeps docs/results/slice-*

At 1024 the simulator runs the whole product. At 2048 and 4096 it runs slices of it: k and n whole, and
of m as many rows as fill all multiprocessors, and twice as many. What a kernel does grows in a line
with the rows of C, so two slices say what all rows do, and what is done once for all of them.
Exits with 1 where the mean error exceeds 25% or the order of steps, by their last rows, differs.
"""

import math
import subprocess
import sys

import lab
import recorded

GPU = "h200"
SIZES = (1024, 2048, 4096)
STEPS = [f"step{number:02d}" for number in range(1, 8)]
SMS, WARPS_PER_SM, ROWS = 132, 64, 128  # of an H200; a slice is a multiple of the largest tile
LIMIT = 0.25
SLICE_SMS, SLICE_SIZE = 3, 512
WARM_UPS = ("step00c", "step00d")


def simulate(step, m, size):
    """The rows of a step that were counted, by name."""
    print(f"compare_model: {step} at {m} x {size} x {size}", file=sys.stderr, flush=True)
    result = lab.simulated(step, "--profile", "--check-only", f"--arch={GPU}", "--sms=all", "-m", m, "-n", size, "-k", size)
    rows = {k["name"]: k for k in result["kernels"] if k["name"] != "cublas" and "." not in k["name"]}
    return result, rows


def rows_that_fill(rows, m):
    """Rows of C whose blocks fill all multiprocessors, for the row of a step that needs most."""
    needed = 0
    for row in rows.values():
        warps = math.prod(row["block"]) / 32
        resident = SMS * row["occupancy"] * WARPS_PER_SM / warps
        needed = max(needed, resident * m / math.prod(row["grid"]))
    return math.ceil(needed / ROWS) * ROWS


def count(step, size):
    """All rows of a step at m = n = k = size, and how the counters came about."""
    if size == SIZES[0]:
        result, rows = simulate(step, size, size)
        return result, rows, []
    _, rows = simulate(step, ROWS, size)
    first = rows_that_fill(rows, ROWS)
    if 2 * first >= size:
        result, rows = simulate(step, size, size)
        return result, rows, []
    if first != ROWS:
        _, rows = simulate(step, first, size)
    result, larger = simulate(step, 2 * first, size)
    for name, row in larger.items():
        for counter, value in row["counters"].items():
            if counter.endswith(".sum"):
                slope = (value - rows[name]["counters"][counter]) / first
                row["counters"][counter] = round(value + slope * (size - 2 * first))
        row["grid"][0] = row["grid"][0] * size // (2 * first)
    return result, larger, [first, 2 * first]


def record(size):
    """Writes docs/results/simulated-GPU-SIZE.json."""
    kernels = []
    for step in STEPS:
        result, rows, slices = count(step, size)
        for name, row in rows.items():
            kept = {key: row[key] for key in ("registers", "shared_bytes", "block", "grid", "occupancy")}
            kernels.append({"name": f"{step}.{name}", "stage": row["stage"], **kept, "slices": slices,
                            "counters": row["counters"]})
    problem = {**result["problem"], "m": size, "n": size, "k": size}
    for dependent in ("flops", "bytes", "seed"):
        problem.pop(dependent, None)
    data = {"schema": 1, "runtime": "sim", "date": result["date"], "device": result["device"],
            "problem": problem, "kernels": kernels}
    path = lab.RESULTS / f"simulated-{GPU}-{size}.json"
    recorded.write(path, data)
    recorded.stamp(path, STEPS, recorded.built(lab.BUILD))
    print(f"compare_model: {path}", file=sys.stderr)


def measured(size):
    """Median milliseconds of every row."""
    times = {}
    for step in STEPS:
        run = lab.Run(lab.RESULTS / f"{step}-{GPU}-{size}.json")
        times |= {f"{step}.{k['name']}": k["time_ms"]["median"] for k in run.own}
    return times


def model(size):
    """(milliseconds, limiter) of every row."""
    program = lab.BUILD / "tests" / "model_times"
    counters = lab.RESULTS / f"simulated-{GPU}-{size}.json"
    text = subprocess.run([str(program), GPU, str(counters)], check=True, capture_output=True,
                          text=True).stdout
    return {name: (float(ms), limiter) for name, ms, limiter in map(str.split, text.splitlines())}


def order(times):
    """The steps by their last rows, fastest first."""
    last = {name.split(".")[0]: ms for name, ms in times.items()}
    return sorted(last, key=last.get)


def compare(size):
    """The rows of one size, as kept in docs/results, and whether the bar is met."""
    real, ours = measured(size), model(size)
    if set(real) != set(ours):
        raise SystemExit(f"compare_model: rows differ at {size}: {sorted(set(real) ^ set(ours))}")
    rows = []
    for name, ms in real.items():
        error = ours[name][0] / ms - 1
        rows.append({"name": name, "measured_ms": ms, "modelled_ms": ours[name][0],
                     "limiter": ours[name][1], "error": round(error, 4)})
        print(f"{name:20s} {size:5d} {ms:10.4f} {ours[name][0]:10.4f} {100 * error:+6.1f}%  "
              f"{ours[name][1]}")
    mean = sum(abs(row["error"]) for row in rows) / len(rows)
    same = order(real) == order({name: ms for name, (ms, _) in ours.items()})
    print(f"mean error at {size}: {100 * mean:.1f}%, "
          f"{'the same order of steps' if same else 'another order of steps'}")
    return {"size": size, "mean_error": round(mean, 4), "same_order": same, "rows": rows}


def compare_warm_ups():
    """Of each row of the sum and the histogram the bytes in a second, in GB: on the slice as many times more as the GPU
    has more multiprocessors."""
    rows = []
    for step in WARM_UPS:
        modelled = {k["name"]: k for k in lab.simulated(step, f"--sms={SLICE_SMS}")["kernels"]}
        for k in lab.Run(lab.RESULTS / f"{step}-{GPU}.json").own:
            row = modelled[k["name"]]
            speed, real = row["gb_per_s"] * SMS / SLICE_SMS, k["gb_per_s"]
            rows.append({"name": f"{step}.{k['name']}", "stage": k["stage"], "measured": round(real, 4),
                         "modelled": round(speed, 4), "error": round(speed / real - 1, 4), "limiter": row["limiter"]})
    return rows


def compare_slice():
    """Writes docs/results/slice-GPU.json: of each row the share of the peak, measured at 4096 and modelled."""
    result = lab.simulated("compare", *STEPS, f"--sms={SLICE_SMS}", "--profile", "-m", SLICE_SIZE)
    modelled = {k["name"]: k for k in result["kernels"] if "percent_of_peak" in k}
    rows = []
    for step in STEPS:
        for k in lab.Run(lab.RESULTS / f"{step}-{GPU}-{SIZES[-1]}.json").own:
            row = modelled[f"{step}.{k['name']}"]
            share, real = row["percent_of_peak"] / 100, k["percent_of_peak"] / 100
            rows.append({"name": row["name"], "stage": row["stage"], "measured": round(real, 6),
                         "modelled": round(share, 6), "error": round(share / real - 1, 4),
                         "limiter": row["limiter"]})
    mean = sum(abs(row["error"]) for row in rows) / len(rows)
    data = {"schema": 1, "gpu": GPU, "sms": SLICE_SMS, "size": SLICE_SIZE, "measured_at": SIZES[-1],
            "mean_error": round(mean, 4), "kernels": rows, "warm_ups": compare_warm_ups()}
    recorded.write(lab.RESULTS / f"slice-{GPU}.json", data)
    print(f"mean error on the slice: {100 * mean:.1f}%")
    return 0


def main():
    if sys.argv[1:] == ["--slice"]:
        return compare_slice()
    if sys.argv[1:] not in ([], ["--record"]):
        sys.exit(__doc__)
    if sys.argv[1:]:
        for size in SIZES:
            record(size)
    sizes = [compare(size) for size in SIZES]
    path = lab.RESULTS / f"modelled-{GPU}.json"
    recorded.write(path, {"schema": 1, "gpu": GPU, "sizes": sizes})
    return 0 if all(s["mean_error"] <= LIMIT and s["same_order"] for s in sizes) else 1


if __name__ == "__main__":
    sys.exit(main())
