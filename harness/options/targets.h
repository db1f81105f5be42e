/**
 * @file targets.h
 * @brief What follows from the targets together.
 */
#ifndef LAB_OPTIONS_TARGETS_H
#define LAB_OPTIONS_TARGETS_H

#include "options/options.h"

struct lab_stage;

/** Whether on the simulator these targets are a lesson: a problem of the default size, or one on a
 *  slice that was asked for, whose rows have modelled times without --profile. */
bool lab_targets_are_lesson(const struct lab_options *options);

/** Whether a slice is simulated without having been asked for: of a lesson, and of an exercise,
 * whose speed is modelled. */
bool lab_targets_take_slice(const struct lab_options *options);

/** The kernels of its study that a target runs in place of its stages; NULL: none, it runs these.
 */
const struct lab_stage *lab_targets_study(const struct lab_options *options);

#endif
