/**
 * @file foretell.h
 * @brief Says before a run on the simulator about how long it will take.
 */
#ifndef LAB_RUN_FORETELL_H
#define LAB_RUN_FORETELL_H

#include "measure/result.h"
#include "options/options.h"

#include <stdbool.h>

/** What was foretold, and when the rows began to run. */
struct lab_foretold {
    double start;
    bool is_wanted, is_told;
    bool counts; /**< every access is counted, which takes longer */
};

/** Seconds that the rows of a result will take by its facts, right within a factor of three. */
double lab_foretell_seconds(const struct lab_result *result, bool counts);

/** Before anything is computed: warns on standard error of a run that takes over a minute, and
 *  names a size that takes seconds. */
void lab_foretell(struct lab_foretold *foretold, const struct lab_options *options,
                  const struct lab_result *result, bool counts);

/** The same after the first `done` rows, by the time that they took. */
void lab_foretell_again(struct lab_foretold *foretold, const struct lab_options *options,
                        const struct lab_result *result, int done);

#endif
