/* What names mean inside a function. A body is a stack of { } scopes. Each scope may declare
 * registers, variables and labels of its own. Labels may be used before they are declared. */
#include "sim/ptx/parser.h"

#include <string.h>

void ptx_scope_open(struct ptx_parser *parser)
{
    struct ptx_body *body = parser->body;

    if (body->depth + 1 == PTX_MAX_SCOPES)
        ptx_fail(parser, "more than %d nested { }", PTX_MAX_SCOPES - 1);
    body->depth++;
    body->scopes[body->depth] = (struct ptx_scope){
        .range_count = body->ranges.count,
        .callparam_start = body->callparam_end,
    };
}

struct ptx_binding *ptx_bind(struct ptx_parser *parser, struct ptx_symbol *symbol,
                             enum ptx_binding_kind kind)
{
    struct ptx_scope *scope = &parser->body->scopes[parser->body->depth];
    struct ptx_binding *binding = ptx_scratch(parser, sizeof *binding);

    if (symbol->binding && symbol->binding->depth == parser->body->depth)
        ptx_fail(parser, "'%s' is declared twice in one { }", symbol->name);
    *binding = (struct ptx_binding){
        .kind = kind,
        .depth = parser->body->depth,
        .symbol = symbol,
        .shadowed = symbol->binding,
        .next_in_scope = scope->bindings,
    };
    symbol->binding = binding;
    scope->bindings = binding;
    return binding;
}

/* --- registers --- */

static int add_register(struct ptx_parser *parser, const char *name, enum ptx_type type)
{
    struct ptx_register *reg = ptx_list_add(parser, &parser->body->registers, sizeof *reg);

    *reg = (struct ptx_register){.name = name, .type = type};
    return parser->body->registers.count - 1;
}

/* Splits %r12 into %r and 12. Numbers in names have no leading zeros. */
static bool split_number(const struct ptx_symbol *symbol, size_t *prefix_length, uint64_t *number)
{
    size_t at = symbol->length;

    while (at > 0 && symbol->name[at - 1] >= '0' && symbol->name[at - 1] <= '9')
        at--;
    *prefix_length = at;
    *number = 0;
    if (at == symbol->length || symbol->length - at > 18 ||
        (symbol->name[at] == '0' && symbol->length - at > 1))
        return false;
    for (; at < symbol->length; at++)
        *number = *number * 10 + (uint64_t)(symbol->name[at] - '0');
    return true;
}

static const struct ptx_register_range *find_range(const struct ptx_body *body,
                                                   const struct ptx_symbol *symbol)
{
    const struct ptx_register_range *ranges = body->ranges.items;
    size_t prefix_length;
    uint64_t number;

    if (!split_number(symbol, &prefix_length, &number))
        return NULL;
    for (int i = body->ranges.count; i-- > 0;)
        if (ranges[i].prefix->length == prefix_length && number < ranges[i].count &&
            memcmp(ranges[i].prefix->name, symbol->name, prefix_length) == 0)
            return &ranges[i];
    return NULL;
}

int ptx_find_register(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    struct ptx_body *body = parser->body;
    const struct ptx_binding *binding = symbol->binding;

    /* A range of an inner scope shadows the binding. Usually there is no such range. */
    if (!binding || binding->depth < body->depth) {
        const struct ptx_register_range *range = find_range(body, symbol);

        if (range && (!binding || range->depth > binding->depth)) {
            int depth = body->depth;

            body->depth = range->depth; /* the register belongs to the scope of its range */
            ptx_bind(parser, symbol, PTX_BINDING_REGISTER)->index =
                add_register(parser, symbol->name, range->type);
            body->depth = depth;
            return symbol->binding->index;
        }
    }
    return binding && binding->kind == PTX_BINDING_REGISTER ? binding->index : -1;
}

static void parse_register_name(struct ptx_parser *parser, enum ptx_type type)
{
    struct ptx_symbol *symbol = ptx_expect_word(parser);

    if (ptx_accept(parser, '<')) {
        struct ptx_register_range *range =
            ptx_list_add(parser, &parser->body->ranges, sizeof *range);

        *range = (struct ptx_register_range){
            .prefix = symbol,
            .count = ptx_expect_integer(parser, INT32_MAX),
            .type = type,
            .depth = parser->body->depth,
        };
        ptx_expect(parser, '>');
    } else {
        struct ptx_binding *binding = ptx_bind(parser, symbol, PTX_BINDING_REGISTER);

        binding->index = add_register(parser, symbol->name, type);
    }
}

void ptx_parse_registers(struct ptx_parser *parser)
{
    enum ptx_type type = PTX_NONE;

    if (ptx_at_directive(parser, "v2") || ptx_at_directive(parser, "v4"))
        ptx_fail(parser, "vector registers are not supported");
    if (parser->token.kind == PTX_TOKEN_DIRECTIVE)
        type = ptx_type_named(parser->token.text, parser->token.length);
    if (type == PTX_NONE)
        ptx_fail_expected(parser, "a type");
    if (type == PTX_B128)
        ptx_fail(parser, "128-bit registers are not supported");
    ptx_advance(parser);
    do
        parse_register_name(parser, type);
    while (ptx_accept(parser, ','));
    ptx_expect(parser, ';');
}

/* --- names used before they are known --- */

static void resolve_to_variable(struct ptx_parser *parser, struct ptx_operand *operand,
                                const struct ptx_binding *binding)
{
    if (operand->kind == PTX_OPERAND_FUNCTION)
        operand->kind = PTX_OPERAND_VARIABLE;
    operand->variable = binding->variable;
    if (!binding->variable) {
        struct ptx_variable_use *use = ptx_list_add(parser, &parser->body->uses, sizeof *use);

        *use = (struct ptx_variable_use){.operand = operand, .index = binding->index};
    }
}

void ptx_resolve_later(struct ptx_parser *parser, struct ptx_operand *operand, int line)
{
    struct ptx_symbol *symbol = ptx_intern(parser, operand->name, strlen(operand->name));
    struct ptx_scope *scope = &parser->body->scopes[parser->body->depth];

    if (symbol->binding && symbol->binding->kind == PTX_BINDING_VARIABLE) {
        resolve_to_variable(parser, operand, symbol->binding);
        return;
    }
    struct ptx_pending_name *pending = ptx_scratch(parser, sizeof *pending);
    *pending = (struct ptx_pending_name){operand, symbol, line, scope->pending};
    scope->pending = pending;
}

static bool resolve_to_label(struct ptx_operand *operand, const struct ptx_binding *binding)
{
    if (operand->kind != PTX_OPERAND_FUNCTION)
        return false;
    if (binding->kind == PTX_BINDING_LABEL) {
        operand->kind = PTX_OPERAND_LABEL;
        operand->target = binding->index;
    } else if (binding->kind == PTX_BINDING_OPERAND) {
        *operand = *binding->operand;
    } else {
        return false;
    }
    return true;
}

static void undo_bindings(const struct ptx_scope *scope)
{
    for (struct ptx_binding *binding = scope->bindings; binding; binding = binding->next_in_scope)
        binding->symbol->binding = binding->shadowed;
}

void ptx_scopes_abandon(struct ptx_parser *parser)
{
    while (parser->body && parser->body->depth > 0)
        undo_bindings(&parser->body->scopes[parser->body->depth--]);
    parser->body = NULL;
}

void ptx_scope_close(struct ptx_parser *parser)
{
    struct ptx_body *body = parser->body;
    struct ptx_scope *scope = &body->scopes[body->depth];
    struct ptx_pending_name *pending, *next;
    struct ptx_pending_name **around =
        body->depth > 1 ? &body->scopes[body->depth - 1].pending : &parser->pending;

    for (pending = scope->pending; pending; pending = next) {
        const struct ptx_binding *binding = pending->symbol->binding;

        next = pending->next;
        if (binding && binding->depth == body->depth && resolve_to_label(pending->operand, binding))
            continue;
        pending->next = *around;
        *around = pending;
    }
    undo_bindings(scope);
    body->ranges.count = scope->range_count;
    body->callparam_end = scope->callparam_start;
    body->depth--;
}
