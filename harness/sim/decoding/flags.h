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
 * @brief True of a volatile or ordered load before a look, or before the look in the loop around
 * it, whose value is used behind that: it may have been read before what the look waits for.
 */
bool sim_is_read_early(const struct ptx_function *ptx, const struct ptx_instruction *source);

/** @brief True of a load that meets what other threads write: volatile, relaxed, acquire. */
bool sim_reads_flag(const struct ptx_instruction *source);

/** @brief True if an operand names a register that is marked in `found`. */
bool sim_depends(const bool *found, const struct ptx_operand *operand);

/** @brief Marks the registers that an operand names; true if one is new. */
bool sim_mark(bool *found, const struct ptx_operand *operand);

/** @brief True if some instruction reads a result. */
bool sim_is_read(const struct ptx_function *ptx, const struct ptx_operand *result);

/** @brief True of a number that the code names, perhaps by way of a register. */
bool sim_is_constant(const struct ptx_function *ptx, const struct ptx_operand *operand);

/** @brief True of two operands that name one address by the same registers. */
bool sim_is_same_address(const struct ptx_operand *a, const struct ptx_operand *b);

#endif
