/**
 * @file opcodes.h
 * @brief What is known of an opcode, whoever asks: opcodes.def in code.
 */
#ifndef SIM_PTX_OPCODES_H
#define SIM_PTX_OPCODES_H

#include <stdbool.h>

struct ptx_instruction;

/** The first part of an instruction's text: PTX_OP_ld. Those that opcodes.def lacks are one. */
enum ptx_opcode {
    PTX_OP_UNKNOWN,
#define PTX_OPCODE(name, ...) PTX_OP_##name,
#include "opcodes.def"
    PTX_OP_COUNT
};

/** Opcodes of a kind: bits, of which several make a list. */
enum ptx_class {
    PTX_PLAIN = 0, /**< arithmetic and hints: nothing but a result */
    PTX_LOADS = 1 << 0,
    PTX_STORES = 1 << 1,
    PTX_UPDATES = 1 << 2,  /**< atom */
    PTX_REDUCES = 1 << 3,  /**< red: without a result */
    PTX_COPIES = 1 << 4,   /**< cp, and what waits for it */
    PTX_DISCARDS = 1 << 5, /**< what memory holds is lost */
    PTX_BRANCHES = 1 << 6,
    PTX_CALLS = 1 << 7,
    PTX_RETURNS = 1 << 8, /**< ret, exit */
    PTX_TRAPS = 1 << 9,
    PTX_WAITS = 1 << 10, /**< barriers; bar.warp, too */
    PTX_FENCES = 1 << 11,
    PTX_MEETS = 1 << 12, /**< lanes of a warp give each other something */
    PTX_ATOMIC = PTX_UPDATES | PTX_REDUCES,
    PTX_CHANGES_MEMORY = PTX_STORES | PTX_ATOMIC | PTX_DISCARDS,
    PTX_ENDS = PTX_RETURNS | PTX_TRAPS,
    PTX_LEAVES = PTX_BRANCHES | PTX_ENDS,
    PTX_ORDERS = PTX_ATOMIC | PTX_CALLS | PTX_WAITS | PTX_FENCES /**< no load moves across it */
};

/** What an atomic operation makes of a word: bits, as above. */
enum ptx_update {
    PTX_UPDATES_NOTHING = 0,
    PTX_ADDS = 1 << 0,    /**< done twice it is not what it is once: add, inc, dec */
    PTX_TOGGLES = 1 << 1, /**< nor is this: xor */
    PTX_BOUNDS = 1 << 2,  /**< but this is: and, or, min, max */
    PTX_EXCHANGES = 1 << 3,
    PTX_COMPARES = 1 << 4, /**< cas */
    PTX_SWAPS = PTX_EXCHANGES | PTX_COMPARES
};

/** How an instruction's result depends on its sources. */
enum ptx_rule {
    PTX_RULE_DEFINES,   /**< it has a value, whatever they have */
    PTX_RULE_ALL,       /**< it has one where all of them have */
    PTX_RULE_ANY,       /**< where one of them has: bits of several are put together */
    PTX_RULE_SELECT,    /**< d = p ? a : b */
    PTX_RULE_AND,       /**< of predicates: one that is false decides */
    PTX_RULE_OR,        /**< one that is true decides */
    PTX_RULE_USES,      /**< faults: branches, addresses, atomic operations */
    PTX_RULE_STORES,    /**< the first source is an address; faults where all elements were computed
                             from what has no value. What was only moved leaves memory unwritten. */
    PTX_RULE_IS_LOADED, /**< from local memory: after the load */
    PTX_RULE_SHUFFLE    /**< it has what another lane has, if that takes part: after the shuffle */
};

/** The opcode of a name; PTX_OP_UNKNOWN if there is none. */
enum ptx_opcode ptx_find_opcode(const char *name);

/** True when an instruction is of one of the classes, a mask. */
bool ptx_does(const struct ptx_instruction *source, unsigned classes);

/** True when the instruction behind one may be the next. */
bool ptx_falls_through(const struct ptx_instruction *source);

/** True when an access is meant to meet those of other threads: volatile, relaxed, ... */
bool ptx_is_strong(const struct ptx_instruction *source);

/** True when an access orders those behind it after what it sees, or those before it before what it
 *  lets others see. */
bool ptx_acquires(const struct ptx_instruction *source);
bool ptx_releases(const struct ptx_instruction *source);

/** What the part of an atomic operation's text makes of a word; 0: it says nothing of that. */
enum ptx_update ptx_find_update(const char *part);

/** True when an instruction is a bra to one that stands at `place` or before it. */
bool ptx_goes_back(const struct ptx_instruction *source, int place);

/** True when an instruction writes its first operand: a register, or a list of them. */
bool ptx_writes_result(const struct ptx_instruction *source);

/** The first operand that an instruction reads: 1 behind a result, else 0. */
int ptx_first_read(const struct ptx_instruction *source);

/** The address that an instruction accesses, of a copy the one that it writes to; NULL: none. */
const struct ptx_operand *ptx_address(const struct ptx_instruction *source);

/** What a result is worth, as opcodes.def has it. */
enum ptx_rule ptx_rule_of(const struct ptx_instruction *source);

#endif
