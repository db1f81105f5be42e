/* Declarations of variables, such as .global .align 4 .f32 name[8][4] = {...}, and the offsets of
 * variables inside an area of memory. */
#include "sim/ptx/parser.h"

enum { MAX_ALIGN = 1 << 16 };
static const uint64_t max_variable_bytes = 1ull << 40;

enum ptx_space ptx_accept_space(struct ptx_parser *parser)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {
        {"global", PTX_GLOBAL}, {"const", PTX_CONST}, {"shared", PTX_SHARED},
        {"local", PTX_LOCAL},   {"param", PTX_PARAM},
    };

    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (ptx_accept_directive(parser, spaces[i].name))
            return spaces[i].space;
    return PTX_GENERIC;
}

static uint64_t parse_align(struct ptx_parser *parser)
{
    uint64_t align = parser->token.bits;

    ptx_expect_integer(parser, MAX_ALIGN);
    if (align == 0 || (align & (align - 1)) != 0)
        ptx_fail(parser, ".align %llu is not a power of two", (unsigned long long)align);
    return align;
}

/* Skips .ptr .global .align 16, which says what a parameter points at: a hint to the optimiser. */
static void skip_pointer_attributes(struct ptx_parser *parser)
{
    ptx_accept_space(parser);
    if (ptx_accept_directive(parser, "align"))
        parse_align(parser);
}

static bool parse_attribute(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    if (ptx_accept_directive(parser, "align"))
        declaration->align = parse_align(parser);
    else if (ptx_accept_directive(parser, "ptr"))
        skip_pointer_attributes(parser);
    else if (ptx_accept_directive(parser, "attribute"))
        ptx_skip_group(parser, '(', ')');
    else if (ptx_accept_directive(parser, "v2"))
        declaration->vector = 2;
    else if (ptx_accept_directive(parser, "v4"))
        declaration->vector = 4;
    else
        return false;
    return true;
}

struct ptx_declaration ptx_parse_declaration(struct ptx_parser *parser, enum ptx_space space)
{
    struct ptx_declaration declaration = {.space = space, .vector = 1};

    for (;;) {
        if (parse_attribute(parser, &declaration))
            continue;
        if (parser->token.kind != PTX_TOKEN_DIRECTIVE || declaration.type != PTX_NONE)
            break;
        declaration.type = ptx_type_named(parser->token.text, parser->token.length);
        if (declaration.type == PTX_NONE)
            ptx_fail_expected(parser, "a type");
        ptx_advance(parser);
    }
    if (declaration.type == PTX_NONE)
        ptx_fail_expected(parser, "a type");
    if (declaration.type == PTX_PRED)
        ptx_fail(parser, "a variable in memory cannot be a predicate");
    return declaration;
}

/* Parses dimensions such as [4][8]; a first dimension without a number is stored as 0. */
static int parse_dimensions(struct ptx_parser *parser, uint64_t *dimensions)
{
    int count = 0;

    while (ptx_accept(parser, '[')) {
        if (count == PTX_MAX_DIMENSIONS)
            ptx_fail(parser, "more than %d dimensions", PTX_MAX_DIMENSIONS);
        if (count == 0 && ptx_at(parser, ']'))
            dimensions[count] = 0;
        else
            dimensions[count] = ptx_expect_integer(parser, max_variable_bytes);
        count++;
        ptx_expect(parser, ']');
    }
    return count;
}

struct ptx_variable ptx_parse_declarator(struct ptx_parser *parser,
                                         const struct ptx_declaration *declaration)
{
    uint64_t dimensions[PTX_MAX_DIMENSIONS + 1];
    uint64_t bytes = ptx_type_size(declaration->type);
    struct ptx_variable variable = {
        .name = ptx_expect_word(parser)->name,
        .space = declaration->space,
        .type = declaration->type,
        .is_extern = declaration->is_extern,
    };
    int count = parse_dimensions(parser, dimensions);

    if (declaration->vector > 1)
        dimensions[count++] = (uint64_t)declaration->vector;
    variable.align =
        declaration->align ? declaration->align : bytes * (uint64_t)declaration->vector;
    for (int i = count; i-- > 0;) {
        if (dimensions[i] == 0 && i > 0)
            ptx_fail(parser, "a dimension of '%s' is 0", variable.name);
        if (dimensions[i] && bytes > max_variable_bytes / dimensions[i])
            ptx_fail(parser, "variable '%s' is too large", variable.name);
        bytes *= dimensions[i];
    }
    variable.size = bytes;
    if (ptx_accept(parser, '='))
        ptx_parse_initialiser(parser, &variable, dimensions, count);
    return variable;
}

size_t ptx_place_variable(const struct ptx_variable *variable, size_t *end)
{
    size_t offset = (*end + variable->align - 1) & ~(variable->align - 1);

    *end = offset + variable->size;
    return offset;
}

struct ptx_variable *ptx_parse_parameters(struct ptx_parser *parser, int *count, size_t *bytes)
{
    struct ptx_list list = {0};

    *bytes = 0;
    ptx_expect(parser, '(');
    while (!ptx_accept(parser, ')')) {
        if (list.count)
            ptx_expect(parser, ',');
        if (ptx_at_directive(parser, "reg"))
            ptx_fail(parser, "parameters in registers are not supported");
        if (!ptx_accept_directive(parser, "param"))
            ptx_fail_expected(parser, ".param");

        struct ptx_declaration declaration = ptx_parse_declaration(parser, PTX_PARAM);
        struct ptx_variable variable = ptx_parse_declarator(parser, &declaration);
        variable.offset = ptx_place_variable(&variable, bytes);
        *(struct ptx_variable *)ptx_list_add(parser, &list, sizeof variable) = variable;
    }
    *count = list.count;
    return ptx_list_keep(parser, &list, sizeof(struct ptx_variable));
}
