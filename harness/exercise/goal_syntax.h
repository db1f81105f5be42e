/**
 * @file goal_syntax.h
 * @brief Whether all lines of a goal.txt are command lines.
 */
#ifndef LAB_EXERCISE_GOAL_SYNTAX_H
#define LAB_EXERCISE_GOAL_SYNTAX_H

#include "exercise/goal_file.h"

/**
 * @brief Reads "FIRST..LAST", which stands for a whole number from one to the other.
 * @return false when the word is none; what looks like one and is not has `*last` below `*first`
 */
bool lab_number_range(const char *word, long *first, long *last);

/**
 * @brief Looks at all lines of an exercise: options that `run` takes, at both ends of each range.
 * @return LAB_EXIT_OK, or LAB_EXIT_USAGE after naming the line
 */
int lab_exercise_check(const struct lab_registry_entry *entry, const struct lab_exercise *exercise);

#endif
