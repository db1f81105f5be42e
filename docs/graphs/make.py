#!/usr/bin/env python3
"""Writes the graphs beside it, one of each format that `./run step11 --graph` reads: see README.md."""

import gzip
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
SIDE = 16


def dice(seed):
    """Whole numbers below 2^31, the same everywhere."""
    while True:
        seed = (seed * 1103515245 + 12345) % 2**31
        yield seed >> 8


def streets():
    """A grid of SIDE x SIDE crossings; lengths in metres, some streets one-way."""
    throws, arcs = dice(1), []
    for row in range(SIDE):
        for col in range(SIDE):
            here = row * SIDE + col + 1
            for there in ([here + 1] if col + 1 < SIDE else []) + ([here + SIDE] if row + 1 < SIDE else []):
                length, one_way = 80 + next(throws) % 120, next(throws) % 8 == 0
                arcs.append((here, there, length))
                if not one_way:
                    arcs.append((there, here, length))
    lines = ["c a town of 16 x 16 crossings, lengths in metres", f"p sp {SIDE * SIDE} {len(arcs)}"]
    return "\n".join(lines + ["a %d %d %d" % arc for arc in arcs]) + "\n"


def mesh():
    """Triangles around a ring: a symmetric pattern."""
    n = 120
    edges = {(max(a, b), min(a, b)) for v in range(n) for a, b in [(v, (v + 1) % n), (v, (v + 7) % n)]}
    lines = ["%%MatrixMarket matrix coordinate pattern symmetric", "% a ring of 120 with chords of 7"]
    lines += [f"{n} {n} {len(edges)}"] + [f"{a + 1} {b + 1}" for a, b in sorted(edges)]
    return "\n".join(lines) + "\n"


def links():
    """Pages that link to those that many link to already; numbers with gaps."""
    throws, ends, lines = dice(2), [3], ["# FromNodeId\tToNodeId"]
    for page in range(10, 2500, 5):
        for _ in range(4):
            there = ends[next(throws) % len(ends)]
            lines.append(f"{page}\t{there}")
            ends += [there, page]
        if next(throws) % 3 == 0:
            lines.append(f"{ends[next(throws) % len(ends)]}\t{page}")
    return "\n".join(lines) + "\n"


# The contiguous states of the USA and the District of Columbia, by their FIPS codes ...
CODES = """
AL1 AZ4 AR5 CA6 CO8 CT9 DE10 DC11 FL12 GA13 ID16 IL17 IN18 IA19 KS20 KY21 LA22 ME23 MD24 MA25 MI26
MN27 MS28 MO29 MT30 NE31 NV32 NH33 NJ34 NM35 NY36 NC37 ND38 OH39 OK40 OR41 PA42 RI44 SC45 SD46 TN47
TX48 UT49 VT50 VA51 WA53 WV54 WI55 WY56
"""
# ... and which share a border: the first of each group with all others of it.
BORDERS = """
AL FL GA MS TN, AZ CA NV NM UT, AR LA MS MO OK TN TX, CA NV OR, CO KS NE NM OK UT WY, CT MA NY RI,
DE MD NJ PA, DC MD VA, FL GA, GA NC SC TN, ID MT NV OR UT WA WY, IL IN IA KY MO WI, IN KY MI OH,
IA MN MO NE SD WI, KS MO NE OK, KY MO OH TN VA WV, LA MS TX, ME NH, MD PA VA WV, MA NH NY RI VT,
MI OH WI, MN ND SD WI, MS TN, MO NE OK TN, MT ND SD WY, NE SD WY, NV OR UT, NH VT, NJ NY PA,
NM OK TX, NY PA VT, NC SC TN VA, ND SD, OH PA WV, OK TX, OR WA, PA WV, SD WY, TN VA, UT WY, VA WV
"""


def states():
    """A real graph; each border leads both ways."""
    code = {word[:2]: int(word[2:]) for word in CODES.split()}
    groups = [group.split() for group in BORDERS.replace("\n", " ").split(",")]
    pairs = [(code[first], code[other]) for first, *others in groups for other in others]
    assert len(code) == 49 and len(set(pairs)) == 107
    lines = ["# Borders between the contiguous states of the USA, by FIPS code", "# FromNodeId\tToNodeId"]
    return "\n".join(lines + [f"{a}\t{b}" for pair in pairs for a, b in (pair, pair[::-1])]) + "\n"


if __name__ == "__main__":
    (HERE / "streets.gr").write_text(streets())
    (HERE / "mesh.mtx").write_text(mesh())
    (HERE / "links.txt.gz").write_bytes(gzip.compress(links().encode(), mtime=0))
    (HERE / "states.txt").write_text(states())
