/* cp.async: copies from global to shared memory. The simulator copies at once. The checks see
 * whether a thread waits before it uses what was copied. */
#include "access.h"

#include "sim/check/check.h"
#include "sim/check/shared_race.h"

#include <string.h>

enum { MODE_IGNORE_SOURCE = 1 << FLAG_MODE_SHIFT, LARGEST = 16 };

struct copy {
    unsigned bytes;
    bool is_wide_to;
    int32_t source_bytes; /* slot with how many bytes to read; -1: all */
    int64_t to_offset;
};

/* The whole source must be accessible, even if only some of its bytes are wanted. */
static void read_source(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                        char *buffer, uint32_t wanted)
{
    const struct copy *const copy = at->extra;
    const char *const storage = sim_lane_storage(warp, at, lane, address, copy->bytes, ACCESS_READ);
    if (warp->worker->checks)
        sim_check_lane_load(warp, at, lane, address, storage, wanted);
    memcpy(buffer, storage, wanted);
}

/* Where a lane writes. The operands of a copy: d is the predicate of ignore-src, a is the slot of
 * the addresses to write, b is the slot of the addresses to read. */
static uint64_t target(const struct warp *warp, const struct instruction *at, unsigned lane)
{
    const struct copy *const copy = at->extra;
    const void *const slot = sim_slot(warp, at->a);
    const uint64_t address =
        copy->is_wide_to ? ((const uint64_t *)slot)[lane] : ((const uint32_t *)slot)[lane];
    return SHARED_WINDOW | ((address + (uint64_t)copy->to_offset) & ~WINDOW_MASK);
}

uint32_t sim_copy_bytes(const struct warp *warp, const struct instruction *at, unsigned lane)
{
    const struct copy *const copy = at->extra;
    if (at->flags & MODE_IGNORE_SOURCE &&
        sim_predicate(warp, at->d, at->flags & FLAG_NEGATE_C) >> lane & 1)
        return 0;
    if (copy->source_bytes < 0)
        return copy->bytes;
    const uint32_t bytes = ((const uint32_t *)sim_slot(warp, copy->source_bytes))[lane];
    return bytes < copy->bytes ? bytes : copy->bytes;
}

static uint64_t source_address(const struct warp *warp, const struct instruction *at, unsigned lane)
{
    return ((const uint64_t *)sim_slot(warp, at->b))[lane] + (uint64_t)at->offset;
}

uint32_t sim_copy_lanes(const struct warp *warp, const struct instruction *at, uint64_t *from,
                        uint64_t *to)
{
    uint32_t reading = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        from[lane] = source_address(warp, at, lane);
        to[lane] = target(warp, at, lane);
        if (warp->active >> lane & 1 && sim_copy_bytes(warp, at, lane) > 0)
            reading |= 1u << lane;
    }
    return reading;
}

static const struct instruction *run_copy(struct warp *warp, const struct instruction *at)
{
    const struct copy *const copy = at->extra;
    EACH_ACTIVE(lane, warp->active)
    {
        char buffer[LARGEST] = {0};
        const uint32_t wanted = sim_copy_bytes(warp, at, lane);
        if (wanted > 0)
            read_source(warp, at, (int)lane, source_address(warp, at, lane), buffer, wanted);
        sim_lane_write(warp, at, (int)lane, target(warp, at, lane), buffer, copy->bytes);
        if (warp->worker->checks)
            sim_pending_start(warp, at, (int)lane,
                              (struct copied){source_address(warp, at, lane), wanted,
                                              (uint32_t)target(warp, at, lane), copy->bytes});
    }
    return at + 1;
}

const struct instruction *sim_run_copy_commit(struct warp *warp, const struct instruction *at)
{
    if (warp->worker->checks)
        sim_pending_commit(warp);
    return at + 1;
}

const struct instruction *sim_run_copy_wait(struct warp *warp, const struct instruction *at)
{
    if (warp->worker->checks)
        sim_pending_wait(warp, at, (uint32_t)at->value);
    return at + 1;
}

const struct instruction *sim_run_copy_wait_all(struct warp *warp, const struct instruction *at)
{
    if (warp->worker->checks)
        sim_pending_wait_all(warp, at);
    return at + 1;
}

static bool is_copy(const struct ptx_instruction *source)
{
    const char *const level = source->part_count > 2 ? source->parts[2] : "";
    if (strcmp(level, "ca") != 0 && strcmp(level, "cg") != 0)
        return false;
    for (int i = 3; i < source->part_count; i++) {
        const char *const part = source->parts[i];
        if (strncmp(part, "shared", 6) != 0 && strcmp(part, "global") != 0 &&
            !sim_is_memory_hint(part))
            return false;
    }
    return true;
}

/* cp.async.ca.shared.global [to], [from], bytes{, bytes to read | predicate} */
static void decode_copy(struct decoder *decoder, const struct ptx_instruction *source)
{
    enum ptx_space to_space = PTX_SHARED, from_space = PTX_GLOBAL;
    struct copy *const copy = sim_decoder_allocate(decoder, sizeof *copy);
    const struct where to = sim_read_address(decoder, source, &to_space, 0);
    const struct where from = sim_read_address(decoder, source, &from_space, 1);
    copy->bytes = (unsigned)sim_immediate(decoder, source, 2);
    if (to.is_fixed || from.is_fixed || !from.is_wide ||
        (copy->bytes != 4 && copy->bytes != 8 && copy->bytes != 16))
        sim_refuse_opcode(decoder, source);
    copy->is_wide_to = to.is_wide;
    copy->to_offset = to.offset;
    copy->source_bytes = -1;
    int32_t ignore = -1;
    uint32_t flags = 0;
    if (source->operand_count > 3) {
        const struct ptx_operand *const extra = &source->operands[3];
        if (sim_register_class(decoder, extra) == 'p') {
            ignore = sim_source_slot(decoder, source, extra, 'p');
            flags = MODE_IGNORE_SOURCE | (extra->negated ? FLAG_NEGATE_C : 0);
        } else if (sim_register_class(decoder, extra) != 'l') { /* else a cache policy */
            copy->source_bytes = sim_source_slot(decoder, source, extra, 'w');
        }
    }
    struct instruction *const emitted = sim_emit(decoder, source, run_copy);
    emitted->d = ignore;
    emitted->a = to.slot;
    emitted->b = from.slot;
    emitted->offset = from.offset;
    emitted->flags |= flags;
    emitted->extra = copy;
    emitted->cache = sim_new_cache(decoder);
}

static void decode_cp(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (strcmp(source->opcode, "cp.async.commit_group") == 0) {
        sim_emit(decoder, source, sim_run_copy_commit);
        return;
    }
    if (strcmp(source->opcode, "cp.async.wait_all") == 0) {
        sim_emit(decoder, source, sim_run_copy_wait_all);
        return;
    }
    const int bulk = source->part_count > 3 && strcmp(source->parts[1], "reduce") == 0 ? 3 : 2;
    if (source->part_count > bulk && strcmp(source->parts[bulk - 1], "async") == 0 &&
        strcmp(source->parts[bulk], "bulk") == 0) {
        (ptx_has_part(source, "tensor") ? sim_decode_tensor_copy
                                        : sim_decode_bulk_copy)(decoder, source, bulk + 1);
        return;
    }
    if (source->part_count > 3 && strcmp(source->parts[2], "mbarrier") == 0 &&
        strcmp(source->parts[3], "arrive") == 0) {
        sim_decode_copy_arrive(decoder, source);
        return;
    }
    if (strcmp(source->opcode, "cp.async.wait_group") == 0) {
        const uint64_t latest = sim_immediate(decoder, source, 0);
        sim_emit(decoder, source, sim_run_copy_wait)->value = latest;
        return;
    }
    if (!is_copy(source) || strcmp(source->parts[1], "async") != 0)
        sim_refuse_opcode(decoder, source);
    decode_copy(decoder, source);
}

const struct family sim_copy_families[] = {
    {PTX_OP_cp, decode_cp},
    {PTX_OP_UNKNOWN, NULL},
};
