/**
 * @file global_strong.h
 * @brief Volatile, relaxed, ordered and atomic accesses to global memory, and what threads may
 * tell each other by them: updates that are lost, messages by flags.
 */
#ifndef SIM_CHECK_GLOBAL_STRONG_H
#define SIM_CHECK_GLOBAL_STRONG_H

#include "tags.h"

#include "sim/machine/warp.h"
#include "sim/memory/places.h"

#include <stdbool.h>
#include <stdint.h>

/* Volatile, relaxed, acquire and release accesses of global memory. They do not race with each
 * other, but may clash with atomic additions, with accesses to half of a value, and with the flags
 * that a block relies on (message_passing.c). */

/** Before a strong access: notes what it tells other threads, and what it tells this warp. */
void sim_global_strong(struct warp *warp, const struct instruction *at, bool is_store);
/** Before a strong store: faults if others add to the word. */
void sim_global_strong_store(struct warp *warp, const struct instruction *at,
                             const struct places *places, unsigned bytes);
/** Before a strong store, after sim_global_strong(): what others may learn from it. */
void sim_global_strong_tell(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes);
/** Before a strong load: faults if it reads data that are not ordered with their flag, or half of a
 *  value. */
void sim_global_strong_load(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes);

/** Notes that a strong store or an exchange has set a word; after sim_message_write(). */
void sim_strong_note(struct warp *warp, const char *storage, uint64_t tag);
/** Before an atomic operation that adds or toggles: faults if another block resets the word after
 *  the flag that this block has seen. */
void sim_strong_before_add(struct warp *warp, const struct instruction *at, int lane,
                           const char *storage);
/** After it, with its tag: faults if another block had stored to the word before and this block has
 *  not learned of it. */
void sim_strong_added(struct warp *warp, const struct instruction *at, int lane,
                      const char *storage, uint64_t mine);

/* ---- Atomic operations on global memory ---- */

/** Before an atomic operation; `storage` is in the allocation that the instruction used last. */
void sim_global_atomic(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, unsigned bytes);
/** After an atomic operation; `changed` if the value differs from the old value, `counts` if doing
 *  the operation once more would change it again. */
void sim_global_atomic_done(struct warp *warp, const struct instruction *at, int lane,
                            const char *storage, unsigned bytes, bool changed, bool counts);

/** After a compare-and-swap that has swapped, or an exchange, in a kernel with pops
 * (decoding/pops.c); `pops` if it is one. Faults if what it expected may have come back. */
void sim_head_swapped(struct warp *warp, const struct instruction *at, int lane,
                      const char *storage, uint64_t old, uint64_t fresh, bool pops);

/* Lost updates: a thread reads a word and writes back a value computed from it, in separate
 * accesses (decoding/updates.c). Even if each access is volatile, relaxed or atomic, what other
 * threads write in between is lost. So something other than this word must order other threads'
 * writes before the read: a lock, a turn, a barrier. */

/** Before a lane's read of global memory (FLAG_READ_FOR_UPDATE). Faults if another thread has
 * claimed the word (FLAG_CLAIM), and might have done so behind this read. */
void sim_update_read(struct warp *warp, const struct instruction *at, int lane,
                     const char *storage);
/** As sim_update_read(), for all active lanes. */
void sim_update_reads(struct warp *warp, const struct instruction *at, const struct places *places,
                      unsigned bytes);

/** Before a lane's store (FLAG_UPDATE) to a word; `writer` is the tag of the word's last store. */
void sim_lost_update(struct warp *warp, const struct instruction *at, int lane, const char *storage,
                     uint64_t writer);
/** Before a store or an exchange of FLAG_TEST_SET or FLAG_CLAIM: faults if another thread has done
 *  the same. */
void sim_test_set(struct warp *warp, const struct instruction *at, int lane, const char *storage);
/** The tag of the last such write of a word; 0: unknown. */
uint64_t sim_last_set(const struct warp *warp, const char *storage);
/** The tag of the last store of a word in a table, and its time; 0: unknown. */
uint64_t sim_store_last(struct strong_store *stores, const char *storage, uint64_t *when);
/** Notes a store of a word in a table. */
void sim_store_note(struct warp *warp, struct strong_store *stores, const char *storage,
                    uint64_t tag);
/** As sim_lost_update(), for a lock that both threads may have seen free; `earlier` has taken it.
 */
void sim_taken_twice(struct warp *warp, const struct instruction *at, int lane, const char *storage,
                     uint64_t earlier);
/** Before an atomic operation (FLAG_UPDATE) on a word; `adder` is the tag of its last reader or
 * atomic update. */
void sim_update_by_atomic(struct warp *warp, const struct instruction *at, int lane,
                          const char *storage, uint64_t adder);
/** Before a volatile store to shared memory. */
void sim_update_shared_word(struct warp *warp, const struct instruction *at, int lane,
                            uint32_t offset);
void sim_update_shared(struct warp *warp, const struct instruction *at, const struct places *places,
                       unsigned bytes);

/* Messages by volatile or relaxed accesses alone: one thread stores data and then a flag; another
 * thread looks at the flag and then reads the data.
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
 * and nothing shows which kernels rely on the new value. */

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
/** A lane's pop has succeeded: faults for what it relies on, if such a read was kept until now. */
void sim_message_popped(struct warp *warp, int lane);
/** Before an atomic addition to a word; the tag and time (tags.h) are of its last store. Faults if
 *  the word is a counter that its writer resets after the flag that the warp has seen. */
void sim_message_reset(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, uint64_t tag, uint64_t when);
/** The tag of the last strong write of a word; 0: unknown. */
uint64_t sim_message_writer(const struct global_tags *tags, size_t word);

#endif
