/**
 * @file decode.h
 * @brief What the files of opcodes use to turn PTX instructions into program.h's.
 *
 * An opcode is found in one of two ways: as a rule (its whole text, a handler and the shape of its
 * operands), or as a family (its first part), for which a function reads the modifiers. Anything
 * else is refused with its name, file and line.
 */
#ifndef SIM_DECODING_DECODE_H
#define SIM_DECODING_DECODE_H

#include "sim/machine/program.h"

struct decoder;

/**
 * One opcode. The shape names destinations, `=`, sources, each by one letter: h 16-bit, w 32-bit, l
 * 64-bit, p predicate. They become d, and a, b, c in order.
 */
struct rule {
    const char *opcode;
    exec_handler *run;
    const char *shape;
    uint32_t mode; /**< goes into the flags */
};

/** Decodes every instruction of an opcode that is no rule. */
struct family {
    enum ptx_opcode opcode;
    void (*decode)(struct decoder *decoder, const struct ptx_instruction *source);
};

/** All opcodes: tables of rules and of families, NULL after the last of each. A table ends in an
 *  entry without a function. */
struct opcodes {
    const struct rule *const *rules;
    const struct family *const *families;
};

/** Refuses the launch; does not return. */
__attribute__((noreturn, format(printf, 3, 4))) void
sim_refuse(struct decoder *decoder, const struct ptx_instruction *source, const char *format, ...);

/** Refuses an instruction with a modifier that is not known; does not return. */
__attribute__((noreturn)) void sim_refuse_opcode(struct decoder *decoder,
                                                 const struct ptx_instruction *source);

/** Memory that lives as long as the program; zeroed. Refuses when there is none. */
void *sim_decoder_allocate(struct decoder *decoder, size_t size);

/** Appends an instruction that executes `source`, under its guard. Valid until the next call. */
struct instruction *sim_emit(struct decoder *decoder, const struct ptx_instruction *source,
                             exec_handler *run);

/** The same without the guard: for pseudo-operations and for opcodes that read it themselves (its
 *  offset is in instruction.guard all the same). */
struct instruction *sim_emit_plain(struct decoder *decoder, const struct ptx_instruction *source,
                                   exec_handler *run);

/** A source operand as a slot of the kind (h w l p); special registers and addresses are computed
 *  into a temporary by a pseudo-operation before. */
int32_t sim_source_slot(struct decoder *decoder, const struct ptx_instruction *source,
                        const struct ptx_operand *operand, char kind);

/** A destination. `_` gives a slot that nobody reads. */
int32_t sim_destination_slot(struct decoder *decoder, const struct ptx_instruction *source,
                             const struct ptx_operand *operand, char kind);

/** The address of a variable or function, as a slot of the kind. */
int32_t sim_address_slot(struct decoder *decoder, const struct ptx_instruction *source,
                         const struct ptx_operand *operand, char kind);

/** A constant slot of 32 lanes of 4 bytes, or of 8. */
int32_t sim_constant32(struct decoder *decoder, uint32_t value);
int32_t sim_constant64(struct decoder *decoder, uint64_t value);

/** A temporary slot of 8 bytes a lane, free until the PTX instruction is decoded. */
int32_t sim_temporary(struct decoder *decoder, const struct ptx_instruction *source);

/** Offset of a temporary predicate, likewise. */
int32_t sim_temporary_predicate(struct decoder *decoder, const struct ptx_instruction *source);

/** Reads operand `index` as an immediate integer; refuses anything else. */
uint64_t sim_immediate(struct decoder *decoder, const struct ptx_instruction *source, int index);

/** Operand `index`; refuses when there are fewer. */
const struct ptx_operand *sim_operand(struct decoder *decoder, const struct ptx_instruction *source,
                                      int index);

/** Emits a rule's instruction. */
struct instruction *sim_emit_rule(struct decoder *decoder, const struct ptx_instruction *source,
                                  const struct rule *rule);

/** Finds an opcode in a table; NULL if it is not there. */
const struct rule *sim_find_rule(const struct rule *rules, const char *opcode);

/** Class of the register that an operand names: 'p', 'w' (up to 32 bits), 'l'; 0 if it is none. */
char sim_register_class(const struct decoder *decoder, const struct ptx_operand *operand);

/** Declared type of the register that an operand names; PTX_NONE if it is none. */
enum ptx_type sim_register_type(const struct decoder *decoder, const struct ptx_operand *operand);

/** Where a branch to a PTX instruction goes: fills *slot when the function is complete. */
void sim_target(struct decoder *decoder, const struct instruction **slot, int ptx_index);
/** The same for instruction.target of the instruction emitted last. */
void sim_target_of_last(struct decoder *decoder, int ptx_index);
/** The same for instruction.extra: where the paths of a branch meet. */
void sim_join_of_last(struct decoder *decoder, int ptx_index);

/** Where the paths of a branch meet (a PTX index); -1: nowhere, or it cannot diverge. */
int sim_join_of(const struct decoder *decoder, const struct ptx_instruction *source);

/** Whether code from a PTX instruction on can come to a barrier. */
bool sim_can_reach_barrier(const struct decoder *decoder, int ptx_index);

/** Tells of an access of `bytes` a lane, so that checks of shared memory know how fine to look. */
void sim_note_access_size(struct decoder *decoder, enum ptx_space space, size_t bytes);

uint32_t sim_new_cache(struct decoder *decoder);
const struct sim_module *sim_decoder_module(const struct decoder *decoder);
struct program *sim_decoder_program(struct decoder *decoder);
struct function *sim_decoder_function(struct decoder *decoder);

/** Index of an instruction in its function. */
int sim_index(const struct decoder *decoder, const struct ptx_instruction *source);

/** Where a .local or .param variable lies in the frame of the function under construction; refuses
 *  what does not belong to it. */
int32_t sim_local_offset(struct decoder *decoder, const struct ptx_instruction *source,
                         const struct ptx_variable *variable);
/** Whether a variable is a parameter of the kernel itself. */
bool sim_is_entry_param(const struct decoder *decoder, const struct ptx_variable *variable);

/** Where a .shared variable lies in the block's shared memory. */
uint32_t sim_shared_offset(struct decoder *decoder, const struct ptx_instruction *source,
                           const struct ptx_variable *variable);

/** Decodes a kernel whose program is laid out.
 *  @return false with kernel->refusal filled. */
bool sim_decode(struct sim_kernel *kernel, const struct opcodes *opcodes);

#endif
