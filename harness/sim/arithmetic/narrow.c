/* cvt to and from the formats of tensor cores: pairs of FP8 (e4m3, e5m2), and TF32, which is FP32
 * with 10 bits of fraction. Held against an H200 by random programs. */
#include "arithmetic.h"
#include "rounding.h"

#include "sim/machine/lanes.h"

#include <math.h>
#include <string.h>

/* ---- Values ---- */

static uint32_t tf32_bits(uint32_t bits, char rounding, bool relu)
{
    const uint32_t infinity = 0x7f800000, half = 0x1000, last = 0x2000;
    if ((bits & INT32_MAX) > infinity) /* ptxas makes .rna of several instructions */
        return rounding == 'a' ? bits & ~(last - 1) : INT32_MAX;
    if (relu && bits >> 31)
        return 0;
    if ((bits & infinity) == infinity)
        return bits;
    const uint32_t add = rounding == 'z' ? 0 : rounding == 'a' ? half : half - 1 + !!(bits & last);
    return (bits + add) & ~(last - 1);
}

/* ---- cvt ---- */

struct narrow {
    char kind;     /* 't' TF32; to FP8: 's' of two floats, 'p' of a pair of halves; 'h' to halves */
    char rounding; /* 'n' to nearest even, 'a' ties away, 'z' to zero */
    bool is_e5m2, relu;
};

static uint32_t float_pair(const struct narrow *narrow, double high, double low)
{
    if (narrow->relu) { /* NaN stays */
        high = high < 0 ? 0 : fabs(high);
        low = low < 0 ? 0 : fabs(low);
    }
    return sim_float8_bits(high, narrow->is_e5m2) << 8 | sim_float8_bits(low, narrow->is_e5m2);
}

static uint32_t half_pair(const struct narrow *narrow, uint32_t pair)
{
    uint32_t halves[2];
    for (int i = 0; i < 2; i++) {
        halves[i] = sim_half_of_float8(pair >> 8 * i & 0xff, narrow->is_e5m2);
        halves[i] = narrow->relu && halves[i] >> 15 ? 0 : halves[i];
    }
    return halves[1] << 16 | halves[0];
}

static uint32_t convert(const struct narrow *narrow, uint32_t a, uint32_t b)
{
    float high, low;
    memcpy(&high, &a, sizeof high);
    memcpy(&low, &b, sizeof low);
    switch (narrow->kind) {
    case 't':
        return tf32_bits(a, narrow->rounding, narrow->relu);
    case 's':
        return float_pair(narrow, high, low);
    case 'p':
        return float_pair(narrow, sim_half_value(a >> 16, false),
                          sim_half_value(a & 0xffff, false));
    default:
        return half_pair(narrow, a);
    }
}

static const struct instruction *run_narrow(struct warp *warp, const struct instruction *at)
{
    const uint32_t *const a = sim_slot(warp, at->a), *const b = sim_slot(warp, at->b);
    uint32_t result[WARP_LANES];
    EACH_LANE result[lane] = convert(at->extra, a[lane], b[lane]);
    sim_write32(warp, at->d, result);
    return at + 1;
}

static bool is_float8(const char *type)
{
    return strcmp(type, "e4m3x2") == 0 || strcmp(type, "e5m2x2") == 0;
}

bool sim_decode_narrow(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (source->part_count < 4)
        return false;
    const char *const to = source->parts[source->part_count - 2];
    const char *const from = source->parts[source->part_count - 1];
    const bool is_pair = strcmp(from, "f16x2") == 0, is_single = strcmp(from, "f32") == 0;
    struct narrow *const narrow = sim_decoder_allocate(decoder, sizeof *narrow);
    narrow->is_e5m2 = strcmp(to, "e5m2x2") == 0 || strcmp(from, "e5m2x2") == 0;
    if (strcmp(to, "tf32") == 0 && is_single)
        narrow->kind = 't';
    else if (is_float8(to) && (is_pair || is_single))
        narrow->kind = is_pair ? 'p' : 's';
    else if (is_float8(from) && strcmp(to, "f16x2") == 0)
        narrow->kind = 'h';
    else
        return false;
    for (int i = 1; i < source->part_count - 2; i++) {
        const char *const part = source->parts[i];
        if (strcmp(part, "relu") == 0)
            narrow->relu = true;
        else if (strcmp(part, "rn") == 0 || strcmp(part, "rz") == 0 || strcmp(part, "rna") == 0)
            narrow->rounding = part[strlen(part) - 1];
        else if (strcmp(part, "satfinite") != 0 || narrow->kind == 't')
            sim_refuse_opcode(decoder, source);
    }
    const char from_kind = narrow->kind == 'h' ? 'h' : 'w', to_kind = is_float8(to) ? 'h' : 'w';
    const int32_t a = sim_source_slot(decoder, source, sim_operand(decoder, source, 1), from_kind);
    const int32_t b = narrow->kind == 's'
                          ? sim_source_slot(decoder, source, sim_operand(decoder, source, 2), 'w')
                          : a;
    const int32_t d =
        sim_destination_slot(decoder, source, sim_operand(decoder, source, 0), to_kind);
    struct instruction *const emitted = sim_emit(decoder, source, run_narrow);
    emitted->d = d;
    emitted->a = a;
    emitted->b = b;
    emitted->extra = narrow;
    return true;
}
