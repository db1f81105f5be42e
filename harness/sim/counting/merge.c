/* Which shared accesses ptxas merges: neighbours from the same base register in one basic block, if
 * no access between them may alias and the base is known to be aligned. These rules were found by
 * compiling small kernels. Words 0 and 1 (or 2 and 3) of 16 aligned bytes become one access of 8
 * bytes; three or four loads, or four stores, become one access of 16. ptxas does not merge global
 * accesses. A short `if` becomes predicated instructions and does not end a basic block. */
#include "count.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_IF = 8, CHUNK = 16, KNOWN = 64, ABSOLUTE = -1, WORDS = 4 };

/* Of each register of a function: how many low bits are zero, and the instruction that writes it.
 */
struct facts {
    const struct program *program;
    const struct ptx_function *function;
    unsigned char *zeros;
    const struct ptx_instruction **definition; /* the only one; else NULL */
    int *definitions;
};

/* ---- Definitions ---- */

static void visit_written(const struct ptx_instruction *source, void *data,
                          void visit(void *data, int reg, const struct ptx_instruction *source))
{
    if (!ptx_writes_result(source))
        return;
    const struct ptx_operand *const to = &source->operands[0];
    if (to->kind == PTX_OPERAND_REGISTER && to->reg >= 0)
        visit(data, to->reg, source);
    for (int i = 0; i < to->element_count; i++)
        if (to->elements[i].kind == PTX_OPERAND_REGISTER && to->elements[i].reg >= 0)
            visit(data, to->elements[i].reg, source);
}

static void note_definition(void *data, int reg, const struct ptx_instruction *source)
{
    struct facts *const facts = data;
    facts->definition[reg] = facts->definitions[reg]++ ? NULL : source;
}

/* ---- Alignment ---- */

static unsigned zeros_of_value(uint64_t value)
{
    return value ? (unsigned)__builtin_ctzll(value) : KNOWN;
}

static bool shared_place(const struct facts *facts, const struct ptx_variable *variable,
                         int64_t *place)
{
    for (int i = 0; i < facts->program->shared_count; i++) {
        if (facts->program->shared[i].ptx == variable) {
            *place = facts->program->shared[i].offset;
            return true;
        }
    }
    *place = facts->program->dynamic_shared;
    return variable->space == PTX_SHARED && variable->size == 0;
}

static unsigned zeros_of(const struct facts *facts, const struct ptx_operand *operand)
{
    int64_t place;
    if (operand->kind == PTX_OPERAND_REGISTER && operand->reg >= 0)
        return facts->zeros[operand->reg];
    if (operand->kind == PTX_OPERAND_IMMEDIATE)
        return zeros_of_value(operand->imm);
    if (operand->kind == PTX_OPERAND_VARIABLE && shared_place(facts, operand->variable, &place))
        return zeros_of_value((uint64_t)(place + operand->offset));
    return 0;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned zeros_of_result(const struct facts *facts, const struct ptx_instruction *source)
{
    unsigned zeros[3] = {0};
    for (int i = 0; i < 3 && i + 1 < source->operand_count; i++)
        zeros[i] = zeros_of(facts, &source->operands[i + 1]);
    const unsigned product = ptx_has_part(source, "hi") ? 0 : least(KNOWN, zeros[0] + zeros[1]);
    switch (source->operation) {
    case PTX_OP_mov:
    case PTX_OP_cvt:
    case PTX_OP_cvta:
        return zeros[0];
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_selp:
    case PTX_OP_min:
    case PTX_OP_max:
        return least(zeros[0], zeros[1]);
    case PTX_OP_and:
        return zeros[0] > zeros[1] ? zeros[0] : zeros[1];
    case PTX_OP_shl:
        return source->operand_count > 2 && source->operands[2].kind == PTX_OPERAND_IMMEDIATE
                   ? least(KNOWN, zeros[0] + least(KNOWN, (unsigned)source->operands[2].imm))
                   : 0;
    case PTX_OP_mul:
        return product;
    case PTX_OP_mad:
        return least(product, zeros[2]);
    default:
        return 0;
    }
}

struct lowering {
    struct facts *facts;
    bool changed;
};

static void lower(void *data, int reg, const struct ptx_instruction *source)
{
    struct lowering *const lowering = data;
    unsigned char *const zeros = &lowering->facts->zeros[reg];
    const unsigned result = zeros_of_result(lowering->facts, source);
    if (result < *zeros) {
        *zeros = (unsigned char)result;
        lowering->changed = true;
    }
}

/* Starts with the best case and lowers it until no instruction contradicts it. */
static void find_alignment(struct facts *facts)
{
    struct lowering lowering = {.facts = facts, .changed = true};
    memset(facts->zeros, KNOWN, (size_t)facts->function->register_count);
    while (lowering.changed) {
        lowering.changed = false;
        for (int i = 0; i < facts->function->instruction_count; i++)
            visit_written(&facts->function->instructions[i], &lowering, lower);
    }
}

/* ---- Addresses ---- */

struct base {
    int root; /* a register, or ABSOLUTE */
    int64_t offset;
};

/* Follows copies and additions of constants back to the base of an address. */
static bool find_base(const struct facts *facts, const struct ptx_operand *address,
                      struct base *base)
{
    const struct ptx_operand *operand = address;
    *base = (struct base){.root = ABSOLUTE, .offset = address->offset};
    while (operand->reg >= 0 && !operand->variable) {
        const struct ptx_instruction *const from = facts->definition[operand->reg];
        base->root = operand->reg;
        if (!from || from->guard >= 0)
            return true;
        if (from->operation == PTX_OP_add && from->operands[1].kind == PTX_OPERAND_REGISTER &&
            from->operands[2].kind == PTX_OPERAND_IMMEDIATE)
            base->offset += (int32_t)from->operands[2].imm;
        else if (from->operation != PTX_OP_mov || (from->operands[1].kind != PTX_OPERAND_REGISTER &&
                                                   from->operands[1].kind != PTX_OPERAND_VARIABLE))
            return true;
        else if (from->operands[1].kind == PTX_OPERAND_VARIABLE)
            base->offset += from->operands[1].offset;
        operand = &from->operands[1];
    }
    int64_t place;
    if (!operand->variable || !shared_place(facts, operand->variable, &place))
        return false;
    base->root = ABSOLUTE;
    base->offset += place;
    return true;
}

/* ---- Merging ---- */

/* Accesses of one kind since the last instruction that they must not be moved across. */
struct run {
    struct access_plan **plans;
    struct base *bases;
    int count;
    bool is_load;
};

static unsigned words_of(const struct run *run, int i)
{
    const unsigned first = (unsigned)(run->bases[i].offset & (CHUNK - 1)) / 4;
    const unsigned words = run->plans[i]->bytes / 4;
    return first + words > WORDS ? 0 : ((1u << words) - 1) << first;
}

static bool same_chunk(const struct run *run, int i, int k)
{
    return run->bases[i].root == run->bases[k].root &&
           run->bases[i].offset >> 4 == run->bases[k].offset >> 4;
}

/* Merges the accesses in the chunk of access `first` whose words all lie in `within`. */
static void join(const struct run *run, int first, unsigned within)
{
    struct access_plan *leader = NULL;
    for (int i = first; i < run->count; i++) {
        const unsigned words = words_of(run, i);
        if (!same_chunk(run, first, i) || !words || words & ~within)
            continue;
        if (leader) {
            run->plans[i]->is_absorbed = true;
            continue;
        }
        leader = run->plans[i];
        leader->merged_bytes = 4 * (unsigned)__builtin_popcount(within);
        leader->merged_offset =
            4 * (int64_t)__builtin_ctz(within) - (run->bases[i].offset & (CHUNK - 1));
    }
}

static unsigned count_in(const struct run *run, int first, unsigned within)
{
    unsigned count = 0;
    for (int i = first; i < run->count; i++)
        count += same_chunk(run, first, i) && words_of(run, i) && !(words_of(run, i) & ~within);
    return count;
}

static void merge_chunk(const struct facts *facts, const struct run *run, int first)
{
    enum { LOW = 3, HIGH = 12, ALL = 15 };
    const int root = run->bases[first].root;
    const unsigned zeros = root == ABSOLUTE ? KNOWN : facts->zeros[root];
    unsigned words = 0;
    for (int i = first; i < run->count; i++)
        words |= same_chunk(run, first, i) ? words_of(run, i) : 0;
    if (zeros >= 4 && count_in(run, first, ALL) > 1 &&
        (words == ALL || (run->is_load && __builtin_popcount(words) == 3))) {
        join(run, first, ALL);
        return;
    }
    if (zeros >= 3 && (words & LOW) == LOW && count_in(run, first, LOW) > 1)
        join(run, first, LOW);
    if (zeros >= 3 && (words & HIGH) == HIGH && count_in(run, first, HIGH) > 1)
        join(run, first, HIGH);
}

static void end_run(const struct facts *facts, struct run *run)
{
    for (int i = 0; i < run->count; i++) {
        bool is_first = true;
        for (int k = 0; k < i && is_first; k++)
            is_first = !same_chunk(run, i, k);
        if (is_first)
            merge_chunk(facts, run, i);
    }
    run->count = 0;
}

/* ---- Short ifs ---- */

enum mark { MARK_NONE, MARK_INSIDE, MARK_AFTER };

static int branches_to(const struct ptx_function *function, int target)
{
    int count = 0;
    for (int i = 0; i < function->instruction_count; i++)
        for (int k = 0; k < function->instructions[i].operand_count; k++)
            count += function->instructions[i].operands[k].kind == PTX_OPERAND_LABEL &&
                     function->instructions[i].operands[k].target == target;
    return count;
}

/* The target of a branch over a few instructions without branches or barriers; -1: another one. */
static int short_if(const struct ptx_function *function, int at)
{
    const unsigned jumps = PTX_LEAVES | PTX_CALLS | PTX_WAITS | PTX_ATOMIC;
    const struct ptx_instruction *const source = &function->instructions[at];
    if (source->operation != PTX_OP_bra || source->guard < 0)
        return -1;
    const int target = source->operands[0].target;
    if (target <= at || target - at - 1 > SHORT_IF || branches_to(function, target) != 1)
        return -1;
    for (int i = at + 1; i < target; i++)
        if (ptx_does(&function->instructions[i], jumps) ||
            (i > at + 1 && function->instructions[i].is_block_start))
            return -1;
    return target;
}

void sim_count_mark_ifs(const struct ptx_function *function, unsigned char *marks)
{
    for (int i = 0; i < function->instruction_count; i++) {
        const int target = short_if(function, i);
        if (target < 0)
            continue;
        memset(marks + i + 1, MARK_INSIDE, (size_t)(target - i - 1));
        marks[target] = MARK_AFTER;
    }
}

struct redefinition {
    const struct run *run;
    bool ends;
};

static void ends_by(void *data, int reg, const struct ptx_instruction *source)
{
    struct redefinition *const redefinition = data;
    (void)source;
    for (int i = 0; i < redefinition->run->count; i++)
        redefinition->ends = redefinition->ends || redefinition->run->bases[i].root == reg;
}

/* Whether accesses before and after an instruction stay apart. */
static bool ends_run(const struct run *run, const struct ptx_instruction *source,
                     const struct access_plan *plan, enum mark mark)
{
    struct redefinition redefinition = {.run = run};
    visit_written(source, &redefinition, ends_by);
    if (redefinition.ends || (source->is_block_start && mark == MARK_NONE) ||
        ptx_does(source, PTX_ORDERS | PTX_COPIES) || source->operation == PTX_OP_shfl)
        return true;
    if (!plan || (plan->space != PTX_SHARED && plan->space != PTX_GENERIC))
        return false;
    return (plan->kind == COUNTED_LOAD) != run->is_load;
}

static bool may_merge(const struct access_plan *plan)
{
    const struct ptx_instruction *const source = plan->source;
    return !ptx_is_strong(source) && plan->space == PTX_SHARED && source->guard < 0 &&
           plan->kind <= COUNTED_STORE && !plan->is_matrix &&
           (plan->bytes == 4 || plan->bytes == 8);
}

static void merge(struct facts *facts, struct run *run, const unsigned char *marks,
                  struct access_plan **plans)
{
    for (int i = 0; i < facts->function->instruction_count; i++) {
        const struct ptx_instruction *const source = &facts->function->instructions[i];
        struct access_plan *const plan = plans[i];
        if (ends_run(run, source, plan, marks[i]))
            end_run(facts, run);
        if (!plan || marks[i] == MARK_INSIDE || !may_merge(plan))
            continue;
        const bool is_load = plan->kind == COUNTED_LOAD;
        if (!find_base(facts, ptx_address(source), &run->bases[run->count]))
            continue;
        run->is_load = is_load;
        run->plans[run->count++] = plan;
    }
    end_run(facts, run);
}

void sim_count_merge(const struct program *program, const struct ptx_function *function,
                     struct access_plan **plans)
{
    const size_t registers = (size_t)function->register_count + 1;
    const size_t instructions = (size_t)function->instruction_count + 1;
    struct facts facts = {.program = program,
                          .function = function,
                          .zeros = calloc(registers, 1),
                          .definition = calloc(registers, sizeof(void *)),
                          .definitions = calloc(registers, sizeof(int))};
    struct run run = {.plans = calloc(instructions, sizeof(void *)),
                      .bases = calloc(instructions, sizeof(struct base))};
    unsigned char *const marks = calloc(instructions, 1);
    if (facts.zeros && facts.definition && facts.definitions && run.plans && run.bases && marks) {
        for (int i = 0; i < function->instruction_count; i++)
            visit_written(&function->instructions[i], &facts, note_definition);
        find_alignment(&facts);
        sim_count_mark_ifs(function, marks);
        merge(&facts, &run, marks, plans);
    }
    free(marks);
    free(facts.zeros);
    free(facts.definition);
    free(facts.definitions);
    free(run.plans);
    free(run.bases);
}
