/* What all files of the parser share: the current token, errors, and memory that cannot run out
 * without ending the parse. */
#include "sim/ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- errors --- */

static void set_message(struct ptx_parser *parser, int line, const char *format, va_list arguments)
{
    parser->error->line = line;
    vsnprintf(parser->error->message, sizeof parser->error->message, format, arguments);
    /* Names come from the text and may hold anything; the message is one printable line. */
    for (char *at = parser->error->message; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '?';
}

void ptx_fail(struct ptx_parser *parser, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_message(parser, parser->token.line, format, arguments);
    va_end(arguments);
    longjmp(parser->failure, 1);
}

void ptx_fail_at(struct ptx_parser *parser, int line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_message(parser, line, format, arguments);
    va_end(arguments);
    longjmp(parser->failure, 1);
}

void ptx_fail_expected(struct ptx_parser *parser, const char *wanted)
{
    const struct ptx_token *token = &parser->token;
    int length = token->length < 60 ? (int)token->length : 60;

    if (token->kind == PTX_TOKEN_END)
        ptx_fail(parser, "expected %s, found the end of the text", wanted);
    ptx_fail(parser, "expected %s, found '%s%.*s'", wanted,
             token->kind == PTX_TOKEN_DIRECTIVE ? "." : "", length, token->text);
}

/* --- memory --- */

static void *allocate(struct ptx_parser *parser, struct ptx_arena *arena, size_t size)
{
    void *result = ptx_arena_allocate(arena, size);

    if (!result)
        ptx_fail(parser, "not enough memory");
    return result;
}

void *ptx_keep(struct ptx_parser *parser, size_t size)
{
    return allocate(parser, parser->arena, size);
}

void *ptx_scratch(struct ptx_parser *parser, size_t size)
{
    return allocate(parser, parser->scratch, size);
}

void *ptx_list_add(struct ptx_parser *parser, struct ptx_list *list, size_t size)
{
    if (list->count == list->capacity) {
        if (list->capacity > INT32_MAX / 4)
            ptx_fail(parser, "module too large");

        int capacity = list->capacity ? 2 * list->capacity : 16;
        void *items = ptx_scratch(parser, (size_t)capacity * size);
        if (list->count)
            memcpy(items, list->items, (size_t)list->count * size);
        list->items = items;
        list->capacity = capacity;
    }
    void *item = (char *)list->items + (size_t)list->count++ * size;
    return memset(item, 0, size);
}

void *ptx_list_keep(struct ptx_parser *parser, const struct ptx_list *list, size_t size)
{
    if (!list->count)
        return NULL;
    void *items = ptx_keep(parser, (size_t)list->count * size);
    return memcpy(items, list->items, (size_t)list->count * size);
}

struct ptx_symbol *ptx_intern(struct ptx_parser *parser, const char *text, size_t length)
{
    struct ptx_symbol *symbol = ptx_symbols_intern(&parser->symbols, text, length);

    if (!symbol)
        ptx_fail(parser, "not enough memory");
    return symbol;
}

/* --- tokens --- */

void ptx_advance(struct ptx_parser *parser)
{
    parser->token = ptx_lexer_next(&parser->lexer);
    if (parser->token.kind == PTX_TOKEN_BAD)
        ptx_fail(parser, "%s", parser->token.text);
}

bool ptx_at(const struct ptx_parser *parser, char punctuation)
{
    return parser->token.kind == PTX_TOKEN_PUNCTUATION && *parser->token.text == punctuation;
}

bool ptx_accept(struct ptx_parser *parser, char punctuation)
{
    bool found = ptx_at(parser, punctuation);

    if (found)
        ptx_advance(parser);
    return found;
}

void ptx_expect(struct ptx_parser *parser, char punctuation)
{
    if (!ptx_accept(parser, punctuation))
        ptx_fail_expected(parser, (char[]){'\'', punctuation, '\'', '\0'});
}

bool ptx_at_directive(const struct ptx_parser *parser, const char *name)
{
    const struct ptx_token *token = &parser->token;

    return token->kind == PTX_TOKEN_DIRECTIVE && strlen(name) == token->length &&
           memcmp(name, token->text, token->length) == 0;
}

bool ptx_accept_directive(struct ptx_parser *parser, const char *name)
{
    bool found = ptx_at_directive(parser, name);

    if (found)
        ptx_advance(parser);
    return found;
}

struct ptx_symbol *ptx_expect_word(struct ptx_parser *parser)
{
    if (parser->token.kind != PTX_TOKEN_WORD)
        ptx_fail_expected(parser, "a name");

    struct ptx_symbol *symbol = ptx_intern(parser, parser->token.text, parser->token.length);
    ptx_advance(parser);
    return symbol;
}

uint64_t ptx_expect_integer(struct ptx_parser *parser, uint64_t limit)
{
    uint64_t value = parser->token.bits;

    if (parser->token.kind != PTX_TOKEN_NUMBER ||
        parser->token.number_kind != PTX_IMMEDIATE_INTEGER)
        ptx_fail_expected(parser, "an integer");
    if (value > limit)
        ptx_fail(parser, "%llu is too large here", (unsigned long long)value);
    ptx_advance(parser);
    return value;
}

int64_t ptx_parse_addend(struct ptx_parser *parser)
{
    uint64_t sum = 0; /* unsigned, because addresses wrap around */

    while (ptx_at(parser, '+') || ptx_at(parser, '-')) {
        bool minus = ptx_accept(parser, '-');

        if (!minus) {
            ptx_advance(parser);
            minus = ptx_accept(parser, '-');
        }
        uint64_t value = ptx_expect_integer(parser, UINT64_MAX);
        while (ptx_accept(parser, '*'))
            value *= ptx_expect_integer(parser, UINT64_MAX);
        sum = minus ? sum - value : sum + value;
    }
    return (int64_t)sum;
}

void ptx_skip_body(struct ptx_parser *parser)
{
    int depth = ptx_at(parser, '{') ? 2 : ptx_at(parser, '}') ? 0 : 1;

    while (depth > 0) {
        const char brace = ptx_lexer_next_brace(&parser->lexer);

        if (!brace)
            ptx_advance(parser);
        if (!brace)
            ptx_fail_expected(parser, "'}'");
        depth += brace == '{' ? 1 : -1;
    }
    ptx_advance(parser);
}

void ptx_skip_group(struct ptx_parser *parser, char open, char close)
{
    int depth = 0;

    if (!ptx_at(parser, open))
        ptx_expect(parser, open);
    do {
        if (ptx_at(parser, open))
            depth++;
        else if (ptx_at(parser, close))
            depth--;
        else if (parser->token.kind == PTX_TOKEN_END)
            ptx_fail_expected(parser, (char[]){'\'', close, '\'', '\0'});
        ptx_advance(parser);
    } while (depth > 0);
}
