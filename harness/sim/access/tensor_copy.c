/* cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor: the copy engine
 * walks over a box of a tensor, whose place and shape a tensor map tells, row by row: a row lies
 * along dimension 0. What is outside the tensor is filled in shared memory, and not stored. */
#include "access.h"

#include "sim/machine/lanes.h"
#include "sim/memory/memory.h"
#include "sim/memory/tensor_map.h"

#include <string.h>

enum { SHARED_ALIGN = 128, SWIZZLE_ROW = 128 };

struct tensor_copy {
    enum { LOADS, STORES, REDUCES, PREFETCHES } kind;
    int rank;
    bool is_im2col;
    struct bulk_end shared, map, barrier;
    int32_t coordinates[TENSOR_RANKS], offsets[PIXEL_RANKS]; /* slots; an offset's -1: it is 0 */
    int32_t blocks; /* slot of the mask of the blocks that receive the box; -1: the address says */
    const char *operation; /* of a reduction */
};

/* A walk over the rows of a box. In each dimension from `outer` on it goes from `first` on in
 * steps, and begins again there at `end`, with a step in the next dimension. */
struct walk {
    const struct tensor_map *map;
    int outer; /* the first dimension that is walked along; a row lies in the others */
    int64_t at[TENSOR_RANKS], first[TENSOR_RANKS], end[TENSOR_RANKS];
    uint32_t columns, rows, row_bytes, pitch; /* pitch: from row to row in shared memory */
};

/* ---- The map ---- */

/* What cuTensorMapEncodeTiled() would have refused, of a map that tensormap.replace has changed. */
static const char *why_unfit(const struct tensor_map *map)
{
    const uint64_t row = map->is_interleaved ? PIECE : map->box[0] * map->strides[0];
    for (int d = 0; d < map->rank && !map->is_im2col; d++)
        if (map->box[d] == 0 || (map->steps[d] == 0 && (d > 0 || map->is_interleaved)))
            return "its box or element stride in a dimension was never set";
    if (map->is_interleaved && map->rank < 3)
        return "an interleaved tensor has 3 dimensions or more";
    if (map->is_interleaved && map->strides[0] != PIECE && map->span != map->strides[0])
        return "32-byte interleave needs a swizzle of 32 bytes";
    if (row % PIECE != 0 || (map->span && row > map->span))
        return "the inner dimension of its box must have a multiple of 16 bytes, and no more than "
               "the swizzle's span";
    return NULL;
}

static void read_map(struct warp *warp, const struct instruction *at, unsigned lane,
                     struct tensor_map *map)
{
    const struct tensor_copy *const copy = at->extra;
    const char *const opcode = sim_source(warp, at)->opcode;
    const uint64_t address = ((const uint64_t *)sim_slot(warp, copy->map.where.slot))[lane] +
                             (uint64_t)copy->map.where.offset;
    const uint64_t window = address & WINDOW_MASK;
    char bytes[TENSOR_MAP_BYTES];
    if (window != 0 && window != PARAM_WINDOW)
        sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, address,
                  "%s: its tensor map is in %s memory, where the copy engine does not find it: it "
                  "must be a kernel parameter (const __grid_constant__ CUtensorMap), or in "
                  "__constant__ or global memory",
                  opcode, window == SHARED_WINDOW ? "shared" : "local");
    sim_check_multiple(warp, at, lane, address, TENSOR_MAP_ALIGN, "tensor map's address");
    /* All that a store accesses in global memory counts as written, but not its map. */
    const char *const stored = copy->kind == STORES || copy->kind == REDUCES
                                   ? sim_memory_host(address, TENSOR_MAP_BYTES)
                                   : NULL;
    for (unsigned done = 0; !stored && done < TENSOR_MAP_BYTES; done += PIECE)
        sim_lane_read(warp, at, (int)lane, address + done, bytes + done, PIECE);
    memcpy(map, stored ? stored : bytes, sizeof *map);
    if (map->magic != TENSOR_MAP_MAGIC)
        sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, address,
                  "%s: what its tensor map's address leads to is no tensor map: "
                  "cuTensorMapEncodeTiled() or cuTensorMapEncodeIm2col() must have made it",
                  opcode);
    if (map->rank != copy->rank)
        sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, address,
                  "%s: %d coordinates for a tensor map that was encoded with %d dimensions", opcode,
                  copy->rank, map->rank);
    if (map->is_im2col != copy->is_im2col)
        sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, address,
                  "%s: this copy is in %s mode, and its tensor map was encoded by "
                  "cuTensorMapEncode%s()",
                  opcode, copy->is_im2col ? "im2col" : "tile", map->is_im2col ? "Im2col" : "Tiled");
    const char *const why = why_unfit(map);
    if (why)
        sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, address,
                  "%s: tensormap.replace has made a tensor map that no copy can use: %s", opcode,
                  why);
}

/* NVIDIA says of this swizzle only that it is allowed, not where rows lie. */
static void refuse_swizzled_slices(struct warp *warp, const struct instruction *at, unsigned lane,
                                   const struct tensor_map *map)
{
    if (map->is_interleaved && map->strides[0] == PIECE && map->span)
        sim_fault(warp, at, (int)lane, SIM_UNSUPPORTED, 0,
                  "%s: a tensor map with CU_TENSOR_MAP_INTERLEAVE_16B and a swizzle is not known "
                  "to the simulator",
                  sim_source(warp, at)->opcode);
}

/* What an H200 does not execute: it ends with an illegal instruction. */
static void check_column(struct warp *warp, const struct instruction *at, unsigned lane,
                         const struct walk *walk)
{
    const int64_t byte = walk->at[0] * (int64_t)walk->map->strides[0];
    if (byte % PIECE != 0)
        sim_fault(warp, at, (int)lane, SIM_MISALIGNED, 0,
                  "%s: the innermost coordinate, %lld, is byte %lld of a row, and it must be a "
                  "multiple of %d bytes: a GPU ends this copy with an illegal instruction",
                  sim_source(warp, at)->opcode, (long long)walk->at[0], (long long)byte, PIECE);
}

/* ---- The walk ---- */

static int64_t signed_at(const struct warp *warp, int32_t slot, unsigned lane)
{
    return ((const int32_t *)sim_slot(warp, slot))[lane];
}

/* In im2col mode the box's corners say where a walk over pixels turns; it goes on in the next image
 * until all pixels are visited. In an interleaved tensor each slice of channels is a row; the
 * coordinate in the last but one dimension chooses the slices, whatever the box says there. */
static struct walk begin_walk(const struct warp *warp, const struct tensor_copy *copy,
                              const struct tensor_map *map, unsigned lane)
{
    struct walk walk = {.map = map,
                        .outer = map->is_interleaved ? 0 : 1,
                        .columns = map->is_interleaved ? 1 : map->box[0],
                        .rows = copy->is_im2col ? map->pixels : 1};
    walk.row_bytes = (uint32_t)(walk.columns * map->strides[0]);
    walk.pitch = map->span ? map->span : walk.row_bytes;
    for (int d = 0; d < map->rank; d++) {
        const bool is_slice = map->is_interleaved && d == map->rank - 2;
        const int64_t extent = is_slice ? 1 : copy->is_im2col ? UINT32_MAX : map->box[d];
        walk.at[d] = walk.first[d] = signed_at(warp, copy->coordinates[d], lane);
        walk.end[d] = walk.first[d] + extent;
        if (d >= walk.outer && !is_slice && !copy->is_im2col)
            walk.rows *= (map->box[d] + map->steps[d] - 1u) / map->steps[d];
    }
    for (int i = 0; copy->is_im2col && i < map->rank - 2; i++) {
        const int d = walk.outer + i;
        const int64_t offset =
            copy->offsets[i] < 0 ? 0 : signed_at(warp, copy->offsets[i], lane) & 0xffff;
        walk.at[d] += offset;
        walk.first[d] = map->lower[i] + offset;
        walk.end[d] = (int64_t)map->last[d] + 1 + map->upper[i] + offset;
    }
    return walk;
}

static void next_row(struct walk *walk)
{
    for (int d = walk->outer; d < walk->map->rank; d++) {
        walk->at[d] += walk->map->steps[d];
        if (walk->at[d] < walk->end[d])
            return;
        walk->at[d] = walk->first[d];
    }
}

/* The bytes [*from, *to) of a row that are inside the tensor. @return the address of its byte 0 */
static uint64_t inside(const struct walk *walk, uint32_t *from, uint32_t *to)
{
    const struct tensor_map *const map = walk->map;
    const int64_t element = (int64_t)map->strides[0], size = (int64_t)map->last[0] + 1;
    uint64_t address = map->address;
    bool is_outside = false;
    for (int d = 0; d < map->rank; d++) {
        address += (uint64_t)walk->at[d] * map->strides[d];
        is_outside |= d > 0 && (walk->at[d] < 0 || walk->at[d] > map->last[d]);
    }
    const int64_t low = walk->at[0] < 0 ? -walk->at[0] : 0, high = size - walk->at[0];
    const int64_t count = walk->columns;
    *from = is_outside || low > count || high <= low ? walk->row_bytes : (uint32_t)(low * element);
    *to = *from == walk->row_bytes ? *from : (uint32_t)((high < count ? high : count) * element);
    return address;
}

/* Where a byte of the box is in shared memory. Chunks of 16 bytes change places: bits of the
 * address that count rows of 128 bytes are added to those that count chunks in a span (CUTLASS:
 * Swizzle<B,4,3>). */
static uint64_t shared_place(const struct walk *walk, uint64_t base, uint32_t row, uint32_t byte)
{
    const uint64_t address = base + (uint64_t)row * walk->pitch + byte;
    const uint64_t chunks = walk->map->span ? walk->map->span / PIECE - 1u : 0;
    return address ^ (address / SWIZZLE_ROW & chunks) * PIECE;
}

/* The largest power of two, up to a piece, that two addresses are multiples of, and that fits. */
static uint32_t piece_bytes(uint64_t one, uint64_t other, uint32_t rest)
{
    uint32_t bytes = PIECE;
    while (((one | other) & (bytes - 1)) != 0 || bytes > rest)
        bytes /= 2;
    return bytes;
}

/* ---- Elements ---- */

/* What fills elements outside: zeros, or NaNs that PTX's fma.oob knows, the same 16 bits again and
 * again. */
static void make_fill(const struct tensor_map *map, char *fill)
{
    static const uint16_t oob_nan = 0x7ff7;
    memset(fill, 0, PIECE);
    for (unsigned i = 0; map->fills_nan && i < PIECE; i += sizeof oob_nan)
        memcpy(fill + i, &oob_nan, sizeof oob_nan);
}

/* A load of TF32 rounds to nearest even; there is one NaN. */
static void round_to_tf32(char *piece, uint32_t bytes)
{
    static const uint32_t nan = 0x7fffe000, infinity = 0x7f800000;
    for (uint32_t i = 0; i < bytes && i < PIECE; i += 4) {
        uint32_t bits;
        memcpy(&bits, piece + i, sizeof bits);
        if ((bits & ~(UINT32_C(1) << 31)) > infinity)
            bits = nan;
        else if ((bits & infinity) != infinity)
            bits = (bits + 0xfff + (bits >> 13 & 1)) & ~UINT32_C(0x1fff);
        memcpy(piece + i, &bits, sizeof bits);
    }
}

/* The operations that PTX has for the elements of a tensor. */
static void find_operation(struct warp *warp, const struct instruction *at, unsigned lane,
                           const struct tensor_map *map, struct reduction *reduction)
{
    static const struct {
        const char *name, *bits, *operations;
    } types[TENSOR_TYPES] = {
        [TENSOR_U8] = {"u8", "b8", ""},
        [TENSOR_U16] = {"u16", "b16", ""},
        [TENSOR_U32] = {"u32", "b32", "add min max inc dec and or xor"},
        [TENSOR_S32] = {"s32", "b32", "add min max and or xor"},
        [TENSOR_U64] = {"u64", "b64", "add min max and or xor"},
        [TENSOR_S64] = {"s64", "b64", "min max and or xor"},
        [TENSOR_F16] = {"f16", "b16", "add min max"},
        [TENSOR_F32] = {"f32", "b32", "add"},
        [TENSOR_F64] = {"f64", "b64", ""},
        [TENSOR_BF16] = {"bf16", "b16", "add min max"},
        [TENSOR_F32_FTZ] = {"ftz.f32", "b32", "add"},
        [TENSOR_TF32] = {"tf32", "b32", ""},
        [TENSOR_TF32_FTZ] = {"tf32", "b32", ""},
    };
    const struct tensor_copy *const copy = at->extra;
    const bool is_of_bits =
        strchr("aox", copy->operation[0]) && strcmp(copy->operation, "add") != 0;
    const char *const type = is_of_bits ? types[map->type].bits : types[map->type].name;
    if (!strstr(types[map->type].operations, copy->operation) ||
        !sim_find_reduction(copy->operation, type, reduction))
        sim_fault(warp, at, (int)lane, SIM_UNSUPPORTED, 0,
                  "%s: there is no .%s of elements of type %s, which its tensor map has",
                  sim_source(warp, at)->opcode, copy->operation, types[map->type].name);
}

/* ---- Copies ---- */

static void note_row(struct warp *warp, const struct instruction *at, unsigned lane,
                     const struct walk *walk)
{
    uint32_t from, to;
    const uint64_t address = inside(walk, &from, &to);
    sim_note_row(warp, at, lane, address + from, to - from);
}

static void load_row(struct warp *warp, const struct instruction *at, int lane,
                     const struct walk *walk, uint64_t base, uint32_t row)
{
    const bool rounds = walk->map->type == TENSOR_TF32 || walk->map->type == TENSOR_TF32_FTZ;
    char fill[PIECE], piece[PIECE];
    uint32_t from, to, bytes;
    const uint64_t source = inside(walk, &from, &to);
    make_fill(walk->map, fill);
    for (uint32_t byte = 0; byte < walk->row_bytes; byte += bytes) {
        const uint64_t target = shared_place(walk, base, row, byte);
        const bool is_inside = byte >= from && byte < to;
        const uint32_t end = byte < from ? from : is_inside ? to : walk->row_bytes;
        bytes = piece_bytes(target, is_inside ? source + byte : 0, end - byte);
        if (is_inside)
            sim_lane_read(warp, at, lane, source + byte, piece, bytes);
        if (is_inside && rounds)
            round_to_tf32(piece, bytes);
        sim_lane_write(warp, at, lane, target, is_inside ? piece : fill, bytes);
    }
}

static void store_row(struct warp *warp, const struct instruction *at, int lane,
                      const struct walk *walk, uint64_t base, uint32_t row,
                      const struct reduction *reduction)
{
    char piece[PIECE];
    uint32_t from, to, bytes;
    const uint64_t target = inside(walk, &from, &to);
    /* A GPU stores whole pieces: behind a row's last element it writes up to a multiple of 16 bytes
     * (measured on an H200). Where an allocation ends there, its hardware has more of it. */
    const uint32_t end = (to + PIECE - 1) / PIECE * PIECE;
    if (from < to && !reduction && sim_memory_host(target + to, end - to))
        to = end;
    for (uint32_t byte = from; byte < to; byte += bytes) {
        const uint64_t source = shared_place(walk, base, row, byte);
        bytes = piece_bytes(source, target + byte, to - byte);
        sim_lane_read(warp, at, lane, source, piece, bytes);
        if (!reduction)
            sim_lane_write(warp, at, lane, target + byte, piece, bytes);
        for (uint32_t i = 0; reduction && i < bytes; i += reduction->bytes)
            sim_lane_reduce(warp, at, lane, target + byte + i, reduction, piece + i);
    }
}

static void check_box(struct warp *warp, const struct instruction *at, unsigned lane,
                      const struct walk *walk, uint64_t base)
{
    const struct tensor_copy *const copy = at->extra;
    const uint64_t size = (uint64_t)walk->rows * walk->pitch,
                   offset = base & ((UINT64_C(1) << CLUSTER_SHIFT) - 1);
    const uint64_t shared = sim_window_bytes(warp, SHARED_WINDOW);
    sim_check_multiple(warp, at, lane, base, SHARED_ALIGN, "address in shared memory");
    if (offset + size > shared)
        sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, base,
                  "%s: the box of its tensor map takes %llu bytes of shared memory from byte %llu "
                  "on, and the block has %llu",
                  sim_source(warp, at)->opcode, (unsigned long long)size,
                  (unsigned long long)offset, (unsigned long long)shared);
    for (int i = 0; copy->kind != LOADS && copy->is_im2col && i < copy->rank - 2; i++)
        if (walk->map->lower[i] < 0 || walk->map->upper[i] > 0)
            sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, base,
                      "%s: the corners of its tensor map's pixel box, %d and %d, are outside the "
                      "tensor, where nothing can be stored: a GPU ends this copy with an illegal "
                      "instruction",
                      sim_source(warp, at)->opcode, walk->map->lower[i], walk->map->upper[i]);
    for (int d = 0; copy->kind != LOADS && !copy->is_im2col && d < copy->rank; d++)
        if (walk->first[d] < 0)
            sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, base,
                      "%s: coordinate %d is %lld; a box that is stored may end outside its tensor, "
                      "but must not begin before it",
                      sim_source(warp, at)->opcode, d, (long long)walk->first[d]);
}

static const struct instruction *run_tensor_copy(struct warp *warp, const struct instruction *at)
{
    const struct tensor_copy *const copy = at->extra;
    EACH_ACTIVE(lane, warp->active)
    {
        struct tensor_map map;
        struct reduction reduction;
        read_map(warp, at, lane, &map);
        if (copy->kind == PREFETCHES)
            continue;
        refuse_swizzled_slices(warp, at, lane, &map);
        if (copy->kind == REDUCES)
            find_operation(warp, at, lane, &map, &reduction);
        const uint32_t all_blocks = sim_bulk_blocks(warp, at, lane, copy->blocks);
        uint32_t blocks = all_blocks;
        do {
            struct walk walk = begin_walk(warp, copy, &map, lane);
            check_column(warp, at, lane, &walk);
            const uint64_t base =
                sim_in_first_block(warp, sim_bulk_address(warp, &copy->shared, lane), blocks);
            const uint64_t barrier =
                copy->kind == LOADS
                    ? sim_in_first_block(warp, sim_bulk_address(warp, &copy->barrier, lane), blocks)
                    : 0;
            check_box(warp, at, lane, &walk, base);
            warp->worker->noted.box = (struct noted_box){walk.rows, walk.row_bytes, map.span};
            uint32_t *const brought = sim_begin_bulk(warp, at, lane, barrier, false);
            for (uint32_t row = 0; row < walk.rows; row++, next_row(&walk)) {
                if (blocks == all_blocks) /* what several blocks receive is read once */
                    note_row(warp, at, lane, &walk);
                if (copy->kind == LOADS)
                    load_row(warp, at, (int)lane, &walk, base, row);
                else
                    store_row(warp, at, (int)lane, &walk, base, row,
                              copy->kind == REDUCES ? &reduction : NULL);
            }
            /* Bytes outside the tensor count, too. */
            sim_end_bulk(warp, at, lane, barrier, brought, walk.rows * walk.row_bytes);
            blocks &= blocks - 1;
        } while (blocks);
    }
    return at + 1;
}

/* ---- Decoding ---- */

/* Reads the parts from the number of dimensions on, and refuses those that are not known. */
static void read_parts(struct decoder *decoder, const struct ptx_instruction *source, int first,
                       struct tensor_copy *copy)
{
    const char *const dimensions = first < source->part_count ? source->parts[first] : "";
    copy->rank = dimensions[0] - '0';
    if (strlen(dimensions) != 2 || dimensions[1] != 'd' || copy->rank < 1 ||
        copy->rank > TENSOR_RANKS)
        sim_refuse_opcode(decoder, source);
    for (int i = first + 1; i < source->part_count; i++) {
        const char *const part = source->parts[i];
        const bool is_load = copy->kind == LOADS;
        const bool is_mode = strcmp(part, "im2col") == 0 ? is_load || copy->kind == PREFETCHES
                                                         : strcmp(part, "im2col_no_offs") == 0;
        copy->is_im2col |= is_mode;
        if (copy->kind == REDUCES && ptx_find_update(part))
            copy->operation = part;
        else if (!is_mode && strcmp(part, "tile") != 0 && strcmp(part, "global") != 0 &&
                 strncmp(part, "shared", 6) != 0 && !sim_is_memory_hint(part) &&
                 strcmp(part, copy->kind == PREFETCHES ? "L2"
                              : is_load                ? "mbarrier::complete_tx::bytes"
                                                       : "bulk_group") != 0 &&
                 !(is_load && strcmp(part, "multicast::cluster") == 0))
            sim_refuse_opcode(decoder, source);
    }
    if ((copy->kind == REDUCES && !copy->operation) || (copy->is_im2col && copy->rank < 3))
        sim_refuse_opcode(decoder, source);
}

static void read_list(struct decoder *decoder, const struct ptx_instruction *source,
                      const struct ptx_operand *list, int count, char kind, int32_t *slots)
{
    if (list->kind != PTX_OPERAND_VECTOR || list->element_count != count)
        sim_refuse(decoder, source, "%s needs a list of %d", source->opcode, count);
    for (int i = 0; i < count; i++)
        slots[i] = sim_source_slot(decoder, source, &list->elements[i], kind);
}

/* cp.async.bulk.tensor.Nd.shared::cluster.global [to], [map, {x, y}], [barrier] {, {offsets}}
 * {, blocks} {, policy}; cp{.reduce}.async.bulk.tensor.Nd.global.shared::cta [map, {x, y}], [from];
 * cp.async.bulk.prefetch.tensor.Nd.L2.global [map, {x, y}] {, {offsets}}. `first`: the part behind
 * `bulk`. */
void sim_decode_tensor_copy(struct decoder *decoder, const struct ptx_instruction *source,
                            int first)
{
    struct tensor_copy *const copy = sim_decoder_allocate(decoder, sizeof *copy);
    const bool is_prefetch = strcmp(source->parts[first], "prefetch") == 0;
    const bool is_load =
        first + 2 < source->part_count && strncmp(source->parts[first + 2], "shared", 6) == 0;
    copy->kind = is_prefetch                               ? PREFETCHES
                 : strcmp(source->parts[1], "reduce") == 0 ? REDUCES
                 : is_load                                 ? LOADS
                                                           : STORES;
    read_parts(decoder, source, first + (is_prefetch ? 2 : 1), copy);
    int next = is_load ? 1 : 0;
    const struct ptx_operand *const tensor = sim_operand(decoder, source, next);
    if (tensor->element_count != 1)
        sim_refuse(decoder, source, "%s needs coordinates", source->opcode);
    copy->map = sim_read_bulk_end(decoder, source, next++, false);
    read_list(decoder, source, tensor->elements, copy->rank, 'w', copy->coordinates);
    if (is_load)
        copy->shared = sim_read_bulk_end(decoder, source, 0, true);
    else if (!is_prefetch)
        copy->shared = sim_read_bulk_end(decoder, source, next++, true);
    if (is_load)
        copy->barrier = sim_read_bulk_end(decoder, source, next++, true);
    memset(copy->offsets, -1, sizeof copy->offsets);
    if (copy->is_im2col && !ptx_has_part(source, "im2col_no_offs"))
        read_list(decoder, source, sim_operand(decoder, source, next++), copy->rank - 2, 'h',
                  copy->offsets);
    copy->blocks = -1;
    if (ptx_has_part(source, "multicast::cluster"))
        copy->blocks = sim_source_slot(decoder, source, sim_operand(decoder, source, next), 'h');
    sim_emit_bulk(decoder, source, run_tensor_copy, copy,
                  is_prefetch ? copy->map.where.slot : copy->shared.where.slot,
                  copy->map.where.slot);
}
