/**
 * @file profile.h
 * @brief `--profile` and `--lines`: what is needed for them, and what is taken after the run
 * itself.
 */
#ifndef LAB_RUN_PROFILE_H
#define LAB_RUN_PROFILE_H

#include "measure/result.h"
#include "options/options.h"

/**
 * @brief Sees before a long run whether the counters asked for can be taken here.
 *
 * Where both the GPU and the simulator are to count, sizes that were not given become those that
 * the simulator finishes soon.
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining.
 */
int lab_profile_prepare(struct lab_options *options, bool is_sim, struct lab_counting *counting);

/** Runs the children that count, and fills the rows; an exit status. */
int lab_profile_take(const struct lab_options *options, struct lab_result *result);

/** Of a child: writes the rows' counters to a file for the parent; an exit status. */
int lab_profile_hand_over(const struct lab_result *result, const char *path);

#endif
