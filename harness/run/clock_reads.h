/**
 * @file clock_reads.h
 * @brief One block over time, by a GPU's clock: when its warps wait at barriers and for
 * asynchronous copies.
 */
#ifndef LAB_RUN_CLOCK_READS_H
#define LAB_RUN_CLOCK_READS_H

#include "measure/result.h"

/** Compiles the kernel file of each right row again with clock reads, launches it once, and gives
 * the row's lines the timeline of the block. Standard error names rows without a timeline. */
void lab_clock_reads_take(struct lab_problem *problem, unsigned long long block,
                          struct lab_result *result);

#endif
