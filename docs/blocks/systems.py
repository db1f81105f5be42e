"""What the lab was tried on, from harness/setup/, which CI reads and writes."""

import re

import lab

SETUP = lab.ROOT / "harness" / "setup"


def entries(macro):
    text = (SETUP / "systems.def").read_text() + (SETUP / "tried.def").read_text()
    return [re.findall(r'"([^"]*)"', call) for call in re.findall(rf"^{macro}\((.*?)\)$", text, re.S | re.M)]


def block_systems(_file, _arguments, _context):
    lines = [
        f"- {name} on x86-64, bare, with {compiler}, at every change: {what}."
        for name, _suite, compiler, what in entries("LAB_SYSTEM")
    ]
    return "\n".join(lines + [f"- {name}, {when}: {what}." for name, when, what in entries("LAB_TRIED")])
