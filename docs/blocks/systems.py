"""What the lab was tried on, from harness/setup/systems.def, which CI reads too."""

import re

import lab

LIST = lab.ROOT / "harness" / "setup" / "systems.def"


def entries(macro):
    calls = re.findall(rf"^{macro}\((.*?)\)$", LIST.read_text(), re.S | re.M)
    return [re.findall(r'"([^"]*)"', call) for call in calls]


def block_systems(_file, _arguments, _context):
    lines = []
    for name, _suite, compiler, in_place, compiles in entries("LAB_SYSTEM"):
        line = f"- {name} on x86-64, bare, in CI: both commands with {compiler}"
        if in_place:
            line += (
                f"; with {in_place} as `cc` the first command, a build of all tests, and a run of"
                " the simulator's unit tests"
            )
        if compiles:
            line += f"; {compiles} compiles all C sources without a warning"
        lines.append(line + ".")
    for name, date, what in entries("LAB_TRIED"):
        lines.append(f"- {name}, by hand on {date}: {what}.")
    return "\n".join(lines)
