/**
 * @file progress.h
 * @brief What is being done, on a terminal, and that it goes on: how much of it is done, where that
 * is known, and how long it has taken.
 */
#ifndef LAB_BASE_PROGRESS_H
#define LAB_BASE_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/** A part of something long, from 0 to 1, which who does it writes and who shows it reads. */
typedef _Atomic double lab_share;

/** A line on standard error, where that is a terminal; one at a time. */
struct lab_progress_line {
    bool is_shown, is_followed, is_sim;
    const lab_share *done; /**< NULL: not known */
    char text[160];
    pthread_t thread; /**< shows it again */
    pthread_mutex_t lock;
    pthread_cond_t ending;
    bool ends; /**< under the lock */
};

/** Shows a text; from one second on also for how long, and while the simulator runs a launch how
 *  much of it is done and about how long the rest takes. `line` must stay where it is. */
void lab_progress_begin(struct lab_progress_line *line, bool is_sim, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The same of host work of which `done` says how far it is. */
void lab_progress_begin_share(struct lab_progress_line *line, const lab_share *done,
                              const char *text);

/** Takes the line away. */
void lab_progress_end(struct lab_progress_line *line);

#endif
