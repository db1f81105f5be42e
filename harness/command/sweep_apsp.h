/**
 * @file sweep_apsp.h
 * @brief `run sweep` of shortest paths.
 */
#ifndef LAB_COMMAND_SWEEP_APSP_H
#define LAB_COMMAND_SWEEP_APSP_H

#include "command/sweep.h"

/** As lab_sweep(), for family apsp. */
int lab_sweep_apsp(const struct lab_options *options, const struct lab_device *device,
                   const struct lab_counting *counting, lab_take_fn *take);

#endif
