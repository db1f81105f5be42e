/**
 * @file study.h
 * @brief What the studies of `run sweep` share: runs gathered, then reported together.
 */
#ifndef LAB_RUN_STUDY_H
#define LAB_RUN_STUDY_H

#include "report/json.h"
#include "report/sweep.h"
#include "run/run_rows.h"

#include <stdio.h>

/** One study. */
struct lab_study {
    const char *word; /**< word of the LAB_STUDY line that has the study's kernels, if any */
    /** Makes the runs of the study, each with lab_study_take(); an exit status. */
    int (*take_runs)(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_sweep *sweep);
    void (*print)(const struct lab_options *options, const struct lab_sweep *sweep);
    void (*plot)(const struct lab_sweep *sweep, FILE *file); /**< NULL: no plot */
    lab_json_more_fn *put_more;                              /**< NULL: nothing to add */
};

/**
 * @brief Makes one run, as `run` does, and keeps it in the sweep, which owns it.
 * @return an exit status: LAB_EXIT_FAILED after printing its table when a row was not right
 */
int lab_study_take(const struct lab_options *options, const struct lab_run_plan *plan,
                   struct lab_sweep *sweep);

/**
 * @brief Makes one run for each n, up to a 0; only one run if the options give sizes.
 * @return an exit status, as lab_study_take()
 */
int lab_study_take_sizes(struct lab_options *options, const int *sizes,
                         const struct lab_run_plan *plan, struct lab_sweep *sweep);

/**
 * @brief Makes every run of the study and reports them together.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED when a row failed its check; another exit status after
 *         complaining
 */
int lab_study_run(const struct lab_study *study, const struct lab_options *options,
                  const struct lab_device *device, const struct lab_run_plan *plan);

#endif
