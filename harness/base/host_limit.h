/**
 * @file host_limit.h
 * @brief A launch or workspace function that does not come to its end ends this program, by a
 *        signal of its own.
 */
#ifndef LAB_BASE_HOST_LIMIT_H
#define LAB_BASE_HOST_LIMIT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/** What ends it, and after how many seconds of its own computing: launches do not count. */
enum { LAB_HOST_SIGNAL = SIGVTALRM, LAB_HOST_SECONDS = 8 };

/** The same where it sleeps or waits: by the clock, so that a busy machine has time enough. */
enum { LAB_WAIT_SIGNAL = SIGALRM, LAB_WAIT_SECONDS = 60 };

/** Around such a function, of the thread that calls it. */
void lab_host_limit_begin(void);
void lab_host_limit_end(void);

/** Around what it launches, which on the simulator runs in the same thread. */
void lab_host_limit_pause(void);
void lab_host_limit_resume(void);

/** What a process did that one of these ended, from "does not come to its end" on; false for any
 *  other signal. */
bool lab_host_limit_explain(int number, char *text, size_t size);

#endif
