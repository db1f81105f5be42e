/**
 * @file pretended.h
 * @brief What stands in for a submission whose answers are made up: its object holds two kernels,
 * its recorder says what it is told to say.
 */
#ifndef LAB_TESTS_FUZZ_PRETENDED_H
#define LAB_TESTS_FUZZ_PRETENDED_H

#include "families/family.h"

#include <stddef.h>
#include <stdint.h>

/** The problem's struct, with one input and one output. */
struct pretended_problem {
    float *in, *out;
};

/** The family of that problem. */
extern const struct lab_family pretended_family;

/** The next questions are answered by these bytes: what it exports, its scratch memory, launches.
 */
void pretended_recorder_says(const uint8_t *data, size_t size);

#endif
