/* Values that nothing has set. nvcc may compute a result before the condition that decides whether
 * the result is wanted. So a computation with such a value is no fault. It is a fault if the value
 * decides a branch, is an address, or goes to memory. The line named is the first computation's. */
#include "decoder.h"

#include "sim/machine/exchange.h"
#include "sim/machine/lanes.h"
#include "sim/machine/paths.h"
#include "sim/machine/warp.h"
#include "sim/memory/memory.h"
#include "sim/memory/warning.h"

#include <string.h>

enum { NOWHERE = -1 };

/* What is known of a watched register. A shadow is in the frame, and is all zero at the start. */
struct shadow {
    uint32_t defined; /* lanes that have a value */
    uint32_t unused;
    const struct instruction
        *origin; /* the first instruction that computed without a value, or NULL */
};

/* A register that an instruction reads: its shadow, and its slot if it is a predicate. */
struct watched_source {
    int32_t shadow; /* NOWHERE: the register always has a value */
    int32_t predicate;
    bool negated;
};

/* What is known of an instruction; the `extra` of the instruction that watches it. */
struct watch {
    enum ptx_rule rule;
    bool computes; /* the instruction is no move and no selection */
    int32_t guard; /* the shadow of the guard */
    int source_count, result_count;
    struct watched_source sources[MOST_REGISTERS];
    int32_t results[MOST_REGISTERS];
    int32_t slots[MOST_REGISTERS]; /* PTX_RULE_IS_LOADED: of the results */
    unsigned bytes;                /* of an element in memory */
    int32_t address;               /* PTX_RULE_STORES: the slot of the address */
    bool is_wide, is_shared, is_local;
};

/* ---- When the kernel runs ---- */

static struct shadow *shadow_at(const struct warp *warp, int32_t offset)
{
    return (struct shadow *)(warp->frame + offset);
}

static uint32_t undefined(const struct warp *warp, int32_t offset)
{
    return offset == NOWHERE ? 0 : ~shadow_at(warp, offset)->defined;
}

static void report(struct warp *warp, const struct instruction *at, uint32_t lanes, int32_t shadow,
                   const char *what)
{
    const struct instruction *const origin = shadow_at(warp, shadow)->origin;
    if (sim_is_told(warp, origin ? origin : at, SIM_UNINITIALIZED))
        return;
    if (origin && warp->function->ptx->instructions[origin->source].operation == PTX_OP_shfl)
        sim_find(warp, origin, __builtin_ctz(lanes), SIM_UNINITIALIZED, 0,
                 "a shuffle takes a value from a lane that does not take part in it: that lane has "
                 "ended, is in another branch, or is not in the mask, and %s what comes of it; all "
                 "lanes of the mask must come to the shuffle, or its width must be that of the "
                 "lanes that do",
                 what);
    else
        sim_find(
            warp, origin ? origin : at, __builtin_ctz(lanes), SIM_UNINITIALIZED, 0,
            "uninitialized variable: %s a value that comes from a variable, or an element of an "
            "array of the thread's own, that nothing has set on the way here; is an initial "
            "value missing, as in `float sum = 0.0f`, or does a loop that sets an array end too "
            "soon?",
            what);
}

/* The lanes in which the result has no value; *source becomes the shadow of a source to blame. */
static uint32_t without_value(const struct warp *warp, const struct watch *watch, uint32_t lanes,
                              int32_t *source)
{
    const struct watched_source *const s = watch->sources;
    uint32_t missing = watch->rule == PTX_RULE_ANY ? lanes : 0;
    uint32_t each[MOST_REGISTERS];
    for (int i = 0; i < watch->source_count; i++)
        each[i] = undefined(warp, s[i].shadow) & lanes;
    if (watch->rule == PTX_RULE_DEFINES || watch->source_count == 0)
        return 0;
    if (watch->rule == PTX_RULE_SELECT) {
        const uint32_t chosen = sim_predicate(warp, s[2].predicate, s[2].negated);
        each[0] &= chosen;
        each[1] &= ~chosen;
    }
    if (watch->rule == PTX_RULE_AND || watch->rule == PTX_RULE_OR) {
        for (int i = 0; i < 2; i++) {
            const uint32_t other = sim_predicate(warp, s[!i].predicate, s[!i].negated);
            const uint32_t decides = watch->rule == PTX_RULE_AND ? ~other : other;
            each[i] &= undefined(warp, s[!i].shadow) | ~decides;
        }
    }
    for (int i = 0; i < watch->source_count; i++) {
        missing = watch->rule == PTX_RULE_ANY ? missing & each[i] : missing | each[i];
        if (each[i] && (*source == NOWHERE || !shadow_at(warp, *source)->origin))
            *source = s[i].shadow;
    }
    return missing;
}

static void set_results(struct warp *warp, const struct instruction *at, const struct watch *watch,
                        uint32_t lanes, uint32_t missing, int32_t source)
{
    const struct instruction *origin = NULL;
    if (missing && source != NOWHERE)
        origin = shadow_at(warp, source)->origin;
    if (missing && !origin && watch->computes)
        origin = at;
    for (int i = 0; i < watch->result_count; i++) {
        struct shadow *const shadow = shadow_at(warp, watch->results[i]);
        shadow->defined = (shadow->defined & ~lanes) | (lanes & ~missing);
        if (missing)
            shadow->origin = origin;
    }
}

static void check_uses(struct warp *warp, const struct instruction *at, const struct watch *watch,
                       uint32_t lanes)
{
    const int count = watch->rule == PTX_RULE_STORES ? 1 : watch->source_count;
    for (int i = 0; i < count; i++) {
        const uint32_t missing = undefined(warp, watch->sources[i].shadow) & lanes;
        if (missing)
            report(warp, at, missing, watch->sources[i].shadow,
                   watch->rule == PTX_RULE_STORES
                       ? "the address of a store depends on"
                       : "a branch, address or atomic operation depends on");
    }
}

static void check_stored(struct warp *warp, const struct instruction *at, const struct watch *watch,
                         uint32_t lanes)
{
    uint32_t missing = watch->source_count > 1 ? lanes : 0;
    for (int i = 1; i < watch->source_count; i++)
        missing &= undefined(warp, watch->sources[i].shadow);
    if (missing && shadow_at(warp, watch->sources[1].shadow)->origin)
        report(warp, at, missing, watch->sources[1].shadow, "memory is given");
}

static const struct instruction *run_before(struct warp *warp, const struct instruction *at)
{
    const struct watch *const watch = at->extra;
    const uint32_t lanes = sim_guarded_lanes(warp, at);
    const uint32_t unknown = undefined(warp, watch->guard) & warp->active;
    int32_t source = NOWHERE;
    if (!warp->worker->follows_values)
        return at + 1;
    if (watch->rule == PTX_RULE_USES || watch->rule == PTX_RULE_STORES) {
        if (unknown)
            report(warp, at, unknown, watch->guard, "a condition depends on");
        check_uses(warp, at, watch, lanes);
        if (watch->rule == PTX_RULE_STORES)
            check_stored(warp, at, watch, lanes);
        set_results(warp, at, watch, lanes, 0, NOWHERE);
        return at + 1;
    }
    const uint32_t missing = without_value(warp, watch, lanes, &source);
    set_results(warp, at, watch, lanes | unknown, missing | unknown,
                missing ? source : watch->guard);
    return at + 1;
}

static const struct instruction *run_loaded(struct warp *warp, const struct instruction *at)
{
    const struct watch *const watch = at->extra;
    const uint32_t lanes = sim_guarded_lanes(warp, at);
    if (!warp->worker->follows_values)
        return at + 1;
    for (int i = 0; i < watch->result_count; i++) {
        const uint32_t *const slot = sim_slot(warp, watch->slots[i]);
        const unsigned words = watch->bytes / 4;
        struct shadow *const shadow = shadow_at(warp, watch->results[i]);
        uint32_t missing = 0;
        for (unsigned lane = 0; lane < WARP_LANES; lane++)
            missing |= (uint32_t)(slot[lane * words] == LOCAL_POISON) << lane;
        shadow->defined = (shadow->defined & ~lanes) | (lanes & ~missing);
        if (missing & lanes)
            shadow->origin = NULL;
    }
    return at + 1;
}

/* After a shuffle, a lane has no value if the lane that it asks has none or does not take part.
 */
static const struct instruction *run_shuffled(struct warp *warp, const struct instruction *at)
{
    const struct watch *const watch = at->extra;
    const int32_t source = watch->sources[0].shadow;
    const uint32_t unset = undefined(warp, source);
    struct shadow *const shadow = shadow_at(warp, watch->results[0]);
    int from[WARP_LANES];
    uint32_t missing = 0, absent = 0;
    if (!warp->worker->follows_values)
        return at + 1;
    sim_shuffle_sources(warp, at - 1, from);
    EACH_ACTIVE(lane, warp->active)
    {
        absent |= (uint32_t)(from[lane] == LANE_ABSENT) << lane;
        missing |= (from[lane] == LANE_ABSENT ? 1 : unset >> from[lane] & 1) << lane;
    }
    shadow->defined = (shadow->defined & ~warp->active) | (warp->active & ~missing);
    if (missing)
        shadow->origin = absent ? at : shadow_at(warp, source)->origin;
    return at + 1;
}

static void forget(struct warp *warp, const struct watch *watch, unsigned lane, uint64_t address)
{
    const unsigned bytes = watch->bytes;
    if (watch->is_local || (address & WINDOW_MASK) == LOCAL_WINDOW)
        for (unsigned done = 0; done < bytes; done += 4)
            ((uint32_t *)sim_local_slot(warp, (uint32_t)address, (int32_t)done))[lane] =
                LOCAL_POISON;
    else if (watch->is_shared || (address & WINDOW_MASK) == SHARED_WINDOW)
        memset(warp->block->shared + (address & ~WINDOW_MASK), 0xFF, bytes);
    else if ((address & WINDOW_MASK) == 0)
        sim_memory_mark_unwritten(address, bytes);
}

/* After a store, the words of elements without a value become unwritten. */
static const struct instruction *run_stored(struct warp *warp, const struct instruction *at)
{
    const struct watch *const watch = at->extra;
    const uint32_t lanes = sim_guarded_lanes(warp, at);
    const void *const slot = sim_slot(warp, watch->address);
    if (!warp->worker->follows_values)
        return at + 1;
    for (int i = 1; i < watch->source_count; i++) {
        const uint32_t missing = undefined(warp, watch->sources[i].shadow) & lanes;
        EACH_ACTIVE(lane, missing)
        {
            const uint64_t base =
                watch->is_wide ? ((const uint64_t *)slot)[lane] : ((const uint32_t *)slot)[lane];
            forget(warp, watch, lane,
                   base + (uint64_t)at->offset + (unsigned)(i - 1) * watch->bytes);
        }
    }
    return at + 1;
}

/* ---- What an instruction does ---- */

/* A shuffle that writes over its sources cannot be checked: what it read is lost after it. */
static bool has_own_place(const struct ptx_instruction *source)
{
    if (source->operand_count < 2) /* such a shuffle is not decoded */
        return false;
    const struct ptx_operand *const to = &source->operands[0];
    const int result = to->element_count ? to->elements[0].reg : to->reg;
    bool has = source->guard < 0;
    for (int i = 1; i < source->operand_count; i++)
        has = has && (source->operands[i].kind != PTX_OPERAND_REGISTER ||
                      source->operands[i].reg != result);
    return has && source->operands[1].kind == PTX_OPERAND_REGISTER;
}

/* The rule of opcodes.def; some forms of an opcode have another rule. */
static enum ptx_rule rule_of(const struct ptx_instruction *source)
{
    switch (source->operation) {
    case PTX_OP_st:
        return ptx_has_part(source, "param") ? PTX_RULE_DEFINES : PTX_RULE_STORES;
    case PTX_OP_ld:
        return ptx_has_part(source, "local")   ? PTX_RULE_IS_LOADED
               : ptx_has_part(source, "param") ? PTX_RULE_DEFINES
                                               : PTX_RULE_USES;
    case PTX_OP_and:
        return ptx_has_part(source, "pred") ? PTX_RULE_AND : PTX_RULE_ANY;
    case PTX_OP_or:
        return ptx_has_part(source, "pred") ? PTX_RULE_OR : PTX_RULE_ANY;
    case PTX_OP_mov:
        return source->operand_count > 1 && source->operands[1].kind == PTX_OPERAND_VECTOR
                   ? PTX_RULE_ANY
                   : PTX_RULE_ALL;
    case PTX_OP_set:
    case PTX_OP_setp:
        return source->operand_count > 3 ? PTX_RULE_DEFINES : PTX_RULE_ALL;
    case PTX_OP_shfl:
        return has_own_place(source) ? PTX_RULE_SHUFFLE : PTX_RULE_DEFINES;
    default:
        return ptx_rule_of(source);
    }
}

/* Lists the registers of an operand, and of each element of a vector or pair. */
static int registers_of(const struct ptx_operand *operand, const struct ptx_operand **list,
                        int count)
{
    const bool is_register =
        operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_ADDRESS;
    if (is_register && operand->reg >= 0 && count < MOST_REGISTERS)
        list[count++] = operand;
    for (int i = 0; i < operand->element_count; i++)
        count = registers_of(&operand->elements[i], list, count);
    return count;
}

int sim_results_of(const struct ptx_instruction *source, const struct ptx_operand **list)
{
    return ptx_writes_result(source) ? registers_of(&source->operands[0], list, 0) : 0;
}

int sim_sources_of(const struct ptx_instruction *source, const struct ptx_operand **list)
{
    int count = 0;
    for (int i = ptx_first_read(source); i < source->operand_count; i++)
        count = registers_of(&source->operands[i], list, count);
    return count;
}

static unsigned element_bytes(const struct ptx_instruction *source)
{
    return (unsigned)ptx_type_size(ptx_part_type(source->parts[source->part_count - 1]));
}

/* ---- Which registers ---- */

static bool is_watched(const struct decoder *decoder, int reg)
{
    return reg >= 0 && decoder->watched[reg] > 0;
}

static bool watch_register(struct decoder *decoder, int reg)
{
    if (decoder->watched[reg])
        return false;
    decoder->watched[reg] = ++decoder->watched_count;
    return true;
}

/* Whether a result may lack a value, by the registers that are watched so far. */
static bool may_lack(const struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct ptx_operand *sources[MOST_REGISTERS];
    const enum ptx_rule rule = rule_of(source);
    const int count = sim_sources_of(source, sources);
    int watched = 0;
    if (rule == PTX_RULE_IS_LOADED)
        return element_bytes(source) >= 4;
    if (rule == PTX_RULE_DEFINES || rule == PTX_RULE_USES || rule == PTX_RULE_STORES)
        return false;
    if (rule == PTX_RULE_SHUFFLE)
        return true;
    for (int i = 0; i < count; i++)
        watched += is_watched(decoder, sources[i]->reg);
    return is_watched(decoder, source->guard) ||
           (rule == PTX_RULE_ANY ? count > 0 && watched == count : watched > 0);
}

/* Only kernels are watched: the frame of a called function lies where other frames have been. */
int32_t sim_find_undefined(struct decoder *decoder)
{
    const struct ptx_function *const ptx = decoder->ptx;
    const size_t registers = (size_t)ptx->register_count;
    bool changed = ptx->is_entry;
    decoder->watched_count = 0;
    decoder->watched = sim_decoder_allocate(decoder, (registers + 1) * sizeof(int));
    for (int i = 0; i < ptx->register_count && ptx->is_entry; i++)
        if (ptx->registers[i].is_read_early)
            watch_register(decoder, i);
    while (changed) {
        changed = false;
        for (int i = 0; i < ptx->instruction_count; i++) {
            const struct ptx_operand *results[MOST_REGISTERS];
            int count = may_lack(decoder, &ptx->instructions[i])
                            ? sim_results_of(&ptx->instructions[i], results)
                            : 0;
            /* The second result, whether the lane asked is in the segment, always has a value. */
            if (count > 1 && ptx->instructions[i].operation == PTX_OP_shfl)
                count = 1;
            for (int k = 0; k < count; k++)
                changed |= watch_register(decoder, results[k]->reg);
        }
    }
    return decoder->watched_count * (int32_t)sizeof(struct shadow);
}

static int32_t shadow_of(const struct decoder *decoder, int reg)
{
    return is_watched(decoder, reg)
               ? decoder->shadows + (decoder->watched[reg] - 1) * (int32_t)sizeof(struct shadow)
               : NOWHERE;
}

/* The sources of a selection may be constants, so each source keeps its operand's place. */
static void place_selected(struct decoder *decoder, const struct ptx_instruction *source,
                           struct watch *watch)
{
    watch->source_count = 3;
    for (int i = 0; i < 3; i++) {
        const struct ptx_operand *const operand = &source->operands[i + 1];
        const bool is_register = operand->kind == PTX_OPERAND_REGISTER;
        watch->sources[i] = (struct watched_source){
            .shadow = is_register ? shadow_of(decoder, operand->reg) : NOWHERE,
            .predicate = i == 2 ? sim_register_slot(decoder, source, operand, 'p') : 0,
            .negated = operand->negated};
    }
}

static void emit(struct decoder *decoder, const struct ptx_instruction *source, enum ptx_rule rule,
                 exec_handler *run)
{
    const bool after = run == run_stored;
    const struct ptx_operand *list[MOST_REGISTERS];
    struct watch *const watch = sim_decoder_allocate(decoder, sizeof *watch);
    const int result_count = sim_results_of(source, list);
    *watch = (struct watch){
        .rule = rule,
        .computes = source->operation != PTX_OP_mov && source->operation != PTX_OP_selp,
        .guard = shadow_of(decoder, source->guard),
        .bytes = rule == PTX_RULE_IS_LOADED || after ? element_bytes(source) : 0};
    for (int i = 0; i < result_count; i++) {
        const int32_t shadow = shadow_of(decoder, list[i]->reg);
        if (shadow == NOWHERE)
            continue;
        if (rule == PTX_RULE_IS_LOADED)
            watch->slots[watch->result_count] =
                sim_register_slot(decoder, source, list[i], watch->bytes == 8 ? 'l' : 'w');
        watch->results[watch->result_count++] = shadow;
    }
    watch->source_count = sim_sources_of(source, list);
    for (int i = 0; i < watch->source_count; i++) {
        const bool is_predicate = sim_register_class(decoder, list[i]) == 'p';
        watch->sources[i] = (struct watched_source){
            .shadow = shadow_of(decoder, list[i]->reg),
            .predicate = is_predicate ? sim_register_slot(decoder, source, list[i], 'p') : 0,
            .negated = list[i]->negated};
    }
    if (rule == PTX_RULE_SELECT)
        place_selected(decoder, source, watch);
    struct instruction *const emitted = sim_emit_plain(decoder, source, run);
    emitted->extra = watch;
    if (after) {
        const char class = sim_register_class(
            decoder, &(struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .reg = list[0]->reg});
        const struct ptx_operand base = {.kind = PTX_OPERAND_REGISTER, .reg = list[0]->reg};
        watch->address = sim_register_slot(decoder, source, &base, class);
        watch->is_wide = class == 'l';
        watch->is_local = ptx_has_part(source, "local");
        watch->is_shared = ptx_has_part(source, "shared");
        emitted->offset = source->operands[0].offset;
    }
}

/* With a constant among its operands, an instruction has fewer sources than its rule needs. All
 * sources must then have values. */
static enum ptx_rule rule_with(const struct ptx_instruction *source, int count)
{
    const enum ptx_rule rule = rule_of(source);
    if (rule == PTX_RULE_SELECT &&
        (source->operand_count != 4 || source->operands[3].kind != PTX_OPERAND_REGISTER))
        return PTX_RULE_ALL;
    if ((rule == PTX_RULE_AND || rule == PTX_RULE_OR) && count != 2)
        return PTX_RULE_ALL;
    return rule;
}

static bool concerns(const struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct ptx_operand *list[MOST_REGISTERS];
    bool any = is_watched(decoder, source->guard);
    for (int i = sim_sources_of(source, list); i-- > 0;)
        any = any || is_watched(decoder, list[i]->reg);
    for (int i = sim_results_of(source, list); i-- > 0;)
        any = any || is_watched(decoder, list[i]->reg);
    return any;
}

void sim_watch_before(struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct ptx_operand *list[MOST_REGISTERS];
    if (decoder->watched_count == 0 || !concerns(decoder, source))
        return;
    const enum ptx_rule rule = rule_with(source, sim_sources_of(source, list));
    if (rule != PTX_RULE_SHUFFLE)
        emit(decoder, source, rule == PTX_RULE_IS_LOADED ? PTX_RULE_DEFINES : rule, run_before);
}

void sim_watch_after(struct decoder *decoder, const struct ptx_instruction *source)
{
    const enum ptx_rule rule = rule_of(source);
    if (decoder->watched_count == 0 || element_bytes(source) < 4 || !concerns(decoder, source))
        return;
    if (rule == PTX_RULE_IS_LOADED)
        emit(decoder, source, rule, run_loaded);
    else if (rule == PTX_RULE_SHUFFLE)
        emit(decoder, source, rule, run_shuffled);
    else if (source->operation == PTX_OP_st && rule == PTX_RULE_STORES &&
             source->operands[0].reg >= 0)
        emit(decoder, source, rule, run_stored);
}
