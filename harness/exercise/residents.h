/**
 * @file residents.h
 * @brief How many blocks run at once, beside the solution's: too few, or more than have work.
 */
#ifndef LAB_EXERCISE_RESIDENTS_H
#define LAB_EXERCISE_RESIDENTS_H

#include "measure/result.h"

enum { LAB_RESIDENTS_BYTES = 240 };

/** Of a speed that is missed: fewer blocks than the device holds at once, or a lower occupancy, and
 * what it comes of; "" where the solution's are no more. */
void lab_residents_write_few(const struct lab_row *row, const struct lab_row *solution,
                             const struct lab_device *device, char text[LAB_RESIDENTS_BYTES]);

/** A launch with many times the blocks of the solution's, which a right kernel may have without
 * missing a goal; "" where there is none. */
void lab_residents_write_many(const struct lab_row *row, const struct lab_row *solution,
                              char text[LAB_RESIDENTS_BYTES]);

#endif
