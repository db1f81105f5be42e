/**
 * @file concurrent.h
 * @brief Races between work of several streams: kernels and copies that use the same words, and
 * that nothing puts in order.
 *
 * Work that may still run beside later work is remembered, with the words that it uses. While only
 * one stream is in use, nothing is remembered.
 */
#ifndef SIM_RUNTIME_CONCURRENT_H
#define SIM_RUNTIME_CONCURRENT_H

#include "sim/check/global_footprint.h"
#include "sim/lab_sim.h"

#include <stdbool.h>

struct program;

/* The caller of these functions holds the API lock. */

/** Call this after sim_order_work(). @return what receives the work's footprint; NULL: no footprint
 * is wanted. */
struct sim_footprint *sim_concurrent_begin(int stream);

/**
 * @brief Compares the current work, now done, with all work that may run beside it. Remembers it.
 * @param what     a kernel or a call; copied
 * @param program  of a kernel, else NULL
 * @param outcome  receives a race
 * @return whether there is a race.
 */
bool sim_concurrent_end(const char *what, const struct program *program,
                        struct sim_outcome *outcome);

/** From now on, work is remembered even if only one stream is in use, because its kernels may
 * overlap. */
void sim_concurrent_want(void);

/** The previous kernel in the stream of the current work. It may still run when the work begins
 * (programmatic dependent launch). NULL: there is none, or the host has waited for it. Call this
 * only after sim_concurrent_begin() gave a footprint. Valid until the current work has ended. */
const struct sim_beside *sim_concurrent_earlier(void);

/** Forgets all work, because programs are about to be unloaded. */
void sim_concurrent_forget(void);

#endif
