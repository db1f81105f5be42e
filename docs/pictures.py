#!/usr/bin/env python3
"""Draws the walkthroughs' pictures: steps/NN_name/stepNN.svg, and what is plotted from docs/results. `make results`
runs it; with --check it only says which are stale."""

import math
import sys

import lab
from blocks import forms, kernel_summation, machine, series, shapes
from blocks.cells import tflops

STYLE = """
  .paper { fill: #fbfbf9; stroke: #d8d8d2 }
  text { font: 13px Helvetica, Arial, sans-serif; fill: #26302b }
  .small { font-size: 11px; fill: #5c665f }
  .mid { text-anchor: middle }
  .cell { fill: #ffffff; stroke: #9aa39c; stroke-width: 0.7 }
  .a { fill: #8fbfe0 } .b { fill: #f0c27b } .c { fill: #a8d08d } .hot { fill: #e58a80 }
  .pale { fill-opacity: 0.35 }
  .frame { fill: none; stroke: #59635c; stroke-width: 1.4 }
  .line { stroke: #59635c; stroke-width: 1.2; fill: none }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #20242a; stroke: #3a4048 }
    text { fill: #dde3dd } .small { fill: #a4aea6 }
    .cell { fill: #2b3037; stroke: #6d766f }
    .a { fill: #3f7ca6 } .b { fill: #a9762a } .c { fill: #568a3a } .hot { fill: #b5493d }
    .frame, .line { stroke: #aab4ac }
  }
"""

# Of plots, besides.
PLOT_STYLE = """
  .rule { stroke: #d8d8d2; stroke-width: 0.7 }
  .ours { stroke-width: 2.2 } .theirs { stroke-dasharray: 5 4 } .host { stroke-dasharray: 2 3 }
  .tone0 { stroke: #2f74a3 } .tone1 { stroke: #b8761a } .tone2 { stroke: #4d8a2c }
  @media (prefers-color-scheme: dark) {
    .rule { stroke: #3a4048 }
    .tone0 { stroke: #6fb2de } .tone1 { stroke: #e0a64f } .tone2 { stroke: #8bc765 }
  }
"""


# A fourth line.
TONE3 = """
  .tone3 { stroke: #a3486f }
  @media (prefers-color-scheme: dark) { .tone3 { stroke: #dd86ab } }
"""


class Picture:
    """Shapes and words, written as one SVG."""

    def __init__(self, width, height, title, style=STYLE):
        self.width, self.height, self.title, self.style, self.parts = width, height, title, style, []

    def box(self, x, y, width, height, kind="cell"):
        self.parts.append(
            f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'
        )

    def grid(self, x, y, columns, rows, side, kind=lambda column, row: "cell"):
        for row in range(rows):
            for column in range(columns):
                self.box(x + column * side, y + row * side, side, side, kind(column, row))

    def words(self, x, y, text, kind=""):
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}">{text}</text>')

    def line(self, *points, kind=""):
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polyline class="{f"line {kind}".strip()}" points="{path}"/>')

    def arrow(self, *points, kind=""):
        (x, y), (to_x, to_y) = points[-2:]
        angle = math.atan2(to_y - y, to_x - x)
        wing = lambda turn: (to_x - 9 * math.cos(angle + turn), to_y - 9 * math.sin(angle + turn))
        self.line(*points, kind=kind)
        self.line(wing(0.4), (to_x, to_y), wing(-0.4))

    def text(self):
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img">\n<title>{self.title}</title>\n'
            f"<style>{self.style}</style>\n"
            f'<rect class="paper" width="{self.width}" height="{self.height}"/>\n{body}\n</svg>\n'
        )


def sector(picture, number, y, kind, below):
    """One of a row of sectors, with words below it."""
    x = 20 + number * 104
    picture.grid(x, y, 8, 1, 11, lambda word, _: kind(word))
    picture.words(x, y + 28, below, "small")


def sectors_of_a_word(picture, y):
    """What a warp touches whose threads read far apart: each a word of a sector of its own."""
    for number in range(6):
        sector(picture, number, y, lambda word: "cell hot" if word == 0 else "cell", f"thread {number}")
    picture.words(644, y + 12, "... 31")


def whole_sectors(picture, y):
    """What a warp touches whose threads read side by side."""
    for number in range(4):
        sector(picture, number, y, lambda _: "cell c", f"threads {8 * number} to {8 * number + 7}")


def coalescing():
    """Step 01: which words of which sectors one load of a warp uses."""
    picture = Picture(720, 250, "Sectors that one load of a warp touches, in either mapping")
    picture.words(20, 28, "Neighbouring threads take neighbouring rows: 32 loads of A, k elements apart")
    sectors_of_a_word(picture, 42)
    picture.words(20, 95, "32 sectors of 32 bytes are fetched, 4 bytes of each are used.", "small")
    picture.words(20, 140, "Neighbouring threads take neighbouring columns: 32 loads of B, side by side")
    whole_sectors(picture, 154)
    picture.words(20, 207, "4 sectors are fetched and used whole. The load of A is the same word for all", "small")
    picture.words(20, 223, "32 threads: 1 sector, handed to every thread at once.", "small")
    picture.words(476, 164, "A cell is a word of 4 bytes,", "small")
    picture.words(476, 180, "8 words are a sector.", "small")
    return picture


def pieces():
    """Step 00a: what a warp's load touches when a thread has a piece of its own, and when threads take turns."""
    picture = Picture(720, 220, "Sectors that one load of a warp touches: a piece for each thread, and neighbours")
    picture.words(20, 28, "A piece for each thread: at one moment the threads read elements 0, 32, 64, ...")
    sectors_of_a_word(picture, 42)
    picture.words(20, 92, "32 sectors of 32 bytes, 4 bytes of each are wanted now.", "small")
    picture.words(20, 134, "Neighbouring threads, neighbouring elements: 0, 1, 2, ... 31")
    whole_sectors(picture, 148)
    picture.words(20, 200, "4 sectors, all of whose bytes are wanted. The next iteration begins a whole grid further.", "small")
    return picture


def banks_of_a_column():
    """Step 00b: in which banks a column of a tile lies, with and without a padded row; 8 banks drawn."""
    picture = Picture(720, 290, "Banks of a column of the tile: rows of 32 words, and of 33; eight of each are drawn")
    side, y = 26, 60
    for number, (words, length) in enumerate([("rows of 8: one bank", 8), ("rows of 9: eight banks", 9)]):
        x = 30 + 350 * number
        picture.words(x, 28, words)
        for bank in range(8):
            picture.words(x + bank * side + side / 2, y - 8, str(bank), "small mid")
        for place in range(8 * length):
            row, column = place // length, place % length
            kind = "cell hot" if column == 2 and number == 0 else "cell c" if column == 2 else "cell" if column < 8 else "cell b pale"
            if place < 64:
                picture.box(x + place % 8 * side, y + place // 8 * side, side, side, kind)
    picture.words(250, 90, "coloured: a column", "small")
    picture.words(250, 106, "of the tile", "small")
    picture.words(600, 90, "pale: the padding", "small")
    picture.words(30, 280, "Drawn with 8 banks: a word lies in the bank of its column here. A GPU has 32, and tiles of 32 columns.", "small")
    return picture


def trees():
    """Step 00c: which threads work in the levels of a tree."""
    picture = Picture(720, 250, "A tree over 16 parts: neighbours first, and by halves; who works is coloured")
    for number, words in enumerate(("neighbours first: every second, fourth, eighth", "by halves: the first 8, 4, 2, 1")):
        x = 20 + 355 * number
        picture.words(x, 28, words)
        for level in range(4):
            works = 8 >> level
            apart = 2 << level
            picture.grid(
                x, 44 + 40 * level, 16, 1, 20,
                lambda part, _, works=works, apart=apart, number=number: "cell c"
                if (part % apart == 0 if number == 0 else part < works)
                else "cell",
            )
    picture.words(20, 220, "Drawn with 16 threads. Where a warp has at least one thread that works, all of it executes the level:", "small")
    picture.words(20, 236, "on the left all warps do so for five levels, on the right half of them leave with each level.", "small")
    return picture


def counts():
    """Step 00d: where blocks add."""
    picture = Picture(720, 250, "Two blocks count in memory, or each in shared memory first")
    picture.words(20, 28, "in memory: all threads of all blocks add to the same 256 words")
    picture.words(400, 28, "each block first in shared memory")
    for block in range(2):
        picture.grid(20 + 180 * block, 44, 8, 1, 20, lambda thread, _: "cell a")
        picture.words(20 + 180 * block, 82, f"threads of block {block}", "small")
        for thread in range(8):
            x = 30 + 180 * block + 20 * thread
            picture.line((x, 64), (110 + 20 * (5 * thread % 8 if thread % 2 else 0), 150))
        picture.grid(400 + 160 * block, 44, 7, 1, 20, lambda thread, _: "cell a")
        picture.grid(400 + 160 * block, 100, 7, 1, 20, lambda bin, _: "cell hot" if bin == 0 else "cell b")
        for thread in range(7):
            x = 410 + 160 * block
            picture.line((x + 20 * thread, 64), (x + 20 * (5 * thread % 7 if thread % 2 else 0), 100))
        picture.line((470 + 160 * block, 120), (550, 170))
    picture.grid(100, 150, 8, 1, 20, lambda bin, _: "cell hot" if bin == 0 else "cell c")
    picture.grid(480, 170, 7, 1, 20, lambda bin, _: "cell hot" if bin == 0 else "cell c")
    picture.words(20, 222, "Red: the bin of key 0, which half of the keys are. Additions to one word come one after another,", "small")
    picture.words(20, 238, "in memory and in shared memory.", "small")
    return picture


def product(title, rows, columns, depth, side, mine, notes):
    """A tile of C with the tiles of A and B that it is made from; `mine` is what a thread owns."""
    left, top, gap = 30, 44, 14
    x, y = left + depth * side + gap, top + depth * side + gap
    picture = Picture(720, max(y + rows * side + 40, 240), title)
    my_rows, my_columns = mine
    picture.grid(x, top, columns, depth, side, lambda c, _: "cell b" if c in my_columns else "cell b pale")
    picture.grid(left, y, depth, rows, side, lambda _, r: "cell a" if r in my_rows else "cell a pale")
    picture.grid(
        x, y, columns, rows, side,
        lambda c, r: "cell c" if r in my_rows and c in my_columns else "cell",
    )
    picture.words(x, top - 10, "tile of B, in shared memory")
    picture.words(left, y + rows * side + 22, "tile of A")
    picture.words(x, y + rows * side + 22, "tile of C: coloured, what one thread computes")
    for number, note in enumerate(notes):
        picture.words(x + columns * side + 30, top + 8 + 20 * number, note, "" if number == 0 else "small")
    return picture


def shared_tile():
    return product(
        "Step 02: a tile of 8 rows and 32 columns, a thread for each element",
        8, 32, 8, 11, ([3], [5]),
        ["A block of 256 threads,", "a warp for each row of the tile,", "a thread for each element.",
         "An element of A's tile serves the", "32 threads of its row.", "",
         "An element of B's tile serves", "8 rows, that is, 8 warps."],
    )


def blocks_2d():
    return product(
        "Step 03: a square block, a thread for each element",
        16, 16, 16, 11, ([6], [9]),
        ["A block of 16 x 16 or 32 x 32 threads,", "one thread for each element of C.",
         "A row of A's tile serves a row of threads,", "a column of B's tile a column of threads:",
         "what one thread loads, TILE threads use.", "",
         "For each multiply-add a thread reads", "one element of either tile."],
    )


def padding():
    """Step 04: the banks of a tile, without and with a padded row; 8 banks stand for 32."""
    picture = Picture(720, 300, "Banks of a transposed tile, without and with padding")
    for pad, left, words in ((0, 40, "8 words a row: a column lies in one bank"),
                             (1, 400, "9 words a row: a column lies in 8 banks")):
        columns = 8 + pad
        picture.words(left, 28, words)
        picture.grid(left, 42, columns, 8, 25,
                     lambda c, _, pad=pad: ("cell c" if pad else "cell hot") if c == 3 else
                     ("cell pale a" if c == 8 else "cell"))
        for row in range(8):
            for column in range(columns):
                bank = (row * columns + column) % 8
                picture.words(left + column * 25 + 12.5, 42 + row * 25 + 17, str(bank), "small mid")
        verdict = "8 threads, 8 wavefronts" if pad == 0 else "8 threads, one wavefront; the last column is never used"
        picture.words(left, 264, verdict, "small")
    picture.words(40, 284, "A cell is a word; the number is its bank. 8 banks stand for the 32 there are.", "small")
    return picture


def register_blocking():
    return product(
        "Step 05: several rows and columns for each thread",
        16, 16, 8, 13, ([4, 5, 6, 7], [1, 5, 9, 13]),
        ["A thread computes 4 x 4 (or 8 x 8) elements,", "rows that are neighbours, columns that are",
         "16 apart (here 4).", "",
         "For each k it reads 4 + 4 elements,", "of which those of A are neighbours in the",
         "transposed tile, and does 4 x 4 multiply-adds:", "half an element for each;", "with 8 x 8 a quarter."],
    )


def double_buffering():
    """Step 06: what a block does over time, before and after."""
    picture = Picture(720, 290, "Loads and multiply-adds over time, with one pair of tiles and with two")
    def bar(x, y, width, kind, text):
        picture.box(x, y, width, 26, f"cell {kind}")
        picture.words(x + width / 2, y + 17, text, "small mid")
    picture.words(20, 28, "One pair of tiles: load, wait, barrier, compute, barrier")
    for panel in range(3):
        x = 90 + panel * 200
        bar(x, 42, 100, "a", f"load {panel}")
        bar(x + 104, 72, 88, "c", f"compute {panel}")
        picture.line((x + 102, 38), (x + 102, 102))
        picture.line((x + 196, 38), (x + 196, 102))
    picture.words(20, 59, "loads", "small")
    picture.words(20, 89, "compute", "small")
    picture.words(20, 150, "Two pairs of tiles: the load of the next panel runs under the multiply-adds of this one")
    bar(90, 164, 100, "a", "load 0")
    for panel in range(4):
        x = 194 + panel * 104
        if panel < 3:
            bar(x, 164, 100, "a", f"load {panel + 1}")
        bar(x, 194, 88, "c", f"compute {panel}")
        picture.line((x - 2, 160), (x - 2, 224))
    picture.line((194 + 4 * 104 - 2, 160), (194 + 4 * 104 - 2, 224))
    picture.words(20, 181, "loads", "small")
    picture.words(20, 211, "compute", "small")
    picture.words(20, 252, "A vertical line is a barrier: two for each panel above, one below. Time runs to the", "small")
    picture.words(20, 268, "right; the widths are drawn, not measured.", "small")
    return picture


def float4():
    """Step 07: what one warp computes, and one of its threads."""
    picture = Picture(720, 330, "Step 07: a warp covers 32 rows and 64 columns; a thread has four 4 x 4 patches")
    side, x, y = 7, 96, 76
    rows, columns = [0, 1, 2, 3, 16, 17, 18, 19], [8, 9, 10, 11, 40, 41, 42, 43]
    picture.box(x, y, 64 * side, 32 * side)
    for column in range(0, 64, 4):
        kind = "cell b" if column in columns else "cell b pale"
        picture.box(x + column * side, 40, 4 * side, 20, kind)
        for row in range(0, 32, 4):
            inside = row in rows and column in columns
            picture.box(x + column * side, y + row * side, 4 * side, 4 * side, "cell c" if inside else "cell")
    for row in range(0, 32, 4):
        picture.box(60, y + row * side, 20, 4 * side, "cell a" if row in rows else "cell a pale")
    picture.words(x, 28, "a row of B's tile: 16 vectors of 4")
    picture.words(20, 318, "a row of A's transposed tile: 8 vectors of 4. Coloured: what thread 4 of a warp reads and computes")
    picture.words(560, 96, "A cell is 4 x 4 elements.")
    for number, note in enumerate(
        ["For 64 multiply-adds a thread", "reads 4 vectors of 16 bytes", "where it read 16 elements.",
         "", "The 8 columns of threads read", "8 neighbouring vectors of B,", "the 4 rows 4 of A: all 32 banks",
         "or fewer, no two words", "of one bank."]):
        picture.words(560, 118 + 18 * number, note, "small")
    return picture


def fusion():
    """Step 08: what passes through memory, unfused and fused."""
    picture = Picture(720, 330, "Step 08: unfused, the M x N matrix crosses memory twice; fused, it stays in registers")

    def box(x, y, width, height, kind, *text):
        picture.box(x, y, width, height, f"cell {kind}")
        for number, line in enumerate(text):
            middle = y + height / 2 + 5 + 16 * (number - (len(text) - 1) / 2)
            picture.words(x + width / 2, middle, line, "small mid")

    picture.words(20, 28, "Unfused: kernels one after another, and between them the whole matrix in memory")
    box(20, 50, 90, 40, "a", "A, B")
    box(150, 50, 120, 40, "", "C = A B'")
    box(310, 42, 120, 56, "hot", "C: M x N", "written, read")
    box(470, 50, 130, 40, "", "exp, sum with W")
    box(640, 50, 60, 40, "c", "V: M")
    for left, right in ((110, 150), (270, 310), (430, 470), (600, 640)):
        picture.line((left, 70), (right, 70))
    picture.words(20, 150, "Fused: a block of 128 x 128 sums is evaluated and summed where it was computed")
    box(20, 190, 90, 40, "a", "A, B")
    picture.box(150, 168, 450, 84, "frame")
    box(164, 184, 120, 52, "", "8 x 8 sums", "a thread")
    box(304, 184, 130, 52, "", "exp, times w:", "8 sums a thread")
    box(454, 184, 132, 52, "", "16 threads a row:", "128 sums a block")
    box(640, 190, 60, 40, "c", "V: M")
    for left, right in ((110, 164), (284, 304), (434, 454), (586, 640)):
        picture.line((left, 210), (right, 210))
    picture.words(164, 272, "registers", "small")
    picture.words(304, 272, "registers", "small")
    picture.words(454, 272, "shared memory", "small")
    picture.words(632, 272, "atomicAdd", "small")
    picture.words(20, 312, "Red: what fusion saves. At M = 524288, N = 1024 it is 2 x 2.1 GB; A at K = 32 is 0.07 GB.", "small")
    return picture


def microtiles():
    """Step 08: figure 5 of its paper, where a tile of 128 points lies in memory and in the banks."""
    picture = Picture(760, 420, "Step 08: a tile of 128 points in memory, and in microtiles over the 32 banks", STYLE + PLOT_STYLE)
    tones = ["cell a", "cell b", "cell c", "cell hot"]
    picture.words(20, 26, "In memory: 8 dimensions of a point")
    side, x, y = 12, 56, 62
    picture.words(x, y - 8, "dimension 0 to 7", "small")
    for point in range(24):
        if point < 20:
            for k in range(8):
                picture.box(x + k * side, y + point * side, side, side, tones[point % 8 // 2] if point < 16 else "cell")
        else:
            picture.words(x + 40, y + 20 * side + 16, "...", "small")
        if point in (0, 8, 16):
            picture.words(12, y + point * side + 10, f"point {point}", "small")
    for microtile in range(2):
        picture.box(x, y + microtile * 8 * side, 8 * side, 8 * side, "frame")
        picture.words(x + 8 * side + 8, y + microtile * 8 * side + 52, f"microtile {microtile}", "small")
    picture.words(20, y + 20 * side + 42, "A row is a track: one thread loads it.", "small")
    picture.words(20, y + 20 * side + 58, "Colours: the warp that does, of four.", "small")
    picture.words(290, 26, "In shared memory: 32 banks, two for each microtile")
    x, y, side = 316, 62, 9
    for row in range(32):
        for bank in range(32):
            picture.box(x + bank * 13, y + row * side, 13, side, tones[row // 8] + ("" if bank < 4 else " pale"))
    for microtile in range(2):
        picture.box(x + microtile * 26, y, 26, 32 * side, "frame")
    for bank in (0, 2, 4, 30):
        picture.words(x + bank * 13, y - 8, str(bank), "small")
    picture.words(x + 150, y - 8, "bank", "small")
    for warp in range(4):
        picture.words(290, y + warp * 8 * side + 44, f"{8 * warp}", "small")
    for number, note in enumerate([
        "A column of 8 rows is a track, dimension 0 on top. Each of four warps stores two",
        "tracks of every microtile, a row of 32 banks at a time. A thread that multiplies",
        "reads dimension k of its microtile from rows k, 8 + k, 16 + k and 24 + k."]):
        picture.words(290, y + 32 * side + 22 + 16 * number, note, "small")
    return picture


def energy_by_component():
    """What energy.md shows: figure 9 of step 08's paper, as modelled from a GPU's counters."""
    taken = kernel_summation.runs_of(lab.studies(), "step08", kernel_summation.PAPER)
    if not taken:
        return None
    device, _, runs = taken[0]
    forms = ["cublas_unfused", "cuda_unfused", "fused", "fused_fast"]
    dimensions, sources = sorted({k for k, _ in runs}), sorted({m for _, m in runs})
    bar, high = 15, 150
    group = bar * len(forms) + 12
    wide = max(group * len(sources), 250)
    picture = Picture(2 * wide + 130, 2 * (high + 80) + 70, f"Modelled energy by component on an {device}, cublas_unfused = 1", STYLE + PLOT_STYLE)
    colours = ["cell a", "cell c", "cell b", "cell hot"]
    for number, k in enumerate(dimensions):
        left, top = 50 + number % 2 * (wide + 50), 40 + number // 2 * (high + 80)
        found = {m: [kernel_summation.shares(runs[k, m][0], form, forms[0]) for form in forms] for m in sources if (k, m) in runs}
        most = max([1.0] + [sum(shares) for cells in found.values() for shares in cells if shares])
        picture.words(left, top - 12, f"K = {k}")
        for tenth in range(0, int(most * 4) + 1):
            y = top + high - high * tenth / 4 / most
            picture.line((left, y), (left + wide, y), kind="rule")
            picture.words(left - 30, y + 4, f"{tenth / 4:g}", "small")
        for place, (m, cells) in enumerate(found.items()):
            x = left + 6 + group * place
            for form, shares in enumerate(cells):
                y = top + high
                for kind, share in zip(colours, shares or []):
                    y -= high * share / most
                    picture.box(x + bar * form, y, bar - 3, high * share / most, kind)
                if shares:
                    picture.words(x + bar * form + 1, top + high + 12, "1234"[form], "small")
            picture.words(x, top + high + 28, f"M = {m}", "small")
    below = 2 * (high + 80) + 30
    for number, (kind, words) in enumerate(zip(colours, ("arithmetic", "shared memory", "L2", "DRAM"))):
        picture.box(50 + 120 * number, below, 12, 12, kind)
        picture.words(68 + 120 * number, below + 10, words, "small")
    picture.words(50, below + 30, "1 cublas_unfused, which is 1   2 cuda_unfused   3 fused   4 fused_fast", "small")
    return picture


def triangular():
    """Step 09: which tiles a tile of B needs, and in what order rows may change."""
    picture = Picture(720, 340, "Step 09: a tile of B takes tiles of A from the diagonal on, and rows of B from its own down")
    side, x, y = 34, 40, 70
    picture.words(x, 28, "A: six tiles down and across")
    picture.words(x, 48, "white: below the diagonal, never read", "small")
    for row in range(6):
        for column in range(6):
            kind = "cell" if column < row else "cell hot" if row == 2 and column == row else "cell a" if row == 2 else "cell a pale"
            picture.box(x + column * side, y + row * side, side, side, kind)
    picture.words(300, 28, "old B")
    for row in range(6):
        for column in range(4):
            mine = column == 1 and row >= 2
            picture.box(300 + column * side, y + row * side, side, side, "cell b" if mine else "cell b pale")
    picture.words(480, 28, "new B, in the same place")
    for row in range(6):
        for column in range(4):
            picture.box(480 + column * side, y + row * side, side, side, "cell c" if (row, column) == (2, 1) else "cell")
    for start, end in ((250, 296), (440, 476)):
        picture.line((start, y + 2.5 * side), (end, y + 2.5 * side))
    for number, note in enumerate([
        "Row tile 2 takes the tiles of A in its row, from the diagonal on (red: the triangle, blue: the rectangle),",
        "and the rows of B from 2 down. Row tiles 0 and 1 need the old row 2 as well: it may be written only when both",
        "have read it (write-after-read). No tile below needs it, so from the top down nothing is written too early."]):
        picture.words(x, 296 + 16 * number, note, "small")
    return picture


def idle_half():
    """Step 10: which block computes what of C, and of D, and split-K."""
    picture = Picture(720, 330, "Step 10: the grid over C is half idle; over D every block has the same work")
    side, y = 30, 64
    picture.words(30, 28, "C: blocks below the diagonal leave at once")
    for row in range(6):
        for column in range(6):
            picture.box(30 + column * side, y + row * side, side, side, "cell c" if column >= row else "cell")
    picture.words(30, 50, "four tiles, two products for each element", "small")
    picture.words(270, 28, "D = B A': every block, one product")
    for row in range(6):
        for column in range(6):
            kind = "cell hot" if (row, column) in ((1, 4), (4, 1)) else "cell a pale"
            picture.box(270 + column * side, y + row * side, side, side, kind)
    picture.words(270, 50, "C[k][l] = (D[k][l] + D[l][k]) / 2", "small")
    picture.words(510, 28, "split-K: partial sums of D")
    for part in range(4):
        picture.box(510 + 14 * part, y + 14 * part, 4 * side, 4 * side, "cell b")
        picture.words(516 + 14 * part, y + 12 + 14 * part, f"split {part} of the sum" if part == 3 else "", "small")
    picture.words(510, 50, "reduced in a fixed order by finish()", "small")
    for number, note in enumerate([
        "Red: the two tiles of D that one tile of C is made from. They were computed by two blocks, of which only one",
        "had work before. The diagonal's tiles are whole, too: nothing is computed that is not used.",
        "Few tiles and a long sum: split-K cuts the sum into splits, each with blocks and a matrix of partial sums of its own."]):
        picture.words(30, 282 + 16 * number, note, "small")
    return picture


def apsp_phases():
    """Step 11: one round of Floyd-Warshall in blocks."""
    picture = Picture(720, 300, "Step 11: the three phases of a round, tile by tile")
    side, y, at = 26, 52, 2
    for number, (words, note) in enumerate([
        ("1  the pivot tile", "closed: every path through its vertices"),
        ("2  the panels", "one product each, with the pivot tile"),
        ("3  all others", "one product of two panels each"),
    ]):
        x = 30 + 230 * number
        picture.words(x, 28, words)
        for row in range(6):
            for column in range(6):
                on = (row == at) + (column == at)
                now = on == 2 - number
                kind = ("hot", "b", "c")[number] if now else "a pale" if on == 3 - number else ""
                if number == 2 and (row, column) == (at + 1, at + 1):
                    kind = "hot"
                picture.box(x + column * side, y + row * side, side, side, f"cell {kind}".strip())
        picture.words(x, y + 6 * side + 20, note, "small")
    for number, note in enumerate([
        "Coloured: what a phase writes; pale: what it reads, besides. Each phase is a launch: its blocks read what other",
        "blocks wrote in the one before. Red in phase 3: the next round's pivot tile, closed by its block on the way."]):
        picture.words(30, 262 + 16 * number, note, "small")
    return picture


def transposed_panel():
    """Step 12: what a warp takes of a panel that lies along k, and the banks that it is stored to."""
    picture = Picture(720, 376, "Step 12: a panel that lies along k is transposed on its way to the tile")
    side, lane_row = 16, 5
    picture.words(40, 28, "in memory: rows along k")
    picture.grid(60, 62, 8, 16, side, lambda k, row: "cell b" if row == lane_row and k < 4 else "cell a" if k % 4 == 0 else "cell pale a")
    picture.words(60, 54, "k = 0", "small")
    picture.words(60 + 4 * side, 54, "4", "small")
    picture.words(20, 62 + 12, "row 0", "small")
    picture.words(20, 62 + 15 * side + 12, "15", "small")
    picture.words(280, 28, "in the tile: rows of 128 + 4, a row for each k")
    picture.grid(300, 62, 16, 8, 25, lambda row, k: "cell b" if row == lane_row and k < 4 else "cell c" if k % 4 == 0 else "cell")
    for k in range(8):
        picture.words(268, 62 + 25 * k + 17, f"k = {k}" if k == 0 else f"{k}", "small")
        for row in range(16):
            picture.words(300 + row * 25 + 12.5, 62 + k * 25 + 17, str((k * 132 + row) % 32), "small mid")
    for number, note in enumerate(
        ["The number is a cell's bank. A warp stores its 16 rows", "of k = 0 and of k = 4 at once: all 32 banks.",
         "In rows of 128 both would lie in the same 16."]):
        picture.words(268, 290 + 18 * number, note, "small")
    picture.words(40, 348, "A lane loads 4 neighbours of a row, 16 bytes, and a warp 16 rows of 32 bytes: whole sectors.", "small")
    picture.words(40, 366, "Then it stores them one by one, each to another row of the tile.", "small")
    return picture


def hand_over():
    """Step 09.5: two blocks of one column of tiles over time, and the write-after-read dependency between them."""
    picture = Picture(720, 226, "Two blocks over time: block 1 waits for the readers of its tile before it writes")
    def bar(x, y, width, kind, text):
        picture.box(x, y, width, 26, f"cell {kind}")
        picture.words(x + width / 2, y + 17, text, "small mid")
    picture.words(20, 28, "Tile 1 of B lies below tile 0: block 0 reads both tiles, and each block writes its own")
    picture.words(20, 63, "block 0", "small")
    bar(80, 46, 64, "b", "number 0")
    bar(146, 46, 258, "a", "sums: reads tile 0, then tile 1")
    bar(410, 46, 118, "b", "readers of tile 1: 1")
    bar(534, 46, 110, "hot", "writes tile 0")
    picture.words(20, 131, "block 1", "small")
    bar(130, 114, 64, "b", "number 1")
    bar(196, 114, 122, "a", "sums: reads tile 1")
    bar(324, 114, 222, "pale", "waits while readers of tile 1 are 0")
    bar(552, 114, 110, "hot", "writes tile 1")
    for x, y in ((407, 46), (531, 46), (321, 114), (549, 114)):
        picture.line((x, y - 6), (x, y + 32))
    picture.arrow((504, 72), (540, 114))
    picture.words(20, 176, "A vertical line is a memory fence: for other blocks, too, what is left of it comes before what is right of it. The", "small")
    picture.words(20, 192, "arrow is the write-after-read dependency: block 0 reads tile 1 before block 1 writes it. Block 0 waits for no block.", "small")
    picture.words(20, 208, "Time runs to the right; the widths are drawn, not measured.", "small")
    return picture


def launches():
    """Step 13: which kernels a launch has in each design, and what it takes, as recorded."""
    found = [run for run in lab.runs() if run.target == "step13" and run.path.stem.endswith("-h200-10000-rest")]
    if not found:
        return None
    designs = {
        "slices": ("K2", "K3", "K4", "K5", "K6", "K7"), "merged": ("K2", "K3", "K4", "K5, K6, K7"),
        "one_launch": ("K2 to K7",), "all_steps": ("K2 to K7",),
    }
    picture = Picture(720, 62 + 36 * len(designs), "Launches of a time step without its forces, over time")
    run, left, wide = found[0], 110, 560
    scale = wide / run.kernels["slices"]["time_ms"]["median"]
    picture.words(20, 24, f"A time step of {run.problem['n']} particles without K1, a box for each launch; microseconds, {run.device['name']}", "small")
    for number, (name, words) in enumerate(designs.items()):
        y, ms = 38 + 36 * number, run.kernels[name]["time_ms"]["median"]
        each = run.kernels[name].get("launch_ms", [1.0])
        x = left
        picture.words(20, y + 17, name)
        for width, text in zip(each, words):
            width *= ms * scale / sum(each)
            picture.box(x, y, width, 26, f"cell {'c' if len(text) > 2 else 'a'}")
            picture.words(x + width / 2, y + 17, text, "small mid")
            x += width
        picture.words(x + 8, y + 17, f"{1000 * ms:.1f}", "small")
    picture.words(20, 38 + 36 * len(designs) + 12, "The whole is measured, and divided among its launches by their times with an event after each.", "small")
    return picture


def dependences():
    """Step 13: which kernel of a time step waits for which, and for what."""
    picture = Picture(720, 340, "What the seven kernels of a time step wait for", STYLE + "  .anti { stroke-dasharray: 5 4 }")
    places = {"K1": (40, 120), "K2": (240, 40), "K3": (240, 110), "K4": (440, 70), "K5": (240, 215), "K6": (440, 215), "K7": (620, 215)}

    def arrow(*points, anti=False):
        picture.arrow(*points, kind="anti" if anti else "")

    arrow((104, 128), (240, 60))
    picture.words(118, 84, "potential", "small")
    arrow((304, 57), (440, 80))
    arrow((304, 127), (440, 95))
    picture.words(340, 60, "sums of blocks", "small")
    arrow((104, 137), (440, 224))
    arrow((104, 133), (620, 222))
    picture.words(196, 141, "force", "small")
    arrow((104, 146), (240, 226), anti=True)
    picture.words(112, 200, "position", "small")
    arrow((298, 144), (460, 215), anti=True)
    picture.words(386, 172, "velocity", "small")
    arrow((304, 236), (440, 236), anti=True)
    picture.words(346, 252, "velocity", "small")
    arrow((504, 236), (620, 236), anti=True)
    arrow((272, 249), (272, 282), (652, 282), (652, 249), anti=True)
    picture.words(520, 252, "acceleration", "small")
    picture.words(430, 277, "acceleration", "small")
    for name, (x, y) in places.items():
        picture.box(x, y, 64, 34, f"cell {'a' if name in ('K5', 'K6', 'K7') else 'b' if name == 'K1' else 'c'}")
        picture.words(x + 32, y + 21, name, "mid")
    picture.words(20, 310, "A solid arrow: a value that the first kernel writes and the second one reads.", "small")
    picture.words(20, 328, "A dashed one: a value that the first reads before the second overwrites it, an anti-dependence.", "small")
    return picture


def strategies():
    """The study of merged kernels: K5 and K6 of 256 particles, apart and merged by the paper's three strategies."""
    picture = Picture(720, 350, "Two kernels apart, and merged by three strategies: what each warp does")
    rows = [
        ("Apart: two launches", [["5"], ["5"]], [["6"], ["6"]]),
        ("Strategy 1: each thread does one part after the other", [["56"], ["56"]], []),
        ("Strategy 2: even warps do K5, odd warps K6, for two particles each", [["5", "6"], ["5", "6"]], []),
        ("Strategy 3: likewise, for one particle each, and twice as many blocks", [["5", "6"]] * 4, []),
    ]
    kinds = {"5": "a", "6": "b"}
    for number, (words, first, second) in enumerate(rows):
        y = 44 + 72 * number
        picture.words(20, y - 10, words)
        x = 20
        for block in first + second:
            for warp in range(4):
                parts = block[warp % len(block)]
                turns = parts * (2 if number == 2 else 1)
                for turn, part in enumerate(turns):
                    picture.box(x + 19 * warp, y + 18 * turn, 18, 18, f"cell {kinds[part]}")
            picture.box(x - 2, y - 2, 79, 18 * len(turns) + 4, "frame")
            x += 90 if block is not (first or [None])[-1] or not second else 130
    for number, (kind, words) in enumerate((("a", "K5"), ("b", "K6"))):
        picture.box(560, 44 + 24 * number, 14, 14, f"cell {kind}")
        picture.words(582, 56 + 24 * number, words, "small")
    picture.words(20, 322, "256 particles. A frame is a block of four warps, a column a warp; time goes down. Only with strategy 1 does a thread", "small")
    picture.words(20, 338, "have both parts of a particle, so that what both need is loaded once.", "small")
    return picture


def lane_of(down, across):
    """The lane whose values begin 4 * down rows and 4 * across columns into its warp's."""
    return down % 2 + across % 2 * 2 + down // 2 * 4 + across // 2 * 8


def warp_tiles(picture):
    """A block tile, and of one of its warp tiles which elements are which lane's."""
    picture.words(20, 28, "A block tile of C: 96 x 128, of 4 warp tiles")
    for warp in range(4):
        x, y = 20 + warp % 2 * 128, 42 + warp // 2 * 96
        picture.box(x, y, 128, 96, "cell c" if warp == 0 else "cell")
        picture.words(x + 64, y + 53, f"warp {warp}: 48 x 64", "small mid")
    picture.words(20, 252, "Each of the 128 threads has a thread tile of 12 x 8:", "small")
    picture.words(20, 268, "3 runs of 4 rows with a stride of 16, times", "small")
    picture.words(20, 284, "2 runs of 4 columns with a stride of 32.", "small")
    picture.words(360, 28, "Warp tile 0: 48 x 64; a cell is 4 x 4 elements")
    kind = lambda across, down: "cell hot" if lane_of(down % 4, across % 8) == 0 else "cell c pale"
    picture.grid(360, 42, 16, 12, 20, kind)
    for down in range(4):
        for across in range(8):
            picture.words(370 + 20 * across, 56 + 20 * down, str(lane_of(down, across)), "small mid")
    picture.box(360, 42, 160, 80, "frame")
    picture.arrow((280, 90), (352, 90))
    picture.words(360, 300, "Framed: 4 x 8 lanes, repeated 5 times. Thread 0 has the", "small")
    picture.words(360, 316, "6 red cells: its fragments are 3 runs of A and 2 of B.", "small")


def over_time(picture, x, y, title, turns, end):
    """Who computes what on 4 multiprocessors; a turn of each is what it has, as (tile, part of it, class)."""
    unit = 96
    picture.words(x, y - 30, title)
    for number, row in enumerate(turns):
        at = x + 20
        picture.words(x, y + 17 + 30 * number, str(number), "small")
        for tile, part, kind in row:
            picture.box(at, y + 30 * number, part * unit, 26, f"cell {kind}")
            picture.words(at + part * unit / 2, y + 17 + 30 * number, str(tile), "mid")
            at += part * unit
    picture.line((x + 20 + end * unit, y - 10), (x + 20 + end * unit, y + 126))


def past_cublas():
    """Step 14: the tiles, and ten tiles on four multiprocessors: data-parallel, stream-K, and stream-K with fix-up."""
    picture = Picture(
        720,
        770,
        "A block tile of 96 x 128 of C, its four warp tiles, the thread tile of 12 x 8 of each thread of a warp, and ten tiles on "
        "four multiprocessors: data-parallel in three waves, the last half empty; stream-K, where all end at the same time; and "
        "stream-K with fix-up, where a block begins with the tile that the next block ends with",
    )
    warp_tiles(picture)
    whole = lambda *tiles: [(tile, 1, "a") for tile in tiles]
    over_time(picture, 20, 386, "Data-parallel: the last wave is half empty", [whole(0, 4, 8), whole(1, 5, 9), whole(2, 6), whole(3, 7)], 3)
    first, second = (lambda tile: (tile, 0.5, "b")), (lambda tile: (tile, 0.5, "b pale"))
    shared = [
        whole(0) + [first(1)] + whole(6),
        [second(1)] + whole(2, 7),
        whole(3) + [first(4)] + whole(8),
        [second(4)] + whole(5, 9),
    ]
    over_time(picture, 360, 386, "Stream-K: 6 tiles for 4 blocks, then whole tiles", shared, 2.5)
    picture.box(364 + 16 + 240, 386, 8, 116, "cell hot")
    picture.words(20, 530, "Rows are multiprocessors with a place for one", "small")
    picture.words(20, 546, "block each, numbers are tiles, time goes right.", "small")
    picture.words(360, 530, "Tiles 1 and 4 are divided along k. Their partial sums, in two", "small")
    picture.words(360, 546, "shades, go to scratch memory. A second kernel, red, adds them.", "small")
    fixup = [
        [first(1)] + whole(0, 6),
        whole(2) + [second(1)] + whole(7),
        [first(4)] + whole(3, 8),
        whole(5) + [second(4)] + whole(9),
    ]
    over_time(picture, 20, 620, "Stream-K with fix-up: from the last tile to the first", fixup, 2.5)
    for y in (620, 680):
        picture.arrow((88, y + 18), (146, y + 42))
    picture.words(360, 638, "A block begins with the tile that its iterations end with.", "small")
    picture.words(360, 654, "Its partial sums go to scratch memory, and are there when", "small")
    picture.words(360, 670, "the next block, which ends with that tile, needs them.", "small")
    picture.words(360, 686, "Half as many partial sums are stored; no kernel follows.", "small")
    return picture


def chart(title, lines, below, beside):
    """Lines over logarithmic axes: (words, kind, {x: y}), x doubling from one to the next."""
    picture = Picture(720, 380, title, STYLE + PLOT_STYLE)
    left, right, top, bottom = 64, 500, 24, 330
    across = sorted({x for _, _, points in lines for x in points})
    values = [y for _, _, points in lines for y in points.values()]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    place_x = lambda x: left + (right - left) * math.log2(x / across[0]) / math.log2(across[-1] / across[0])
    place_y = lambda y: bottom - (bottom - top) * (math.log10(y) - low) / (high - low)
    for power in range(low, high + 1):
        picture.line((left, place_y(10.0**power)), (right, place_y(10.0**power)), kind="rule")
        picture.words(12, place_y(10.0**power) + 4, f"{10.0 ** power:,g}", "small")
    for x in across:
        picture.words(place_x(x), bottom + 18, str(x), "small mid")
    picture.words((left + right) / 2, bottom + 38, below, "small mid")
    picture.words(12, 14, beside, "small")
    for number, (words, kind, points) in enumerate(lines):
        picture.line(*((place_x(x), place_y(y)) for x, y in sorted(points.items())), kind=kind)
        height = top + 20 + 24 * number
        picture.line((right + 24, height - 4), (right + 52, height - 4), kind=kind)
        picture.words(right + 60, height, words, "small")
    return picture


def apsp_table1():
    """Step 11: the paper's table 1 at 10 arcs for each vertex."""
    names = [
        ("floyd_warshall", "ours tone0", "floyd_warshall"),
        ("floyd_warshall_blocked", "ours tone1", "floyd_warshall_blocked"),
        ("min_plus", "ours tone2", "min_plus"),
        ("paper, Floyd-Warshall", "theirs tone1", "paper_floyd_warshall_ms"),
        ("paper, matrix multiply", "theirs tone2", "paper_min_plus_ms"),
        ("host, Dijkstra", "host", "host_dijkstra_ms"),
        ("host, Floyd-Warshall", "host tone1", "host_floyd_warshall_ms"),
    ]
    studies = [study for study in lab.studies() if study.target == "step11"]
    points = {key: {} for _, _, key in names}
    for run in studies[0].runs if studies else []:
        if run["problem"]["arcs"] > 5 * run["problem"]["n"]:
            figures = {kernel["name"]: kernel["time_ms"]["median"] for kernel in run["kernels"]} | run["solution"]
            for key in points.keys() & figures.keys():
                points[key][run["problem"]["n"]] = figures[key]
    lines = [(words, kind, points[key]) for words, kind, key in names if points[key]]
    title = "Step 11: the paper's table 1, 10 arcs for each vertex"
    return chart(title, lines, "vertices, 10 arcs for each", "ms") if lines else None


def smoothness():
    """Step 12: figures 3 and 4 of its paper, the speed over the size, of all forms and beside cuBLAS."""
    studies = [study for study in lab.studies() if study.target == "step12"]
    if not studies:
        return None
    found = forms.speeds(studies[0])
    picture = Picture(840, 330, "Speed over the size, of all four products, in float and in double", STYLE + PLOT_STYLE + TONE3)
    for number, (real, row, most) in enumerate((("f32", "any_async", 60), ("f64", "doubles_async", 70))):
        left, top, wide, high = 46 + 420 * number, 40, 300, 220
        sizes = [n for n in sorted(found[real, "nn"][row]) if n >= 1000]
        place_x = lambda n: left + wide * sizes.index(n) / (len(sizes) - 1)
        place_y = lambda y: top + high - high * y / most
        picture.words(left - 34, top - 16, f"TFLOP/s, {'float' if real == 'f32' else 'double'}", "small")
        for rule in range(0, most + 1, 10):
            picture.line((left, place_y(rule)), (left + wide, place_y(rule)), kind="rule")
            picture.words(left - 30, place_y(rule) + 4, str(rule), "small")
        for n in (1000, 1024, 2048, 4096, 8192):
            picture.words(place_x(n), top + high + 16 + 12 * (n == 1000), str(n), "small mid")
        for tone, form in enumerate(("nn", "nt", "tn", "tt")):
            for name, kind in ((row, "ours"), ("cublas", "theirs")):
                line = found[real, form][name]
                picture.line(*((place_x(n), place_y(line[n][0])) for n in sizes), kind=f"{kind} tone{tone}")
            if number == 0:
                picture.line((46 + 80 * tone, 312), (70 + 80 * tone, 312), kind=f"ours tone{tone}")
                picture.words(76 + 80 * tone, 316, form, "small")
    picture.words(380, 316, "solid lines: any_async, doubles_async; dashed lines: cuBLAS", "small")
    return picture


class Roofs:
    """The roofs of an H200, and the places of rows under them: at the FLOP for a byte that each level moves."""

    LEFT, RIGHT, TOP, BOTTOM = 60, 530, 40, 360
    LOWEST, HIGHEST, SLOWEST, FASTEST = 0.22, 512, 0.4, 100

    def __init__(self, title):
        arithmetic, memory = machine.rates()
        peak = arithmetic["FP32"] / 1e12
        self.picture = Picture(720, 424, title, STYLE + PLOT_STYLE)
        self.tones = dict(zip(memory, ("tone0", "tone1", "tone2")))
        self.counted = next(run for run in lab.counted() if run.problem["m"] == 4096)
        for rate in (0.5, 1, 2, 5, 10, 20, 50, 100):
            self.picture.line((self.LEFT, self.y(rate)), (self.RIGHT, self.y(rate)), kind="rule")
            self.picture.words(28, self.y(rate) + 4, str(rate), "small")
        for power in range(-2, 10):
            text = f"1/{2**-power}" if power < 0 else str(2**power)
            self.picture.words(self.x(2.0**power), self.BOTTOM + 18, text, "small mid")
        self.picture.words((self.LEFT + self.RIGHT) / 2, self.BOTTOM + 38, "FLOP for a byte that the level moves", "small mid")
        self.picture.words(12, 20, "TFLOP/s", "small")
        self.picture.line((self.x(peak / (memory["shared memory"] / 1e12)), self.y(peak)), (self.RIGHT, self.y(peak)))
        self.picture.words(self.RIGHT - 190, self.y(peak) - 8, f"FP32 arithmetic: {peak:.1f} TFLOP/s", "small")
        for number, (level, rate) in enumerate(memory.items()):
            slope, height, kind = rate / 1e12, 254 + 20 * number, f"ours {self.tones[level]}"
            start = max(self.LOWEST, self.SLOWEST / slope)
            self.picture.line((self.x(start), self.y(start * slope)), (self.x(peak / slope), self.y(peak)), kind=kind)
            self.picture.line((self.RIGHT + 12, height - 4), (self.RIGHT + 36, height - 4), kind=kind)
            self.picture.words(self.RIGHT + 42, height, f"{level}, {rate / 1e12:.1f} TB/s", "small")
        self.picture.words(self.LEFT, 416, "A ring is a kernel, in the colour of the level whose bytes are counted: m = n = k = 4096 on an H200.", "small")

    def x(self, intensity):
        return self.LEFT + (self.RIGHT - self.LEFT) * math.log2(intensity / self.LOWEST) / math.log2(self.HIGHEST / self.LOWEST)

    def y(self, rate):
        return self.BOTTOM - (self.BOTTOM - self.TOP) * math.log10(rate / self.SLOWEST) / math.log10(self.FASTEST / self.SLOWEST)

    def rate(self, name):
        """TFLOP/s"""
        return self.counted.problem["flops"] / self.counted.rows[name]["gpu__time_duration.sum"] / 1e3

    def places(self, name):
        """of a row: by level, where its ring is drawn"""
        counters = self.counted.rows[name]
        moved = {
            "DRAM": counters["dram__bytes_read.sum"] + counters["dram__bytes_write.sum"],
            "L2": 32 * (counters["lts__t_sectors_op_read.sum"] + counters["lts__t_sectors_op_write.sum"]),
            "shared memory": 128 * counters["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
        }
        flops = self.counted.problem["flops"]
        return {level: (self.x(flops / count), self.y(self.rate(name))) for level, count in moved.items() if count}

    def add(self, name, drop=0):
        """Its rings on a line that ends in its name; how far that is moved down, from another's."""
        places = self.places(name)
        height = self.y(self.rate(name))
        self.picture.line((min(x for x, _ in places.values()), height), (self.RIGHT + 6, height), kind="host")
        for level, (x, y) in places.items():
            self.picture.parts.append(f'<circle class="line ours {self.tones[level]}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
        self.picture.words(self.RIGHT + 10, height + 4 + drop, name.removeprefix("step").replace(".", " "), "small")


def roofline():
    """What hardware.md shows: where the matrix product's steps stand."""
    roofs = Roofs("Rooflines of an H200: memory, L2, shared memory, and steps of the matrix product")
    for name in ("step01.coalesced", "step03.block_32x32", "step05.values_8x8", "step07.placed"):
        roofs.add(name)
    return roofs.picture


def moved_under_roofs(step):
    """What a step of the matrix product shows: its fastest row, and arrows from where the parent's stood."""
    roofs = Roofs(f"Under the roofs of an H200: what step {step.number} moves")
    rows = [name for name in roofs.counted.rows if name.startswith(step.target + ".")]
    before = [name for name in roofs.counted.rows if step.parent and name.startswith(step.parent.target + ".")]
    own = max(rows, key=roofs.rate, default=None)
    parent = max(before, key=roofs.rate) if before else min(rows, key=roofs.rate, default=None)
    if not own:
        return None
    drop = max(0, 12 - abs(roofs.y(roofs.rate(own)) - roofs.y(roofs.rate(parent))))  # names one below the other
    faster = roofs.rate(own) > roofs.rate(parent)
    roofs.add(parent, drop if faster else 0)
    roofs.add(own, 0 if faster else drop)
    to = roofs.places(own)
    for level, (x, y) in roofs.places(parent).items():
        if level in to and math.dist((x, y), to[level]) > 20:
            far = math.dist((x, y), to[level])
            dx, dy = (to[level][0] - x) / far, (to[level][1] - y) / far
            start, end = (x + 7 * dx, y + 7 * dy), (to[level][0] - 7 * dx, to[level][1] - 7 * dy)
            roofs.picture.arrow(tuple(round(v, 1) for v in start), tuple(round(v, 1) for v in end), kind=roofs.tones[level])
    return roofs.picture


def speeds():
    """What README.md shows: the fastest row of every step as recorded, and the reference of the same run."""
    gpu = [run for run in lab.runs() if run.runtime == "gpu"]
    recorded = [(step, series.recorded_run(step, gpu)) for step in lab.steps()]
    shown = [(step, run, max(run.own, key=lambda row: row["gflops"])) for step, run in recorded if run and all("gflops" in row for row in run.own)]
    left, unit, high, top = 170, 8.6, 26, 30
    device = shown[0][1].device["name"]
    picture = Picture(720, top + high * len(shown) + 46, f"Speed of every step on an {device}, beside cuBLAS")
    picture.words(20, 20, f"TFLOP/s of every step on an {device}", "small")
    for number, (step, run, row) in enumerate(shown):
        y = top + high * number
        kind = "b" if run.problem["type"] == "f64" else "a" if step.family == "gemm" else "c"
        length = unit * row["gflops"] / 1000
        reference = 100 * length / row["percent_of_reference"] if "percent_of_reference" in row else 0
        picture.words(20, y + 15, f"{step.number} {step.name}")
        picture.box(left, y + 2, length, high - 8, f"cell {kind}")
        if reference:
            picture.line((left + reference, y - 1), (left + reference, y + high - 3))
        picture.words(664, y + 15, tflops(row), "small")
    y = top + high * len(shown) + 20
    below = [("a", "matrix product, FP32"), ("c", "other problems, FP32"), ("b", "FP64")]
    for number, (kind, words) in enumerate(below):
        picture.box(20 + 150 * number, y, 12, 12, f"cell {kind}")
        picture.words(38 + 150 * number, y + 10, words, "small")
    picture.line((404, y - 2), (404, y + 14))
    picture.words(412, y + 10, "the same problem by cuBLAS; shortest paths: by the host", "small")
    return picture


def panel(picture, left, top, number, run):
    """One figure of the shape study: points side by side, a line for each series."""
    points, lines = shapes.series(number, run)
    wide, high, logarithmic = 236, 130, shapes.FIGURES[number][4]
    figures = [figure for _, _, line in lines for figure in line if figure]
    low, most = (math.floor(math.log10(min(figures))), math.ceil(math.log10(max(figures)))) if logarithmic else (0, max(figures) * 1.1)
    place_x = lambda p: left + wide * (p + 0.5) / len(points)
    place_y = lambda y: top + high - high * ((math.log10(y) if logarithmic else y) - low) / (most - low)
    picture.words(left - 46, top - 12, shapes.title(number), "small")
    step = 10 ** math.floor(math.log10(most)) if not logarithmic else 1
    step = step / 2 if not logarithmic and most / step < 3 else step
    for rule in range(low, most + 1) if logarithmic else range(int(most / step) + 1):
        value = 10.0**rule if logarithmic else rule * step
        picture.line((left, place_y(value)), (left + wide, place_y(value)), kind="rule")
        picture.words(left - 46, place_y(value) + 4, f"{value:g}", "small")
    for p, point in enumerate(points):
        picture.words(place_x(p), top + high + 15, point.replace("none: step 01", "step 01"), "small mid")
    for tone, (words, _, line) in enumerate(lines):
        kind = f"ours tone{tone}"
        there = [(place_x(p), place_y(figure)) for p, figure in enumerate(line) if figure]
        picture.line(*there, kind=kind)
        for x, y in there:
            picture.parts.append(f'<circle class="line {kind}" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>')
        if len(lines) > 1:
            picture.line((left + wide + 10, top + 8 + 18 * tone), (left + wide + 26, top + 8 + 18 * tone), kind=kind)
            picture.words(left + wide + 31, top + 12 + 18 * tone, words.removesuffix("_dependency"), "small")


def shape_figures():
    """What shapes.md shows: the paper's figures, of the run that comes nearest to it."""
    runs = shapes.shown(shapes.taken(lab.studies(), lab.studies(runtime="sim")))
    run = max(runs, key=lambda run: (not run.is_simulated, run.size))
    numbers = [number for number in shapes.FIGURES if shapes.series(number, run)[1]]
    rows = (len(numbers) + 1) // 2
    picture = Picture(820, 200 * rows + 30, "The figures of the shape study", STYLE + PLOT_STYLE + TONE3)
    for i, number in enumerate(numbers):
        panel(picture, 62 + 405 * (i % 2), 34 + 200 * (i // 2), number, run)
    picture.words(16, 200 * rows + 18, run.where, "small")
    return picture


PICTURES = {
    "00a": pieces, "00b": banks_of_a_column, "00c": trees, "00d": counts,
    "01": coalescing, "02": shared_tile, "03": blocks_2d, "04": padding,
    "05": register_blocking, "06": double_buffering, "07": float4, "08": fusion,
    "09": triangular, "10": idle_half, "11": apsp_phases, "12": transposed_panel, "13": launches,
    "14": past_cublas,
}
PLOTS = {
    "08": ("microtiles.svg", microtiles), "09": ("hand_over.svg", hand_over), "11": ("table1.svg", apsp_table1), "12": ("smooth.svg", smoothness),
    "13": ("dependences.svg", dependences),
}
PAGES = {"roofline.svg": roofline, "series.svg": speeds, "shapes.svg": shape_figures, "energy.svg": energy_by_component,
         "strategies.svg": strategies}  # of docs/pages


def pictures():
    """Path and text of each."""
    for step in lab.steps():
        name, plot = PLOTS.get(step.number, (None, None))
        moved = (lambda: moved_under_roofs(step)) if step.family == "gemm" else None
        for file, draw in ((f"{step.target}.svg", PICTURES.get(step.number)), (name, plot), (f"roofs{step.number}.svg", moved)):
            picture = draw() if draw else None
            if picture:
                yield step.path / file, picture.text()
    for file, draw in PAGES.items():
        picture = draw()
        if picture:
            yield lab.ROOT / "docs" / "pages" / file, picture.text()


def main():
    stale = [(path, text) for path, text in pictures() if not path.exists() or path.read_text() != text]
    for path, text in stale:
        if "--check" in sys.argv:
            print(f"stale: {path.relative_to(lab.ROOT)}; run `make results`", file=sys.stderr)
        else:
            path.write_text(text)
            print(f"drawn: {path.relative_to(lab.ROOT)}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
