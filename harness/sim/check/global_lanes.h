/**
 * @file global_lanes.h
 * @brief Races in global memory between lanes of one warp. A lane reads what another lane has
 * written, or writes what another lane has read, and the two lanes have not met since.
 *
 * The tags of global memory name the warp. The lane is remembered only for the words that a
 * worker's warps have used last. So a race with a much earlier access may be missed, but no race is
 * reported that is not there.
 */
#ifndef SIM_CHECK_GLOBAL_LANES_H
#define SIM_CHECK_GLOBAL_LANES_H

#include "tags.h"

#include "sim/memory/places.h"

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

#endif
