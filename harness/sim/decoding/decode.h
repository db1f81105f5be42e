/**
 * @file decode.h
 * @brief What the files of opcodes use to turn PTX instructions into instructions of program.h.
 *
 * An opcode is found in one of two ways. A rule has an opcode's whole text, a handler and the shape
 * of the operands. A family has an opcode's first part, and a function that reads the modifiers.
 * Any other opcode is refused with its name, file and line.
 */
#ifndef SIM_DECODING_DECODE_H
#define SIM_DECODING_DECODE_H

#include "sim/machine/program.h"

struct decoder;

/**
 * One opcode. The shape is the destination, `=`, and the sources, with one letter for each operand:
 * h 16-bit, w 32-bit, l 64-bit, p predicate. The operands become d, and a, b, c in order.
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

/** All opcodes: lists of tables of rules and of families. NULL ends a list, and an entry without a
 *  function ends a table. */
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

/** Zeroed memory that lives as long as the program. Refuses the launch if memory runs out. */
void *sim_decoder_allocate(struct decoder *decoder, size_t size);

/** Appends an instruction that executes `source`, under its guard. Valid until the next call. */
struct instruction *sim_emit(struct decoder *decoder, const struct ptx_instruction *source,
                             exec_handler *run);

/** As sim_emit(), but the guard has no effect: for pseudo-operations, and for opcodes that read the
 *  guard themselves (instruction.guard has its offset). */
struct instruction *sim_emit_plain(struct decoder *decoder, const struct ptx_instruction *source,
                                   exec_handler *run);

/** A source operand as a slot of a kind (h w l p). For a special register or an address, a
 *  pseudo-operation is emitted before, which computes it into a temporary. */
int32_t sim_source_slot(struct decoder *decoder, const struct ptx_instruction *source,
                        const struct ptx_operand *operand, char kind);

/** The slot of a destination operand. `_` gives a slot that nobody reads. */
int32_t sim_destination_slot(struct decoder *decoder, const struct ptx_instruction *source,
                             const struct ptx_operand *operand, char kind);

/** The address of a variable or function, as a slot of a kind. */
int32_t sim_address_slot(struct decoder *decoder, const struct ptx_instruction *source,
                         const struct ptx_operand *operand, char kind);

/** A slot whose 32 lanes hold a constant of 4 bytes, or of 8 bytes. */
int32_t sim_constant32(struct decoder *decoder, uint32_t value);
int32_t sim_constant64(struct decoder *decoder, uint64_t value);

/** A temporary slot of 8 bytes a lane, reserved until the PTX instruction has been decoded. */
int32_t sim_temporary(struct decoder *decoder, const struct ptx_instruction *source);

/** The offset of a temporary predicate, reserved for as long. */
int32_t sim_temporary_predicate(struct decoder *decoder, const struct ptx_instruction *source);

/** Reads operand `index` as an immediate integer; refuses anything else. */
uint64_t sim_immediate(struct decoder *decoder, const struct ptx_instruction *source, int index);

/** Operand `index`; refuses an instruction that has fewer operands. */
const struct ptx_operand *sim_operand(struct decoder *decoder, const struct ptx_instruction *source,
                                      int index);

/** Emits a rule's instruction. */
struct instruction *sim_emit_rule(struct decoder *decoder, const struct ptx_instruction *source,
                                  const struct rule *rule);

/** Finds an opcode in a table; NULL if it is not there. */
const struct rule *sim_find_rule(const struct rule *rules, const char *opcode);

/** Class of an operand's register: 'p', 'w' (up to 32 bits), 'l', 'x' (larger); 0: no register. */
char sim_register_class(const struct decoder *decoder, const struct ptx_operand *operand);

/** Declared type of an operand's register; PTX_NONE: the operand is no register. */
enum ptx_type sim_register_type(const struct decoder *decoder, const struct ptx_operand *operand);

/** Sets *slot to the code of a PTX instruction, when the function is complete. */
void sim_target(struct decoder *decoder, const struct instruction **slot, int ptx_index);
/** As sim_target(), for the `target` of the instruction that was emitted last. */
void sim_target_of_last(struct decoder *decoder, int ptx_index);
/** As sim_target_of_last(), for its `extra`: where the paths of a branch meet. */
void sim_join_of_last(struct decoder *decoder, int ptx_index);

/** Where the paths of a branch meet (a PTX index); -1: nowhere, or it cannot diverge. */
int sim_join_of(const struct decoder *decoder, const struct ptx_instruction *source);

/** Whether code from a PTX instruction on can come to a barrier. */
bool sim_can_reach_barrier(const struct decoder *decoder, int ptx_index);

/** Notes an access of `bytes` a lane, which tells checks of shared memory how fine to look. */
void sim_note_access_size(struct decoder *decoder, enum ptx_space space, size_t bytes);

uint32_t sim_new_cache(struct decoder *decoder);
const struct sim_module *sim_decoder_module(const struct decoder *decoder);
struct program *sim_decoder_program(struct decoder *decoder);
struct function *sim_decoder_function(struct decoder *decoder);

/** Index of an instruction in its function. */
int sim_index(const struct decoder *decoder, const struct ptx_instruction *source);

/** Where a .local or .param variable is in the frame of the function under construction; refuses
 *  variables of other functions. */
int32_t sim_local_offset(struct decoder *decoder, const struct ptx_instruction *source,
                         const struct ptx_variable *variable);
/** Whether a variable is a parameter of the kernel itself. */
bool sim_is_entry_param(const struct decoder *decoder, const struct ptx_variable *variable);

/** Where a .shared variable is in the block's shared memory. */
uint32_t sim_shared_offset(struct decoder *decoder, const struct ptx_instruction *source,
                           const struct ptx_variable *variable);

/** Decodes a kernel whose program is laid out.
 *  @return false, with kernel->refusal filled, if the kernel is refused. */
bool sim_decode(struct sim_kernel *kernel, const struct opcodes *opcodes);

/* --- what a kernel can call, and where its variables lie ---------------------------------------*/

/** Creates the program of a kernel: reachable functions with the places of their variables, but no
 *  code. @return NULL if memory runs out. */
struct program *sim_lay_out(const struct sim_module *module, const struct ptx_function *entry);

/** Sets the stack sizes of a decoded program. */
void sim_lay_out_stack(struct program *program);

/** The address that code uses for a function of a module. */
uint64_t sim_function_address(const struct ptx_module *module, const struct ptx_function *function);

#endif
