/**
 * @file concurrent.h
 * @brief Races between work of several streams: kernels and copies that nothing puts in order, and
 * that use the same words.
 *
 * Work that may still run beside what comes next is remembered, with what it uses. Where one stream
 * is in use, nothing is.
 */
#ifndef SIM_RUNTIME_CONCURRENT_H
#define SIM_RUNTIME_CONCURRENT_H

#include "sim/check/global_early.h"
#include "sim/check/global_footprint.h"
#include "sim/lab_sim.h"

#include <stdbool.h>

struct program;

/* All under the API lock. */

/** Behind sim_order_work(): @return what receives the work's footprint; NULL: it is not wanted. */
struct sim_footprint *sim_concurrent_begin(int stream);

/**
 * @brief The work has been done: it is compared with all that may run beside it, and remembered.
 * @param what     a kernel or a call; copied
 * @param program  of a kernel, else NULL
 * @param outcome  receives a race
 * @return whether it races.
 */
bool sim_concurrent_end(const char *what, const struct program *program,
                        struct sim_outcome *outcome);

/** From now on work is remembered where one stream is in use, too: kernels may overlap. */
void sim_concurrent_want(void);

/** Behind begin, where that gave a footprint: the kernel before the work in its stream, beside
 * which it may begin (programmatic dependent launch); NULL: there is none, or the host has waited
 * for it. Valid until the work has ended. */
const struct sim_beside *sim_concurrent_earlier(void);

/** Nothing is remembered any more: programs are about to go. */
void sim_concurrent_forget(void);

#endif
