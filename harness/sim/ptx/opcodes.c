/* The table of opcodes.def. */
#include "sim/ptx/ptx.h"

#include <string.h>

#define ALWAYS "" /* the text need not have a certain part */
#define NEVER  NULL

static const struct {
    const char *name;
    unsigned class;
    const char *result_with;
    enum ptx_rule rule;
} opcodes[PTX_OP_COUNT] = {
    [PTX_OP_UNKNOWN] = {"", PTX_PLAIN, ALWAYS, PTX_RULE_DEFINES},
#define PTX_OPCODE(name, class, result, rule)                                                      \
    [PTX_OP_##name] = {#name, PTX_##class, result, PTX_RULE_##rule},
#include "opcodes.def"
};

enum ptx_opcode ptx_find_opcode(const char *name)
{
    enum ptx_opcode found = PTX_OP_COUNT - 1;
    while (found != PTX_OP_UNKNOWN && strcmp(opcodes[found].name, name) != 0)
        found--;
    return found;
}

bool ptx_does(const struct ptx_instruction *source, unsigned classes)
{
    return (opcodes[source->operation].class & classes) != 0;
}

bool ptx_falls_through(const struct ptx_instruction *source)
{
    return source->guard >= 0 || !ptx_does(source, PTX_LEAVES);
}

bool ptx_is_strong(const struct ptx_instruction *source)
{
    static const char *const parts[] = {"volatile", "relaxed", "acquire", "release", "mmio"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (ptx_has_part(source, parts[i]))
            return true;
    return false;
}

bool ptx_acquires(const struct ptx_instruction *source)
{
    return ptx_has_part(source, "acquire") || ptx_has_part(source, "acq_rel");
}

bool ptx_releases(const struct ptx_instruction *source)
{
    return ptx_has_part(source, "release") || ptx_has_part(source, "acq_rel");
}

enum ptx_update ptx_find_update(const char *part)
{
    static const struct {
        const char *part;
        enum ptx_update update;
    } updates[] = {{"add", PTX_ADDS},    {"inc", PTX_ADDS},   {"dec", PTX_ADDS},
                   {"xor", PTX_TOGGLES}, {"and", PTX_BOUNDS}, {"or", PTX_BOUNDS},
                   {"min", PTX_BOUNDS},  {"max", PTX_BOUNDS}, {"exch", PTX_EXCHANGES},
                   {"cas", PTX_COMPARES}};
    for (size_t i = 0; i < sizeof updates / sizeof updates[0]; i++)
        if (strcmp(updates[i].part, part) == 0)
            return updates[i].update;
    return PTX_UPDATES_NOTHING;
}

bool ptx_goes_back(const struct ptx_instruction *source, int place)
{
    return source->operation == PTX_OP_bra && source->operand_count > 0 &&
           source->operands[0].kind == PTX_OPERAND_LABEL && source->operands[0].target <= place;
}

/* An address is read, even if it is the first operand. */
bool ptx_writes_result(const struct ptx_instruction *source)
{
    const char *const with = opcodes[source->operation].result_with;
    return with && source->operand_count > 0 && source->operands[0].kind != PTX_OPERAND_ADDRESS &&
           (!*with || ptx_has_part(source, with));
}

int ptx_first_read(const struct ptx_instruction *source)
{
    return ptx_writes_result(source) ? 1 : 0;
}

const struct ptx_operand *ptx_address(const struct ptx_instruction *source)
{
    for (int i = 0; i < source->operand_count; i++)
        if (source->operands[i].kind == PTX_OPERAND_ADDRESS)
            return &source->operands[i];
    return NULL;
}

enum ptx_rule ptx_rule_of(const struct ptx_instruction *source)
{
    return opcodes[source->operation].rule;
}
