/**
 * @file worst_lines.h
 * @brief Which lines of a kernel cost most, and why, in a sentence each.
 */
#ifndef LAB_WORST_LINES_H
#define LAB_WORST_LINES_H

#include "measure/counters/counting.h"

enum { LAB_WORST_LINES = 5, LAB_WORST_BYTES = 384 };

/** A line that stands out. */
struct lab_worst_line {
    int index; /**< in the list of lines */
    char reason[LAB_WORST_BYTES];
};

/** Warp instructions of all lines together. */
double lab_lines_instructions(const struct lab_lines *lines);

/** Fills `worst` with up to LAB_WORST_LINES lines: uncoalesced accesses, bank conflicts, and the
 *  line with the most instructions; returns how many. */
int lab_worst_lines(const struct lab_lines *lines, struct lab_worst_line worst[LAB_WORST_LINES]);

#endif
