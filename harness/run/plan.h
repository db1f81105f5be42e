/**
 * @file plan.h
 * @brief What follows from the options and the runtime: what a run counts, and at which size.
 */
#ifndef LAB_RUN_PLAN_H
#define LAB_RUN_PLAN_H

#include "measure/counters/counters.h"
#include "measure/result.h"
#include "options/options.h"

/** What a run takes and shows besides its checks and measured times. */
struct lab_run_plan {
    enum lab_profile profile; /**< which counters are shown; never LAB_PROFILE_AUTO */
    bool models;   /**< on the simulator: count for modelled times, and keep no counters */
    bool counts;   /**< likewise, for figures that the family has in place of modelled times */
    bool recorded; /**< show recorded speeds, too */
    bool beside_solution; /**< only an exercise and its solution are compared */
    struct lab_counting counting;
};

/**
 * @brief Makes the plan, and sees before a long run whether the counters can be taken here.
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining
 */
int lab_run_plan_make(const struct lab_options *options, bool is_sim, struct lab_run_plan *plan);

/** Whether Nsight Compute counts; whether the simulator counts beside a GPU, in a child. */
bool lab_run_plan_uses_ncu(const struct lab_run_plan *plan);
bool lab_run_plan_simulates(const struct lab_run_plan *plan, bool is_sim);

/** The default size of a letter, once the rows of the result are known. */
int lab_run_plan_size(const struct lab_options *options, const struct lab_run_plan *plan,
                      const struct lab_result *result);

/** The same for a run on the simulator. */
int lab_run_plan_sim_size(const struct lab_options *options);

/* --- `--profile`: the counters that children take after the run itself -------------------------*/

/** Runs the children that count, and fills the rows; an exit status. */
int lab_profile_take(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_result *result);

/** Writes a child's row counters to a file for its parent; an exit status. */
int lab_profile_hand_over(const struct lab_result *result, const char *path);

#endif
