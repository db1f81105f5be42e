/* Operands: registers, immediates, special registers, names, addresses, vectors and pairs. */
#include "sim/ptx/parser.h"

#include <string.h>

/* Special registers by their names up to the dot: "%tid" for %tid.x. */
static const char *const special_registers[] = {
    "%tid",
    "%ntid",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%ctaid",
    "%nctaid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%is_explicit_cluster",
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_0",
    "%reserved_smem_offset_1",
};

/* %envreg0 ... %envreg31, %pm0 ... %pm7_64 */
static bool is_numbered_special(const char *name)
{
    return (strncmp(name, "%envreg", 7) == 0 && name[7] >= '0' && name[7] <= '9') ||
           (strncmp(name, "%pm", 3) == 0 && name[3] >= '0' && name[3] <= '7');
}

static bool is_special(const char *name)
{
    size_t length = strcspn(name, ".");

    if (is_numbered_special(name))
        return true;
    for (size_t i = 0; i < sizeof special_registers / sizeof special_registers[0]; i++)
        if (strlen(special_registers[i]) == length &&
            memcmp(special_registers[i], name, length) == 0)
            return true;
    return false;
}

static void parse_number(struct ptx_parser *parser, struct ptx_operand *operand)
{
    static const uint64_t sign_bit[] = {
        [PTX_IMMEDIATE_F32] = 1ull << 31, [PTX_IMMEDIATE_F64] = 1ull << 63};
    bool minus = ptx_accept(parser, '-');

    if (parser->token.kind != PTX_TOKEN_NUMBER)
        ptx_fail_expected(parser, "a number");
    operand->kind = PTX_OPERAND_IMMEDIATE;
    operand->imm = parser->token.bits;
    operand->imm_kind = parser->token.number_kind;
    if (minus && operand->imm_kind == PTX_IMMEDIATE_INTEGER)
        operand->imm = 0 - operand->imm;
    else if (minus)
        operand->imm ^= sign_bit[operand->imm_kind];
    ptx_advance(parser);
}

static void parse_register(struct ptx_parser *parser, struct ptx_operand *operand)
{
    int line = parser->token.line;
    struct ptx_symbol *symbol = ptx_expect_word(parser);

    operand->kind = PTX_OPERAND_REGISTER;
    operand->name = symbol->name;
    operand->reg = ptx_find_register(parser, symbol);
    if (operand->reg < 0)
        ptx_fail_at(parser, line, "unknown register '%s'", symbol->name);
}

static void parse_word(struct ptx_parser *parser, struct ptx_operand *operand)
{
    int line = parser->token.line;
    struct ptx_symbol *symbol = ptx_expect_word(parser);

    operand->name = symbol->name;
    operand->reg = ptx_find_register(parser, symbol);
    if (operand->reg >= 0) {
        operand->kind = PTX_OPERAND_REGISTER;
    } else if (strcmp(symbol->name, "_") == 0) {
        operand->kind = PTX_OPERAND_SINK;
    } else if (strcmp(symbol->name, "WARP_SZ") == 0) {
        operand->kind = PTX_OPERAND_IMMEDIATE;
        operand->imm = 32;
    } else if (is_special(symbol->name)) {
        operand->kind = PTX_OPERAND_SPECIAL;
    } else if (symbol->name[0] == '%') {
        ptx_fail_at(parser, line, "unknown register '%s'", symbol->name);
    } else {
        operand->kind = PTX_OPERAND_FUNCTION; /* until the name is resolved */
        operand->offset = ptx_parse_addend(parser);
        if (ptx_accept(parser, '[')) { /* an element of an array, whose type is known later */
            operand->imm = ptx_expect_integer(parser, UINT64_MAX);
            ptx_expect(parser, ']');
        }
    }
}

/* Parses [base], [base + 4], [4], or a tensor's [base, {x, y}]; coordinates become elements. */
static void parse_address(struct ptx_parser *parser, struct ptx_operand *operand)
{
    ptx_expect(parser, '[');
    if (parser->token.kind == PTX_TOKEN_WORD) {
        parse_word(parser, operand);
        if (operand->kind != PTX_OPERAND_REGISTER && operand->kind != PTX_OPERAND_FUNCTION)
            ptx_fail(parser, "'%s' is not an address", operand->name);
        operand->offset += ptx_parse_addend(parser);
    } else {
        parse_number(parser, operand);
        operand->offset = (int64_t)operand->imm;
        operand->imm = 0;
    }
    operand->kind = PTX_OPERAND_ADDRESS;
    if (ptx_accept(parser, ','))
        operand->element_count = ptx_parse_operands(parser, ']', &operand->elements);
    else
        ptx_expect(parser, ']');
}

static void parse_single(struct ptx_parser *parser, struct ptx_operand *operand)
{
    *operand = (struct ptx_operand){.reg = -1, .target = -1};
    if (ptx_at(parser, '{') || ptx_at(parser, '(')) {
        char stop = ptx_at(parser, '{') ? '}' : ')';

        ptx_advance(parser);
        operand->kind = PTX_OPERAND_VECTOR;
        operand->element_count = ptx_parse_operands(parser, stop, &operand->elements);
    } else if (ptx_at(parser, '[')) {
        parse_address(parser, operand);
    } else if (ptx_accept(parser, '!')) {
        parse_register(parser, operand);
        operand->negated = true;
    } else if (parser->token.kind == PTX_TOKEN_WORD) {
        parse_word(parser, operand);
    } else if (ptx_at(parser, '-') || parser->token.kind == PTX_TOKEN_NUMBER) {
        parse_number(parser, operand);
    } else {
        ptx_fail_expected(parser, "an operand");
    }
}

static void parse_operand(struct ptx_parser *parser, struct ptx_operand *operand)
{
    struct ptx_operand first;

    parse_single(parser, &first);
    if (!ptx_accept(parser, '|')) {
        *operand = first;
        return;
    }
    *operand = (struct ptx_operand){.kind = PTX_OPERAND_PAIR, .reg = -1, .target = -1};
    operand->element_count = 2;
    operand->elements = ptx_keep(parser, 2 * sizeof *operand);
    operand->elements[0] = first;
    parse_single(parser, &operand->elements[1]);
    for (int i = 0; i < 2; i++) /* tex has {d, d, d, d}|p */
        if (operand->elements[i].kind != PTX_OPERAND_REGISTER &&
            operand->elements[i].kind != PTX_OPERAND_SINK &&
            (i > 0 || operand->elements[i].kind != PTX_OPERAND_VECTOR))
            ptx_fail(parser, "a pair d|p must be of registers");
}

static bool has_unresolved_name(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_FUNCTION ||
           (operand->kind == PTX_OPERAND_ADDRESS && operand->name && operand->reg < 0);
}

int ptx_collect_operands(struct ptx_parser *parser, char stop, struct ptx_operand **operands)
{
    struct ptx_body *body = parser->body;
    int first = body->operands.count;

    *operands = NULL;
    if (ptx_accept(parser, stop))
        return 0;
    if (++body->nesting > PTX_MAX_NESTING)
        ptx_fail(parser, "operands nested too deeply");
    do {
        struct ptx_operand operand;

        parse_operand(parser, &operand);
        *(struct ptx_operand *)ptx_list_add(parser, &body->operands, sizeof operand) = operand;
    } while (ptx_accept(parser, ','));
    ptx_expect(parser, stop);

    int count = body->operands.count - first;
    *operands = ptx_keep(parser, (size_t)count * sizeof **operands);
    memcpy(*operands, (struct ptx_operand *)body->operands.items + first,
           (size_t)count * sizeof **operands);
    body->operands.count = first;
    body->nesting--;
    return count;
}

void ptx_resolve_operands(struct ptx_parser *parser, struct ptx_operand *operands, int count,
                          int line)
{
    for (int i = 0; i < count; i++)
        if (has_unresolved_name(&operands[i]))
            ptx_resolve_later(parser, &operands[i], line);
}

int ptx_parse_operands(struct ptx_parser *parser, char stop, struct ptx_operand **operands)
{
    int line = parser->token.line;
    int count = ptx_collect_operands(parser, stop, operands);

    ptx_resolve_operands(parser, *operands, count, line);
    return count;
}
