/**
 * @file global_strong.h
 * @brief Volatile, relaxed, acquire and release accesses of global memory: they are in no race with
 * each other, but may be with what others add, with the other half of a value, and with what the
 * block goes by (global_message.h).
 */
#ifndef SIM_CHECK_GLOBAL_STRONG_H
#define SIM_CHECK_GLOBAL_STRONG_H

#include "tags.h"

#include "sim/memory/places.h"

#include <stdbool.h>

/** Before such an access: what it tells others and the warp. */
void sim_global_strong(struct warp *warp, const struct instruction *at, bool is_store);
/** Before such a store: faults if others add to what it sets. */
void sim_global_strong_store(struct warp *warp, const struct instruction *at,
                             const struct places *places, unsigned bytes);
/** Before such a load: faults if it goes by a flag that nothing orders behind what it reads, or
 *  reads half of a value. */
void sim_global_strong_load(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes);

/** A strong store, or an exchange, has set a word; behind sim_message_write(). */
void sim_strong_note(struct warp *warp, const char *storage, uint64_t tag);
/** Before an atomic operation that adds to a word: faults if another block sets it back behind the
 *  flag that this one has seen. */
void sim_strong_before_add(struct warp *warp, const struct instruction *at, int lane,
                           const char *storage);
/** Behind it, with its tag: faults if another block has stored there and this one has not heard of
 *  it. */
void sim_strong_added(struct warp *warp, const struct instruction *at, int lane,
                      const char *storage, uint64_t mine);

#endif
