/**
 * @file targets.h
 * @brief What follows from all targets together.
 */
#ifndef LAB_OPTIONS_TARGETS_H
#define LAB_OPTIONS_TARGETS_H

#include "options/options.h"

struct lab_stage;

/** Whether these targets are a lesson on the simulator: they have the default size, or a slice was
 *  asked for. The rows of a lesson have modelled times without --profile. */
bool lab_targets_are_lesson(const struct lab_options *options);

/** Whether a slice is simulated: it was asked for, or the targets are a lesson, or an exercise,
 * whose speed is modelled. */
bool lab_targets_take_slice(const struct lab_options *options);

/** The kernels of a study that a target runs in place of its stages; NULL: it runs its stages.
 */
const struct lab_stage *lab_targets_study(const struct lab_options *options);

#endif
