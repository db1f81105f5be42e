/* suld.b and sust.b: bytes of a surface. The first coordinate counts bytes. Outside the surface,
 * .trap is a fault, .clamp goes to the nearest place, .zero reads zeros and writes nothing. Then
 * txq and suq, which ask for sizes. */
#include "texture.h"

#include "sim/access/access.h"
#include "sim/check/check.h"

#include <inttypes.h>

enum { MOST_BYTES = 16 }; /* of an access */

struct surface_access {
    struct texel_operand at;
    enum { TRAPS, CLAMPS, GIVES_ZERO } outside;
    bool is_store;
    int count;
    unsigned bytes;          /* of an element */
    int32_t slots[CHANNELS]; /* of the elements */
};

/* Puts a coordinate between 0 and `most`. @return whether it was outside */
static bool clamp(int64_t *coordinate, int64_t most)
{
    const int64_t was = *coordinate;
    *coordinate = was < 0 ? 0 : was > most ? most : was;
    return *coordinate != was;
}

/* The address of a lane's access; 0: it is outside, and .zero. */
static uint64_t locate(struct warp *warp, const struct instruction *at, unsigned lane)
{
    const struct surface_access *const access = at->extra;
    const struct sim_texture *const surface = sim_texture_of(warp, at, lane, &access->at, true);
    const int64_t bytes = (int64_t)access->bytes * access->count;
    const int64_t row = (int64_t)surface->size[0] * surface->texel_bytes;
    int64_t place[TEXTURE_RANKS] = {0}, wanted[TEXTURE_RANKS];
    bool is_outside = bytes > row;
    for (int d = 0; d < access->at.rank; d++)
        place[d] = ((const int32_t *)sim_slot(warp, access->at.coordinates[d]))[lane];
    if (access->at.is_layered)
        place[2] = ((const int32_t *)sim_slot(warp, access->at.layer))[lane];
    memcpy(wanted, place, sizeof wanted);
    if (place[0] % bytes != 0)
        sim_fault(warp, at, (int)lane, SIM_MISALIGNED, surface->address,
                  "%s: coordinate x is %" PRId64 ", and must be a multiple of the %" PRId64
                  " bytes that are accessed: x counts bytes, so that it is the column times the "
                  "size of an element",
                  sim_source(warp, at)->opcode, place[0], bytes);
    is_outside |= clamp(&place[0], row - bytes);
    is_outside |= clamp(&place[1], (int64_t)surface->size[1] - 1);
    is_outside |=
        clamp(&place[2], (int64_t)(surface->layers ? surface->layers : surface->size[2]) - 1);
    if (is_outside && (access->outside == TRAPS || bytes > row))
        sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, surface->address,
                  "%s: bytes %" PRId64 " to %" PRId64 " of row %" PRId64 " of %s %" PRId64
                  " are outside the surface, which has %" PRId64
                  " bytes in a row, %u rows, %u slices or layers; x counts bytes",
                  sim_source(warp, at)->opcode, wanted[0], wanted[0] + bytes - 1, wanted[1],
                  surface->layers ? "layer" : "slice", wanted[2], row, surface->size[1],
                  surface->layers ? surface->layers : surface->size[2]);
    if (is_outside && access->outside == GIVES_ZERO)
        return 0;
    return sim_texel_address(surface, (uint64_t)place[0], (uint64_t)place[1], (uint64_t)place[2]);
}

/* Lanes that are outside get addresses of their own, which are those of no memory. */
static const struct instruction *run_store(struct warp *warp, const struct instruction *at)
{
    const struct surface_access *const access = at->extra;
    const unsigned stride = access->bytes == 8 ? 8 : 4;
    const unsigned bytes = access->bytes * (unsigned)access->count;
    char values[WARP_LANES][MOST_BYTES];
    uint64_t addresses[WARP_LANES];
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t address = locate(warp, at, lane);
        for (int i = 0; i < access->count; i++)
            memcpy(values[lane] + (unsigned)i * access->bytes,
                   (const char *)sim_slot(warp, access->slots[i]) + lane * stride, access->bytes);
        if (address)
            sim_lane_write(warp, at, (int)lane, address, values[lane], bytes);
        addresses[lane] = address ? address : lane;
    }
    const struct places places = {.pattern = PATTERN_SLOW, .address = addresses};
    if (warp->worker->checks)
        check_one_store(warp, at, &places, values, MOST_BYTES, bytes);
    return at + 1;
}

static const struct instruction *run_load(struct warp *warp, const struct instruction *at)
{
    const struct surface_access *const access = at->extra;
    uint64_t results[CHANNELS][WARP_LANES] = {{0}};
    EACH_ACTIVE(lane, warp->active)
    {
        char buffer[MOST_BYTES];
        const uint64_t address = locate(warp, at, lane);
        if (address)
            sim_lane_read(warp, at, (int)lane, address, buffer,
                          access->bytes * (unsigned)access->count);
        for (int i = 0; address && i < access->count; i++)
            memcpy(&results[i][lane], buffer + (unsigned)i * access->bytes, access->bytes);
    }
    for (int i = 0; i < access->count; i++) {
        uint32_t narrow[WARP_LANES];
        EACH_LANE narrow[lane] = (uint32_t)results[i][lane];
        if (access->bytes == 8)
            sim_write64(warp, access->slots[i], results[i]);
        else
            sim_write32(warp, access->slots[i], narrow);
    }
    return at + 1;
}

static const struct instruction *run_query(struct warp *warp, const struct instruction *at)
{
    uint32_t *const d = sim_slot(warp, at->d);
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t handle = ((const uint64_t *)sim_slot(warp, at->a))[lane];
        const struct sim_texture *const texture = sim_texture_find(handle);
        if (!texture)
            sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, handle,
                      "%s: its handle, %" PRIu64 ", is that of no texture object or surface object",
                      sim_source(warp, at)->opcode, handle);
        d[lane] = at->b < TEXTURE_RANKS ? texture->size[at->b] : texture->layers;
    }
    return at + 1;
}

/* ---- Decoding ---- */

static bool read_elements(const struct ptx_instruction *source, struct surface_access *access)
{
    bool is_read = false;
    access->count = 1;
    for (int i = 3; i < source->part_count; i++) {
        const char *const part = source->parts[i];
        if (strcmp(part, "v2") == 0 || strcmp(part, "v4") == 0)
            access->count = part[1] - '0';
        else if (ptx_part_type(part) >= PTX_B8 && ptx_part_type(part) <= PTX_B64)
            access->bytes = (unsigned)ptx_type_size(ptx_part_type(part));
        else if (strcmp(part, "trap") == 0 || strcmp(part, "clamp") == 0 ||
                 strcmp(part, "zero") == 0)
            access->outside = part[0] == 't' ? TRAPS : part[0] == 'c' ? CLAMPS : GIVES_ZERO;
        else if (!sim_is_memory_hint(part))
            return false;
        is_read |= access->bytes != 0;
    }
    return is_read && access->bytes * (unsigned)access->count <= MOST_BYTES;
}

/* suld.b.geometry{.cache}{.vN}.type{.mode} {d}, [handle, {c}]; sust.b... [handle, {c}], {d} */
static void decode_access(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct surface_access *const access = sim_decoder_allocate(decoder, sizeof *access);
    access->is_store = source->operation == PTX_OP_sust;
    if (source->part_count < 4 || strcmp(source->parts[1], "b") != 0 ||
        !sim_read_geometry(source->parts[2], &access->at) || !read_elements(source, access) ||
        source->operand_count != 2)
        sim_refuse_opcode(decoder, source);
    const struct ptx_operand *list = sim_operand(decoder, source, access->is_store ? 1 : 0);
    const bool is_list = list->kind == PTX_OPERAND_VECTOR;
    if ((is_list ? list->element_count : 1) != access->count)
        sim_refuse_opcode(decoder, source);
    if (is_list)
        list = list->elements;
    const char kind = access->bytes == 8 ? 'l' : 'w';
    for (int i = 0; i < access->count; i++)
        access->slots[i] = access->is_store ? sim_source_slot(decoder, source, &list[i], kind)
                                            : sim_destination_slot(decoder, source, &list[i], kind);
    sim_read_texel_operand(decoder, source, access->is_store ? 0 : 1, &access->at);
    struct instruction *const emitted =
        sim_emit(decoder, source, access->is_store ? run_store : run_load);
    emitted->extra = access;
    emitted->a = access->at.handle;
    emitted->cache = sim_new_cache(decoder);
}

/* txq.width.b32 d, [handle]; likewise suq. */
static void decode_query(struct decoder *decoder, const struct ptx_instruction *source)
{
    static const char *const queries[] = {"width", "height", "depth", "array_size"};
    enum ptx_space space = PTX_GLOBAL;
    int query = 0;
    while (query < 4 && (source->part_count != 3 || strcmp(source->parts[1], queries[query]) != 0))
        query++;
    if (query == 4)
        sim_refuse_opcode(decoder, source);
    const struct where where = sim_read_address(decoder, source, &space, 1);
    if (where.is_fixed || !where.is_wide)
        sim_refuse_opcode(decoder, source);
    const int32_t result = sim_destination_slot(decoder, source, &source->operands[0], 'w');
    struct instruction *const emitted = sim_emit(decoder, source, run_query);
    emitted->d = result;
    emitted->a = where.slot;
    emitted->b = query;
}

const struct family sim_surface_families[] = {
    {PTX_OP_suld, decode_access}, {PTX_OP_sust, decode_access}, {PTX_OP_txq, decode_query},
    {PTX_OP_suq, decode_query},   {PTX_OP_UNKNOWN, NULL},
};
