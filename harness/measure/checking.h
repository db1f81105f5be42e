/**
 * @file checking.h
 * @brief Launches a row once and checks everything about it.
 */
#ifndef LAB_CHECKING_H
#define LAB_CHECKING_H

#include "measure/result.h"

/** A row that asks for more is at fault whatever the size: no device addresses it. */
#define LAB_MOST_SCRATCH_BYTES ((size_t)1 << 57)

/** The verdict for an error of the CUDA runtime. */
enum lab_check_status lab_check_of_error(cudaError_t error);

/**
 * @brief Runs a row once and fills its verdict, kernel facts and instruction count.
 *
 * In order: outputs are reset or poisoned, then launch, launch status, synchronise, status, guards,
 * inputs, and every element of the output. After a fault on a GPU the device may be unusable, which
 * the result says.
 * @param counting  what to count around the launch
 * @return false when the device cannot be used any more.
 */
bool lab_check_row(struct lab_problem *problem, const struct lab_device *device,
                   const struct lab_counting *counting, struct lab_row *row);

#endif
