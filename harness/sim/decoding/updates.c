/* Which write of a word depends on which read of the word. As in flags.c, values are followed
 * through registers. */
#include "flags.h"

#include <stdlib.h>
#include <string.h>

/* Whether an atomic operation adds to a word, and nothing reads the old value. */
static bool adds_unseen(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    return source->update & PTX_ADDS && !sim_only_reads(source) &&
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
        return may_be_repeated(ptx, value)
                   ? 0
                   : FLAG_UPDATE | FLAG_COMPUTED |
                         (sim_claims(ptx, read, write, true) ? FLAG_CLAIM : 0);
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
        sim_reads_flag(read) || sim_only_reads(read) || (adds && ptx_does(read, PTX_LOADS));
    const bool takes = takes_once(ptx, read);
    if (!may_write || !(takes || (may_read && !sim_is_look(ptx, read))))
        return 0;
    bool *const found = calloc((size_t)ptx->register_count + 1, sizeof *found);
    const uint32_t flags = found ? goes_by(ptx, write, read, found) : 0;
    free(found);
    return flags;
}

/* The value of what sim_is_constant(); of several, the last. */
static uint64_t constant_of(const struct ptx_function *ptx, const struct ptx_operand *operand)
{
    uint64_t value = operand->imm;
    for (int i = 0; operand->kind == PTX_OPERAND_REGISTER && i < ptx->instruction_count; i++)
        if (ptx->instructions[i].operation == PTX_OP_mov &&
            ptx->instructions[i].operands[0].reg == operand->reg)
            value = ptx->instructions[i].operands[1].imm;
    return value;
}

/* Whether a thread waits until a word holds a constant other than `value`. */
static bool waits_for_other(const struct ptx_function *ptx, const struct ptx_instruction *read,
                            uint64_t value)
{
    for (int i = 0; sim_is_look(ptx, read) && i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const at = &ptx->instructions[i];
        for (int o = 1; at->operation == PTX_OP_setp && o < 3 && o < at->operand_count; o++)
            if (at->operands[o].reg == read->operands[0].reg && read->operands[0].reg >= 0 &&
                sim_is_constant(ptx, &at->operands[3 - o]) &&
                constant_of(ptx, &at->operands[3 - o]) != value)
                return true;
    }
    return false;
}

/* Whether an atomic operation takes part in who may go on: it changes the word, and is no plain
 * exchange whose result nobody reads. */
static bool decides_by_atomic(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    return ptx_does(source, PTX_ATOMIC) && !sim_only_reads(source) &&
           !(source->update & PTX_EXCHANGES && !(source->update & PTX_COMPARES) &&
             (ptx_does(source, PTX_REDUCES) || !sim_is_read(ptx, &source->operands[0])));
}

/* Whether a constant is put into a word after a wait for another constant there, and nothing else
 * decides which of several waiting threads puts it there. */
static bool sets_after_test(const struct ptx_function *ptx, const struct ptx_instruction *write)
{
    const bool is_store = ptx_does(write, PTX_STORES) && ptx_is_strong(write);
    const struct ptx_operand *const value = &write->operands[is_store ? 1 : 2];
    bool tests = false;
    if (!(is_store || (ptx_does(write, PTX_ATOMIC) && write->update & PTX_EXCHANGES)) ||
        !sim_is_constant(ptx, value))
        return false;
    for (int i = 0; i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const other = &ptx->instructions[i];
        if (other->operand_count < 2 || !ptx_does(other, PTX_LOADS | PTX_ATOMIC) ||
            !sim_is_same_address(ptx_address(other), ptx_address(write)))
            continue;
        if (decides_by_atomic(ptx, other))
            return false;
        tests = tests || (other < write && (sim_reads_flag(other) || sim_only_reads(other)) &&
                          waits_for_other(ptx, other, constant_of(ptx, value)));
    }
    return tests;
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

/* Whether a constant claims the word after a look at it. */
static bool sets_claim(const struct ptx_function *ptx, const struct ptx_instruction *write,
                       const struct ptx_instruction *read)
{
    const bool is_store = ptx_does(write, PTX_STORES) && ptx_is_strong(write);
    const bool is_exchange = ptx_does(write, PTX_ATOMIC) && write->update & PTX_EXCHANGES;
    return (is_store || is_exchange) && read->operand_count > 1 &&
           ptx_does(read, PTX_LOADS | PTX_UPDATES) &&
           sim_is_same_address(ptx_address(read), ptx_address(write)) &&
           (sim_reads_flag(read) || sim_only_reads(read)) &&
           sim_is_constant(ptx, &write->operands[is_store ? 1 : 2]) &&
           sim_claims(ptx, read, write, false);
}

uint32_t sim_writes_update(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    uint32_t flags = (tries_once(ptx, source) ? FLAG_UPDATE : 0) |
                     (sets_after_test(ptx, source) ? FLAG_TEST_SET : 0);
    for (int i = 0; i < ptx->instruction_count; i++)
        flags |= find_pair(ptx, source, &ptx->instructions[i]) |
                 (sets_claim(ptx, source, &ptx->instructions[i]) ? FLAG_CLAIM : 0);
    return flags;
}

uint32_t sim_reads_for_update(const struct ptx_function *ptx, const struct ptx_instruction *source)
{
    uint32_t flags = 0;
    for (int i = 0; i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const write = &ptx->instructions[i];
        const uint32_t pair =
            find_pair(ptx, write, source) | (sets_claim(ptx, write, source) ? FLAG_CLAIM : 0);
        if (pair != 0 || (source->operand_count > 1 && write->operand_count > 1 &&
                          sim_is_same_address(ptx_address(source), ptx_address(write)) &&
                          sets_after_test(ptx, write)))
            flags |= FLAG_READ_FOR_UPDATE | (pair & FLAG_CLAIM);
    }
    return flags;
}
