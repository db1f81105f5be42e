/* Which reads decide by themselves that their thread claims a word: a ticket, a piece of work. Two
 * threads that read the same value then claim it both, whether or not they did in this run. */
#include "flags.h"

#include <stdlib.h>
#include <string.h>

static bool is_zero(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_IMMEDIATE && operand->imm == 0;
}

bool sim_only_reads(const struct ptx_instruction *source)
{
    return ptx_does(source, PTX_UPDATES) && source->operand_count > 2 &&
           (ptx_has_part(source, "add") || ptx_has_part(source, "or") ||
            ptx_has_part(source, "xor")) &&
           is_zero(&source->operands[2]);
}

/* Registers: how many instructions write each; those that are the same for all threads; those, too,
 * that are computed from what was read; those that depend on what was claimed. */
struct claim {
    unsigned char *writers;
    bool *alike, *decided, *claimed;
};

static bool make(struct claim *claim, const struct ptx_function *ptx)
{
    const size_t count = (size_t)ptx->register_count + 1;
    claim->writers = calloc(count, 4);
    if (!claim->writers)
        return false;
    claim->alike = (bool *)claim->writers + count;
    claim->decided = claim->alike + count;
    claim->claimed = claim->decided + count;
    for (int i = 0; i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        const int reg = ptx_writes_result(source) ? source->operands[0].reg : -1;
        if (reg >= 0 && claim->writers[reg] < 2)
            claim->writers[reg]++;
    }
    return true;
}

/* Whether a result is computed from marked registers and constants alone. One that several
 * instructions write is not: which of them did may depend on anything. */
static bool is_known(const struct ptx_function *ptx, const struct ptx_instruction *source,
                     const struct claim *claim, const bool *found)
{
    if (!ptx_writes_result(source) || source->operand_count < 2 || source->guard >= 0 ||
        source->operands[0].reg < 0 || claim->writers[source->operands[0].reg] != 1 ||
        ptx_does(source, PTX_UPDATES | PTX_CALLS))
        return false;
    if (ptx_does(source, PTX_LOADS))
        return ptx->is_entry && ptx_has_part(source, "param") && source->operands[1].reg < 0;
    for (int o = 1; o < source->operand_count; o++) {
        const struct ptx_operand *const operand = &source->operands[o];
        if (operand->kind != PTX_OPERAND_IMMEDIATE && operand->kind != PTX_OPERAND_VARIABLE &&
            !(operand->kind == PTX_OPERAND_REGISTER && found[operand->reg]))
            return false;
    }
    return true;
}

static void spread_known(const struct ptx_function *ptx, const struct claim *claim, bool *found)
{
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (int i = 0; i < ptx->instruction_count; i++)
            if (is_known(ptx, &ptx->instructions[i], claim, found))
                has_grown |= sim_mark(found, &ptx->instructions[i].operands[0]);
    }
}

/* Whether nothing but what was read, and what is the same for all threads, decides between the read
 * and the write whether the write is made. Marks the predicates that do. */
static bool decides_alone(const struct ptx_instruction *read, const struct ptx_instruction *write,
                          const struct ptx_instruction *first, struct claim *claim)
{
    bool any = false;
    for (const struct ptx_instruction *at = read + 1; at <= write; at++) {
        if (at != write && !ptx_does(at, PTX_LEAVES))
            continue;
        if (at->operation == PTX_OP_bra && first + at->operands[0].target > at &&
            first + at->operands[0].target <= write && at->guard >= 0)
            continue; /* comes to the write on both ways */
        if (at->guard < 0 && at == write)
            continue;
        if (at->guard < 0 || !claim->decided[at->guard] ||
            (at->operation == PTX_OP_bra && first + at->operands[0].target <= at))
            return false;
        claim->claimed[at->guard] = !claim->alike[at->guard];
        any = any || claim->claimed[at->guard];
    }
    return any;
}

static bool compares_alike(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    for (int o = 1; o < 3; o++)
        if (a->operands[o].kind != b->operands[o].kind ||
            a->operands[o].reg != b->operands[o].reg || a->operands[o].imm != b->operands[o].imm)
            return false;
    return true;
}

/* Marks the predicates of the same comparison as a marked one: a compiler makes one for a branch
 * and one for a value. */
static void mark_alike(const struct ptx_function *ptx, bool *found)
{
    for (int i = 0; i < ptx->instruction_count; i++)
        for (int j = 0; j < ptx->instruction_count; j++) {
            const struct ptx_instruction *const one = &ptx->instructions[i];
            const struct ptx_instruction *const other = &ptx->instructions[j];
            if (one->operation == PTX_OP_setp && other->operation == PTX_OP_setp &&
                one->operand_count > 2 && other->operand_count > 2 &&
                sim_depends(found, &one->operands[0]) && compares_alike(one, other))
                sim_mark(found, &other->operands[0]);
        }
}

static bool is_shared_variable(const struct ptx_operand *address)
{
    return address && address->reg < 0 && address->variable &&
           address->variable->space == PTX_SHARED;
}

static bool depends(const struct ptx_instruction *source, const bool *found,
                    const struct ptx_operand *told)
{
    bool does =
        (source->guard >= 0 && found[source->guard]) ||
        (told && ptx_does(source, PTX_LOADS) && sim_is_same_address(&source->operands[1], told));
    for (int o = ptx_first_read(source); o < source->operand_count; o++)
        does = does || sim_depends(found, &source->operands[o]);
    return does;
}

/* Whether a thread that has put a constant there, or one that it tells by a variable in shared
 * memory, adds something atomically, which differs if two threads do it. Most else may be done
 * twice: a mark that is set, a distance that is stored. */
static bool acts_once(const struct ptx_function *ptx, bool *found)
{
    const struct ptx_operand *told = NULL;
    for (bool has_grown = true; has_grown;) {
        int end = 0; /* of what a branch on the claim leaves out */
        has_grown = false;
        for (int i = 0; i < ptx->instruction_count; i++) {
            const struct ptx_instruction *const source = &ptx->instructions[i];
            const bool is_inside = i < end || (source->guard >= 0 && found[source->guard]);
            if (is_inside && source->update & PTX_ADDS && !sim_only_reads(source) &&
                !ptx_has_part(source, "shared"))
                return true;
            if (source->operation == PTX_OP_bra) {
                if (source->guard >= 0 && found[source->guard] && source->operands[0].target > end)
                    end = source->operands[0].target;
            } else if (is_inside || depends(source, found, told)) {
                if (ptx_writes_result(source))
                    has_grown |= sim_mark(found, &source->operands[0]);
                else if (!told && ptx_does(source, PTX_STORES) &&
                         is_shared_variable(&source->operands[0])) {
                    told = &source->operands[0];
                    has_grown = true;
                }
            }
        }
    }
    return false;
}

bool sim_claims(const struct ptx_function *ptx, const struct ptx_instruction *read,
                const struct ptx_instruction *write, bool is_computed)
{
    struct claim claim;
    if (read >= write || read->guard >= 0 || read->operands[0].reg < 0 || !make(&claim, ptx))
        return false;
    const size_t count = (size_t)ptx->register_count + 1;
    spread_known(ptx, &claim, claim.alike);
    memcpy(claim.decided, claim.alike, count);
    if (claim.writers[read->operands[0].reg] == 1)
        claim.decided[read->operands[0].reg] = true;
    spread_known(ptx, &claim, claim.decided);
    bool does = decides_alone(read, write, ptx->instructions, &claim);
    if (does && !is_computed) {
        mark_alike(ptx, claim.claimed);
        does = acts_once(ptx, claim.claimed);
    }
    free(claim.writers);
    return does;
}
