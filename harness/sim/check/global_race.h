/**
 * @file global_race.h
 * @brief Races in global memory: between blocks, and between warps of a block if no barrier is
 * between the accesses.
 *
 * Each word of an allocation that the kernel may write has two tags: one of its last writer, and
 * one of its readers (or atomic updates) since. A tag has the block, the stretch between two
 * barriers, the instruction and the warp. So the tags show whether an earlier access is unordered,
 * in whatever order the blocks happen to run. Blocks run on several threads, which set tags after
 * the data. So a race within the same few nanoseconds may be missed, but every race that is
 * reported is one.
 */
#ifndef SIM_CHECK_GLOBAL_RACE_H
#define SIM_CHECK_GLOBAL_RACE_H

#include "global_footprint.h"
#include "shared_race.h"
#include "tags.h"

#include "sim/memory/places.h"

#include <stdbool.h>
#include <stdint.h>

/* Races in global memory between lanes of one warp. A lane reads what another lane has written, or
 * writes what another lane has read, and the two lanes have not met since.
 *
 * The tags of global memory name the warp. The lane is remembered only for the words that a
 * worker's warps have used last. So a race with a much earlier access may be missed, but no race is
 * reported that is not there. */

/** The bits of a global tag that name the warp and the stretch. */
#define GLOBAL_OWN ~((uint64_t)GLOBAL_FAR_PLACE << GLOBAL_PLACE_SHIFT | GLOBAL_CHANGED)

/** Call this after a store, with its tag. */
void sim_global_note_lanes(struct warp *warp, const struct places *places, unsigned bytes,
                           uint64_t tag);

/** Call this after a read of memory that the kernel may write, with the read's tag. */
void sim_global_note_readers(struct warp *warp, const struct places *places, unsigned bytes,
                             uint64_t tag);

/** Call this after a store if this warp has read some of the words in this stretch. Faults if
 * another lane read a word whose value the store has changed. */
void sim_global_write_own(struct warp *warp, const struct instruction *at,
                          const struct places *places, unsigned bytes, uint64_t tag);

/** Call this before a lane adds atomically to a word that this warp has read in this stretch.
 * Faults if another lane read the word. */
void sim_global_add_own(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, uint64_t tag);

/** Call this before a read if this warp has written some of the words in this stretch. Faults if
 *  another lane wrote one of them. */
void sim_global_read_own(struct warp *warp, const struct instruction *at,
                         const struct places *places, unsigned bytes, uint64_t tag);

/** Faults or warns if a read clashes with a write. */
void sim_global_read_clash(struct warp *warp, const struct instruction *at,
                           const struct places *places, unsigned bytes);
/** Faults if a load through the read-only cache reads what any thread of this launch has
 * written. */
void sim_global_constant_read(struct warp *warp, const struct instruction *at,
                              const struct places *places, unsigned bytes);
/** Remembers tags before a store. */
void sim_global_write_clash(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes);
/** After a store that clashes or leaves a value unchanged: faults, warns, sets tags. */
void sim_global_settle(struct warp *warp, const struct instruction *at, const struct places *places,
                       unsigned bytes);

ALWAYS_INLINE uint64_t global_tag_of(const struct warp *warp, const struct instruction *at,
                                     const struct global_checks *checks)
{
    const uint64_t place = at->cache < GLOBAL_FAR_PLACE ? at->cache : GLOBAL_FAR_PLACE;
    return checks->tag | place << GLOBAL_PLACE_SHIFT | warp->index;
}

/** Whether a tag is of another block, or of another warp of the same block and stretch. */
ALWAYS_INLINE uint64_t is_foreign(uint64_t tag, uint64_t mine)
{
    const uint64_t differs = tag ^ mine;
    const bool other_block = differs >> GLOBAL_BLOCK_SHIFT != 0;
    const bool other_warp =
        (differs >> GLOBAL_EPOCH_SHIFT == 0) & ((differs & GLOBAL_SEVERAL_WARPS) != 0);
    return (tag != 0) & (other_block | other_warp) ? 1 : 0;
}

/** Whether several threads wrote the same value. It is then unknown, and does not matter, which
 * thread's value the word holds. */
ALWAYS_INLINE bool is_shared_value(uint64_t writer, uint64_t mine)
{
    return is_of_several(writer) &&
           (global_block(writer) == GLOBAL_SEVERAL_BLOCKS || is_same_block(writer, mine));
}

/** The tag of a word's readers when `mine` joins them. A tag of several blocks is not written
 *  again. So host threads that all read a word do not take its cache line from each other. */
ALWAYS_INLINE uint64_t join_readers(uint64_t tag, uint64_t mine)
{
    const uint64_t differs = tag ^ mine;
    const uint64_t several = (uint64_t)GLOBAL_SEVERAL_BLOCKS << GLOBAL_BLOCK_SHIFT |
                             (mine & (uint64_t)GLOBAL_FAR_PLACE << GLOBAL_PLACE_SHIFT) |
                             GLOBAL_SEVERAL_WARPS;
    const uint64_t others = tag >> GLOBAL_BLOCK_SHIFT == GLOBAL_SEVERAL_BLOCKS ? tag : several;
    const uint64_t own = is_foreign(tag, mine) ? mine | GLOBAL_SEVERAL_WARPS : mine;
    return tag != 0 && differs >> GLOBAL_BLOCK_SHIFT != 0 ? others : own;
}

/** Before `count` words get a reader, where flags may order blocks: keeps who has read those that
 *  other blocks have read, too. */
void sim_global_keep_readers(struct global_tags *tags, size_t word, unsigned count, uint64_t mine);
/** The tag of a word's readers, for who writes it; of a single block where that has read it and is
 *  not ordered before. */
uint64_t sim_global_reader(const struct warp *warp, struct global_tags *tags, size_t word,
                           uint64_t mine);

ALWAYS_INLINE uint64_t note_global_reads(struct global_tags *tags, size_t word, unsigned count,
                                         uint64_t mine, bool has_flags, uint64_t *own)
{
    const uint64_t *const writer = tags->writer + word;
    uint64_t *const reader = tags->reader + word;
    uint64_t clashes = 0, changes = 0, others = 0;
    for (unsigned i = 0; i < count; i++) {
        clashes |= is_foreign(writer[i], mine);
        *own |= ((writer[i] ^ mine) & GLOBAL_OWN) == 0;
        changes |= join_readers(reader[i], mine) ^ reader[i];
    }
    for (unsigned i = 0; has_flags && i < count; i++)
        others |= (reader[i] != 0) & ((reader[i] ^ mine) >> GLOBAL_BLOCK_SHIFT != 0);
    if (others)
        sim_global_keep_readers(tags, word, count, mine);
    if (changes)
        for (unsigned i = 0; i < count; i++)
            reader[i] = join_readers(reader[i], mine);
    return clashes;
}

ALWAYS_INLINE size_t global_word(const struct global_tags *tags, const char *storage)
{
    return (size_t)(storage - tags->host) / 4;
}

ALWAYS_INLINE bool is_row(const struct warp *warp, const struct places *places)
{
    return places->pattern == PATTERN_UNIT && warp->active == ALL_LANES;
}

/** The lanes at which the pieces of an access begin. 32 lanes side by side are one piece; otherwise
 *  each lane is a piece. */
ALWAYS_INLINE uint32_t global_pieces(const struct warp *warp, const struct places *places)
{
    return is_row(warp, places) ? 1 : lanes_that_count(warp, places);
}

ALWAYS_INLINE bool has_several_pieces(const struct warp *warp, const struct places *places)
{
    const uint32_t pieces = global_pieces(warp, places);
    return (pieces & (pieces - 1)) != 0;
}

/** Whether the block that changes a word has written it before. If so, another block's store of one
 *  of the two values may come in between. Lanes that write the word at the same time have equal
 *  tags, and do not count. */
ALWAYS_INLINE bool is_changed_again(uint64_t before, uint64_t mine, bool several)
{
    return before != 0 && (before ^ mine) >> GLOBAL_BLOCK_SHIFT == 0 &&
           !(several && (before & ~GLOBAL_CHANGED) == mine);
}

ALWAYS_INLINE unsigned piece_words(const struct warp *warp, const struct places *places,
                                   unsigned bytes)
{
    return is_row(warp, places) ? bytes / 4 * WARP_LANES : bytes / 4;
}

ALWAYS_INLINE void check_global_read(struct warp *warp, const struct instruction *at,
                                     const struct places *places, unsigned bytes,
                                     struct global_tags *tags, const struct global_checks *checks)
{
    const bool has_flags = warp->worker->launch->program->has_flags;
    const uint64_t mine = global_tag_of(warp, at, checks);
    uint64_t clashes = 0, own = 0;
    if (!checks->tag)
        return;
    if (is_row(warp, places)) {
        const size_t word = global_word(tags, places->base);
        clashes = note_global_reads(tags, word, bytes / 4 * WARP_LANES, mine, has_flags, &own);
    } else {
        EACH_ACTIVE(lane, lanes_that_count(warp, places))
        {
            const size_t word = global_word(tags, place_of(places, lane, bytes));
            clashes |= note_global_reads(tags, word, bytes / 4, mine, has_flags, &own);
        }
    }
    if (clashes)
        sim_global_read_clash(warp, at, places, bytes);
    if (own)
        sim_global_read_own(warp, at, places, bytes, mine);
    sim_global_note_readers(warp, places, bytes, mine);
}

/** Keeps the old words of a store, and their tags if they clash. It reads the tags first, because
 *  who sees another thread's tag also sees that thread's value. */
ALWAYS_INLINE void check_global_write(struct warp *warp, const struct instruction *at,
                                      const struct places *places, unsigned bytes,
                                      const struct global_tags *tags, struct global_checks *checks)
{
    const uint64_t mine = global_tag_of(warp, at, checks);
    const unsigned count = piece_words(warp, places, bytes);
    uint64_t clashes = 0, own = 0;
    if (!checks->tag)
        return;
    EACH_ACTIVE(lane, global_pieces(warp, places))
    {
        const size_t word = global_word(tags, place_of(places, lane, bytes));
        for (unsigned i = 0; i < count; i++) {
            clashes |=
                is_foreign(tags->writer[word + i], mine) | is_foreign(tags->reader[word + i], mine);
            own |= ((tags->reader[word + i] ^ mine) & GLOBAL_OWN) == 0;
        }
    }
    checks->clashes = clashes != 0;
    checks->was_read = own != 0;
    if (clashes)
        sim_global_write_clash(warp, at, places, bytes);
    EACH_ACTIVE(piece, global_pieces(warp, places))
    memcpy(checks->old + piece * (bytes / 4), place_of(places, piece, bytes), (size_t)count * 4);
}

ALWAYS_INLINE void check_global_stored(struct warp *warp, const struct instruction *at,
                                       const struct places *places, unsigned bytes,
                                       const struct global_tags *tags, struct global_checks *checks)
{
    const uint64_t mine = global_tag_of(warp, at, checks);
    const unsigned count = piece_words(warp, places, bytes);
    if (!checks->tag)
        return;
    uint32_t stayed = checks->clashes ? 1 : 0;
    EACH_ACTIVE(lane, global_pieces(warp, places))
    {
        const uint32_t *const now = (const uint32_t *)place_of(places, lane, bytes);
        const uint32_t *const old = checks->old + lane * (bytes / 4);
        for (unsigned i = 0; i < count; i++)
            stayed |= now[i] == old[i] ? 1 : 0;
    }
    sim_global_note_lanes(warp, places, bytes, mine);
    if (warp->worker->checks->shared.on_their_way)
        sim_pending_source_written(warp, at, places, bytes, checks->old);
    if (checks->was_read)
        sim_global_write_own(warp, at, places, bytes, mine);
    if (stayed) {
        sim_global_settle(warp, at, places, bytes);
        return;
    }
    const bool several = has_several_pieces(warp, places);
    EACH_ACTIVE(piece, global_pieces(warp, places))
    {
        const size_t word = global_word(tags, place_of(places, piece, bytes));
        uint64_t readers = 0;
        for (unsigned i = 0; i < count; i++) {
            const uint64_t before = tags->writer[word + i];
            tags->writer[word + i] =
                mine | (is_changed_again(before, mine, several) ? GLOBAL_CHANGED : 0);
            readers |= tags->reader[word + i];
        }
        for (unsigned i = 0; readers && i < count; i++)
            tags->reader[word + i] = 0;
    }
}

/* ---- Messages about two unordered accesses to a word of global memory ---- */

/** A clash of an access with an earlier one. */
struct finding {
    int lane;
    enum sim_use use, earlier;
    uint64_t tag;      /**< of the earlier access */
    bool stayed;       /**< the later access writes the value that was there already */
    bool is_strong;    /**< the access that writes is volatile, relaxed or ordered */
    uint32_t place;    /**< of the later access; 0: the instruction that is checked */
    const char *cause; /**< NULL: it is found from the code around the accesses */
};

/** Reports the clash as a fault. */
void sim_global_fault(struct warp *warp, const struct instruction *at, const char *storage,
                      const struct finding *finding);

/** Warns of a clash that does no harm, because the written value is there already. */
void sim_global_warn(struct warp *warp, const struct instruction *at, const char *storage,
                     const struct finding *finding);

/** Writes "this write by thread (3, 0, 0) of block (1, 0, 0) and the read at kernel.cu:12 ..." */
void sim_global_describe(const struct warp *warp, const struct finding *finding, char *text,
                         size_t size);

#endif
