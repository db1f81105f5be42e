/* Which registers an instruction reads and which it writes. The result of a guarded instruction is
 * also read, because lanes whose guard is false keep the old value. */
#include "sim/ptx/analysis.h"

/* Appends accesses; only counts them while the array is NULL. */
struct collector {
    struct ptx_access *accesses;
    int count;
};

static void collect(struct collector *collector, int reg, bool writes)
{
    if (collector->accesses)
        collector->accesses[collector->count] = (struct ptx_access){reg, writes};
    collector->count++;
}

static void collect_operand(struct collector *collector, const struct ptx_operand *operand,
                            bool writes)
{
    if (operand->kind == PTX_OPERAND_REGISTER ||
        (operand->kind == PTX_OPERAND_ADDRESS && operand->reg >= 0))
        collect(collector, operand->reg, writes);
    for (int i = 0; i < operand->element_count; i++)
        collect_operand(collector, &operand->elements[i], writes);
}

static void collect_instruction(struct collector *collector,
                                const struct ptx_instruction *instruction)
{
    bool result = ptx_writes_result(instruction);
    /* wgmma adds to the old value of its result, so it reads the result. */
    bool keeps = instruction->guard >= 0 || instruction->operation == PTX_OP_wgmma;

    if (instruction->guard >= 0)
        collect(collector, instruction->guard, false);
    for (int i = result && !keeps ? 1 : 0; i < instruction->operand_count; i++)
        collect_operand(collector, &instruction->operands[i], false);
    if (result)
        collect_operand(collector, &instruction->operands[0], true);
}

void ptx_find_accesses(struct ptx_analysis *analysis)
{
    const struct ptx_function *function = analysis->function;
    struct ptx_accesses *accesses = &analysis->accesses;
    struct collector collector = {0};
    size_t count = (size_t)function->instruction_count;

    accesses->start = ptx_analysis_array(analysis, count + 1, sizeof(int));
    for (int i = 0; i < function->instruction_count; i++)
        collect_instruction(&collector, &function->instructions[i]);
    accesses->accesses =
        ptx_analysis_array(analysis, (size_t)collector.count + 1, sizeof(struct ptx_access));
    collector = (struct collector){.accesses = accesses->accesses};
    for (int i = 0; i < function->instruction_count; i++) {
        accesses->start[i] = collector.count;
        collect_instruction(&collector, &function->instructions[i]);
    }
    accesses->start[function->instruction_count] = collector.count;
}
