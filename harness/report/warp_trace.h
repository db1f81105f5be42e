/**
 * @file warp_trace.h
 * @brief What one warp executed, source line by source line, as text.
 */
#ifndef LAB_REPORT_WARP_TRACE_H
#define LAB_REPORT_WARP_TRACE_H

#include "measure/result.h"

#include <stdio.h>

/** Prints the lines that the watched warp executes, in its order, with what their accesses touch,
 * of each row. Of a loop the first turns are printed, and a count of the others.
 *  @param keys  after each line Enter is awaited from it, and q ends; NULL: nothing is */
void lab_warp_trace_print(const struct lab_result *result, FILE *stream, FILE *keys);

#endif
