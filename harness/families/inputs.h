/**
 * @file inputs.h
 * @brief Input data: a pure function of seed and index, the same on every machine.
 */
#ifndef LAB_INPUTS_H
#define LAB_INPUTS_H

#include <stddef.h>
#include <stdint.h>

/**
 * @brief Writes `count` floats, elements first .. first + count - 1 of the stream `seed`.
 *
 * Magnitudes are uniform in [0.5, 1), signs random. No value is small, so no product of two is
 * below 1/4, and a term that is missing, doubled or misplaced cannot hide in the tolerance.
 */
void lab_inputs_fill(float *values, size_t first, size_t count, uint64_t seed);

/** The same for doubles: 52 random bits of mantissa. */
void lab_inputs_fill_doubles(double *values, size_t first, size_t count, uint64_t seed);

/** A seed for one matrix of a problem, far from the seeds of the others. */
uint64_t lab_inputs_seed(uint64_t seed, unsigned matrix);

/** The place of a special value among the `count` elements of a matrix. */
size_t lab_inputs_place(uint64_t seed, unsigned matrix, size_t count);

#endif
