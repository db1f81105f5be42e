"""Blocks of the exercises: the list of all of them, and the link from a step to its own."""

import re

import lab

from .cells import Stale

LIST = lab.ROOT / "solutions" / "solutions.def"

# What a learner knows afterwards.
TEACHES = {
    "00a": "move 16 bytes with an access, and take care of the elements that are left",
    "00b": "work out banks, and remove conflicts by the order within a row",
    "00c": "add within warps by shuffles, so that a block waits at one barrier",
    "00d": "keep several counts of a bin, so that atomic additions do not meet",
    "00e": "guard the accesses of threads that have no element",
    "00f": "round a grid up to whole blocks",
    "00g": "get a row and a column from the numbers of block and thread",
    "00h": "count the sectors that a load touches",
    "00i": "count the wavefronts of a read of shared memory, from banks",
    "00j": "work out how many blocks an SM holds",
    "00k": "write a kernel and its launch",
    "00l": "put a barrier between a write and the reads that need it",
    "00m": "work out operations for each byte, and what a memory bounds them to",
    "01": "choose the mapping of threads by what a warp reads and writes at once",
    "02": "choose a tile's shape by its reuse, and load it by whole sectors",
    "03": "guard the loads and the store of a tile that crosses an edge",
    "04": "read `--lines`, work out banks, and move an array so that no bank is asked twice",
    "05": "keep a block of sums in registers, and place its columns without conflicts",
    "06": "find by counters what holds a kernel back: sectors, and reuse",
    "07": "find by counters what holds a kernel back: too few warps",
    "08": "copy asynchronously, wait for the right copy, and use one barrier for each panel",
    "09": "use 16-byte accesses where alignment allows them, and single ones elsewhere",
    "10": "evaluate a product where it was computed, and write sums alone",
    "11": "order work that is done in place, and leave out what is not needed",
    "12": "divide work in another way, so that no lane of a diagonal block idles",
    "13": "give a tuned product operations on the bits of floats, and do no more products than needed",
    "14": "predict loads from the shape of a block, and read a shape from its loads",
    "15": "load a panel by whole sectors in either orientation, and transpose it without conflicts",
    "16": "merge kernels so that what two of them read is read once",
    "17": "see what a merged part overwrites too soon, and keep a copy of it",
    "18": "divide tiles into work units along k, and reduce partial sums in a fixed order",
    "19": "swizzle a tile by the bits of the row that decide its banks",
    "20": "multiply what a tensor core leaves out of floats, and know which products are worth it",
    "21": "tell a barrier of asynchronous copies how many bytes it waits for, edges included",
}


def entries():
    """Number, directory, stage, level, minutes and title of each, in their order."""
    line = re.compile(r'^LAB_EXERCISE\("(\w+)", "(\w+)", "([\da-z.]+)", "\w+", \d+, (\d), (\d+), "([^"]*)"(?:, "\w+")?\)$', re.M)
    found = line.findall(LIST.read_text())
    if {entry[0] for entry in found} != TEACHES.keys():
        raise Stale("solutions.def and TEACHES in docs/blocks/exercises.py name different exercises")
    return found


def block_exercises(_file, _arguments, context):
    """All exercises with level, time, what they teach, and the step that comes before."""
    rows = ["| exercise | after | level | minutes | what it is | what it teaches |", "| --- | --- | ---: | ---: | --- | --- |"]
    for number, directory, stage, level, minutes, title in entries():
        step = context.step(stage.split(".")[0])
        what = title[0].upper() + title[1:]
        rows.append(
            f"| [{number}](../../exercises/{directory}/kernel.cu) `exercise{number}` "
            f"| [{stage} {step.name}](../../steps/{step.directory}/README.md) "
            f"| {level} | {minutes} | {what} | {TEACHES[number]} |"
        )
    return "\n".join(rows)
