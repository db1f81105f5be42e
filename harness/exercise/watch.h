/**
 * @file watch.h
 * @brief `run watch exerciseNN`: builds and runs an exercise each time it is saved, and goes on to
 * the next exercise when asked to.
 */
#ifndef LAB_EXERCISE_WATCH_H
#define LAB_EXERCISE_WATCH_H

#include <argp.h>

/** The options of `run watch`, up to an empty one. */
extern const struct argp_option lab_watch_options[];

/** Watches until an interrupt or key q; an exit status. `argv[0]` is "watch". */
int lab_watch(int argc, char **argv);

#endif
