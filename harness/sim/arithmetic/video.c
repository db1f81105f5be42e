/* vabsdiff2 and vabsdiff4: absolute differences of the halves or bytes of a register, which the
 * SIMD functions of CUDA (__vabsdiffu4, __vsadu4 ...) use. */
#include "arithmetic.h"

#include "sim/machine/lanes.h"

#include <string.h>

/* The parts have `bits` bits. With .add the result is c plus the sum of the differences. */
static uint32_t differences(uint32_t a, uint32_t b, uint32_t c, int bits, bool is_signed, bool adds)
{
    const int unused = 32 - bits;
    const uint32_t mask = UINT32_MAX >> unused;
    uint32_t packed = 0, sum = c;
    for (int at = 0; at < 32; at += bits) {
        const uint32_t a_part = a >> at & mask, b_part = b >> at & mask;
        int64_t x = a_part, y = b_part;
        if (is_signed) {
            x = (int32_t)(a_part << unused) >> unused;
            y = (int32_t)(b_part << unused) >> unused;
        }
        const uint32_t difference = (uint32_t)(x < y ? y - x : x - y);
        packed |= (difference & mask) << at;
        sum += difference;
    }
    return adds ? sum : packed;
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
    {NULL, NULL, NULL, 0},
};
