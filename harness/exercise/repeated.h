/**
 * @file repeated.h
 * @brief Work that a right kernel does more than once: elements that are stored again and again.
 */
#ifndef LAB_EXERCISE_REPEATED_H
#define LAB_EXERCISE_REPEATED_H

#include "measure/result.h"

enum { LAB_REPEATED_BYTES = 400 };

/** Writes what a row stores more often than the solution does, if both are one launch, and asks a
 * question that leads to the loop; else "". Lines are named if the row has them. */
void lab_repeated_write(const struct lab_row *row, const struct lab_row *solution,
                        char text[LAB_REPEATED_BYTES]);

#endif
