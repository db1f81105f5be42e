/**
 * @file spent.h
 * @brief What a child and its descendants have spent: processor time, and time asleep.
 *
 * A limit counts both, so that it means the same on a machine that is busy: time in which a process
 * could run and got no processor is not spent.
 */
#ifndef LAB_BASE_SPENT_H
#define LAB_BASE_SPENT_H

#include <sys/types.h>

/** Set up by lab_spent_begin(). */
struct lab_spent {
    pid_t process;
    double computed, slept; /**< seconds */
    double last;            /**< look at the clock */
};

/** Begins with a child that has just been started. */
void lab_spent_begin(struct lab_spent *spent, pid_t process);

/** Looks again; to be called every second or more often. @return the larger of the two sums */
double lab_spent_look(struct lab_spent *spent);

#endif
