/**
 * @file host_limit.h
 * @brief Ends this program, by a signal of its own, if a launch function, a workspace function or a
 *        constructor of a kernel file does not return.
 */
#ifndef LAB_BASE_HOST_LIMIT_H
#define LAB_BASE_HOST_LIMIT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

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
