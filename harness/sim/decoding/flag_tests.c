/* The comparison of a value that was read, found from the instruction that reads. A few steps of
 * integer arithmetic, such as a mask, may stand between the two. */
#include "flags.h"

#include "decoder.h"

#include "sim/machine/warp.h"

#include <string.h>

enum { MOST_STEPS = 3 };

/* An operation on the value and another one: a register that nothing writes meanwhile, or a
 * constant (slot -1). */
struct step {
    enum ptx_opcode operation;
    bool is_second; /* the value is the second operand */
    int32_t slot;
    uint32_t constant;
};

struct sim_flag_test {
    struct step steps[MOST_STEPS], compared;
    int count;
    char name[3]; /* "lt" */
    bool is_signed;
};

static bool names(const struct ptx_operand *operand, int reg)
{
    bool found = operand->reg == reg && operand->kind != PTX_OPERAND_IMMEDIATE;
    for (int i = 0; i < operand->element_count && !found; i++)
        found = names(&operand->elements[i], reg);
    return found;
}

/* The one instruction that reads a register which one instruction writes; NULL: others do, too. */
static const struct ptx_instruction *only_reader(const struct ptx_function *ptx, int reg)
{
    const struct ptx_instruction *reader = NULL;
    int writers = 0;
    for (int i = 0; i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        const int first = ptx_first_read(source);
        for (int o = 0; o < source->operand_count; o++) {
            if (!names(&source->operands[o], reg))
                continue;
            if (o < first)
                writers++;
            else if (reader)
                return NULL;
            else
                reader = source;
        }
    }
    return writers == 1 ? reader : NULL;
}

static bool is_written_between(const struct ptx_instruction *from,
                               const struct ptx_instruction *end, int reg)
{
    for (const struct ptx_instruction *at = from + 1; at < end; at++)
        for (int o = 0; o < ptx_first_read(at) && o < at->operand_count; o++)
            if (names(&at->operands[o], reg))
                return true;
    return false;
}

/* Reads an instruction of three operands, of which one is the value. */
static bool read_step(struct decoder *decoder, const struct ptx_instruction *read,
                      const struct ptx_instruction *source, int reg, struct step *step)
{
    if (source->operand_count != 3 || source->guard >= 0 || source <= read)
        return false;
    step->operation = source->operation;
    step->is_second = !names(&source->operands[1], reg);
    const struct ptx_operand *const other = &source->operands[step->is_second ? 1 : 2];
    if (other->kind == PTX_OPERAND_IMMEDIATE) {
        step->slot = -1;
        step->constant = (uint32_t)other->imm;
        return true;
    }
    if (other->kind != PTX_OPERAND_REGISTER || other->reg == reg || other->negated ||
        ptx_type_size(sim_register_type(decoder, other)) != 4 ||
        is_written_between(read, source, other->reg))
        return false;
    step->slot = sim_register_slot(decoder, source, other, 'w');
    return true;
}

static bool is_arithmetic(const struct ptx_instruction *source)
{
    static const enum ptx_opcode known[] = {PTX_OP_and, PTX_OP_or, PTX_OP_xor, PTX_OP_add,
                                            PTX_OP_sub};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (source->operation == known[i])
            return source->part_count == 2 && ptx_type_size(ptx_part_type(source->parts[1])) == 4;
    return false;
}

static bool is_comparison(const struct ptx_instruction *source, struct sim_flag_test *test)
{
    static const char names_of[] = "eq ne lt le gt ge";
    if (source->operation != PTX_OP_setp || source->part_count != 3 ||
        strlen(source->parts[1]) != 2 || !strstr(names_of, source->parts[1]) ||
        !strchr("usb", source->parts[2][0]))
        return false;
    memcpy(test->name, source->parts[1], sizeof test->name);
    test->is_signed = source->parts[2][0] == 's';
    return true;
}

const struct sim_flag_test *sim_find_flag_test(struct decoder *decoder,
                                               const struct ptx_instruction *source)
{
    struct sim_flag_test test = {.count = 0};
    const struct ptx_operand *result = &source->operands[0];
    if (result->kind != PTX_OPERAND_REGISTER ||
        ptx_type_size(sim_register_type(decoder, result)) != 4)
        return NULL;
    for (int reg = result->reg;;) {
        const struct ptx_instruction *const reader = only_reader(decoder->ptx, reg);
        const bool ends = reader && is_comparison(reader, &test);
        if (!reader || (!ends && (test.count == MOST_STEPS || !is_arithmetic(reader))) ||
            !read_step(decoder, source, reader, reg,
                       ends ? &test.compared : &test.steps[test.count]))
            return NULL;
        if (ends)
            break;
        test.count++;
        reg = reader->operands[0].reg;
    }
    struct sim_flag_test *const kept = sim_decoder_allocate(decoder, sizeof *kept);
    *kept = test;
    return kept;
}

static uint32_t other_of(const struct step *step, const struct warp *warp, unsigned lane)
{
    return step->slot < 0 ? step->constant : ((const uint32_t *)sim_slot(warp, step->slot))[lane];
}

static uint32_t do_step(const struct step *step, uint32_t value, uint32_t other)
{
    switch (step->operation) {
    case PTX_OP_and:
        return value & other;
    case PTX_OP_or:
        return value | other;
    case PTX_OP_xor:
        return value ^ other;
    case PTX_OP_add:
        return value + other;
    default:
        return step->is_second ? other - value : value - other;
    }
}

bool sim_flag_answer(const struct sim_flag_test *test, const struct warp *warp, unsigned lane,
                     uint32_t value)
{
    for (int i = 0; i < test->count; i++)
        value = do_step(&test->steps[i], value, other_of(&test->steps[i], warp, lane));
    const uint32_t other = other_of(&test->compared, warp, lane);
    const uint32_t bias = test->is_signed ? UINT32_C(1) << 31 : 0; /* signed as unsigned order */
    const uint32_t a = (test->compared.is_second ? other : value) ^ bias;
    const uint32_t b = (test->compared.is_second ? value : other) ^ bias;
    const bool is_true = (a == b && (strchr(test->name, 'e') && strcmp(test->name, "ne") != 0)) ||
                         (a < b && test->name[0] == 'l') || (a > b && test->name[0] == 'g');
    return strcmp(test->name, "ne") == 0 ? a != b : is_true;
}
