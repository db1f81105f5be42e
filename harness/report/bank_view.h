/**
 * @file bank_view.h
 * @brief How the lanes of one warp meet the banks of shared memory, or the sectors of global
 * memory, as text.
 */
#ifndef LAB_REPORT_BANK_VIEW_H
#define LAB_REPORT_BANK_VIEW_H

#include "measure/result.h"

#include <stdio.h>

/** Prints the first access of a source line to each array, of each row that has the line. */
void lab_bank_view_print(const struct lab_result *result, int line, FILE *stream);

#endif
