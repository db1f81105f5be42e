/* Splits PTX text into tokens. Every read is bounded by the end of the text, which need not be
 * terminated. */
#include "sim/ptx/parser.h"

#include <stdlib.h>
#include <string.h>

enum { LETTER = 1, DIGIT = 2, HEXADECIMAL = 4, SPACE = 8 };

/* A table of our own, because <ctype.h> depends on the locale and on the sign of char. */
static const unsigned char character_class[256] = {
    [' '] = SPACE,
    ['\t'] = SPACE,
    ['\r'] = SPACE,
    ['\n'] = SPACE,
    ['\f'] = SPACE,
    ['\v'] = SPACE,
    ['0' ... '9'] = DIGIT | HEXADECIMAL,
    ['a' ... 'f'] = LETTER | HEXADECIMAL,
    ['A' ... 'F'] = LETTER | HEXADECIMAL,
    ['g' ... 'z'] = LETTER,
    ['G' ... 'Z'] = LETTER,
    ['_'] = LETTER,
    ['$'] = LETTER,
    ['%'] = LETTER,
};

static bool is(const struct ptx_lexer *lexer, const char *at, int classes)
{
    return at < lexer->end && (character_class[(unsigned char)*at] & classes) != 0;
}

void ptx_lexer_start(struct ptx_lexer *lexer, const char *text, size_t length)
{
    *lexer = (struct ptx_lexer){.next = text, .end = text + length, .line = 1};
}

static struct ptx_token bad_token(const struct ptx_lexer *lexer, const char *reason)
{
    return (struct ptx_token){.kind = PTX_TOKEN_BAD, .text = reason, .line = lexer->line};
}

static void skip_line_comment(struct ptx_lexer *lexer)
{
    const char *newline = memchr(lexer->next, '\n', (size_t)(lexer->end - lexer->next));

    lexer->next = newline ? newline : lexer->end;
}

/* An unterminated comment runs to the end of the text. */
static void skip_block_comment(struct ptx_lexer *lexer)
{
    for (lexer->next += 2; lexer->next < lexer->end; lexer->next++) {
        if (*lexer->next == '\n')
            lexer->line++;
        if (*lexer->next == '*' && lexer->end - lexer->next > 1 && lexer->next[1] == '/') {
            lexer->next += 2;
            return;
        }
    }
}

static void skip_blanks(struct ptx_lexer *lexer)
{
    while (lexer->next < lexer->end) {
        char after = lexer->end - lexer->next > 1 ? lexer->next[1] : '\0';

        if (is(lexer, lexer->next, SPACE)) {
            if (*lexer->next == '\n')
                lexer->line++;
            lexer->next++;
        } else if (*lexer->next == '/' && after == '/') {
            skip_line_comment(lexer);
        } else if (*lexer->next == '/' && after == '*') {
            skip_block_comment(lexer);
        } else {
            return;
        }
    }
}

/* Dots join the parts of an opcode and of %tid.x; "::" stays inside a part, as in shared::cta. */
static const char *end_of_word(const struct ptx_lexer *lexer, const char *at)
{
    for (;;) {
        while (is(lexer, at, LETTER | DIGIT))
            at++;
        if (at < lexer->end && *at == '.' && is(lexer, at + 1, LETTER | DIGIT))
            at++;
        else if (lexer->end - at > 2 && at[0] == ':' && at[1] == ':' &&
                 is(lexer, at + 2, LETTER | DIGIT))
            at += 2;
        else
            return at;
    }
}

static int digit_value(char digit)
{
    if (digit <= '9')
        return digit - '0';
    return (digit | 0x20) - 'a' + 10;
}

/* Reads the bits of a float, exactly 8 or 16 digits: 0f3F800000 or 0d3FF0000000000000. */
static struct ptx_token lex_float_bits(struct ptx_lexer *lexer, struct ptx_token token)
{
    bool single = (token.text[1] | 0x20) == 'f';
    const char *at = token.text + 2;

    while (is(lexer, at, HEXADECIMAL))
        token.bits = token.bits << 4 | (uint64_t)digit_value(*at++);
    token.length = (size_t)(at - token.text);
    token.number_kind = single ? PTX_IMMEDIATE_F32 : PTX_IMMEDIATE_F64;
    if (token.length != (single ? 10 : 18) || is(lexer, at, LETTER | DIGIT))
        return bad_token(lexer, single ? "a 0f constant needs 8 hexadecimal digits"
                                       : "a 0d constant needs 16 hexadecimal digits");
    lexer->next = at;
    return token;
}

/* Reads a number of type .f64 such as 1.5 or 1e10, which only hand-written PTX has. The argument of
 * .version is also read here. */
static struct ptx_token lex_decimal_float(struct ptx_lexer *lexer, struct ptx_token token)
{
    const char *at = token.text;
    char copy[64] = {0}, *copy_end;
    double value;

    while (is(lexer, at, DIGIT) || (at < lexer->end && *at == '.') ||
           (is(lexer, at, LETTER) && (*at | 0x20) == 'e') ||
           (at < lexer->end && (*at == '+' || *at == '-') && (at[-1] | 0x20) == 'e'))
        at++;
    token.length = (size_t)(at - token.text);
    if (token.length >= sizeof copy)
        return bad_token(lexer, "floating-point constant too long");
    memcpy(copy, token.text, token.length);
    value = strtod(copy, &copy_end);
    if (copy_end != copy + token.length || is(lexer, at, LETTER | DIGIT))
        return bad_token(lexer, "malformed floating-point constant");
    memcpy(&token.bits, &value, sizeof value);
    token.number_kind = PTX_IMMEDIATE_F64;
    lexer->next = at;
    return token;
}

static struct ptx_token lex_integer(struct ptx_lexer *lexer, struct ptx_token token)
{
    const char *at = token.text;
    uint64_t base = 10;

    if (*at == '0' && is(lexer, at + 1, LETTER) && (at[1] | 0x20) == 'x')
        base = 16, at += 2;
    else if (*at == '0' && is(lexer, at + 1, LETTER) && (at[1] | 0x20) == 'b')
        base = 2, at += 2;
    else if (*at == '0')
        base = 8;
    const char *digits = at;
    for (; is(lexer, at, base == 16 ? HEXADECIMAL : DIGIT); at++) {
        uint64_t digit = (uint64_t)digit_value(*at);

        if (digit >= base)
            return bad_token(lexer, "digit out of range for the base of this number");
        if (token.bits > (UINT64_MAX - digit) / base)
            return bad_token(lexer, "number does not fit in 64 bits");
        token.bits = token.bits * base + digit;
    }
    if (at == digits)
        return bad_token(lexer, "number without digits");
    if (at < lexer->end && *at == 'U')
        at++;
    if (is(lexer, at, LETTER | DIGIT))
        return bad_token(lexer, "malformed number");
    token.length = (size_t)(at - token.text);
    lexer->next = at;
    return token;
}

static struct ptx_token lex_number(struct ptx_lexer *lexer, struct ptx_token token)
{
    const char *at = token.text;

    token.kind = PTX_TOKEN_NUMBER;
    if (*at == '0' && is(lexer, at + 1, LETTER) && ((at[1] | 0x20) == 'f' || (at[1] | 0x20) == 'd'))
        return lex_float_bits(lexer, token);
    while (is(lexer, at, DIGIT))
        at++;
    if ((at < lexer->end && *at == '.') || (is(lexer, at, LETTER) && (*at | 0x20) == 'e'))
        return lex_decimal_float(lexer, token);
    return lex_integer(lexer, token);
}

static struct ptx_token lex_string(struct ptx_lexer *lexer, struct ptx_token token)
{
    const char *at = token.text + 1;

    while (at < lexer->end && *at != '"' && *at != '\n')
        at += *at == '\\' && lexer->end - at > 1 && at[1] != '\n' ? 2 : 1;
    if (at >= lexer->end || *at != '"')
        return bad_token(lexer, "string without an end");
    token.kind = PTX_TOKEN_STRING;
    token.text++;
    token.length = (size_t)(at - token.text);
    lexer->next = at + 1;
    return token;
}

char ptx_lexer_next_brace(struct ptx_lexer *lexer)
{
    while (lexer->next < lexer->end) {
        const char *const at = lexer->next;

        if (*at == '\n' || *at == '/')
            skip_blanks(lexer);
        else if (*at == '"')
            lex_string(lexer, (struct ptx_token){.text = at});
        if (lexer->next == at)
            lexer->next++;
        if (*at == '{' || *at == '}')
            return *at;
    }
    return '\0';
}

struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer)
{
    skip_blanks(lexer);

    const char *at = lexer->next;
    struct ptx_token token = {.text = at, .line = lexer->line};

    if (at >= lexer->end)
        return token;
    if (is(lexer, at, LETTER)) {
        token.kind = PTX_TOKEN_WORD;
        lexer->next = end_of_word(lexer, at);
    } else if (*at == '.' && is(lexer, at + 1, LETTER | DIGIT)) {
        token.kind = PTX_TOKEN_DIRECTIVE;
        token.text++;
        for (lexer->next++; is(lexer, lexer->next, LETTER | DIGIT);)
            lexer->next++;
    } else if (is(lexer, at, DIGIT)) {
        return lex_number(lexer, token);
    } else if (*at == '"') {
        return lex_string(lexer, token);
    } else {
        token.kind = PTX_TOKEN_PUNCTUATION;
        lexer->next++;
    }
    token.length = (size_t)(lexer->next - token.text);
    return token;
}
