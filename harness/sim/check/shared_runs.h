/**
 * @file shared_runs.h
 * @brief The tags of all words of shared memory that a warp accesses, visited in runs.
 */
#ifndef SIM_CHECK_SHARED_RUNS_H
#define SIM_CHECK_SHARED_RUNS_H

#include "shared_race.h"

#include "sim/machine/lane_tests.h"

/** A run of neighbouring units that lanes access. */
struct unit_run {
    size_t first;
    unsigned count;
    unsigned per_lane;   /**< units */
    unsigned first_lane; /**< lane of the first unit, if `all` is 0 */
    uint32_t all;        /**< not 0: each of these lanes accesses all units */
};

/** The type of the three functions below, which are inlined nevertheless. */
typedef uint32_t visit_run(struct shared_tags *tags, struct unit_run run, uint32_t mine);

/** Notes the readers; nonzero if a unit was written since the last barrier. */
ALWAYS_INLINE uint32_t note_reads(struct shared_tags *tags, struct unit_run run, uint32_t mine)
{
    const uint32_t *const writer = tags->writer + run.first, floor = tag_floor(tags);
    uint32_t *const reader = tags->reader + run.first;
    uint32_t *const lanes = tags->reader_lanes + run.first;
    uint32_t found = 0;
    _Pragma("GCC ivdep") for (unsigned i = 0; i < run.count; i++)
    {
        const uint32_t old = reader[i], differs = (old ^ mine) & ~(uint32_t)TAG_PLACE_MASK;
        const uint32_t lane = run.all ? run.all : 1u << (run.first_lane + i / run.per_lane);
        const bool is_other = (old >= floor) & ((differs & TAG_WARP_FIELD) != 0);
        found |= writer[i] >= floor ? 1u : 0;
        lanes[i] = (differs == 0 ? lanes[i] : 0) | lane;
        reader[i] = mine | (is_other ? TAG_WARP_FIELD : 0);
    }
    return found;
}

/** Nonzero if a unit was used since the last barrier. */
ALWAYS_INLINE uint32_t find_uses(struct shared_tags *tags, struct unit_run run, uint32_t mine)
{
    const uint32_t *const writer = tags->writer + run.first, floor = tag_floor(tags);
    const uint32_t *const reader = tags->reader + run.first;
    uint32_t found = 0;
    (void)mine;
    _Pragma("GCC ivdep") for (unsigned i = 0; i < run.count; i++) found |=
        ((writer[i] >= floor) | (reader[i] >= floor)) ? 1u : 0;
    return found;
}

/** Notes the writer. */
ALWAYS_INLINE uint32_t note_writes(struct shared_tags *tags, struct unit_run run, uint32_t mine)
{
    uint32_t *const writer = tags->writer + run.first;
    uint8_t *const lane = tags->writer_lane + run.first;
    const unsigned last = run.all ? 31u - (unsigned)__builtin_clz(run.all) : 0;
    for (unsigned i = 0; i < run.count; i++)
        writer[i] = mine;
    for (unsigned i = 0; i < run.count; i++)
        lane[i] = (uint8_t)(run.all ? last : run.first_lane + i / run.per_lane);
    return 0;
}

/** Offset of a lane's access in shared memory. */
ALWAYS_INLINE uint32_t shared_offset(const struct warp *warp, const struct places *places,
                                     uint32_t lane, unsigned bytes)
{
    return (uint32_t)(place_of(places, lane, bytes) - warp->block->shared);
}

/** Whether half a warp accesses neighbouring places, one after the other (a row). */
ALWAYS_INLINE bool is_half_row(const struct places *places, unsigned half, unsigned bytes)
{
    const uint32_t *const offset = places->offset + half;
    return !halves_differ32(offset, offset[0], bytes);
}

/** Visits lanes that do not access one row: in a run for each half of the warp, if each half
 * accesses a row, else in a run for each place. */
ALWAYS_INLINE uint32_t visit_offsets(const struct warp *warp, struct shared_tags *tags,
                                     const struct places *places, unsigned bytes, unsigned shift,
                                     uint32_t mine, visit_run *visit)
{
    const unsigned units = bytes >> shift;
    const uint32_t *const offset = places->offset;
    uint32_t found = 0;
    if (warp->active == ALL_LANES && is_half_row(places, 0, bytes) &&
        is_half_row(places, 16, bytes)) {
        for (unsigned half = 0; half < WARP_LANES; half += 16)
            found |= visit(
                tags, (struct unit_run){offset[half] >> shift, units * 16, units, half, 0}, mine);
        return found;
    }
    for (uint32_t rest = warp->active, same; rest; rest &= ~same) {
        const size_t first = offset[__builtin_ctz(rest)] >> shift;
        same = lanes_like_first32(offset, rest);
        found |= visit(tags, (struct unit_run){first, units, units, 0, same}, mine);
    }
    return found;
}

/** Visits all that the active lanes access. */
ALWAYS_INLINE uint32_t visit_runs(const struct warp *warp, struct shared_tags *tags,
                                  const struct places *places, unsigned bytes, unsigned shift,
                                  uint32_t mine, visit_run *visit)
{
    const unsigned units = bytes >> shift;
    const size_t first = (size_t)(places->base - warp->block->shared) >> shift;
    if (places->pattern == PATTERN_SAME)
        return visit(tags, (struct unit_run){first, units, units, 0, warp->active}, mine);
    if (places->pattern == PATTERN_UNIT && warp->active == ALL_LANES)
        return visit(tags, (struct unit_run){first, units * WARP_LANES, units, 0, 0}, mine);
    return visit_offsets(warp, tags, places, bytes, shift, mine, visit);
}

ALWAYS_INLINE void check_read_by(struct warp *warp, struct shared_tags *tags,
                                 const struct instruction *at, const struct places *places,
                                 unsigned bytes, unsigned shift)
{
    const uint32_t mine = new_tag(warp, at, tags);
    if (visit_runs(warp, tags, places, bytes, shift, mine, note_reads))
        sim_shared_read_again(warp, at, places, bytes);
}

ALWAYS_INLINE void check_write_by(struct warp *warp, struct shared_tags *tags,
                                  const struct instruction *at, const struct places *places,
                                  unsigned bytes, unsigned shift)
{
    const uint32_t mine = new_tag(warp, at, tags);
    if (visit_runs(warp, tags, places, bytes, shift, mine, find_uses))
        sim_shared_write_again(warp, at, places, bytes);
    visit_runs(warp, tags, places, bytes, shift, mine, note_writes);
}

/** A plain read of the active lanes. */
ALWAYS_INLINE void check_shared_read(struct warp *warp, struct shared_tags *tags,
                                     const struct instruction *at, const struct places *places,
                                     unsigned bytes)
{
    if (bytes < 4 || tags->is_fine)
        sim_check_fine_read(warp, at, places, bytes);
    else
        check_read_by(warp, tags, at, places, bytes, WORD_SHIFT);
}

/** Before a plain write of the active lanes. */
ALWAYS_INLINE void check_shared_write(struct warp *warp, struct shared_tags *tags,
                                      const struct instruction *at, const struct places *places,
                                      unsigned bytes)
{
    if (bytes < 4 || tags->is_fine)
        sim_check_fine_write(warp, at, places, bytes);
    else
        check_write_by(warp, tags, at, places, bytes, WORD_SHIFT);
}

#endif
