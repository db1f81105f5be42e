/**
 * @file global_message.h
 * @brief Messages by volatile or relaxed accesses alone: one thread stores data and then a flag,
 * another one looks at the flag and then reads the data.
 *
 * Such accesses may meet, but they are in no order with accesses to other words: PTX orders the
 * data before the flag by a release pattern (a fence, or the release of the flag's store) and the
 * flag before the read by an acquire pattern. Most pairs need none: counters, least values that are
 * lowered by anyone, numbers that are drawn, a status and its value in one word. So an unordered
 * read counts only where the thread has gone by what the writer did later: it has waited for, or
 * decided by (FLAG_LOOK), what that one set behind the data. Then it counts on the data. What it
 * waits for again is a flag itself, and no data; neither is what atomic operations add up. The same
 * orders are looked for the wrong way round: data that the writer sets behind the flag, once, and
 * data that the reader loads before its look.
 *
 * That two threads set a flag each and then both read the other's as it was (store buffering, as in
 * Dekker's lock) is not found: what a flag was before is right to be read in most kernels that do
 * so, and nothing tells which of them count on the contrary.
 */
#ifndef SIM_CHECK_GLOBAL_MESSAGE_H
#define SIM_CHECK_GLOBAL_MESSAGE_H

#include "tags.h"

#include <stdbool.h>
#include <stdint.h>

/** Before a block starts, and behind a barrier of all its warps. */
void sim_message_start(struct global_checks *checks);
void sim_message_barrier(struct global_checks *checks);
/** Frees what is kept of the strong writes, when a launch ends. */
void sim_message_end(struct global_tags *tags);

/** Before a strong store of a word, or behind an atomic operation that has changed it. */
void sim_message_write(struct warp *warp, struct global_tags *tags, size_t word, uint64_t mine);
/** A look at a word: faults if data that its writer set before were read before it. */
void sim_message_look(struct warp *warp, const struct instruction *at,
                      const struct global_tags *tags, size_t word);
/** A volatile or relaxed read: a look, or faults if the warp goes by a flag that nothing orders
 *  behind what it reads. */
void sim_message_read(struct warp *warp, const struct instruction *at, int lane,
                      const char *storage, const struct global_tags *tags);
/** Before an atomic operation that adds to the word which a store of that tag and time (tags.h) has
 *  set last: faults if it is a counter that is set back behind the flag that the warp has seen. */
void sim_message_reset(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, uint64_t tag, uint64_t when);
/** The tag of the last strong write of a word; 0: unknown. */
uint64_t sim_message_writer(const struct global_tags *tags, size_t word);
/** A fence behind looks, or the acquiring look itself. */
void sim_message_acquire(struct warp *warp);

#endif
