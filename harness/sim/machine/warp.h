/**
 * @file warp.h
 * @brief The state of a running launch: workers, each with one block, its warps and their paths.
 *
 * A warp executes for the lanes in `active`. Where lanes branch differently, the other lanes wait
 * on a stack of paths until all meet again (see paths.h).
 */
#ifndef SIM_MACHINE_WARP_H
#define SIM_MACHINE_WARP_H

#include "program.h"
#include "request.h"

#include <setjmp.h>
#include <stdio.h>

#define ALL_LANES UINT32_MAX

/** A word of a thread's local memory that nothing has stored: a NaN, and no value that a program is
 *  likely to store. */
#define LOCAL_POISON UINT32_C(0xFFFA5C93)

/** Warps of a warpgroup, which execute wgmma together. */
enum { BARRIER_COUNT = 16, GROUP_WARPS = 4, AT_WGMMA = BARRIER_COUNT, AT_CLUSTER };

/** The kinds of paths that wait while the warp executes another one. */
enum path_kind {
    PATH_JOIN, /**< these lanes go on together at `at` once all paths above have come there */
    PATH_SIDE, /**< these lanes still have to execute from `at` */
    PATH_CALL  /**< a caller: these lanes go on at `at` when the function has returned */
};

/** One entry of a warp's stack of paths that wait. */
struct path {
    enum path_kind kind;
    uint32_t mask;
    const struct instruction *at;
    uint32_t awaits; /**< of a PATH_SIDE: lanes that it waits for at a barrier or shuffle; or 0 */
    uint32_t since;  /**< the warp's count of switches when it began to wait */
    const struct instruction *join; /**< where the path above this entry ends; NULL: nowhere */
    union {
        struct held *held; /**< of a PATH_SIDE: what lay above it; NULL: nothing */
        struct {           /* of a PATH_CALL, the caller's: */
            uint32_t live;
            uint32_t local_base;
            char *frame;
            const struct function *function;
            const struct call_site *site;
        };
    };
};

/** Paths, calls among them, that were set aside together, so that a path below them goes first. In
 *  their place on the stack is a PATH_SIDE. Local memory is each lane's own and stays where it is;
 *  the frames of registers are copied, since others may use their place meanwhile. */
struct held {
    struct path *paths; /**< from the lowest; those that waited on the path that was current */
    int path_count, path_capacity, lowest_call;   /**< -1: no call is among them */
    char *frames;                                 /**< of all functions called from the one below */
    size_t frame_bytes, frame_capacity, frame_at; /**< frame_at: of the last of them */
    const struct instruction *at; /**< of the path that was current, as are the following */
    uint32_t active, live, local_base, stack;
    int call_depth;
    char *frame;
    const struct function *function;
    const struct instruction *poll;
};

enum warp_state { WARP_READY, WARP_WAITING, WARP_EXITED };

/** State of a warp: registers, active lanes, paths. */
struct warp {
    char *frame;     /**< registers of the current function */
    uint32_t active; /**< lanes that execute now */
    uint32_t live;   /**< lanes still in the current function */
    uint32_t exited; /**< lanes that have ended, or never were */
    uint32_t absent; /**< lanes beyond the block's last thread */
    int budget;      /**< basic blocks and waits until another warp gets its turn */
    struct worker *worker;
    struct block *block;
    const struct function *function;
    struct path *paths; /**< grows as needed */
    int path_count, path_capacity;
    struct held *held[WARP_LANES]; /**< each has at least a lane; NULL: not needed so far */
    uint32_t held_used;            /**< a bit for each that is on the stack, or within another */
    uint32_t switches;             /**< how often a path that waits has let another one go on */
    int call_depth;
    const struct function *last_callee; /**< the function that last ended, or NULL; for messages */
    uint32_t last_base;                 /**< where the local memory of last_callee was */
    uint32_t stack;               /**< fewest bytes a thread that the open calls take on a GPU */
    const struct instruction *at; /**< where to go on; kept only while the warp does not run */
    enum warp_state state;
    bool has_polled;                /**< in this turn */
    const struct instruction *poll; /**< the last poll, with the slot and offset of its address
                                         (slot -1: none); NULL: no poll yet */
    uint32_t polls;                 /**< atomics and strong loads since the last change of path */
    uint32_t sync_mask;  /**< of a __syncwarp() that some members have passed before others came */
    uint32_t sync_ahead; /**< the members that have passed it */
    uint32_t barrier;    /**< the barrier that the warp waits at, AT_WGMMA or AT_CLUSTER */
    const struct instruction *barrier_at; /**< the instruction that waits there */
    uint32_t barrier_result;              /**< of bar.red, written when the barrier opens */
    struct {
        uint32_t fences, groups; /**< how many wgmma.fence and wgmma.commit_group it has executed */
        uint32_t done; /**< how many of these groups it has waited for (decoding/in_flight.c) */
    } products;
    uint32_t cluster_arrivals; /**< how often it has come to the cluster's barrier */
    unsigned index;            /**< in the block */
    char *local;               /**< local memory: a slot of 32 words for each 4 bytes of a thread */
    uint32_t local_base;       /**< of the current function, in bytes of a thread */
    char *frames;              /**< where the entry's frame lies */
    uint32_t thread[3][WARP_LANES]; /**< %tid */
    /* For finding a warp that only polls (budget.c): */
    uint64_t kept_state;
    unsigned turns_since, turns_kept;
    bool has_come_again;
};

/** One of the barriers of a block. */
struct barrier {
    unsigned arrived;  /**< warps */
    unsigned expected; /**< warps; 0: all that have not exited */
    uint32_t waiting;  /**< warps to wake, by index */
    uint32_t any, all; /**< reduction so far */
    uint32_t count;
};

/** The block that a worker executes; reused for the worker's next block. */
struct block {
    unsigned id[3];
    uint64_t number; /**< in the order of execution */
    unsigned warp_count, live_warps;
    bool has_left;        /**< threads had ended when others passed a barrier */
    unsigned poll_weight; /**< what a poll counts: more where the block seems to poll in vain */
    /** Two barriers in the source where warps let each other go on; NULL: never at two at once. */
    const struct ptx_instruction *unlike[2];
    struct warp warps[MAX_BLOCK_WARPS];
    struct barrier barriers[BARRIER_COUNT];
    uint32_t busy_barriers;     /**< a bit for each barrier where a warp has arrived */
    struct mbarrier *mbarriers; /**< barriers in shared memory (access/mbarrier.c) */
    int mbarrier_count;
    struct warp *sleeper; /**< the warp whose turn ended at the barrier of the grid; NULL: none */
    uint32_t grid_waits;  /**< how often the block has passed the barrier of the grid */
    const struct instruction *grid_read; /**< the read of that barrier's counter; NULL: none yet */
    char *shared;
};

/** The blocks of a cluster, which one host thread runs in turns, each with a worker of its own. */
struct cluster {
    unsigned size;
    struct worker *members[MAX_CLUSTER_BLOCKS]; /**< by rank; the first is the host thread's */
    uint32_t openings; /**< how often barrier.cluster has let its warps go */
    unsigned pending;  /**< warps that have to come before it opens again */
};

/** Executions of a segment by one worker. */
struct segment_count {
    uint64_t warps, threads;
};

/** The allocation that an instruction used last: what it may touch, and where that is stored. */
struct access_cache {
    uint64_t first, size;
    uint64_t bias;            /**< host address minus device address */
    struct global_tags *tags; /**< which threads use which word; NULL: not recorded */
};

/** A launch while it runs, shared by all workers. */
struct launch {
    const struct sim_launch *request;
    const struct program *program;
    const char *params;                /**< the entry's parameters as laid out */
    size_t shared_bytes;               /**< static and dynamic */
    size_t frame_stride, local_stride; /**< register and local bytes of one warp */
    uint32_t local_limit;              /**< bytes of a thread's local memory */
    unsigned threads;                  /**< of a block */
    uint64_t block_count;
    unsigned cluster[3], cluster_size; /**< in blocks; 1: each block is by itself */
    uint64_t cluster_count;            /**< what host threads take: clusters, or single blocks */
    uint64_t turned; /**< clusters of a group that runs in reverse, as its warps do; 0: none do */
    _Atomic int shares;     /**< how often a block that has drawn a number lets others go first */
    _Atomic unsigned draws; /**< numbers that were drawn meanwhile */
    _Atomic uint64_t next_cluster;
    _Atomic uint64_t executed;     /**< basic blocks of all thread blocks that have ended */
    _Atomic uint64_t last_cluster; /**< later ones need not run, as the one at this place failed */
    struct segment_count *counts;  /**< of all workers, merged at the end */
    struct crew *crew;             /**< the threads (launch/crew.c) */
    struct grid_barrier *grid;     /**< of a cooperative launch, else NULL (grid_barrier.h) */
    _Atomic int running, waiting;  /**< workers that run blocks; of these, whose block only polls */
    _Atomic int stood_still;       /**< how often nothing seemed to change any more */
    _Atomic uint64_t quiet;        /**< changes, and workers that saw enough since (budget.c) */
    _Atomic uint32_t heap_changes; /**< frees of device heap; a new one makes caches stale */
    struct global_launch *global;  /**< NULL: races in global memory are not looked for */
};

/** How many pairs of instructions a worker remembers that it has asked memory/warning.c about. */
enum { WARNED_PAIRS = 4096 };

/** What the last instruction at a barrier in shared memory, or of a bulk copy, did. Counting reads
 * it, and empties it before each such instruction. */
struct noted {
    bool is_wanted;   /**< somebody reads it */
    uint32_t barrier; /**< the barrier of this block that it arrives or waits at: its place in
                         shared memory, and 1; 0: none */
    uint64_t phase;   /**< that it arrives in, or whose end it has seen */
    uint32_t bytes;   /**< of bulk copies */
    /** What these read or write of global memory, row by row. */
    struct noted_row {
        uint64_t address;
        uint32_t bytes;
    } * rows;
    int row_count, row_capacity;
    /** The box of a copy by a tensor map, as it lies in shared memory; 0 rows: no such copy. */
    struct noted_box {
        uint32_t rows, row_bytes, swizzle;
    } box;
};

/** A host thread that executes blocks, with its own memory for them. */
struct worker {
    struct launch *launch;
    struct access_cache *caches;
    struct segment_count *counts;
    uint32_t heap_changes;
    unsigned index;
    struct cluster *cluster; /**< NULL: clusters are single blocks */
    unsigned rank;           /**< in the cluster */
    uint64_t place;          /**< of the cluster in the order of execution */
    uint64_t block_number;   /**< in the grid, cluster by cluster */
    char *frames, *local;    /**< of all warps */
    size_t frame_bytes, local_bytes, shared_capacity;
    unsigned warp_capacity;
    uint64_t unexecuted_warps, unexecuted_threads; /**< counted, but cut off by a fault */
    struct sim_outcome outcome; /**< status SIM_OK unless a block of this worker failed */
    uint64_t executed;          /**< basic blocks of this block in turns without polls */
    bool is_waiting;            /**< the block only polls; counted in launch->waiting */
    bool has_seen_enough;       /**< since that change (budget.c) */
    uint64_t change;            /**< the last change in launch->quiet that it has seen */
    uint64_t waited;            /**< basic blocks of turns of polls since that change */
    unsigned quiet_rounds, restless_rounds; /**< last rounds whose registers came again, or not */
    long computed;             /**< time of its thread before its last sleep, in nanoseconds */
    bool has_drawn;            /**< the block has drawn a number, so that others go first */
    bool fails_by_waiting;     /**< it waited for another block, which may have failed itself */
    struct sim_checks *checks; /**< NULL: only addresses are checked (sim/check) */
    bool follows_values;       /**< it is checked whether variables have one (undefined.c) */
    jmp_buf stop;              /**< where a fault goes */
    struct noted noted;
    struct block block;
    uint64_t warned[WARNED_PAIRS]; /**< see memory/warning.c */
};

/** The worker that a host thread runs, which is the first of a cluster's. */
static inline struct worker *sim_leader(struct worker *worker)
{
    return worker->cluster ? worker->cluster->members[0] : worker;
}

/** How many blocks the host thread of a worker runs at a time, and the worker of one of them. */
static inline unsigned sim_member_count(const struct worker *leader)
{
    return leader->cluster ? leader->cluster->size : 1;
}

static inline struct worker *sim_member(struct worker *leader, unsigned rank)
{
    return leader->cluster ? leader->cluster->members[rank] : leader;
}

/** A slot of the current frame. */
static inline void *sim_slot(const struct warp *warp, int32_t offset)
{
    return warp->frame + offset;
}

static inline uint32_t sim_predicate(const struct warp *warp, int32_t offset, bool negated)
{
    const uint32_t value = *(const uint32_t *)(warp->frame + offset);
    return negated ? ~value : value;
}

static inline void sim_set_predicate(struct warp *warp, int32_t offset, uint32_t value)
{
    uint32_t *const predicate = (uint32_t *)(warp->frame + offset);
    *predicate = (*predicate & ~warp->active) | (value & warp->active);
}

/** The slot of 32 words of local memory at a byte offset (a multiple of 4) of a call's frame. */
static inline void *sim_local_slot(const struct warp *warp, uint32_t base, int32_t offset)
{
    return warp->local + ((size_t)base + (size_t)offset) * WARP_LANES;
}

/** Says of an outcome with a message where it came about: kernel, line, block and thread. */
void sim_locate(const struct warp *warp, const struct instruction *at, int lane,
                enum sim_status status, uint64_t address, struct sim_outcome *outcome);

/** Ends the launch at an instruction; `lane` is the lane at fault. Does not return. */
__attribute__((noreturn, format(printf, 6, 7))) void
sim_fault(struct warp *warp, const struct instruction *at, int lane, enum sim_status status,
          uint64_t address, const char *format, ...);

/** Reports a fault of the launch as a whole. */
__attribute__((format(printf, 3, 4))) void
sim_report(struct sim_outcome *outcome, enum sim_status status, const char *format, ...);

/** Line and file of an instruction. Where the compiler gives none, as it has moved the instruction,
 *  line and file of the nearest earlier instruction that has them. */
int sim_nearest_line(const struct warp *warp, const struct instruction *at, const char **file);

/** The PTX instruction that an instruction comes from. */
const struct ptx_instruction *sim_source(const struct warp *warp, const struct instruction *at);

#endif
