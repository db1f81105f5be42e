/**
 * @file repeated.h
 * @brief Work that a right kernel does more than once: elements that are stored again and again.
 */
#ifndef LAB_EXERCISE_REPEATED_H
#define LAB_EXERCISE_REPEATED_H

#include "measure/result.h"

enum { LAB_REPEATED_BYTES = 400 };

/** What a row stores more often than the solution's does, where both are one launch, with a
 * question that leads to the loop; "" where it does not. Lines are named where the row has them. */
void lab_repeated_write(const struct lab_row *row, const struct lab_row *solution,
                        char text[LAB_REPEATED_BYTES]);

#endif
