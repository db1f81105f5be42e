/* tensormap.replace: a thread changes one field of a tensor map in global or shared memory.
 * tensormap.cp_fenceproxy: a warp copies a map from shared to global memory, with a fence. */
#include "control.h"

#include "sim/access/access.h"
#include "sim/machine/lanes.h"
#include "sim/memory/memory.h"
#include "sim/memory/tensor_map.h"

#include <string.h>

enum { MOST_STEP = 8, MOST_BOX = 256 };

enum field { ADDRESS, RANK, BOX, SIZE, STRIDE, STEP, TYPE, INTERLEAVE, SWIZZLE, FILL };

static const struct {
    const char *name, *type;
    int orders;     /* for how many dimensions there is a value; 0: for all together */
    unsigned below; /* values that an immediate must be below; 0: any operand */
} fields[] = {
    [ADDRESS] = {"global_address", "b64", 0, 0},
    [RANK] = {"rank", "b32", 0, 0},
    [BOX] = {"box_dim", "b32", TENSOR_RANKS, 0},
    [SIZE] = {"global_dim", "b32", TENSOR_RANKS, 0},
    [STRIDE] = {"global_stride", "b64", TENSOR_RANKS - 1, 0},
    [STEP] = {"element_stride", "b32", TENSOR_RANKS, 0},
    [TYPE] = {"elemtype", "b32", 0, TENSOR_TYPES},
    [INTERLEAVE] = {"interleave_layout", "b32", 0, 3},
    [SWIZZLE] = {"swizzle_mode", "b32", 0, 4},
    [FILL] = {"fill_mode", "b32", 0, 2},
};

struct replace {
    enum field field;
    int order;
    int32_t value; /* a slot */
    struct where where;
    uint64_t window;
};

/* ---- Maps in memory ---- */

static void move_map(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                     char *bytes, bool writes)
{
    for (unsigned done = 0; done < TENSOR_MAP_BYTES; done += PIECE)
        if (writes)
            sim_lane_write(warp, at, lane, address + done, bytes + done, PIECE);
        else
            sim_lane_read(warp, at, lane, address + done, bytes + done, PIECE);
}

static uint64_t map_address(struct warp *warp, const struct instruction *at, int lane,
                            const struct where *where, uint64_t window)
{
    const void *const slot = sim_slot(warp, where->slot);
    const uint64_t value =
        where->is_wide ? ((const uint64_t *)slot)[lane] : ((const uint32_t *)slot)[lane];
    const uint64_t address = window | (value + (uint64_t)where->offset);
    if (address % TENSOR_MAP_ALIGN != 0)
        sim_fault(warp, at, lane, SIM_MISALIGNED, address,
                  "%s: its tensor map's address is no multiple of %d bytes",
                  sim_source(warp, at)->opcode, TENSOR_MAP_ALIGN);
    if ((address & WINDOW_MASK) != 0 && (address & WINDOW_MASK) != SHARED_WINDOW)
        sim_fault(warp, at, lane, SIM_OUT_OF_BOUNDS, address,
                  "%s: a tensor map can be changed in global and in shared memory only",
                  sim_source(warp, at)->opcode);
    return address;
}

/* ---- tensormap.replace ---- */

/* PTX has the types in another order than CUtensorMapDataType. */
static uint8_t type_of(uint64_t value)
{
    static const uint8_t types[TENSOR_TYPES] = {
        TENSOR_U8,   TENSOR_U16,  TENSOR_U32,     TENSOR_S32,     TENSOR_U64,
        TENSOR_S64,  TENSOR_F16,  TENSOR_F32,     TENSOR_F32_FTZ, TENSOR_F64,
        TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};
    return types[value % TENSOR_TYPES];
}

/* What a value must be; NULL: it is. */
static const char *why_not(enum field field, uint64_t value)
{
    if (field == ADDRESS && value % PIECE != 0)
        return "a multiple of 16";
    if (field == RANK && value >= TENSOR_RANKS)
        return "one less than the rank, 0 to 4";
    if (field == BOX && (value < 1 || value > MOST_BOX))
        return "1 to 256";
    if (field == STRIDE && (value % PIECE != 0 || value >> 40 != 0))
        return "a multiple of 16, and less than 2^40";
    if (field == STEP && (value < 1 || value > MOST_STEP))
        return "1 to 8";
    return NULL;
}

static void set_field(struct tensor_map *map, const struct replace *replace, uint64_t value)
{
    const int order = replace->order;
    uint64_t slice = map->is_interleaved ? map->strides[0] : 0;
    switch (replace->field) {
    case ADDRESS:
        map->address = value;
        break;
    case RANK:
        map->rank = (uint8_t)(value + 1);
        break;
    case BOX:
        map->box[order] = (uint16_t)value;
        break;
    case SIZE:
        map->last[order] = (uint32_t)value - 1; /* 0 stands for 2^32 */
        break;
    case STRIDE:
        map->strides[order + 1] = value;
        break;
    case STEP:
        map->steps[order] = (uint8_t)value;
        break;
    case TYPE:
        map->type = type_of(value);
        break;
    case INTERLEAVE:
        slice = PIECE * value;
        break;
    case SWIZZLE:
        map->span = value ? (uint8_t)(PIECE << value) : 0;
        break;
    case FILL:
        map->fills_nan = value != 0;
        break;
    }
    map->is_interleaved = slice != 0;
    map->strides[0] = slice ? slice : sim_tensor_type_bytes(map->type);
}

/* A map of zeros is one that a kernel makes from nothing. */
static bool begin_map(const char *bytes, struct tensor_map *map)
{
    static const char zeros[TENSOR_MAP_BYTES];
    memcpy(map, bytes, sizeof *map);
    if (memcmp(bytes, zeros, sizeof zeros) == 0)
        map->magic = TENSOR_MAP_MAGIC;
    return map->magic == TENSOR_MAP_MAGIC;
}

static const struct instruction *run_replace(struct warp *warp, const struct instruction *at)
{
    const struct replace *const replace = at->extra;
    const char *const opcode = sim_source(warp, at)->opcode;
    const void *const slot = sim_slot(warp, replace->value);
    const bool is_wide = fields[replace->field].type[1] == '6';
    EACH_ACTIVE(lane, warp->active)
    {
        char bytes[TENSOR_MAP_BYTES];
        struct tensor_map map;
        const uint64_t address = map_address(warp, at, (int)lane, &replace->where, replace->window);
        const uint64_t value =
            is_wide ? ((const uint64_t *)slot)[lane] : ((const uint32_t *)slot)[lane];
        const char *const why = why_not(replace->field, value);
        move_map(warp, at, (int)lane, address, bytes, false);
        if (!begin_map(bytes, &map))
            sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, address,
                      "%s: what its address leads to is no tensor map: it must be a copy of one "
                      "that cuTensorMapEncodeTiled() has made, or zeros",
                      opcode);
        if (map.is_im2col || why)
            sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, address,
                      map.is_im2col ? "%s: its tensor map was encoded by cuTensorMapEncodeIm2col()"
                                    : "%s: its value is %llu and must be %s",
                      opcode, (unsigned long long)value, why);
        set_field(&map, replace, value);
        memcpy(bytes, &map, sizeof map);
        move_map(warp, at, (int)lane, address, bytes, true);
    }
    return at + 1;
}

/* tensormap.replace.tile.FIELD{.global, .shared::cta}.b1024.TYPE [map], {dimension,} value. */
static void decode_replace(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct replace *const replace = sim_decoder_allocate(decoder, sizeof *replace);
    enum ptx_space space = PTX_GENERIC;
    const bool has_space = source->part_count == 7;
    size_t field = 0;
    while (field < sizeof fields / sizeof fields[0] &&
           !(source->part_count > 5 && strcmp(source->parts[3], fields[field].name) == 0))
        field++;
    if (field == sizeof fields / sizeof fields[0] || source->part_count > 7 ||
        strcmp(source->parts[2], "tile") != 0 ||
        strcmp(source->parts[source->part_count - 2], "b1024") != 0 ||
        strcmp(source->parts[source->part_count - 1], fields[field].type) != 0 ||
        (has_space && (!sim_read_space(source->parts[4], &space) ||
                       (space != PTX_GLOBAL && space != PTX_SHARED))))
        sim_refuse_opcode(decoder, source);
    const int last = fields[field].orders ? 2 : 1;
    const uint64_t order = fields[field].orders ? sim_immediate(decoder, source, 1) : 0;
    if ((fields[field].orders && order >= (uint64_t)fields[field].orders) ||
        (fields[field].below && sim_immediate(decoder, source, last) >= fields[field].below))
        sim_refuse(decoder, source, "%s: no tensor map of sm_90a has such a dimension or value",
                   source->opcode);
    replace->field = (enum field)field;
    replace->order = (int)order;
    replace->where = sim_read_address(decoder, source, &space, 0);
    replace->window = space == PTX_SHARED ? SHARED_WINDOW : 0;
    replace->value = sim_source_slot(decoder, source, sim_operand(decoder, source, last),
                                     fields[field].type[1] == '6' ? 'l' : 'w');
    if (replace->where.is_fixed)
        sim_refuse_opcode(decoder, source);
    sim_note_access_size(decoder, space, 4);
    struct instruction *const emitted = sim_emit(decoder, source, run_replace);
    emitted->a = replace->where.slot;
    emitted->offset = replace->where.offset;
    emitted->extra = replace;
    emitted->cache = sim_new_cache(decoder);
}

/* ---- tensormap.cp_fenceproxy ---- */

struct map_copy {
    struct where to, from;
    int32_t all_lanes; /* a slot with the mask of all lanes */
};

static const struct instruction *run_copy_map(struct warp *warp, const struct instruction *at)
{
    const struct map_copy *const copy = at->extra;
    char bytes[TENSOR_MAP_BYTES];
    const struct instruction *const other = sim_gather_members(warp, at, copy->all_lanes);
    if (other)
        return other;
    const uint64_t from = map_address(warp, at, 0, &copy->from, SHARED_WINDOW);
    const uint64_t to = map_address(warp, at, 0, &copy->to, 0);
    move_map(warp, at, 0, from, bytes, false);
    move_map(warp, at, 0, to, bytes, true);
    return at + 1;
}

/* tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.SCOPE.sync.aligned
 * [to], [from], 128: the copy, and then a fence as by fence.proxy.tensormap. */
static void decode_copy_map(struct decoder *decoder, const struct ptx_instruction *source)
{
    static const char *const rest[] = {
        "global", "shared::cta", "tensormap::generic", "release", NULL, "sync", "aligned"};
    struct map_copy *const copy = sim_decoder_allocate(decoder, sizeof *copy);
    enum ptx_space to = PTX_GLOBAL, from = PTX_SHARED;
    const char *const scope = source->part_count == 9 ? source->parts[6] : "";
    bool is_known = strcmp(scope, "cta") == 0 || strcmp(scope, "cluster") == 0 ||
                    strcmp(scope, "gpu") == 0 || strcmp(scope, "sys") == 0;
    for (int i = 0; is_known && i < 7; i++)
        is_known = !rest[i] || strcmp(source->parts[i + 2], rest[i]) == 0;
    if (!is_known || sim_immediate(decoder, source, 2) != TENSOR_MAP_BYTES)
        sim_refuse_opcode(decoder, source);
    copy->to = sim_read_address(decoder, source, &to, 0);
    copy->from = sim_read_address(decoder, source, &from, 1);
    copy->all_lanes = sim_constant32(decoder, ALL_LANES);
    if (copy->to.is_fixed || copy->from.is_fixed)
        sim_refuse_opcode(decoder, source);
    sim_note_access_size(decoder, PTX_SHARED, 4);
    struct instruction *const emitted = sim_emit(decoder, source, run_copy_map);
    emitted->a = copy->to.slot;
    emitted->b = copy->from.slot;
    emitted->extra = copy;
    emitted->cache = sim_new_cache(decoder);
    sim_emit_fence(decoder, source);
}

const struct family sim_tensor_map_families[] = {
    {PTX_OP_tensormap_replace, decode_replace},
    {PTX_OP_tensormap_cp_fenceproxy, decode_copy_map},
    {PTX_OP_UNKNOWN, NULL},
};
