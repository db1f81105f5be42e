/**
 * @file bank_view.h
 * @brief Prints how the lanes of one warp access the banks of shared memory, or the sectors of
 * global memory.
 */
#ifndef LAB_REPORT_BANK_VIEW_H
#define LAB_REPORT_BANK_VIEW_H

#include "measure/result.h"

#include <stdio.h>

/** Prints, for each row that has the source line, the line's first access to each array. */
void lab_bank_view_print(const struct lab_result *result, int line, FILE *stream);

#endif
