/**
 * @file progress.h
 * @brief What is being run, on a terminal; on the simulator also how far a launch is.
 */
#ifndef LAB_RUN_PROGRESS_H
#define LAB_RUN_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

/** A line on standard error, where that is a terminal; one at a time. */
struct lab_progress {
    bool is_shown, is_followed;
    char text[160];
    pthread_t thread; /**< follows the simulator */
    pthread_mutex_t lock;
    pthread_cond_t ending;
    bool ends; /**< under the lock */
};

/** Shows a text and, while the simulator runs launches, how much of one is done and about how long
 *  the rest takes. `progress` must stay where it is. */
void lab_progress_begin(struct lab_progress *progress, bool is_sim, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Takes the line away. */
void lab_progress_end(struct lab_progress *progress);

#endif
