/**
 * @file grade.h
 * @brief `run grade NN FILE_OR_DIR...`: verdicts for submissions.
 */
#ifndef LAB_GRADE_H
#define LAB_GRADE_H

/** Grades; an exit status: 0 when all are right, 1 when some are not. `argv[0]` is "grade". */
int lab_grade(int argc, char **argv);

#endif
