/**
 * @file grade.h
 * @brief `run grade NN FILE_OR_DIR...`: judges submissions.
 */
#ifndef LAB_GRADE_H
#define LAB_GRADE_H

#include <argp.h>
#include <stdbool.h>

/** The options of `run grade`, up to an empty one. */
extern const struct argp_option lab_grade_options[];

/** Grades; an exit status: 0 if all are right, 1 if some are not. `argv[0]` is "grade". */
int lab_grade(int argc, char **argv);

/* --- run course, and run grade --course --------------------------------------------------------*/

/* `run course` and `run grade --course`: what concerns a term rather than an exercise is
 * done by harness/course, in Python, which has TOML, CSV, time zones and XML in its standard
 * library. So is handing a run over to a cluster. */

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
