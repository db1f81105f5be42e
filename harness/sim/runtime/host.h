/**
 * @file host.h
 * @brief What the host does beside the device, while a launch function runs: functions that a
 * stream comes to, and memory that kernels use in place (pinned, managed).
 *
 * The simulator does work when it is enqueued; a GPU may do it later. So a host function is called
 * as late as is allowed, and memory that a kernel has used must not change until the host has
 * waited.
 */
#ifndef SIM_RUNTIME_HOST_H
#define SIM_RUNTIME_HOST_H

#include <stdbool.h>

/* All under the API lock. */

/** A launch function begins; it ends with sim_host_end(). */
void sim_host_begin(void);
/** @return how it changes memory that a kernel uses, as a sentence; NULL: it does not. Valid until
 *  the next begin. */
const char *sim_host_end(void);

/** Keeps a function for later. False: no launch function runs, or there are too many. */
bool sim_host_keep(void (*function)(void *), void *argument);

/** Before work of any stream is done. */
void sim_host_before_work(void);
/** After a copy, a fill or a kernel; `kernel` is the kernel's name, else NULL. */
void sim_host_after_work(const char *kernel);
/** The host has waited. */
void sim_host_waits(void);

#endif
