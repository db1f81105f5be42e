/**
 * @file counted.h
 * @brief The figures that a family names, for rows that the simulator counted.
 */
#ifndef LAB_MEASURE_COUNTED_H
#define LAB_MEASURE_COUNTED_H

#include "measure/result.h"

/** Computes the figures from the rows' counters. */
void lab_counted_rows(struct lab_result *result);

#endif
