/**
 * @file roofline.h
 * @brief How near the rows of a run come to what the device allows, as text.
 */
#ifndef LAB_REPORT_ROOFLINE_H
#define LAB_REPORT_ROOFLINE_H

#include "measure/result.h"

#include <stdio.h>

/** Prints the roof over the problem, and a bar for each row below it. Of rows without times, of
 *  problems that count no operations, and of devices whose peaks are not known it says so. */
void lab_roofline_print(const struct lab_result *result, FILE *stream);

#endif
