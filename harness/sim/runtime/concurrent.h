/**
 * @file concurrent.h
 * @brief Races between work of several streams: kernels and copies that nothing puts in order, and
 * that use the same words.
 *
 * Work that may still run beside later work is remembered, with the words that it uses. While only
 * one stream is in use, nothing is remembered.
 */
#ifndef SIM_RUNTIME_CONCURRENT_H
#define SIM_RUNTIME_CONCURRENT_H

#include "sim/check/global_early.h"
#include "sim/check/global_footprint.h"
#include "sim/lab_sim.h"

#include <stdbool.h>

struct program;

/* All under the API lock. */

/** To be called after sim_order_work(). @return what receives the work's footprint; NULL: it is not
 * wanted. */
struct sim_footprint *sim_concurrent_begin(int stream);

/**
 * @brief Compares work that has been done with all work that may run beside it, and remembers it.
 * @param what     a kernel or a call; copied
 * @param program  of a kernel, else NULL
 * @param outcome  receives a race
 * @return whether it races.
 */
bool sim_concurrent_end(const char *what, const struct program *program,
                        struct sim_outcome *outcome);

/** From now on, work is remembered even if only one stream is in use, because its kernels may
 * overlap. */
void sim_concurrent_want(void);

/** The previous kernel of the work's stream, which may still run when the work begins (programmatic
 * dependent launch); NULL: there is none, or the host has waited for it. Only after a
 * sim_concurrent_begin() that gave a footprint. Valid until the work has ended. */
const struct sim_beside *sim_concurrent_earlier(void);

/** Forgets all work, because programs are about to be unloaded. */
void sim_concurrent_forget(void);

#endif
