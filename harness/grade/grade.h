/**
 * @file grade.h
 * @brief `run grade NN FILE_OR_DIR...`: judges submissions.
 */
#ifndef LAB_GRADE_H
#define LAB_GRADE_H

#include <argp.h>

/** The options of `run grade`, up to an empty one. */
extern const struct argp_option lab_grade_options[];

/** Grades; an exit status: 0 if all are right, 1 if some are not. `argv[0]` is "grade". */
int lab_grade(int argc, char **argv);

#endif
