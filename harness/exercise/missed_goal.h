/**
 * @file missed_goal.h
 * @brief What makes a kernel miss a goal, found from its counters.
 */
#ifndef LAB_EXERCISE_MISSED_GOAL_H
#define LAB_EXERCISE_MISSED_GOAL_H

#include "measure/result.h"

/* --- the source line that causes most of a missed goal's counter -------------------------------*/

enum { LAB_COSTLY_LINE_BYTES = 320 };

/** Writes the line whose accesses make up most of a counter, what a warp's access costs there, and
 * how its lanes lie; "" if no line stands out, or if the counter belongs to no line. */
void lab_costly_line_write(const struct lab_row *row, const struct lab_row *solution,
                           const char *counter, char text[LAB_COSTLY_LINE_BYTES]);

/* Work that a right kernel does more than once: elements that are stored again and again. */

enum { LAB_REPEATED_BYTES = 400 };

/** Writes what a row stores more often than the solution does, if both are one launch, and asks a
 * question that leads to the loop; else "". Lines are named if the row has them. */
void lab_repeated_write(const struct lab_row *row, const struct lab_row *solution,
                        char text[LAB_REPEATED_BYTES]);

/* How many blocks run at once, relative to the solution: too few, or more than have work. */

enum { LAB_RESIDENTS_BYTES = 240 };

/** For a missed speed: too few blocks for the device, or a lower occupancy than the solution's, and
 * the cause; "" if the solution has no more. */
void lab_residents_write_few(const struct lab_row *row, const struct lab_row *solution,
                             const struct lab_device *device, char text[LAB_RESIDENTS_BYTES]);

/** Whether the blocks that a row has more than the solution may have no work: those of both are
 * alike, and no more is stored. */
bool lab_residents_may_idle(const struct lab_row *row, const struct lab_row *solution);

/** A launch with many times the blocks of the solution's launch, which a right kernel may have
 * without missing a goal; "" if there is none. */
void lab_residents_write_many(const struct lab_row *row, const struct lab_row *solution,
                              char text[LAB_RESIDENTS_BYTES]);

/** That a row executes more instructions than the solution, with both occupancies; "" if it does
 * not. */
void lab_residents_write_work(const struct lab_row *row, const struct lab_row *solution,
                              char text[LAB_RESIDENTS_BYTES]);

#endif
