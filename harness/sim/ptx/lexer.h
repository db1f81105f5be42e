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

/** Reads the next token; at the end of the text every call gives PTX_TOKEN_END. */
struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer);

#endif
