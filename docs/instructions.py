#!/usr/bin/env python3
"""Keeps what the compiler makes of step 11's min(c, a + b), of each form, in docs/results. Needs nvcc and nvdisasm or
cuobjdump (in PATH, or named by NVCC and DISASM), no GPU: `bash docs/record.sh --instructions`."""

import collections
import datetime
import json
import os
import pathlib
import re
import subprocess
import tempfile

import lab
import recorded

ARCH = "sm_90"
NVCC = os.environ.get("NVCC", "nvcc")
DISASM = os.environ.get("DISASM", "nvdisasm")
# The stages whose products have the forms: floats, ints, unsigned shorts.
STAGES = ("11.8", "11.13", "11.16")
WANTED = re.compile(r"(FADD|FMNMX|VIMNMX3|VIADDMNMX)\b")


def forms(kernel):
    """Names of a kernel file's forms, in the order of their numbers."""
    return re.findall(r"\w+", re.search(r"enum form \{(.*?)\};", kernel.read_text()).group(1))


def disassemble(kernel):
    """The machine code of a kernel file as text."""
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "kernel.cubin")
        options = ["-std=c++17", "-O3", f"-I{lab.ROOT / 'common'}", f"-arch={ARCH}", "-cubin", "-o", cubin]
        subprocess.run([NVCC, *options, str(kernel)], check=True)
        options = ["-sass"] if os.path.basename(DISASM) == "cuobjdump" else ["-c"]
        return subprocess.run([DISASM, *options, cubin], check=True, capture_output=True, text=True).stdout


def instructions(text, number):
    """Those of one form's product of 128 x 128."""
    name = rf"square\w*Li{number}ELi8EE"
    start = re.search(rf"(?:^\.text\.|Function : )\S*{name}", text, re.M)
    body = re.split(r"^\.text\.|Function : ", text[start.end() :], maxsplit=1, flags=re.M)[0]
    return re.findall(r"/\*[0-9a-f]{4,}\*/\s+([^;]+?)\s*;", body)


def mnemonic(line):
    return re.sub(r"^@!?\w+\s+", "", line).split()[0]


def excerpt(lines, kinds):
    """The first neighbours that hold each kind of instruction."""
    for at in range(len(lines)):
        found = lines[at : at + len(kinds) + (len(kinds) > 1)]
        if {mnemonic(line) for line in found} == set(kinds):
            return found
    return []


def main():
    kept = []
    for stage in (stage for step in lab.steps() for stage in step.stages if stage.number in STAGES):
        text = disassemble(stage.kernel)
        for number, name in enumerate(forms(stage.kernel)):
            lines = instructions(text, number)
            counts = collections.Counter(m for m in map(mnemonic, lines) if WANTED.match(m))
            # what min and + take, not the few that look for the largest distance
            counts = {m: n for m, n in counts.items() if n >= 256}
            kept.append({"form": name, "stage": stage.number, "counts": counts, "of": len(lines),
                         "lines": excerpt(lines, sorted(counts))})
    version = subprocess.run([NVCC, "--version"], check=True, capture_output=True, text=True).stdout
    toolkit = re.search(r"release ([\d.]+), V([\d.]+)", version).group(2)
    data = {"schema": 1, "arch": ARCH, "compiler": toolkit, "date": str(datetime.date.today()), "forms": kept}
    path = lab.RESULTS / "instructions-step11.json"
    path.write_text(json.dumps(data, indent=1) + "\n")
    build = pathlib.Path(os.environ.get("BUILD", lab.ROOT / "build"))
    recorded.stamp(path, [], recorded.built(build))
    print(f"record: {path.relative_to(lab.ROOT)}")


if __name__ == "__main__":
    main()
