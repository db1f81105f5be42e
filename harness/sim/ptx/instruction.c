/* Instructions: guard, opcode split into its parts, operands. */
#include "sim/ptx/parser.h"

#include <stdio.h>
#include <string.h>

struct ptx_guard ptx_parse_guard(struct ptx_parser *parser)
{
    struct ptx_guard guard = {.reg = -1};
    const struct ptx_register *registers;

    if (!ptx_accept(parser, '@'))
        return guard;
    guard.negated = ptx_accept(parser, '!');
    struct ptx_symbol *symbol = ptx_expect_word(parser);
    guard.reg = ptx_find_register(parser, symbol);
    registers = parser->body->registers.items;
    if (guard.reg < 0 || registers[guard.reg].type != PTX_PRED)
        ptx_fail(parser, "'%s' is not a predicate register", symbol->name);
    return guard;
}

/* Some are known by two parts, such as wmma_load. */
static enum ptx_opcode find_operation(const struct ptx_symbol *opcode)
{
    char two[64];
    snprintf(two, sizeof two, "%s_%s", opcode->parts[0],
             opcode->part_count > 1 ? opcode->parts[1] : "");
    const enum ptx_opcode found = ptx_find_opcode(two);
    return found != PTX_OP_UNKNOWN ? found : ptx_find_opcode(opcode->parts[0]);
}

/* Splits at dots only: "shared::cta" is one part. */
static void split_opcode(struct ptx_parser *parser, struct ptx_symbol *opcode)
{
    const char *at = opcode->name;

    opcode->parts = ptx_keep(parser, PTX_MAX_PARTS * sizeof *opcode->parts);
    for (;;) {
        size_t length = strcspn(at, ".");

        if (opcode->part_count == PTX_MAX_PARTS)
            ptx_fail(parser, "'%s' has more than %d parts", opcode->name, PTX_MAX_PARTS);
        opcode->parts[opcode->part_count++] = ptx_intern(parser, at, length)->name;
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    opcode->operation = find_operation(opcode);
    if (opcode->operation == PTX_OP_atom || opcode->operation == PTX_OP_red)
        for (int i = 1; i < opcode->part_count; i++)
            opcode->update |= ptx_find_update(opcode->parts[i]);
}

/* The form is: call (returns), target, (arguments), prototype. A list that is left out becomes an
 * empty list, so that the target is always operand 1 and the arguments are operand 2. */
static void normalise_call(struct ptx_parser *parser, struct ptx_instruction *instruction, int line)
{
    const struct ptx_operand none = {.kind = PTX_OPERAND_VECTOR, .reg = -1, .target = -1};
    struct ptx_operand *given = instruction->operands;
    int count = instruction->operand_count, next = 0;
    struct ptx_operand *operands = ptx_keep(parser, 4 * sizeof *operands);

    operands[0] = next < count && given[next].kind == PTX_OPERAND_VECTOR ? given[next++] : none;
    if (next == count ||
        (given[next].kind != PTX_OPERAND_FUNCTION && given[next].kind != PTX_OPERAND_REGISTER))
        ptx_fail_at(parser, line, "a call needs a function or a register to call");
    operands[1] = given[next++];
    operands[2] = next < count && given[next].kind == PTX_OPERAND_VECTOR ? given[next++] : none;
    instruction->operand_count = 3;
    if (next < count) {
        if (given[next].kind != PTX_OPERAND_FUNCTION)
            ptx_fail_at(parser, line, "the last operand of a call must be a .callprototype");
        operands[instruction->operand_count++] = given[next++];
    }
    if (next < count)
        ptx_fail_at(parser, line, "too many operands of a call");
    instruction->operands = operands;
}

/* Makes an instruction that has no operands yet. */
static struct ptx_instruction start_instruction(struct ptx_parser *parser,
                                                const struct ptx_guard *guard,
                                                struct ptx_symbol *opcode, int line)
{
    struct ptx_instruction instruction = {
        .opcode = opcode->name,
        .guard = guard->reg,
        .guard_negated = guard->negated,
        .line = parser->body->location, /* an index until ptx_resolve_locations() */
        .ptx_line = line,
        .reconvergence = -1,
    };

    if (!opcode->parts)
        split_opcode(parser, opcode);
    memcpy(instruction.parts, opcode->parts, sizeof instruction.parts);
    instruction.part_count = opcode->part_count;
    instruction.operation = opcode->operation;
    instruction.update = opcode->update;
    return instruction;
}

static void add_instruction(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    struct ptx_instruction *added =
        ptx_list_add(parser, &parser->body->instructions, sizeof *added);

    *added = *instruction;
}

void ptx_parse_instruction(struct ptx_parser *parser, const struct ptx_guard *guard,
                           struct ptx_symbol *opcode, int line)
{
    struct ptx_instruction instruction = start_instruction(parser, guard, opcode, line);

    instruction.operand_count = ptx_collect_operands(parser, ';', &instruction.operands);
    if (instruction.operation == PTX_OP_call)
        normalise_call(parser, &instruction, line);
    ptx_resolve_operands(parser, instruction.operands, instruction.operand_count, line);
    add_instruction(parser, &instruction);
}

void ptx_add_return(struct ptx_parser *parser)
{
    const struct ptx_guard always = {.reg = -1};
    struct ptx_instruction instruction =
        start_instruction(parser, &always, ptx_intern(parser, "ret", 3), parser->token.line);

    add_instruction(parser, &instruction);
}
