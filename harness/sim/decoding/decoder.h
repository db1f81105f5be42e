/**
 * @file decoder.h
 * @brief The decoder at work on one kernel, for the files of this folder; for opcodes see
 * decode.h.
 */
#ifndef SIM_DECODING_DECODER_H
#define SIM_DECODING_DECODER_H

#include "decode.h"
#include "sim/ptx/ptx.h"

#include <setjmp.h>

/* Control flow of one function as the executor needs it.
 *
 * The parser's analysis says where paths meet. This file adds the runs of instructions between
 * calls and branches, and what barriers need to know. */

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

/* --- the decoder -------------------------------------------------------------------------------*/

/** A wgmma has up to 128 results and 4 sources. */
enum { TEMPORARY_SLOTS = 6, TEMPORARY_PREDICATES = 4, MOST_REGISTERS = 144 };

/** A place in the code that is filled in when the function is complete. */
struct fixup {
    enum { FIX_TARGET, FIX_JOIN, FIX_SLOT } kind;
    int code_index; /* FIX_TARGET, FIX_JOIN: the instruction whose `target` or `extra` is set */
    const struct instruction **slot;
    int ptx_index;
};

/** A kernel under construction. */
struct decoder {
    struct sim_kernel *kernel;
    struct program *program;
    struct ptx_arena *arena;
    const struct opcodes *opcodes;
    const struct rule **rules; /* the rules of `opcodes`, by hash of the text */
    jmp_buf refused;
    jmp_buf unknown; /* where a refused instruction jumps to while `goes_on` */
    bool goes_on;
    /* The function under construction: */
    struct function *function;
    const struct ptx_function *ptx;
    struct flow flow;
    struct instruction *code;
    int code_count, code_capacity;
    int *code_of; /* by PTX index */
    struct fixup *fixups;
    int fixup_count, fixup_capacity;
    struct segment *segments;
    int segment_capacity;
    char *constants;
    size_t constant_bytes, constant_capacity;
    int32_t slots32, slots64, temporaries, temporary_predicates, constants_at;
    int used_temporaries, used_predicates;
    int *watched;      /* by register: its number among the watched registers, from 1 on, or 0 */
    int watched_count; /* see undefined.c */
    int32_t shadows;
    int *tracked; /* likewise: its number among the registers of wgmma (in_flight.c), or 0 */
    int tracked_count;
    int32_t records;
};

/** Appends an instruction without source or guard. Valid until the next instruction. */
struct instruction *sim_append(struct decoder *decoder, exec_handler *run);

/** Starts a segment: instructions from `source` on, which always run as a whole. */
void sim_emit_segment(struct decoder *decoder, const struct ptx_instruction *source, bool is_join);

/** Slot or predicate of the register that an operand names; refuses a register of another width. */
int32_t sim_register_slot(struct decoder *decoder, const struct ptx_instruction *source,
                          const struct ptx_operand *operand, char kind);

/** A special register such as %tid.x, read into a temporary. */
int32_t sim_special_slot(struct decoder *decoder, const struct ptx_instruction *source,
                         const struct ptx_operand *operand, char kind);

/* Watches registers that some path reads before anything has written them.
 *
 * A variable without a value becomes a register that nothing writes before it is read. Such
 * registers, and registers computed from them, get a shadow in the frame, which says which lanes
 * have a value. Kernels without such registers are decoded as if nothing were watched. */

/** Finds the registers of the function under construction that must be watched. @return the bytes
 *  of their shadows. */
int32_t sim_find_undefined(struct decoder *decoder);

/** Called before and after an instruction is decoded; these append what watches it, if need be. */
void sim_watch_before(struct decoder *decoder, const struct ptx_instruction *source);
void sim_watch_after(struct decoder *decoder, const struct ptx_instruction *source);

/** The registers that an instruction writes, and those that it reads, up to MOST_REGISTERS.
 *  @return how many */
int sim_results_of(const struct ptx_instruction *source, const struct ptx_operand **list);
int sim_sources_of(const struct ptx_instruction *source, const struct ptx_operand **list);

/** Finds the registers of wgmma in the function under construction. @return the bytes of what is
 *  known of them, in the frame */
int32_t sim_find_in_flight(struct decoder *decoder);

/** Called before and after an instruction is decoded; these append what follows such registers. */
void sim_track_before(struct decoder *decoder, const struct ptx_instruction *source);
void sim_track_after(struct decoder *decoder, const struct ptx_instruction *source);

#endif
