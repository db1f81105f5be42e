/**
 * @file grid_barrier.h
 * @brief The barrier of a cooperative launch, as cooperative_groups.h makes it: each block adds to
 * a counter in global memory, whose highest bit changes with the last one, and reads it until then.
 *
 * Blocks that read in vain sleep instead, so that what is counted does not depend on the order of
 * threads, and it is known when all of them would sleep for ever.
 */
#ifndef SIM_MACHINE_GRID_BARRIER_H
#define SIM_MACHINE_GRID_BARRIER_H

#include "warp.h"

/** The barrier of a cooperative launch, whose memory is at `host`. False when there is no memory.
 */
bool sim_grid_barrier_begin(struct launch *launch, const void *host);

void sim_grid_barrier_end(struct launch *launch);

/** Whether the counter of the launch's barrier is at a device address. */
bool sim_grid_is_counter(const struct launch *launch, uint64_t address);

/** Before a read that acquires: the warp's turn ends here where it reads the barrier's counter and
 *  not all blocks have arrived. */
exec_handler sim_run_grid_wait;

/** Sleeps until all blocks have arrived, or one has failed; a fault when that cannot be. For a
 * block of which a warp's turn ended there, and no other warp can run; `workers` have been started.
 */
void sim_grid_sleep(struct worker *worker, unsigned workers);

/** Workers that sleep at the barrier since it has opened last. */
unsigned sim_grid_asleep(const struct launch *launch);

/** Whether blocks that sleep would do so for ever: one has failed, or ended without the barrier. */
bool sim_grid_is_hopeless(const struct launch *launch);

/** The worker's block has come to its end. */
void sim_grid_block_ends(struct worker *worker);

/** The worker takes no more blocks. */
void sim_grid_worker_ends(struct worker *worker);

#endif
