/**
 * @file processes.h
 * @brief Work of the host: in a child that is waited for, or in equal shares on all cores.
 */
#ifndef LAB_BASE_PROCESSES_H
#define LAB_BASE_PROCESSES_H

#include <stdbool.h>

/* --- a child -----------------------------------------------------------------------------------*/

/** What to run, and what to do when it was interrupted. */
struct lab_supervised {
    int (*run)(const void *subject); /**< in a process of its own; an exit status */
    void (*was_interrupted)(
        const void *subject); /**< called when all its processes are gone; NULL: none */
    const void *subject;
    double seconds;                                          /**< that it may take; 0: no limit */
    void (*is_waiting)(const void *subject, double seconds); /**< called every second; NULL: none */
};

/** How the process ended. */
struct lab_supervised_end {
    int status;     /**< exit status, if neither of the other members is set */
    int signal;     /**< the signal that ended it; 0: none */
    bool timed_out; /**< it took longer than it may */
};

/** Runs the work to its end; returns its exit status. An interrupt from a terminal, or a signal to
 * end, ends all its processes and then this process by the same signal. */
int lab_supervise(const struct lab_supervised *what);

/** The same for work that may break or take too long: all its processes are then ended, too. False
 *  if no process could be started, after complaining. */
bool lab_supervise_to_end(const struct lab_supervised *what, struct lab_supervised_end *end);

/* --- shares ------------------------------------------------------------------------------------*/

/** Cores of this machine that this process may use, LAB_MOST_SHARES at most. */
int lab_shares_of_cores(void);

enum { LAB_MOST_SHARES = 64 };

/** Calls work(context, share, shares) for every share in parallel; returns after the last one. */
void lab_share_out(void (*work)(void *context, int share, int shares), void *context, int shares);

#endif
