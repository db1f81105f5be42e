/**
 * @file shared_race.h
 * @brief Which threads used a word of shared memory last: a tag for each word, and the lanes.
 *
 * The check before each access only asks whether the word was used since the last barrier of the
 * block, which is rare in correct kernels. Only if so, it looks for which thread used the word,
 * and for what orders the two uses. A kernel with accesses of fewer than 4 bytes has smaller units
 * than words.
 */
#ifndef SIM_CHECK_SHARED_RACE_H
#define SIM_CHECK_SHARED_RACE_H

#include "tags.h"

#include "sim/machine/lane_tests.h"
#include "sim/machine/warp.h"
#include "sim/memory/places.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Checks of a unit that was used since the last barrier ---- */

/** Faults if a read of the lanes is not ordered after every write. */
void sim_shared_read_again(struct warp *warp, const struct instruction *at,
                           const struct places *places, unsigned bytes);
/** Remembers values before a store that is not ordered after every other use. */
void sim_shared_write_again(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes);
/** After the store: faults if it has changed one of the remembered values, else warns. */
void sim_settle_clashes(struct warp *warp, const struct instruction *at);

/* ---- Accesses ---- */

/** Plain accesses of the active lanes, in a kernel that has accesses of fewer than 4 bytes. */
void sim_check_fine_read(struct warp *warp, const struct instruction *at,
                         const struct places *places, unsigned bytes);
void sim_check_fine_write(struct warp *warp, const struct instruction *at,
                          const struct places *places, unsigned bytes);
/** Before a lane's atomic operation. */
void sim_check_shared_atomic(struct warp *warp, const struct instruction *at, int lane,
                             uint32_t offset, unsigned bytes);

/* ---- The tags of all words of shared memory that a warp accesses, visited in runs ---- */

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

/** Before a volatile, relaxed or ordered store to shared memory. */
void sim_shared_message_write(struct warp *warp, const struct instruction *at,
                              const struct places *places, unsigned bytes);
/** Before such a load: faults if it reads data that are set after the flag that tells of them. */
void sim_shared_message_read(struct warp *warp, const struct instruction *at,
                             const struct places *places, unsigned bytes);

/* Asynchronous copies to shared memory that their thread has not waited for.
 *
 * What such a copy writes has a tag that clashes with every use, whatever barriers are between.
 * When the thread waits, the tag becomes the tag of a plain write made at that time. */

struct pending_copies *sim_pending_create(void);
void sim_pending_free(struct pending_copies *copies);
/** Before a block starts: forgets all pending copies. */
void sim_pending_clear(struct shared_tags *tags);
/** After all tags were cleared: sets the tags of pending copies again. */
void sim_pending_mark(struct shared_tags *tags);

/** What a lane's copy reads from global memory, and where in shared memory it writes. */
struct copied {
    uint64_t source;
    uint32_t source_bytes, offset;
    unsigned bytes;
};
/** A lane has started a copy. */
void sim_pending_start(struct warp *warp, const struct instruction *at, int lane,
                       struct copied copied);
/** After a store to global memory while copies are pending: faults if the store has changed what a
 *  pending copy reads. `old` has the old words, lane by lane. */
void sim_pending_source_written(struct warp *warp, const struct instruction *at,
                                const struct places *places, unsigned bytes, const uint32_t *old);
/** Commits the copies of each active lane as a group. */
void sim_pending_commit(struct warp *warp);
/** The active lanes wait for all groups but the latest `latest`. */
void sim_pending_wait(struct warp *warp, const struct instruction *at, uint32_t latest);
/** The active lanes wait for all copies. */
void sim_pending_wait_all(struct warp *warp, const struct instruction *at);

/** What is known of a lane's pending copy to an offset, for messages. */
struct pending_state {
    bool is_committed;
    bool is_behind_wait; /**< its group was committed after the last wait of its lane */
    bool is_behind_none; /**< no group was committed between that wait and the same wait one
                            iteration of the loop earlier */
    const struct ptx_instruction *wait; /**< the last wait of its warp; NULL: there was none */
    unsigned committed,
        left; /**< groups committed before that wait, and how many of these it leaves pending */
    unsigned later; /**< groups committed after its own and before that wait */
};
struct pending_state sim_pending_state(const struct shared_tags *tags, unsigned warp, unsigned lane,
                                       uint32_t offset);

/* ---- Arrays in shared memory that are indexed beyond the end of their rows ---- */

/** A thread of the block that uses shared memory. */
struct row_writer {
    const struct warp *warp;
    const struct instruction *at;
    unsigned lane;
};

/**
 * @brief Whether two threads that store to the same place from one line mean elements of different
 * rows, by the addresses of their neighbouring lanes; if so, writes a sentence. It reads the
 * addresses from registers.
 * @return false also if the registers no longer hold the addresses.
 */
bool sim_say_short_row(const struct row_writer *one, const struct row_writer *other, char *text,
                       size_t size);

#endif
