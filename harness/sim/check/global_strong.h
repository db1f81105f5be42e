/**
 * @file global_strong.h
 * @brief Volatile, relaxed, acquire and release accesses of global memory. They do not race with
 * each other, but may clash with atomic additions, with accesses to half of a value, and with the
 * flags that a block relies on (message_passing.h).
 */
#ifndef SIM_CHECK_GLOBAL_STRONG_H
#define SIM_CHECK_GLOBAL_STRONG_H

#include "tags.h"

#include "sim/memory/places.h"

#include <stdbool.h>

/** Before a strong access: notes what it tells other threads, and what it tells this warp. */
void sim_global_strong(struct warp *warp, const struct instruction *at, bool is_store);
/** Before a strong store: faults if others add to the word. */
void sim_global_strong_store(struct warp *warp, const struct instruction *at,
                             const struct places *places, unsigned bytes);
/** Before a strong load: faults if it reads data that are not ordered with their flag, or half of a
 *  value. */
void sim_global_strong_load(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes);

/** Notes that a strong store or an exchange has set a word; after sim_message_write(). */
void sim_strong_note(struct warp *warp, const char *storage, uint64_t tag);
/** Before an atomic addition to a word: faults if another block resets the word after the flag that
 *  this block has seen. */
void sim_strong_before_add(struct warp *warp, const struct instruction *at, int lane,
                           const char *storage);
/** After the addition, with its tag: faults if another block has stored to the word and this block
 *  has not learned of it. */
void sim_strong_added(struct warp *warp, const struct instruction *at, int lane,
                      const char *storage, uint64_t mine);

#endif
