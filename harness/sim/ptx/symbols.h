/**
 * @file symbols.h
 * @brief Names: interned once, and what each of them means in the scope being parsed.
 */
#ifndef SIM_PTX_SYMBOLS_H
#define SIM_PTX_SYMBOLS_H

#include "sim/ptx/arena.h"
#include "sim/ptx/ptx.h"

/** What a name means. */
enum ptx_binding_kind {
    PTX_BINDING_REGISTER, /**< index into the function's registers */
    PTX_BINDING_VARIABLE, /**< index into the function's variables, or `variable` for parameters */
    PTX_BINDING_LABEL,    /**< index of an instruction */
    PTX_BINDING_OPERAND   /**< `operand`: a label of .branchtargets or .callprototype */
};

/** What a name means in one { } scope of a function body. */
struct ptx_binding {
    enum ptx_binding_kind kind;
    int depth; /**< of the scope; 1 is the function's body */
    int index;
    const struct ptx_variable *variable; /**< a parameter or return value; else NULL */
    struct ptx_operand *operand;
    struct ptx_symbol *symbol;
    struct ptx_binding *shadowed;      /**< what the name means in the scopes around */
    struct ptx_binding *next_in_scope; /**< to undo a scope's bindings at its end */
};

/** One distinct spelling. Also keeps the parts of an opcode, because opcodes repeat a lot. */
struct ptx_symbol {
    const char *name;
    size_t length;
    uint32_t hash;
    struct ptx_binding *binding; /**< innermost, NULL outside of functions */
    int module_variable;         /**< 1 + index, 0 for none */
    int module_function;         /**< 1 + index, 0 for none */
    const char **parts;          /**< of an opcode; NULL until the first use as an opcode */
    int part_count;
    enum ptx_opcode operation;
    enum ptx_update update;
};

/** A hash table with open addressing. It has a power of two of slots and is at most half full. */
struct ptx_symbols {
    struct ptx_arena *arena;
    struct ptx_symbol **slots;
    size_t slot_count, used;
};

/** @return the one symbol of this spelling; NULL when there is no memory. */
struct ptx_symbol *ptx_symbols_intern(struct ptx_symbols *symbols, const char *text, size_t length);

/** @return the symbol if the spelling has been interned, else NULL. */
struct ptx_symbol *ptx_symbols_find(const struct ptx_symbols *symbols, const char *text,
                                    size_t length);

#endif
