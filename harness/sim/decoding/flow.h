/**
 * @file flow.h
 * @brief Control flow of one function as the executor needs it.
 *
 * The parser's analysis says where paths meet. This file adds the runs of instructions between
 * calls and branches, and what barriers need to know.
 */
#ifndef SIM_DECODING_FLOW_H
#define SIM_DECODING_FLOW_H

#include "sim/ptx/ptx.h"

/** Control flow of a function: which instructions begin a run. */
struct flow {
    int count;           /**< instructions */
    bool *leads;         /**< starts a run of instructions executed as a whole */
    bool *joins;         /**< paths of some branch meet here */
    int *join;           /**< where a branch's paths meet; -1: nowhere, or it cannot diverge */
    bool *meets_barrier; /**< code from the leader on can come to a barrier */
};

/** @return false if memory runs out. sim_flow_free() frees everything, also then. */
bool sim_flow_analyse(struct flow *flow, const struct ptx_function *function);
void sim_flow_free(struct flow *flow);

/** Fills `targets` with up to `capacity` targets of a branch (bra, brx.idx). @return how many it
 *  has. */
int sim_branch_targets(const struct ptx_instruction *source, int *targets, int capacity);

#endif
