/**
 * @file worker.h
 * @brief A host thread's own memory for the blocks it runs, and which of these threads run or
 * wait.
 */
#ifndef SIM_LAUNCH_WORKER_H
#define SIM_LAUNCH_WORKER_H

#include "sim/machine/warp.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

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

/** In launch->quiet: changes above, workers that have seen enough since below (budget.c). */
enum { CHANGE_SHIFT = 32 };

/** Notes that a block has gone on, so that no worker has seen enough any more. */
void sim_note_change(struct launch *launch);

/** Runs a block, or the blocks of a cluster, to the end; faults leave through worker->stop. */
void sim_run_cluster(struct worker *leader);

/* The host threads of a launch: the calling thread, and helpers if the launch takes longer than
 * starting them. */

/** As many blocks as an H200 runs at the same time, so that a cooperative launch has a thread for
 *  each. */
enum { MAX_WORKERS = 132 * 32 };

/** What a thread of the launch does with its worker: runs blocks until there are no more. */
typedef void crew_work(struct worker *worker);

/** The threads and their workers. */
struct crew {
    struct launch *launch;
    crew_work *work;
    unsigned wanted; /**< threads, the calling one included */
    bool is_helped;
    pthread_mutex_t starting; /**< held while `started` changes */
    unsigned started;
    pthread_t threads[MAX_WORKERS];
    /** A thread and its worker. */
    struct member {
        struct crew *crew;
        struct worker *worker; /**< NULL: there was no memory */
    } members[MAX_WORKERS];
};

/** Does the work of a launch on the calling thread and on helpers, and waits for all of them. False
 *  when there is no memory; otherwise the caller calls sim_crew_end() later. */
bool sim_crew_run(struct crew *crew, struct launch *launch, crew_work *work);

/** Keeps the workers for the kernel's next launch. */
void sim_crew_end(struct crew *crew);

/** After a block of the calling thread: gets help if the launch has done much work. */
void sim_call_helpers(struct launch *launch);

/** How many threads there are. */
unsigned sim_crew_size(struct launch *launch);

/** For a worker whose block has drawn a number in the last round: waits until another block has
 * drawn one, too. */
void sim_share_draws(struct worker *worker);

/** For a launch whose blocks all seem to wait for blocks that have not started: starts more
 *  threads, so that more blocks run at the same time. False: no thread was started. */
bool sim_add_workers(struct launch *launch);

/* --- how long a block and a launch may run -----------------------------------------------------*/

/** Sets how many basic blocks the warps of a thread block, and those of a launch, may execute
 * before they count as endless; 0: no limit. The default is none for a launch, and for a block
 *  LAB_SIM_BUDGET in millions, or 256 million. The variable overrides what is set for a block. */
void sim_budget_set(uint64_t block, uint64_t launch);

/** Counts the basic blocks of a warp's turn; faults when the block or the launch has used up its
 *  budget. */
void sim_count_turn(struct warp *warp, unsigned basic_blocks);

/** After a round in which a block only waited; faults when nothing can change any more. */
void sim_check_waiting(struct worker *worker);

/* ---- Whether anything can still change while all blocks that run wait ---- */

/** After a round of only polls: whether all warps have come back to the same registers for some
 *  rounds. `begins`: this is the first round of only polls. */
bool sim_only_looks(struct worker *worker, bool begins);

#endif
