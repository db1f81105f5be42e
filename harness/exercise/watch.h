/**
 * @file watch.h
 * @brief `run watch exerciseNN`: builds and runs it again each time it is saved.
 */
#ifndef LAB_EXERCISE_WATCH_H
#define LAB_EXERCISE_WATCH_H

/** Watches until it is interrupted; an exit status when it cannot. `argv[0]` is "watch". */
int lab_watch(int argc, char **argv);

#endif
