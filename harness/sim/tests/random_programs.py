#!/usr/bin/env python3
"""Random programs: kernels of random PTX, whose results have one outcome on every machine.

    random_programs.py SEED COUNT > programs.cu

A program that is built from the file runs all kernels and prints a line for each: its number, and a
hash of all that its threads have in their registers at the end. On a GPU and on the simulator the
lines must be the same. What the hardware approximates (ex2, sin, ...) is left out, and so is all
that depends on an order: sums by atomic operations are of integers, and who reads shared memory has
waited at a barrier. PTX leaves open which NaN some instructions give: of several operands of 64 bits
ptxas swaps two at will, and it takes neg, abs, and min and max of a register with itself into other
instructions. Such a NaN becomes one known NaN before it can go on. What ptxas 13.0 gets wrong is
left out, too: a product of FP8 whose result and C share registers at different places, a shift by
what was computed as a float (it becomes an integer first), abs of the least integer (it counts as
positive), saturation where a sum cancels, and what it makes of a value that is one of two alone.
"""
import random
import sys

THREADS, WORDS = 64, 14  # of a block; 32-bit registers
PAIRS = 4  # 64-bit registers
SHORTS = 4  # 16-bit registers
PREDICATES = 4
SPECIAL = [
    0, 1, 2, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000,
    0x7F800001, 0x00000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x4F000000, 0xCF000000, 0x33800000, 0x3C003C00,
    0x7C00FC00, 0x7E000001, 0x03FF0400, 0x80000001, 0x5F000000, 0x3F7FFFFF, 0x4B800000, 0x3FF00000, 0x7FF00000,
]
ROUNDINGS = ["rn", "rz", "rm", "rp"]


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.labels = 0
        self.is_branched = False

    def emit(self, text):
        self.lines.append(text)

    def r(self):
        return f"r{self.rng.randrange(WORDS)}"

    def d(self):
        return f"d{self.rng.randrange(PAIRS)}"

    def h(self):
        return f"h{self.rng.randrange(SHORTS)}"

    def p(self):
        return f"p{self.rng.randrange(PREDICATES)}"

    def one(self, *choices):
        return self.rng.choice(choices)

    def word(self):
        """A register, or a constant."""
        if self.rng.random() < 0.8:
            return self.r()
        return f"0x{self.one(self.rng.getrandbits(32), *SPECIAL):08x}"

    def guard(self):
        if self.rng.random() < 0.85:
            return ""
        return f"@{self.one('', '!')}{self.p()} "

    def settle(self, register):
        """Any NaN becomes the same NaN."""
        kind, nan = ("64", "0x7ff8000000000000") if register[0] == "d" else ("32", "0x7fffffff")
        self.emit(f"testp.notanumber.f{kind} q, {register}; @q mov.b{kind} {register}, {nan};")

    # ---- kinds of instructions ----

    def integer(self):
        t = self.one("u32", "s32")
        op = self.one(
            f"add.{t} D, A, B", f"sub.{t} D, A, B", f"mul.lo.{t} D, A, B", f"mul.hi.{t} D, A, B", f"mad.lo.{t} D, A, B, C",
            f"mad.hi.{t} D, A, B, C", f"mul24.lo.{t} D, A, B", f"mul24.hi.{t} D, A, B", f"mad24.lo.{t} D, A, B, C",
            f"sad.{t} D, A, B, C", f"min.{t} D, A, B", f"max.{t} D, A, B", "and.b32 t, A, 0x7ffffffe; sub.s32 t, t, 0x3fffffff; abs.s32 D, t", "neg.s32 D, A",
            "and.b32 t, A, 0xfffffffe; add.sat.s32 D, t, B", "and.b32 t, A, 0xfffffffe; sub.sat.s32 D, t, B", "popc.b32 D, A", "clz.b32 D, A", "brev.b32 D, A",
            f"bfind.{t} D, A", f"bfind.shiftamt.{t} D, A", f"bfe.{t} D, A, B, C", "bfi.b32 D, A, B, C, A",
            f"shr.{t} D, A, B", "shl.b32 D, A, B", "and.b32 D, A, B", "or.b32 D, A, B", "xor.b32 D, A, B",
            "not.b32 D, A", "cnot.b32 D, A", f"lop3.b32 D, A, B, C, {self.rng.randrange(256)}",
            f"prmt.b32 D, A, B, {self.rng.randrange(1 << 16)}", f"prmt.b32.{self.one('f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16')} D, A, B, C",
            f"shf.{self.one('l', 'r')}.{self.one('wrap', 'clamp')}.b32 D, A, B, C",
            f"dp4a.{self.one('u32', 's32')}.{self.one('u32', 's32')} D, A, B, C",
            f"dp2a.{self.one('lo', 'hi')}.{self.one('u32', 's32')}.{self.one('u32', 's32')} D, A, B, C",
            f"div.{t} D, A, B", f"rem.{t} D, A, B", f"szext.{self.one('wrap', 'clamp')}.{t} D, A, B",
            f"bmsk.{self.one('wrap', 'clamp')}.b32 D, A, B",
        )
        if op.startswith(("div", "rem")):  # by 0 has no one result
            self.emit("or.b32 r0, r0, 1;")
            op = op.replace("B", "r0")
        self.fill(op)

    def fill(self, op, letters="ABC"):
        """Registers for the letters of a template; D is written."""
        takes_constants = not op.startswith(("bf", "bmsk", "szext"))
        words = {letter: self.word() if takes_constants else self.r() for letter in letters}
        *before, last = op.split("; ")
        for text, guard in [(text, "") for text in before] + [(last, self.guard())]:
            self.emit(guard + "".join(self.r() if c == "D" else words.get(c, c) for c in text) + ";")

    def carry(self):
        a, b, c, d = self.r(), self.r(), self.r(), self.r()
        first, second = self.one(("add.cc.u32", "addc.u32"), ("sub.cc.u32", "subc.u32"), ("mad.lo.cc.u32", "madc.hi.u32"))
        more = f", {self.r()}" if first.startswith("mad") else ""
        self.emit(f"{first} {a}, {b}, {c}{more};")
        self.emit(f"{second} {d}, {b}, {c}{more};")

    def wide(self):
        t = self.one("u64", "s64")
        a, b, c, d = self.d(), self.d(), self.d(), self.d()
        self.emit(f"and.b32 t, {self.r()}, 127; and.b32 u, {self.r()}, 255;")  # as much as fields may have
        self.emit(
            self.guard()
            + self.one(
                f"add.{t} {d}, {a}, {b};", f"sub.{t} {d}, {a}, {b};", f"mul.lo.{t} {d}, {a}, {b};", f"mul.hi.{t} {d}, {a}, {b};",
                f"mad.lo.{t} {d}, {a}, {b}, {c};", f"min.{t} {d}, {a}, {b};", f"max.{t} {d}, {a}, {b};", f"abs.s64 {d}, {a};",
                f"and.b64 {d}, {a}, {b};", f"xor.b64 {d}, {a}, {b};", f"not.b64 {d}, {a};", f"shl.b64 {d}, {a}, u;",
                f"shr.{t} {d}, {a}, u;", f"mul.wide.{self.one('u32', 's32')} {d}, {self.r()}, {self.r()};",
                f"mad.wide.{self.one('u32', 's32')} {d}, {self.r()}, {self.r()}, {c};", f"brev.b64 {d}, {a};",
                f"mov.b64 {d}, {{{self.r()}, {self.r()}}};", f"popc.b64 {self.r()}, {a};", f"clz.b64 {self.r()}, {a};",
                f"bfe.{t} {d}, {a}, t, u;", f"bfi.b64 {d}, {a}, {b}, t, u;",
            )
        )

    def short(self):
        t = self.one("u16", "s16")
        a, b, c, d = self.h(), self.h(), self.h(), self.h()
        self.emit(f"and.b32 t, {self.r()}, 31;")
        self.emit(
            self.one(
                f"add.{t} {d}, {a}, {b};", f"sub.{t} {d}, {a}, {b};", f"mul.lo.{t} {d}, {a}, {b};", f"mul.hi.{t} {d}, {a}, {b};",
                f"mad.lo.{t} {d}, {a}, {b}, {c};", f"min.{t} {d}, {a}, {b};", f"max.{t} {d}, {a}, {b};", f"and.b16 {d}, {a}, {b};",
                f"xor.b16 {d}, {a}, {b};", f"shl.b16 {d}, {a}, t;", f"shr.{t} {d}, {a}, t;",
                f"mul.wide.{t} {self.r()}, {a}, {b};", f"mov.b32 {self.r()}, {{{a}, {b}}};", f"mov.b32 {{{d}, {c}}}, {self.r()};"
                if d != c else f"neg.s16 {d}, {a};",
            )
        )

    def single(self):
        rnd, ftz = self.one(*ROUNDINGS), self.one("", ".ftz")
        sat = self.one("", "", ".sat")
        op = self.one(
            f"add.{rnd}{ftz}{sat}.f32 D, A, B", f"sub.{rnd}{ftz}{sat}.f32 D, A, B", f"mul.{rnd}{ftz}{sat}.f32 D, A, B",
            f"fma.{rnd}{ftz}{sat}.f32 D, A, B, C", f"min{ftz}{self.one('', '.NaN')}.f32 D, A, B",
            f"max{ftz}{self.one('', '.NaN')}.f32 D, A, B", f"min{ftz}.xorsign.abs.f32 D, A, B", f"abs{ftz}.f32 D, A",
            f"neg{ftz}.f32 D, A", f"rcp.{rnd}{ftz}.f32 D, A", f"sqrt.{rnd}{ftz}.f32 D, A", f"div.{rnd}{ftz}.f32 D, A, B",
            "copysign.f32 D, A, B",
        )
        letters = {c: self.r() for c in "ABC"} | {"D": self.r()}
        self.emit(self.guard() + "".join(letters.get(c, c) for c in op) + ";")
        if op.startswith(("neg", "abs", "min", "max")):
            self.settle(letters["D"])

    def double(self):
        rnd = self.one(*ROUNDINGS)
        a, b, c, d = self.d(), self.d(), self.d(), self.d()
        self.emit(
            self.guard()
            + self.one(
                f"add.{rnd}.f64 {d}, {a}, {b};", f"sub.{rnd}.f64 {d}, {a}, {b};", f"mul.{rnd}.f64 {d}, {a}, {b};",
                f"fma.{rnd}.f64 {d}, {a}, {b}, {c};", f"min.f64 {d}, {a}, {b};", f"max.f64 {d}, {a}, {b};", f"neg.f64 {d}, {a};",
                f"abs.f64 {d}, {a};", f"rcp.{rnd}.f64 {d}, {a};", f"sqrt.{rnd}.f64 {d}, {a};", f"div.{rnd}.f64 {d}, {a}, {b};",
                f"copysign.f64 {d}, {a}, {b};",
            )
        )
        self.settle(d)

    def half(self):
        a, b, c, d = self.r(), self.r(), self.r(), self.r()
        self.emit(f"and.b32 t, {a}, 0xbfffbfff;")  # no NaN
        t = self.one("f16x2", "bf16x2")
        ftz = self.one("", ".ftz") if t == "f16x2" else ""
        sat = self.one("", ".sat") if t == "f16x2" else ""
        relu = self.one("", ".relu")
        self.emit(
            self.one(
                f"add.rn{ftz}{sat}.f16x2 {d}, {a}, {b};", f"sub.rn{ftz}{sat}.f16x2 {d}, {a}, {b};", f"mul.rn{ftz}{sat}.f16x2 {d}, {a}, {b};",
                f"fma.rn{relu if not sat else ''}.{t} {d}, {a}, {b}, {c};", f"min.{t} {d}, {a}, t;", f"max.{t} {d}, t, {b};",
                f"min.NaN.{t} {d}, {a}, t;", f"neg.{t} {d}, t;", f"abs.{t} {d}, t;",
                f"set.{self.one('lt', 'eq', 'geu', 'nan')}.f16x2.f16x2 {d}, {a}, {b};",
            )
        )

    def convert(self):
        rnd = self.one("rni", "rzi", "rmi", "rpi")
        up = self.one(*ROUNDINGS)
        ftz, sat = self.one("", ".ftz"), self.one("", ".sat")
        i32, i64, i16 = self.one("u32", "s32"), self.one("u64", "s64"), self.one("u16", "s16")
        r, s, d, e, h = self.r(), self.r(), self.d(), self.d(), self.h()
        self.emit(
            self.one(
                f"cvt.{rnd}{ftz}.{i32}.f32 {r}, {s};", f"cvt.{rnd}{ftz}.{i64}.f32 {d}, {s};", f"cvt.{rnd}.{i32}.f64 {r}, {d};",
                f"cvt.{rnd}.{i64}.f64 {d}, {e};", f"cvt.{up}.f32.{i32} {r}, {s};", f"cvt.{up}.f32.{i64} {r}, {d};",
                f"cvt.{up}.f64.{i64} {d}, {e};", f"cvt.rn.f64.{i32} {d}, {r};", f"cvt.{up}{ftz}{sat}.f32.f64 {r}, {d};",
                f"cvt{ftz}.f64.f32 {d}, {r};", f"cvt.{rnd}{ftz}{sat}.f32.f32 {r}, {s};", f"cvt.{rnd}.f64.f64 {d}, {e};",
                f"cvt.rn{ftz}.f16.f32 {h}, {r};", f"cvt.rz.f16.f32 {h}, {r};", f"cvt.rn.bf16.f32 {h}, {r};", f"cvt.f32.f16 {r}, {h};",
                f"cvt.f32.bf16 {r}, {h};", f"cvt.rn{self.one('', '.relu')}.f16x2.f32 {r}, {s}, {self.r()};",
                f"cvt.{self.one('rn', 'rz')}.bf16x2.f32 {r}, {s}, {self.r()};", f"cvt.rna.tf32.f32 {r}, {s};",
                f"cvt.rn.satfinite.{self.one('e4m3x2', 'e5m2x2')}.f32 {h}, {r}, {s};",
                f"cvt.rn.f16x2.{self.one('e4m3x2', 'e5m2x2')} {r}, {h};", f"cvt{sat}.{i32}.{i64} {r}, {d};", f"cvt.{i64}.{i32} {d}, {r};",
                f"cvt{sat}.{i16}.{i32} {h}, {r};", f"cvt.{i32}.{i16} {r}, {h};", f"cvt{sat}.{self.one('u8', 's8')}.{i32} {r}, {s};",
            )
        )

    def compare(self):
        p, q, r, s = self.p(), self.p(), self.r(), self.r()
        kinds = [
            (f"{self.one('eq', 'ne', 'lt', 'le', 'gt', 'ge')}.{self.one('u32', 's32')}", r, s),
            (f"{self.one('eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan')}{self.one('', '.ftz')}.f32", r, s),
            (f"{self.one('eq', 'lt', 'ge', 'geu', 'nan')}.f64", self.d(), self.d()),
            (f"{self.one('eq', 'lt', 'ge', 'ne')}.{self.one('u64', 's64')}", self.d(), self.d()),
        ]
        kind, a, b = self.rng.choice(kinds)
        d = self.r()
        self.emit(
            self.one(
                f"setp.{kind} {p}, {a}, {b};",
                f"setp.{kind.replace('.', '.' + self.one('and', 'or', 'xor') + '.', 1)} {p}, {a}, {b}, {q};",
                f"set.{self.one('eq', 'ltu', 'ge', 'nan')}.{self.one('u32', 'f32')}.f32 {d}, {r}, {s}; xor.b32 {d}, {d}, tid;",
                f"selp.b32 {self.r()}, {r}, {s}, {q};", f"selp.b64 {self.d()}, {self.d()}, {self.d()}, {q};",
                f"slct.u32.s32 {self.r()}, {r}, {s}, {self.r()};", f"slct.f32.f32 {self.r()}, {r}, {s}, {self.r()};",
                f"testp.{self.one('finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal')}.f32 {p}, {r};",
                f"{self.one('and', 'or', 'xor')}.pred {p}, {q}, {self.p()};", f"not.pred {p}, {q};",
            )
        )

    # ---- lanes together: never under a branch ----

    def lanes(self):
        p, r, s = self.p(), self.r(), self.r()
        self.emit(
            self.one(
                f"shfl.sync.{self.one('up', 'down', 'bfly', 'idx')}.b32 {r}|{p}, {s}, {self.one(self.r(), str(self.rng.randrange(32)))}, "
                f"{self.one('0x1f', '0', '0x181f', '0x1c1f', '0x100f')}, -1;",
                f"vote.sync.ballot.b32 {r}, {p}, -1;", f"vote.sync.{self.one('any', 'all', 'uni')}.pred {p}, {self.p()}, -1;",
                f"match.any.sync.b32 {r}, {s}, -1;", f"match.all.sync.b32 {r}|{p}, {s}, -1;",
                f"redux.sync.{self.one('add', 'min', 'max')}.{self.one('u32', 's32')} {r}, {s}, -1;",
                f"redux.sync.{self.one('and', 'or', 'xor')}.b32 {r}, {s}, -1;", f"and.b32 {s}, {s}, 3; match.any.sync.b32 {r}, {s}, -1;",
            )
        )

    def product(self):
        def group(n):
            return "{" + ", ".join(self.rng.sample([f"r{i}" for i in range(WORDS)], n)) + "}"

        kinds = [
            ("m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2), ("m16n8k4.row.col.f32.tf32.tf32.f32", 4, 2, 1),
            ("m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2), ("m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1),
            ("m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2), ("m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2),
            ("m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2), ("m16n8k32.row.col.satfinite.s32.u8.s8.s32", 4, 4, 2),
            ("m16n8k16.row.col.s32.s8.u8.s32", 4, 2, 1), ("m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 4, 2),
            ("m8n8k16.row.col.s32.u8.u8.s32", 2, 1, 1),
        ]
        shape, nd, na, nb = self.rng.choice(kinds)
        result = group(nd)
        start = result if "e4m3" in shape else group(nd)
        self.emit(f"mma.sync.aligned.{shape} {result}, {group(na)}, {group(nb)}, {start};")

    def product64(self):
        d = [f"d{i}" for i in self.rng.sample(range(PAIRS), 2)]
        self.emit(f"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{{d[0]}, {d[1]}}}, {{{self.d()}}}, {{{self.d()}}}, {{{self.d()}, {self.d()}}};")

    def exchange(self):
        """Shared memory: all store, wait, and read what others have stored."""
        k = self.rng.randrange(1, THREADS)
        self.emit(f"bar.sync 0; st.shared.b32 [mine], {self.r()}; bar.sync 0;")
        way = self.rng.randrange(4)
        if way == 0:
            self.emit(f"add.u32 t, tid, {k}; and.b32 t, t, {THREADS - 1}; shl.b32 t, t, 2; add.u32 t, t, base; ld.shared.b32 {self.r()}, [t];")
        elif way == 1:
            t = self.one("u8", "s8", "u16", "s16")
            self.emit(f"xor.b32 t, tid, {k}; shl.b32 t, t, 2; add.u32 t, t, base; ld.shared.{t} {self.r()}, [t];")
        elif way == 2:
            regs = self.rng.sample([f"r{i}" for i in range(WORDS)], 4)
            self.emit(f"shr.u32 t, tid, 2; shl.b32 t, t, 4; add.u32 t, t, base; ld.shared.v4.b32 {{{', '.join(regs)}}}, [t];")
        else:
            regs = self.rng.sample([f"r{i}" for i in range(WORDS)], 2)
            self.emit(
                f"and.b32 t, tid, 15; shl.b32 t, t, 4; add.u32 t, t, base; ldmatrix.sync.aligned.m8n8.x2{self.one('', '.trans')}.shared.b16 "
                f"{{{', '.join(regs)}}}, [t];"
            )

    def atomics(self):
        """Many at few words: in any order they come to one result."""
        op = self.one("add.u32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "or.b32", "xor.b32", "add.u64")
        self.emit(f"bar.sync 0; st.shared.b32 [mine], {self.r()}; bar.sync 0;")
        if op == "add.u64":
            self.emit(f"and.b32 t, tid, 3; shl.b32 t, t, 3; add.u32 t, t, base; red.shared.add.u64 [t], {self.d()};")
        else:
            self.emit(f"and.b32 t, tid, {self.one(0, 1, 7)}; shl.b32 t, t, 2; add.u32 t, t, base; red.shared.{op} [t], {self.r()};")
        self.emit(f"bar.sync 0; ld.shared.b32 {self.r()}, [mine];")

    def barrier(self):
        """A barrier in shared memory, a phase further each time."""
        self.emit("bar.sync 0;" f"st.shared.b32 [mine], {self.r()};")
        self.emit("mbarrier.arrive.release.cta.shared::cta.b64 _, [gate];")
        self.labels += 1
        self.emit(f"W{self.labels}_%=: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 q, [gate], phase; @!q bra W{self.labels}_%=;")
        self.emit(f"xor.b32 phase, phase, 1; xor.b32 t, tid, {self.rng.randrange(1, THREADS)}; shl.b32 t, t, 2; add.u32 t, t, base; ld.shared.b32 {self.r()}, [t];")

    def branch(self):
        self.labels += 1
        label = f"L{self.labels}_%="
        self.emit(f"@{self.one('', '!')}{self.p()} bra {label};")
        for _ in range(self.rng.randrange(1, 6)):
            self.rng.choice(APART)(self)
        self.emit(f"{label}: bar.warp.sync -1;")


APART = [Program.integer] * 5 + [Program.single] * 4 + [Program.wide] * 2 + [Program.double] * 2 + [Program.half] * 2 + [
    Program.short, Program.carry, Program.convert, Program.convert, Program.convert, Program.compare, Program.compare]
TOGETHER = [Program.lanes, Program.lanes, Program.product, Program.product, Program.product64, Program.exchange, Program.atomics,
            Program.barrier, Program.branch, Program.branch]


def write(number, rng):
    p = Program(rng)
    for _ in range(rng.randrange(20, 60)):
        rng.choice(APART if rng.random() < 0.75 else TOGETHER)(p)
    body = ['"%s\\n"' % line for line in p.lines]
    load = [f'"ld.global.b32 r{i}, [from+{4 * THREADS * i}];\\n"' for i in range(WORDS)]
    load += [f'"mov.b64 d{i}, {{r{2 * i}, r{2 * i + 1}}};\\n"' for i in range(PAIRS)]
    load += [f'"cvt.u16.u32 h{i}, r{8 + i};\\n"' for i in range(SHORTS)]
    load += [f'"setp.lt.s32 p{i}, r{i}, r{i + 4};\\n"' for i in range(PREDICATES)]
    keep = [f'"st.global.b32 [to+{4 * THREADS * i}], r{i};\\n"' for i in range(WORDS)]
    at = 4 * THREADS * WORDS
    for i in range(PAIRS):
        keep.append(f'"mov.b64 {{t, u}}, d{i}; st.global.b32 [to+{at + 8 * THREADS * i}], t; st.global.b32 [to+{at + 8 * THREADS * i + 4 * THREADS}], u;\\n"')
    at += 8 * THREADS * PAIRS
    for i in range(SHORTS):
        keep.append(f'"cvt.u32.u16 t, h{i}; st.global.b32 [to+{at + 4 * THREADS * i}], t;\\n"')
    at += 4 * THREADS * SHORTS
    for i in range(PREDICATES):
        keep.append(f'"selp.u32 t, 1, 0, p{i}; st.global.b32 [to+{at + 4 * THREADS * i}], t;\\n"')
    lines = "\n        ".join(load + body + keep)
    return f'''__global__ void program{number}(const unsigned *in, unsigned *out)
{{
    __shared__ alignas(16) unsigned row[THREADS];
    __shared__ unsigned long long gate;
    asm volatile("{{\\n"
        ".reg .b32 r<{WORDS}>, t, u, tid, base, mine, gate, phase; .reg .b64 d<{PAIRS}>, from, to, offset;\\n"
        ".reg .b16 h<{SHORTS}>; .reg .pred p<{PREDICATES}>, q;\\n"
        "mov.u32 tid, %%tid.x; mov.u32 base, %2; shl.b32 t, tid, 2; add.u32 mine, base, t; cvt.u64.u32 offset, t;\\n"
        "add.u64 from, %0, offset; add.u64 to, %1, offset; mov.u32 gate, %3; mov.u32 phase, 0;\\n"
        "setp.eq.u32 q, tid, 0; @q mbarrier.init.shared::cta.b64 [gate], {THREADS}; bar.sync 0;\\n"
        {lines}
        "}}" ::"l"(in), "l"(out), "r"((unsigned)__cvta_generic_to_shared(row)), "r"((unsigned)__cvta_generic_to_shared(&gate)) : "memory");
}}
'''


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    results = WORDS + 2 * PAIRS + SHORTS + PREDICATES
    inputs = ", ".join(f"0x{v:08x}u" for v in SPECIAL)
    print(f"// harness/sim/tests/random_programs.py {seed} {count}\n#include <cstdio>\nenum {{ THREADS = {THREADS} }};")
    for number in range(count):
        print(write(number, random.Random(f"{seed}/{number}")))
    print(f'''
static void (*const programs[])(const unsigned *, unsigned *) = {{{", ".join(f"program{i}" for i in range(count))}}};

static unsigned next(unsigned long long *state)
{{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(*state >> 32);
}}

int main()
{{
    static const unsigned special[] = {{{inputs}}};
    const int words = THREADS * {WORDS}, results = THREADS * {results}, count = sizeof special / sizeof *special;
    unsigned *in, *out;
    if (cudaMallocManaged(&in, words * sizeof *in) || cudaMallocManaged(&out, results * sizeof *out))
        return 2;
    for (int i = 0; i < {count}; i++) {{
        unsigned long long state = {seed}ull * 1000003 + i, hash = 14695981039346656037ull;
        for (int j = 0; j < words; j++) {{
            const unsigned how = next(&state) % 4, any = next(&state);
            /* bits of any kind, special values, small numbers, floats around 1 */
            in[j] = how == 0 ? any : how == 1 ? special[any % count] : how == 2 ? any % 97 : 0x3e000000u + any % 0x03000000u;
        }}
        programs[i]<<<1, THREADS>>>(in, out);
        const cudaError_t error = cudaDeviceSynchronize();
        if (error) {{
            printf("%d %s\\n", i, cudaGetErrorString(error));
            return 1;
        }}
        for (int j = 0; j < results; j++)
            hash = (hash ^ out[j]) * 1099511628211ull;
        printf("%d %016llx\\n", i, hash);
    }}
    return 0;
}}''')


if __name__ == "__main__":
    main()
