/* Heads of functions and kernels: name, launch bounds, and what they declare. */
#include "sim/ptx/parser.h"

#include <string.h>

/* The hardware's limits on the local memory of a thread and the parameters of a kernel. */
enum { MOST_LOCAL_BYTES = 512 << 10, MOST_PARAMETER_BYTES = 32764 };

/* Parses x, y, z; a number that is left out is 1. */
static void parse_extent(struct ptx_parser *parser, int extent[3])
{
    extent[0] = extent[1] = extent[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (i > 0 && !ptx_accept(parser, ','))
            return;
        extent[i] = (int)ptx_expect_integer(parser, 1 << 20);
    }
}

static int product(const int extent[3])
{
    uint64_t all = (uint64_t)extent[0] * (uint64_t)extent[1];

    all = all > INT32_MAX ? INT32_MAX : all * (uint64_t)extent[2];
    return all > INT32_MAX ? INT32_MAX : (int)all;
}

/* Attributes are promises to the optimiser: they are read and not kept. */
static bool skip_attribute(struct ptx_parser *parser)
{
    static const char *const names[] = {
        "noreturn",     "minnctapersm",         "maxnctapersm",
        "maxnreg",      "maxclusterrank",       "explicitcluster",
        "abi_preserve", "abi_preserve_control", "blocksareclusters",
    };
    int ignored[3];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (ptx_accept_directive(parser, names[i])) {
            if (parser->token.kind == PTX_TOKEN_NUMBER)
                parse_extent(parser, ignored);
            return true;
        }
    }
    if (ptx_accept_directive(parser, "pragma")) {
        while (parser->token.kind == PTX_TOKEN_STRING || ptx_at(parser, ','))
            ptx_advance(parser);
        ptx_expect(parser, ';');
        return true;
    }
    if (ptx_accept_directive(parser, "attribute")) {
        ptx_skip_group(parser, '(', ')');
        return true;
    }
    return false;
}

static void parse_attributes(struct ptx_parser *parser, struct ptx_function *function)
{
    int extent[3];

    for (;;) {
        if (ptx_accept_directive(parser, "maxntid")) {
            parse_extent(parser, extent);
            function->max_threads = product(extent);
        } else if (ptx_accept_directive(parser, "reqntid")) {
            parse_extent(parser, function->required_block);
        } else if (ptx_accept_directive(parser, "reqnctapercluster")) {
            parse_extent(parser, function->cluster);
        } else if (!skip_attribute(parser)) {
            return;
        }
    }
}

static void bind_parameters(struct ptx_parser *parser, struct ptx_variable *variables, int count)
{
    for (int i = 0; i < count; i++) {
        struct ptx_symbol *symbol =
            ptx_intern(parser, variables[i].name, strlen(variables[i].name));

        ptx_bind(parser, symbol, PTX_BINDING_VARIABLE)->variable = &variables[i];
    }
}

void ptx_parse_definition(struct ptx_parser *parser, struct ptx_function *function)
{
    struct ptx_body *body = ptx_scratch(parser, sizeof *body);

    body->function = function;
    body->last_label = -1;
    parser->body = body;
    ptx_begin_locations(parser);
    ptx_scope_open(parser);
    bind_parameters(parser, function->params, function->param_count);
    bind_parameters(parser, function->returns, function->return_count);
    ptx_parse_body(parser);
    parser->body = NULL;
    if (function->local_bytes > MOST_LOCAL_BYTES || function->callparam_bytes > MOST_LOCAL_BYTES)
        ptx_fail(parser, "'%s' takes %zu bytes of local memory; a thread has %d", function->name,
                 function->local_bytes > MOST_LOCAL_BYTES ? function->local_bytes
                                                          : function->callparam_bytes,
                 MOST_LOCAL_BYTES);
}

static void leave_body(struct ptx_parser *parser, struct ptx_function *function)
{
    struct ptx_rest *const rest = ptx_keep(parser, sizeof *rest);

    *rest = (struct ptx_rest){.lexer = parser->lexer, .token = parser->token};
    function->rest = rest;
    ptx_skip_body(parser);
}

/* A definition replaces what an earlier declaration said, and a second declaration adds nothing. Of
 * weak definitions in several translation units the first is taken. */
static void record(struct ptx_parser *parser, struct ptx_symbol *symbol,
                   const struct ptx_function *function, bool is_weak)
{
    if (symbol->module_variable)
        ptx_fail(parser, "'%s' is both a function and a variable", symbol->name);
    if (!symbol->module_function) {
        struct ptx_function *added = ptx_list_add(parser, &parser->functions, sizeof *added);

        *added = *function;
        symbol->module_function = parser->functions.count;
        symbol->unit = parser->unit;
        symbol->is_weak = is_weak;
        return;
    }
    struct ptx_function *known = parser->functions.items;
    known += symbol->module_function - 1;
    if (known->has_body && function->has_body && is_weak && symbol->is_weak &&
        symbol->unit != parser->unit)
        return;
    if (known->has_body && function->has_body)
        ptx_fail(parser, "function '%s' is defined twice", symbol->name);
    if (function->has_body) {
        *known = *function;
        symbol->unit = parser->unit;
        symbol->is_weak = is_weak;
    }
}

void ptx_parse_function(struct ptx_parser *parser, bool is_entry, bool is_extern, bool is_weak)
{
    struct ptx_function function = {.is_entry = is_entry, .target = parser->module->target};
    size_t return_bytes = 0;

    while (skip_attribute(parser))
        continue;
    if (!is_entry && ptx_at(parser, '('))
        function.returns = ptx_parse_parameters(parser, &function.return_count, &return_bytes);
    if (function.return_count > 1)
        ptx_fail(parser, "more than one return value");
    struct ptx_symbol *symbol = ptx_expect_word(parser);
    function.name = symbol->name;
    if (ptx_at(parser, '('))
        function.params =
            ptx_parse_parameters(parser, &function.param_count, &function.param_bytes);
    /* The parameters of other functions are on a thread's stack. */
    const size_t most = is_entry ? MOST_PARAMETER_BYTES : MOST_LOCAL_BYTES;
    if (function.param_bytes > most || return_bytes > most)
        ptx_fail(parser, "'%s' takes %zu bytes of parameters; %zu are the most", symbol->name,
                 function.param_bytes > most ? function.param_bytes : return_bytes, most);
    parse_attributes(parser, &function);
    if (!ptx_accept(parser, ';')) {
        ptx_expect(parser, '{');
        if (is_extern)
            ptx_fail(parser, ".extern function '%s' has a body", symbol->name);
        function.has_body = true;
        if (is_entry && parser->leaves_bodies)
            leave_body(parser, &function);
        else
            ptx_parse_definition(parser, &function);
    }
    record(parser, symbol, &function, is_weak);
}
