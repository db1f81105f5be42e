#!/usr/bin/env python3
"""Keeps hardware counters beside the recorded times: joins what Nsight Compute printed as CSV for
`run compare ... --check-only` with the rows that run wrote as JSON, in launch order.

    counters.py NCU.csv RUN.json > docs/results/counters-GPU-SIZE.json
"""
import csv
import json
import re
import sys


def launches(path):
    """One dictionary of counters per profiled launch, in order; commas in figures removed."""
    lines = [line for line in open(path, encoding="utf-8") if line.startswith('"')]
    found = {}
    for record in csv.DictReader(lines):
        launch = found.setdefault(int(record["ID"]), {"kernel": record["Kernel Name"], "counters": {}})
        value = float(record["Metric Value"].replace(",", ""))
        launch["counters"][record["Metric Name"]] = int(value) if value.is_integer() else value
    return [found[key] for key in sorted(found)]


def main():
    profiled = launches(sys.argv[1])
    run = json.load(open(sys.argv[2], encoding="utf-8"))
    # The reference is launched once before the rows; its kernels carry the library's own names.
    ours = re.compile(r"(void )?gemm")
    rows = [launch for launch in profiled if ours.match(launch["kernel"])]
    reference = [launch for launch in profiled if not ours.match(launch["kernel"])]
    if len(rows) != len(run["kernels"]):
        sys.exit(f"counters: {len(rows)} launches profiled, {len(run['kernels'])} rows in the run")
    kernels = [{"name": "cublas", "counters": launch["counters"]} for launch in reference[:1]]
    kernels += [{"name": row["name"], "counters": launch["counters"]}
                for row, launch in zip(run["kernels"], rows)]
    result = {key: run[key] for key in ("schema", "date", "device", "problem")}
    result["kernels"] = kernels
    json.dump(result, sys.stdout, indent=2)
    print()


main()
