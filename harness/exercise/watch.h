/**
 * @file watch.h
 * @brief `run watch exerciseNN`: builds and runs it again each time it is saved, and moves on to
 * the next one when it is asked to.
 */
#ifndef LAB_EXERCISE_WATCH_H
#define LAB_EXERCISE_WATCH_H

#include <argp.h>

/** Its options, up to an empty one. */
extern const struct argp_option lab_watch_options[];

/** Watches until it is interrupted, or key q ends it; an exit status. `argv[0]` is "watch". */
int lab_watch(int argc, char **argv);

#endif
