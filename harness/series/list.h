/**
 * @file list.h
 * @brief `run list`: the series, with what each step builds on and what has been passed on this
 * machine; and what is next.
 */
#ifndef LAB_SERIES_LIST_H
#define LAB_SERIES_LIST_H

#include "series/registry.h"

#include <stdbool.h>

/** Prints the series without its stages, or targets, steps with theirs; returns an exit status. */
int lab_list(const char *const targets[], int target_count);

/** Notes that every row of a step passed, for the next `run list`. Failing to write is no error. */
void lab_list_note_passed(const char *target, bool is_sim);

/** The first exercise after `behind` that was not passed yet, starting over at the end; NULL: no
 *  other is left. For NULL, starts after the exercise passed last, or else at that of step 01. */
const struct lab_registry_entry *lab_list_next(const struct lab_registry_entry *behind);

/** Says that an exercise is passed, how many are, and which is next. */
void lab_list_say_passed(const struct lab_registry_entry *passed);

/** `run` alone: where a learner is, and what is next; an exit status. */
int lab_list_standing(void);

#endif
