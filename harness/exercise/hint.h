/**
 * @file hint.h
 * @brief `run hint exerciseNN`: the next hint at each call.
 */
#ifndef LAB_EXERCISE_HINT_H
#define LAB_EXERCISE_HINT_H

#include <argp.h>

/** The options of `run hint`, up to an empty one. */
extern const struct argp_option lab_hint_options[];

/** Prints the next hint, or all from the first on with --all; --again forgets which were given.
 *  Returns an exit status. `argv[0]` is "hint". */
int lab_hint(int argc, char **argv);

#endif
