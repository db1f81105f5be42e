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

#endif
