/**
 * @file unwritten.h
 * @brief Reads of memory that nothing has written.
 *
 * Unwritten memory holds words of ones. So this check looks only at words of ones that are read or
 * written: a bit says that such a word was written.
 */
#ifndef SIM_CHECK_UNWRITTEN_H
#define SIM_CHECK_UNWRITTEN_H

#include "tags.h"

#include "sim/machine/lane_tests.h"
#include "sim/machine/lanes.h"
#include "sim/memory/places.h"

#include <stdbool.h>
#include <stdint.h>

/** Faults if an active lane reads a word that nothing has written. */
void sim_check_unwritten(struct warp *warp, const struct instruction *at,
                         const struct places *places, unsigned bytes);
/** Remembers words of ones that the active lanes have just written. */
void sim_note_written(struct warp *warp, const struct instruction *at, const struct places *places,
                      unsigned bytes);
/** As above, for a single lane; `address` is as sim_lane_storage() takes it. */
void sim_check_lane_unwritten(struct warp *warp, const struct instruction *at, int lane,
                              uint64_t address, const void *storage, unsigned bytes);
void sim_note_lane_written(struct warp *warp, uint64_t address, const void *storage,
                           unsigned bytes);
/** At a barrier, a fence and the end of a block: faults if a word was read that nothing has written
 *  by then. */
void sim_checks_settle(struct sim_checks *checks);

/* Whether what is read or written has words of ones, which unwritten memory consists of. */

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
