#!/usr/bin/env python3
"""Draws the walkthroughs' pictures: steps/NN_name/stepNN.svg, and what is plotted from docs/results. `make results`
runs it; with --check it only says which are stale."""

import functools
import math
import sys

import lab
from blocks import forms, kernel_summation, machine, series, shapes
from blocks.cells import tflops

STYLE = """
  .paper { fill: #fbfbf9; stroke: #d8d8d2 }
  text { font: 13px Helvetica, Arial, sans-serif; fill: #26302b } .small { font-size: 11px; fill: #5c665f } .mid { text-anchor: middle }
  .cell { fill: #ffffff; stroke: #9aa39c; stroke-width: 0.7 } .pale { fill-opacity: 0.35 }
  .a { fill: #8fbfe0 } .b { fill: #f0c27b } .c { fill: #a8d08d } .hot { fill: #e58a80 }
  .frame { fill: none; stroke: #59635c; stroke-width: 1.4 } .line { stroke: #59635c; stroke-width: 1.2; fill: none }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #20242a; stroke: #3a4048 } text { fill: #dde3dd } .small { fill: #a4aea6 }
    .cell { fill: #2b3037; stroke: #6d766f } .frame, .line { stroke: #aab4ac }
    .a { fill: #3f7ca6 } .b { fill: #a9762a } .c { fill: #568a3a } .hot { fill: #b5493d }
  }
"""

# Of plots, besides.
PLOT_STYLE = STYLE + """
  .rule { stroke: #d8d8d2; stroke-width: 0.7 }
  .ours { stroke-width: 2.2 } .theirs { stroke-dasharray: 5 4 } .host { stroke-dasharray: 2 3 }
  .tone0 { stroke: #2f74a3 } .tone1 { stroke: #b8761a } .tone2 { stroke: #4d8a2c } .tone3 { stroke: #a3486f }
  @media (prefers-color-scheme: dark) {
    .rule { stroke: #3a4048 }
    .tone0 { stroke: #6fb2de } .tone1 { stroke: #e0a64f } .tone2 { stroke: #8bc765 } .tone3 { stroke: #dd86ab }
  }
"""


class Picture:
    """Shapes and words, written as one SVG. The kind of a shape is its class: a tone of a cell, or of a line."""

    def __init__(self, *sheet):
        self.parts = []
        self.sheet(*sheet)

    def sheet(self, width=0, height=0, title="", style=STYLE):
        """Of no size while there is nothing to draw, since nothing is recorded."""
        self.width, self.height, self.title, self.style = width, height, title, style

    def box(self, x, y, width, height, kind="", *lines, font="small mid"):
        """With lines of text in its middle."""
        kind = kind if kind == "frame" else f"cell {kind}".strip()
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>')
        self.words(x + width / 2, y + height / 2 + 4 - 8 * (len(lines) - 1), *lines, font=font)

    def grid(self, x, y, columns, rows, side, kind="", text=None):
        """Cells; their kind may depend on column and row. A side is a number, or width and height."""
        width, height = side if isinstance(side, tuple) else (side, side)
        for row in range(rows):
            for column in range(columns):
                tone = kind(column, row) if callable(kind) else kind
                self.box(x + column * width, y + row * height, width, height, tone, *([text(column, row)] if text else []))

    def words(self, x, y, *lines, font="", apart=16):
        for number, line in enumerate(lines):
            if line != "":
                self.parts.append(f'<text class="{font}" x="{x:g}" y="{y + apart * number:g}">{line}</text>')

    def small(self, x, y, *lines, apart=16):
        self.words(x, y, *lines, font="small", apart=apart)

    def below(self, y, marks):
        """The words below a plot: where each has its middle."""
        for x, text in marks:
            self.words(x, y, text, font="small mid")

    def line(self, *points, kind=""):
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polyline class="{f"line {kind}".strip()}" points="{path}"/>')

    def arrow(self, *points, kind=""):
        (x, y), (to_x, to_y) = points[-2:]
        angle = math.atan2(to_y - y, to_x - x)
        wing = lambda turn: (to_x - 9 * math.cos(angle + turn), to_y - 9 * math.sin(angle + turn))
        self.line(*points, kind=kind)
        self.line(wing(0.4), (to_x, to_y), wing(-0.4))

    def ring(self, x, y, radius, kind):
        self.parts.append(f'<circle class="line ours {kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>')

    def rules(self, left, right, at, marks):
        """The horizontal lines of a plot: their heights, and the words at their left."""
        for y, text in marks:
            self.line((left, y), (right, y), kind="rule")
            self.small(at, y + 4, text)

    def key(self, x, y, kind, text, length=0):
        """What a colour stands for: of a box, or of a line of this length."""
        if length:
            self.line((x, y - 4), (x + length, y - 4), kind=kind)
        else:
            self.box(x, y - 10, 12, 12, kind)
        self.small(x + (length or 12) + 6, y, text)

    def text(self):
        size = f'width="{self.width}" height="{self.height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {self.width} {self.height}" role="img">'
        paper = f'<title>{self.title}</title>\n<style>{self.style}</style>\n<rect class="paper" {size}/>'
        return "\n".join([head, paper, *self.parts, "</svg>\n"])


def scale(start, end, low, high, of=float):
    """Where a value lies on an axis: of=math.log, of a logarithmic one."""
    return lambda value: start + (end - start) * (of(value) - of(low)) / (of(high) - of(low))


def decades(values):
    """The powers of ten from below to above all values."""
    return [10.0**power for power in range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)]


DRAWN = {}  # by the number of a step, or "pages", and the file there: the sheet, and what draws on it


def drawn(place, *sheet, file=None):
    """Of a function that draws on such a sheet, or chooses one itself."""
    return lambda draw: DRAWN.setdefault((place, file or f"step{place}.svg"), (sheet, draw))


def sectors(picture, y, whole):
    """What a warp touches whose threads read side by side: whole sectors; or far apart: each a word of a sector of its own."""
    for number in range(4 if whole else 6):
        picture.grid(20 + number * 104, y, 8, 1, 11, lambda word, _: "c" if whole else "" if word else "hot")
        picture.small(20 + number * 104, y + 28, f"threads {8 * number} to {8 * number + 7}" if whole else f"thread {number}")
    if not whole:
        picture.words(644, y + 12, "... 31")


@drawn("01", 720, 250, "Sectors that one load of a warp touches, in either mapping")
def coalescing(picture):
    picture.words(20, 28, "Neighbouring threads take neighbouring rows: 32 loads of A, k elements apart")
    sectors(picture, 42, False)
    picture.small(20, 95, "32 sectors of 32 bytes are fetched, 4 bytes of each are used.")
    picture.words(20, 140, "Neighbouring threads take neighbouring columns: 32 loads of B, side by side")
    sectors(picture, 154, True)
    picture.small(20, 207, "4 sectors are fetched and used whole. The load of A is the same word for all",
                  "32 threads: 1 sector, handed to every thread at once.")
    picture.small(476, 164, "A cell is a word of 4 bytes,", "8 words are a sector.")


@drawn("00a", 720, 220, "Sectors that one load of a warp touches: a piece for each thread, and neighbours")
def pieces(picture):
    picture.words(20, 28, "A piece for each thread: at one moment the threads read elements 0, 32, 64, ...")
    sectors(picture, 42, False)
    picture.small(20, 92, "32 sectors of 32 bytes, 4 bytes of each are wanted now.")
    picture.words(20, 134, "Neighbouring threads, neighbouring elements: 0, 1, 2, ... 31")
    sectors(picture, 148, True)
    picture.small(20, 200, "4 sectors, all of whose bytes are wanted. The next iteration begins a whole grid further.")


@drawn("00b", 720, 290, "Banks of a column of the tile: rows of 32 words, and of 33; eight of each are drawn")
def banks_of_a_column(picture):
    for x, words, length, hit in ((30, "rows of 8: one bank", 8, "hot"), (380, "rows of 9: eight banks", 9, "c")):
        column = lambda bank, row: (8 * row + bank) % length
        picture.words(x, 28, words)
        picture.below(52, [(x + bank * 26 + 13, bank) for bank in range(8)])
        picture.grid(x, 60, 8, 8, 26, lambda bank, row: {2: hit, 8: "b pale"}.get(column(bank, row), ""))
    picture.small(250, 90, "coloured: a column", "of the tile")
    picture.small(600, 90, "pale: the padding")
    picture.small(30, 280, "Drawn with 8 banks: a word lies in the bank of its column here. A GPU has 32, and tiles of 32 columns.")


@drawn("00c", 720, 250, "A tree over 16 parts: neighbours first, and by halves; who works is coloured")
def trees(picture):
    picture.words(20, 28, "neighbours first: every second, fourth, eighth")
    picture.words(375, 28, "by halves: the first 8, 4, 2, 1")
    for level in range(4):
        picture.grid(20, 44 + 40 * level, 16, 1, 20, lambda part, _: "" if part % (2 << level) else "c")
        picture.grid(375, 44 + 40 * level, 16, 1, 20, lambda part, _: "c" if part < 8 >> level else "")
    picture.small(20, 220, "Drawn with 16 threads. Where a warp has at least one thread that works, all of it executes the level:",
                  "on the left all warps do so for five levels, on the right half of them leave with each level.")


@drawn("00d", 720, 250, "Two blocks count in memory, or each in shared memory first")
def counts(picture):
    picture.words(20, 28, "in memory: all threads of all blocks add to the same 256 words")
    picture.words(400, 28, "each block first in shared memory")
    bins = lambda tone: lambda bin, _: tone if bin else "hot"
    for block in range(2):
        left, right = 20 + 180 * block, 400 + 160 * block
        picture.grid(left, 44, 8, 1, 20, "a")
        picture.small(left, 82, f"threads of block {block}")
        for thread in range(8):
            picture.line((left + 10 + 20 * thread, 64), (110 + 20 * (5 * thread % 8 if thread % 2 else 0), 150))
        picture.grid(right, 44, 7, 1, 20, "a")
        picture.grid(right, 100, 7, 1, 20, bins("b"))
        for thread in range(7):
            picture.line((right + 10 + 20 * thread, 64), (right + 10 + 20 * (5 * thread % 7 if thread % 2 else 0), 100))
        picture.line((right + 70, 120), (550, 170))
    picture.grid(100, 150, 8, 1, 20, bins("c"))
    picture.grid(480, 170, 7, 1, 20, bins("c"))
    picture.small(20, 222, "Red: the bin of key 0, which half of the keys are. Additions to one word come one after another,",
                  "in memory and in shared memory.")


def product(picture, title, rows, columns, depth, side, mine, *notes):
    """A tile of C with the tiles of A and B that it is made from; `mine` is what a thread owns."""
    left, top, (my_rows, my_columns) = 30, 44, mine
    x, y = left + depth * side + 14, top + depth * side + 14
    picture.sheet(720, max(y + rows * side + 40, 240), title)
    picture.grid(x, top, columns, depth, side, lambda c, _: "b" if c in my_columns else "b pale")
    picture.grid(left, y, depth, rows, side, lambda _, r: "a" if r in my_rows else "a pale")
    picture.grid(x, y, columns, rows, side, lambda c, r: "c" if r in my_rows and c in my_columns else "")
    picture.words(x, top - 10, "tile of B, in shared memory")
    picture.words(left, y + rows * side + 22, "tile of A")
    picture.words(x, y + rows * side + 22, "tile of C: coloured, what one thread computes")
    picture.words(x + columns * side + 30, top + 8, notes[0])
    picture.small(x + columns * side + 30, top + 28, *notes[1:], apart=20)


drawn("02")(lambda picture: product(
    picture, "Step 02: a tile of 8 rows and 32 columns, a thread for each element", 8, 32, 8, 11, ([3], [5]),
    "A block of 256 threads,", "a warp for each row of the tile,", "a thread for each element.", "An element of A's tile serves the",
    "32 threads of its row.", "", "An element of B's tile serves", "8 rows, that is, 8 warps."))
drawn("03")(lambda picture: product(
    picture, "Step 03: a square block, a thread for each element", 16, 16, 16, 11, ([6], [9]),
    "A block of 16 x 16 or 32 x 32 threads,", "one thread for each element of C.", "A row of A's tile serves a row of threads,",
    "a column of B's tile a column of threads:", "what one thread loads, TILE threads use.", "",
    "For each multiply-add a thread reads", "one element of either tile."))
drawn("05")(lambda picture: product(
    picture, "Step 05: several rows and columns for each thread", 16, 16, 8, 13, ([4, 5, 6, 7], [1, 5, 9, 13]),
    "A thread computes 4 x 4 (or 8 x 8) elements,", "rows that are neighbours, columns that are", "16 apart (here 4).", "",
    "For each k it reads 4 + 4 elements,", "of which those of A are neighbours in the", "transposed tile, and does 4 x 4 multiply-adds:",
    "half an element for each;", "with 8 x 8 a quarter."))


@drawn("04", 720, 300, "Banks of a transposed tile, without and with padding")
def padding(picture):
    for left, columns, hit, words, verdict in (
        (40, 8, "hot", "8 words a row: a column lies in one bank", "8 threads, 8 wavefronts"),
        (400, 9, "c", "9 words a row: a column lies in 8 banks", "8 threads, one wavefront; the last column is never used")):
        picture.words(left, 28, words)
        picture.grid(left, 42, columns, 8, 25, lambda c, _: {3: hit, 8: "pale a"}.get(c, ""), lambda c, r: (r * columns + c) % 8)
        picture.small(left, 264, verdict)
    picture.small(40, 284, "A cell is a word; the number is its bank. 8 banks stand for the 32 there are.")


@drawn("06", 720, 290, "Loads and multiply-adds over time, with one pair of tiles and with two")
def double_buffering(picture):
    picture.words(20, 28, "One pair of tiles: load, wait, barrier, compute, barrier")
    picture.words(20, 150, "Two pairs of tiles: the load of the next panel runs under the multiply-adds of this one")
    for panel in range(3):
        x = 90 + panel * 200
        picture.box(x, 42, 100, 26, "a", f"load {panel}")
        picture.box(x + 104, 72, 88, 26, "c", f"compute {panel}")
        picture.line((x + 102, 38), (x + 102, 102))
        picture.line((x + 196, 38), (x + 196, 102))
    for panel in range(5):
        x = 90 + panel * 104
        if panel < 4:
            picture.box(x, 164, 100, 26, "a", f"load {panel}")
            picture.box(x + 104, 194, 88, 26, "c", f"compute {panel}")
        picture.line((x + 102, 160), (x + 102, 224))
    picture.small(20, 59, "loads", "compute", apart=30)
    picture.small(20, 181, "loads", "compute", apart=30)
    picture.small(20, 252, "A vertical line is a barrier: two for each panel above, one below. Time runs to the",
                  "right; the widths are drawn, not measured.")


@drawn("07", 720, 330, "Step 07: a warp covers 32 rows and 64 columns; a thread has four 4 x 4 patches")
def float4(picture):
    x, y, side, columns, rows = 96, 76, 28, (2, 10), (0, 4)
    picture.grid(x, 40, 16, 1, (side, 20), lambda column, _: "b" if column in columns else "b pale")
    picture.grid(x, y, 16, 8, side, lambda column, row: "c" if row in rows and column in columns else "")
    picture.grid(60, y, 1, 8, (20, side), lambda _, row: "a" if row in rows else "a pale")
    picture.words(x, 28, "a row of B's tile: 16 vectors of 4")
    picture.words(20, 318, "a row of A's transposed tile: 8 vectors of 4. Coloured: what thread 4 of a warp reads and computes")
    picture.words(560, 96, "A cell is 4 x 4 elements.")
    picture.small(560, 118, "For 64 multiply-adds a thread", "reads 4 vectors of 16 bytes", "where it read 16 elements.", "",
                  "The 8 columns of threads read", "8 neighbouring vectors of B,", "the 4 rows 4 of A: all 32 banks",
                  "or fewer, no two words", "of one bank.", apart=18)


@drawn("08", 720, 330, "Step 08: unfused, the M x N matrix crosses memory twice; fused, it stays in registers")
def fusion(picture):
    picture.words(20, 28, "Unfused: kernels one after another, and between them the whole matrix in memory")
    picture.words(20, 150, "Fused: a block of 128 x 128 sums is evaluated and summed where it was computed")
    picture.box(150, 168, 450, 84, "frame")
    for place in (
        (20, 50, 90, 40, "a", "A, B"), (150, 50, 120, 40, "", "C = A B'"), (310, 42, 120, 56, "hot", "C: M x N", "written, read"),
        (470, 50, 130, 40, "", "exp, sum with W"), (640, 50, 60, 40, "c", "V: M"),
        (20, 190, 90, 40, "a", "A, B"), (164, 184, 120, 52, "", "8 x 8 sums", "a thread"), (640, 190, 60, 40, "c", "V: M"),
        (304, 184, 130, 52, "", "exp, times w:", "8 sums a thread"), (454, 184, 132, 52, "", "16 threads a row:", "128 sums a block")):
        picture.box(*place)
    for y, *ends in ((70, 110, 150, 270, 310, 430, 470, 600, 640), (210, 110, 164, 284, 304, 434, 454, 586, 640)):
        for left, right in zip(ends[::2], ends[1::2]):
            picture.line((left, y), (right, y))
    for x, words in ((164, "registers"), (304, "registers"), (454, "shared memory"), (632, "atomicAdd")):
        picture.small(x, 272, words)
    picture.small(20, 312, "Red: what fusion saves. At M = 524288, N = 1024 it is 2 x 2.1 GB; A at K = 32 is 0.07 GB.")


@drawn("08", 760, 420, "Step 08: a tile of 128 points in memory, and in microtiles over the 32 banks", file="microtiles.svg")
def microtiles(picture):
    """Figure 5 of its paper, where a tile of 128 points lies in memory and in the banks."""
    x, y, side, tones = 56, 62, 12, ("a", "b", "c", "hot")
    picture.words(20, 26, "In memory: 8 dimensions of a point")
    picture.small(x, y - 8, "dimension 0 to 7")
    picture.grid(x, y, 8, 20, side, lambda _, point: tones[point % 8 // 2] if point < 16 else "")
    picture.small(x + 40, y + 20 * side + 16, "...")
    picture.small(12, y + 10, "point 0", "point 8", "point 16", apart=8 * side)
    for microtile in range(2):
        picture.box(x, y + microtile * 8 * side, 8 * side, 8 * side, "frame")
        picture.small(x + 8 * side + 8, y + microtile * 8 * side + 52, f"microtile {microtile}")
    picture.small(20, y + 20 * side + 42, "A row is a track: one thread loads it.", "Colours: the warp that does, of four.")
    picture.words(290, 26, "In shared memory: 32 banks, two for each microtile")
    x, side = 316, 9
    picture.grid(x, y, 32, 32, (13, side), lambda bank, row: tones[row // 8] + (" pale" if bank >= 4 else ""))
    for microtile in range(2):
        picture.box(x + microtile * 26, y, 26, 32 * side, "frame")
    for bank, words in ((0, 0), (2, 2), (4, 4), (11.5, "bank"), (30, 30)):
        picture.small(x + bank * 13, y - 8, words)
    picture.small(290, y + 44, 0, 8, 16, 24, apart=8 * side)
    picture.small(290, y + 32 * side + 22, "A column of 8 rows is a track, dimension 0 on top. Each of four warps stores two",
                  "tracks of every microtile, a row of 32 banks at a time. A thread that multiplies",
                  "reads dimension k of its microtile from rows k, 8 + k, 16 + k and 24 + k.")


@drawn("09", 720, 340, "Step 09: a tile of B takes tiles of A from the diagonal on, and rows of B from its own down")
def triangular(picture):
    side, x, y = 34, 40, 70
    picture.words(x, 28, "A: six tiles down and across")
    picture.small(x, 48, "white: below the diagonal, never read")
    picture.grid(x, y, 6, 6, side, lambda c, r: "" if c < r else "a pale" if r != 2 else "hot" if c == r else "a")
    picture.words(300, 28, "old B")
    picture.grid(300, y, 4, 6, side, lambda c, r: "b" if c == 1 and r >= 2 else "b pale")
    picture.words(480, 28, "new B, in the same place")
    picture.grid(480, y, 4, 6, side, lambda c, r: "c" if (r, c) == (2, 1) else "")
    for start, end in ((250, 296), (440, 476)):
        picture.line((start, y + 2.5 * side), (end, y + 2.5 * side))
    picture.small(x, 296,
                  "Row tile 2 takes the tiles of A in its row, from the diagonal on (red: the triangle, blue: the rectangle),",
                  "and the rows of B from 2 down. Row tiles 0 and 1 need the old row 2 as well: it may be written only when both",
                  "have read it (write-after-read). No tile below needs it, so from the top down nothing is written too early.")


@drawn("10", 720, 330, "Step 10: the grid over C is half idle; over D every block has the same work")
def idle_half(picture):
    side, y = 30, 64
    for x, words, below in (
        (30, "C: blocks below the diagonal leave at once", "four tiles, two products for each element"),
        (270, "D = B A': every block, one product", "C[k][l] = (D[k][l] + D[l][k]) / 2"),
        (510, "split-K: partial sums of D", "reduced in a fixed order by finish()")):
        picture.words(x, 28, words)
        picture.small(x, 50, below)
    picture.grid(30, y, 6, 6, side, lambda c, r: "c" if c >= r else "")
    picture.grid(270, y, 6, 6, side, lambda c, r: "hot" if (r, c) in ((1, 4), (4, 1)) else "a pale")
    for part in range(4):
        picture.box(510 + 14 * part, y + 14 * part, 4 * side, 4 * side, "b")
    picture.small(558, y + 54, "split 3 of the sum")
    picture.small(30, 282,
                  "Red: the two tiles of D that one tile of C is made from. They were computed by two blocks, of which only one",
                  "had work before. The diagonal's tiles are whole, too: nothing is computed that is not used.",
                  "Few tiles and a long sum: split-K cuts the sum into splits, each with blocks and a matrix of partial sums of its own.")


@drawn("11", 720, 300, "Step 11: the three phases of a round, tile by tile")
def apsp_phases(picture):
    for number, (words, note, tones) in enumerate([  # by how many of row and column are the pivot's
        ("1  the pivot tile", "closed: every path through its vertices", ("", "", "hot")),
        ("2  the panels", "one product each, with the pivot tile", ("", "b", "a pale")),
        ("3  all others", "one product of two panels each", ("c", "a pale", ""))]):
        next_pivot = lambda column, row: number == 2 and row == column == 3
        picture.words(30 + 230 * number, 28, words)
        picture.grid(30 + 230 * number, 52, 6, 6, 26, lambda c, r: "hot" if next_pivot(c, r) else tones[(c == 2) + (r == 2)])
        picture.small(30 + 230 * number, 228, note)
    picture.small(30, 262,
                  "Coloured: what a phase writes; pale: what it reads, besides. Each phase is a launch: its blocks read what other",
                  "blocks wrote in the one before. Red in phase 3: the next round's pivot tile, closed by its block on the way.")


@drawn("12", 720, 348, "Step 12: the paper's tile of 16 x 64, of which only A's part is shared", file="tile.svg")
def tile_of_two_warps(picture):
    """The block tile of stages 12.1 and 12.2, with the panels of A and B that it is made from."""
    left, x, top, y, side, mine = 24, 180, 40, 188, 8, 21
    picture.words(x, top - 10, "panel of B, from global memory: each thread reads its own column")
    picture.grid(x, top, 64, 1, (side, 16 * side), lambda column, _: "b" if column == mine else "b pale")
    picture.words(left, y - 10, "tile of A, shared")
    picture.grid(left, y, 16, 16, side, lambda k, _: "a" if k == 5 else "a pale")
    picture.grid(x, y, 64, 1, (side, 16 * side), lambda column, _: "c" if column == mine else "")
    picture.box(x, y, 32 * side, 16 * side, "frame")
    picture.box(x + 32 * side, y, 32 * side, 16 * side, "frame")
    picture.small(x, y + 16 * side + 20, "tile of C: a thread computes a column of 16; a frame is a warp")
    picture.small(left, y + 16 * side + 20, "16 x 16")
    picture.box(x, top + 5 * side, 64 * side, side, "frame")


@drawn("12", 720, 262, "Step 12: the four products, with the operands as they are stored", file="forms.svg")
def four_products(picture):
    """How A and B of each product are stored, with a panel of 8 k in each."""
    for number, (form, a_along_k, b_along_k) in enumerate((("nn", True, False), ("nt", True, True), ("tn", False, False), ("tt", False, True))):
        x = 24 + 172 * number
        picture.words(x, 24, f"{form}: C = A{'' if a_along_k else chr(39)} B{chr(39) if b_along_k else ''}")
        for y, name, other, tone, is_along in ((48, "A", "m", "a", a_along_k), (154, "B", "n", "b", b_along_k)):
            high, wide = (72, 60) if is_along else (60, 72)
            picture.box(x, y, wide, high, f"{tone} pale")
            picture.box(x + 24 * is_along, y + 24 * (not is_along), 14 if is_along else wide, high if is_along else 14, tone)
            picture.arrow((x + 4, y + 8), (x + wide - 4, y + 8))
            rows, columns = (other, "k") if is_along else ("k", other)
            major = "K-major" if is_along else f"{other.upper()}-major"
            picture.small(x + wide + 8, y + 24, f"{name} is stored", f"{rows} x {columns}:", major)
    picture.small(24, 252, "An arrow runs along a row, whose elements are neighbours in memory. Dark: a panel of some k.")


@drawn("12", 720, 376, "Step 12: a panel that lies along k is transposed on its way to the tile")
def transposed_panel(picture):
    """What a warp takes of a panel that lies along k, and the banks that it is stored to."""
    tone = lambda k, row, other, rest: "b" if row == 5 and k < 4 else rest if k % 4 else other
    picture.words(40, 28, "in memory: rows along k")
    picture.grid(60, 62, 8, 16, 16, lambda k, row: tone(k, row, "a", "pale a"))
    for x, y, words in ((60, 54, "k = 0"), (124, 54, "4"), (20, 74, "row 0"), (20, 314, "15")):
        picture.small(x, y, words)
    picture.words(280, 28, "in the tile: rows of 128 + 4, a row for each k")
    picture.grid(300, 62, 16, 8, 25, lambda row, k: tone(k, row, "c", ""), lambda row, k: (k * 132 + row) % 32)
    picture.small(268, 79, "k = 0", *range(1, 8), apart=25)
    picture.small(268, 290, "The number is a cell's bank. A warp stores its 16 rows", "of k = 0 and of k = 4 at once: all 32 banks.",
                  "In rows of 128 both would lie in the same 16.", apart=18)
    picture.small(40, 348, "A lane loads 4 neighbours of a row, 16 bytes, and a warp 16 rows of 32 bytes: whole sectors.",
                  "Then it stores them one by one, each to another row of the tile.", apart=18)


@drawn("09", 720, 226, "Two blocks over time: block 1 waits for the readers of its tile before it writes", file="hand_over.svg")
def hand_over(picture):
    """Step 09.5: two blocks of one column of tiles over time, and the write-after-read dependency between them."""
    picture.words(20, 28, "Tile 1 of B lies below tile 0: block 0 reads both tiles, and each block writes its own")
    picture.small(20, 63, "block 0", "block 1", apart=68)
    for x, y, *bar in (
        (80, 46, 64, 26, "b", "number 0"), (146, 46, 258, 26, "a", "sums: reads tile 0, then tile 1"),
        (410, 46, 118, 26, "b", "readers of tile 1: 1"), (534, 46, 110, 26, "hot", "writes tile 0"),
        (130, 114, 64, 26, "b", "number 1"), (196, 114, 122, 26, "a", "sums: reads tile 1"),
        (324, 114, 222, 26, "pale", "waits while readers of tile 1 are 0"), (552, 114, 110, 26, "hot", "writes tile 1")):
        picture.box(x, y, *bar)
        if x >= 324:
            picture.line((x - 3, y - 6), (x - 3, y + 32))
    picture.arrow((504, 72), (540, 114))
    picture.small(20, 176,
                  "A vertical line is a memory fence: for other blocks, too, what is left of it comes before what is right of it. The",
                  "arrow is the write-after-read dependency: block 0 reads tile 1 before block 1 writes it. Block 0 waits for no block.",
                  "Time runs to the right; the widths are drawn, not measured.")


@drawn("13", 720, 340, "What the seven kernels of a time step wait for", PLOT_STYLE, file="dependences.svg")
def dependences(picture):
    for kind, *points in (
        ("", (104, 128), (240, 60)), ("", (304, 57), (440, 80)), ("", (304, 127), (440, 95)), ("", (104, 137), (440, 224)),
        ("", (104, 133), (620, 222)), ("theirs", (104, 146), (240, 226)), ("theirs", (298, 144), (460, 215)),
        ("theirs", (304, 236), (440, 236)), ("theirs", (504, 236), (620, 236)),
        ("theirs", (272, 249), (272, 282), (652, 282), (652, 249))):
        picture.arrow(*points, kind=kind)
    for place in (
        (118, 84, "potential"), (340, 60, "sums of blocks"), (196, 141, "force"), (112, 200, "position"), (386, 172, "velocity"),
        (346, 252, "velocity"), (520, 252, "acceleration"), (430, 277, "acceleration")):
        picture.small(*place)
    for number, x, y, kind in (
        (1, 40, 120, "b"), (2, 240, 40, "c"), (3, 240, 110, "c"), (4, 440, 70, "c"), (5, 240, 215, "a"), (6, 440, 215, "a"), (7, 620, 215, "a")):
        picture.box(x, y, 64, 34, kind, f"K{number}", font="mid")
    picture.small(20, 310, "A solid arrow: a value that the first kernel writes and the second one reads.",
                  "A dashed one: a value that the first reads before the second overwrites it, an anti-dependence.", apart=18)


@drawn("pages", 720, 350, "Two kernels apart, and merged by three strategies: what each warp does", file="strategies.svg")
def strategies(picture):
    for number, (words, *blocks) in enumerate([  # of each block its place, and what its warps do in turn
        ("Apart: two launches", (20, "5"), (110, "5"), (240, "6"), (330, "6")),
        ("Strategy 1: each thread does one part after the other", (20, "56"), (110, "56")),
        ("Strategy 2: even warps do K5, odd warps K6, for two particles each", (20, "55", "66"), (110, "55", "66")),
        ("Strategy 3: likewise, for one particle each, and twice as many blocks", *((20 + 90 * block, "5", "6") for block in range(4)))]):
        y = 44 + 72 * number
        picture.words(20, y - 10, words)
        for x, *turns in blocks:
            picture.grid(x, y, 4, len(turns[0]), (19, 18), lambda warp, turn: {"5": "a", "6": "b"}[turns[warp % len(turns)][turn]])
            picture.box(x - 2, y - 2, 80, 18 * len(turns[0]) + 4, "frame")
    picture.key(560, 56, "a", "K5")
    picture.key(560, 80, "b", "K6")
    picture.small(20, 322, "256 particles. A frame is a block of four warps, a column a warp; time goes down. Only with strategy 1 does a thread",
                  "have both parts of a particle, so that what both need is loaded once.")


def over_time(picture, x, y, title, end, *turns):
    """Who computes what on 4 multiprocessors: of each its tiles in turn. "1<" is the first half of tile 1, "1>" its second."""
    picture.words(x, y - 30, title)
    for number, row in enumerate(turns):
        at = x + 20
        picture.small(x, y + 17 + 30 * number, number)
        for tile in row.split():
            width, kind = (48, "b") if "<" in tile else (48, "b pale") if ">" in tile else (96, "a")
            picture.box(at, y + 30 * number, width, 26, kind, tile.strip("<>"), font="mid")
            at += width
    picture.line((x + 20 + 96 * end, y - 10), (x + 20 + 96 * end, y + 126))


@drawn("14", 720, 770,
       "A block tile of 96 x 128 of C, its four warp tiles, the thread tile of 12 x 8 of each thread of a warp, and ten tiles on "
       "four multiprocessors: data-parallel in three waves, the last half empty; stream-K, where all end at the same time; and "
       "stream-K with fix-up, where a block begins with the tile that the next block ends with")
def past_cublas(picture):
    lane = lambda down, across: down % 2 + across % 2 * 2 + down // 2 * 4 + across // 2 * 8
    picture.words(20, 28, "A block tile of C: 96 x 128, of 4 warp tiles")
    for warp in range(4):
        picture.box(20 + warp % 2 * 128, 42 + warp // 2 * 96, 128, 96, "" if warp else "c", f"warp {warp}: 48 x 64")
    picture.small(20, 252, "Each of the 128 threads has a thread tile of 12 x 8:", "3 runs of 4 rows with a stride of 16, times",
                  "2 runs of 4 columns with a stride of 32.")
    picture.words(360, 28, "Warp tile 0: 48 x 64; a cell is 4 x 4 elements")
    picture.grid(360, 42, 16, 12, 20, lambda across, down: "c pale" if lane(down % 4, across % 8) else "hot",
                 lambda across, down: lane(down, across) if down < 4 and across < 8 else "")
    picture.box(360, 42, 160, 80, "frame")
    picture.arrow((280, 90), (352, 90))
    picture.small(360, 300, "Framed: 4 x 8 lanes, repeated 5 times. Thread 0 has the", "6 red cells: its fragments are 3 runs of A and 2 of B.")
    over_time(picture, 20, 386, "Data-parallel: the last wave is half empty", 3, "0 4 8", "1 5 9", "2 6", "3 7")
    over_time(picture, 360, 386, "Stream-K: 6 tiles for 4 blocks, then whole tiles", 2.5, "0 1< 6", "1> 2 7", "3 4< 8", "4> 5 9")
    picture.box(620, 386, 8, 116, "hot")
    picture.small(20, 530, "Rows are multiprocessors with a place for one", "block each, numbers are tiles, time goes right.")
    picture.small(360, 530, "Tiles 1 and 4 are divided along k. Their partial sums, in two",
                  "shades, go to scratch memory. A second kernel, red, adds them.")
    over_time(picture, 20, 620, "Stream-K with fix-up: from the last tile to the first", 2.5, "1< 0 6", "2 1> 7", "4< 3 8", "5 4> 9")
    for y in (620, 680):
        picture.arrow((88, y + 18), (146, y + 42))
    picture.small(360, 638, "A block begins with the tile that its iterations end with.",
                  "Its partial sums go to scratch memory, and are there when", "the next block, which ends with that tile, needs them.",
                  "Half as many partial sums are stored; no kernel follows.")


@drawn("15", 720, 452,
       "The elements of the fragments of mma.m16n8k8, each with the lane that holds it: of A 16 x 8, of B 8 x 8, of the sums 16 x 8")
def fragments(picture):
    own = lambda lane: "hot" if lane == 5 else "" if lane // 4 % 2 else "pale a"
    of_a = lambda k, row: row % 8 * 4 + k % 4
    of_b = lambda column, k: column * 4 + k % 4
    of_sum = lambda column, row: row % 8 * 4 + column // 2
    picture.words(40, 28, "A: 16 x 8")
    picture.grid(40, 148, 8, 16, (24, 17), lambda k, row: own(of_a(k, row)), of_a)
    picture.words(290, 28, "B: 8 x 8")
    picture.grid(290, 42, 8, 8, (24, 12), lambda column, k: own(of_b(column, k)), of_b)
    picture.grid(290, 148, 8, 16, (24, 17), lambda column, row: own(of_sum(column, row)), of_sum)
    picture.small(40, 140, "k = 0")
    picture.small(510, 60, "A number is the lane that holds", "the element. Lane 5, red, has", "4 elements of A, 2 of B and", "4 of the sums.")
    picture.small(510, 164, "The sums, 16 x 8: C += A B.", "ldmatrix brings 4 pieces of A,", "8 rows of 16 bytes each: lane 5", "gets the second word of row 1",
                  "of each piece.")
    picture.small(40, 440, "mma.sync.m16n8k8, in TF32: 2048 operations of a warp in one instruction.")


@drawn("pages", 720, 296, "A tile of eight rows of eight chunks of 16 bytes: plain, where a column of chunks lies in four banks; swizzled, in all 32",
       file="swizzle.svg")
def swizzle(picture):
    for x, words, place in ((40, "plain: chunk c of row r at c", lambda at, row: at), (400, "swizzled: at c xor r", lambda at, row: at ^ row)):
        picture.words(x, 28, words)
        picture.grid(x, 42, 8, 8, (34, 24), lambda at, row: "hot" if place(at, row) == 2 else "", place)
        picture.below(252, [(x + 34 * at + 17, f"{4 * at}") for at in range(8)])
    picture.small(40, 280, "A number is the chunk of its row that lies there; below: the first of its four banks. Red: chunk 2 of all rows, a column.")


@drawn("pages", 720, 214, "A producer that brings panels, and two consumers that multiply them in turns, over time", file="specialized.svg")
def specialized(picture):
    for number, words in enumerate(("producer", "consumer 0", "consumer 1", "tensor cores")):
        picture.small(20, 62 + 38 * number, words)
    for panel in range(4):
        picture.box(110 + 128 * panel, 44, 100, 26, "a", f"brings {panel + 1}" if panel else "brings 0, 1")
        for consumer in (0, 1):
            begin = 160 + 128 * panel + 64 * consumer
            picture.box(begin, 82 + 38 * consumer, 64, 26, "c", f"panel {panel}")
            picture.box(begin + 64, 82 + 38 * consumer, 34, 26, "b", "adds")
            picture.box(begin, 158, 64, 26, "c", f"{panel} of {consumer}")
    picture.small(110, 28, "time goes right")
    picture.small(20, 204, "Green: multiplies. When both have multiplied a panel, it is empty, and the one that comes two later is brought.")


@drawn("13")
def launches(picture):
    """Which kernels a launch has in each design, and what it takes, as recorded."""
    run = next((run for run in lab.runs() if run.target == "step13" and run.path.stem.endswith("-h200-10000-rest")), None)
    if not run:
        return
    designs = {"slices": ("K2", "K3", "K4", "K5", "K6", "K7"), "merged": ("K2", "K3", "K4", "K5, K6, K7"),
               "one_launch": ("K2 to K7",), "all_steps": ("K2 to K7",)}
    picture.sheet(720, 62 + 36 * len(designs), "Launches of a time step without its forces, over time")
    unit = 560 / run.kernels["slices"]["time_ms"]["median"]
    picture.small(20, 24, f"A time step of {run.problem['n']} particles without K1, a box for each launch; microseconds, {run.device['name']}")
    for number, (name, words) in enumerate(designs.items()):
        x, y, ms = 110, 38 + 36 * number, run.kernels[name]["time_ms"]["median"]
        each = run.kernels[name].get("launch_ms", [1.0])
        picture.words(20, y + 17, name)
        for width, text in zip(each, words):
            width *= ms * unit / sum(each)
            picture.box(x, y, width, 26, "c" if len(text) > 2 else "a", text)
            x += width
        picture.small(x + 8, y + 17, f"{1000 * ms:.1f}")
    picture.small(20, 38 + 36 * len(designs) + 12, "The whole is measured, and divided among its launches by their times with an event after each.")


@drawn("pages", file="energy.svg")
def energy_by_component(picture):
    """What energy.md shows: figure 9 of step 08's paper, as modelled from a GPU's counters."""
    taken = kernel_summation.runs_of(lab.studies(), "step08", kernel_summation.PAPER)
    if not taken:
        return
    device, _, runs = taken[0]
    rows = ["cublas_unfused", "cuda_unfused", "fused", "fused_fast"]
    dimensions, sources = sorted({k for k, _ in runs}), sorted({m for _, m in runs})
    bar, high, group = 15, 150, 15 * len(rows) + 12
    wide = max(group * len(sources), 250)
    picture.sheet(2 * wide + 130, 2 * (high + 80) + 70, f"Modelled energy by component on an {device}, cublas_unfused = 1", PLOT_STYLE)
    colours = {"a": "arithmetic", "c": "shared memory", "b": "L2", "hot": "DRAM"}
    for number, k in enumerate(dimensions):
        left, top = 50 + number % 2 * (wide + 50), 40 + number // 2 * (high + 80)
        found = {m: [kernel_summation.shares(runs[k, m][0], row, rows[0]) for row in rows] for m in sources if (k, m) in runs}
        place_y = scale(top + high, top, 0, most := max([1.0] + [sum(shares) for cells in found.values() for shares in cells if shares]))
        picture.words(left, top - 12, f"K = {k}")
        picture.rules(left, left + wide, left - 30, [(place_y(mark / 4), f"{mark / 4:g}") for mark in range(int(most * 4) + 1)])
        for place, (m, cells) in enumerate(found.items()):
            x = left + 6 + group * place
            for form, shares in enumerate(cells):
                y = top + high
                for kind, share in zip(colours, shares or []):
                    y -= high * share / most
                    picture.box(x + bar * form, y, bar - 3, high * share / most, kind)
                if shares:
                    picture.small(x + bar * form + 1, top + high + 12, form + 1)
            picture.small(x, top + high + 28, f"M = {m}")
    below = 2 * (high + 80) + 40
    for number, (kind, words) in enumerate(colours.items()):
        picture.key(50 + 120 * number, below, kind, words)
    picture.small(50, below + 20, "1 cublas_unfused, which is 1   2 cuda_unfused   3 fused   4 fused_fast")


@drawn("11", file="table1.svg")
def apsp_table1(picture):
    """The paper's table 1 at 10 arcs for each vertex, over logarithmic axes."""
    names = {  # of a line: its words and its kind
        "floyd_warshall": ("floyd_warshall", "ours tone0"), "floyd_warshall_blocked": ("floyd_warshall_blocked", "ours tone1"),
        "min_plus": ("min_plus", "ours tone2"), "paper_floyd_warshall_ms": ("paper, Floyd-Warshall", "theirs tone1"),
        "paper_min_plus_ms": ("paper, matrix multiply", "theirs tone2"), "host_dijkstra_ms": ("host, Dijkstra", "host"),
        "host_floyd_warshall_ms": ("host, Floyd-Warshall", "host tone1")}
    runs = [run for study in lab.studies() if study.target == "step11" for run in study.runs]
    found = {run["problem"]["n"]: {kernel["name"]: kernel["time_ms"]["median"] for kernel in run["kernels"]} | run["solution"]
             for run in runs if run["problem"]["arcs"] > 5 * run["problem"]["n"]}
    lines = {key: line for key in names if (line := {n: figures[key] for n, figures in found.items() if key in figures})}
    if not lines:
        return
    picture.sheet(720, 380, "Step 11: the paper's table 1, 10 arcs for each vertex", PLOT_STYLE)
    left, right, top, bottom = 64, 500, 24, 330
    marks = decades([ms for line in lines.values() for ms in line.values()])
    place_x, place_y = scale(left, right, min(found), max(found), math.log), scale(bottom, top, marks[0], marks[-1], math.log)
    picture.rules(left, right, 12, [(place_y(ms), f"{ms:,g}") for ms in marks])
    picture.below(bottom + 18, [(place_x(n), n) for n in sorted(found)])
    picture.below(bottom + 38, [((left + right) / 2, "vertices, 10 arcs for each")])
    picture.small(12, 14, "ms")
    for number, (key, line) in enumerate(lines.items()):
        words, kind = names[key]
        picture.line(*((place_x(n), place_y(ms)) for n, ms in sorted(line.items())), kind=kind)
        picture.key(right + 24, top + 20 + 24 * number, kind, words, 28)


@drawn("12", file="smooth.svg")
def smoothness(picture):
    """Figures 3 and 4 of its paper, the speed over the size, of all forms and beside cuBLAS."""
    study = next((study for study in lab.studies() if study.target == "step12"), None)
    if not study:
        return
    found = forms.speeds(study)
    picture.sheet(840, 330, "Speed over the size, of all four products, in float and in double", PLOT_STYLE)
    for left, real, words, row, most in ((46, "f32", "float", "any_async", 60), (466, "f64", "double", "doubles_tensor", 70)):
        top, wide, high = 40, 300, 220
        sizes = [n for n in sorted(found[real, "nn"][row]) if n >= 1000]
        place_x = lambda n: left + wide * sizes.index(n) / (len(sizes) - 1)
        place_y = scale(top + high, top, 0, most)
        picture.small(left - 34, top - 16, f"TFLOP/s, {words}")
        picture.rules(left, left + wide, left - 30, [(place_y(speed), speed) for speed in range(0, most + 1, 10)])
        picture.below(top + high + 28, [(place_x(1000), 1000)])
        picture.below(top + high + 16, [(place_x(n), n) for n in (1024, 2048, 4096, 8192)])
        for tone, form in enumerate(("nn", "nt", "tn", "tt")):
            for name, kind in ((row, "ours"), ("cublas", "theirs")):
                line = found[real, form][name]
                picture.line(*((place_x(n), place_y(line[n][0])) for n in sizes), kind=f"{kind} tone{tone}")
    for tone, form in enumerate(("nn", "nt", "tn", "tt")):
        picture.key(46 + 80 * tone, 316, f"ours tone{tone}", form, 24)
    picture.small(380, 316, "solid lines: any_async, doubles_tensor; dashed lines: cuBLAS")


class Roofs:
    """The roofs of an H200, and the places of rows under them: at the FLOP for a byte that each level moves."""

    LEFT, RIGHT, TOP, BOTTOM = 60, 530, 40, 360
    LOWEST, HIGHEST, SLOWEST, FASTEST = 0.22, 512, 0.4, 100
    x = staticmethod(scale(LEFT, RIGHT, LOWEST, HIGHEST, math.log))
    y = staticmethod(scale(BOTTOM, TOP, SLOWEST, FASTEST, math.log))

    def __init__(self, picture, title):
        arithmetic, memory = machine.rates()
        peak = arithmetic["FP32"] / 1e12
        self.picture = picture
        picture.sheet(720, 424, title, PLOT_STYLE)
        self.tones = dict(zip(memory, ("tone0", "tone1", "tone2")))
        self.counted = next(run for run in lab.counted() if run.problem["m"] == 4096)
        picture.rules(self.LEFT, self.RIGHT, 28, [(self.y(rate), rate) for rate in (0.5, 1, 2, 5, 10, 20, 50, 100)])
        picture.below(self.BOTTOM + 18, [(self.x(2.0**power), 2**power if power >= 0 else f"1/{2**-power}") for power in range(-2, 10)])
        picture.below(self.BOTTOM + 38, [((self.LEFT + self.RIGHT) / 2, "FLOP for a byte that the level moves")])
        picture.small(12, 20, "TFLOP/s")
        picture.line((self.x(peak / (memory["shared memory"] / 1e12)), self.y(peak)), (self.RIGHT, self.y(peak)))
        picture.small(self.RIGHT - 190, self.y(peak) - 8, f"FP32 arithmetic: {peak:.1f} TFLOP/s")
        for number, (level, rate) in enumerate(memory.items()):
            slope, kind = rate / 1e12, f"ours {self.tones[level]}"
            start = max(self.LOWEST, self.SLOWEST / slope)
            picture.line((self.x(start), self.y(start * slope)), (self.x(peak / slope), self.y(peak)), kind=kind)
            picture.key(self.RIGHT + 12, 254 + 20 * number, kind, f"{level}, {rate / 1e12:.1f} TB/s", 24)
        picture.small(self.LEFT, 416, "A ring is a kernel, in the colour of the level whose bytes are counted: m = n = k = 4096 on an H200.")

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
        return {level: (self.x(self.counted.problem["flops"] / count), self.y(self.rate(name))) for level, count in moved.items() if count}

    def add(self, *names):
        """Their rings, each row's on a line that ends in its name, which lies below the name of a faster one."""
        above = 0
        for name in sorted(names, key=self.rate, reverse=True):
            places, height = self.places(name), self.y(self.rate(name))
            self.picture.line((min(x for x, _ in places.values()), height), (self.RIGHT + 6, height), kind="host")
            for level, (x, y) in places.items():
                self.picture.ring(x, y, 4, self.tones[level])
            above = max(height, above + 12)
            self.picture.small(self.RIGHT + 10, above + 4, name.removeprefix("step").replace(".", " "))


@drawn("pages", file="roofline.svg")
def roofline(picture):
    """What hardware.md shows: where the matrix product's steps stand."""
    roofs = Roofs(picture, "Rooflines of an H200: memory, L2, shared memory, and steps of the matrix product")
    roofs.add("step01.coalesced", "step03.block_32x32", "step05.values_8x8", "step07.placed")


def moved_under_roofs(step, picture):
    """What a step of the matrix product shows: its fastest row, and arrows from where the parent's stood."""
    roofs = Roofs(picture, f"Under the roofs of an H200: what step {step.number} moves")
    rows = [name for name in roofs.counted.rows if name.startswith(step.target + ".")]
    before = [name for name in roofs.counted.rows if step.parent and name.startswith(step.parent.target + ".")]
    if not rows:
        return picture.sheet()
    own = max(rows, key=roofs.rate)
    parent = max(before, key=roofs.rate) if before else min(rows, key=roofs.rate)
    to = roofs.places(own)
    roofs.add(parent, own)
    for level, start in roofs.places(parent).items():
        far = math.dist(start, to.get(level, start))
        if far > 20:
            along = lambda length: [round(a + (b - a) * length / far, 1) for a, b in zip(start, to[level])]
            picture.arrow(along(7), along(far - 7), kind=roofs.tones[level])


@drawn("pages", file="series.svg")
def speeds(picture):
    """What README.md shows: the fastest row of every step as recorded, and the reference of the same run."""
    gpu = [run for run in lab.runs() if run.runtime == "gpu"]
    recorded = [(step, series.recorded_run(step, gpu)) for step in lab.steps()]
    shown = [(step, run, max(run.own, key=lambda row: row["gflops"])) for step, run in recorded if run and all("gflops" in row for row in run.own)]
    left, high, top = 170, 26, 30
    unit = 480 / max(row["gflops"] / 1000 for _, _, row in shown)
    device = shown[0][1].device["name"]
    picture.sheet(720, top + high * len(shown) + 46, f"Speed of every step on an {device}, beside cuBLAS")
    picture.small(20, 20, f"TFLOP/s of every step on an {device}")
    for number, (step, run, row) in enumerate(shown):
        y = top + high * number
        kind = "b" if run.problem["type"] == "f64" else "a" if step.family == "gemm" else "c"
        length = unit * row["gflops"] / 1000
        picture.words(20, y + 15, f"{step.number} {step.name}")
        picture.box(left, y + 2, length, high - 8, kind)
        if "percent_of_reference" in row:
            reference = left + 100 * length / row["percent_of_reference"]
            picture.line((reference, y - 1), (reference, y + high - 3))
        picture.small(664, y + 15, tflops(row))
    y = top + high * len(shown) + 30
    for number, (kind, words) in enumerate({"a": "matrix product, FP32", "c": "other problems, FP32", "b": "FP64"}.items()):
        picture.key(20 + 150 * number, y, kind, words)
    picture.line((404, y - 12), (404, y + 4))
    picture.small(412, y, "the same problem by cuBLAS; shortest paths: by the host")


def panel(picture, left, top, number, run):
    """One figure of the shape study: points side by side, a line for each series."""
    points, lines = shapes.series(number, run)
    wide, high, logarithmic = 236, 130, shapes.FIGURES[number][4]
    figures = [figure for _, _, line in lines for figure in line if figure]
    if logarithmic:
        marks = decades(figures)
        place_y = scale(top + high, top, marks[0], marks[-1], math.log)
    else:
        most = max(figures) * 1.1
        step = 10 ** math.floor(math.log10(most))
        step = step / 2 if most / step < 3 else step
        marks = [mark * step for mark in range(int(most / step) + 1)]
        place_y = scale(top + high, top, 0, most)
    place_x = lambda p: left + wide * (p + 0.5) / len(points)
    picture.small(left - 46, top - 12, shapes.title(number))
    picture.rules(left, left + wide, left - 46, [(place_y(mark), f"{mark:g}") for mark in marks])
    picture.below(top + high + 15, [(place_x(p), point.removeprefix("none: ")) for p, point in enumerate(points)])
    for tone, (words, _, line) in enumerate(lines):
        there = [(place_x(p), place_y(figure)) for p, figure in enumerate(line) if figure]
        picture.line(*there, kind=f"ours tone{tone}")
        for x, y in there:
            picture.ring(x, y, 2.5, f"tone{tone}")
        if len(lines) > 1:
            picture.key(left + wide + 10, top + 12 + 18 * tone, f"ours tone{tone}", words.removesuffix("_dependency"), 16)


@drawn("pages", file="shapes.svg")
def shape_figures(picture):
    """What shapes.md shows: the paper's figures, of the run that comes nearest to it."""
    runs = shapes.shown(shapes.taken(lab.studies(), lab.studies(runtime="sim")))
    run = max(runs, key=lambda run: (not run.is_simulated, run.size))
    numbers = [number for number in shapes.FIGURES if shapes.series(number, run)[1]]
    rows = (len(numbers) + 1) // 2
    picture.sheet(820, 200 * rows + 30, "The figures of the shape study", PLOT_STYLE)
    for i, number in enumerate(numbers):
        panel(picture, 62 + 405 * (i % 2), 34 + 200 * (i // 2), number, run)
    picture.small(16, 200 * rows + 18, run.where)


def pictures():
    """Path and text of each."""
    folders = {step.number: step.path for step in lab.steps()} | {"pages": lab.ROOT / "docs" / "pages"}
    for step in lab.steps():
        if step.family == "gemm":
            drawn(step.number, file=f"roofs{step.number}.svg")(functools.partial(moved_under_roofs, step))
    for (place, file), (sheet, draw) in DRAWN.items():
        picture = Picture(*sheet)
        draw(picture)
        if picture.width:
            yield folders[place] / file, picture.text()


def main():
    return lab.rewrite(pictures(), "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
