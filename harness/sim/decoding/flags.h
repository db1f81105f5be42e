/**
 * @file flags.h
 * @brief Whether a kernel may use volatile memory to wait for other threads, and not for data
 * alone.
 */
#ifndef SIM_DECODING_FLAGS_H
#define SIM_DECODING_FLAGS_H

#include "decoder.h"

/**
 * @brief True if some branch depends on what a volatile load or one of a memory order has read, or
 * an atomic operation gives a value: then volatile accesses may be flags, and what they order is
 * not followed. Else they are data like any other, which volatile puts in no order.
 */
bool sim_may_wait_for_flags(const struct program *program);

/**
 * @brief True if a thread waits or decides by what the instruction reads, so that what it does then
 * rests on what others did before: a volatile or ordered load that a loop repeats, or one at the
 * same address as that; an atomic operation that swaps constants, as locks do, that a loop repeats,
 * or that counts and whose result is compared for being equal, as by who counts last. To draw a
 * number is no such look.
 */
bool sim_is_look(const struct ptx_function *ptx, const struct ptx_instruction *source);

/**
 * @brief True of a volatile or relaxed store whose value was computed from what such a load has
 * read at the same address, as by +=: it takes back what others have stored there in between. A
 * value that was loaded elsewhere, by way of what was read, is no such one; nor is one that the
 * thread has waited for there, whose turn it then is.
 */
bool sim_stores_update(const struct ptx_function *ptx, const struct ptx_instruction *source);

#endif
