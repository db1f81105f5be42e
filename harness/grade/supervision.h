/**
 * @file supervision.h
 * @brief A long run that may be interrupted: nothing of it goes on, and somebody says what to do.
 */
#ifndef LAB_GRADE_SUPERVISION_H
#define LAB_GRADE_SUPERVISION_H

/** What is run, and what is done when it was interrupted. */
struct lab_supervised {
    int (*run)(const void *subject);              /**< in a process of its own; an exit status */
    void (*was_interrupted)(const void *subject); /**< when all its processes are gone */
    const void *subject;
};

/** Runs it to its end; its exit status. An interrupt from a terminal, or a signal to end, ends all
 * its processes and then this one by the same signal. */
int lab_supervise(const struct lab_supervised *what);

#endif
