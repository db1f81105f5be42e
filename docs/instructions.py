#!/usr/bin/env python3
"""Keeps what the compiler makes of each pair of operations, those of step 11, 12 and exercise 13, in docs/results. Needs nvcc and nvdisasm or
cuobjdump (in PATH, or named by NVCC and DISASM), no GPU: `bash docs/record.sh --instructions`."""

import collections
import datetime
import os
import re
import subprocess
import sys
import tempfile

import lab
import recorded

ARCH = "sm_90"
NVCC = os.environ.get("NVCC", "nvcc")
DISASM = os.environ.get("DISASM", "nvdisasm")
# Kernels as the compiler writes their names: step 11's, of 4 or 8 values, and step 12's with double buffering, of A B,
# whole vectors.
SQUARE, GEMM = r"square\w*{}Li[48]E", r"gemm\w*{}Lb1ELb0ELb1ELb0ELb1E"
# Each pair by the form that it is of: its struct, the kernel file that takes it, the kernel, and what stands there for
# the struct.
FORMS = {
    "PLUS_TIMES": ("plus_times<float>", "12.forms", GEMM, "10plus_timesIfE"),
    "PLUS_TIMES_F64": ("plus_times<double>", "12.forms", GEMM, "10plus_timesIdE"),
    "F32": ("min_plus_f32_bits", "11.4", SQUARE, "17min_plus_f32_bits"),
    "F32_SIGNED": ("min_plus_f32", "11.4", SQUARE, "12min_plus_f32"),
    "S32": ("min_plus_s32", "11.4", SQUARE, "12min_plus_s32"),
    "S32_SIGNED": ("min_plus_s32_signed", "11.4", SQUARE, "19min_plus_s32_signed"),
    "U16": ("min_plus_u16", "11.4", SQUARE, "12min_plus_u16"),
    "U16_PAIR": ("min_plus_u16_pair", "11.6", SQUARE, "17min_plus_u16_pair"),
    "MAX_PLUS": ("max_plus_f32_bits", "11.4", SQUARE, "17max_plus_f32_bits"),
    "MAX_PLUS_SIGNED": ("max_plus_f32", "11.4", SQUARE, "12max_plus_f32"),
    "MAX_MIN": ("max_min", "solution13", r"square\w*{}E", "7max_min"),
    "OR_AND": ("or_and_u16", "11.4", SQUARE, "10or_and_u16"),
    "OR_AND_BITS": ("or_and_bits", "11.7", SQUARE, "11or_and_bits"),
}
WANTED = re.compile(r"(FFMA|DFMA|FADD|FMNMX|VIMNMX|VIMNMX3|VIADDMNMX)\b|LOP3$")


def disassemble(kernel):
    """The machine code of a kernel file as text."""
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "kernel.cubin")
        options = ["-std=c++17", "-O3", f"-I{lab.ROOT / 'common'}", f"-arch={ARCH}", "-cubin", "-o", cubin]
        subprocess.run([NVCC, *options, str(kernel)], check=True)
        options = ["-sass"] if os.path.basename(DISASM) == "cuobjdump" else ["-c"]
        return subprocess.run([DISASM, *options, cubin], check=True, capture_output=True, text=True).stdout


def kernel_files():
    """Each by the number of its stage, step and study, or exercise."""
    series = lab.steps()
    files = {stage.number: stage.kernel for step in series for stage in step.stages}
    files |= {f"{step.number}.forms": step.path / "study" / "forms.cu" for step in series}
    return files | {f"solution{path.parent.name[:2]}": path for path in lab.ROOT.glob("solutions/*/kernel.cu")}


def instructions(text, kernel):
    """Those of one kernel, with as many values per thread as there are."""
    start = list(re.finditer(rf"(?:^\.text\.|Function : )\S*{kernel}", text, re.M))
    start = max(start, key=lambda found: found.group(0))
    body = re.split(r"^\.text\.|Function : ", text[start.end() :], maxsplit=1, flags=re.M)[0]
    return re.findall(r"/\*[0-9a-f]{4,}\*/\s+([^;]+?)\s*;", body)


def mnemonic(line):
    name = re.sub(r"^@!?\w+\s+", "", line).split()[0]
    # LOP3.LUT is any function of three words; as LOP3 count those that are "one, or both of the others".
    return "LOP3" if name.startswith("LOP3") and re.search(r" 0x(f8|ea|ec),", line) else name


def excerpt(lines, kinds):
    """The first neighbours that hold each kind of instruction."""
    for at in range(len(lines)):
        found = lines[at : at + len(kinds) + (len(kinds) > 1)]
        if {mnemonic(line) for line in found} == set(kinds):
            return found
    return []


def main():
    kept = []
    files = kernel_files()
    texts = {number: disassemble(files[number]) for number in sorted({number for _, number, _, _ in FORMS.values()})}
    for name, (semiring, number, kernel, struct) in FORMS.items():
        lines = instructions(texts[number], kernel.format(struct))
        counts = collections.Counter(m for m in map(mnemonic, lines) if WANTED.match(m))
        # what the two operations take, not the few that look for the largest distance or make masks
        counts = {m: n for m, n in counts.items() if 8 * n >= max(counts.values())}
        kept.append({"form": name, "semiring": semiring, "stage": number, "counts": counts, "of": len(lines),
                     "lines": excerpt(lines, sorted(counts))})
    version = subprocess.run([NVCC, "--version"], check=True, capture_output=True, text=True).stdout
    toolkit = re.search(r"release ([\d.]+), V([\d.]+)", version).group(2)
    data = {"schema": 1, "arch": ARCH, "compiler": toolkit, "date": str(datetime.date.today()), "forms": kept}
    path = lab.RESULTS / "instructions-step11.json"
    recorded.write(path, data)
    recorded.stamp(path, [], recorded.built(lab.BUILD))
    print(f"record: {path.relative_to(lab.ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
