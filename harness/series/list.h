/**
 * @file list.h
 * @brief `run list`: the series, with parents and what has been passed on this machine.
 */
#ifndef LAB_SERIES_LIST_H
#define LAB_SERIES_LIST_H

#include <stdbool.h>

/** Prints the series; returns an exit status. */
int lab_list(void);

/** Notes that every row of a step passed, for the next `run list`. Failing to write is no error. */
void lab_list_note_passed(const char *target, bool is_sim);

#endif
