/* What a warp waits for, found in the PTX and weighted by how often each instruction was executed:
 * how often it stops for a load, how far this load was ahead of its use, and how long chains of
 * dependent instructions are.
 *
 * ptxas issues loads as early as it may. So a load counts as issued after the instructions that
 * compute its address, and after the last barrier, branch or store that it must not pass. A warp
 * that stops for one load stops for all loads that were issued by then. A load that is issued early
 * needs a register until its use. The registers for this are those of the machine code that hold no
 * value which is live in the PTX. */
#include "count.h"

#include <limits.h>
#include <stdlib.h>

enum { NOTHING = 0 };

/* What is known of a register. Places are indices of instructions. */
struct value {
    enum { ARRIVED, FROM_GLOBAL, FROM_SHARED } pending;
    int written;    /* place of the instruction that wrote it */
    int earliest;   /* the earliest place where this instruction could be issued */
    int region;     /* of the chain */
    uint64_t chain; /* executions in the longest chain of instructions up to this value */
};

struct walk {
    const struct ptx_function *function;
    const uint64_t *warps;
    uint64_t *before; /* executions of all instructions before each one */
    unsigned char *marks, *is_loop;
    struct value *values;
    int floor, shared_floor, global_floor; /* places that loads must not pass */
    int waited_global, waited;             /* places where the warp last stopped */
    int registers;                         /* of a thread in machine code; 0: not known */
    int room; /* registers left for loads issued before the last stop and used after it */
    int region;
    uint64_t longest; /* the longest chain of the region */
    struct counted_waits *waits;
};

bool sim_count_is_shared(const struct ptx_instruction *source)
{
    return ptx_has_part(source, "shared") || ptx_has_part(source, "shared::cta");
}

bool sim_count_is_load(const struct ptx_instruction *source)
{
    static const char *const at_hand[] = {"param", "param::entry", "param::func", "const"};
    for (size_t i = 0; i < sizeof at_hand / sizeof at_hand[0]; i++)
        if (ptx_has_part(source, at_hand[i]))
            return false;
    return ptx_does(source, PTX_LOADS | PTX_UPDATES);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- Reading a register ---- */

/* nvcc unrolls a loop by four, and an iteration often loads from two arrays. So there is always
 * room for eight loads. The load that is waited for has its register in the PTX already. */
enum { LEAST_ROOM = 8 - 1 };

static int room_at(const struct walk *walk, int at)
{
    const int room = walk->registers - walk->function->instructions[at].live_words;
    return walk->registers == 0 ? INT_MAX : room > LEAST_ROOM ? room : LEAST_ROOM;
}

/* Whether a load was issued before the last stop, even if it comes after it in the PTX. */
static bool is_covered(struct walk *walk, int reg)
{
    const struct value *const value = &walk->values[reg];
    if (value->earliest >= walk->waited_global)
        return false;
    if (value->written < walk->waited_global)
        return true; /* as in the PTX, where it counts as live */
    walk->room -= ptx_type_size(walk->function->registers[reg].type) == 8 ? 2 : 1;
    return walk->room >= 0;
}

static void stop_for(struct walk *walk, int at, const struct value *value)
{
    const uint64_t times = least(walk->warps[at], walk->warps[value->written]);
    const uint64_t ahead = walk->before[at] - walk->before[value->written];
    if (value->pending == FROM_GLOBAL) {
        walk->waits->global += times;
        walk->waits->ahead_of_global += ahead;
        walk->waited_global = at;
        walk->room = room_at(walk, at);
    } else {
        walk->waits->shared += times;
        walk->waits->ahead_of_shared += ahead;
    }
    walk->waited = at;
}

/* An instruction reads a register: it may have to wait, and it continues the register's chain. */
static void read_value(struct walk *walk, int at, int reg, struct value *result)
{
    struct value *const value = &walk->values[reg];
    if (value->pending != ARRIVED) {
        const bool is_there =
            value->pending == FROM_GLOBAL ? is_covered(walk, reg) : value->earliest < walk->waited;
        if (!is_there)
            stop_for(walk, at, value);
        value->pending = ARRIVED;
        value->earliest = at; /* from here on it is there */
    }
    if (value->earliest > result->earliest)
        result->earliest = value->earliest;
    if (value->region == walk->region && value->chain > result->chain)
        result->chain = value->chain;
}

static void read_operand(struct walk *walk, int at, const struct ptx_operand *operand,
                         struct value *result)
{
    const bool is_register =
        operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_ADDRESS;
    if (is_register && operand->reg >= 0)
        read_value(walk, at, operand->reg, result);
    for (int i = 0; i < operand->element_count; i++)
        read_operand(walk, at, &operand->elements[i], result);
}

/* ---- Order ---- */

/* Loops start a new region; loads are not moved before a loop or a join. */
static void enter(struct walk *walk, int at)
{
    const bool is_joined =
        walk->function->instructions[at].is_block_start && walk->marks[at] == NOTHING;
    if (walk->is_loop[at]) {
        walk->waits->chain += walk->longest;
        walk->longest = 0;
        walk->region++;
    }
    if (walk->is_loop[at] || is_joined)
        walk->floor = at;
}

/* Loads must not be moved before barriers, branches and stores. */
static void leave(struct walk *walk, int at)
{
    const struct ptx_instruction *const source = &walk->function->instructions[at];
    const bool is_short_if =
        at + 1 < walk->function->instruction_count && walk->marks[at + 1] != NOTHING;
    if (ptx_does(source, PTX_ORDERS) || (ptx_does(source, PTX_LEAVES) && !is_short_if))
        walk->floor = at;
    if (ptx_does(source, PTX_STORES))
        *(sim_count_is_shared(source) ? &walk->shared_floor : &walk->global_floor) = at;
}

static int floor_of(const struct walk *walk, const struct ptx_instruction *source)
{
    int floor = walk->floor;
    const int own = sim_count_is_shared(source) ? walk->shared_floor : walk->global_floor;
    if (!ptx_has_part(source, "nc") && own > floor)
        floor = own;
    return floor;
}

static void write_operand(struct walk *walk, const struct ptx_operand *operand,
                          const struct value *result)
{
    if (operand->kind == PTX_OPERAND_REGISTER && operand->reg >= 0)
        walk->values[operand->reg] = *result;
    for (int i = 0; i < operand->element_count; i++)
        write_operand(walk, &operand->elements[i], result);
}

static void step(struct walk *walk, int at)
{
    const struct ptx_instruction *const source = &walk->function->instructions[at];
    const bool has_result = ptx_writes_result(source);
    struct value result = {.written = at};
    enter(walk, at);
    result.region = walk->region;
    if (source->guard >= 0)
        read_value(walk, at, source->guard, &result);
    for (int i = has_result ? 1 : 0; i < source->operand_count; i++)
        read_operand(walk, at, &source->operands[i], &result);
    if (has_result) {
        result.chain += walk->warps[at];
        if (sim_count_is_load(source)) {
            const int floor = floor_of(walk, source);
            result.pending = sim_count_is_shared(source) ? FROM_SHARED : FROM_GLOBAL;
            result.earliest = floor > result.earliest ? floor : result.earliest;
            result.chain = 0;
        }
        if (result.chain > walk->longest)
            walk->longest = result.chain;
        write_operand(walk, &source->operands[0], &result);
    }
    leave(walk, at);
}

static void mark_loop(struct walk *walk, int at, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_LABEL && operand->target <= at)
        walk->is_loop[operand->target] = 1;
    for (int i = 0; i < operand->element_count; i++)
        mark_loop(walk, at, &operand->elements[i]);
}

static void walk_text(struct walk *walk)
{
    const struct ptx_function *const function = walk->function;
    for (int i = 0; i < function->instruction_count; i++) {
        walk->before[i + 1] = walk->before[i] + walk->warps[i];
        for (int k = 0; k < function->instructions[i].operand_count; k++)
            mark_loop(walk, i, &function->instructions[i].operands[k]);
    }
    sim_count_mark_ifs(function, walk->marks);
    for (int i = 0; i < function->instruction_count; i++)
        step(walk, i);
    walk->waits->chain += walk->longest;
}

void sim_count_waits(const struct ptx_function *function, const uint64_t *warps, int registers,
                     struct counted_waits *waits)
{
    const size_t instructions = (size_t)function->instruction_count + 1;
    struct walk walk = {.function = function,
                        .warps = warps,
                        .registers = registers,
                        .waits = waits,
                        .waited = -1,
                        .waited_global = -1,
                        .before = calloc(instructions, sizeof *walk.before),
                        .marks = calloc(instructions, 1),
                        .is_loop = calloc(instructions, 1),
                        .values =
                            calloc((size_t)function->register_count + 1, sizeof *walk.values)};
    if (walk.before && walk.marks && walk.is_loop && walk.values)
        walk_text(&walk);
    free(walk.before);
    free(walk.marks);
    free(walk.is_loop);
    free(walk.values);
}
