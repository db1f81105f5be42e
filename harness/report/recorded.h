/**
 * @file recorded.h
 * @brief The speeds of rows when docs/results was recorded, for readers with another GPU or none.
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
    double speed;      /**< GFLOPS, or GB/s if the problem counts no operations */
};

/** The record of a row with the same type and form, from the run that represents its step; NULL:
 * none. */
const struct lab_recorded *lab_recorded_find(const struct lab_result *result,
                                             const struct lab_row *row);

#endif
