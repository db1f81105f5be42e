/**
 * @file host_limit.h
 * @brief Ends this program, by a signal of its own, if a launch or workspace function does not
 *        return.
 */
#ifndef LAB_BASE_HOST_LIMIT_H
#define LAB_BASE_HOST_LIMIT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/** The signal for a function that computes, and its limit in seconds, which excludes launches. */
enum { LAB_HOST_SIGNAL = SIGVTALRM, LAB_HOST_SECONDS = 8 };

/** The signal for a function that sleeps or waits. Wall time: long enough for a busy machine. */
enum { LAB_WAIT_SIGNAL = SIGALRM, LAB_WAIT_SECONDS = 60 };

/** Called around a launch or workspace function, by the thread that calls the function. */
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
