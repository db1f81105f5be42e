/* Which compare-and-swaps take the first element of a list: they put in what the expected element
 * names as its successor. */
#include "flags.h"

#include <stdlib.h>

/* Marks registers that are computed from marked registers, but not values loaded by way of them. */
static void spread(const struct ptx_function *ptx, bool *found)
{
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (int i = 0; i < ptx->instruction_count; i++) {
            const struct ptx_instruction *const source = &ptx->instructions[i];
            bool does = false;
            for (int o = 1; o < source->operand_count; o++)
                does = does || sim_depends(found, &source->operands[o]);
            if (does && ptx_writes_result(source) && source->operation != PTX_OP_setp &&
                !ptx_does(source, PTX_LOADS | PTX_UPDATES | PTX_CALLS))
                has_grown |= sim_mark(found, &source->operands[0]);
        }
    }
}

static bool is_list_data(const struct ptx_instruction *source)
{
    return source->operand_count > 1 && !ptx_has_part(source, "param") &&
           !ptx_has_part(source, "shared") && !ptx_has_part(source, "local");
}

/* Marks what is loaded by way of `head`, or what `only` loads so. @return whether a value of `head`
 * is stored, too, as a push stores the old head as the successor of the new one. */
static bool mark_successors(const struct ptx_function *ptx, const struct ptx_operand *address,
                            const bool *head, const struct ptx_instruction *only, bool *successor)
{
    bool stores = false;
    for (int i = 0; i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        if (!is_list_data(source) || sim_is_same_address(ptx_address(source), address))
            continue;
        if (ptx_does(source, PTX_LOADS) && (!only || source == only) &&
            sim_depends(head, &source->operands[1]))
            sim_mark(successor, &source->operands[0]);
        stores =
            stores || (ptx_does(source, PTX_STORES) && sim_depends(head, &source->operands[1]));
    }
    return stores;
}

/* Whether a swap puts in a successor; `only`: what this instruction loads, if it is not NULL. */
static bool puts_in(const struct ptx_function *ptx, const struct ptx_instruction *swap,
                    const struct ptx_instruction *only)
{
    const size_t count = (size_t)ptx->register_count + 1;
    if (!ptx_does(swap, PTX_UPDATES) || !(swap->update & PTX_COMPARES) || swap->operand_count < 4)
        return false;
    bool *const head = calloc(2 * count, sizeof *head), *const successor = head + count;
    if (!head)
        return false;
    for (int i = 0; i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        if (source->operand_count > 1 && ptx_does(source, PTX_LOADS | PTX_UPDATES) &&
            sim_is_same_address(ptx_address(source), ptx_address(swap)))
            sim_mark(head, &source->operands[0]);
    }
    spread(ptx, head);
    bool does = sim_depends(head, &swap->operands[2]) &&
                mark_successors(ptx, ptx_address(swap), head, only, successor);
    spread(ptx, successor);
    does = does && sim_depends(successor, &swap->operands[3]);
    free(head);
    return does;
}

bool sim_pops(const struct ptx_function *ptx, const struct ptx_instruction *swap)
{
    return puts_in(ptx, swap, NULL);
}

bool sim_is_successor(const struct ptx_function *ptx, const struct ptx_instruction *load)
{
    for (int i = 0; i < ptx->instruction_count; i++)
        if (puts_in(ptx, &ptx->instructions[i], load))
            return true;
    return false;
}
