/**
 * @file warp_trace.h
 * @brief Prints what one warp executed, source line by source line.
 */
#ifndef LAB_REPORT_WARP_TRACE_H
#define LAB_REPORT_WARP_TRACE_H

#include "measure/result.h"

#include <stdio.h>

/** Prints, for each row, the lines that the watched warp executes, in their order, with the memory
 * that their accesses touch. Of a loop, it prints the first iterations and a count of the others.
 *  @param keys  Enter is awaited from it after each line, and q ends; NULL: nothing is awaited */
void lab_warp_trace_print(const struct lab_result *result, FILE *stream, FILE *keys);

#endif
