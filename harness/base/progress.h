/**
 * @file progress.h
 * @brief Shows on a terminal what is being done, how far it is, if that is known, and how long it
 * has taken.
 */
#ifndef LAB_BASE_PROGRESS_H
#define LAB_BASE_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/** The part of long work that is done, from 0 to 1. The worker writes it, and a line reads it. */
typedef _Atomic double lab_share;

/** A line on standard error, if that is a terminal. There is one line at a time. */
struct lab_progress_line {
    bool is_shown, is_followed, is_sim;
    const lab_share *done; /**< NULL: not known */
    char text[160];
    pthread_t thread; /**< shows the line again and again */
    pthread_mutex_t lock;
    pthread_cond_t ending;
    bool ends; /**< under the lock */
};

/** Shows a text. After one second it also shows the time, and during a launch on the simulator how
 *  much of the launch is done and about how long the rest takes. `line` must not move. */
void lab_progress_begin(struct lab_progress_line *line, bool is_sim, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The same for work on the host, of which `done` is the part that is done. */
void lab_progress_begin_share(struct lab_progress_line *line, const lab_share *done,
                              const char *text);

/** Removes the line. */
void lab_progress_end(struct lab_progress_line *line);

#endif
