/* Integer opcodes on hand-worked values. */
#include "sim_fixture.h"

#include <criterion/criterion.h>

#define CHECK(kind, body, a, b, c, expected)                                                       \
    do {                                                                                           \
        const uint64_t got =                                                                       \
            sim_fixture_value(kind, body, (uint64_t)(a), (uint64_t)(b), (uint64_t)(c));            \
        cr_expect_eq(got, (uint64_t)(expected), "%s of %llx, %llx, %llx: got %llx, expected %llx", \
                     body, (unsigned long long)(a), (unsigned long long)(b),                       \
                     (unsigned long long)(c), (unsigned long long)got,                             \
                     (unsigned long long)(expected));                                              \
    } while (0)
#define W(body, a, b, c, expected) CHECK('w', body, a, b, c, (uint32_t)(expected))
#define H(body, a, b, c, expected) CHECK('h', body, a, b, c, (uint16_t)(expected))
#define L(body, a, b, c, expected) CHECK('l', body, a, b, c, expected)
#define P(body, a, b, c, expected) CHECK('p', body, a, b, c, expected)

Test(sim_integer, carry_chains)
{
    const char *const add = "add.cc.u32 %r, %ra, %rb; addc.u32 %r, %rc, 0;";
    W(add, 0xffffffff, 1, 5, 6);
    W(add, 0xfffffffe, 1, 5, 5);
    W("add.cc.u32 %r, %ra, %rb; addc.cc.u32 %r, %rc, 0xffffffff; addc.u32 %r, 0, 0;", 0xffffffff, 1,
      0, 1);
    W("sub.cc.u32 %r, %ra, %rb; subc.u32 %r, %rc, 1;", 3, 4, 10, 8);
    W("sub.cc.u32 %r, %ra, %rb; subc.u32 %r, %rc, 1;", 4, 4, 10, 9);
    W("sub.cc.u32 %r, %ra, %rb; subc.cc.u32 %r, 0, 0; subc.u32 %r, 7, 0;", 0, 1, 0, 6);
    /* After a subtraction the flag is set where nothing was borrowed. */
    W("sub.cc.u32 %r, %ra, %rb; addc.u32 %r, 0, 0;", 5, 6, 0, 0);
    W("sub.cc.u32 %r, %ra, %rb; addc.u32 %r, 0, 0;", 6, 6, 0, 1);
    W("mad.lo.cc.u32 %r, %ra, %rb, %rc; addc.u32 %r, 0, 0;", 0x10000, 0xffff, 0xffff, 0);
    W("mad.lo.cc.u32 %r, %ra, %rb, %rc; addc.u32 %r, 0, 0;", 0x10000, 0xffff, 0x10000, 1);
    W("mad.hi.cc.u32 %r, %ra, %rb, %rc;", 0x80000000, 6, 5, 8);
    W("mad.hi.cc.u32 %r, %ra, %rb, %rc; addc.u32 %r, 0, 0;", 0x80000000, 6, 0xfffffffd, 1);
    W("add.cc.u32 %r, %ra, 1; madc.hi.u32 %r, %ra, %rb, %rc;", 0xffffffff, 0xffffffff, 7,
      0xfffffffe + 8u);
    W("add.cc.u32 %r, -1, 1; madc.hi.s32 %r, %ra, %rb, %rc;", -5, 3, 7, 7);
    L("add.cc.u64 %l, %la, %lb; addc.u64 %l, %lc, 0;", UINT64_MAX, 1, 5, 6);
    L("sub.cc.s64 %l, %la, %lb; subc.s64 %l, %lc, 0;", 0, 1, 5, 4);
    L("mad.lo.cc.u64 %l, %la, %lb, %lc; madc.hi.u64 %l, %la, %lb, 0;", UINT64_MAX, UINT64_MAX,
      UINT64_MAX, UINT64_MAX - 1 + 1);
}

Test(sim_integer, add_and_multiply)
{
    W("add.s32 %r, %ra, %rb;", 0x7fffffff, 1, 0, 0x80000000);
    H("add.u16 %h, %ha, %hb;", 0xffff, 2, 0, 1);
    L("add.s64 %l, %la, %lb;", INT64_MAX, 1, 0, INT64_MIN);
    W("sub.u32 %r, %ra, %rb;", 3, 5, 0, -2);
    W("add.sat.s32 %r, %ra, %rb;", 0x7fffffff, 1, 0, 0x7fffffff);
    W("add.sat.s32 %r, %ra, %rb;", 0x80000000, -1, 0, 0x80000000);
    W("sub.sat.s32 %r, %ra, %rb;", 0x80000000, 1, 0, 0x80000000);
    W("sub.sat.s32 %r, %ra, %rb;", 5, -6, 0, 11);
    W("add.u16x2 %r, %ra, %rb;", 0x0001ffff, 0x00020001, 0, 0x00030000);
    W("mul.lo.s32 %r, %ra, %rb;", -3, 7, 0, -21);
    W("mul.hi.s32 %r, %ra, %rb;", -3, 7, 0, -1);
    W("mul.hi.s32 %r, %ra, %rb;", 0x40000000, 7, 0, 1);
    W("mul.hi.u32 %r, %ra, %rb;", 0xfffffffd, 7, 0, 6);
    W("mul.wide.s16 %r, %ha, %hb;", 0x8000, 0x8000, 0, 0x40000000);
    W("mul.wide.u16 %r, %ha, %hb;", 0xffff, 0xffff, 0, 0xfffe0001);
    H("mul.hi.s16 %h, %ha, %hb;", 0x8000, 0x4000, 0, 0xe000);
    H("mul.hi.u16 %h, %ha, %hb;", 0x8000, 0x4000, 0, 0x2000);
    L("mul.wide.s32 %l, %ra, %rb;", -5, 3, 0, -15);
    L("mul.wide.u32 %l, %ra, %rb;", 0xffffffff, 0xffffffff, 0, 0xfffffffe00000001);
    L("mul.hi.u64 %l, %la, %lb;", UINT64_MAX, UINT64_MAX, 0, UINT64_MAX - 1);
    L("mul.hi.s64 %l, %la, %lb;", INT64_MIN, 2, 0, -1);
    W("mad.lo.s32 %r, %ra, %rb, %rc;", -3, 7, 22, 1);
    W("mad.hi.s32 %r, %ra, %rb, %rc;", 0x80000000, 2, 5, 4);
    W("mad.hi.sat.s32 %r, %ra, %rb, %rc;", 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff);
    L("mad.wide.s32 %l, %ra, %rb, %lc;", -2, 3, 1, -5);
    L("mad.lo.u64 %l, %la, %lb, %lc;", 1ull << 40, 1ull << 30, 9, 9);
    W("mul24.lo.u32 %r, %ra, %rb;", 0xff000003, 5, 0, 15);
    W("mul24.lo.s32 %r, %ra, %rb;", 0x00ffffff, 5, 0, -5);
    W("mul24.hi.u32 %r, %ra, %rb;", 0x800000, 0x800000, 0, 0x40000000);
    W("mul24.hi.s32 %r, %ra, %rb;", 0x800000, 2, 0, -256);
    W("mad24.lo.s32 %r, %ra, %rb, %rc;", 0xffffff, 2, 10, 8);
    W("sad.u32 %r, %ra, %rb, %rc;", 3, 10, 100, 107);
    W("sad.s32 %r, %ra, %rb, %rc;", -3, 10, 100, 113);
    L("sad.s64 %l, %la, %lb, %lc;", -3, -10, 1, 8);
    W("neg.s32 %r, %ra;", 0x80000000, 0, 0, 0x80000000);
    W("abs.s32 %r, %ra;", -7, 0, 0, 7);
    H("neg.s16 %h, %ha;", 1, 0, 0, 0xffff);
    L("abs.s64 %l, %la;", -9, 0, 0, 9);
}

Test(sim_integer, divide)
{
    W("div.s32 %r, %ra, %rb;", -7, 2, 0, -3);
    W("rem.s32 %r, %ra, %rb;", -7, 2, 0, -1);
    W("div.s32 %r, %ra, %rb;", 0x80000000, -1, 0, 0x80000000);
    W("rem.s32 %r, %ra, %rb;", 0x80000000, -1, 0, 0);
    W("div.u32 %r, %ra, %rb;", 0x80000000, 3, 0, 0x2aaaaaaa);
    W("div.u32 %r, %ra, %rb;", 5, 0, 0, 0xffffffff);
    W("rem.u32 %r, %ra, %rb;", 5, 0, 0, 5);
    W("div.s32 %r, %ra, %rb;", 5, 0, 0, -1);
    H("div.s16 %h, %ha, %hb;", -7, 2, 0, -3);
    H("rem.u16 %h, %ha, %hb;", 0xfff9, 10, 0, 9);
    L("div.s64 %l, %la, %lb;", INT64_MIN, -1, 0, INT64_MIN);
    L("rem.s64 %l, %la, %lb;", -7, 4, 0, -3);
    L("div.u64 %l, %la, %lb;", UINT64_MAX, 10, 0, 1844674407370955161);
    L("rem.u64 %l, %la, %lb;", UINT64_MAX, 10, 0, 5);
    L("div.u64 %l, %la, %lb;", 5, 0, 0, UINT64_MAX);
}

Test(sim_integer, minimum_and_maximum)
{
    W("min.s32 %r, %ra, %rb;", -1, 1, 0, -1);
    W("min.u32 %r, %ra, %rb;", -1, 1, 0, 1);
    W("max.s32 %r, %ra, %rb;", -1, 1, 0, 1);
    W("max.u32 %r, %ra, %rb;", -1, 1, 0, -1);
    H("min.s16 %h, %ha, %hb;", 0x8000, 1, 0, 0x8000);
    H("max.u16 %h, %ha, %hb;", 0x8000, 1, 0, 0x8000);
    L("max.s64 %l, %la, %lb;", INT64_MIN, 3, 0, 3);
    L("min.u64 %l, %la, %lb;", INT64_MIN, 3, 0, 3);
    W("min.relu.s32 %r, %ra, %rb;", -4, 3, 0, 0);
    W("max.s16x2 %r, %ra, %rb;", 0x8000ffff, 0x00010000, 0, 0x00010000);
    W("min.u16x2 %r, %ra, %rb;", 0x8000ffff, 0x00010000, 0, 0x00010000);
}

Test(sim_integer, dot_products)
{
    W("dp4a.u32.u32 %r, %ra, %rb, %rc;", 0x01020304, 0x01010101, 5, 15);
    W("dp4a.s32.s32 %r, %ra, %rb, %rc;", 0xff020304, 0x01010101, 5, 13);
    W("dp4a.s32.u32 %r, %ra, %rb, %rc;", 0xff000000, 0xff000000, 0, -255);
    W("dp2a.lo.u32.u32 %r, %ra, %rb, %rc;", 0x00020003, 0x00000504, 1, 23);
    W("dp2a.hi.s32.s32 %r, %ra, %rb, %rc;", 0xffff0003, 0x05040000, 0, 7);
}

Test(sim_integer, absolute_differences)
{
    W("vabsdiff4.u32.u32.u32 %r, %ra, %rb, %rc;", 0x01ff0380, 0x0301037f, 0, 0x02fe0001);
    W("vabsdiff4.s32.s32.s32 %r, %ra, %rb, %rc;", 0x01ff0380, 0x0301037f, 0, 0x020200ff);
    W("vabsdiff4.u32.u32.u32.add %r, %ra, %rb, %rc;", 0x01ff0380, 0x0301037f, 5, 262);
    W("vabsdiff2.u32.u32.u32 %r, %ra, %rb, %rc;", 0x0001ffff, 0x00030001, 0, 0x0002fffe);
}

Test(sim_integer, packs_saturated_numbers)
{
    W("cvt.pack.sat.u16.s32 %r, %ra, %rb;", 70000, UINT32_MAX, 0, 0xffff0000);
    W("cvt.pack.sat.s16.s32 %r, %ra, %rb;", 0xffff0000, 40000, 0, 0x80007fff);
    W("cvt.pack.sat.u8.s32.b32 %r, %ra, %rb, %rc;", 300, 5, 0x12345678, 0x5678ff05);
    W("cvt.pack.sat.s8.s32.b32 %r, %ra, %rb, 0;", 300, UINT32_MAX, 0, 0x7fff);
    W("cvt.pack.sat.u4.s32.b32 %r, %ra, %rb, %rc;", UINT32_MAX, 16, 0x12345678, 0x3456780f);
    W("cvt.pack.sat.s4.s32.b32 %r, %ra, %rb, %rc;", 7, (uint32_t)-9, 0xffffff, 0xffffff78);
    W("cvt.pack.sat.u2.s32.b32 %r, %ra, %rb, %rc;", 2, 9, 0x12345678, 0x2345678b);
    W("cvt.pack.sat.s2.s32.b32 %r, %ra, %rb, %rc;", (uint32_t)-5, 1, 0, 9);
}

Test(sim_integer, logic)
{
    W("and.b32 %r, %ra, %rb;", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00);
    L("or.b64 %l, %la, %lb;", 1ull << 63, 1, 0, 1ull << 63 | 1);
    H("xor.b16 %h, %ha, %hb;", 0xff00, 0x0ff0, 0, 0xf0f0);
    W("not.b32 %r, %ra;", 0x0f, 0, 0, 0xfffffff0);
    H("not.b16 %h, %ha;", 0x0f, 0, 0, 0xfff0);
    W("cnot.b32 %r, %ra;", 0, 0, 0, 1);
    W("cnot.b32 %r, %ra;", 4, 0, 0, 0);
    P("and.pred %p, %pa, !%pb;", 1, 0, 0, 1);
    P("or.pred %p, %pa, %pb;", 0, 0, 0, 0);
    P("xor.pred %p, %pa, %pb;", 1, 1, 0, 0);
    P("not.pred %p, %pa;", 0, 0, 0, 1);
    W("lop3.b32 %r, %ra, %rb, %rc, 0x1b;", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x1b1b1b1b);
    W("lop3.b32 %r, %ra, %rb, %rc, 0x96;", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x96969696);
    W("lop3.b32 %r, %ra, %rb, %rc, 0xca;", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xcacacaca);
    W("lop3.b32 %r, %ra, %rb, %rc, 0xea;", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xeaeaeaea);
    W("lop3.b32 %r, %ra, %rb, %rc, 0x28;", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x28282828);
    P("lop3.or.b32 %r|%p, %ra, %rb, %rc, 0x80, %p0;", 3, 1, 1, 1);
    P("lop3.and.b32 %r|%p, %ra, %rb, %rc, 0x80, !%pa;", 3, 1, 1, 0);
}

Test(sim_integer, shifts)
{
    W("shl.b32 %r, %ra, %rb;", 1, 31, 0, 0x80000000);
    W("shl.b32 %r, %ra, %rb;", 1, 32, 0, 0);
    W("shr.u32 %r, %ra, %rb;", 0x80000000, 100, 0, 0);
    W("shr.s32 %r, %ra, %rb;", 0x80000000, 100, 0, -1);
    W("shr.s32 %r, %ra, %rb;", 0x80000000, 4, 0, 0xf8000000);
    H("shl.b16 %h, %ha, %rb;", 0xffff, 4, 0, 0xfff0);
    H("shr.s16 %h, %ha, %rb;", 0x8000, 3, 0, 0xf000);
    H("shr.u16 %h, %ha, %rb;", 0x8000, 16, 0, 0);
    L("shl.b64 %l, %la, %rb;", 1, 63, 0, 1ull << 63);
    L("shr.s64 %l, %la, %rb;", INT64_MIN, 64, 0, -1);
    L("shr.u64 %l, %la, %rb;", INT64_MIN, 64, 0, 0);
    W("shf.l.wrap.b32 %r, %ra, %rb, %rc;", 0x80000000, 1, 33, 3);
    W("shf.l.clamp.b32 %r, %ra, %rb, %rc;", 0x12345678, 1, 40, 0x12345678);
    W("shf.r.wrap.b32 %r, %ra, %rb, %rc;", 2, 1, 33, 0x80000001);
    W("shf.r.clamp.b32 %r, %ra, %rb, %rc;", 2, 0x77, 32, 0x77);
}

Test(sim_integer, bits)
{
    W("popc.b32 %r, %ra;", 0xf000000f, 0, 0, 8);
    W("popc.b64 %r, %la;", UINT64_MAX, 0, 0, 64);
    W("clz.b32 %r, %ra;", 0, 0, 0, 32);
    W("clz.b32 %r, %ra;", 1, 0, 0, 31);
    W("clz.b64 %r, %la;", 1, 0, 0, 63);
    W("bfind.u32 %r, %ra;", 0x10, 0, 0, 4);
    W("bfind.u32 %r, %ra;", 0, 0, 0, -1);
    W("bfind.s32 %r, %ra;", -1, 0, 0, -1);
    W("bfind.s32 %r, %ra;", -5, 0, 0, 2);
    W("bfind.shiftamt.u32 %r, %ra;", 0x10, 0, 0, 27);
    W("bfind.u64 %r, %la;", 1ull << 40, 0, 0, 40);
    W("brev.b32 %r, %ra;", 1, 0, 0, 0x80000000);
    L("brev.b64 %l, %la;", 2, 0, 0, 1ull << 62);
    W("bfe.u32 %r, %ra, %rb, %rc;", 0x12345678, 8, 8, 0x56);
    W("bfe.s32 %r, %ra, %rb, %rc;", 0x12348678, 8, 8, 0xffffff86);
    W("bfe.s32 %r, %ra, %rb, %rc;", 0x80000000, 28, 16, 0xfffffff8);
    W("bfe.u32 %r, %ra, %rb, %rc;", 0xffffffff, 40, 8, 0);
    W("bfe.s32 %r, %ra, %rb, %rc;", 0x80000000, 40, 8, -1);
    W("bfe.s32 %r, %ra, %rb, %rc;", -1, 3, 0, 0);
    L("bfe.u64 %l, %la, %rb, %rc;", 0x123456789abcdef0, 16, 32, 0x56789abc);
    L("bfe.s64 %l, %la, %rb, %rc;", INT64_MIN, 60, 4, -8);
    W("bfi.b32 %r, %ra, %rb, 8, 4;", 0xabc, 0xffffffff, 0, 0xfffffcff);
    W("bfi.b32 %r, %ra, %rb, 28, 16;", 0xab, 0, 0, 0xb0000000);
    W("bfi.b32 %r, %ra, %rb, 33, 4;", 0xab, 77, 0, 77);
    L("bfi.b64 %l, %la, %lb, 32, 32;", 0x11223344, 0x55667788, 0, 0x1122334455667788);
    W("fns.b32 %r, %ra, %rb, %rc;", 0x00000f10, 0, 2, 8);
    W("fns.b32 %r, %ra, %rb, %rc;", 0x00000f10, 31, -1, 11);
    W("fns.b32 %r, %ra, %rb, %rc;", 0x00000f10, 4, 0, 4);
    W("fns.b32 %r, %ra, %rb, %rc;", 0x00000f10, 0, 9, -1);
    W("bmsk.clamp.b32 %r, %ra, %rb;", 4, 8, 0, 0xff0);
    W("bmsk.clamp.b32 %r, %ra, %rb;", 32, 8, 0, 0);
    W("bmsk.wrap.b32 %r, %ra, %rb;", 36, 8, 0, 0xff0);
    W("szext.clamp.s32 %r, %ra, %rb;", 0xff, 8, 0, -1);
    W("szext.clamp.u32 %r, %ra, %rb;", 0xfff, 8, 0, 0xff);
    W("szext.wrap.s32 %r, %ra, %rb;", 0x7f, 40, 0, 0x7f);
}

Test(sim_integer, permute)
{
    const uint64_t a = 0x33221100, b = 0x77665544;
    W("prmt.b32 %r, %ra, %rb, 0x3210;", a, b, 0, a);
    W("prmt.b32 %r, %ra, %rb, 0x7654;", a, b, 0, b);
    W("prmt.b32 %r, %ra, %rb, %rc;", a, b, 0x0426, 0x00442266);
    W("prmt.b32 %r, %ra, %rb, 0xfb80;", 0x80, 0x80000000, 0, 0xff00ff80);
    W("prmt.b32.f4e %r, %ra, %rb, %rc;", a, b, 1, 0x44332211);
    W("prmt.b32.b4e %r, %ra, %rb, %rc;", a, b, 1, 0x66770011);
    W("prmt.b32.rc8 %r, %ra, %rb, %rc;", a, b, 2, 0x22222222);
    W("prmt.b32.ecl %r, %ra, %rb, %rc;", a, b, 2, 0x33222222);
    W("prmt.b32.ecr %r, %ra, %rb, %rc;", a, b, 2, 0x22221100);
    W("prmt.b32.rc16 %r, %ra, %rb, %rc;", a, b, 1, 0x33223322);
}

Test(sim_integer, compare)
{
    P("setp.lt.s32 %p, %ra, %rb;", -1, 1, 0, 1);
    P("setp.lt.u32 %p, %ra, %rb;", -1, 1, 0, 0);
    P("setp.lo.u32 %p, %ra, %rb;", -1, 1, 0, 0);
    P("setp.hs.u32 %p, %ra, %rb;", -1, 1, 0, 1);
    P("setp.ge.s64 %p, %la, %lb;", INT64_MIN, 0, 0, 0);
    P("setp.ne.b16 %p, %ha, %hb;", 0x10001, 1, 0, 0);
    P("setp.gt.s16 %p, %ha, %hb;", 0x8000, 1, 0, 0);
    P("setp.eq.and.s32 %p, %ra, %rb, !%pc;", 5, 5, 0, 1);
    P("setp.eq.xor.s32 %p, %ra, %rb, %pc;", 5, 5, 1, 0);
    P("setp.eq.s32 %p0|%p, %ra, %rb;", 5, 5, 0, 0);
    P("setp.lt.or.s32 %p0|%p, %ra, %rb, %pc;", 5, 5, 0, 1);
    W("set.lt.u32.s32 %r, %ra, %rb;", -1, 0, 0, -1);
    W("set.gt.and.f32.s32 %r, %ra, %rb, %pc;", 2, 1, 1, 0x3f800000);
    W("selp.b32 %r, %ra, %rb, %pc;", 3, 4, 1, 3);
    L("selp.b64 %l, %la, %lb, %pc;", 3, 4, 0, 4);
    H("selp.u16 %h, %ha, %hb, !%pc;", 3, 4, 0, 3);
    W("slct.s32.s32 %r, %ra, %rb, %rc;", 3, 4, -1, 4);
    W("slct.s32.s32 %r, %ra, %rb, %rc;", 3, 4, 0, 3);
    W("slct.u32.f32 %r, %ra, %rb, %fc;", 3, 4, 0x80000000, 3);
    W("slct.u32.f32 %r, %ra, %rb, %fc;", 3, 4, 0x7fc00000, 4);
    L("slct.b64.s32 %l, %la, %lb, %rc;", 3, 4, -1, 4);
}

Test(sim_integer, moves)
{
    W("mov.b32 {%h0, %h1}, %ra; mov.b32 %r, {%h1, %h0};", 0x12345678, 0, 0, 0x56781234);
    L("mov.b64 %l, {%ra, %rb};", 1, 2, 0, 0x200000001);
    W("mov.b64 {_, %r}, %la;", 0x200000001, 0, 0, 2);
    W("mov.b32 {%h0, _}, %ra; cvt.u32.u16 %r, %h0;", 0x12345678, 0, 0, 0x5678);
    H("mov.u16 %h, -1;", 0, 0, 0, 0xffff);
    P("mov.pred %p, %pa;", 1, 0, 0, 1);
    P("mov.pred %p, -1;", 1, 0, 0, 1);
}
