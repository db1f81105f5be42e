/**
 * @file costly_line.h
 * @brief The source line behind a goal that is missed: where most of what is counted comes from.
 */
#ifndef LAB_EXERCISE_COSTLY_LINE_H
#define LAB_EXERCISE_COSTLY_LINE_H

#include "measure/result.h"

enum { LAB_COSTLY_LINE_BYTES = 320 };

/** The line whose accesses make up most of a counter, with what a warp's access costs there and how
 * its lanes lie; "" where no line stands out, or where the counter belongs to none. */
void lab_costly_line_write(const struct lab_row *row, const struct lab_row *solution,
                           const char *counter, char text[LAB_COSTLY_LINE_BYTES]);

#endif
