#!/usr/bin/env python3
"""Keeps what the compiler makes of the semirings of step 11 in docs/results. Needs nvcc and nvdisasm or
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
# Each semiring of common/semirings.h by the form that it is of, and the stage whose product of the most values
# takes it.
FORMS = {
    "F32": ("min_plus_f32_bits", "11.4"),
    "F32_SIGNED": ("min_plus_f32", "11.4"),
    "S32": ("min_plus_s32", "11.4"),
    "S32_SIGNED": ("min_plus_s32_signed", "11.4"),
    "U16": ("min_plus_u16", "11.4"),
    "U16_PAIR": ("min_plus_u16_pair", "11.6"),
    "MAX_PLUS": ("max_plus_f32_bits", "11.4"),
    "MAX_PLUS_SIGNED": ("max_plus_f32", "11.4"),
    "OR_AND": ("or_and_u16", "11.4"),
    "OR_AND_BITS": ("or_and_bits", "11.7"),
}
WANTED = re.compile(r"(FADD|FMNMX|VIMNMX3|VIADDMNMX|LOP3\.x_or_y_and_z)\b")


def disassemble(kernel):
    """The machine code of a kernel file as text."""
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "kernel.cubin")
        options = ["-std=c++17", "-O3", f"-I{lab.ROOT / 'common'}", f"-arch={ARCH}", "-cubin", "-o", cubin]
        subprocess.run([NVCC, *options, str(kernel)], check=True)
        options = ["-sass"] if os.path.basename(DISASM) == "cuobjdump" else ["-c"]
        return subprocess.run([DISASM, *options, cubin], check=True, capture_output=True, text=True).stdout


def instructions(text, semiring):
    """Those of one semiring's product, with as many values per thread as there are."""
    start = list(re.finditer(rf"(?:^\.text\.|Function : )\S*square\w*{len(semiring)}{semiring}Li[48]E", text, re.M))
    start = max(start, key=lambda found: found.group(0))
    body = re.split(r"^\.text\.|Function : ", text[start.end() :], maxsplit=1, flags=re.M)[0]
    return re.findall(r"/\*[0-9a-f]{4,}\*/\s+([^;]+?)\s*;", body)


def mnemonic(line):
    name = re.sub(r"^@!?\w+\s+", "", line).split()[0]
    # LOP3 is any function of three words; these are "one, or both of the others".
    return "LOP3.x_or_y_and_z" if name.startswith("LOP3") and re.search(r" 0x(f8|ea|ec),", line) else name


def excerpt(lines, kinds):
    """The first neighbours that hold each kind of instruction."""
    for at in range(len(lines)):
        found = lines[at : at + len(kinds) + (len(kinds) > 1)]
        if {mnemonic(line) for line in found} == set(kinds):
            return found
    return []


def main():
    kept = []
    stages = {stage.number: stage for step in lab.steps() for stage in step.stages}
    texts = {number: disassemble(stages[number].kernel) for number in sorted({number for _, number in FORMS.values()})}
    for name, (semiring, number) in FORMS.items():
        lines = instructions(texts[number], semiring)
        counts = collections.Counter(m for m in map(mnemonic, lines) if WANTED.match(m))
        # what the two operations take, not the few that look for the largest distance or make masks
        counts = {m: n for m, n in counts.items() if n >= 200}
        kept.append({"form": name, "semiring": semiring, "stage": number, "counts": counts, "of": len(lines),
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
