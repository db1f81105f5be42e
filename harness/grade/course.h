/**
 * @file course.h
 * @brief `run course` and `run grade --course`: what concerns a term rather than an exercise is
 * done by harness/course, in Python, which has TOML, CSV, time zones and XML in its standard
 * library.
 */
#ifndef LAB_GRADE_COURSE_H
#define LAB_GRADE_COURSE_H

#include <stdbool.h>

/** Whether a command line is such a command. */
bool lab_course_is_meant(int argc, char **argv);

/** Becomes that program; an exit status, after complaining, where it cannot be started. */
int lab_course(int argc, char **argv);

#endif
