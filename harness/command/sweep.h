/**
 * @file sweep.h
 * @brief `run sweep`: one target at the sizes of its paper's study.
 */
#ifndef LAB_COMMAND_SWEEP_H
#define LAB_COMMAND_SWEEP_H

#include "command/study.h"

/**
 * @brief Takes every run of the study and reports them together.
 *
 * Sizes given on the command line stand in place of the study's.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED when a row failed its check; another exit status after
 *         complaining
 */
int lab_sweep(const struct lab_options *options, const struct lab_device *device,
              const struct lab_counting *counting, lab_take_fn *take);

#endif
