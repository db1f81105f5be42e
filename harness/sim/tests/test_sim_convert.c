/* cvt: extension, truncation, roundings, clamping, NaN, half precision. */
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <math.h>

static void check(char kind, const char *body, uint64_t a, uint64_t expected)
{
    const uint64_t got = sim_fixture_value(kind, body, a, 0, 0);
    cr_expect_eq(got, expected, "%s of %llx: got %llx, expected %llx", body, (unsigned long long)a,
                 (unsigned long long)got, (unsigned long long)expected);
}

#define BITS                   sim_fixture_bits32
#define WIDE                   sim_fixture_bits64
#define F_W(body, a, expected) check('w', body, BITS(a), (uint32_t)(expected))
#define F_L(body, a, expected) check('l', body, BITS(a), (uint64_t)(expected))
#define D_W(body, a, expected) check('w', body, WIDE(a), (uint32_t)(expected))
#define D_L(body, a, expected) check('l', body, WIDE(a), (uint64_t)(expected))

Test(sim_convert, integers)
{
    check('w', "cvt.s32.s8 %r, %ra;", 0x180, 0xffffff80);
    check('w', "cvt.u32.u8 %r, %ra;", 0x180, 0x80);
    check('w', "cvt.s32.s16 %r, %ha;", 0x8001, 0xffff8001);
    check('w', "cvt.u32.u16 %r, %ha;", 0x8001, 0x8001);
    check('h', "cvt.u16.u32 %h, %ra;", 0x12345678, 0x5678);
    check('h', "cvt.s16.s8 %h, %ha;", 0x80, 0xff80);
    check('w', "cvt.s8.s32 %r, %ra;", 0x180, 0xffffff80);
    check('w', "cvt.u8.u32 %r, %ra;", 0x180, 0x80);
    check('l', "cvt.s64.s32 %l, %ra;", 0x80000000, 0xffffffff80000000);
    check('l', "cvt.u64.u32 %l, %ra;", 0x80000000, 0x80000000);
    check('l', "cvt.u64.s32 %l, %ra;", 0x80000000, 0xffffffff80000000);
    check('l', "cvt.s64.s16 %l, %ha;", 0x8000, 0xffffffffffff8000);
    check('l', "cvt.s64.s8 %l, %la;", 0x80, 0xffffffffffffff80);
    check('w', "cvt.u32.u64 %r, %la;", 0x123456789abcdef0, 0x9abcdef0);
    check('h', "cvt.u16.u64 %h, %la;", 0x123456789abcdef0, 0xdef0);
    check('w', "cvt.sat.s8.s32 %r, %ra;", 1000, 127);
    check('w', "cvt.sat.u8.s32 %r, %ra;", 0xffffff00, 0);
    check('w', "cvt.sat.u32.s32 %r, %ra;", 0xffffff00, 0);
    check('w', "cvt.sat.s32.u32 %r, %ra;", 0xffffff00, 0x7fffffff);
    check('w', "cvt.sat.s32.s64 %r, %la;", 0x8000000000000000, 0x80000000);
    check('l', "cvt.sat.u64.s64 %l, %la;", 0x8000000000000000, 0);
}

Test(sim_convert, float_to_integer)
{
    F_W("cvt.rzi.s32.f32 %r, %fa;", -2.9f, -2);
    F_W("cvt.rni.s32.f32 %r, %fa;", 2.5f, 2);
    F_W("cvt.rni.s32.f32 %r, %fa;", 3.5f, 4);
    F_W("cvt.rmi.s32.f32 %r, %fa;", -2.1f, -3);
    F_W("cvt.rpi.s32.f32 %r, %fa;", 2.1f, 3);
    F_W("cvt.rzi.s32.f32 %r, %fa;", 3e9f, INT32_MAX);
    F_W("cvt.rzi.s32.f32 %r, %fa;", -INFINITY, INT32_MIN);
    F_W("cvt.rzi.s32.f32 %r, %fa;", NAN, 0);
    F_W("cvt.rzi.u32.f32 %r, %fa;", -1.0f, 0);
    F_W("cvt.rzi.u32.f32 %r, %fa;", 4e9f, 4000000000u);
    F_W("cvt.rzi.u32.f32 %r, %fa;", 5e9f, UINT32_MAX);
    F_W("cvt.rzi.u8.f32 %r, %fa;", 300.0f, 255);
    F_W("cvt.rzi.s8.f32 %r, %fa;", -300.0f, -128);
    F_W("cvt.rzi.u16.f32 %r, %fa;", 70000.0f, 65535);
    F_L("cvt.rzi.s64.f32 %l, %fa;", -1e10f, -10000000000ll);
    F_L("cvt.rzi.s64.f32 %l, %fa;", NAN, INT64_MIN);
    F_L("cvt.rzi.u64.f32 %l, %fa;", 1e30f, UINT64_MAX);
    F_L("cvt.rpi.u64.f32 %l, %fa;", 0.25f, 1);
    F_W("cvt.rpi.ftz.s32.f32 %r, %fa;", 0x1p-140f, 0);
    F_W("cvt.rpi.s32.f32 %r, %fa;", 0x1p-140f, 1);
    D_W("cvt.rzi.s32.f64 %r, %da;", -1e10, INT32_MIN);
    D_W("cvt.rzi.s32.f64 %r, %da;", NAN, INT32_MIN);
    D_W("cvt.rni.u32.f64 %r, %da;", 4294967294.5, 4294967294u);
    D_L("cvt.rmi.s64.f64 %l, %da;", -0.5, -1);
    D_L("cvt.rzi.u64.f64 %l, %da;", 0x1p63, 1ull << 63);
    D_L("cvt.rzi.s64.f64 %l, %da;", 0x1p63, INT64_MAX);
}

Test(sim_convert, integer_to_float)
{
    check('f', "cvt.rn.f32.s32 %f, %ra;", 16777217, BITS(16777216.0f));
    check('f', "cvt.rp.f32.s32 %f, %ra;", 16777217, BITS(16777218.0f));
    check('f', "cvt.rz.f32.u32 %f, %ra;", 0xffffffff, BITS(0x1.fffffep31f));
    check('f', "cvt.rn.f32.u32 %f, %ra;", 0xffffffff, BITS(0x1p32f));
    check('f', "cvt.rn.f32.s64 %f, %la;", INT64_MAX, BITS(0x1p63f));
    check('f', "cvt.rz.f32.s64 %f, %la;", INT64_MAX, BITS(0x1.fffffep62f));
    check('f', "cvt.rn.f32.u64 %f, %la;", 0x8000008000000001, BITS(0x1.000002p63f));
    check('f', "cvt.rn.f32.u16 %f, %ha;", 65535, BITS(65535.0f));
    check('f', "cvt.rn.f32.s8 %f, %ra;", 0x80, BITS(-128.0f));
    check('d', "cvt.rn.f64.s32 %d, %ra;", 0x80000000, WIDE(-2147483648.0));
    check('d', "cvt.rn.f64.u32 %d, %ra;", 0x80000000, WIDE(2147483648.0));
    check('d', "cvt.rn.f64.s64 %d, %la;", INT64_MAX, WIDE(0x1p63));
    check('d', "cvt.rm.f64.s64 %d, %la;", INT64_MAX, WIDE(0x1.fffffffffffffp62));
    check('d', "cvt.rn.f64.u64 %d, %la;", UINT64_MAX, WIDE(0x1p64));
    check('d', "cvt.rn.f64.s16 %d, %ha;", 0xffff, WIDE(-1.0));
}

Test(sim_convert, float_to_float)
{
    check('d', "cvt.f64.f32 %d, %fa;", BITS(1.1f), WIDE((double)1.1f));
    check('f', "cvt.rn.f32.f64 %f, %da;", WIDE(1.1), BITS(1.1f));
    check('f', "cvt.rz.f32.f64 %f, %da;", WIDE(1 + 0x1.8p-24), BITS(1.0f));
    check('f', "cvt.rp.f32.f64 %f, %da;", WIDE(1 + 0x1p-40), BITS(0x1.000002p0f));
    check('f', "cvt.rm.f32.f64 %f, %da;", WIDE(-1e300), BITS(-INFINITY));
    check('f', "cvt.rz.f32.f64 %f, %da;", WIDE(-1e300), BITS(-0x1.fffffep127f));
    check('f', "cvt.rn.ftz.f32.f64 %f, %da;", WIDE(-0x1p-140), 0x80000000);
    check('f', "cvt.rn.ftz.f32.f64 %f, %da;", WIDE(0x1.fffffe8p-127), 0); /* 24 bits, not 23 */
    check('f', "cvt.rn.ftz.f32.f64 %f, %da;", WIDE(0x1.ffffffp-127), BITS(0x1p-126f));
    check('f', "cvt.rm.ftz.f32.f64 %f, %da;", WIDE(-0x1.fffffe8p-127), BITS(-0x1p-126f));
    check('f', "cvt.rm.ftz.f32.f64 %f, %da;", WIDE(-0x1.fffffep-127), 0x80000000);
    check('f', "cvt.rn.f32.f64 %f, %da;", WIDE(0x1p-149), 1);
    check('f', "cvt.rn.f32.f64 %f, %da;", WIDE(NAN), 0x7fc00000);
    check('f', "cvt.sat.f32.f32 %f, %fa;", BITS(1.5f), BITS(1.0f));
    check('f', "cvt.sat.f32.f32 %f, %fa;", BITS(NAN), 0);
    check('f', "cvt.sat.f32.f32 %f, %fa;", BITS(-INFINITY), 0);
    check('f', "cvt.sat.f32.f32 %f, %fa;", BITS(-0.0f), 0);
    check('f', "cvt.sat.f32.f32 %f, %fa;", BITS(0x1p-149f), 1);
    check('f', "cvt.sat.f32.f32 %f, %fa;", BITS(0.75f), BITS(0.75f));
    check('f', "cvt.ftz.sat.f32.f32 %f, %fa;", BITS(0x1.fffffcp-127f), 0);
    check('f', "cvt.ftz.sat.f32.f32 %f, %fa;", BITS(0x1p-126f), BITS(0x1p-126f));
    check('f', "cvt.ftz.sat.f32.f32 %f, %fa;", BITS(INFINITY), BITS(1.0f));
    check('f', "cvt.ftz.sat.f32.f32 %f, %fa;", BITS(NAN), 0);
    check('f', "cvt.rni.f32.f32 %f, %fa;", BITS(2.5f), BITS(2.0f));
    check('f', "cvt.rmi.f32.f32 %f, %fa;", BITS(-0.5f), BITS(-1.0f));
    check('f', "cvt.rpi.f32.f32 %f, %fa;", BITS(-0.5f), 0x80000000);
    check('f', "cvt.rzi.ftz.f32.f32 %f, %fa;", BITS(7.9f), BITS(7.0f));
    check('d', "cvt.rni.f64.f64 %d, %da;", WIDE(-3.5), WIDE(-4.0));
    check('d', "cvt.rpi.f64.f64 %d, %da;", WIDE(3.1), WIDE(4.0));
}

Test(sim_convert, half_precision)
{
    check('h', "cvt.rn.f16.f32 %h, %fa;", BITS(1.0f), 0x3c00);
    check('h', "cvt.rn.f16.f32 %h, %fa;", BITS(65520.0f), 0x7c00);
    check('h', "cvt.rz.f16.f32 %h, %fa;", BITS(65520.0f), 0x7bff);
    check('h', "cvt.rn.f16.f32 %h, %fa;", BITS(0x1p-25f), 0);
    check('h', "cvt.rn.f16.f32 %h, %fa;", BITS(0x1.8p-25f), 1);
    check('h', "cvt.rn.f16.f32 %h, %fa;", BITS(NAN), 0x7fff);
    check('h', "cvt.rn.bf16.f32 %h, %fa;", BITS(1.0f + 0x1p-8f), 0x3f80);
    check('h', "cvt.rn.relu.bf16.f32 %h, %fa;", BITS(-1.0f), 0);
    check('f', "cvt.f32.f16 %f, %ha;", 0x0001, BITS(0x1p-24f));
    check('f', "cvt.f32.f16 %f, %ha;", 0xfc00, BITS(-INFINITY));
    check('f', "cvt.f32.bf16 %f, %ha;", 0x4049, 0x40490000);
    check('d', "cvt.f64.f16 %d, %ha;", 0x3e00, WIDE(1.5));
    check('w', "cvt.rn.f16x2.f32 %r, %fa, 0f40000000;", BITS(1.0f), 0x3c004000);
    check('h', "cvt.rn.f16.s32 %h, %ra;", 2049, 0x6800);
    check('w', "cvt.rni.s32.f16 %r, %ha;", 0x4100, 2);
}
