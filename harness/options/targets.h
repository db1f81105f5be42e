/**
 * @file targets.h
 * @brief What follows from the targets together.
 */
#ifndef LAB_OPTIONS_TARGETS_H
#define LAB_OPTIONS_TARGETS_H

#include "options/options.h"

/** The default size on the simulator: the slowest of the targets decides. */
int lab_targets_sim_size(const struct lab_options *options);

#endif
