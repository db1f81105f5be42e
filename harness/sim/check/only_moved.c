/* Copies of structs. nvcc loads and stores them as vectors of integers, gaps and all, which nobody
 * has written; floats are loaded as such, and meant. */
#include "only_moved.h"

#include <string.h>

static bool is_register(const struct ptx_operand *operand, int reg)
{
    for (int i = 0; i < operand->element_count; i++)
        if (is_register(&operand->elements[i], reg))
            return true;
    return operand->kind != PTX_OPERAND_VECTOR && operand->reg == reg;
}

/* Adds the times that a register is stored; false where it is used otherwise, as in an address. */
static bool count_stores(const struct ptx_instruction *at, int reg, int *stores)
{
    const bool is_store = strcmp(at->parts[0], "st") == 0;
    for (int i = 0; i < at->operand_count; i++) {
        if (!is_register(&at->operands[i], reg))
            continue;
        if (!is_store || i == 0)
            return false;
        ++*stores;
    }
    return true;
}

static bool is_only_stored(const struct ptx_function *function, int but, int reg)
{
    int stores = 0;
    for (int i = 0; i < function->instruction_count; i++)
        if (i != but && !count_stores(&function->instructions[i], reg, &stores))
            return false;
    return stores > 0;
}

bool sim_is_only_moved(const struct ptx_function *function, int instruction)
{
    const struct ptx_instruction *const load = &function->instructions[instruction];
    const struct ptx_operand *const results = load->operands;
    const char type = load->parts[load->part_count - 1][0];
    if (strcmp(load->parts[0], "ld") != 0 || results->kind != PTX_OPERAND_VECTOR ||
        (type != 'u' && type != 's' && type != 'b'))
        return false;
    for (int i = 0; i < results->element_count; i++)
        if (!is_only_stored(function, instruction, results->elements[i].reg))
            return false;
    return true;
}
