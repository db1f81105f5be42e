/**
 * @file list.h
 * @brief `run list`: the series, with parents and what has been passed on this machine; and what is
 * next.
 */
#ifndef LAB_SERIES_LIST_H
#define LAB_SERIES_LIST_H

#include "series/registry.h"

#include <stdbool.h>

/** Prints the series; returns an exit status. */
int lab_list(void);

/** Notes that every row of a step passed, for the next `run list`. Failing to write is no error. */
void lab_list_note_passed(const char *target, bool is_sim);

/** The first exercise behind this one that was not passed yet, or else the first of all; NULL when
 *  no other is left. Behind NULL is behind the one passed last; where none was, that of step 01. */
const struct lab_registry_entry *lab_list_next(const struct lab_registry_entry *behind);

/** Says that an exercise is passed, how many are, and which is next. */
void lab_list_say_passed(const struct lab_registry_entry *passed);

/** `run` alone: where one stands, and what is next; an exit status. */
int lab_list_standing(void);

#endif
