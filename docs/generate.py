#!/usr/bin/env python3
"""Rewrites what README.md and the walkthroughs generate, between `<!-- begin KIND ... -->` and
`<!-- end KIND -->`: figures from docs/results/*.json, excerpts of the kernels, tables of steps and
the links between pages. No figure and no code is typed by hand. The kinds are in docs/blocks/: a
function block_KIND(file, arguments, context) returns the Markdown.

A page of tables has `<!-- build KIND ... -->` instead: docs/filter.py fills these in when the site is built, and here they
are only tried.

    generate.py [--check] [--results FOLDER]     --check: change nothing, fail if anything would
"""

import argparse
import pathlib
import re
import sys

import lab
from blocks import cutlass, exercises, forms, kernel_summation, machine, measured, merging, papers, past_cublas, reading, report, series, shapes, shortest_paths, simulator, systems, warm_ups
from blocks.cells import Stale
from blocks.series import recorded_run

BLOCK = re.compile(r"<!-- begin (\w+)(.*?) -->\n.*?<!-- end \1 -->", re.S)
BUILT = re.compile(r"<!-- build (\w+)(.*?) -->")
MODULES = (
    series, exercises, machine, measured, merging, papers, past_cublas, reading, report, shapes, simulator, kernel_summation, shortest_paths, forms, systems,
    warm_ups, cutlass,
)
BLOCKS = {
    name.removeprefix("block_"): make
    for module in MODULES
    for name, make in vars(module).items()
    if name.startswith("block_")
}


class Context:
    """What the blocks are made from."""

    def __init__(self, results):
        self.results = results
        self.steps = lab.steps()
        self.studies = lab.studies(results)
        self.simulated_studies = lab.studies(results, "sim")
        runs = lab.runs(results)
        self.counted = lab.counted(results)
        self.profiles = lab.profiles(results)
        self.modelled = lab.kept(results / "modelled-h200.json")
        self.slice = lab.kept(results / "slice-h200.json")
        self.instructions = lab.kept(results / "instructions-step11.json")
        self.warm_ups = {run.target: run for run in map(lab.Run, sorted(results.glob("warm-up-*.json")))}
        without_gpu = lab.kept(results / "without-gpu.json") or {"runs": []}
        self.without_gpu = {run["target"]: run["text"] for run in without_gpu["runs"]}
        self.simulated = lab.counted(results, "sim")
        self.gpu = [run for run in runs if run.runtime == "gpu"]
        devices = [run.device["name"] for run in self.gpu]
        self.studies.sort(key=lambda study: devices.index(study.device["name"]) if study.device["name"] in devices else len(devices))

    def largest_counted(self):
        """The counters of each GPU at the largest recorded size, where edges weigh least."""
        largest = {}
        for counted in self.counted:
            largest.setdefault(counted.device["name"], counted)
            if counted.problem["m"] > largest[counted.device["name"]].problem["m"]:
                largest[counted.device["name"]] = counted
        return list(largest.values())

    def step(self, number):
        return next(step for step in self.steps if step.number == number)

    def step_of(self, file, arguments=""):
        """The step whose page this is, or the one that step=NN names, on any page."""
        named = re.search(r"\bstep=(\w+)", arguments)
        return self.step(named[1]) if named else next(step for step in self.steps if step.path == file.parent)

    def diff_size(self, stage):
        changes = lab.diff(stage.parent, stage)
        body = [line for line in changes if line[:3] not in ("+++", "---")]
        return sum(line[0] == "+" for line in body), sum(line[0] == "-" for line in body)


def narrowed(text, heads):
    """Its tables without the columns whose heads begin so."""
    lines, kept = [], None
    for line in text.split("\n"):
        cells = line.split("|")[1:-1]
        kept = (kept or [i for i, cell in enumerate(cells) if not cell.strip().startswith(heads)]) if cells else None
        lines.append("|" + "|".join(cells[i] for i in kept) + "|" if cells else line)
    return "\n".join(lines)


def body(file, context, found):
    """Of the block that a pattern found on a page; without="HEAD,...": its tables without these columns."""
    kind, arguments = found.groups()
    without = re.search(r' without="(.*?)"', arguments)
    try:
        text = BLOCKS[kind](file, arguments, context)
        return narrowed(text, tuple(without[1].split(","))) if without else text
    except (KeyError, Stale) as reason:
        raise SystemExit(f"{file}: block {kind}{arguments}: {reason}")


def rewrite(file, context):
    """The file's text with every block made anew."""
    text = file.read_text()
    for found in BUILT.finditer(text):
        body(file, context, found)
    # On a page of its own lines a comment that touches a table or a list would be part of it.
    return BLOCK.sub(
        lambda found: f"<!-- begin {found[1]}{found[2]} -->\n\n{body(file, context, found)}\n\n<!-- end {found[1]} -->", text
    )


def built(file):
    """The file's text as the site has it."""
    text = file.read_text()
    if not BUILT.search(text):
        return text
    context = Context(lab.RESULTS)
    return BUILT.sub(lambda found: body(file, context, found), text)


RECORDED = lab.ROOT / "harness" / "report" / "recorded.def"


def recorded_rows(context):
    """What `run` shows beside a step's rows: each row of the run that stands for the step."""
    lines = [
        "/* Written by `make results` from docs/results: LAB_RECORDED(target, row, type, sizes, GPU, speed), in GFLOPS, or",
        " * GB/s where a problem counts no operations. */",
    ]
    for step in context.steps:
        run = recorded_run(step, context.gpu)
        for row in run.own if run else []:
            speed = row.get("gflops") or row.get("gb_per_s")
            gpu = run.device["name"].removeprefix("NVIDIA ").split()[0]
            if speed:
                lines.append(f'LAB_RECORDED("{step.target}", "{row["name"]}", "{run.problem["type"]}", "{run.shape}", "{gpu}", {speed:.4g})')
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="rewrite what the READMEs generate")
    parser.add_argument("--check", action="store_true", help="change nothing, fail on a difference")
    parser.add_argument("--results", type=pathlib.Path, default=lab.RESULTS)
    options = parser.parse_args()
    context = Context(options.results)
    pages = [lab.ROOT / "README.md", *sorted((lab.ROOT / "docs" / "pages").glob("*.md")), *(step.readme for step in context.steps)]
    texts = [(file, rewrite(file, context)) for file in pages]
    return lab.rewrite([*texts, (RECORDED, recorded_rows(context))], options.check)


if __name__ == "__main__":
    sys.exit(main())
