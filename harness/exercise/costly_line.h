/**
 * @file costly_line.h
 * @brief The source line that causes most of a missed goal's counter.
 */
#ifndef LAB_EXERCISE_COSTLY_LINE_H
#define LAB_EXERCISE_COSTLY_LINE_H

#include "measure/result.h"

enum { LAB_COSTLY_LINE_BYTES = 320 };

/** Writes the line whose accesses make up most of a counter, what a warp's access costs there, and
 * how its lanes lie; "" if no line stands out, or if the counter belongs to no line. */
void lab_costly_line_write(const struct lab_row *row, const struct lab_row *solution,
                           const char *counter, char text[LAB_COSTLY_LINE_BYTES]);

#endif
