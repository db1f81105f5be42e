/**
 * @file lost_update.h
 * @brief Lost updates: a thread reads a word and writes back a value computed from it, in separate
 * accesses (decoding/updates.h). Even if each access is volatile, relaxed or atomic, what other
 * threads write in between is lost. So something other than this word must order other threads'
 * writes before the read: a lock, a turn, a barrier.
 */
#ifndef SIM_CHECK_LOST_UPDATE_H
#define SIM_CHECK_LOST_UPDATE_H

#include "tags.h"

#include "sim/memory/places.h"

/** Before a lane's read of global memory (FLAG_READ_FOR_UPDATE). */
void sim_update_read(struct warp *warp, const struct instruction *at, const char *storage);
/** As sim_update_read(), for all active lanes. */
void sim_update_reads(struct warp *warp, const struct instruction *at, const struct places *places,
                      unsigned bytes);

/** Before a lane's store (FLAG_UPDATE) to a word; `writer` is the tag of the word's last store. */
void sim_lost_update(struct warp *warp, const struct instruction *at, int lane, const char *storage,
                     uint64_t writer);
/** Before an atomic operation (FLAG_UPDATE) on a word; `adder` is the tag of its last reader or
 * atomic update. */
void sim_update_by_atomic(struct warp *warp, const struct instruction *at, int lane,
                          const char *storage, uint64_t adder);
/** Before a volatile store to shared memory. */
void sim_update_shared(struct warp *warp, const struct instruction *at, const struct places *places,
                       unsigned bytes);

#endif
