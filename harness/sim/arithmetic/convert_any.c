/* Conversions lane by lane, through long double, which holds every source exactly: one rounding and
 * one clamping give the result. */
#include "rounding.h"

#include "sim/decoding/decode.h"
#include "sim/machine/lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* 64 bits of an integer, and those of a double. */
_Static_assert(LDBL_MANT_DIG >= 64, "long double does not hold every source");

struct conversion {
    struct convert_text text;
    char from, to; /* class of the registers */
    bool is_short; /* 16-bit result register */
};

/* A floating-point format, by the widths of its fields. */
struct format {
    int mantissa_bits; /* stored */
    int exponent_bits;
};

static struct format format_of(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
    case PTX_F16X2:
        return (struct format){10, 5};
    case PTX_BF16:
    case PTX_BF16X2:
        return (struct format){7, 8};
    case PTX_F64:
        return (struct format){52, 11};
    default:
        return (struct format){23, 8};
    }
}

static bool is_floating(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}

/* ---- Bits to values ---- */

static long double decode_float(uint64_t bits, struct format format)
{
    const uint64_t mantissa_mask = (UINT64_C(1) << format.mantissa_bits) - 1;
    const uint64_t mantissa = bits & mantissa_mask;
    const int top = (1 << format.exponent_bits) - 1;
    const int exponent = (int)(bits >> format.mantissa_bits) & top;
    const int bias = top >> 1;
    const bool is_negative = bits >> (format.mantissa_bits + format.exponent_bits) & 1;
    long double value;
    if (exponent == top)
        value = mantissa ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexpl((long double)mantissa, 1 - bias - format.mantissa_bits);
    else
        value = ldexpl((long double)(mantissa + mantissa_mask + 1),
                       exponent - bias - format.mantissa_bits);
    return is_negative ? -value : value;
}

/* ---- Values to bits ---- */

static long double round_integral(long double value, enum rounding rounding)
{
    switch (rounding) {
    case ROUND_ZERO:
        return truncl(value);
    case ROUND_DOWN:
        return floorl(value);
    case ROUND_UP:
        return ceill(value);
    default:
        return rintl(value);
    }
}

static bool rounds_to_infinity(bool is_negative, enum rounding rounding)
{
    return rounding == ROUND_NEAREST || rounding == (is_negative ? ROUND_DOWN : ROUND_UP);
}

static uint64_t encode_float(long double value, struct format format, enum rounding rounding)
{
    const int top = (1 << format.exponent_bits) - 1, bias = top >> 1;
    const uint64_t sign = (uint64_t)(signbit(value) ? 1 : 0)
                          << (format.mantissa_bits + format.exponent_bits);
    const uint64_t infinity = (uint64_t)top << format.mantissa_bits;
    if (isnan(value))
        return format.mantissa_bits == 52 ? UINT64_C(0x7ff8000000000000)
                                          : infinity | ((UINT64_C(1) << format.mantissa_bits) - 1);
    if (isinf(value) || value == 0)
        return sign | (isinf(value) ? infinity : 0);
    int exponent;
    frexpl(value, &exponent);
    exponent--; /* |value| lies in [2^exponent, 2^(exponent + 1)) */
    if (exponent < 1 - bias)
        exponent = 1 - bias;
    /* The value in units of the last place of its binade, rounded once. */
    const long double units =
        round_integral(ldexpl(value, format.mantissa_bits - exponent), rounding);
    const long double magnitude = ldexpl(fabsl(units), exponent - format.mantissa_bits);
    const long double overflow = ldexpl(1, bias + 1);
    if (magnitude >= overflow)
        return sign | (rounds_to_infinity(signbit(value), rounding) ? infinity : infinity - 1);
    const uint64_t count = (uint64_t)fabsl(units);
    const uint64_t hidden = UINT64_C(1) << format.mantissa_bits;
    if (count < hidden)
        return sign | count; /* zero or subnormal */
    return sign | (((uint64_t)(exponent + bias - 1) << format.mantissa_bits) + count);
}

static uint64_t clamp_integer(long double value, enum ptx_type from, enum ptx_type to)
{
    const int bits = (int)ptx_type_size(to) * 8;
    const bool is_signed = to >= PTX_S8;
    const long double least = is_signed ? -ldexpl(1, bits - 1) : 0;
    const long double most = ldexpl(1, is_signed ? bits - 1 : bits) - 1;
    if (isnan(value))
        return from == PTX_F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
    if (value <= least)
        return (uint64_t)(is_signed ? INT64_MIN >> (64 - bits) : 0);
    if (value >= most)
        return UINT64_MAX >> (64 - bits + (is_signed ? 1 : 0));
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

/* ---- One value ---- */

static long double read_value(uint64_t bits, enum ptx_type type)
{
    switch (type) {
    case PTX_U8:
        return (uint8_t)bits;
    case PTX_S8:
        return (int8_t)bits;
    case PTX_U16:
        return (uint16_t)bits;
    case PTX_S16:
        return (int16_t)bits;
    case PTX_U32:
        return (uint32_t)bits;
    case PTX_S32:
        return (int32_t)bits;
    case PTX_U64:
        return (long double)bits;
    case PTX_S64:
        return (long double)(int64_t)bits;
    default:
        return decode_float(bits, format_of(type));
    }
}

static long double flush_wide(long double value)
{
    return fabsl(value) < 0x1p-126L ? copysignl(0, value) : value;
}

static uint64_t convert_one(uint64_t bits, const struct convert_text *text)
{
    long double value = read_value(bits, text->from);
    if (text->from == PTX_F64 && text->to == PTX_F32 && isnan(value) && !text->sat)
        return (bits >> 32 & 0x80000000) | 0x7fc00000 | (bits >> 29 & 0x3fffff);
    if (text->ftz && text->from == PTX_F32)
        value = flush_wide(value);
    if (!is_floating(text->to)) {
        if (is_floating(text->from))
            value = round_integral(value, text->is_integral ? text->rounding : ROUND_ZERO);
        return clamp_integer(value, text->from, text->to);
    }
    if (text->is_integral)
        value = round_integral(value, text->rounding);
    if (text->sat)
        value = value > 1 ? 1 : value > 0 ? value : 0; /* NaN becomes 0 */
    if (text->relu && !isnan(value))
        value = value > 0 ? value : 0;
    const uint64_t result = encode_float(value, format_of(text->to), text->rounding);
    if (!text->ftz || text->to != PTX_F32)
        return result;
    uint32_t kept = (uint32_t)result;
    float rounded;
    memcpy(&rounded, &kept, sizeof rounded);
    rounded = flush_result(rounded, (double)value, 0, text->rounding == ROUND_NEAREST);
    memcpy(&kept, &rounded, sizeof kept);
    return kept;
}

/* Extends an integer result to a wider register, by its sign if its type has one. */
static uint64_t extend(uint64_t result, enum ptx_type type, bool is_short)
{
    const int unused = 64 - (int)ptx_type_size(type) * 8;
    if (type >= PTX_S8 && type <= PTX_S64)
        result = (uint64_t)((int64_t)(result << unused) >> unused);
    else
        result = result << unused >> unused;
    return is_short ? (uint16_t)result : result;
}

/* ---- Slots ---- */

const struct instruction *sim_run_conversion(struct warp *warp, const struct instruction *at)
{
    const struct conversion *const conversion = at->extra;
    const uint32_t *const narrow = sim_slot(warp, at->a);
    const uint64_t *const wide = sim_slot(warp, at->a);
    uint64_t result[WARP_LANES] = {0};
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t bits = conversion->from == 'l' ? wide[lane] : narrow[lane];
        result[lane] =
            extend(convert_one(bits, &conversion->text), conversion->text.to, conversion->is_short);
    }
    if (conversion->to == 'l') {
        sim_write64(warp, at->d, result);
    } else {
        uint32_t low[WARP_LANES];
        EACH_LANE low[lane] = (uint32_t)result[lane];
        sim_write32(warp, at->d, low);
    }
    return at + 1;
}

static bool is_known(enum ptx_type type)
{
    return is_floating(type) || (type >= PTX_U8 && type <= PTX_S64);
}

const void *sim_new_conversion(struct decoder *decoder, const struct ptx_instruction *source,
                               const struct convert_text *text, char from, char to, bool is_short)
{
    struct conversion *const conversion = sim_decoder_allocate(decoder, sizeof *conversion);
    if (!is_known(text->from) || !is_known(text->to))
        sim_refuse_opcode(decoder, source);
    *conversion = (struct conversion){*text, from, to, is_short};
    return conversion;
}

static const struct instruction *run_pair(struct warp *warp, const struct instruction *at)
{
    const struct conversion *const conversion = at->extra;
    const uint32_t *const high = sim_slot(warp, at->a), *const low = sim_slot(warp, at->b);
    uint32_t result[WARP_LANES] = {0};
    EACH_ACTIVE(lane, warp->active)
    result[lane] = (uint32_t)(convert_one(high[lane], &conversion->text) << 16 |
                              convert_one(low[lane], &conversion->text));
    sim_write32(warp, at->d, result);
    return at + 1;
}

void sim_decode_pair_conversion(struct decoder *decoder, const struct ptx_instruction *source,
                                const struct convert_text *text)
{
    struct conversion *const conversion = sim_decoder_allocate(decoder, sizeof *conversion);
    if (text->from != PTX_F32 || (text->to != PTX_F16X2 && text->to != PTX_BF16X2))
        sim_refuse_opcode(decoder, source);
    conversion->text = *text;
    conversion->text.to = text->to == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    int32_t slots[2];
    for (int i = 0; i < 2; i++)
        slots[i] = sim_source_slot(decoder, source, sim_operand(decoder, source, i + 1), 'w');
    const int32_t d = sim_destination_slot(decoder, source, sim_operand(decoder, source, 0), 'w');
    struct instruction *const emitted = sim_emit(decoder, source, run_pair);
    emitted->d = d;
    emitted->a = slots[0];
    emitted->b = slots[1];
    emitted->extra = conversion;
}
