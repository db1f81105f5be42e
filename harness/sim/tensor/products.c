/* The products of tensor cores, bit for bit. For floating point the sum of a few products and C is
 * taken at once: each term is aligned to the largest exponent, cut off some bits below it, and the
 * sum is cut off, too, when it becomes a float (Fasi, Higham, Mikaitis and Pranesh 2021; Khattak
 * and Mikaitis 2025; Xie and others, MMA-Sim, 2025). FP64 is a chain of fma(); integers are exact.
 */
#include "tensor.h"

#include "sim/arithmetic/rounding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BELOW_LEAST = 7,      /* so far below the least exponent of its type a C of zero aligns */
    NO_EXPONENT = -10000, /* of a factor that is zero: its product aligns nothing */
    F32_NAN = 0x7fffffff
};

/* ---- Elements ---- */

/* A floating-point format: its bits, and whether the largest exponent is for infinities and NaN. */
struct format {
    int fraction, exponents, bias;
    bool has_infinity;
};

static const struct format formats[TENSOR_TYPES] = {
    [TENSOR_F16] = {10, 5, 15, true},   [TENSOR_BF16] = {7, 8, 127, true},
    [TENSOR_TF32] = {10, 8, 127, true}, [TENSOR_E4M3] = {3, 4, 7, false},
    [TENSOR_E5M2] = {2, 5, 15, true},   [TENSOR_F32] = {23, 8, 127, true}};

/* significand * 2^(exponent - the format's fraction bits). */
struct number {
    int64_t significand;
    int exponent;
    bool is_special; /* an infinity or NaN */
};

static struct number read_number(enum tensor_type type, uint32_t bits)
{
    const struct format *const format = &formats[type];
    if (type == TENSOR_TF32)
        bits >>= 13; /* the hardware ignores the bits below */
    const int top = (1 << format->exponents) - 1;
    const int fraction = (int)(bits & ((1u << format->fraction) - 1));
    const int exponent = (int)(bits >> format->fraction) & top;
    const bool is_negative = bits >> (format->fraction + format->exponents) & 1;
    const int significand = fraction | (exponent ? 1 << format->fraction : 0);
    struct number number;
    number.significand = is_negative ? -significand : significand;
    number.exponent = (exponent ? exponent : 1) - format->bias;
    number.is_special = format->has_infinity
                            ? exponent == top
                            : exponent == top && fraction == (1 << format->fraction) - 1;
    return number;
}

static double value_of(enum tensor_type type, uint32_t bits)
{
    const struct format *const format = &formats[type];
    const struct number number = read_number(type, bits);
    const int width = format->fraction + format->exponents;
    if (type == TENSOR_TF32)
        bits >>= 13;
    double value = ldexp((double)llabs(number.significand), number.exponent - format->fraction);
    if (number.is_special)
        value = format->has_infinity && !(bits & ((1u << format->fraction) - 1)) ? INFINITY : NAN;
    return bits >> width & 1 ? -value : value;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != value ? F32_NAN : bits;
}

/* ---- Results ---- */

/* magnitude * 2^scale as a format's bits without the sign; cut off, or rounded to nearest even. */
static uint32_t write_number(enum tensor_type type, uint64_t magnitude, int scale, bool rounds)
{
    const struct format *const format = &formats[type];
    if (magnitude == 0)
        return 0;
    const int top = 63 - __builtin_clzll(magnitude), least = 1 - format->bias;
    int exponent = top + scale, drop = top - format->fraction;
    if (exponent < least) {
        drop += least - exponent;
        exponent = least;
    }
    if (drop > 63)
        return 0;
    uint64_t units = drop > 0 ? magnitude >> drop : magnitude << -drop;
    if (rounds && drop > 0) {
        const uint64_t rest = magnitude & ((UINT64_C(1) << drop) - 1);
        const uint64_t tie = UINT64_C(1) << (drop - 1);
        units += rest > tie || (rest == tie && units & 1);
    }
    const uint64_t infinity = ((UINT64_C(1) << format->exponents) - 1) << format->fraction;
    if (exponent > format->bias)
        return (uint32_t)infinity;
    const uint64_t result = ((uint64_t)(exponent - least) << format->fraction) + units;
    return (uint32_t)(result > infinity ? infinity : result);
}

static uint32_t write_result(enum tensor_type type, int64_t sum, int scale)
{
    const bool is_half = type == TENSOR_F16;
    const uint64_t magnitude = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
    const uint32_t result = write_number(type, magnitude, scale, is_half);
    const uint32_t sign = is_half ? 0x8000u : 0x80000000u;
    return result && sum < 0 ? result | sign : result; /* zero has no sign */
}

/* ---- Floating point ---- */

/* The factors of a matrix, each row of A and each column of B in one piece. */
struct factors {
    enum tensor_type type;
    int32_t significand[TENSOR_MOST_FACTORS];
    int32_t exponent[TENSOR_MOST_FACTORS];
    uint32_t bits[TENSOR_MOST_FACTORS];
    bool has_special[TENSOR_MOST_ROWS];
};

/* What infinities and NaN give; there is one NaN. @return false if there are none */
static bool special_sum(const struct tensor_product *product, const struct factors *a, int at_a,
                        const struct factors *b, int at_b, enum tensor_type type, uint32_t *c)
{
    double sum = value_of(type, *c);
    for (int k = 0; k < product->fused; k++)
        sum += value_of(a->type, a->bits[at_a + k]) * value_of(b->type, b->bits[at_b + k]);
    if (isfinite(sum))
        return false;
    *c = type == TENSOR_F16 ? sim_half_bits(sum, false) : float_bits((float)sum);
    return true;
}

static int64_t aligned(int64_t significand, int shift)
{
    if (shift >= 0)
        return significand * (INT64_C(1) << shift);
    if (shift < -62)
        return 0;
    return significand < 0 ? -(-significand >> -shift) : significand >> -shift;
}

static uint32_t fused_sum(const struct tensor_product *product, const struct factors *a, int at_a,
                          const struct factors *b, int at_b, uint32_t c, enum tensor_type c_type)
{
    const struct number start = read_number(c_type, c);
    const int digits = formats[a->type].fraction + formats[b->type].fraction;
    int most = start.significand ? start.exponent : start.exponent - BELOW_LEAST;
    for (int k = 0; k < product->fused; k++) {
        const int exponent = a->exponent[at_a + k] + b->exponent[at_b + k];
        most = exponent > most ? exponent : most;
    }
    int64_t sum = aligned(start.significand,
                          product->fraction - formats[c_type].fraction + start.exponent - most);
    for (int k = 0; k < product->fused; k++)
        sum += aligned((int64_t)a->significand[at_a + k] * b->significand[at_b + k],
                       product->fraction - digits + a->exponent[at_a + k] + b->exponent[at_b + k] -
                           most);
    const uint32_t result = write_result(c_type, sum, most - product->fraction);
    /* A sum with fewer bits than FP32 keeps no more of them. */
    const bool is_short = c_type == TENSOR_F32 && product->fraction < formats[TENSOR_F32].fraction;
    return is_short ? result >> (23 - product->fraction) << (23 - product->fraction) : result;
}

static uint32_t fused_dot(const struct tensor_product *product, const struct factors *a, int at_a,
                          const struct factors *b, int at_b, bool has_special, uint32_t c,
                          enum tensor_type type)
{
    for (int k = 0; k < product->k; k += product->fused) {
        const bool may_be_special = has_special || read_number(type, c).is_special;
        if (!may_be_special || !special_sum(product, a, at_a + k, b, at_b + k, type, &c))
            c = fused_sum(product, a, at_a + k, b, at_b + k, c, type);
    }
    return c;
}

/* Plain FP32 arithmetic, as where the hardware has no instruction for a product. */
static float chain(const struct factors *a, int at_a, const struct factors *b, int at_b, int count,
                   float sum)
{
    for (int k = 0; k < count; k++)
        sum = fmaf((float)value_of(a->type, a->bits[at_a + k]),
                   (float)value_of(b->type, b->bits[at_b + k]), sum);
    return sum;
}

/* C and D of different types meet in FP32. */
static uint32_t float_dot(const struct tensor_product *product, const struct factors *a, int row,
                          const struct factors *b, int column, uint32_t c_bits)
{
    const int at_a = row * product->k, at_b = column * product->k;
    const bool has_special = a->has_special[row] || b->has_special[column];
    const enum tensor_type type = product->c.type == product->d.type ? product->d.type : TENSOR_F32;
    const float c = (float)value_of(product->c.type, c_bits);
    uint32_t sum;
    float result;
    switch (product->sum) {
    case TENSOR_FUSED:
        sum = fused_dot(product, a, at_a, b, at_b, has_special,
                        type == product->c.type ? c_bits : float_bits(c), type);
        if (type == product->d.type)
            return sum;
        result = (float)value_of(type, sum);
        break;
    case TENSOR_FUSED_APART:
        sum = fused_dot(product, a, at_a, b, at_b, has_special, 0, type);
        result = (float)value_of(type, sum) + c;
        break;
    case TENSOR_CHAIN:
        result = chain(a, at_a, b, at_b, product->k, 0) + c;
        break;
    default: /* -0 is the zero that changes no product */
        result =
            chain(a, at_a + 2, b, at_b + 2, 2, -0.0f) + (c + chain(a, at_a, b, at_b, 2, -0.0f));
    }
    return product->d.type == TENSOR_F16 ? sim_half_bits(result, false)
                                         : float_bits(canonical(result));
}

static void add_factor(struct factors *factors, int row, int at, uint32_t bits)
{
    const struct number number = read_number(factors->type, bits);
    factors->significand[at] = (int32_t)number.significand;
    factors->exponent[at] = number.significand ? number.exponent : NO_EXPONENT;
    factors->bits[at] = bits;
    factors->has_special[row] |= number.is_special;
}

/* ---- FP64 and integers ---- */

static double quiet(double nan)
{
    return nan + nan;
}

/* Of several NaN it is B's that goes on, then the sum's. */
static double double_dot(const double *a, const double *b, int count, double c)
{
    for (int k = 0; k < count; k++)
        c = b[k] != b[k] ? quiet(b[k]) : c != c ? quiet(c) : fma(a[k], b[k], c);
    return c;
}

static int32_t read_integer(enum tensor_type type, uint32_t bits)
{
    switch (type) {
    case TENSOR_S8:
        return (int8_t)bits;
    case TENSOR_S4:
        return (int32_t)(bits << 28) >> 28;
    default:
        return (int32_t)bits;
    }
}

static int32_t integer_dot(const struct tensor_product *product, const struct factors *a, int at_a,
                           const struct factors *b, int at_b, int32_t c)
{
    int64_t sum = c;
    for (int k = 0; k < product->k; k++) {
        const int32_t x = a->significand[at_a + k], y = b->significand[at_b + k];
        sum += product->a.type != TENSOR_B1 ? x * y : product->bits == TENSOR_XOR ? x ^ y : x & y;
    }
    if (product->saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (int32_t)sum;
}

/* ---- A warp's product ---- */

static bool is_float(enum tensor_type type)
{
    return type <= TENSOR_F32;
}

static int elements_of(const struct tensor_matrix *matrix)
{
    const int bits = sim_tensor_bits(matrix->type);
    return bits < 32 ? 32 / bits * matrix->registers : matrix->registers;
}

static uint32_t element(const struct tensor_matrix *matrix, const void *const *slots, int lane,
                        int item)
{
    const int bits = sim_tensor_bits(matrix->type), each = 32 / bits;
    const uint32_t word = ((const uint32_t *)slots[item / each])[lane];
    return bits == 32 ? word : word >> item % each * bits & ((1u << bits) - 1);
}

/* The place of a product among those of an element. FP8 has no instruction of its own: of four
 * neighbours two at a time become FP16, and the first two of all fours come first. */
static int order_of(const struct tensor_product *product, int k)
{
    if (product->sum != TENSOR_FUSED_APART)
        return k;
    return k / 4 * 2 + k % 2 + (k % 4 < 2 ? 0 : product->k / 2);
}

static void gather(const struct tensor_product *product, const struct tensor_matrix *matrix,
                   const void *const *slots, struct factors *factors)
{
    const bool is_a = matrix == &product->a;
    /* Fragments of wmma may hold elements more than once: the first counts. */
    const int parts = product->layout == TENSOR_BY_QUADS ? 4 : 1;
    const int count = (is_a ? product->m : product->n) * product->k * parts / WARP_LANES;
    const bool is_float8 = product->sum == TENSOR_FUSED_APART;
    factors->type = is_float8 ? TENSOR_F16 : matrix->type;
    memset(factors->has_special, 0, sizeof factors->has_special);
    for (int item = 0; item < count; item++)
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const struct tensor_place place = sim_tensor_place(product, matrix, lane, item);
            const int part = is_a ? 0 : place.row / product->k; /* the product, of four */
            const int row = is_a ? place.row : part * product->n + place.column;
            const int at =
                row * product->k + order_of(product, is_a ? place.column : place.row % product->k);
            const uint32_t bits = element(matrix, slots, lane, item);
            if (is_float8)
                add_factor(factors, row, at, sim_half_of_float8(bits, matrix->type == TENSOR_E5M2));
            else if (is_float(matrix->type))
                add_factor(factors, row, at, bits);
            else
                factors->significand[at] = read_integer(matrix->type, bits);
        }
}

static bool are_zero(const void *const *slots, int registers)
{
    static const uint32_t zeros[WARP_LANES];
    bool are_all = true;
    for (int i = 0; i < registers; i++)
        are_all = are_all && memcmp(slots[i], zeros, sizeof zeros) == 0;
    return are_all;
}

/* Whether none is infinite or NaN: of 32-bit elements, or of two of 16 bits in each register. */
static bool are_finite(enum tensor_type type, const void *const *slots, int registers)
{
    const uint32_t exponent = type == TENSOR_F16 ? 0x7c00 : type == TENSOR_BF16 ? 0x7f80 : 0;
    const uint32_t high = exponent ? exponent << 16 : 0x7f800000;
    uint32_t are_all = 1;
    for (int i = 0; i < registers; i++)
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const uint32_t bits = ((const uint32_t *)slots[i])[lane];
            are_all &= (bits & high) != high && (!exponent || (bits & exponent) != exponent);
        }
    return are_all;
}

/* Tiles past the edge of a matrix are filled up with zeros: then D is C, if C and the other factor
 * are finite, but that -0 becomes 0. @return whether it was so, and D is computed */
static bool add_nothing(const struct tensor_product *product, const void *const *a,
                        const void *const *b, const void *const *c, void *const *d)
{
    const enum tensor_type type = product->a.type;
    if (product->sum != TENSOR_FUSED || product->fraction < formats[TENSOR_F32].fraction ||
        (type != TENSOR_F16 && type != TENSOR_BF16 && type != TENSOR_TF32) ||
        product->c.type != TENSOR_F32 || product->d.type != TENSOR_F32 ||
        (!are_zero(a, product->a.registers) && !are_zero(b, product->b.registers)) ||
        !are_finite(type, a, product->a.registers) || !are_finite(type, b, product->b.registers) ||
        !are_finite(TENSOR_F32, c, product->c.registers))
        return false;
    uint32_t result[TENSOR_MOST_REGISTERS][WARP_LANES]; /* D's registers may be others of C's */
    for (int i = 0; i < product->d.registers; i++)
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const uint32_t bits = ((const uint32_t *)c[i])[lane];
            result[i][lane] = bits == 0x80000000 ? 0 : bits;
        }
    for (int i = 0; i < product->d.registers; i++)
        memcpy(d[i], result[i], sizeof result[i]);
    return true;
}

static void multiply_narrow(const struct tensor_product *product, const void *const *a,
                            const void *const *b, const void *const *c, void *const *d)
{
    struct factors rows, columns;
    uint32_t start[TENSOR_MOST_ROWS][TENSOR_MOST_ROWS];
    uint32_t result[TENSOR_MOST_REGISTERS][WARP_LANES] = {{0}};
    const int bits = sim_tensor_bits(product->d.type), each = 32 / bits;
    gather(product, &product->a, a, &rows);
    gather(product, &product->b, b, &columns);
    for (int item = 0; item < elements_of(&product->c); item++)
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const struct tensor_place at = sim_tensor_place(product, &product->c, lane, item);
            start[at.row][at.column] = element(&product->c, c, lane, item);
        }
    for (int item = 0; item < elements_of(&product->d); item++)
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const struct tensor_place at = sim_tensor_place(product, &product->d, lane, item);
            const int column = at.row / product->m * product->n + at.column;
            const uint32_t c_here = start[at.row][at.column];
            const uint32_t sum =
                is_float(product->a.type)
                    ? float_dot(product, &rows, at.row, &columns, column, c_here)
                    : (uint32_t)integer_dot(product, &rows, at.row * product->k, &columns,
                                            column * product->k, (int32_t)c_here);
            result[item / each][lane] |= sum << item % each * bits;
        }
    for (int i = 0; i < product->d.registers; i++)
        memcpy(d[i], result[i], sizeof result[i]);
}

static void multiply_doubles(const struct tensor_product *product, const void *const *a,
                             const void *const *b, const void *const *c, void *const *d)
{
    double rows[16 * 16], columns[8 * 16], result[4][WARP_LANES];
    for (int item = 0; item < product->a.registers; item++)
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const struct tensor_place at = sim_tensor_place(product, &product->a, lane, item);
            rows[at.row * product->k + at.column] = ((const double *)a[item])[lane];
        }
    for (int item = 0; item < product->b.registers; item++)
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const struct tensor_place at = sim_tensor_place(product, &product->b, lane, item);
            columns[at.column * product->k + at.row] = ((const double *)b[item])[lane];
        }
    for (int item = 0; item < product->d.registers; item++)
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const struct tensor_place at = sim_tensor_place(product, &product->d, lane, item);
            result[item][lane] =
                double_dot(rows + at.row * product->k, columns + at.column * product->k, product->k,
                           ((const double *)c[item])[lane]);
        }
    for (int i = 0; i < product->d.registers; i++)
        memcpy(d[i], result[i], sizeof result[i]);
}

void sim_tensor_multiply(const struct tensor_product *product, const void *const *a,
                         const void *const *b, const void *const *c, void *const *d)
{
    if (product->a.type == TENSOR_F64)
        multiply_doubles(product, a, b, c, d);
    else if (!add_nothing(product, a, b, c, d))
        multiply_narrow(product, a, b, c, d);
}
