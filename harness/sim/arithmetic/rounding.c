/* Reads modifiers of floating-point opcodes, and does arithmetic under the directed roundings (.rz,
 * .rm, .rp) by the host's rounding mode. */
#ifdef __clang__
#pragma STDC FENV_ACCESS ON
#else
#pragma GCC optimize("rounding-math", "no-math-errno")
#endif

#include "rounding.h"

#include <fenv.h>
#include <string.h>

/* ---- Modifiers ---- */

struct float_text sim_read_float(struct decoder *decoder, const struct ptx_instruction *source)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    struct float_text text = {.type = ptx_part_type(source->parts[source->part_count - 1])};
    for (int i = 1; i < source->part_count - 1; i++) {
        const char *const part = source->parts[i];
        bool is_known = false;
        for (int k = 0; k < 4; k++) {
            if (strcmp(part, roundings[k]) == 0) {
                text.rounding = (enum rounding)k;
                is_known = true;
            }
        }
        if (strcmp(part, "ftz") == 0)
            text.ftz = is_known = true;
        else if (strcmp(part, "sat") == 0)
            text.sat = is_known = true;
        else if (strcmp(part, "approx") == 0)
            text.is_approximate = is_known = true;
        else if (strcmp(part, "full") == 0)
            text.is_full = is_known = true;
        if (!is_known)
            sim_refuse_opcode(decoder, source);
    }
    return text;
}

/* ---- Arithmetic ---- */

static int host_mode(enum rounding rounding)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    return modes[rounding];
}

static float flushed(const struct rounded *rounded, float value)
{
    return rounded->ftz ? flush_to_zero(value) : value;
}

static float operate32(enum rounded_operation operation, float a, float b, float c)
{
    switch (operation) {
    case ROUNDED_ADD:
        return a + b;
    case ROUNDED_SUB:
        return a - b;
    case ROUNDED_MUL:
        return a * b;
    case ROUNDED_FMA:
        return fmaf(a, b, c);
    case ROUNDED_DIV:
        return a / b;
    case ROUNDED_SQRT:
        return sqrtf(a);
    default:
        return 1 / a;
    }
}

static double operate64(enum rounded_operation operation, double a, double b, double c)
{
    switch (operation) {
    case ROUNDED_ADD:
        return a + b;
    case ROUNDED_SUB:
        return a - b;
    case ROUNDED_MUL:
        return a * b;
    case ROUNDED_FMA:
        return fma(a, b, c);
    case ROUNDED_DIV:
        return a / b;
    case ROUNDED_SQRT:
        return sqrt(a);
    default:
        return 1 / a;
    }
}

static float flush_rounded(enum rounded_operation operation, float value, double a, double b,
                           double c, bool is_nearest)
{
    switch (operation) {
    case ROUNDED_MUL:
        return flush_result(value, a * b, 0, is_nearest);
    case ROUNDED_FMA:
        return flush_result(value, a * b, c, is_nearest);
    case ROUNDED_DIV:
        return flush_result(value, a / b, 0, is_nearest);
    case ROUNDED_RCP:
        return flush_result(value, 1 / a, 0, is_nearest);
    default:
        return flush_to_zero(value);
    }
}

void sim_round32(const struct rounded *rounded, const float *a, const float *b, const float *c,
                 float *result)
{
    const int before = fegetround();
    fesetround(host_mode(rounded->rounding));
    for (int lane = 0; lane < WARP_LANES; lane++) {
        volatile float value = operate32(rounded->operation, flushed(rounded, a[lane]),
                                         flushed(rounded, b[lane]), flushed(rounded, c[lane]));
        result[lane] = value;
    }
    fesetround(before);
    for (int lane = 0; lane < WARP_LANES && rounded->ftz; lane++)
        result[lane] = flush_rounded(rounded->operation, result[lane], flush_to_zero(a[lane]),
                                     flush_to_zero(b[lane]), flush_to_zero(c[lane]),
                                     rounded->rounding == ROUND_NEAREST);
}

static unsigned operand_count(enum rounded_operation operation)
{
    return operation == ROUNDED_FMA                                ? 3
           : operation == ROUNDED_SQRT || operation == ROUNDED_RCP ? 1
                                                                   : 2;
}

void sim_round64(const struct rounded *rounded, const double *a, const double *b, const double *c,
                 double *result)
{
    const int before = fegetround();
    fesetround(host_mode(rounded->rounding));
    for (int lane = 0; lane < WARP_LANES; lane++) {
        volatile double value = operate64(rounded->operation, a[lane], b[lane], c[lane]);
        const unsigned operands = operand_count(rounded->operation);
        const double second = operands > 1 ? b[lane] : a[lane];
        result[lane] = rounded->operation == ROUNDED_DIV
                           ? quotient_with_nan(value, a[lane], second, second)
                           : with_nan_of(value, a[lane], second, operands > 2 ? c[lane] : second);
    }
    fesetround(before);
}
