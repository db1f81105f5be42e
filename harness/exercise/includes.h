/**
 * @file includes.h
 * @brief What an exercise asks to be written is not included: the headers of common/ that earlier
 * steps have taught.
 */
#ifndef LAB_EXERCISE_INCLUDES_H
#define LAB_EXERCISE_INCLUDES_H

#include "exercise/goal_file.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * @brief Whether a kernel file includes a header that the exercise's line `without` names.
 * @param depends  the compiler's list of what it read for the file, as make takes it (-MF); where
 *                 there is none, nothing is refused
 * @param why      receives a line for people
 */
bool lab_exercise_includes(const struct lab_exercise *exercise, const char *depends, char *why,
                           size_t size);

#endif
