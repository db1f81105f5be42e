/**
 * @file course.h
 * @brief `run course` and `run grade --course`: what concerns a term rather than an exercise is
 * done by harness/course, in Python, which has TOML, CSV, time zones and XML in its standard
 * library. So is handing a run over to a cluster.
 */
#ifndef LAB_GRADE_COURSE_H
#define LAB_GRADE_COURSE_H

#include <stdbool.h>

/** Whether a command line is such a command. */
bool lab_course_is_meant(int argc, char **argv);

/** Becomes that program; an exit status, after complaining, where it cannot be started. */
int lab_course(int argc, char **argv);

/** A run that a cluster is to do. */
struct lab_course_slurm {
    const char *state; /**< the folder of kept outcomes */
    int shards, submissions;
    const char *sbatch; /**< its options; NULL: none */
    char **words;       /**< the command line from "grade" on, ends in NULL */
};

/** Becomes the program that hands it over to Slurm, in the same way. */
int lab_course_slurm(const struct lab_course_slurm *run);

#endif
