/**
 * @file recorded.h
 * @brief Reads what runs recorded in docs/results/: rows with shapes, times and counters.
 */
#ifndef LAB_RECORDED_H
#define LAB_RECORDED_H

#include "measure/counters/counters.h"
#include "measure/launches/launches.h"
#include "measure/model/model.h"
#include "sim/lab_sim.h"

#include <cjson/cJSON.h>

/** The JSON of a file; NULL after one line on standard error. */
cJSON *lab_recorded_read(const char *path);

/** The row of that name, NULL if there is none. */
const cJSON *lab_recorded_row(const cJSON *result, const char *name);

/** Adds a row's counters, in place of those of the same name. */
void lab_recorded_counters(const cJSON *row, struct lab_counters *counters);

/** Models a row by its shape and the counters given; false when that cannot be done. */
bool lab_recorded_model(const cJSON *row, const struct lab_counters *counters,
                        const struct sim_gpu_profile *gpu, struct lab_model *model);

#endif
