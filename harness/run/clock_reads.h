/**
 * @file clock_reads.h
 * @brief One block over time as a GPU's clock has it: when its warps wait at barriers and for
 * asynchronous copies.
 */
#ifndef LAB_RUN_CLOCK_READS_H
#define LAB_RUN_CLOCK_READS_H

#include "measure/result.h"

/** Compiles the kernel file of each right row once more with clock reads, launches it once, and
 * gives the row's lines the timeline of that block. A row without one is said on standard error. */
void lab_clock_reads_take(struct lab_problem *problem, unsigned long long block,
                          struct lab_result *result);

#endif
