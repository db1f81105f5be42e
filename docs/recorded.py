#!/usr/bin/env python3
"""With which kernels a result was recorded: each file that docs/record.sh writes keeps, by stage, a hash of the
machine code of all kernels that its rows are of, so that a result of other kernels is found and taken anew.

    recorded.py stamp FILE WORD...    adds the hashes of the stages that FILE has rows of, as they are built; WORDs are
                                      those of the command, whose targets may have stages without a row there; leaves
                                      out what nobody reads of a run on the simulator
    recorded.py fresh FILE WORD...    succeeds where FILE was recorded by such a command with these kernels
    recorded.py check [FOLDER]        fails where a result does not say with which kernels it was recorded, or says
                                      others than are built; of another compiler's kernels nothing can be said
"""

import hashlib
import json
import pathlib
import subprocess
import sys

import lab

# Made of other results, of which each is looked at: docs/compare_model.py.
DERIVED = {"modelled-h200.json", "slice-h200.json"}
# Results whose counters are kept whole: tests of the model and of the simulator read them.
WHOLE = ("counters-", "simulated-")
HASHES = lab.ROOT / "docs" / "machine_code.py"


def by_stage(lines):
    """From lines of HASH OBJECT KERNEL to a hash of each object: by the number of its stage, or as solutionNN."""
    found = {}
    for line in lines:
        kernel_hash, name, kernel = line.split(" ", 2)
        number = name.removeprefix("steps/").replace("solution/", "solution")
        found.setdefault(number, []).append(f"{kernel_hash} {kernel}\n")
    return {
        number: hashlib.sha256("".join(sorted(kernels)).encode()).hexdigest()[:16]
        for number, kernels in found.items()
    }


def compiler_of(build):
    nvcc, *flags = (build / "nvcc.command").read_text().splitlines()
    said = subprocess.run([nvcc, "--version"], check=True, capture_output=True, text=True).stdout
    release = next(line.split(" V")[1] for line in said.splitlines() if line.startswith("Cuda comp"))
    code = next(flag.split("code=[")[1].split(",")[0] for flag in flags if "code=[" in flag)
    return f"nvcc {release} {code}"


def built(build):
    """The same of what is built."""
    objects = [str(path.relative_to(build.parent)) for room in ("steps", "solution") for path in sorted((build / room).glob("*.so"))]
    lines = subprocess.run(
        [sys.executable, "-B", HASHES, *objects], cwd=build.parent, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    return compiler_of(build), by_stage(lines)


def stages_in(data):
    """Numbers of the stages that a result has rows of: of kernels, or of forms of an instruction in them."""
    runs = data.get("runs", [data])
    rows = [row for run in runs for row in run.get("kernels", []) + run.get("forms", [])]
    return sorted({row["stage"] for row in rows if "stage" in row})


def stages_of(words):
    """Numbers of all stages of the targets among these words of a command."""
    every = [stage for step in lab.steps() for stage in step.stages]
    return {stage.number for stage in every if stage.target in words or stage.step.target in words}


class Number(str):
    """A number as it was written."""


def in_lines(value, before=""):
    """JSON whose lines are filled: a member is in a line of its own only where it does not fit behind the one before."""
    if isinstance(value, Number):
        return value
    if not isinstance(value, (dict, list)):
        return json.dumps(value)
    keys = [json.dumps(key) + ": " for key in value] if isinstance(value, dict) else [""] * len(value)
    parts = value.values() if isinstance(value, dict) else value
    begin, end = "{}" if isinstance(value, dict) else "[]"
    lines = []
    for key, part in zip(keys, parts):
        item = key + in_lines(part, before + " ")
        joined = f"{lines[-1]} {item}," if lines else ""
        if joined and "\n" not in joined and len(before) + len(joined) <= 118:
            lines[-1] = joined
        else:
            lines.append(item + ",")
    text = f"\n{before} ".join(lines)[:-1]
    return begin + text + end if len(lines) < 2 and "\n" not in text else f"{begin}\n{before} {text}\n{before}{end}"


def write(path, data):
    path.write_text(in_lines(data) + "\n")


def without_unread(path, data):
    """Of what the simulator says, and says again at any time, only what is read: counters that a script of docs/ names."""
    if data.get("runtime") != "sim" or path.name.startswith(WHOLE):
        return data
    scripts = "".join(script.read_text() for script in (lab.ROOT / "docs").glob("**/*.py"))
    for run in data.get("runs", [data]):
        for row in run.get("kernels", []):
            for unread in ("blocks_per_sm", "simulation_seconds"):
                row.pop(unread, None)
            if "counters" in row:
                row["counters"] = {name: value for name, value in row["counters"].items() if f'"{name}"' in scripts}
    return data


def stamp(path, words, now):
    compiler, hashes = now
    data = without_unread(path, json.loads(path.read_text(), parse_float=Number, parse_int=Number))
    rows = stages_in(data)
    own = {number: hashes[number] if number in rows else None for number in sorted({*rows, *stages_of(words)})}
    assert "machine_code" not in data
    write(path, {**data, "machine_code": {"compiler": compiler, **own}})


def differs(path, now):
    """The stages whose kernels are others than those that the result was recorded with; None where it does not say."""
    compiler, hashes = now
    recorded = json.loads(path.read_text()).get("machine_code")
    if recorded is None:
        return None
    if recorded.get("compiler") != compiler:
        return ["another compiler: " + str(recorded.get("compiler"))]
    return [
        number
        for number, kernels in recorded.items()
        if number != "compiler" and kernels and hashes.get(number) != kernels
    ]


def is_fresh(path, words, now):
    if not path.exists() or differs(path, now) != []:
        return False
    return stages_of(words) <= set(json.loads(path.read_text())["machine_code"])


def check(folder, now):
    """A line for each result that was recorded with other kernels, or does not say with which."""
    lines = []
    for path in sorted(folder.glob("*.json")):
        if path.name in DERIVED:
            continue
        others = differs(path, now)
        if others is None:
            lines.append(f"{path}: does not say with which kernels: record it again, see docs/record.sh")
        elif others and not others[0].startswith("another compiler"):
            lines.append(f"{path}: recorded with other kernels of {', '.join(others)}: "
                         "record it again, see docs/record.sh")
    return lines


def main():
    match sys.argv[1:]:
        case ["stamp", file, *words] if words:
            stamp(pathlib.Path(file), words, built(lab.BUILD))
        case ["fresh", file, *words] if words:
            sys.exit(0 if is_fresh(pathlib.Path(file), words, built(lab.BUILD)) else 1)
        case ["check", *folders] if len(folders) < 2:
            lines = check(pathlib.Path(folders[0]) if folders else lab.RESULTS, built(lab.BUILD))
            sys.exit("\n".join(lines) if lines else 0)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
