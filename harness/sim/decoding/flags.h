/**
 * @file flags.h
 * @brief Whether a kernel may use volatile memory to wait for other threads, and not only for
 * data.
 */
#ifndef SIM_DECODING_FLAGS_H
#define SIM_DECODING_FLAGS_H

#include "decode.h"
#include "decoder.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * @brief True if a branch depends on what a volatile or ordered load has read, or if the result of
 * an atomic operation is read. Volatile accesses may then be flags, and what they order is not
 * followed. Otherwise they are data like any other, which volatile does not order.
 */
bool sim_may_wait_for_flags(const struct program *program);

/**
 * @brief True of a look: a thread waits or decides by what the instruction reads, so what it does
 * next relies on what other threads did before. These are looks:
 * - a volatile or ordered load that a loop repeats, or such a load at the same address;
 * - an atomic operation that swaps a constant in, as locks do, or that a loop repeats;
 * - an atomic operation that counts, with a result that is compared for equality, as by the thread
 *   that counts last. An operation that only draws a number is no look.
 */
bool sim_is_look(const struct ptx_function *ptx, const struct ptx_instruction *source);

/**
 * @brief True of a volatile or ordered load before a waiting loop, or in the loop before its look,
 * whose value is used after the loop. It may be read before what the look waits for has happened.
 */
bool sim_is_read_early(const struct ptx_function *ptx, const struct ptx_instruction *source);

/**
 * @brief True of a read whose value is only stored, and given to a compare-and-swap as what it
 * expects, which is tried until it is that: a push onto a stack. Any other value would do as well,
 * so that the thread knows nothing by it.
 */
bool sim_hands_on(const struct ptx_function *ptx, const struct ptx_instruction *source);

/**
 * @brief True of a compare-and-swap that puts in what was loaded by way of the value that it
 * expects, in a function that also stores such values: a pop from a list that others push onto.
 */
bool sim_pops(const struct ptx_function *ptx, const struct ptx_instruction *swap);

/** @brief True of a load of what such a compare-and-swap puts in. */
bool sim_is_successor(const struct ptx_function *ptx, const struct ptx_instruction *load);

/** @brief True of a load that may meet writes of other threads: volatile, relaxed, acquire. */
bool sim_reads_flag(const struct ptx_instruction *source);

/** @brief True if an operand names a register that is marked in `found`. */
bool sim_depends(const bool *found, const struct ptx_operand *operand);

/** @brief Marks the registers that an operand names; true if some register is new. */
bool sim_mark(bool *found, const struct ptx_operand *operand);

/** @brief True if some instruction reads a result. */
bool sim_is_read(const struct ptx_function *ptx, const struct ptx_operand *result);

/** @brief True of a constant of the code, or a register that only holds constants. */
bool sim_is_constant(const struct ptx_function *ptx, const struct ptx_operand *operand);

/** @brief True of two operands that name the same address by the same register. */
bool sim_is_same_address(const struct ptx_operand *a, const struct ptx_operand *b);

/* Which instructions change a word in more than one access: they read it, and then write a value
 * that depends on what was read. What other threads write in between is lost. */

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
 * A read by which a thread waits for its turn (a look, flags.h) does not count, but for a constant
 * that is put there after a wait for another one: a lock that is tested and then set.
 * @return FLAG_UPDATE, with FLAG_COMPUTED if the value was computed from what was read;
 * FLAG_TEST_SET; with either, or alone, FLAG_CLAIM (sim_claims()); or 0.
 */
uint32_t sim_writes_update(const struct ptx_function *ptx, const struct ptx_instruction *source);

/** @brief FLAG_READ_FOR_UPDATE of an instruction that reads the word for such a write, with
 * FLAG_CLAIM if what it reads alone decides that the thread takes what the word stands for; or 0.
 */
uint32_t sim_reads_for_update(const struct ptx_function *ptx, const struct ptx_instruction *source);

/** @brief True of an atomic operation that only serves as a load: it adds 0, for example. */
bool sim_only_reads(const struct ptx_instruction *source);

/**
 * @brief Whether what `read` has read alone decides that its thread makes `write` to the same word,
 * and claims it by that (claims.c): the value is computed from what was read (`is_computed`), or is
 * a constant, and atomic additions follow that only who has claimed the word makes.
 */
bool sim_claims(const struct ptx_function *ptx, const struct ptx_instruction *read,
                const struct ptx_instruction *write, bool is_computed);

/* --- what a kernel asks of a flag --------------------------------------------------------------*/

/* What a kernel asks of a flag or counter that it reads: the one comparison that the value
 * goes into. All values with the same answer tell the kernel the same. */

struct warp;
struct sim_flag_test;

/** The comparison of what an instruction reads, 32 bits; NULL: the value is used in another way, or
 *  in several. */
const struct sim_flag_test *sim_find_flag_test(struct decoder *decoder,
                                               const struct ptx_instruction *source);

/** The answer for a lane, had it read `value`. Call this right after the read. */
bool sim_flag_answer(const struct sim_flag_test *test, const struct warp *warp, unsigned lane,
                     uint32_t value);

#endif
