/* Kernels without a loop in which a block could wait for another block may run all their blocks in
 * reverse. Other kernels run a few blocks at a time in reverse. A loop that may wait contains an
 * atomic operation or an ordered load, or only reads one place again and again. */
#include "launch.h"

#include "sim/machine/program.h"
#include "sim/machine/warp.h"

#include <stdatomic.h>
#include <string.h>

/* One for the whole process. */
static struct {
    _Atomic bool reversed, shared;
    _Atomic unsigned count;
    _Atomic uint64_t begun, all; /* blocks of the launch that runs, or clusters */
} turn;

void sim_turn_set(bool reversed)
{
    atomic_store(&turn.reversed, reversed);
    atomic_store(&turn.count, 0);
}

void sim_turn_share(bool shared)
{
    atomic_store(&turn.shared, shared);
}

int sim_turn_shares(void)
{
    enum { MOST = 64 }; /* few: sleeping takes long */
    return atomic_load(&turn.shared) ? MOST : 0;
}

unsigned sim_turn_count(void)
{
    return atomic_load(&turn.count);
}

static bool holds(const struct ptx_operand *operand, int reg)
{
    bool found = operand->kind == PTX_OPERAND_REGISTER && operand->reg == reg;
    for (int i = 0; i < operand->element_count && !found; i++)
        found = holds(&operand->elements[i], reg);
    return found;
}

static bool is_set_between(const struct ptx_function *function, int first, int last, int reg)
{
    bool found = false;
    for (int i = first; i <= last && !found; i++) {
        const struct ptx_instruction *const at = &function->instructions[i];
        found = ptx_writes_result(at) && holds(&at->operands[0], reg);
    }
    return found;
}

static bool may_see_others(const struct ptx_instruction *source)
{
    static const char *const own[] = {"shared", "local", "param", "const", "nc"};
    if (ptx_does(source, PTX_UPDATES))
        return !ptx_has_part(source, "shared");
    if (!ptx_does(source, PTX_LOADS) || source->operand_count < 2)
        return false;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (ptx_has_part(source, own[i]))
            return false;
    return true;
}

static bool is_same(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a->kind == b->kind && a->reg == b->reg && a->imm == b->imm;
}

/* A thread that takes a lock, or adds by compare-and-swap, waits only for threads that have begun.
 * A swap of a value for the same value is only a look. */
static bool takes_lock(const struct ptx_instruction *source)
{
    return ptx_does(source, PTX_UPDATES) && source->update & PTX_COMPARES &&
           source->operand_count == 4 && !is_same(&source->operands[2], &source->operands[3]);
}

/* Whether a loop does more than look: it stores, or computes with floats. */
static bool computes(const struct ptx_function *function, int first, int last)
{
    for (int i = first; i <= last; i++) {
        const struct ptx_instruction *const at = &function->instructions[i];
        const char *const type = at->parts[at->part_count - 1];
        if (ptx_does(at, PTX_STORES) || strcmp(type, "f32") == 0 || strcmp(type, "f64") == 0)
            return true;
    }
    return false;
}

static bool may_wait(const struct ptx_function *function, int first, int last)
{
    for (int i = first; i <= last; i++) {
        const struct ptx_instruction *const at = &function->instructions[i];
        if (may_see_others(at) && !takes_lock(at) &&
            (ptx_does(at, PTX_UPDATES) || ptx_is_strong(at) || at->operands[1].reg < 0 ||
             (!is_set_between(function, first, last, at->operands[1].reg) &&
              !computes(function, first, last))))
            return true;
    }
    return false;
}

static bool has_waits(const struct ptx_function *function)
{
    for (int i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *const at = &function->instructions[i];
        /* calls and computed branches are not followed: they may lead to a wait */
        if (at->operation == PTX_OP_brx || ptx_does(at, PTX_CALLS))
            return true;
        if (ptx_goes_back(at, i) && may_wait(function, at->operands[0].target, i))
            return true;
    }
    return false;
}

uint64_t sim_turn_wanted(const struct sim_launch *request, uint64_t clusters)
{
    enum { FEW = 8 }; /* so that the block that others wait for soon gets a thread */
    struct program *const program = request->kernel->program;
    if (!atomic_load(&turn.reversed))
        return 0;
    if (program->waits == PROGRAM_WAITS_UNKNOWN)
        program->waits = has_waits(request->kernel->ptx) ? PROGRAM_WAITS : PROGRAM_NEVER_WAITS;
    atomic_fetch_add(&turn.count, 1);
    return program->waits == PROGRAM_WAITS ? FEW : clusters;
}

/* ---- Blocks ---- */

void sim_turn_begin(const struct launch *launch)
{
    atomic_store(&turn.all, launch->cluster_count);
    atomic_store(&turn.begun, 0);
}

static uint64_t cluster_at(const struct launch *launch, uint64_t place)
{
    if (!launch->turned)
        return place;
    const uint64_t first = place - place % launch->turned, end = first + launch->turned;
    return first + (end < launch->cluster_count ? end : launch->cluster_count) - 1 - place;
}

bool sim_turn_take(struct worker *worker)
{
    struct launch *const launch = worker->launch;
    worker->place = atomic_fetch_add(&launch->next_cluster, 1);
    if (worker->place >= launch->cluster_count ||
        worker->place > atomic_load(&launch->last_cluster))
        return false;
    const uint64_t first = cluster_at(launch, worker->place) * launch->cluster_size;
    for (unsigned rank = 0; rank < launch->cluster_size; rank++)
        sim_member(worker, rank)->block_number = first + rank;
    atomic_fetch_add(&turn.begun, 1);
    return true;
}

void sim_turn_progress(uint64_t *begun, uint64_t *all)
{
    *begun = atomic_load(&turn.begun);
    *all = atomic_load(&turn.all);
}
