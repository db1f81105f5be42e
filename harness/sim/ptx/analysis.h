/**
 * @file analysis.h
 * @brief State shared by the analyses of one function: blocks, register accesses, live ranges.
 */
#ifndef SIM_PTX_ANALYSIS_H
#define SIM_PTX_ANALYSIS_H

#include "sim/ptx/arena.h"
#include "sim/ptx/ptx.h"

#include <setjmp.h>
#include <stdint.h>

/** Basic blocks in the order of the text, and the edges between them. */
struct ptx_flow {
    int block_count;
    int *first;      /**< first instruction of each block; first[block_count]: end of the last */
    int *block_of;   /**< block of each instruction */
    int *next_start; /**< successors of b: next[next_start[b]] ... next[next_start[b + 1] - 1] */
    int *next;       /**< a return makes no edge */
    int *previous_start, *previous; /**< predecessors, in the same form */
};

/** A register read or written by an instruction. */
struct ptx_access {
    int reg;
    bool writes;
};

/** Accesses of instruction i: accesses[start[i]] ... accesses[start[i + 1] - 1], writes last. */
struct ptx_accesses {
    int *start;
    struct ptx_access *accesses;
};

/** Instructions [first, last] in which a register holds a value or is written. */
struct ptx_live_range {
    int first, last;
    struct ptx_live_range *next;
};

/** State of an analysis. If memory runs out, longjmp() goes back to where the analysis began. */
struct ptx_analysis {
    struct ptx_function *function;
    struct ptx_arena *arena;
    jmp_buf out_of_memory;
    struct ptx_flow flow;
    struct ptx_accesses accesses;
    struct ptx_live_range **live; /**< ranges of each register */
};

/** `count` zeroed items of `size` bytes, freed after the analysis. */
static inline void *ptx_analysis_array(struct ptx_analysis *analysis, size_t count, size_t size)
{
    void *items = NULL;

    if (count <= SIZE_MAX / size)
        items = ptx_arena_allocate(analysis->arena, count * size);
    if (!items)
        longjmp(analysis->out_of_memory, 1);
    return items;
}

/** flow.c: blocks and edges; sets is_block_start. */
void ptx_find_blocks(struct ptx_analysis *analysis);

/** reconverge.c: sets reconvergence and is_join. */
void ptx_find_reconvergence(struct ptx_analysis *analysis);

/** accesses.c: which registers each instruction reads and writes. */
void ptx_find_accesses(struct ptx_analysis *analysis);

/** liveness.c: live ranges; false if the function is too large for it. */
bool ptx_find_live_ranges(struct ptx_analysis *analysis);

/** slots.c: lets registers share a slot that are never live together. */
void ptx_share_slots(struct ptx_analysis *analysis);
/** slots.c: gives every register a slot of its own. */
void ptx_number_slots(struct ptx_function *function);

#endif
