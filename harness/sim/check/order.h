/**
 * @file order.h
 * @brief Which accesses are ordered: of the lanes of a warp, of the warps of a block, of blocks;
 * and sums whose bits depend on an order. order_*.c define it.
 */
#ifndef SIM_CHECK_ORDER_H
#define SIM_CHECK_ORDER_H

#include "tags.h"

#include "sim/machine/warp.h"
#include "sim/memory/places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which accesses of the lanes of one warp are ordered. Only __syncwarp(), a shuffle or a vote
 * orders them, since lanes need not run in step.
 *
 * Each warp counts turns; a turn ends where lanes meet. The tag of an access has its turn. The
 * access comes before an access of another lane if the two lanes have met since, directly or
 * through other lanes. */

/** Before a block starts. */
void sim_lane_order_start(struct lane_order *order);

/** Lanes of a warp have met at a barrier of their own, or exchanged values. */
void sim_checks_meet(struct warp *warp, uint32_t lanes);

/** Whether what lane `other` did in a turn comes before what lane `lane` does now. */
static inline bool sim_lanes_are_ordered(const struct lane_order *order, uint32_t turn,
                                         unsigned other, unsigned lane)
{
    if (other == lane || turn < order->full)
        return true;
    return order->is_partial && turn < order->known[lane][other];
}

/* Which accesses of the warps of a block are ordered by barriers at which not all warps wait:
 * bar.arrive, which does not wait, and barriers that name a number of threads.
 *
 * The tags of tags.h count stretches of the whole block, which is all that __syncthreads() needs.
 * Kernels with other barriers are checked by clocks, too: each warp knows up to which time the
 * accesses of each other warp are ordered before its own, and each word has the times at which
 * warps used it. Only such kernels have clocks: step 05 would take five times as long with them. */

/** The engine of bulk copies has clocks like a warp, so that a wait tells of some copies alone:
 * those of a barrier share one (barriers share eight), and so do those of groups; what these write
 * in global memory has a clock of its own, for which a wait with .read does not wait. The wgmma of
 * each warpgroup have one. The blocks of a cluster have theirs one after another, by rank. */
enum {
    CLOCK_COPIES = MAX_BLOCK_WARPS,
    COPY_CLOCKS = 8,
    CLOCK_GROUPS = CLOCK_COPIES + COPY_CLOCKS,
    CLOCK_WRITTEN,
    CLOCK_PRODUCTS,
    BLOCK_CLOCKS = CLOCK_PRODUCTS + MAX_BLOCK_WARPS / GROUP_WARPS,
    MOST_CLOCKS = BLOCK_CLOCKS * MAX_CLUSTER_BLOCKS
};

/** Makes clocks for blocks with shared memory of that size, in units of 1 << shift bytes; NULL:
 *  memory has run out. */
struct warp_clocks *sim_clocks_create(size_t shared_bytes, unsigned shift, unsigned blocks);
void sim_clocks_free(struct warp_clocks *clocks);

/** Before a block, or the blocks of a cluster, start. */
void sim_clocks_start(struct warp_clocks *clocks);
/** A warp has come to a barrier, whether or not it waits. Faults if other warps have met there
 *  before, and nothing makes this warp come after them. */
void sim_clocks_arrive(struct warp *warp, const struct instruction *at, unsigned barrier);
/** The barrier lets the `waiting` warps go; `takes_all` if all warps of the block meet at it. */
void sim_clocks_open(struct block *block, unsigned barrier, uint32_t waiting, bool takes_all);
/** A warp arrives at a barrier in shared memory: adds what comes before that to `brought`,
 * MOST_CLOCKS times. After it has waited there, it knows what those knew that arrived: `brought` of
 * the phase. */
void sim_clocks_release(struct warp *warp, uint32_t *brought);
void sim_clocks_learn(struct warp *warp, const uint32_t *brought);
/** Between these two the accesses are the copy engine's, and come after all that the warp has done.
 * A warp comes after them when it learns what `brought` gets; or, where that is NULL, when it waits
 * for the group of copies that it commits next: for all but the latest `latest` groups.
 * `reads_all`: it reads what ordinary stores have written without a fence for the engine.
 * `barrier`: the address of its barrier; 0: none. `reads_only`: the wait is for what the copies
 * read. */
void sim_clocks_begin_copy(struct warp *warp, bool reads_all, uint64_t barrier);
void sim_clocks_end_copy(struct warp *warp, uint32_t *brought);
void sim_clocks_commit_copies(struct warp *warp);
void sim_clocks_wait_copies(struct warp *warp, unsigned latest, bool reads_only);
/** Likewise for a wgmma of a warp and the other three of its warpgroup, and for its groups. */
void sim_clocks_begin_products(struct warp *warp);
void sim_clocks_end_products(struct warp *warp);
void sim_clocks_commit_products(struct warp *warp);
void sim_clocks_wait_products(struct warp *warp, unsigned latest);
/** fence.proxy.async: what the warp has written in shared, in global memory may be read by the copy
 * engine and wgmma. */
void sim_clocks_proxy_fence(struct warp *warp, bool is_shared, bool is_global);
/** A fence or an acquire after a look: what the flags that the warp has read tell is before what
 *  follows. Where it has read others than those below, `is_followed` is false, and all accesses
 *  before it count as ordered. */
void sim_clocks_acquire(struct warp *warp, bool is_followed);
/** A fence: a flag that the warp sets next tells of all that is before it. */
void sim_clocks_fence(struct warp *warp);
/** A fence after a look at global memory: what is before it there counts as ordered. */
void sim_clocks_order_global(struct warp_clocks *clocks);
/** The time of what a warp does now; whether that of a warp of its block at a time is before it. */
uint32_t sim_clocks_time(const struct warp *warp);
bool sim_clocks_is_after(const struct warp *warp, unsigned other, uint32_t time);
/** A volatile, relaxed or atomic read of a word of the block's shared memory. */
void sim_clocks_look(struct warp *warp, const char *storage);
/** After such a write. A value that was there before tells no more than when it was first set. */
void sim_clocks_set(struct warp *warp, const struct instruction *at, const char *storage,
                    unsigned bytes, bool is_atomic);

/** A warp comes to barrier.cluster, where it adds what comes before that, or, where `is_relaxed`,
 * what came before its last fence; the barrier opens; the warp goes on. */
void sim_clocks_cluster_arrive(struct warp *warp, bool is_relaxed);
/** A fence, also that for mbarrier.init, after which a relaxed arrival releases. */
void sim_clocks_cluster_fence(struct warp *warp);
void sim_clocks_cluster_open(struct cluster *cluster);
void sim_clocks_cluster_wait(struct warp *warp);
/** The last warp of a block has ended: faults if a copy, or another block of the cluster, may
 * access its shared memory afterwards. */
void sim_clocks_block_ends(struct worker *worker);
/** A lane accesses the shared memory of another block of the cluster in any way, or a copy that of
 *  its own block. */
void sim_clocks_touch(struct warp *warp, const struct instruction *at, int lane,
                      const struct worker *owner);

/** A plain read of the active lanes, in shared memory or in global memory that has tags; faults
 *  with SIM_RACE. */
void sim_clocks_load(struct warp *warp, const struct instruction *at, const struct places *places,
                     unsigned bytes);
/** Before an atomic access of a lane to shared memory. */
void sim_clocks_atomic(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, unsigned bytes);
/** Before a plain write of the active lanes. */
void sim_clocks_store(struct warp *warp, const struct instruction *at, const struct places *places,
                      unsigned bytes);
/** After a write of one lane or all active lanes: faults if it has changed a word that other warps
 * use, unordered. */
void sim_clocks_stored(struct warp *warp, const struct instruction *at);

/** griddepcontrol.wait: what the warp does from now on, and what comes after it, comes after the
 * previous kernel. */
void sim_clocks_note_wait(struct warp *warp);
/** Whether a warp comes after such a wait of a warp. */
bool sim_clocks_know_wait(const struct warp *warp);

/* Which threads come after the wait for the previous kernel (order_kernels.c). */

/** Before a block starts. */
void sim_wait_start(struct worker *worker);
/** The active lanes have waited for the previous kernel. */
void sim_wait_for_kernel(struct warp *warp);
/** The next kernel may begin, as far as this block is concerned. */
void sim_wait_let_next(struct warp *warp);
/** Lanes of a warp have met; a barrier of the whole block has opened; the active lanes have
 * acquired what a flag tells. */
void sim_wait_met(struct global_checks *checks, unsigned warp, uint32_t lanes);
void sim_wait_barrier(struct sim_checks *checks);
void sim_wait_acquired(struct warp *warp);
/** The lanes that come after the wait. */
uint32_t sim_waited_lanes(struct warp *warp);
/** Whether any thread of the block does. */
bool sim_wait_by_any(const struct global_checks *checks);

/* Whether accesses of two blocks are ordered.
 *
 * PTX's memory model needs a release by the first block after its access: a fence, and then a
 * strong store or an atomic operation, by the same warp or after a barrier. It needs an acquire by
 * the second block before its access: a look at what was set, and then a fence. Any path from the
 * release to the acquire counts, through whatever words and blocks. But a flag that a block hands
 * on without having acquired anything does not count. The barrier of the grid may take the place of
 * the acquire.
 *
 * An earlier access is named by its tag (tags.h). */

/** Whether the access of a tag was an atomic operation. */
bool sim_global_is_atomic(const struct warp *warp, uint64_t tag);

/** Whether the last barrier of the grid that this block has passed orders it after an access of
 *  another block, because that block made the access before it arrived at the barrier. */
bool sim_global_is_before_grid_barrier(const struct warp *warp, uint64_t earlier);
/** Whether the block of an access has executed a fence after it. */
bool sim_global_is_released(const struct warp *warp, uint64_t earlier);
/** Whether this block has learned that another block has made its access. No fence after the look
 *  is needed here, because both accesses are strong. */
bool sim_global_has_heard(const struct warp *warp, uint64_t earlier);
/** Whether this block is ordered after an access of another block. */
bool sim_global_is_synchronized(const struct warp *warp, uint64_t earlier);
/** Whether this block may be ordered after any earlier access; an atomic operation counts if this
 * block has made any access that orders. */
bool sim_global_may_be_ordered(const struct warp *warp, uint64_t earlier, uint64_t mine);

/** A sentence on what is missing between two blocks that signal to each other: the release or the
 *  acquire. NULL: this block has looked at no signal. */
const char *sim_global_missing_half(const struct warp *warp, uint64_t earlier);

/* What the flags and counters that a block has read tell it of other blocks (order_flags.c). */

struct sim_flag_test;

void sim_flags_begin(uint64_t blocks);
void sim_flags_end(void);
void sim_flags_start_block(struct worker *worker);
/** What the block knows may be passed on by what it sets next. */
void sim_flags_fence(struct warp *warp);
/** A fence or an acquire: what follows comes after what the block knows. */
void sim_flags_acquire(struct warp *warp);
/** Before a strong store of a word; `value` NULL: it is not known. */
void sim_flags_store(struct warp *warp, const char *storage, const uint32_t *value);
/** How an atomic operation has changed a word. */
enum sim_flag_change { SIM_FLAG_SET, SIM_FLAG_STAYS, SIM_FLAG_ADD, SIM_FLAG_OR };
/** Before and after an atomic operation on whole words: nothing between the two may fail. `old` is
 *  what a word of 32 bits was.
 *  @return whether the second is to be called. */
bool sim_flags_before_atomic(struct warp *warp);
void sim_flags_after_atomic(struct warp *warp, int lane, const char *storage, unsigned bytes,
                            uint32_t old, enum sim_flag_change change, bool looks);
/** Before a strong load. */
void sim_flags_load(struct warp *warp, int lane, const char *storage, unsigned bytes);
/** Behind a strong load or an atomic operation. `test` is what is asked of the value, NULL: all of
 *  it counts; `values` are what the lanes have read, NULL: not known. */
void sim_flags_learn(struct warp *warp, const struct sim_flag_test *test, const uint32_t *values);
/** Instead: what was read is only handed on, and would have been handed on whatever it was. */
void sim_flags_pass_over(struct warp *warp);
/** Whether what the block has read, and acquired since, tells that another block has made its
 *  access. True if that is not followed. */
bool sim_flags_tell(const struct warp *warp, uint64_t earlier);
/** Whether what it has read tells so, and no fence or acquire has followed. */
bool sim_flags_told_unacquired(const struct warp *warp, uint64_t earlier);
/** A release that is not followed: from now on each counts as seen. */
void sim_flags_lose(void);

/** The last stretch of the worker's block that a fence has ended. */
static inline uint32_t sim_global_fenced(const struct worker *worker)
{
    const struct global_launch *const global = worker->launch->global;
    struct block_release *const released = global ? atomic_load(&global->released) : NULL;
    return released ? atomic_load(&released[worker->block_number].fenced) : 0;
}

/* Records what orders a block before or after other blocks: fences, releases, acquires and barriers
 * that the block executes. order_blocks.c decides whether they suffice. */

/** Call these before a block starts, and when a barrier or a fence has ordered what it did. */
void sim_global_start_block(struct worker *worker);
void sim_global_order(struct global_checks *checks);

/** A barrier of all warps has ordered what they did; after sim_global_order(). */
void sim_global_barrier(struct worker *worker);

/** A fence or a release, which ends a stretch. Once the block then sets something, other blocks may
 *  be ordered after what it did before; not so after a fence for the block alone (`is_block`). */
void sim_global_release(struct warp *warp, bool is_block);

/** Sets what other blocks may see: a strong store or an atomic operation. */
void sim_global_set(struct warp *warp);

/** A fence after a look at what other threads set, or a look that itself acquires. What follows
 *  comes after what these threads did before they set it. */
void sim_global_acquire(struct warp *warp);

/** The latest time in `acquired_at` of any warp of the block. Warps pass on what they know in too
 *  many ways to follow each. */
uint64_t sim_global_latest_acquired(const struct global_checks *checks);

/** A look that message_passing.c does not follow. */
void sim_global_other_look(struct warp *warp, const struct instruction *at);

/** The block arrives at the barrier of the grid, after a barrier of its own. */
void sim_global_arrive(struct warp *warp);

/** An access from which others may learn how far the warp is; `is_global` if other blocks may. */
void sim_global_signal(struct warp *warp, bool is_global);

/* Sums of floats by atomic operations of several warps: their last bits depend on the order of the
 * warps. That is a fault only where a kernel promises the same bits every time. */

/** Whether an atomic operation adds floats, of whatever size. */
bool sim_adds_floats(const struct warp *warp, const struct instruction *at);

/** Before a lane's atomic operation on a word that at least two other warps or blocks, unordered,
 *  have updated atomically: faults if it adds floats and SIM_CHECK_SUMS is on. Two terms alone give
 *  the same sum in either order. */
void sim_check_sum_order(struct warp *warp, const struct instruction *at, int lane,
                         uint64_t address);

#endif
