/**
 * @file ncu.h
 * @brief Takes a GPU's counters by running the rows once more under Nsight Compute.
 */
#ifndef LAB_RUN_NCU_H
#define LAB_RUN_NCU_H

#include "measure/result.h"
#include "options/options.h"

/** LAB_EXIT_OK when Nsight Compute is there, else LAB_EXIT_MISSING after saying how to get it. */
int lab_ncu_check(void);

/**
 * @brief Runs the same rows under Nsight Compute and fills the counters of each.
 *
 * Rows must have been checked: the recorded number of launches of each row says which of the
 * profiled launches are its own. The reference's launches are those left over at the start. A
 * counter that this GPU lacks is named in one line on standard error; the others are filled.
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining.
 */
int lab_ncu_profile(const struct lab_options *options, struct lab_result *result);

#endif
