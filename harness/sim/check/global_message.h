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

/** What is wrong with data and the flag that is to tell of them. */
enum message_order {
    MESSAGE_UNORDERED, /**< set and read in this order, but by no release and acquire */
    MESSAGE_SET_LATE,  /**< the flag was set before the data, which are written once */
    MESSAGE_READ_EARLY /**< the data were read before the look at the flag */
};

/** Data read by way of a look at what their writer has set. */
struct message {
    uint64_t data, flag; /**< tags of the stores */
    uint32_t look;       /**< the place where the flag was read */
    bool is_acquired;    /**< a fence stands behind that, or it acquires */
    enum message_order order;
    const char *storage; /**< of the data */
    uint32_t read;       /**< the place where the data were read, */
    int lane;            /**< and the lane */
};

/** Before a block starts, and behind a barrier of all its warps. */
void sim_message_start(struct global_checks *checks);
void sim_message_barrier(struct global_checks *checks);
/** Of a launch that ends. */
void sim_message_end(struct global_tags *tags);

/** Before a strong store of a word, or behind an atomic operation that has changed it. */
void sim_message_write(struct warp *warp, struct global_tags *tags, size_t word, uint64_t mine);
/** A look at a word. True if data that its writer set before were read before it. */
bool sim_message_look(struct warp *warp, const struct instruction *at,
                      const struct global_tags *tags, size_t word, struct message *early);
/** A read whose value is used behind a look that is still to come (FLAG_EARLY). */
void sim_message_read_early(struct warp *warp, const struct instruction *at, int lane,
                            const struct global_tags *tags, size_t word);
/** Whether a store of another block, its tag and time, stands behind the flag by which the warp
 *  goes: before an atomic operation that adds to the word. */
bool sim_message_find_reset(const struct warp *warp, uint64_t tag, uint64_t when,
                            struct message *found);
/** The tag of the last strong write of a word; 0: unknown. */
uint64_t sim_message_writer(const struct global_tags *tags, size_t word);
/** A fence behind looks, or the acquiring look itself. */
void sim_message_acquire(struct warp *warp);
/** Whether the warp has gone by what the word's writer set after it. */
bool sim_message_find(const struct warp *warp, const struct global_tags *tags, size_t word,
                      struct message *found);

#endif
