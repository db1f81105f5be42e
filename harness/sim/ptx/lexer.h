/**
 * @file lexer.h
 * @brief Tokens of PTX text. The lexer allocates nothing: tokens point into the text.
 */
#ifndef SIM_PTX_LEXER_H
#define SIM_PTX_LEXER_H

#include "sim/ptx/ptx.h"

/** Kinds of tokens. */
enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,        /**< a name or a whole opcode: %r1, $L__BB0_1, ld.global.v4.f32 */
    PTX_TOKEN_DIRECTIVE,   /**< .reg, .b32; up to the next dot, the dot not in `text` */
    PTX_TOKEN_NUMBER,      /**< bits and number_kind hold the value */
    PTX_TOKEN_STRING,      /**< text without its quotes, escapes left as they are */
    PTX_TOKEN_PUNCTUATION, /**< one character */
    PTX_TOKEN_BAD          /**< text is the reason, a C string; the lexer stays before it */
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

/** Where reading stands. */
struct ptx_lexer {
    const char *next, *end;
    int line;
};

void ptx_lexer_start(struct ptx_lexer *lexer, const char *text, size_t length);

/** The next token; PTX_TOKEN_END for ever once the text is used up. */
struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer);

#endif
