/**
 * @file updates.h
 * @brief Which instructions change a word in more than one access: they read it, and then write a
 * value that depends on what was read. What other threads write in between is lost.
 */
#ifndef SIM_DECODING_UPDATES_H
#define SIM_DECODING_UPDATES_H

#include "decoder.h"

/**
 * @brief Whether an instruction writes a word by what the thread has read there before. These do:
 *
 * - A volatile or relaxed store, or an exchange, whose value was computed from a read at the same
 *   address, as by +=. The read is a volatile or ordered load, an atomic operation that changes
 *   nothing, or an exchange outside of loops. A value that was loaded elsewhere, by way of what was
 *   read, does not count.
 * - Such a store that happens only if the value read is less, or greater: a minimum kept by `if`.
 * - An atomic operation whose result nobody reads, if the word was loaded before and the loaded
 *   number is used as an index or is stored: a ticket that is drawn in two steps.
 * - A compare-and-swap outside of loops, which tries once.
 *
 * A read by which a thread waits for its turn (a look, flags.h) does not count.
 * @return FLAG_UPDATE, with FLAG_COMPUTED if the value was computed from what was read; or 0.
 */
uint32_t sim_writes_update(const struct ptx_function *ptx, const struct ptx_instruction *source);

/** @brief True of an instruction that reads the word for such a write. */
bool sim_reads_for_update(const struct ptx_function *ptx, const struct ptx_instruction *source);

#endif
