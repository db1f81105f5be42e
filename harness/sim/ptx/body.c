/* Bodies of functions: scopes, declarations, labels and instructions. */
#include "sim/ptx/parser.h"

#include <string.h>

static void parse_variables(struct ptx_parser *parser, enum ptx_space space)
{
    struct ptx_body *body = parser->body;
    struct ptx_function *function = body->function;
    struct ptx_declaration declaration = ptx_parse_declaration(parser, space);

    if (space == PTX_GLOBAL || space == PTX_CONST)
        ptx_fail(parser, ".global and .const variables in functions are not supported");
    do {
        struct ptx_variable variable = ptx_parse_declarator(parser, &declaration);
        struct ptx_symbol *symbol = ptx_intern(parser, variable.name, strlen(variable.name));

        if (space == PTX_PARAM)
            variable.offset = ptx_place_variable(&variable, &body->callparam_end);
        else if (space == PTX_LOCAL)
            variable.offset = ptx_place_variable(&variable, &function->local_bytes);
        else
            variable.offset = ptx_place_variable(&variable, &function->shared_bytes);
        if (function->callparam_bytes < body->callparam_end)
            function->callparam_bytes = body->callparam_end;
        ptx_bind(parser, symbol, PTX_BINDING_VARIABLE)->index = body->variables.count;
        *(struct ptx_variable *)ptx_list_add(parser, &body->variables, sizeof variable) = variable;
    } while (ptx_accept(parser, ','));
    ptx_expect(parser, ';');
}

/* Parses a prototype, which is kept as a function without a body. An example:
 * name : .callprototype (.param .b32 _) _ (.param .b64 _); */
static void parse_prototype(struct ptx_parser *parser, struct ptx_operand *operand)
{
    struct ptx_function *prototype = ptx_keep(parser, sizeof *prototype);
    size_t return_bytes;

    if (ptx_at(parser, '('))
        prototype->returns = ptx_parse_parameters(parser, &prototype->return_count, &return_bytes);
    ptx_expect_word(parser);
    if (ptx_at(parser, '('))
        prototype->params =
            ptx_parse_parameters(parser, &prototype->param_count, &prototype->param_bytes);
    while (!ptx_accept(parser, ';')) { /* attributes such as .noreturn, .abi_preserve 4 */
        if (parser->token.kind != PTX_TOKEN_DIRECTIVE && parser->token.kind != PTX_TOKEN_NUMBER)
            ptx_fail_expected(parser, "';'");
        ptx_advance(parser);
    }
    prototype->name = operand->name;
    operand->kind = PTX_OPERAND_FUNCTION;
    operand->function = prototype;
}

/* A label of an instruction, of a list of branch or call targets, or of a prototype. */
static void parse_label(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    struct ptx_body *body = parser->body;
    struct ptx_operand *operand = ptx_keep(parser, sizeof *operand);

    *operand = (struct ptx_operand){.name = symbol->name, .reg = -1, .target = -1};
    if (ptx_accept_directive(parser, "branchtargets") ||
        ptx_accept_directive(parser, "calltargets")) {
        operand->kind = PTX_OPERAND_VECTOR;
        operand->element_count = ptx_parse_operands(parser, ';', &operand->elements);
        ptx_bind(parser, symbol, PTX_BINDING_OPERAND)->operand = operand;
    } else if (ptx_accept_directive(parser, "callprototype")) {
        parse_prototype(parser, operand);
        ptx_bind(parser, symbol, PTX_BINDING_OPERAND)->operand = operand;
    } else {
        ptx_bind(parser, symbol, PTX_BINDING_LABEL)->index = body->instructions.count;
        body->last_label = body->instructions.count;
    }
}

static void parse_label_or_instruction(struct ptx_parser *parser)
{
    int line = parser->token.line;
    struct ptx_guard guard = ptx_parse_guard(parser);
    struct ptx_symbol *word = ptx_expect_word(parser);

    if (guard.reg < 0 && ptx_accept(parser, ':')) {
        parse_label(parser, word);
        return;
    }
    if (word->name[0] == '%' || word->name[0] == '$')
        ptx_fail_at(parser, line, "expected an instruction, found '%s'", word->name);
    ptx_parse_instruction(parser, &guard, word, line);
}

static void parse_directive(struct ptx_parser *parser)
{
    if (ptx_accept_directive(parser, "reg")) {
        ptx_parse_registers(parser);
    } else if (ptx_accept_directive(parser, "loc")) {
        ptx_parse_location(parser);
    } else if (ptx_accept_directive(parser, "pragma")) {
        while (parser->token.kind == PTX_TOKEN_STRING || ptx_at(parser, ','))
            ptx_advance(parser);
        ptx_expect(parser, ';');
    } else {
        enum ptx_space space = ptx_accept_space(parser);

        if (space == PTX_GENERIC)
            ptx_fail_expected(parser, "a declaration or an instruction");
        parse_variables(parser, space);
    }
}

static bool branches_to(const struct ptx_operand *operands, int count, int target)
{
    for (int i = 0; i < count; i++)
        if ((operands[i].kind == PTX_OPERAND_LABEL && operands[i].target == target) ||
            (operands[i].kind == PTX_OPERAND_VECTOR &&
             branches_to(operands[i].elements, operands[i].element_count, target)))
            return true;
    return false;
}

/* A body that runs into its closing brace returns. An added `ret` makes this no special case. */
static void close_open_end(struct ptx_parser *parser)
{
    struct ptx_body *body = parser->body;
    const struct ptx_instruction *instructions = body->instructions.items;
    int count = body->instructions.count;
    bool open = count == 0 || ptx_falls_through(&instructions[count - 1]);

    for (int i = 0; i < count && !open && body->last_label == count; i++)
        open = branches_to(instructions[i].operands, instructions[i].operand_count, count);
    if (open)
        ptx_add_return(parser);
}

static void keep_body(struct ptx_parser *parser)
{
    struct ptx_body *body = parser->body;
    struct ptx_function *function = body->function;
    const struct ptx_variable_use *uses = body->uses.items;

    function->variable_count = body->variables.count;
    function->variables = ptx_list_keep(parser, &body->variables, sizeof(struct ptx_variable));
    function->register_count = body->registers.count;
    function->registers = ptx_list_keep(parser, &body->registers, sizeof(struct ptx_register));
    function->instruction_count = body->instructions.count;
    function->instructions =
        ptx_list_keep(parser, &body->instructions, sizeof(struct ptx_instruction));
    for (int i = 0; i < body->uses.count; i++)
        uses[i].operand->variable = &function->variables[uses[i].index];
}

void ptx_parse_body(struct ptx_parser *parser)
{
    struct ptx_body *body = parser->body;

    while (body->depth > 0) {
        if (ptx_accept(parser, '{')) {
            ptx_scope_open(parser);
        } else if (ptx_at(parser, '}')) {
            ptx_scope_close(parser);
            ptx_advance(parser);
        } else if (parser->token.kind == PTX_TOKEN_DIRECTIVE) {
            parse_directive(parser);
        } else if (!ptx_accept(parser, ';')) {
            if (parser->token.kind != PTX_TOKEN_WORD && !ptx_at(parser, '@'))
                ptx_fail_expected(parser, "an instruction or '}'");
            parse_label_or_instruction(parser);
        }
    }
    close_open_end(parser);
    keep_body(parser);
}
