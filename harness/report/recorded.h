/**
 * @file recorded.h
 * @brief What rows reached when docs/results was recorded, for who has another GPU, or none.
 */
#ifndef LAB_REPORT_RECORDED_H
#define LAB_REPORT_RECORDED_H

#include "measure/result.h"

/** A recorded speed. */
struct lab_recorded {
    const char *target, *row;
    const char *type;
    const char *sizes; /**< "4096", or "131072 x 1024 x 32" */
    const char *gpu;   /**< "H200" */
    double speed;      /**< GFLOPS; GB/s where the problem counts no operations */
};

/** The record of a row, taken in the run that stands for its step, with the same type and form;
 * NULL: none. */
const struct lab_recorded *lab_recorded_find(const struct lab_result *result,
                                             const struct lab_row *row);

#endif
