/* Which registers an instruction reads and which it writes. As a rule the first operand is the
 * result, except where there is none; results of a guarded instruction are read too, as lanes whose
 * guard is false keep the old value. */
#include "sim/ptx/analysis.h"

#include <string.h>

/* Stores need no entry: their first operand is an address, which is only read. */
static bool has_result(const struct ptx_instruction *instruction)
{
    static const char *const without[] = {
        "bra",           "brx",   "ret",          "exit",           "trap",
        "membar",        "fence", "nanosleep",    "pmevent",        "discard",
        "setmaxnreg",    "brkpt", "stackrestore", "griddepcontrol", "cp",
        "red",           "st",    "stmatrix",     "prefetch",       "prefetchu",
        "applypriority", "sust",  "sured",
    };
    const char *name = instruction->parts[0];

    if (strcmp(name, "bar") == 0 || strcmp(name, "barrier") == 0)
        return ptx_has_part(instruction, "red");
    if (strcmp(name, "tcgen05") == 0)
        return ptx_has_part(instruction, "ld");
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
        if (strcmp(name, without[i]) == 0)
            return false;
    return true;
}

/* Appends accesses, or only counts them while the array is NULL. */
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
    bool address = operand->kind == PTX_OPERAND_ADDRESS;

    if (operand->kind == PTX_OPERAND_REGISTER || (address && operand->reg >= 0))
        collect(collector, operand->reg, writes && !address);
    for (int i = 0; i < operand->element_count; i++)
        collect_operand(collector, &operand->elements[i], writes && !address);
}

static void collect_instruction(struct collector *collector,
                                const struct ptx_instruction *instruction)
{
    bool result = instruction->operand_count > 0 && has_result(instruction);
    /* wgmma adds to what is in its result, whatever its form. */
    bool keeps = instruction->guard >= 0 || strcmp(instruction->parts[0], "wgmma") == 0;

    if (instruction->guard >= 0)
        collect(collector, instruction->guard, false);
    for (int i = result && !keeps ? 1 : 0; i < instruction->operand_count; i++)
        collect_operand(collector, &instruction->operands[i], false);
    /* The registers inside an address operand are reads, also when it comes first. */
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
