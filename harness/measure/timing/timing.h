/**
 * @file timing.h
 * @brief Timing rows so that they can be compared: events, cold cache, interleaved, every output
 * checked.
 */
#ifndef LAB_TIMING_H
#define LAB_TIMING_H

#include "measure/result.h"

/**
 * @brief Times all rows of a result whose check was ok.
 *
 * Each repetition times each row once, in turn, so that ratios hold when clocks drift. All rows,
 * also the reference, have the same rules: an untimed launch; the output poisoned or reset; the L2
 * cache emptied by reading (unless `warm`); then one launch between two events, which the device
 * begins when all of it is enqueued (measure/timing/event_timer.h). After each timed launch the
 * output is checked in full; a wrong output becomes the row's verdict.
 * @param reps  timed launches per row; 0: as many as fit in a few seconds, 5 to 30
 * @return cudaSuccess, or the error that ended the timing
 */
cudaError_t lab_time_rows(struct lab_problem *problem, int reps, cudaStream_t stream,
                          struct lab_result *result);

/**
 * @brief Times all rows whose check was ok together with the copies of inputs to the device and of
 * the output back, in ordinary host memory, without overlap. The medians go to with_copies_ms.
 */
cudaError_t lab_time_with_copies(struct lab_problem *problem, cudaStream_t stream,
                                 struct lab_result *result);

#endif
