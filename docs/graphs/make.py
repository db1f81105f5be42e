#!/usr/bin/env python3
"""Writes the graphs beside it: small, generated, one of each format that `./run step11 --graph` reads."""

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


if __name__ == "__main__":
    (HERE / "streets.gr").write_text(streets())
    (HERE / "mesh.mtx").write_text(mesh())
    (HERE / "links.txt.gz").write_bytes(gzip.compress(links().encode(), mtime=0))
