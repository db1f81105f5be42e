/* Which write of a word depends on which read of the word. As in flags.c, values are followed
 * through registers. */
#include "flags.h"

#include <stdlib.h>
#include <string.h>

static bool is_zero(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_IMMEDIATE && operand->imm == 0;
}

/* Whether an atomic operation only serves as a load: it adds 0, for example. */
static bool only_reads(const struct ptx_instruction *source)
{
    return ptx_does(source, PTX_UPDATES) && source->operand_count > 2 &&
           (ptx_has_part(source, "add") || ptx_has_part(source, "or") ||
            ptx_has_part(source, "xor")) &&
           is_zero(&source->operands[2]);
}

/* Whether an atomic operation adds to a word, and nothing reads the old value. */
static bool adds_unseen(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    return source->update & PTX_ADDS && !only_reads(source) &&
           (ptx_does(source, PTX_REDUCES) ||
            (ptx_does(source, PTX_UPDATES) && !sim_is_read(ptx, &source->operands[0])));
}

/* Marks registers that are computed from marked registers, but not values loaded by way of them. */
static void spread_values(const struct ptx_function *ptx, bool *found)
{
    bool has_grown = true;
    while (has_grown) {
        has_grown = false;
        for (int i = 0; i < ptx->instruction_count; i++) {
            const struct ptx_instruction *const source = &ptx->instructions[i];
            bool does = false;
            for (int o = 1; o < source->operand_count; o++)
                does = does || sim_depends(found, &source->operands[o]);
            if (does && ptx_writes_result(source) && source->operation != PTX_OP_setp &&
                !ptx_does(source, PTX_LOADS | PTX_UPDATES))
                has_grown |= sim_mark(found, &source->operands[0]);
        }
    }
}

/* Whether a value is used as an address or is stored. */
static bool reaches_memory(const struct ptx_function *ptx, const bool *found)
{
    for (int i = 0; i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        if ((ptx_does(source, PTX_LOADS) && sim_depends(found, &source->operands[1])) ||
            (ptx_does(source, PTX_STORES) && (sim_depends(found, &source->operands[0]) ||
                                              sim_depends(found, &source->operands[1]))))
            return true;
    }
    return false;
}

static bool compares_order(const struct ptx_instruction *source)
{
    return source->operation == PTX_OP_setp && !ptx_has_part(source, "eq") &&
           !ptx_has_part(source, "ne") && !ptx_has_part(source, "neu") &&
           !ptx_has_part(source, "equ");
}

/* Whether the write happens only if the value read is less, or greater, than another value. */
static bool is_guarded(const struct ptx_function *ptx, const struct ptx_instruction *write,
                       const struct ptx_instruction *read, const bool *found)
{
    for (const struct ptx_instruction *at = read + 1; at < write; at++) {
        bool compares = false;
        for (int o = 1; compares_order(at) && o < at->operand_count; o++)
            compares = compares || sim_depends(found, &at->operands[o]);
        if (!compares)
            continue;
        const int predicate = at->operands[0].reg;
        if (write->guard == predicate)
            return true;
        for (const struct ptx_instruction *branch = at + 1; branch < write; branch++)
            if (branch->operation == PTX_OP_bra && branch->guard == predicate &&
                branch->operands[0].kind == PTX_OPERAND_LABEL &&
                branch->operands[0].target > write - ptx->instructions)
                return true;
    }
    return false;
}

/* Whether a value sets the bits of a constant in what was read, or bounds it by a constant, as by
 * |= 1. To do so twice is the same as once. */
static bool may_be_repeated(const struct ptx_function *ptx, const struct ptx_operand *value)
{
    bool any = false;
    for (int i = 0; i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        const enum ptx_opcode operation = source->operation;
        if (!ptx_writes_result(source) || source->operands[0].reg != value->reg)
            continue;
        if ((operation != PTX_OP_or && operation != PTX_OP_and && operation != PTX_OP_min &&
             operation != PTX_OP_max) ||
            source->operand_count < 3 || !sim_is_constant(ptx, &source->operands[2]))
            return false;
        any = true;
    }
    return any;
}

/* How `write` depends on what `read` has read. */
static uint32_t goes_by(const struct ptx_function *ptx, const struct ptx_instruction *write,
                        const struct ptx_instruction *read, bool *found)
{
    const struct ptx_operand *const value = &write->operands[ptx_does(write, PTX_STORES) ? 1 : 2];
    memset(found, 0, ((size_t)ptx->register_count + 1) * sizeof *found);
    sim_mark(found, &read->operands[0]);
    spread_values(ptx, found);
    if (adds_unseen(ptx, write))
        return read < write && reaches_memory(ptx, found) ? FLAG_UPDATE : 0;
    if (sim_depends(found, value))
        return may_be_repeated(ptx, value) ? 0 : FLAG_UPDATE | FLAG_COMPUTED;
    return !sim_is_constant(ptx, value) && is_guarded(ptx, write, read, found) ? FLAG_UPDATE : 0;
}

static bool is_in_loop(const struct ptx_function *ptx, int at)
{
    for (int i = at; i < ptx->instruction_count; i++)
        if (ptx_goes_back(&ptx->instructions[i], at))
            return true;
    return false;
}

/* Whether an exchange outside of loops takes a value out. In a loop such an exchange is right: the
 * loop goes on with the value that it finds next. */
static bool takes_once(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    return ptx_does(source, PTX_UPDATES) && source->update & PTX_EXCHANGES &&
           !is_in_loop(ptx, (int)(source - ptx->instructions));
}

static uint32_t find_pair(const struct ptx_function *ptx, const struct ptx_instruction *write,
                          const struct ptx_instruction *read)
{
    const bool is_atomic = ptx_does(write, PTX_ATOMIC);
    if ((!is_atomic && !(ptx_does(write, PTX_STORES) && ptx_is_strong(write))) ||
        read->operand_count < 2 || !ptx_does(read, PTX_LOADS | PTX_UPDATES) ||
        !sim_is_same_address(ptx_address(read), ptx_address(write)) || read == write)
        return 0;
    const bool adds = is_atomic && adds_unseen(ptx, write);
    const bool may_write = adds || !is_atomic || write->update & PTX_EXCHANGES;
    const bool may_read =
        sim_reads_flag(read) || only_reads(read) || (adds && ptx_does(read, PTX_LOADS));
    const bool takes = takes_once(ptx, read);
    if (!may_write || !(takes || (may_read && !sim_is_look(ptx, read))))
        return 0;
    bool *const found = calloc((size_t)ptx->register_count + 1, sizeof *found);
    const uint32_t flags = found ? goes_by(ptx, write, read, found) : 0;
    free(found);
    return flags;
}

static bool swaps(const struct ptx_instruction *source)
{
    return ptx_does(source, PTX_UPDATES) && source->update & PTX_COMPARES &&
           source->operand_count > 3;
}

/* Whether a compare-and-swap has a new value that is computed from the expected value, and no loop
 * tries again when the word has another value. */
static bool tries_once(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    if (!swaps(source) || sim_is_constant(ptx, &source->operands[2]))
        return false;
    for (int i = 0; i < ptx->instruction_count; i++)
        if (swaps(&ptx->instructions[i]) && is_in_loop(ptx, i))
            return false;
    bool *const found = calloc((size_t)ptx->register_count + 1, sizeof *found);
    if (found) {
        sim_mark(found, &source->operands[2]);
        spread_values(ptx, found);
    }
    const bool does = found && sim_depends(found, &source->operands[3]);
    free(found);
    return does;
}

uint32_t sim_writes_update(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    uint32_t flags = tries_once(ptx, source) ? FLAG_UPDATE : 0;
    for (int i = 0; i < ptx->instruction_count; i++)
        flags |= find_pair(ptx, source, &ptx->instructions[i]);
    return flags;
}

bool sim_reads_for_update(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    for (int i = 0; i < ptx->instruction_count; i++)
        if (find_pair(ptx, &ptx->instructions[i], source) != 0)
            return true;
    return false;
}
