/**
 * @file ptx.h
 * @brief A parsed PTX module: what the parser produces and the decoder reads.
 *
 * The parser turns text into plain structs. It resolves names (registers to indices, labels to
 * instruction indices, symbols to variables, opcodes to entries of opcodes.def). It interprets
 * nothing: only the decoder knows what an opcode means. Everything belongs to the module and is
 * freed with it.
 */
#ifndef SIM_PTX_PTX_H
#define SIM_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- What is known of an opcode; the functions read opcodes.def ---- */

struct ptx_instruction;

/** An opcode by the first part of its text, such as PTX_OP_ld; UNKNOWN if opcodes.def lacks it. */
enum ptx_opcode {
    PTX_OP_UNKNOWN,
#define PTX_OPCODE(name, ...) PTX_OP_##name,
#include "opcodes.def"
    PTX_OP_COUNT
};

/** The kind of an opcode. The values are bits; several bits name several kinds. */
enum ptx_class {
    PTX_PLAIN = 0, /**< arithmetic and hints: no effect but a result */
    PTX_LOADS = 1 << 0,
    PTX_STORES = 1 << 1,
    PTX_UPDATES = 1 << 2,  /**< atom */
    PTX_REDUCES = 1 << 3,  /**< red: has no result */
    PTX_COPIES = 1 << 4,   /**< cp, and instructions that wait for copies */
    PTX_DISCARDS = 1 << 5, /**< the contents of memory are lost, or a tensor map changes */
    PTX_BRANCHES = 1 << 6,
    PTX_CALLS = 1 << 7,
    PTX_RETURNS = 1 << 8, /**< ret, exit */
    PTX_TRAPS = 1 << 9,
    PTX_WAITS = 1 << 10, /**< barriers, including bar.warp */
    PTX_FENCES = 1 << 11,
    PTX_MEETS = 1 << 12, /**< lanes of a warp exchange values */
    PTX_DRAWS = 1 << 13, /**< writes to a surface; its handle tells where */
    PTX_ATOMIC = PTX_UPDATES | PTX_REDUCES,
    PTX_CHANGES_MEMORY = PTX_STORES | PTX_ATOMIC | PTX_DISCARDS | PTX_DRAWS,
    PTX_ENDS = PTX_RETURNS | PTX_TRAPS,
    PTX_LEAVES = PTX_BRANCHES | PTX_ENDS,
    PTX_ORDERS = PTX_ATOMIC | PTX_CALLS | PTX_WAITS | PTX_FENCES /**< no load moves across these */
};

/** What an atomic operation does to a word. The values are bits. */
enum ptx_update {
    PTX_UPDATES_NOTHING = 0,
    PTX_ADDS = 1 << 0,    /**< doing it twice differs from once: add, inc, dec */
    PTX_TOGGLES = 1 << 1, /**< doing it twice undoes it: xor */
    PTX_BOUNDS = 1 << 2,  /**< doing it twice equals once: and, or, min, max */
    PTX_EXCHANGES = 1 << 3,
    PTX_COMPARES = 1 << 4, /**< cas */
    PTX_SWAPS = PTX_EXCHANGES | PTX_COMPARES
};

/** When an instruction's result has a value, if some of its sources have none (undefined.c). */
enum ptx_rule {
    PTX_RULE_DEFINES,   /**< always */
    PTX_RULE_ALL,       /**< if all sources have values */
    PTX_RULE_ANY,       /**< if one source has: the operation puts bits of several together */
    PTX_RULE_SELECT,    /**< d = p ? a : b: if p and the selected source have values */
    PTX_RULE_AND,       /**< of predicates: a source that is false decides */
    PTX_RULE_OR,        /**< of predicates: a source that is true decides */
    PTX_RULE_USES,      /**< a source without a value is a fault: branch, address, atomic */
    PTX_RULE_STORES,    /**< a fault if the address (the first source) has no value, or no element
                             has and they were computed; moved elements leave memory unwritten */
    PTX_RULE_IS_LOADED, /**< if local memory has one; checked after the load */
    PTX_RULE_SHUFFLE    /**< if the lane asked has one and takes part; after the shuffle */
};

/** The opcode of a name; PTX_OP_UNKNOWN if there is none. */
enum ptx_opcode ptx_find_opcode(const char *name);

/** True if an instruction is of one of the classes in a mask. */
bool ptx_does(const struct ptx_instruction *source, unsigned classes);

/** True if execution may go on with the next instruction. */
bool ptx_falls_through(const struct ptx_instruction *source);

/** True if an access is meant to meet accesses of other threads: volatile, relaxed, ... */
bool ptx_is_strong(const struct ptx_instruction *source);

/** True if an access acquires: later accesses come after what it sees. True if an access releases:
 *  earlier accesses come before what it lets others see. */
bool ptx_acquires(const struct ptx_instruction *source);
bool ptx_releases(const struct ptx_instruction *source);

/** The update that a part of an atomic operation's text names; 0: the part names none. */
enum ptx_update ptx_find_update(const char *part);

/** True if an instruction is a bra whose target is at `place` or before it. */
bool ptx_goes_back(const struct ptx_instruction *source, int place);

/** True if an instruction writes its first operand: a register, or a list of registers. */
bool ptx_writes_result(const struct ptx_instruction *source);

/** The first operand that an instruction reads: 1 behind a result, else 0. */
int ptx_first_read(const struct ptx_instruction *source);

/** The address that an instruction accesses; a copy's target. NULL: there is none. */
const struct ptx_operand *ptx_address(const struct ptx_instruction *source);

/** The rule that opcodes.def gives for an instruction. */
enum ptx_rule ptx_rule_of(const struct ptx_instruction *source);

enum ptx_type {
    PTX_NONE,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64,
    PTX_PRED
};

enum ptx_space { PTX_GENERIC, PTX_CONST, PTX_GLOBAL, PTX_LOCAL, PTX_PARAM, PTX_SHARED };

/** An address stored in a variable's initial value: *(u64 *)(data + at) = address of symbol +
 * addend. */
struct ptx_relocation {
    size_t at;
    const char *symbol; /**< variable or function name */
    int64_t addend;
    int bytes; /**< 8; 1: one byte of the address (initialisers such as 0xFF00(symbol)) */
    int shift; /**< for bytes == 1: bits to shift the address right before the byte is taken */
};

/**
 * A .global, .const, .shared, .local or .param variable, of the module or of a function. A function
 * has three .param areas. The array that holds the variable (params, returns or variables) says in
 * which of these areas `offset` counts.
 */
struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_type type; /**< element type */
    size_t size;        /**< bytes in all; 0 for an unsized extern __shared__ array */
    size_t align;       /**< bytes */
    size_t offset;      /**< of .shared, .local, .param: from the start of the function's area */
    bool is_extern;
    const uint8_t *data; /**< initial value of `size` bytes; NULL: all zero */
    const struct ptx_relocation *relocations;
    int relocation_count;
};

/** Kinds of operands. */
enum ptx_operand_kind {
    PTX_OPERAND_REGISTER,  /**< reg; predicates too. `negated` for !%p */
    PTX_OPERAND_SINK,      /**< _ : a result that is not wanted, or an absent value */
    PTX_OPERAND_IMMEDIATE, /**< imm, imm_kind */
    PTX_OPERAND_SPECIAL,   /**< name, such as "%tid.x" */
    PTX_OPERAND_VARIABLE,  /**< address of `variable`, plus `offset`, plus `imm` elements */
    PTX_OPERAND_FUNCTION,  /**< name, with `function` if it has a body in this module; or the
                                prototype of an indirect call, which `function` describes */
    PTX_OPERAND_LABEL,     /**< target: instruction index */
    PTX_OPERAND_ADDRESS,   /**< [base + offset]: reg >= 0, or variable, or neither (absolute); the
                                coordinates of a tensor address are elements */
    PTX_OPERAND_VECTOR,    /**< {a, b, ...}, also the (a, b) lists of call */
    PTX_OPERAND_PAIR       /**< d|p : elements[0] and elements[1] */
};

enum ptx_immediate_kind { PTX_IMMEDIATE_INTEGER, PTX_IMMEDIATE_F32, PTX_IMMEDIATE_F64 };

/** One operand of an instruction. */
struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;
    int reg;      /**< index into ptx_function.registers, -1 for none */
    uint64_t imm; /**< bits; a 0f immediate has 32 bits, a 0d immediate 64 */
    enum ptx_immediate_kind imm_kind;
    int64_t offset;
    int target;
    const char *name;
    const struct ptx_variable *variable;
    const struct ptx_function *function;
    struct ptx_operand *elements;
    int element_count;
};

enum { PTX_MAX_PARTS = 16 };

/**
 * One instruction: `@guard opcode.part.part operands;`
 *
 * Operands are kept as written, with two exceptions. A call always has these operands: 0: VECTOR of
 * the return value (may be empty), 1: what is called, FUNCTION or REGISTER, 2: VECTOR of the
 * arguments (may be empty), and perhaps 3: prototype or call targets. The second operand of brx.idx
 * is the VECTOR of its LABELs.
 */
struct ptx_instruction {
    const char *opcode; /**< whole, such as "ld.global.nc.v4.f32" */
    const char
        *parts[PTX_MAX_PARTS]; /**< split at dots; parts[0] is "ld"; "::" stays inside a part */
    int part_count;
    enum ptx_opcode operation; /**< of parts[0] */
    enum ptx_update update;    /**< of an atomic operation */
    int guard;                 /**< predicate register, -1 for none */
    bool guard_negated;
    struct ptx_operand *operands;
    int operand_count;
    const char *file;      /**< the user's source file, found by way of inlined_at; or NULL */
    int line;              /**< in that file; 0 if unknown */
    const char *call_file; /**< of the outermost call of a function that is inlined here */
    int call_line;         /**< in that file; 0: no function is inlined here */
    int ptx_line;          /**< line in the PTX text */
    /** Set by ptx_analyse(): for a branch that can diverge, the instruction at which its paths meet
     *  again. This is the immediate post-dominator; paths that only leave do not count. If one side
     *  leaves (`@p bra END; ... END: ret`), it is the other side's first instruction. It is
     *  instruction_count if no lanes meet again, and -1 for all other instructions. */
    int reconvergence;
    bool is_join;        /**< some branch's reconvergence is here */
    bool is_block_start; /**< first instruction of a basic block */
    /** Set by ptx_analyse(): how many 32-bit registers are live at this instruction. Predicates and
     *  kernel arguments are left out: machine code keeps them elsewhere. 0 if not counted. */
    int live_words;
};

/** A register that the function names; unnamed ones of a range %r<9> are left out. */
struct ptx_register {
    const char *name;
    enum ptx_type type;
    /** Set by ptx_analyse(): place in the register file of its class (predicates; values up to 32
     *  bits; 64-bit values). Registers that are never live together share a slot. This is right as
     *  long as instructions write active lanes only. An instruction's results share no slot with
     *  its other operands, unless the register is the same. */
    int slot;
    /** Set by ptx_analyse(): some path from the function's start reads the register, or writes it
     *  under a guard, before an unguarded instruction writes it. */
    bool is_read_early;
};

/** An entry or a device function, decoded. */
struct ptx_function {
    const char *name;
    const char *target; /**< "sm_90": of its unit, which units linked to it may not have */
    bool is_entry;
    bool has_body;
    const struct ptx_rest *rest; /**< the body is still to be parsed, by ptx_complete(); or NULL */
    struct ptx_variable *params; /**< in order; the offsets are those of the ABI */
    int param_count;
    size_t param_bytes;
    struct ptx_variable *returns; /**< 0 or 1 variables */
    int return_count;
    struct ptx_variable *variables; /**< .shared, .local and call-sequence .param declared inside;
                                         offsets are within the function's area of that space */
    int variable_count;
    /** Static shared memory of this function alone. The layout of a kernel (layout.c) puts behind
     *  it the shared memory of functions that are called and the module's sized variables. All
     *  extern variables start behind these, at the same place. */
    size_t shared_bytes;
    size_t local_bytes;     /**< local memory per thread of one frame */
    size_t callparam_bytes; /**< area for .param variables declared inside (call sequences) */
    int max_threads;        /**< .maxntid product, 0 if none */
    int required_block[3];  /**< .reqntid, 0 if none */
    int cluster[3];         /**< .reqnctapercluster, 0 if none */
    struct ptx_register *registers;
    int register_count;
    /** The last instruction always leaves: a `ret` is added if the body could run past its end. So
     *  every branch target is below instruction_count. */
    struct ptx_instruction *instructions;
    int instruction_count;
    int predicate_slots, slots32, slots64; /**< set by ptx_analyse() */
};

/** A whole PTX text, decoded. */
struct ptx_module {
    int version;                    /**< 90 for .version 9.0 */
    const char *target;             /**< "sm_90"; of units that are linked: the last one's */
    struct ptx_variable *variables; /**< .global, .const, and module-level (extern) .shared */
    int variable_count;
    struct ptx_function *functions;
    int function_count;
    void *arena;               /**< owns every string and array above */
    struct ptx_parser *parser; /**< of ptx_parse_heads(), for the bodies of kernels; else NULL */
};

/** Where and why parsing failed. */
struct ptx_error {
    int line;          /**< in the PTX text */
    char message[256]; /**< one line, without a line number */
};

/**
 * @brief Parses `length` bytes of PTX text (need not be NUL-terminated) and analyses every
 * function.
 * @return the module, which ptx_free() frees; on failure NULL, with *error filled.
 */
struct ptx_module *ptx_parse(const char *text, size_t length, struct ptx_error *error);

/**
 * @brief Like ptx_parse(), but leaves bodies of kernels for ptx_complete() where they can be read
 * alone: a program launches few of a module's kernels. `text` must outlive the module.
 */
struct ptx_module *ptx_parse_heads(const char *text, size_t length, struct ptx_error *error);

/** Parses and analyses the body of a function of ptx_parse_heads(), if that is still to be done.
 *  @return false on failure, with *error filled; a later call fails again. */
bool ptx_complete(struct ptx_module *module, const struct ptx_function *function,
                  struct ptx_error *error);

/** Frees a module; NULL is allowed. */
void ptx_free(struct ptx_module *module);

/** Finds control flow and register slots of one parsed function; called by ptx_parse(). */
bool ptx_analyse(struct ptx_module *module, struct ptx_function *function, struct ptx_error *error);

const struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name);
const struct ptx_variable *ptx_find_variable(const struct ptx_module *module, const char *name);

/** Bytes of one value of a type (1 for predicates, 0 for PTX_NONE). */
size_t ptx_type_size(enum ptx_type type);

/** The type that a part of an opcode names ("s32"); PTX_NONE: it names none. */
enum ptx_type ptx_part_type(const char *part);

/** True if one of an opcode's parts after the first is `part`. */
bool ptx_has_part(const struct ptx_instruction *source, const char *part);

/** The path of a source file to show to people: relative to the current folder if the file is in
 *  it; "line" for NULL. */
const char *ptx_shown_path(const char *file);

#endif
