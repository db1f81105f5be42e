/**
 * @file global_lanes.h
 * @brief Races in global memory between lanes of one warp: a lane reads what another one has
 * written, or writes what another one has read, and nothing has brought the two together since.
 *
 * The tags of global memory name the warp. The lane is remembered only for the words that a
 * worker's warps have used last. So a race with a much earlier access may be missed, but no race is
 * reported that is not there.
 */
#ifndef SIM_CHECK_GLOBAL_LANES_H
#define SIM_CHECK_GLOBAL_LANES_H

#include "tags.h"

#include "sim/memory/places.h"

/** The bits of a global tag that say which warp, in which stretch, has changed a word. */
#define GLOBAL_OWN ~((uint64_t)GLOBAL_FAR_PLACE << GLOBAL_PLACE_SHIFT | GLOBAL_CHANGED)

/** After a store, with its tag. */
void sim_global_note_lanes(struct warp *warp, const struct places *places, unsigned bytes,
                           uint64_t tag);

/** After a read of memory that the kernel may write, with the warp's tag. */
void sim_global_note_readers(struct warp *warp, const struct places *places, unsigned bytes,
                             uint64_t tag);

/** After a store to words of which this warp has read some in this stretch: faults if another lane
 * read one, and the store has changed its value. */
void sim_global_write_own(struct warp *warp, const struct instruction *at,
                          const struct places *places, unsigned bytes, uint64_t tag);

/** Before a lane adds atomically to a word that this warp has read in this stretch: the same. */
void sim_global_add_own(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, uint64_t tag);

/** Before a read of words of which this warp has written some in this stretch: faults if another
 *  lane wrote one. */
void sim_global_read_own(struct warp *warp, const struct instruction *at,
                         const struct places *places, unsigned bytes, uint64_t tag);

#endif
