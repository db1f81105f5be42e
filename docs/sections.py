#!/usr/bin/env python3
"""Says which walkthrough lacks a part that all have, or has it elsewhere, does not lead to its exercise, or asks a question
without an answer. `make results-check` runs it."""

import re
import sys

import lab
from blocks import exercises

PARTS = [
    "Goal", "What you need to know", "The bound", "Idea", "Code", "Run", "Measured", "Why it is not enough", "Questions",
]


def faults(step, number, directory, short):
    text = step.readme.read_text()
    headings = re.findall(r"^## (.*)$", text, re.M)
    missing = [part for part in PARTS if part not in headings]
    if missing:
        yield f"no section {', '.join(missing)}"
    elif [part for part in headings if part in PARTS] != PARTS:
        yield f"the sections are not in the order {', '.join(PARTS)}"
    if "\n### What the counters say\n" not in text:
        yield "no section What the counters say"
    if f"step{step.number}.svg)" not in text:
        yield "no picture"
    if f"**Now do [exercise {number}](../../exercises/{directory}/kernel.cu)**" not in text:
        yield f"it does not lead to exercise {number}"
    for other, folder in short:
        if f"[exercise {other}](../../exercises/{folder}/kernel.cu)" not in text:
            yield f"it does not name exercise {other}, of ten minutes"
    questions = text.split("\n## Questions\n")[-1].split("<!-- begin links -->")[0]
    for question in re.split(r"^(?=\d+\. )", questions, flags=re.M)[1:]:
        if question.count("<details><summary>Answer</summary>") != 1:
            yield f"question {question.split('.')[0]} has no answer"


def main():
    first, short = {}, {}  # the exercise that applies a step's idea, and those of ten minutes; others are named beside it
    for number, directory, stage, _level, minutes, _title in exercises.entries():
        if int(minutes) <= 10:
            short.setdefault(stage.split(".")[0], []).append((number, directory))
        else:
            first.setdefault(stage.split(".")[0], (number, directory))
    found = 0
    for step in lab.steps():
        if step.number not in first:
            continue  # a step without an exercise is no walkthrough of this form yet
        for fault in faults(step, *first[step.number], short.get(step.number, [])):
            found += 1
            print(f"{step.readme.relative_to(lab.ROOT)}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
