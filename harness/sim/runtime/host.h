/**
 * @file host.h
 * @brief What the host does beside the device while a launch function runs: host functions that are
 * enqueued on streams, and accesses to memory that kernels use in place (pinned, managed).
 *
 * The simulator does work when it is enqueued; a GPU may do it later. So a host function is called
 * as late as is allowed, and memory that a kernel has used must not change until the host has
 * waited.
 */
#ifndef SIM_RUNTIME_HOST_H
#define SIM_RUNTIME_HOST_H

#include <stdbool.h>

/* The caller of these functions holds the API lock. */

/** A launch function begins; it ends with sim_host_end(). */
void sim_host_begin(void);
/** @return a sentence on how the launch function changes, or reads too early, memory that a kernel
 *  uses; NULL: it does not. Valid until the next begin. */
const char *sim_host_end(void);

/** Keeps a host function for later; false: no launch function runs, or too many are kept. */
bool sim_host_keep(void (*function)(void *), void *argument);

/** Call this before work of any stream is done. */
void sim_host_before_work(void);
/** Call this after a copy, a fill or a kernel; `kernel` is the kernel's name, else NULL. */
void sim_host_after_work(const char *kernel);
/** Call this when the host has waited for work. */
void sim_host_waits(void);

#endif
