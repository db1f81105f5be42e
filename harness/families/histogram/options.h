/**
 * @file options.h
 * @brief Options of family histogram: what the keys are like.
 */
#ifndef LAB_HISTOGRAM_OPTIONS_H
#define LAB_HISTOGRAM_OPTIONS_H

#include "options/family.h"

/** What the keys are like. */
enum histogram_keys {
    HISTOGRAM_MIXED, /**< half of them the same one, in no order */
    HISTOGRAM_RUNS,  /**< the same, each 48 times in a row: a warp has one key, or two */
    HISTOGRAM_ONE,   /**< a single one */
};

/** Options of a histogram. */
struct histogram_options {
    enum histogram_keys keys;
};

extern const struct lab_family_options lab_histogram_options;

#endif
