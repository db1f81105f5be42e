/**
 * @file flow.h
 * @brief Control flow of one function as the executor needs it.
 *
 * The parser's analysis says where paths meet; here are the runs of instructions between calls and
 * branches, and what the barriers need to know.
 */
#ifndef SIM_DECODING_FLOW_H
#define SIM_DECODING_FLOW_H

#include "sim/ptx/ptx.h"

/** Control flow of a function: which instructions begin a run. */
struct flow {
    int count;   /**< instructions */
    bool *leads; /**< starts a run of instructions executed as a whole */
    bool *joins; /**< paths of some branch meet here */
    int *join;   /**< of a branch: where its paths meet; -1: nowhere, or it cannot diverge */
    bool *meets_barrier; /**< code from the leader on can come to a barrier */
};

/** @return false when there is no memory. Everything is released by sim_flow_free(). */
bool sim_flow_analyse(struct flow *flow, const struct ptx_function *function);
void sim_flow_free(struct flow *flow);

/** Targets of a branch (bra, brx.idx); the count, with *targets filled as far as `capacity`. */
int sim_branch_targets(const struct ptx_instruction *source, int *targets, int capacity);

#endif
