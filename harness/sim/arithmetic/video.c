/* Registers whose parts are numbers: vabsdiff2 and vabsdiff4, absolute differences of halves or
 * bytes, which the SIMD functions of CUDA (__vabsdiffu4, __vsadu4 ...) use; cvt.pack, which puts
 * two numbers into the lowest parts. */
#include "arithmetic.h"

#include "sim/machine/lanes.h"

#include <string.h>

/* The parts have `bits` bits. With .add the result is c plus the sum of the differences. */
static uint32_t differences(uint32_t a, uint32_t b, uint32_t c, int bits, bool is_signed, bool adds)
{
    const int unused = 32 - bits;
    const uint32_t mask = UINT32_MAX >> unused;
    uint32_t all = 0, sum = c;
    for (int at = 0; at < 32; at += bits) {
        const uint32_t a_part = a >> at & mask, b_part = b >> at & mask;
        int64_t x = a_part, y = b_part;
        if (is_signed) {
            x = (int32_t)(a_part << unused) >> unused;
            y = (int32_t)(b_part << unused) >> unused;
        }
        const uint32_t difference = (uint32_t)(x < y ? y - x : x - y);
        all |= (difference & mask) << at;
        sum += difference;
    }
    return adds ? sum : all;
}

#define DIFFERENCES(name, bits, is_signed, adds)                                                   \
    TERNARY(name, uint32_t, uint32_t, uint32_t, uint32_t,                                          \
            differences(a, b, c, bits, is_signed, adds))
DIFFERENCES(absdiff2_u, 16, false, false)
DIFFERENCES(absdiff2_s, 16, true, false)
DIFFERENCES(absdiff2_u_add, 16, false, true)
DIFFERENCES(absdiff2_s_add, 16, true, true)
DIFFERENCES(absdiff4_u, 8, false, false)
DIFFERENCES(absdiff4_s, 8, true, false)
DIFFERENCES(absdiff4_u_add, 8, false, true)
DIFFERENCES(absdiff4_s_add, 8, true, true)

static uint32_t saturated(int32_t value, int bits, bool is_signed)
{
    const int32_t least = is_signed ? -(1 << (bits - 1)) : 0;
    const int32_t most = (1 << (is_signed ? bits - 1 : bits)) - 1;
    return (uint32_t)(value < least ? least : value > most ? most : value) & ((1u << bits) - 1);
}

/* `a` above `b`, and the lowest bits of `c` above both. */
static uint32_t packed(int32_t a, int32_t b, uint32_t c, int bits, bool is_signed)
{
    const uint32_t pair = saturated(a, bits, is_signed) << bits | saturated(b, bits, is_signed);
    return bits < 16 ? c << 2 * bits | pair : pair;
}

BINARY(pack_u16, uint32_t, int32_t, int32_t, packed(a, b, 0, 16, false))
BINARY(pack_s16, uint32_t, int32_t, int32_t, packed(a, b, 0, 16, true))
#define PACK(name, bits, is_signed)                                                                \
    TERNARY(name, uint32_t, int32_t, int32_t, uint32_t, packed(a, b, c, bits, is_signed))
PACK(pack_u8, 8, false)
PACK(pack_s8, 8, true)
PACK(pack_u4, 4, false)
PACK(pack_s4, 4, true)
PACK(pack_u2, 2, false)
PACK(pack_s2, 2, true)

const struct rule sim_video_rules[] = {
    {"vabsdiff2.u32.u32.u32", absdiff2_u, "w=www", 0},
    {"vabsdiff2.s32.s32.s32", absdiff2_s, "w=www", 0},
    {"vabsdiff2.u32.s32.s32", absdiff2_s, "w=www", 0},
    {"vabsdiff2.u32.u32.u32.add", absdiff2_u_add, "w=www", 0},
    {"vabsdiff2.u32.s32.s32.add", absdiff2_s_add, "w=www", 0},
    {"vabsdiff2.s32.s32.s32.add", absdiff2_s_add, "w=www", 0},
    {"vabsdiff4.u32.u32.u32", absdiff4_u, "w=www", 0},
    {"vabsdiff4.s32.s32.s32", absdiff4_s, "w=www", 0},
    {"vabsdiff4.u32.s32.s32", absdiff4_s, "w=www", 0},
    {"vabsdiff4.u32.u32.u32.add", absdiff4_u_add, "w=www", 0},
    {"vabsdiff4.u32.s32.s32.add", absdiff4_s_add, "w=www", 0},
    {"vabsdiff4.s32.s32.s32.add", absdiff4_s_add, "w=www", 0},
    {"cvt.pack.sat.u16.s32", pack_u16, "w=ww", 0},
    {"cvt.pack.sat.s16.s32", pack_s16, "w=ww", 0},
    {"cvt.pack.sat.u8.s32.b32", pack_u8, "w=www", 0},
    {"cvt.pack.sat.s8.s32.b32", pack_s8, "w=www", 0},
    {"cvt.pack.sat.u4.s32.b32", pack_u4, "w=www", 0},
    {"cvt.pack.sat.s4.s32.b32", pack_s4, "w=www", 0},
    {"cvt.pack.sat.u2.s32.b32", pack_u2, "w=www", 0},
    {"cvt.pack.sat.s2.s32.b32", pack_s2, "w=www", 0},
    {NULL, NULL, NULL, 0},
};
