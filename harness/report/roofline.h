/**
 * @file roofline.h
 * @brief Prints how near the rows of a run come to what the device allows.
 */
#ifndef LAB_REPORT_ROOFLINE_H
#define LAB_REPORT_ROOFLINE_H

#include "measure/result.h"

#include <stdio.h>

/** Prints the roof of the problem, and a bar for each row. If rows have no times, or if the
 *  operations of the problem or the peaks of the device are unknown, it says so instead. */
void lab_roofline_print(const struct lab_result *result, FILE *stream);

#endif
