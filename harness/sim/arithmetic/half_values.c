/* The values of f16, bf16 and FP8, for instructions and for cuBLAS. FP8 is held against an H200 by
 * random programs. */
#include "rounding.h"

#include <math.h>
#include <string.h>

enum { HALF_NAN = 0x7fff };

double sim_half_value(uint32_t bits, bool is_bf16)
{
    const int mantissa_bits = is_bf16 ? 7 : 10, top = is_bf16 ? 255 : 31, bias = top >> 1;
    const int exponent = (int)(bits >> mantissa_bits) & top;
    const int mantissa = (int)bits & ((1 << mantissa_bits) - 1);
    double value;
    if (exponent == top)
        value = mantissa ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(mantissa, 1 - bias - mantissa_bits);
    else
        value = ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
    return bits & 0x8000 ? -value : value;
}

uint32_t sim_half_bits(double value, bool is_bf16)
{
    const int mantissa_bits = is_bf16 ? 7 : 10, top = is_bf16 ? 255 : 31, bias = top >> 1;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = (uint32_t)(bits >> 48) & 0x8000;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const int least = 1 - bias;
    if (value != value)
        return HALF_NAN;
    const int shift = 52 - mantissa_bits + (exponent < least ? least - exponent : 0);
    if (shift > 54)
        return sign; /* less than half of the smallest value; zero too */
    const uint64_t rest = mantissa & ((UINT64_C(1) << shift) - 1), tie = UINT64_C(1) << (shift - 1);
    uint64_t units = mantissa >> shift;
    units += rest > tie || (rest == tie && (units & 1));
    /* A carry of the rounding into the exponent gives the right result. */
    const uint64_t binade = exponent < least ? 0 : (uint64_t)(exponent - least);
    const uint64_t result = (binade << mantissa_bits) + units;
    const uint64_t infinity = (uint64_t)top << mantissa_bits;
    return sign | (uint32_t)(exponent > bias || result > infinity ? infinity : result);
}

uint32_t sim_half_of_float8(uint32_t bits, bool is_e5m2)
{
    const uint32_t magnitude = bits & 0x7f;
    if (is_e5m2)
        return magnitude > 0x7c ? 0x7fff : bits << 8;
    if (magnitude == 0x7f)
        return 0x7fff;
    const int exponent = (int)magnitude >> 3, fraction = (int)magnitude & 7;
    const double value = exponent ? ldexp(fraction + 8, exponent - 10) : ldexp(fraction, -9);
    return sim_half_bits(value, false) | (bits & 0x80) << 8;
}

uint32_t sim_float8_bits(double value, bool is_e5m2)
{
    const int fraction = is_e5m2 ? 2 : 3, least = is_e5m2 ? -14 : -6;
    const uint32_t largest = is_e5m2 ? 0x7b : 0x7e, sign = signbit(value) ? 0x80 : 0;
    if (value != value)
        return 0x7f;
    int exponent;
    frexp(value, &exponent);
    exponent = value == 0 || exponent - 1 < least ? least : exponent - 1;
    if (isinf(value) || exponent > 15)
        return sign | largest;
    const double units = rint(ldexp(fabs(value), fraction - exponent));
    const uint32_t bits = ((uint32_t)(exponent - least) << fraction) + (uint32_t)units;
    return sign | (bits > largest ? largest : bits);
}
