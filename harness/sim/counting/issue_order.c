/* The order in which a warp issues what it executed, and which values it needs for that.
 *
 * PTX has a load where the source has it; ptxas issues it as early as its address, barriers and
 * stores allow, ahead of what waits for other loads. Values, not registers, are followed, since
 * ptxas gives a value that is loaded early a register of its own. */
#include "executed.h"

#include <stdlib.h>
#include <string.h>

/* Loads that ptxas issues ahead of the use of an earlier one: see waits.c. */
enum { LOADS_AHEAD = 8 };

struct ordering {
    const struct executed_warp *warp;
    struct producers *producers;
    int *writer;   /* of each register, by number: the last instruction that wrote it; -1: none */
    int registers; /* there is room for */
    int producer_count;
    int *after; /* of a load: the store before it that it must not pass; -1: none */
    char *is_issued;
    int *order;
    int count;
};

/* ---- Who wrote what an instruction reads ---- */

static bool has_register(struct ordering *ordering, int reg)
{
    if (reg < ordering->registers)
        return true;
    const int larger = 2 * (reg + 1);
    int *const moved = realloc(ordering->writer, (size_t)larger * sizeof *moved);
    if (!moved)
        return false;
    memset(moved + ordering->registers, -1, (size_t)(larger - ordering->registers) * sizeof *moved);
    ordering->writer = moved;
    ordering->registers = larger;
    return true;
}

static bool read_register(struct ordering *ordering, int reg)
{
    struct producers *const producers = ordering->producers;
    if (!has_register(ordering, reg))
        return false;
    if (ordering->writer[reg] < 0)
        return true;
    if (ordering->producer_count == producers->capacity) {
        const int larger = 2 * producers->capacity + 64;
        int *const moved = realloc(producers->list, (size_t)larger * sizeof *moved);
        if (!moved)
            return false;
        producers->list = moved;
        producers->capacity = larger;
    }
    producers->list[ordering->producer_count++] = ordering->writer[reg];
    return true;
}

static bool read_operand(struct ordering *ordering, const struct ptx_operand *operand)
{
    const bool is_register =
        operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_ADDRESS;
    bool is_well = !is_register || operand->reg < 0 || read_register(ordering, operand->reg);
    for (int i = 0; i < operand->element_count; i++)
        is_well = is_well && read_operand(ordering, &operand->elements[i]);
    return is_well;
}

static bool write_operand(struct ordering *ordering, const struct ptx_operand *operand, int at)
{
    bool is_well = true;
    if (operand->kind == PTX_OPERAND_REGISTER && operand->reg >= 0) {
        is_well = has_register(ordering, operand->reg);
        if (is_well)
            ordering->writer[operand->reg] = at;
    }
    for (int i = 0; i < operand->element_count; i++)
        is_well = is_well && write_operand(ordering, &operand->elements[i], at);
    return is_well;
}

/* What is written under a guard keeps its old value in other lanes. */
static bool find_producers(struct ordering *ordering, int at)
{
    const struct ptx_instruction *const source = ordering->warp->list[at].source;
    const bool has_result = sim_count_writes(source);
    ordering->producers->start[at] = ordering->producer_count;
    bool is_well = source->guard < 0 || read_register(ordering, source->guard);
    for (int i = has_result && source->guard < 0 ? 1 : 0; i < source->operand_count; i++)
        is_well = is_well && read_operand(ordering, &source->operands[i]);
    if (has_result)
        is_well = is_well && write_operand(ordering, &source->operands[0], at);
    ordering->producers->start[at + 1] = ordering->producer_count;
    return is_well;
}

/* ---- Loads first ---- */

static bool keeps_order(const struct executed *executed)
{
    const struct ptx_instruction *const source = executed->source;
    static const char *const names[] = {"bar",  "barrier", "membar", "fence", "call",
                                        "atom", "red",     "bra",    "brx",   NULL};
    for (int i = 0; names[i]; i++)
        if (strcmp(source->parts[0], names[i]) == 0)
            return strcmp(names[i], "bra") != 0 || !executed->is_no_branch;
    return ptx_has_part(source, "wait_group") || ptx_has_part(source, "wait_all");
}

static void issue(struct ordering *ordering, int at, int first)
{
    const struct producers *const producers = ordering->producers;
    if (at < first || ordering->is_issued[at])
        return;
    ordering->is_issued[at] = 1;
    issue(ordering, ordering->after[at], first);
    for (int i = producers->start[at]; i < producers->start[at + 1]; i++)
        issue(ordering, producers->list[i], first);
    ordering->order[ordering->count++] = at;
}

/* Of a run of instructions that loads may move in. */
static void order_run(struct ordering *ordering, int first, int end)
{
    const struct executed *const list = ordering->warp->list;
    int ahead[LOADS_AHEAD], loads = 0, next = first, stores[2] = {-1, -1};
    for (int i = first; i < end; i++) {
        const struct ptx_instruction *const source = list[i].source;
        const bool is_shared = sim_count_is_shared(source);
        ordering->after[i] = -1;
        if (strcmp(source->parts[0], "st") == 0)
            stores[is_shared] = i;
        if (!sim_count_is_load(source))
            continue;
        ordering->after[i] = ptx_has_part(source, "nc") ? -1 : stores[is_shared];
        if (loads >= LOADS_AHEAD)
            while (next < ahead[loads % LOADS_AHEAD])
                issue(ordering, next++, first);
        ahead[loads++ % LOADS_AHEAD] = i;
        issue(ordering, i, first);
    }
    while (next < end)
        issue(ordering, next++, first);
}

bool sim_issue_order(const struct executed_warp *warp, int *order, struct producers *producers)
{
    const size_t count = (size_t)warp->count + 1;
    struct ordering ordering = {.warp = warp,
                                .producers = producers,
                                .order = order,
                                .after = calloc(count, sizeof *ordering.after),
                                .is_issued = calloc(count, 1)};
    producers->start = calloc(count, sizeof *producers->start);
    bool is_well = ordering.after && ordering.is_issued && producers->start;
    for (int i = 0; is_well && i < warp->count; i++)
        is_well = find_producers(&ordering, i);
    for (int first = 0, end; is_well && first < warp->count; first = end) {
        end = first + 1;
        while (end < warp->count && !warp->list[end].is_first && !keeps_order(&warp->list[end - 1]))
            end++;
        order_run(&ordering, first, end);
    }
    free(ordering.writer);
    free(ordering.after);
    free(ordering.is_issued);
    return is_well;
}
