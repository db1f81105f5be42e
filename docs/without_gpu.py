#!/usr/bin/env python3
"""What `./run stepNN` prints on a machine without a GPU, for the pages: docs/results/without-gpu.json.

    without_gpu.py record                 runs all steps that have it on their pages, a minute
    without_gpu.py check FILE stepNN...   fails where a run of today says something else than FILE; a figure may differ
                                          by one in its last place; of another compiler's kernels nothing can be said
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import lab
import recorded

STEPS = [f"step{number:02d}" for number in (*range(1, 13), 14, 15)]
PATH = lab.RESULTS / "without-gpu.json"
FIGURE = re.compile(r"\d+(?:\.(\d+))?")


def run(step):
    """The text of a run, by lines, and its rows."""
    with tempfile.TemporaryDirectory() as folder:
        kept = pathlib.Path(folder) / "run.json"
        text = subprocess.run(
            [str(lab.ROOT / "run"), step, "--runtime=sim", f"--json={kept}"],
            check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, cwd=lab.ROOT,
        ).stdout
        rows = json.loads(kept.read_text())["kernels"]
    return text.rstrip().splitlines(), [{key: row[key] for key in ("name", "stage") if key in row} for row in rows]


def record():
    runs = []
    for step in STEPS:
        lines, rows = run(step)
        runs.append({"target": step, "text": lines, "kernels": rows})
    recorded.write(PATH, {"schema": 1, "runtime": "sim", "runs": runs})
    print(f"without_gpu: {PATH}", file=sys.stderr)


def is_alike(old, new):
    """Whether two lines say the same, whatever the width of their columns and rounding."""
    words = [FIGURE.sub("#", " ".join(line.split())) for line in (old, new)]
    pairs = zip(FIGURE.finditer(old), FIGURE.finditer(new))
    return words[0] == words[1] and all(
        len(a[1] or "") == len(b[1] or "") and abs(float(a[0]) - float(b[0])) <= 1.01 * 10.0 ** -len(a[1] or "")
        for a, b in pairs
    )


def check(file, steps):
    data = json.loads(file.read_text())
    kept = {run["target"]: run["text"] for run in data["runs"]}
    if data["machine_code"]["compiler"] != recorded.compiler_of(lab.BUILD):
        return
    for step in steps:
        old, (new, _) = kept[step], run(step)
        pairs = zip(old + [""] * (len(new) - len(old)), new + [""] * (len(old) - len(new)))
        for before, now in pairs:
            if not is_alike(before, now):
                yield f"{file}: {step} says otherwise now: run `bash docs/record.sh --without-gpu`\n- {before}\n+ {now}"
                break


def main():
    match sys.argv[1:]:
        case ["record"]:
            record()
        case ["check", file, *steps] if steps:
            faults = list(check(pathlib.Path(file), steps))
            sys.exit("\n".join(faults) if faults else 0)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
