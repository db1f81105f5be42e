/**
 * @file sweep.h
 * @brief Runs of one target at several sizes, as a parameter study takes them.
 */
#ifndef LAB_REPORT_SWEEP_H
#define LAB_REPORT_SWEEP_H

#include "measure/result.h"

enum { LAB_MAX_RUNS = 256 };

/** Runs of one target at several sizes, on one device. */
struct lab_sweep {
    const char *target;
    bool is_sim;
    const struct lab_device *device;
    struct lab_result *runs[LAB_MAX_RUNS]; /**< in the order of the study */
    char *more[LAB_MAX_RUNS];              /**< members that the study adds to a run's JSON, owned;
                                                NULL: none */
    int count;
};

/** Frees the runs. */
void lab_sweep_release(struct lab_sweep *sweep);

#endif
