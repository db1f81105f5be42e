/**
 * @file supervision.h
 * @brief Work in a child that may be interrupted, break, or never end: nothing of it goes on.
 */
#ifndef LAB_BASE_SUPERVISION_H
#define LAB_BASE_SUPERVISION_H

#include <stdbool.h>

/** What is run, and what is done when it was interrupted. */
struct lab_supervised {
    int (*run)(const void *subject); /**< in a process of its own; an exit status */
    void (*was_interrupted)(
        const void *subject); /**< when all its processes are gone; NULL: none */
    const void *subject;
    double seconds;                                          /**< that it may take; 0: any number */
    void (*is_waiting)(const void *subject, double seconds); /**< every second; NULL: none */
};

/** How its process ended. */
struct lab_supervised_end {
    int status;     /**< exit status, where neither of the others is set */
    int signal;     /**< that ended it; 0: none */
    bool timed_out; /**< it took longer than it may */
};

/** Runs it to its end; its exit status. An interrupt from a terminal, or a signal to end, ends all
 * its processes and then this one by the same signal. */
int lab_supervise(const struct lab_supervised *what);

/** The same, where it may break or take too long: then all its processes are ended, too. false
 *  when no process could be started, after complaining. */
bool lab_supervise_to_end(const struct lab_supervised *what, struct lab_supervised_end *end);

#endif
