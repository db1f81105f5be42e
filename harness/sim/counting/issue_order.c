/* The order in which a warp issues what it executed, and which values it needs for that.
 *
 * PTX has a load where the source has it. ptxas issues the load as early as its address, barriers
 * and stores allow, ahead of instructions that wait for other loads. This tracks values, not
 * registers, since ptxas gives a value that is loaded early a register of its own. */
#include "executed.h"

#include <stdlib.h>
#include <string.h>

/* Loads that ptxas issues ahead of the use of an earlier one: see waits.c. */
enum { LOADS_AHEAD = 8, ADDRESS_INSTRUCTIONS = 64 };

struct ordering {
    const struct executed_warp *warp;
    struct producers *producers;
    int *writer;   /* of each register, by number: the last instruction that wrote it; -1: none */
    int registers; /* that `writer` has room for */
    int producer_count;
    int *after;     /* of a load: the last store that it must not pass; -1: none */
    int *next_load; /* the first load from an instruction on; none: the run's end */
    char *is_issued;
    char *has_arrived; /* of a load: the warp has waited for it, or for a later one */
    int *order;
    int count, arrived; /* issued instructions; of these, issued before the last stop */
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

/* A result under a guard also reads its old value, which other lanes keep. */
static bool find_producers(struct ordering *ordering, int at)
{
    const struct ptx_instruction *const source = ordering->warp->list[at].source;
    const bool has_result = ptx_writes_result(source);
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
    if (ptx_does(source, PTX_ORDERS | PTX_BRANCHES))
        return source->operation != PTX_OP_bra || !executed->is_no_branch;
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

static bool is_load(const struct ordering *ordering, int at)
{
    return ordering->warp->list[at].is_load;
}

/* Whether a load can be issued now: it neither has to wait for another load of the run nor passes a
 * store. Looks at no more than `most` instructions that compute its address. */
static bool can_go_first(const struct ordering *ordering, int at, int first, int *most)
{
    const struct producers *const producers = ordering->producers;
    if (--*most < 0 || (ordering->after[at] >= first && !ordering->is_issued[ordering->after[at]]))
        return false;
    for (int i = producers->start[at]; i < producers->start[at + 1]; i++) {
        const int producer = producers->list[i];
        const bool is_there = producer < first || ordering->is_issued[producer];
        if (producer >= first && is_load(ordering, producer) && !ordering->has_arrived[producer])
            return false;
        if (!is_there && !can_go_first(ordering, producer, first, most))
            return false;
    }
    return true;
}

/* Issues up to LOADS_AHEAD loads of each memory ahead of instruction `at`. */
static void issue_loads(struct ordering *ordering, int at, int first, int end)
{
    int ahead[2] = {0, 0};
    for (int i = at; i < end && (ahead[0] < LOADS_AHEAD || ahead[1] < LOADS_AHEAD);
         i = ordering->next_load[i + 1]) {
        const bool is_shared = ordering->warp->list[i].names_shared;
        int most = ADDRESS_INSTRUCTIONS;
        if (!is_load(ordering, i) || ahead[is_shared]++ >= LOADS_AHEAD || ordering->is_issued[i])
            continue;
        if (can_go_first(ordering, i, first, &most))
            issue(ordering, i, first);
    }
}

/* Whether an instruction waits for a load. After that, all loads issued so far have arrived. */
static bool stops(struct ordering *ordering, int at, int first)
{
    const struct producers *const producers = ordering->producers;
    bool stops = false;
    for (int i = producers->start[at]; i < producers->start[at + 1]; i++)
        stops = stops || (producers->list[i] >= first && is_load(ordering, producers->list[i]) &&
                          !ordering->has_arrived[producers->list[i]]);
    return stops;
}

static void note_arrivals(struct ordering *ordering, int at)
{
    for (; ordering->arrived < at; ordering->arrived++)
        ordering->has_arrived[ordering->order[ordering->arrived]] = 1;
}

/* Orders the instructions from `first` to `end` - 1, among which loads may move. */
static void order_run(struct ordering *ordering, int first, int end)
{
    const struct executed *const list = ordering->warp->list;
    int stores[2] = {-1, -1};
    bool looks_ahead = true;
    for (int i = first; i < end; i++) {
        const bool is_shared = list[i].names_shared;
        if (ptx_does(list[i].source, PTX_STORES))
            stores[is_shared] = i;
        ordering->after[i] =
            is_load(ordering, i) && !ptx_has_part(list[i].source, "nc") ? stores[is_shared] : -1;
    }
    ordering->next_load[end] = end;
    for (int i = end; i-- > first;)
        ordering->next_load[i] = is_load(ordering, i) ? i : ordering->next_load[i + 1];
    for (int i = first; i < end; i++) {
        if (looks_ahead)
            issue_loads(ordering, ordering->next_load[i], first, end);
        const bool has_stopped = stops(ordering, i, first);
        issue(ordering, i, first);
        if (has_stopped)
            note_arrivals(ordering, ordering->count);
        looks_ahead = has_stopped || is_load(ordering, i) || ptx_does(list[i].source, PTX_STORES);
    }
}

bool sim_issue_order(const struct executed_warp *warp, int *order, struct producers *producers)
{
    const size_t count = (size_t)warp->count + 1;
    struct ordering ordering = {.warp = warp,
                                .producers = producers,
                                .order = order,
                                .after = calloc(count, sizeof *ordering.after),
                                .next_load = calloc(count, sizeof *ordering.next_load),
                                .is_issued = calloc(count, 1),
                                .has_arrived = calloc(count, 1)};
    producers->start = calloc(count, sizeof *producers->start);
    bool is_well = ordering.after && ordering.next_load && ordering.is_issued &&
                   ordering.has_arrived && producers->start;
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
    free(ordering.next_load);
    free(ordering.has_arrived);
    free(ordering.is_issued);
    return is_well;
}
