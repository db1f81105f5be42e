/**
 * @file unwritten_words.h
 * @brief Whether what is read or written has words of ones, which unwritten memory consists of.
 */
#ifndef SIM_CHECK_UNWRITTEN_WORDS_H
#define SIM_CHECK_UNWRITTEN_WORDS_H

#include "sim/machine/lane_tests.h"
#include "sim/machine/lanes.h"

ALWAYS_INLINE bool has_ones64(const uint64_t *slot, uint64_t mask)
{
    uint64_t any = 0;
    EACH_LANE any |= (slot[lane] & mask) == mask ? UINT64_C(1) : 0;
    return any != 0;
}

/** Whether a lane's element in a slot, of `bytes` bytes in memory, has a word of ones. */
ALWAYS_INLINE bool slot_has_ones(const void *slot, unsigned slot_bytes, unsigned bytes)
{
    if (bytes == 8)
        return words_have32(slot, 2 * WARP_LANES, UINT32_MAX);
    const uint32_t mask = UINT32_MAX >> (32 - 8 * bytes);
    return slot_bytes == 8 ? has_ones64(slot, mask) : words_have32(slot, WARP_LANES, mask);
}

#endif
