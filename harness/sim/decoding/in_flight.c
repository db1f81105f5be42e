/* Registers of wgmma, which goes on while its threads do: nothing may touch its accumulator and its
 * fragment of A until a wgmma.wait_group covers it, and a wgmma.fence must be between what writes
 * them and the wgmma. These registers get records in the frame, and what touches them is watched;
 * kernels without wgmma are decoded as if there were none. A mov only hands a record on: the
 * compiler puts moves anywhere, and ptxas makes most of them vanish. */
#include "decoder.h"

#include "sim/machine/lanes.h"
#include "sim/machine/paths.h"

#include <string.h>

/* What is known of a register. Groups and fences are counted from 1. */
struct record {
    uint32_t group; /* the wgmma-group that uses it last; 0: none */
    uint32_t fence; /* which wgmma.fence must come before a wgmma may use it; 0: any */
    bool is_result; /* of that group's wgmma, not a fragment of A */
    const struct instruction *by, *writer; /* that wgmma; what the fence is needed for */
};

/* The records that an instruction reads, then those that it writes; the `extra` of what watches it.
 */
struct use {
    int source_count, result_count;
    bool is_move;
    int32_t records[];
};

/* ---- When the kernel runs ---- */

static struct record *record_at(const struct warp *warp, int32_t offset)
{
    return (struct record *)(warp->frame + offset);
}

static int line_of(const struct warp *warp, const struct instruction *at)
{
    return sim_source(warp, at)->line;
}

/* Faults if a wgmma may still use a register. */
static void check_done(struct warp *warp, const struct instruction *at, const struct record *record,
                       const char *verb)
{
    if (record->group <= warp->products.done)
        return;
    sim_fault(warp, at, __builtin_ctz(warp->active), SIM_RACE, 0,
              "%s %s a register that is %s of the wgmma in line %d, which may still be under way: "
              "%s before it",
              sim_source(warp, at)->opcode, verb,
              record->is_result ? "in the accumulator" : "in the fragment of A",
              line_of(warp, record->by),
              record->group > warp->products.groups
                  ? "wgmma.commit_group and then wgmma.wait_group must come"
                  : "a wgmma.wait_group with a smaller number must come");
}

static const struct instruction *run_touch(struct warp *warp, const struct instruction *at)
{
    const struct use *const use = at->extra;
    if (!warp->worker->checks || !sim_guarded_lanes(warp, at))
        return at + 1;
    for (int i = 0; i < use->source_count; i++)
        check_done(warp, at, record_at(warp, use->records[i]), "reads");
    for (int i = 0; i < use->result_count; i++) {
        struct record *const record = record_at(warp, use->records[use->source_count + i]);
        check_done(warp, at, record, "writes");
        *record =
            (struct record){.fence = use->is_move ? 0 : warp->products.fences + 1, .writer = at};
    }
    return at + 1;
}

static const struct instruction *run_rename(struct warp *warp, const struct instruction *at)
{
    const struct use *const use = at->extra;
    if (sim_guarded_lanes(warp, at))
        *record_at(warp, use->records[1]) = *record_at(warp, use->records[0]);
    return at + 1;
}

static const struct instruction *run_before_product(struct warp *warp, const struct instruction *at)
{
    const struct use *const use = at->extra;
    const int lane = __builtin_ctz(warp->active), count = use->source_count + use->result_count;
    if (!warp->worker->checks || !sim_guarded_lanes(warp, at))
        return at + 1;
    if (warp->products.fences == 0)
        sim_fault(warp, at, lane, SIM_RACE, 0,
                  "%s without a wgmma.fence: all four warps must execute wgmma.fence.sync.aligned "
                  "before the first wgmma, after they have set its registers",
                  sim_source(warp, at)->opcode);
    for (int i = 0; i < count; i++) {
        const struct record *const record = record_at(warp, use->records[i]);
        if (record->fence > warp->products.fences)
            sim_fault(warp, at, lane, SIM_RACE, 0,
                      "%s uses a register that %s in line %d has written, and no wgmma.fence is "
                      "between the two: put wgmma.fence.sync.aligned behind what sets the "
                      "accumulator and the fragment of A",
                      sim_source(warp, at)->opcode, sim_source(warp, record->writer)->opcode,
                      line_of(warp, record->writer));
        if (i < use->source_count && record->is_result)
            check_done(warp, at, record, "reads");
    }
    return at + 1;
}

static const struct instruction *run_after_product(struct warp *warp, const struct instruction *at)
{
    const struct use *const use = at->extra;
    if (!sim_guarded_lanes(warp, at))
        return at + 1;
    for (int i = 0; i < use->source_count + use->result_count; i++)
        *record_at(warp, use->records[i]) = (struct record){
            .group = warp->products.groups + 1, .is_result = i >= use->source_count, .by = at};
    return at + 1;
}

/* ---- Which registers ---- */

static bool is_product(const struct ptx_instruction *source)
{
    return source->operation == PTX_OP_wgmma && ptx_writes_result(source);
}

/* A move from register to register; between two lists it packs or unpacks. */
static bool is_rename(const struct ptx_instruction *source)
{
    return source->operation == PTX_OP_mov && source->operand_count == 2 &&
           source->operands[0].kind == PTX_OPERAND_REGISTER &&
           source->operands[1].kind == PTX_OPERAND_REGISTER;
}

static bool track(struct decoder *decoder, int reg)
{
    if (reg < 0 || decoder->tracked[reg])
        return false;
    decoder->tracked[reg] = ++decoder->tracked_count;
    return true;
}

/* The lists of a wgmma: D, and A if it is in registers. */
static void track_product(struct decoder *decoder, const struct ptx_instruction *source)
{
    for (int i = 0; i < 2 && i < source->operand_count; i++)
        for (int k = 0; k < source->operands[i].element_count; k++)
            track(decoder, source->operands[i].elements[k].reg);
}

/* Only kernels are watched, as in undefined.c. */
int32_t sim_find_in_flight(struct decoder *decoder)
{
    const struct ptx_function *const ptx = decoder->ptx;
    bool changed = true;
    decoder->tracked_count = 0;
    decoder->tracked =
        sim_decoder_allocate(decoder, ((size_t)ptx->register_count + 1) * sizeof(int));
    for (int i = 0; i < ptx->instruction_count && ptx->is_entry; i++)
        if (is_product(&ptx->instructions[i]))
            track_product(decoder, &ptx->instructions[i]);
    while (changed && decoder->tracked_count > 0) {
        changed = false;
        for (int i = 0; i < ptx->instruction_count; i++) {
            const struct ptx_operand *const operands = ptx->instructions[i].operands;
            if (is_rename(&ptx->instructions[i]) &&
                (decoder->tracked[operands[0].reg] || decoder->tracked[operands[1].reg])) {
                changed |= track(decoder, operands[0].reg);
                changed |= track(decoder, operands[1].reg);
            }
        }
    }
    return decoder->tracked_count * (int32_t)sizeof(struct record);
}

static int add_records(const struct decoder *decoder, const struct ptx_operand *const *list,
                       int count, int32_t *records)
{
    int added = 0;
    for (int i = 0; i < count; i++)
        if (list[i]->reg >= 0 && decoder->tracked[list[i]->reg])
            records[added++] = decoder->records + (decoder->tracked[list[i]->reg] - 1) *
                                                      (int32_t)sizeof(struct record);
    return added;
}

static struct use *find_use(struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct ptx_operand *list[MOST_REGISTERS];
    int32_t records[2 * MOST_REGISTERS];
    const int sources = add_records(decoder, list, sim_sources_of(source, list), records);
    const int results = add_records(decoder, list, sim_results_of(source, list), records + sources);
    if (sources + results == 0)
        return NULL;
    const size_t bytes = (size_t)(sources + results) * sizeof *records;
    struct use *const use = sim_decoder_allocate(decoder, sizeof *use + bytes);
    *use = (struct use){sources, results, source->operation == PTX_OP_mov};
    memcpy(use->records, records, bytes);
    return use;
}

void sim_track_before(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct use *const use = decoder->tracked_count ? find_use(decoder, source) : NULL;
    if (use)
        sim_emit_plain(decoder, source,
                       is_product(source)  ? run_before_product
                       : is_rename(source) ? run_rename
                                           : run_touch)
            ->extra = use;
}

void sim_track_after(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (decoder->tracked_count && is_product(source))
        sim_emit_plain(decoder, source, run_after_product)->extra = find_use(decoder, source);
}
