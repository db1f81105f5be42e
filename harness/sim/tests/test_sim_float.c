/* Floating-point opcodes: roundings, .ftz, .sat, NaN rules, approximations within PTX's bounds. */
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

static void check(char kind, const char *body, uint64_t a, uint64_t b, uint64_t c,
                  uint64_t expected)
{
    const uint64_t got = sim_fixture_value(kind, body, a, b, c);
    cr_expect_eq(got, expected, "%s of %llx, %llx, %llx: got %llx, expected %llx", body,
                 (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,
                 (unsigned long long)got, (unsigned long long)expected);
}

#define BITS(x)                    sim_fixture_bits32(x)
#define F(body, a, b, c, expected) check('f', body, BITS(a), BITS(b), BITS(c), BITS(expected))
#define D(body, a, b, c, expected)                                                                 \
    check('d', body, sim_fixture_bits64(a), sim_fixture_bits64(b), sim_fixture_bits64(c),          \
          sim_fixture_bits64(expected))
#define RAW(kind, body, a, b, c, expected) check(kind, body, a, b, c, expected)

enum { HARDWARE_NAN = 0x7fffffff, SOME_NAN = 0xffc12345, SMALLEST = 1, NEGATIVE_ZERO = 0x80000000 };

Test(sim_float, add_multiply)
{
    F("add.f32 %f, %fa, %fb;", 1.5f, 2.25f, 0, 3.75f);
    F("add.rn.f32 %f, %fa, %fb;", 1.0f, 0x1p-24f, 0, 1.0f);
    F("add.rz.f32 %f, %fa, %fb;", 1.0f, -0x1p-30f, 0, 0x1.fffffep-1f);
    F("add.rm.f32 %f, %fa, %fb;", -1.0f, -0x1p-30f, 0, -0x1.000002p0f);
    F("add.rp.f32 %f, %fa, %fb;", 1.0f, 0x1p-30f, 0, 0x1.000002p0f);
    F("sub.f32 %f, %fa, %fb;", 1.0f, 3.0f, 0, -2.0f);
    F("sub.rm.f32 %f, %fa, %fb;", 1.0f, 1.0f, 0, -0.0f);
    F("mul.f32 %f, %fa, %fb;", 3.0f, -7.0f, 0, -21.0f);
    F("mul.rp.f32 %f, %fa, %fb;", 0x1.000002p0f, 0x1.000002p0f, 0, 0x1.000006p0f);
    F("add.sat.f32 %f, %fa, %fb;", 0.75f, 0.75f, 0, 1.0f);
    F("sub.sat.f32 %f, %fa, %fb;", 0.75f, 1.75f, 0, 0.0f);
    F("mul.rz.sat.f32 %f, %fa, %fb;", 2.0f, 3.0f, 0, 1.0f);
    RAW('f', "add.sat.f32 %f, %fa, %fb;", SOME_NAN, 0, 0, 0);
    RAW('f', "add.f32 %f, %fa, %fb;", SOME_NAN, 0, 0, HARDWARE_NAN);
    RAW('f', "sub.f32 %f, %fa, %fb;", 0x7f800000, 0x7f800000, 0, HARDWARE_NAN);
    RAW('f', "mul.rz.f32 %f, %fa, %fb;", 0x7f800000, 0, 0, HARDWARE_NAN);
    D("add.f64 %d, %da, %db;", 0.1, 0.2, 0, 0.1 + 0.2);
    D("add.rz.f64 %d, %da, %db;", 1, -0x1p-60, 0, 0x1.fffffffffffffp-1);
    D("mul.rp.f64 %d, %da, %db;", 1 + 0x1p-52, 1 + 0x1p-52, 0, 1 + 0x1p-51 + 0x1p-52);
    D("sub.f64 %d, %da, %db;", 5, 8, 0, -3.0);
}

Test(sim_float, fused)
{
    const float a = 0x1.000002p0f;
    F("fma.rn.f32 %f, %fa, %fb, %fc;", a, a, -0x1.000004p0f, 0x1p-46f);
    F("mad.rn.f32 %f, %fa, %fb, %fc;", a, a, -0x1.000004p0f, 0x1p-46f);
    F("fma.rz.f32 %f, %fa, %fb, %fc;", 1.0f, 1.0f, -0x1p-30f, 0x1.fffffep-1f);
    F("fma.rn.sat.f32 %f, %fa, %fb, %fc;", 2.0f, 2.0f, 1.0f, 1.0f);
    D("fma.rn.f64 %d, %da, %db, %dc;", 1 + 0x1p-52, 1 + 0x1p-52, -(1 + 0x1p-51), 0x1p-104);
    D("fma.rm.f64 %d, %da, %db, %dc;", 1, 1, -0x1p-70, 0x1.fffffffffffffp-1);
}

Test(sim_float, subnormals)
{
    RAW('f', "add.f32 %f, %fa, %fb;", SMALLEST, SMALLEST, 0, 2);
    RAW('f', "add.ftz.f32 %f, %fa, %fb;", SMALLEST, SMALLEST, 0, 0);
    RAW('f', "add.ftz.f32 %f, %fa, %fb;", NEGATIVE_ZERO | SMALLEST, NEGATIVE_ZERO, 0,
        NEGATIVE_ZERO);
    RAW('f', "mul.ftz.f32 %f, %fa, %fb;", BITS(0x1p-126f), BITS(-0.5f), 0, NEGATIVE_ZERO);
    RAW('f', "mul.rz.ftz.f32 %f, %fa, %fb;", BITS(0x1p-126f), BITS(0.5f), 0, 0);
    RAW('f', "fma.rn.ftz.f32 %f, %fa, %fb, %fc;", SMALLEST, BITS(0x1p100f), BITS(1.0f), BITS(1.0f));
    /* What is below the least normal value when 24 bits of it are kept is flushed, too: as on an
     * H200. */
    RAW('f', "mul.f32 %f, %fa, %fb;", BITS(0x1.fffffep-1f), BITS(0x1p-126f), 0, BITS(0x1p-126f));
    RAW('f', "mul.ftz.f32 %f, %fa, %fb;", BITS(0x1.fffffep-1f), BITS(0x1p-126f), 0, 0);
    RAW('f', "mul.rp.ftz.f32 %f, %fa, %fb;", BITS(0x1.fffffep-1f), BITS(0x1p-126f), 0, 0);
    RAW('f', "mul.ftz.f32 %f, %fa, %fb;", BITS(1.0f), BITS(-0x1p-126f), 0, BITS(-0x1p-126f));
    RAW('f', "fma.rm.ftz.f32 %f, %fa, %fb, %fc;", BITS(0x1.fffffep-1f), BITS(-0x1p-126f), SMALLEST,
        NEGATIVE_ZERO);
    RAW('f', "fma.rn.ftz.f32 %f, %fa, %fb, %fc;", BITS(0x1p-100f), BITS(-0x1p-60f), BITS(0x1p-126f),
        BITS(0x1p-126f));
    RAW('f', "fma.rn.ftz.f32 %f, %fa, %fb, %fc;", BITS(0x1p-100f), BITS(-0x1p-51f), BITS(0x1p-126f),
        BITS(0x1p-126f)); /* a tie: to even */
    RAW('f', "fma.rn.ftz.f32 %f, %fa, %fb, %fc;", BITS(0x1p-100f), BITS(-0x1.000002p-51f),
        BITS(0x1p-126f), 0);
    RAW('f', "fma.rm.ftz.f32 %f, %fa, %fb, %fc;", BITS(0x1p-100f), BITS(0x1.fffffep-51f),
        BITS(-0x1p-126f), BITS(-0x1p-126f));
    RAW('f', "fma.rm.ftz.f32 %f, %fa, %fb, %fc;", BITS(0x1p-100f), BITS(0x1p-50f), BITS(-0x1p-126f),
        NEGATIVE_ZERO);
    RAW('f', "fma.rp.ftz.f32 %f, %fa, %fb, %fc;", BITS(0x1p-100f), BITS(-0x1p-60f), BITS(0x1p-126f),
        BITS(0x1p-126f));
    RAW('f', "fma.rz.ftz.f32 %f, %fa, %fb, %fc;", BITS(0x1p-100f), BITS(-0x1p-60f), BITS(0x1p-126f),
        0);
    RAW('f', "fma.rn.ftz.f32 %f, %fa, %fb, %fc;", BITS(0x1p-100f), BITS(0x1p-60f), BITS(0x1p-126f),
        BITS(0x1p-126f));
    RAW('f', "rcp.rp.ftz.f32 %f, %fa;", 0x7e800001, 0, 0, 0);
    RAW('f', "div.rp.ftz.f32 %f, %fa, %fb;", BITS(0x1.fffffep-1f), BITS(0x1p126f), 0, 0);
    RAW('f', "div.rn.ftz.f32 %f, %fa, %fb;", BITS(0x1.fffffep-1f), BITS(0x1p126f), 0, 0);
    RAW('f', "abs.ftz.f32 %f, %fa;", NEGATIVE_ZERO | SMALLEST, 0, 0, 0);
    RAW('f', "abs.f32 %f, %fa;", NEGATIVE_ZERO | SMALLEST, 0, 0, SMALLEST);
    RAW('f', "neg.ftz.f32 %f, %fa;", SMALLEST, 0, 0, NEGATIVE_ZERO);
    RAW('p', "setp.gt.f32 %p, %fa, %fb;", SMALLEST, 0, 0, 1);
    RAW('p', "setp.gt.ftz.f32 %p, %fa, %fb;", SMALLEST, 0, 0, 0);
    RAW('d', "mul.f64 %d, %da, %db;", 1, sim_fixture_bits64(3), 0, 3);
}

Test(sim_float, divide_and_root)
{
    F("div.rn.f32 %f, %fa, %fb;", 1.0f, 3.0f, 0, 0x1.555556p-2f);
    F("div.rz.f32 %f, %fa, %fb;", 1.0f, 3.0f, 0, 0x1.555554p-2f);
    F("div.rp.f32 %f, %fa, %fb;", 2.0f, 3.0f, 0, 0x1.555556p-1f);
    F("div.full.f32 %f, %fa, %fb;", 6.0f, 3.0f, 0, 2.0f);
    F("div.approx.f32 %f, %fa, %fb;", 6.0f, 3.0f, 0, 2.0f);
    F("div.approx.f32 %f, %fa, %fb;", 6.0f, 0x1.8p126f, 0, 0.0f);
    RAW('f', "div.approx.f32 %f, %fa, %fb;", 0x7f800000, BITS(0x1.8p126f), 0, HARDWARE_NAN);
    RAW('f', "div.rn.f32 %f, %fa, %fb;", 0, 0, 0, HARDWARE_NAN);
    F("rcp.rn.f32 %f, %fa;", 3.0f, 0, 0, 0x1.555556p-2f);
    F("rcp.rm.f32 %f, %fa;", 3.0f, 0, 0, 0x1.555554p-2f);
    F("sqrt.rn.f32 %f, %fa;", 2.0f, 0, 0, 0x1.6a09e6p0f);
    F("sqrt.rp.f32 %f, %fa;", 2.0f, 0, 0, 0x1.6a09e8p0f);
    F("sqrt.rn.f32 %f, %fa;", -0.0f, 0, 0, -0.0f);
    RAW('f', "sqrt.rn.f32 %f, %fa;", BITS(-1.0f), 0, 0, HARDWARE_NAN);
    RAW('f', "sqrt.rn.ftz.f32 %f, %fa;", SMALLEST, 0, 0, 0);
    D("div.rn.f64 %d, %da, %db;", 1, 3, 0, 1.0 / 3);
    D("div.rp.f64 %d, %da, %db;", 1, 3, 0, nextafter(1.0 / 3, 1));
    D("sqrt.rn.f64 %d, %da;", 2, 0, 0, 0x1.6a09e667f3bcdp0);
    D("rcp.rn.f64 %d, %da;", 4, 0, 0, 0.25);
    RAW('d', "rcp.approx.ftz.f64 %d, %da;", sim_fixture_bits64(4), 0, 0, sim_fixture_bits64(0.25));
}

Test(sim_float, minimum_and_maximum)
{
    F("min.f32 %f, %fa, %fb;", 1.0f, -2.0f, 0, -2.0f);
    F("max.f32 %f, %fa, %fb;", 1.0f, -2.0f, 0, 1.0f);
    F("min.f32 %f, %fa, %fb;", 0.0f, -0.0f, 0, -0.0f);
    F("max.f32 %f, %fa, %fb;", -0.0f, 0.0f, 0, 0.0f);
    F("min.f32 %f, %fa, %fb;", NAN, 5.0f, 0, 5.0f);
    F("max.f32 %f, %fa, %fb;", 5.0f, NAN, 0, 5.0f);
    RAW('f', "max.f32 %f, %fa, %fb;", SOME_NAN, SOME_NAN, 0, HARDWARE_NAN);
    RAW('f', "min.NaN.f32 %f, %fa, %fb;", SOME_NAN, BITS(5.0f), 0, HARDWARE_NAN);
    F("min.xorsign.abs.f32 %f, %fa, %fb;", -3.0f, 2.0f, 0, -2.0f);
    F("max.xorsign.abs.f32 %f, %fa, %fb;", -3.0f, -2.0f, 0, 3.0f);
    F("max.f32 %f, %fa, %fb, %fc;", 1.0f, 7.0f, 3.0f, 7.0f);
    RAW('f', "max.ftz.f32 %f, %fa, %fb;", SMALLEST, BITS(-1.0f), 0, 0);
    D("min.f64 %d, %da, %db;", 0.0, -0.0, 0, -0.0);
    D("max.f64 %d, %da, %db;", NAN, 3, 0, 3.0);
}

/* The NaN that an H200 gives. */
Test(sim_float, which_nan)
{
    const uint64_t first = 0x7ffc12345678900b, second = 0xfff000000000000b;
    const uint64_t quiet = 0xfff800000000000b;
    RAW('f', "neg.f32 %f, %fa;", 0x7f800001, 0, 0, INT32_MAX);
    RAW('f', "abs.ftz.f32 %f, %fa;", 0xffc00000, 0, 0, INT32_MAX);
    RAW('f', "min.xorsign.abs.f32 %f, %fa, %fb;", SOME_NAN, 0xffffffff, 0, INT32_MAX);
    RAW('d', "neg.f64 %d, %da;", second, 0, 0, quiet);
    RAW('d', "abs.f64 %d, %da;", second, 0, 0, quiet);
    RAW('d', "min.f64 %d, %da, %db;", first, second, 0, quiet);
    RAW('d', "add.f64 %d, %da, %db;", first, second, 0, quiet);
    RAW('d', "fma.rz.f64 %d, %da, %db, %dc;", first, 0, second, quiet);
    RAW('d', "div.rn.f64 %d, %da, %db;", first, second, 0, first);
    RAW('f', "cvt.rn.f32.f64 %f, %da;", first, 0, 0, 0x7fe091a2);
    RAW('f', "cvt.rz.f32.f64 %f, %da;", second, 0, 0, 0xffc00000);
    RAW('d', "cvt.ftz.f64.f32 %d, %fa;", SOME_NAN, 0, 0, 0x7fffffffe0000000);
    RAW('f', "cvt.f32.bf16 %f, %ha;", 0xff81, 0, 0, 0xff810000);
}

Test(sim_float, signs_and_classes)
{
    F("abs.f32 %f, %fa;", -3.5f, 0, 0, 3.5f);
    F("neg.f32 %f, %fa;", 0.0f, 0, 0, -0.0f);
    F("copysign.f32 %f, %fa, %fb;", -1.0f, 3.0f, 0, -3.0f);
    D("copysign.f64 %d, %da, %db;", 1, -3, 0, 3.0);
    D("neg.f64 %d, %da;", 2, 0, 0, -2.0);
    RAW('p', "testp.finite.f32 %p, %fa;", 0x7f800000, 0, 0, 0);
    RAW('p', "testp.infinite.f32 %p, %fa;", 0xff800000, 0, 0, 1);
    RAW('p', "testp.notanumber.f32 %p, %fa;", SOME_NAN, 0, 0, 1);
    RAW('p', "testp.number.f32 %p, %fa;", SOME_NAN, 0, 0, 0);
    RAW('p', "testp.normal.f32 %p, %fa;", SMALLEST, 0, 0, 0);
    RAW('p', "testp.normal.f32 %p, %fa;", 0x80000000, 0, 0, 1); /* zero is normal */
    RAW('p', "testp.subnormal.f32 %p, %fa;", SMALLEST, 0, 0, 1);
    RAW('p', "testp.subnormal.f64 %p, %da;", 1, 0, 0, 1);
}

Test(sim_float, ordered_and_unordered)
{
    static const struct {
        const char *op;
        int less, equal, greater, unordered;
    } ops[] = {{"eq", 0, 1, 0, 0},  {"ne", 1, 0, 1, 0},  {"lt", 1, 0, 0, 0},  {"le", 1, 1, 0, 0},
               {"gt", 0, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1},
               {"ltu", 1, 0, 0, 1}, {"leu", 1, 1, 0, 1}, {"gtu", 0, 0, 1, 1}, {"geu", 0, 1, 1, 1},
               {"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1}};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        char narrow[64], wide[64];
        snprintf(narrow, sizeof narrow, "setp.%s.f32 %%p, %%fa, %%fb;", ops[i].op);
        snprintf(wide, sizeof wide, "setp.%s.f64 %%p, %%da, %%db;", ops[i].op);
        const float values[][2] = {{1, 2}, {2, 2}, {3, 2}, {NAN, 2}};
        const int expected[] = {ops[i].less, ops[i].equal, ops[i].greater, ops[i].unordered};
        for (int k = 0; k < 4; k++) {
            RAW('p', narrow, BITS(values[k][0]), BITS(values[k][1]), 0, (uint64_t)expected[k]);
            RAW('p', wide, sim_fixture_bits64(values[k][0]), sim_fixture_bits64(values[k][1]), 0,
                (uint64_t)expected[k]);
        }
    }
}

static void near(const char *body, float a, double expected, double tolerance)
{
    const float got = sim_fixture_float(sim_fixture_value('f', body, BITS(a), 0, 0));
    cr_expect(fabs((double)got - expected) <= tolerance, "%s of %g: got %.9g, expected %.9g", body,
              (double)a, (double)got, expected);
}

Test(sim_float, approximations)
{
    near("ex2.approx.f32 %f, %fa;", 3.5f, exp2(3.5), exp2(3.5) * 0x1p-22);
    near("ex2.approx.ftz.f32 %f, %fa;", -140.0f, 0, 0);
    near("lg2.approx.f32 %f, %fa;", 10.0f, log2(10), 0x1p-22 * 4);
    near("sin.approx.f32 %f, %fa;", 1.0f, sin(1), 0x1p-20);
    near("cos.approx.ftz.f32 %f, %fa;", 1.0f, cos(1), 0x1p-20);
    near("tanh.approx.f32 %f, %fa;", 0.5f, tanh(0.5), 0x1p-11);
    near("rsqrt.approx.f32 %f, %fa;", 7.0f, 1 / sqrt(7), 0x1p-23);
    near("rcp.approx.ftz.f32 %f, %fa;", 7.0f, 1.0 / 7, 0x1p-25);
    near("sqrt.approx.f32 %f, %fa;", 7.0f, sqrt(7), 0x1p-21);
    RAW('f', "lg2.approx.f32 %f, %fa;", BITS(-1.0f), 0, 0, HARDWARE_NAN);
    RAW('f', "lg2.approx.f32 %f, %fa;", 0, 0, 0, 0xff800000);
    RAW('f', "ex2.approx.f32 %f, %fa;", 0xff800000, 0, 0, 0);
    RAW('f', "rcp.approx.f32 %f, %fa;", NEGATIVE_ZERO, 0, 0, 0xff800000);
    RAW('f', "rcp.approx.ftz.f32 %f, %fa;", SMALLEST, 0, 0, 0x7f800000);
    RAW('f', "sin.approx.f32 %f, %fa;", 0x7f800000, 0, 0, HARDWARE_NAN);
}

Test(sim_float, halves)
{
    const uint64_t one = 0x3c00, two = 0x4000, three = 0x4200;
    RAW('h', "add.f16 %h, %ha, %hb;", one, two, 0, three);
    RAW('h', "sub.rn.f16 %h, %ha, %hb;", one, two, 0, 0xbc00);
    RAW('h', "add.f16 %h, %ha, %hb;", 0x7bff, 0x7bff, 0, 0x7c00);
    RAW('h', "add.sat.f16 %h, %ha, %hb;", one, two, 0, one);
    RAW('h', "add.f16 %h, %ha, %hb;", 0x7c00, 0xfc00, 0, 0x7fff);
    RAW('h', "add.f16 %h, %ha, %hb;", 1, 1, 0, 2);
    RAW('h', "add.ftz.f16 %h, %ha, %hb;", 1, 1, 0, 0);
    /* A tie of the product, decided by an addend far below. */

    RAW('h', "fma.rn.f16 %h, %ha, %hb, %hc;", 0x3c01, 0x3e00, 0x8001, 0x3e01);
    RAW('h', "fma.rn.relu.f16 %h, %ha, %hb, %hc;", one, one, 0xc000, 0);
    RAW('h', "min.f16 %h, %ha, %hb;", 0x8000, 0, 0, 0x8000);
    RAW('h', "min.f16 %h, %ha, %hb;", 0, 0x8000, 0, 0x8000);
    RAW('h', "max.f16 %h, %ha, %hb;", 0x8000, 0, 0, 0);
    RAW('h', "max.f16 %h, %ha, %hb;", 0x7e00, one, 0, one);
    RAW('h', "max.NaN.f16 %h, %ha, %hb;", 0x7e00, one, 0, 0x7fff);
    RAW('h', "neg.f16 %h, %ha;", one, 0, 0, 0xbc00);
    RAW('h', "abs.bf16 %h, %ha;", 0xbf80, 0, 0, 0x3f80);
    RAW('h', "mul.bf16 %h, %ha, %hb;", 0x4040, 0x4040, 0, 0x4110);
    RAW('w', "mul.f16x2 %r, %ra, %rb;", two << 16 | three, two << 16 | two, 0, 0x44004600);
    RAW('w', "mul.ftz.f16x2 %r, %ra, %rb;", 0x1fff3c00, 0x20000400, 0, 0x00000400); /* see above */
    RAW('w', "fma.rn.bf16x2 %r, %ra, %rb, %rc;", 0x3f804000, 0x3f804000, 0x3f803f80, 0x400040a0);
    RAW('p', "setp.lt.f16 %p, %ha, %hb;", one, two, 0, 1);
    RAW('p', "setp.ltu.and.f16 %p, %ha, %hb, %pc;", 0x7e00, two, 1, 1);
    RAW('p', "setp.gt.f16x2 %p0|%p, %ra, %rb;", two << 16 | one, one << 16 | two, 0, 1);
    RAW('h', "set.eq.f16.f16 %h, %ha, %hb;", one, one, 0, one);
    RAW('w', "set.gt.f16x2.f16x2 %r, %ra, %rb;", two << 16 | one, one << 16 | two, 0, one << 16);
    RAW('w', "set.eq.u32.f16x2 %r, %ra, %rb;", two << 16 | one, one << 16 | one, 0, 0xffff);
}
