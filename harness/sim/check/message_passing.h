/**
 * @file message_passing.h
 * @brief Messages by volatile or relaxed accesses alone: one thread stores data and then a flag;
 * another thread looks at the flag and then reads the data.
 *
 * Such accesses do not race with each other, but nothing orders them with accesses to other words.
 * PTX orders the data before the flag by a release pattern (a fence, or a releasing store of the
 * flag), and the flag before the read by an acquire pattern. Most pairs need no order: counters,
 * minima that any thread lowers, tickets, a status and its value in one word. So an unordered read
 * is a fault only if the thread relies on the data: it has waited for, or branched on (FLAG_LOOK),
 * a flag that the writer set after the data. A word that the thread waits for again is a flag, not
 * data. Words that atomic operations add to are not data, either. The check also finds the wrong
 * order on either side: data that the writer stores once and after the flag, and data that the
 * reader loads before its look at the flag.
 *
 * Store buffering is not found. There each of two threads sets a flag, and then reads the old value
 * of the other thread's flag, as in Dekker's lock. Most kernels may read the old value of a flag,
 * and nothing shows which kernels rely on the new value.
 */
#ifndef SIM_CHECK_MESSAGE_PASSING_H
#define SIM_CHECK_MESSAGE_PASSING_H

#include "tags.h"

#include <stdbool.h>
#include <stdint.h>

/** Before a strong store of a word, or after an atomic operation that has changed it. */
void sim_message_write(struct warp *warp, struct global_tags *tags, size_t word, uint64_t mine);
/** A look at a flag: faults if the warp has already read data that the flag's writer stored before
 * the flag. */
void sim_message_look(struct warp *warp, const struct instruction *at,
                      const struct global_tags *tags, size_t word);
/** A volatile or relaxed read: it is a look at a flag, or it reads data. Faults if the warp relies
 *  on a flag for these data, and nothing orders the two. */
void sim_message_read(struct warp *warp, const struct instruction *at, int lane,
                      const char *storage, const struct global_tags *tags);
/** Before an atomic addition to a word; the tag and time (tags.h) are of its last store. Faults if
 *  the word is a counter that its writer resets after the flag that the warp has seen. */
void sim_message_reset(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, uint64_t tag, uint64_t when);
/** The tag of the last strong write of a word; 0: unknown. */
uint64_t sim_message_writer(const struct global_tags *tags, size_t word);

#endif
