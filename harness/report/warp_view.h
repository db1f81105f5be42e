/**
 * @file warp_view.h
 * @brief What one warp does: the banks and sectors that its lanes access, and what it executes.
 */
#ifndef LAB_REPORT_WARP_VIEW_H
#define LAB_REPORT_WARP_VIEW_H

#include "measure/result.h"

#include <stdio.h>

/* --- banks and sectors -------------------------------------------------------------------------*/

/** Prints, for each row that has the source line, the line's first access to each array. */
void lab_bank_view_print(const struct lab_result *result, int line, FILE *stream);

/* --- a trace -----------------------------------------------------------------------------------*/

/** Prints, for each row, the lines that the watched warp executes, in their order, with the memory
 * that their accesses touch. Of a loop, it prints the first iterations and a count of the others.
 *  @param keys  Enter is awaited from it after each line, and q ends; NULL: nothing is awaited */
void lab_warp_trace_print(const struct lab_result *result, FILE *stream, FILE *keys);

#endif
