/**
 * @file worker.h
 * @brief A host thread's own memory for the blocks it runs.
 */
#ifndef SIM_LAUNCH_WORKER_H
#define SIM_LAUNCH_WORKER_H

#include "sim/machine/warp.h"

/** A worker for a launch: memory for the warps of a block, registers with constants.
 *  @return NULL when there is no memory; the caller returns it with sim_worker_done(). */
struct worker *sim_worker_create(struct launch *launch, unsigned index);

/** Keeps the worker for the kernel's next launch, or frees it. */
void sim_worker_done(struct worker *worker);

/** NULL is allowed. */
void sim_worker_free(struct worker *worker);

/** Runs a block to its end; faults leave through worker->stop. */
void sim_run_block(struct worker *worker);

#endif
