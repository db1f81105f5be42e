/**
 * @file executed.h
 * @brief What the warps of a watched block executed, instruction by instruction, and a model of one
 * block on an SM that gives a timeline: which warps issue, and what others wait for.
 */
#ifndef SIM_COUNTING_EXECUTED_H
#define SIM_COUNTING_EXECUTED_H

#include "count.h"

/** One PTX instruction that a warp executed. */
struct executed {
    const struct ptx_instruction *source;
    enum counted_space space; /**< of an access */
    uint32_t fetch;           /**< of global memory: the latest of the accesses that first touched
                                   its sectors, counted from 1; 0: not known */
    unsigned wavefronts;      /**< of shared memory */
    bool is_done;             /**< lanes took part: an access, a barrier, a wait */
    bool is_past_l1;
    bool is_first;     /**< of a basic block of the machine code, where a short `if` ends none */
    bool is_no_branch; /**< the branch of a short `if`, which is none in machine code */
    bool is_load;      /**< known from its PTX, as names_shared is */
    bool names_shared;
    int first_access, access_count; /**< kept accesses, of the watched warp */
    int more_accesses;              /**< accesses that are not kept */
    int barrier, expects;           /**< of a barrier: its number, and warps; 0: all of the block */
    uint32_t phase;  /**< of an mbarrier that it arrives in, or waits for: its number in the block;
                          0: none */
    bool awaits;     /**< it is the wait, which has seen the end of the phase */
    unsigned copied; /**< bytes of a bulk copy */
};

/** What a warp of the block executed, in order. */
struct executed_warp {
    struct executed *list;
    int count, capacity;
    bool is_cut; /**< there was more */
};

/** What the block executed in a launch. */
struct executed_block {
    struct executed_warp warps[MAX_BLOCK_WARPS];
    int warp_count;
    uint32_t fetches, phases;
};

/* ---- executed.c ---- */

/** Whether a launch that begins now is to be recorded. */
bool sim_executed_wanted(void);
/** A warp begins to execute a segment. */
void sim_executed_segment(const struct warp *warp, const struct instruction *at);
/** A warp executes an access of its segment. */
void sim_executed_access(const struct warp *warp, const struct access_plan *plan,
                         enum counted_space space, const uint64_t *address, uint32_t lanes,
                         unsigned cost);
/** Lanes of a warp take part in an instruction that a guard might have skipped. */
void sim_executed_mark(const struct warp *warp, const struct instruction *at);
/** The same of a barrier of the block: its number, and the warps that it waits for; 0: all. */
void sim_executed_barrier(const struct warp *warp, const struct instruction *at, unsigned number,
                          unsigned warps);
/** A warp executed a bulk copy, or came to a barrier in shared memory. */
void sim_executed_noted(const struct warp *warp, const struct ptx_instruction *source,
                        const struct noted *noted, bool is_wait);
/** An access of the watched warp is kept as number `place`; -1: it is not kept. */
void sim_executed_kept(const struct warp *warp, const struct ptx_instruction *source, int place);
/** After a launch: makes the timeline of what was recorded, where the request names a GPU. */
void sim_executed_finish(const struct launch *launch);
void sim_executed_forget(void);
/** See lab_sim_timeline(). */
const struct lab_sim_timeline *sim_executed_timeline(void);
/** See lab_sim_steps(). */
int sim_executed_steps(const struct lab_sim_step **list);

/* ---- timeline.c ---- */

/** Makes the timeline of a block by a model. False: out of memory. The caller frees `spans`. */
bool sim_timeline_make(const struct executed_block *block, const struct sim_gpu_profile *gpu,
                       struct lab_sim_timeline *timeline);

/* ---- issue_order.c ---- */

/** Producers of the values that each instruction of a warp reads. Instruction i reads values of
 *  list[start[i]] to list[start[i + 1] - 1]. */
struct producers {
    int *start, *list;
    int capacity;
};

/**
 * @brief The order in which a warp issues: ptxas puts loads as early as it may.
 * @param order      receives the places of all instructions in the list
 * @param producers  the caller frees its arrays, also on failure
 * @return false without memory
 */
bool sim_issue_order(const struct executed_warp *warp, int *order, struct producers *producers);

#endif
