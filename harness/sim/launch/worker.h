/**
 * @file worker.h
 * @brief A host thread's own memory for the blocks it runs, and which of these threads run or wait.
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

/** One more thread will run blocks, or one thread ends. */
void sim_worker_comes(struct launch *launch);
void sim_worker_goes(struct launch *launch);

/** Notes whether a worker's block does nothing but wait for other blocks. */
void sim_worker_waits(struct worker *worker, bool waits);

/** Whether all blocks that run only wait. */
bool sim_all_wait(struct launch *launch);

/** In launch->quiet: changes above, workers that have seen enough since below (standstill.c). */
enum { CHANGE_SHIFT = 32 };

/** Notes that a block has gone on, so that no worker has seen enough any more. */
void sim_note_change(struct launch *launch);

/** Runs a block to its end; faults leave through worker->stop. */
void sim_run_block(struct worker *worker);

#endif
