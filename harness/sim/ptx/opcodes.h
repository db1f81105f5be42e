/**
 * @file opcodes.h
 * @brief What is known of an opcode; the functions read opcodes.def.
 */
#ifndef SIM_PTX_OPCODES_H
#define SIM_PTX_OPCODES_H

#include <stdbool.h>

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
    PTX_DISCARDS = 1 << 5, /**< the contents of memory are lost */
    PTX_BRANCHES = 1 << 6,
    PTX_CALLS = 1 << 7,
    PTX_RETURNS = 1 << 8, /**< ret, exit */
    PTX_TRAPS = 1 << 9,
    PTX_WAITS = 1 << 10, /**< barriers, including bar.warp */
    PTX_FENCES = 1 << 11,
    PTX_MEETS = 1 << 12, /**< lanes of a warp exchange values */
    PTX_ATOMIC = PTX_UPDATES | PTX_REDUCES,
    PTX_CHANGES_MEMORY = PTX_STORES | PTX_ATOMIC | PTX_DISCARDS,
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

#endif
