/**
 * @file parser.h
 * @brief State shared by the files of the PTX parser.
 *
 * The text may be malformed at any token, so an error leaves by longjmp() to ptx_parse(). Nothing
 * needs undoing on the way, because everything that was allocated belongs to an arena.
 */
#ifndef SIM_PTX_PARSER_H
#define SIM_PTX_PARSER_H

#include "sim/ptx/arena.h"
#include "sim/ptx/ptx.h"

#include <setjmp.h>

/* ---- Tokens of PTX text. The lexer allocates nothing: tokens point into the text ---- */

/** Kinds of tokens. */
enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,        /**< a name or a whole opcode: %r1, $L__BB0_1, ld.global.v4.f32 */
    PTX_TOKEN_DIRECTIVE,   /**< .reg, .b32; it ends at the next dot; `text` has no dots */
    PTX_TOKEN_NUMBER,      /**< bits and number_kind hold the value */
    PTX_TOKEN_STRING,      /**< text without its quotes; escapes stay as they are */
    PTX_TOKEN_PUNCTUATION, /**< one character */
    PTX_TOKEN_BAD          /**< `text` is the reason, a C string; the lexer does not move on */
};

/** One token: a piece of the text, not copied. */
struct ptx_token {
    enum ptx_token_kind kind;
    const char *text;
    size_t length;
    int line;
    uint64_t bits;
    enum ptx_immediate_kind number_kind;
};

/** How far the text has been read. */
struct ptx_lexer {
    const char *next, *end;
    int line;
};

void ptx_lexer_start(struct ptx_lexer *lexer, const char *text, size_t length);

/** Goes on behind the next { or }, of which none is in a comment or a string. @return it; 0: there
 *  is none. */
char ptx_lexer_next_brace(struct ptx_lexer *lexer);

/** Reads the next token; at the end of the text every call gives PTX_TOKEN_END. */
struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer);

/* ---- Names: interned once, and what each of them means in the scope being parsed ---- */

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
    int unit;                    /**< translation unit of the variable's or function's definition */
    bool is_local, is_weak;      /**< of that definition */
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

/** A growing array in the scratch arena. */
struct ptx_list {
    void *items;
    int count, capacity;
};

enum { PTX_MAX_SCOPES = 64, PTX_MAX_DIMENSIONS = 8, PTX_MAX_NESTING = 8 };

/** A range such as `.reg .b32 %r<9>;`. A register of it is made when first named, since a function
 *  may use few of them. */
struct ptx_register_range {
    struct ptx_symbol *prefix;
    uint64_t count;
    enum ptx_type type;
    int depth;
};

/** An operand whose name is not known yet: a later label, or a name of the module. */
struct ptx_pending_name {
    struct ptx_operand *operand;
    struct ptx_symbol *symbol;
    int line;
    struct ptx_pending_name *next;
};

/** An operand that names function->variables[index]. That array is complete only later. */
struct ptx_variable_use {
    struct ptx_operand *operand;
    int index;
};

/** One { } of a function body. */
struct ptx_scope {
    struct ptx_binding *bindings;
    struct ptx_pending_name *pending;
    int range_count;        /**< ranges that were visible before this scope */
    size_t callparam_start; /**< where its .param memory starts, which the next scope reuses */
};

/** One `.loc`; `parent` is the place at which this place was inlined, -1 for none. */
struct ptx_location {
    uint64_t file;
    int line, column, parent;
    int next_in_bucket; /**< 1 + index of an earlier location in its bucket, 0 for none */
};

enum { PTX_LOCATION_BUCKETS = 1024 };

/** The function being parsed. */
struct ptx_body {
    struct ptx_function *function;
    struct ptx_list registers, instructions, variables; /**< become the arrays of `function` */
    struct ptx_list ranges;                             /**< struct ptx_register_range */
    struct ptx_list uses;                               /**< struct ptx_variable_use */
    struct ptx_list operands;                           /**< stack of the operands being parsed */
    struct ptx_scope scopes[PTX_MAX_SCOPES];
    int depth;
    int nesting;    /**< depth of operand lists */
    int last_label; /**< largest instruction index of a label, -1 for none */
    size_t callparam_end;
    int location; /**< 1 + index of the current .loc, 0 for none */
};

/** Where a body begins that is not parsed yet. */
struct ptx_rest {
    struct ptx_lexer lexer;
    struct ptx_token token;
};

/** State of one parse. */
struct ptx_parser {
    bool leaves_bodies; /**< of kernels, for ptx_complete() */
    struct ptx_lexer lexer;
    struct ptx_token token; /**< the next token to parse */
    struct ptx_module *module;
    struct ptx_arena *arena;   /**< the module's */
    struct ptx_arena *scratch; /**< freed after parsing */
    struct ptx_symbols symbols;
    struct ptx_list variables, functions, files, locations, aliases;
    int unit; /**< translation unit: a text may hold several, each of which begins with .version */
    int location_buckets[PTX_LOCATION_BUCKETS]; /**< 1 + index of the latest location, 0 for none */
    struct ptx_pending_name *pending;           /**< names that only the whole module resolves */
    struct ptx_body *body;
    struct ptx_error *error;
    jmp_buf failure;
};

/* tokens.c: tokens, errors and memory */

/** Ends parsing with a message about the current token's line. */
_Noreturn void ptx_fail(struct ptx_parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void ptx_fail_at(struct ptx_parser *parser, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** Ends parsing with a message that `wanted` was expected in place of the current token. */
_Noreturn void ptx_fail_expected(struct ptx_parser *parser, const char *wanted);

void ptx_advance(struct ptx_parser *parser);
bool ptx_at(const struct ptx_parser *parser, char punctuation);
bool ptx_accept(struct ptx_parser *parser, char punctuation);
void ptx_expect(struct ptx_parser *parser, char punctuation);
bool ptx_at_directive(const struct ptx_parser *parser, const char *name);
bool ptx_accept_directive(struct ptx_parser *parser, const char *name);
/** Consumes a name and interns it. */
struct ptx_symbol *ptx_expect_word(struct ptx_parser *parser);
/** Consumes an integer without sign, at most `limit`. */
uint64_t ptx_expect_integer(struct ptx_parser *parser, uint64_t limit);
/** Parses `+ 4` or `- 4`, or nothing, which is 0; a sign may follow the plus. */
int64_t ptx_parse_addend(struct ptx_parser *parser);
/** Skips a body whose '{' was the last token, and its '}'. */
void ptx_skip_body(struct ptx_parser *parser);
/** Skips `open ... close` with everything nested in it; the current token is `open`. */
void ptx_skip_group(struct ptx_parser *parser, char open, char close);

/** Zeroed memory: ptx_keep() for the life of the module, ptx_scratch() until parsing ends. */
void *ptx_keep(struct ptx_parser *parser, size_t size);
void *ptx_scratch(struct ptx_parser *parser, size_t size);
/** Adds a zeroed item of `size` bytes; pointers to other items may become invalid. */
void *ptx_list_add(struct ptx_parser *parser, struct ptx_list *list, size_t size);
/** The items as an array that lives as long as the module. */
void *ptx_list_keep(struct ptx_parser *parser, const struct ptx_list *list, size_t size);
struct ptx_symbol *ptx_intern(struct ptx_parser *parser, const char *text, size_t length);

/** `@!%p1` in front of an instruction. */
struct ptx_guard {
    int reg; /**< -1 for none */
    bool negated;
};

/* types.c */

/** The type that a directive such as "b32" names, PTX_NONE for none. */
enum ptx_type ptx_type_named(const char *text, size_t length);

/* variables.c */

/** What a declaration says before the names; it holds for each variable that follows. */
struct ptx_declaration {
    enum ptx_space space;
    enum ptx_type type;
    bool is_extern;
    uint64_t align; /**< 0: natural alignment */
    int vector;     /**< elements of .v2 or .v4; 1: no vector */
};

/** Parses type, alignment and attributes, up to the name, after the directive of the space. */
struct ptx_declaration ptx_parse_declaration(struct ptx_parser *parser, enum ptx_space space);
/** Parses a name, dimensions and initial value. */
struct ptx_variable ptx_parse_declarator(struct ptx_parser *parser,
                                         const struct ptx_declaration *declaration);
/** Consumes the directive of a space that variables can have; PTX_GENERIC if there is none. */
enum ptx_space ptx_accept_space(struct ptx_parser *parser);
/** The offset of a variable that is placed behind `end` bytes; *end moves behind the variable. */
size_t ptx_place_variable(const struct ptx_variable *variable, size_t *end);
/** Parses (.param ..., ...) to variables with offsets; *bytes is the size of the whole area. */
struct ptx_variable *ptx_parse_parameters(struct ptx_parser *parser, int *count, size_t *bytes);

/* initialiser.c */

/** Parses the values after '=' into variable->data and ->relocations. Sizes an unsized array.
 *  `dimensions` are the array's dimensions, innermost last. */
void ptx_parse_initialiser(struct ptx_parser *parser, struct ptx_variable *variable,
                           const uint64_t *dimensions, int dimension_count);

/* scopes.c */

void ptx_scope_open(struct ptx_parser *parser);
/** Resolves pending names to labels of the scope. Names that stay unknown wait in the scope
 *  around it. */
void ptx_scope_close(struct ptx_parser *parser);
/** Undoes what the scopes bind that an error left open. */
void ptx_scopes_abandon(struct ptx_parser *parser);
struct ptx_binding *ptx_bind(struct ptx_parser *parser, struct ptx_symbol *symbol,
                             enum ptx_binding_kind kind);
/** Index of the register that a name means in the current scope, -1 for none. */
int ptx_find_register(struct ptx_parser *parser, struct ptx_symbol *symbol);
/** Fills in what an operand's name means: at once, or at the end of a scope or of the module. */
void ptx_resolve_later(struct ptx_parser *parser, struct ptx_operand *operand, int line);
/** Parses what follows the directive `.reg`. */
void ptx_parse_registers(struct ptx_parser *parser);

/* function.c */

/** Parses what follows the directive `.func` or `.entry`. */
void ptx_parse_function(struct ptx_parser *parser, bool is_entry, bool is_extern, bool is_weak);
/** Parses the body of a function after its '{'. */
void ptx_parse_definition(struct ptx_parser *parser, struct ptx_function *function);

/* body.c */

/** Parses the statements of parser->body after its '{', and the closing '}'. */
void ptx_parse_body(struct ptx_parser *parser);

/* instruction.c */

/** Parses the rest of an instruction, up to ';', after its guard and opcode. */
void ptx_parse_instruction(struct ptx_parser *parser, const struct ptx_guard *guard,
                           struct ptx_symbol *opcode, int line);
/** Adds a `ret` that the text does not have. */
void ptx_add_return(struct ptx_parser *parser);
/** Parses `@%p` or `@!%p`, or nothing, which gives register -1. */
struct ptx_guard ptx_parse_guard(struct ptx_parser *parser);

/* operand.c */

/** Parses `a, b, ...` up to `stop`, which is consumed; the list may be empty. */
int ptx_parse_operands(struct ptx_parser *parser, char stop, struct ptx_operand **operands);
/** The two halves of ptx_parse_operands(), for a caller that moves the operands in between. Names
 *  must be resolved in the operands' final place. */
int ptx_collect_operands(struct ptx_parser *parser, char stop, struct ptx_operand **operands);
void ptx_resolve_operands(struct ptx_parser *parser, struct ptx_operand *operands, int count,
                          int line);

/* toolkit_path.c */

/** Whether a source file is the toolkit's or the system's, not the user's, by the path that nvcc
 *  wrote. `home` is the folder of the toolkit that compiles here, with bin and include in it; NULL
 *  if none is known. */
bool ptx_path_is_of_toolkit(const char *path, const char *home);

/* location.c */

void ptx_parse_file(struct ptx_parser *parser);
void ptx_parse_location(struct ptx_parser *parser);
/** Begins a function's locations: those of other functions are not looked up in it. */
void ptx_begin_locations(struct ptx_parser *parser);
/** Turns the location indices that parsing left in `line` into files and lines. */
void ptx_resolve_locations(struct ptx_parser *parser, const struct ptx_function *function);

#endif
