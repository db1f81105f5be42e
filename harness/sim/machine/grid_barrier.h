/**
 * @file grid_barrier.h
 * @brief The barrier of a cooperative launch, as cooperative_groups.h makes it: each block adds to
 * a counter in global memory, then reads it until its highest bit changes with the last addition.
 *
 * Here blocks sleep instead of reading again and again. So the counts do not depend on the order of
 * threads, and the simulator knows when all blocks would sleep for ever.
 */
#ifndef SIM_MACHINE_GRID_BARRIER_H
#define SIM_MACHINE_GRID_BARRIER_H

#include "warp.h"

/** Makes the barrier of a cooperative launch, with its workspace at `host`. False: out of memory.
 */
bool sim_grid_barrier_begin(struct launch *launch, const void *host);

void sim_grid_barrier_end(struct launch *launch);

/** Whether the counter of the launch's barrier is at a device address. */
bool sim_grid_is_counter(const struct launch *launch, uint64_t address);

/** Runs before a read that acquires. If the read is of the barrier's counter and not all blocks
 *  have arrived, the warp's turn ends here. */
exec_handler sim_run_grid_wait;

/** Sleeps until all blocks have arrived or one has failed; a fault when neither can happen. For a
 * block with a warp whose turn ended at the barrier, and no other warp that can run. `workers`: how
 * many have been started. */
void sim_grid_sleep(struct worker *worker, unsigned workers);

/** Workers that have gone to sleep at the barrier since it last opened. */
unsigned sim_grid_asleep(const struct launch *launch);

/** Whether the sleeping blocks would sleep for ever, as all workers that have not left sleep. */
bool sim_grid_is_hopeless(const struct launch *launch);

/** The worker's block has come to its end. */
void sim_grid_block_ends(struct worker *worker);

/** The worker takes no more blocks. */
void sim_grid_worker_ends(struct worker *worker);

#endif
