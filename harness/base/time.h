/**
 * @file time.h
 * @brief Time that passes, and limits of time for host code.
 */
#ifndef LAB_BASE_TIME_H
#define LAB_BASE_TIME_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* --- a clock -----------------------------------------------------------------------------------*/

/** Seconds since some moment, the same for as long as the machine runs. */
double lab_clock_seconds(void);

/* --- limits of host code -----------------------------------------------------------------------*/

/** The signal for a function that computes, and its limit in seconds of CPU time, which excludes
 *  launches. */
enum { LAB_HOST_SIGNAL = SIGVTALRM };

/** The signal for a function that sleeps, and its limit: only sleep ends by the clock. */
enum { LAB_WAIT_SIGNAL = SIGALRM, LAB_WAIT_SECONDS = 20 };

/** Called around such a function, by the thread that calls the function. */
void lab_host_limit_begin(void);
void lab_host_limit_end(void);

/** Whether such a function runs, or a kernel that it has launched. */
bool lab_host_limit_is_on(void);

/** Called around a launch: on the simulator, the kernel runs in the same thread. */
void lab_host_limit_pause(void);
void lab_host_limit_resume(void);

/** What a process did that one of these signals ended, from "does not come to its end" on; false
 *  for any other signal. */
bool lab_host_limit_explain(int number, char *text, size_t size);

#endif
