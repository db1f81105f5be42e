/**
 * @file shared_race.h
 * @brief Which threads used a word of shared memory last: a tag for each word, and the lanes.
 *
 * The check before each access only asks whether the word was used since the last barrier of the
 * block, which is rare in correct kernels. Only if so, it looks for which thread used the word, and
 * for what orders the two uses. A kernel with accesses of fewer than 4 bytes has smaller units than
 * words.
 */
#ifndef SIM_CHECK_SHARED_RACE_H
#define SIM_CHECK_SHARED_RACE_H

#include "tags.h"

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

#endif
