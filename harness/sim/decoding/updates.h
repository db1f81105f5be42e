/**
 * @file updates.h
 * @brief Which instructions change a word in more than one access: read it, and write it by what
 * was read, so that what others write in between is lost.
 */
#ifndef SIM_DECODING_UPDATES_H
#define SIM_DECODING_UPDATES_H

#include "decoder.h"

/**
 * @brief Whether an instruction writes a word by what the thread has read there before.
 *
 * - A volatile or relaxed store, or an exchange, whose value was computed from what such a load, an
 *   atomic operation that changes nothing, or an exchange outside of loops has read at the same
 *   address, as by +=. A value that
 *   was loaded elsewhere, by way of what was read, is no such one.
 * - The same of a store that happens only where what was read is less, or greater: a least value
 *   that is kept by `if`.
 * - An atomic operation whose result nobody reads, where the word was loaded before and the number
 *   found there is an index, or is stored: a ticket that is drawn in two steps.
 * - A compare-and-swap outside of loops, which tries once.
 *
 * What a thread waits for there is its turn, and no such read.
 * @return FLAG_UPDATE, with FLAG_COMPUTED if the value was computed from what was read; or 0.
 */
uint32_t sim_writes_update(const struct ptx_function *ptx, const struct ptx_instruction *source);

/** @brief True of what reads the word for one of those. */
bool sim_reads_for_update(const struct ptx_function *ptx, const struct ptx_instruction *source);

#endif
