/**
 * @file goal_syntax.h
 * @brief Checks that all lines of a goal.txt are command lines.
 */
#ifndef LAB_EXERCISE_GOAL_SYNTAX_H
#define LAB_EXERCISE_GOAL_SYNTAX_H

#include "exercise/goal_file.h"

/**
 * @brief Checks all lines of an exercise: their options, at both ends of each range and list.
 * @return LAB_EXIT_OK, or LAB_EXIT_USAGE after naming the line
 */
int lab_exercise_check(const struct lab_registry_entry *entry, const struct lab_exercise *exercise);

#endif
