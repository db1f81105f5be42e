/**
 * @file residents.h
 * @brief How many blocks run at once, relative to the solution: too few, or more than have work.
 */
#ifndef LAB_EXERCISE_RESIDENTS_H
#define LAB_EXERCISE_RESIDENTS_H

#include "measure/result.h"

enum { LAB_RESIDENTS_BYTES = 240 };

/** For a missed speed: too few blocks for the device, or a lower occupancy than the solution's, and
 * the cause; "" if the solution has no more. */
void lab_residents_write_few(const struct lab_row *row, const struct lab_row *solution,
                             const struct lab_device *device, char text[LAB_RESIDENTS_BYTES]);

/** A launch with many times the blocks of the solution's launch, which a right kernel may have
 * without missing a goal; "" if there is none. */
void lab_residents_write_many(const struct lab_row *row, const struct lab_row *solution,
                              char text[LAB_RESIDENTS_BYTES]);

#endif
