/* div, sqrt, rcp with their approximate forms; rsqrt, ex2, lg2, sin, cos, tanh.
 *
 * Where PTX allows an error, the result here is the host's, which is closer. The results for
 * special values are those of PTX. */
#pragma GCC optimize("no-math-errno", "no-trapping-math")

#include "arithmetic.h"
#include "rounding.h"

#include "sim/machine/lanes.h"

#include <string.h>

/* div.approx: a divisor above 2^126 gives zero, or NaN where the dividend is not finite. */
static inline float divide_approximately(float a, float b)
{
    const float size = fabsf(b);
    const bool is_large = size > 0x1p126f && size <= __FLT_MAX__;
    return is_large ? (fabsf(a) <= __FLT_MAX__ ? copysignf(0, a) * copysignf(1, b) : hardware_nan())
                    : canonical(a / b);
}

#define FTZ(x) flush_to_zero(x)
/* A function of one float: as written, and with subnormals as zero for .ftz. */
#define APPROXIMATE(name, expression)                                                              \
    UNARY(name, float, float, canonical(expression))                                               \
    static inline float name##_of(float a)                                                         \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    UNARY(name##_ftz, float, float, canonical(FTZ(name##_of(FTZ(a)))))

APPROXIMATE(rcp, 1 / a)
APPROXIMATE(root, sqrtf(a))
APPROXIMATE(rsqrt, (float)(1 / sqrt((double)a)))
APPROXIMATE(ex2, exp2f(a))
APPROXIMATE(lg2, log2f(a))
APPROXIMATE(sine, sinf(a))
APPROXIMATE(cosine, cosf(a))
UNARY(hyperbolic, float, float, canonical(tanhf(a)))
BINARY(div_approx, float, float, float, divide_approximately(a, b))
BINARY(div_approx_ftz, float, float, float, FTZ(divide_approximately(FTZ(a), FTZ(b))))
BINARY(div_full, float, float, float, canonical(a / b))
BINARY(div_full_ftz, float, float, float, canonical(FTZ(FTZ(a) / FTZ(b))))

/* The f64 forms are coarse: they keep the upper 32 bits of operand and result. */
static inline double upper_half(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= UINT64_C(0xffffffff00000000);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double flush_wide(double value)
{
    return fabs(value) < 0x1p-1022 ? copysign(0, value) : value;
}

UNARY(rcp_wide, double, double, upper_half(flush_wide(1 / flush_wide(upper_half(a)))))
UNARY(rsqrt_wide, double, double, upper_half(1 / sqrt(flush_wide(upper_half(a)))))
UNARY(rsqrt_f64, double, double, 1 / sqrt(a))

static const struct rule rules[] = {
    {"div.approx.f32", div_approx, "w=ww", 0},
    {"div.approx.ftz.f32", div_approx_ftz, "w=ww", 0},
    {"div.full.f32", div_full, "w=ww", 0},
    {"div.full.ftz.f32", div_full_ftz, "w=ww", 0},
    {"rcp.approx.f32", rcp, "w=w", 0},
    {"rcp.approx.ftz.f32", rcp_ftz, "w=w", 0},
    {"rcp.approx.ftz.f64", rcp_wide, "l=l", 0},
    {"sqrt.approx.f32", root, "w=w", 0},
    {"sqrt.approx.ftz.f32", root_ftz, "w=w", 0},
    {"rsqrt.approx.f32", rsqrt, "w=w", 0},
    {"rsqrt.approx.ftz.f32", rsqrt_ftz, "w=w", 0},
    {"rsqrt.approx.f64", rsqrt_f64, "l=l", 0},
    {"rsqrt.approx.ftz.f64", rsqrt_wide, "l=l", 0},
    {"ex2.approx.f32", ex2, "w=w", 0},
    {"ex2.approx.ftz.f32", ex2_ftz, "w=w", 0},
    {"lg2.approx.f32", lg2, "w=w", 0},
    {"lg2.approx.ftz.f32", lg2_ftz, "w=w", 0},
    {"sin.approx.f32", sine, "w=w", 0},
    {"sin.approx.ftz.f32", sine_ftz, "w=w", 0},
    {"cos.approx.f32", cosine, "w=w", 0},
    {"cos.approx.ftz.f32", cosine_ftz, "w=w", 0},
    {"tanh.approx.f32", hyperbolic, "w=w", 0},
    {NULL, NULL, NULL, 0},
};

static void decode(struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct rule *const rule = sim_find_rule(rules, source->opcode);
    if (sim_is_half(source))
        sim_decode_half(decoder, source);
    else if (rule)
        sim_emit_rule(decoder, source, rule);
    else
        sim_decode_arithmetic(decoder, source);
}

const struct family sim_approximate_families[] = {
    {PTX_OP_div, decode},  {PTX_OP_sqrt, decode},  {PTX_OP_rcp, decode}, {PTX_OP_rsqrt, decode},
    {PTX_OP_ex2, decode},  {PTX_OP_lg2, decode},   {PTX_OP_sin, decode}, {PTX_OP_cos, decode},
    {PTX_OP_tanh, decode}, {PTX_OP_UNKNOWN, NULL},
};
