/* Matrices between memory and the registers of a warp: ldmatrix and stmatrix, whose lanes give the
 * addresses of rows of 16 bytes, movmatrix, and wmma.load and wmma.store, which have one address
 * and the distance of two rows. */
#include "tensor.h"

#include "sim/access/access.h"
#include "sim/check/check.h"
#include "sim/memory/warning.h"
#include "sim/decoding/flags.h"
#include "sim/machine/lane_tests.h"
#include "sim/memory/resolve.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, ROW_BYTES = 16, MOST_MATRICES = 4, NATURAL = -1 };

/* ---- Accesses of some lanes at any addresses ---- */

/* Finds where `lanes` access memory, and checks it. */
static void find_places(struct warp *warp, const struct instruction *at, const uint64_t *address,
                        unsigned bytes, struct places *places)
{
    *places = (struct places){.address = address};
    if (warp->active != ALL_LANES) {
        fill_inactive64(places->filled, address, warp->active);
        places->address = places->filled;
    }
    sim_resolve_generic(warp, at, bytes, places);
}

static bool has_ones(const char *from, unsigned bytes)
{
    uint32_t word = 0;
    bool has = bytes < 4;
    for (unsigned i = 0; i + 4 <= bytes * WARP_LANES; i += 4) {
        memcpy(&word, from + i, 4);
        has = has || word == UINT32_MAX;
    }
    return has;
}

/* Reads `bytes` of each of `lanes` into data, lane by lane; the others' become 0. */
static void read_lanes(struct warp *warp, const struct instruction *at, uint32_t lanes,
                       const uint64_t *address, unsigned bytes, char *data)
{
    const uint32_t active = warp->active;
    struct places places;
    warp->active = lanes;
    memset(data, 0, (size_t)bytes * WARP_LANES);
    find_places(warp, at, address, bytes, &places);
    EACH_ACTIVE(lane, lanes)
    {
        if (places.pattern == PATTERN_SLOW)
            sim_lane_read(warp, at, (int)lane, slow_address(&places, lane), data + lane * bytes,
                          bytes);
        else
            memcpy(data + lane * bytes, place_of(&places, lane, bytes), bytes);
    }
    if (warp->worker->checks)
        check_load(warp, at, &places, bytes, has_ones(data, bytes));
    warp->active = active;
}

static void write_lanes(struct warp *warp, const struct instruction *at, uint32_t lanes,
                        const uint64_t *address, unsigned bytes, const char *data)
{
    const uint32_t active = warp->active;
    struct places places;
    warp->active = lanes;
    find_places(warp, at, address, bytes, &places);
    if (warp->worker->checks)
        check_store(warp, at, &places, bytes);
    EACH_ACTIVE(lane, lanes)
    {
        if (places.pattern == PATTERN_SLOW)
            sim_lane_write(warp, at, (int)lane, slow_address(&places, lane), data + lane * bytes,
                           bytes);
        else
            memcpy(place_of(&places, lane, bytes), data + lane * bytes, bytes);
    }
    if (warp->worker->checks) {
        check_one_store(warp, at, &places, data, bytes, bytes);
        check_stored(warp, at, &places, bytes, has_ones(data, bytes));
    }
    warp->active = active;
}

/* The address of each lane, by the operand's space: shared memory has a window. */
static void lane_addresses(const struct warp *warp, const struct where *where, uint64_t window,
                           uint64_t *address)
{
    const void *const slot = sim_slot(warp, where->slot);
    EACH_LANE
    {
        const uint64_t base =
            where->is_wide ? ((const uint64_t *)slot)[lane] : ((const uint32_t *)slot)[lane];
        address[lane] = window | (base + (uint64_t)where->offset);
    }
}

static struct where read_where(struct decoder *decoder, const struct ptx_instruction *source,
                               int index, uint64_t *window)
{
    enum ptx_space space = PTX_GENERIC;
    for (int i = 1; i < source->part_count; i++)
        sim_read_space(source->parts[i], &space);
    const struct where where = sim_read_address(decoder, source, &space, index);
    if (where.is_fixed || (space != PTX_SHARED && space != PTX_GLOBAL && space != PTX_GENERIC))
        sim_refuse_opcode(decoder, source);
    *window = space == PTX_SHARED ? SHARED_WINDOW : 0;
    return where;
}

/* ---- ldmatrix, stmatrix, movmatrix: matrices of 8 rows of 8 elements of 16 bits ---- */

struct rows {
    int count; /* of matrices; lanes 8 i to 8 i + 7 have the addresses of the rows of matrix i */
    bool is_transposed;
    bool splits_floats; /* they are transposed by 16 bits, and then taken for floats of 32 */
    int32_t all_lanes, slots[MOST_MATRICES];
    struct where where;
    uint64_t window;
};

static uint32_t address_lanes(const struct rows *rows)
{
    return rows->count == 4 ? ALL_LANES : (UINT32_C(1) << rows->count * ROWS) - 1;
}

/* The two elements of a matrix that a lane holds, in row lane / 4. */
static uint32_t two_elements(const uint16_t *matrix, unsigned lane, bool is_transposed)
{
    const unsigned row = lane / 4, column = lane % 4 * 2;
    return is_transposed
               ? matrix[column * ROWS + row] | (uint32_t)matrix[(column + 1) * ROWS + row] << 16
               : matrix[row * ROWS + column] | (uint32_t)matrix[row * ROWS + column + 1] << 16;
}

static void put_two(uint16_t *matrix, unsigned lane, bool is_transposed, uint32_t two)
{
    const unsigned row = lane / 4, column = lane % 4 * 2;
    matrix[is_transposed ? column * ROWS + row : row * ROWS + column] = (uint16_t)two;
    matrix[is_transposed ? (column + 1) * ROWS + row : row * ROWS + column + 1] =
        (uint16_t)(two >> 16);
}

static bool takes_floats(const struct ptx_instruction *at)
{
    return at->operation == PTX_OP_mma ? ptx_has_part(at, "tf32")
                                       : ptx_has_part(at, "f32") && ptx_writes_result(at);
}

/* Whether what an instruction loads is an operand of one that takes floats of 32 bits, directly or
 * after moves. */
static bool is_taken_for_floats(const struct ptx_function *ptx,
                                const struct ptx_instruction *source)
{
    bool *const found = calloc((size_t)ptx->register_count + 1, sizeof *found);
    bool is_taken = false, has_grown = found && sim_mark(found, &source->operands[0]);
    while (has_grown && !is_taken) {
        has_grown = false;
        for (int i = 0; i < ptx->instruction_count && !is_taken; i++) {
            const struct ptx_instruction *const at = &ptx->instructions[i];
            bool does = false;
            for (int o = 1; o < at->operand_count; o++)
                does = does || sim_depends(found, &at->operands[o]);
            is_taken = does && takes_floats(at);
            if (does && at->operation == PTX_OP_mov)
                has_grown |= sim_mark(found, &at->operands[0]);
        }
    }
    free(found);
    return is_taken;
}

static const struct instruction *run_load_rows(struct warp *warp, const struct instruction *at)
{
    const struct rows *const rows = at->extra;
    uint16_t data[MOST_MATRICES * ROWS * ROWS];
    uint64_t address[WARP_LANES];
    const struct instruction *const other = sim_gather_warp(warp, at, rows->all_lanes);
    if (other)
        return other;
    const uint32_t lanes = sim_matrix_access(warp, at, 0, address);
    if (rows->splits_floats && sim_checks_for(SIM_CHECK_RACE) && sim_warning_is_new(warp, at, 0))
        sim_warn(warp, at, SIM_RACE,
                 "ldmatrix with .trans transposes elements of 16 bits, and what it loads is then "
                 "taken for floats of 32: the halves of each come of two different elements; "
                 "store the tile transposed, or read it by plain loads");
    read_lanes(warp, at, lanes, address, ROW_BYTES, (char *)data);
    for (int i = 0; i < rows->count; i++) {
        uint32_t *const slot = sim_slot(warp, rows->slots[i]);
        EACH_LANE slot[lane] = two_elements(data + i * ROWS * ROWS, lane, rows->is_transposed);
    }
    return at + 1;
}

static const struct instruction *run_store_rows(struct warp *warp, const struct instruction *at)
{
    const struct rows *const rows = at->extra;
    uint16_t data[MOST_MATRICES * ROWS * ROWS] = {0};
    uint64_t address[WARP_LANES];
    const struct instruction *const other = sim_gather_warp(warp, at, rows->all_lanes);
    if (other)
        return other;
    const uint32_t lanes = sim_matrix_access(warp, at, 0, address);
    for (int i = 0; i < rows->count; i++) {
        const uint32_t *const slot = sim_slot(warp, rows->slots[i]);
        EACH_LANE put_two(data + i * ROWS * ROWS, lane, rows->is_transposed, slot[lane]);
    }
    write_lanes(warp, at, lanes, address, ROW_BYTES, (const char *)data);
    return at + 1;
}

static const struct instruction *run_move_rows(struct warp *warp, const struct instruction *at)
{
    const struct rows *const rows = at->extra;
    uint16_t matrix[ROWS * ROWS];
    const struct instruction *const other = sim_gather_warp(warp, at, rows->all_lanes);
    if (other)
        return other;
    const uint32_t *const from = sim_slot(warp, at->a);
    uint32_t *const to = sim_slot(warp, at->d);
    EACH_LANE put_two(matrix, lane, false, from[lane]);
    EACH_LANE to[lane] = two_elements(matrix, lane, true);
    return at + 1;
}

static void decode_rows(struct decoder *decoder, const struct ptx_instruction *source)
{
    const bool is_load = source->operation == PTX_OP_ldmatrix;
    struct rows *const rows = sim_decoder_allocate(decoder, sizeof *rows);
    const struct ptx_operand *const list = sim_operand(decoder, source, is_load ? 0 : 1);
    const bool is_list = list->kind == PTX_OPERAND_VECTOR;
    if (!ptx_has_part(source, "m8n8") || !ptx_has_part(source, "b16"))
        sim_refuse_opcode(decoder, source);
    rows->count = ptx_has_part(source, "x4") ? 4 : ptx_has_part(source, "x2") ? 2 : 1;
    rows->is_transposed = ptx_has_part(source, "trans");
    rows->splits_floats = is_load && rows->is_transposed &&
                          is_taken_for_floats(sim_decoder_function(decoder)->ptx, source);
    rows->all_lanes = sim_constant32(decoder, ALL_LANES);
    if ((is_list ? list->element_count : 1) != rows->count)
        sim_refuse(decoder, source, "%s needs a list of %d registers", source->opcode, rows->count);
    rows->where = read_where(decoder, source, is_load ? 1 : 0, &rows->window);
    for (int i = 0; i < rows->count; i++) {
        const struct ptx_operand *const reg = is_list ? &list->elements[i] : list;
        rows->slots[i] = is_load ? sim_destination_slot(decoder, source, reg, 'w')
                                 : sim_source_slot(decoder, source, reg, 'w');
    }
    sim_note_access_size(decoder, PTX_SHARED, 4);
    struct instruction *const emitted =
        sim_emit(decoder, source, is_load ? run_load_rows : run_store_rows);
    emitted->a = rows->where.slot;
    emitted->offset = rows->where.offset;
    emitted->extra = rows;
    emitted->cache = sim_new_cache(decoder);
}

static void decode_movmatrix(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (!ptx_has_part(source, "m8n8") || !ptx_has_part(source, "trans"))
        sim_refuse_opcode(decoder, source);
    struct rows *const rows = sim_decoder_allocate(decoder, sizeof *rows);
    rows->all_lanes = sim_constant32(decoder, ALL_LANES);
    const int32_t a = sim_source_slot(decoder, source, sim_operand(decoder, source, 1), 'w');
    const int32_t d = sim_destination_slot(decoder, source, sim_operand(decoder, source, 0), 'w');
    struct instruction *const emitted = sim_emit(decoder, source, run_move_rows);
    emitted->a = a;
    emitted->d = d;
    emitted->extra = rows;
}

/* ---- wmma.load, wmma.store ---- */

struct fragment {
    struct tensor_product product; /* whose layout the fragment has */
    char matrix;                   /* a, b, c or d */
    bool is_column_major;
    int32_t all_lanes, stride; /* a slot, or NATURAL */
    int32_t slots[TENSOR_MOST_REGISTERS];
    struct where where;
    uint64_t window;
};

static const struct tensor_matrix *matrix_of(const struct fragment *fragment)
{
    const struct tensor_product *const product = &fragment->product;
    return fragment->matrix == 'a'   ? &product->a
           : fragment->matrix == 'b' ? &product->b
                                     : &product->c;
}

/* Elements from the start of the matrix to an element of a lane. */
static uint64_t distance_of(const struct fragment *fragment, int lane, int item, uint64_t stride)
{
    const struct tensor_place at =
        sim_tensor_place(&fragment->product, matrix_of(fragment), lane, item);
    return fragment->is_column_major ? (uint64_t)at.column * stride + (uint64_t)at.row
                                     : (uint64_t)at.row * stride + (uint64_t)at.column;
}

static uint64_t stride_of(const struct warp *warp, const struct fragment *fragment)
{
    const struct tensor_product *const product = &fragment->product;
    if (fragment->stride != NATURAL)
        return ((const uint32_t *)sim_slot(warp, fragment->stride))[0];
    if (fragment->matrix == 'a')
        return (uint64_t)(fragment->is_column_major ? product->m : product->k);
    if (fragment->matrix == 'b')
        return (uint64_t)(fragment->is_column_major ? product->k : product->n);
    return (uint64_t)(fragment->is_column_major ? product->m : product->n);
}

/* Registers with elements of their own; the ones behind repeat them, as in wmma's fragments of f16.
 */
static int own_registers(const struct fragment *fragment)
{
    const struct tensor_product *const product = &fragment->product;
    const struct tensor_matrix *const matrix = matrix_of(fragment);
    const int elements = fragment->matrix == 'a'   ? product->m * product->k
                         : fragment->matrix == 'b' ? product->n * product->k
                                                   : product->m * product->n;
    const int bits = sim_tensor_bits(matrix->type);
    const int own = elements / WARP_LANES * (bits < 32 ? bits : 32) / 32;
    return own < matrix->registers ? own : matrix->registers;
}

/* Elements of a register that lie side by side are accessed at once; others one by one. */
static int items_at_once(const struct fragment *fragment)
{
    const int bits = sim_tensor_bits(matrix_of(fragment)->type), each = bits < 32 ? 32 / bits : 1;
    const struct tensor_place first =
        sim_tensor_place(&fragment->product, matrix_of(fragment), 0, 0);
    const struct tensor_place second =
        sim_tensor_place(&fragment->product, matrix_of(fragment), 0, each > 1 ? 1 : 0);
    const bool is_side_by_side =
        fragment->is_column_major ? second.column == first.column : second.row == first.row;
    return is_side_by_side ? each : 1;
}

static const struct instruction *run_fragment(struct warp *warp, const struct instruction *at,
                                              bool is_load)
{
    const struct fragment *const fragment = at->extra;
    const struct tensor_matrix *const matrix = matrix_of(fragment);
    const struct instruction *const other = sim_gather_warp(warp, at, fragment->all_lanes);
    if (other)
        return other;
    const unsigned bytes = sim_matrix_bytes(warp, at), width = matrix->type == TENSOR_F64 ? 8 : 4;
    const int pieces = (int)(width / bytes);
    uint64_t address[WARP_LANES];
    for (int i = 0; sim_matrix_access(warp, at, i, address); i++) {
        char data[WARP_LANES * 8];
        char *const slot =
            (char *)sim_slot(warp, fragment->slots[i / pieces]) + (unsigned)(i % pieces) * bytes;
        if (is_load)
            read_lanes(warp, at, ALL_LANES, address, bytes, data);
        for (unsigned lane = 0; lane < WARP_LANES; lane++)
            if (is_load)
                memcpy(slot + lane * width, data + lane * bytes, bytes);
            else
                memcpy(data + lane * bytes, slot + lane * width, bytes);
        if (!is_load)
            write_lanes(warp, at, ALL_LANES, address, bytes, data);
    }
    const int own = own_registers(fragment);
    for (int i = own; is_load && i < matrix->registers; i++)
        memcpy(sim_slot(warp, fragment->slots[i]), sim_slot(warp, fragment->slots[i % own]),
               SLOT32_BYTES);
    return at + 1;
}

static const struct instruction *run_load_fragment(struct warp *warp, const struct instruction *at)
{
    return run_fragment(warp, at, true);
}

static const struct instruction *run_store_fragment(struct warp *warp, const struct instruction *at)
{
    return run_fragment(warp, at, false);
}

/* ---- What both access, for counters, too ---- */

static bool has_rows(const struct warp *warp, const struct instruction *at)
{
    const enum ptx_opcode operation = sim_source(warp, at)->operation;
    return operation == PTX_OP_ldmatrix || operation == PTX_OP_stmatrix;
}

unsigned sim_matrix_bytes(const struct warp *warp, const struct instruction *at)
{
    const struct fragment *const fragment = at->extra;
    if (has_rows(warp, at))
        return ROW_BYTES;
    return (unsigned)(items_at_once(fragment) * sim_tensor_bits(matrix_of(fragment)->type) / 8);
}

uint32_t sim_matrix_access(const struct warp *warp, const struct instruction *at, int i,
                           uint64_t *address)
{
    const struct rows *const rows = at->extra;
    const struct fragment *const fragment = at->extra;
    if (has_rows(warp, at)) {
        lane_addresses(warp, &rows->where, rows->window, address);
        return i == 0 ? address_lanes(rows) : 0;
    }
    const int bits = sim_tensor_bits(matrix_of(fragment)->type), each = bits < 32 ? 32 / bits : 1;
    const int item = i * items_at_once(fragment);
    const uint64_t stride = stride_of(warp, fragment);
    if (item >= own_registers(fragment) * each)
        return 0;
    lane_addresses(warp, &fragment->where, fragment->window, address);
    for (int lane = 0; lane < WARP_LANES; lane++)
        address[lane] += distance_of(fragment, lane, item, stride) * (uint64_t)bits / 8;
    return ALL_LANES;
}

/* wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 list, [address], stride; wmma.store.d has the
 * address first. */
static void decode_fragment(struct decoder *decoder, const struct ptx_instruction *source)
{
    const bool is_load = source->operation == PTX_OP_wmma_load;
    struct fragment *const fragment = sim_decoder_allocate(decoder, sizeof *fragment);
    struct tensor_product *const product = &fragment->product;
    const struct ptx_operand *const list = sim_operand(decoder, source, is_load ? 0 : 1);
    enum tensor_type type = TENSOR_TYPES;
    fragment->matrix = source->part_count > 2 ? source->parts[2][0] : ' ';
    for (int i = 3; i < source->part_count; i++)
        if (!sim_find_tensor_type(source->parts[i], &type))
            sim_find_tensor_shape(source->parts[i], &product->m, &product->n, &product->k);
    if (!strchr("abcd", fragment->matrix) || type == TENSOR_TYPES || product->m == 0 ||
        list->kind != PTX_OPERAND_VECTOR || list->element_count > TENSOR_MOST_REGISTERS)
        sim_refuse_opcode(decoder, source);
    /* Elements of less than a byte lie side by side along k. */
    if (sim_tensor_bits(type) < 8 && ptx_has_part(source, "col") != (fragment->matrix == 'b'))
        sim_refuse_opcode(decoder, source);
    product->layout = TENSOR_BY_GROUPS;
    product->a.type = product->b.type = product->c.type = product->d.type = type;
    product->a.registers = product->b.registers = product->c.registers = list->element_count;
    fragment->is_column_major = ptx_has_part(source, "col");
    fragment->all_lanes = sim_constant32(decoder, ALL_LANES);
    fragment->where = read_where(decoder, source, is_load ? 1 : 0, &fragment->window);
    fragment->stride = source->operand_count > 2
                           ? sim_source_slot(decoder, source, &source->operands[2], 'w')
                           : NATURAL;
    for (int i = 0; i < list->element_count; i++)
        fragment->slots[i] = is_load ? sim_destination_slot(decoder, source, &list->elements[i],
                                                            type == TENSOR_F64 ? 'l' : 'w')
                                     : sim_source_slot(decoder, source, &list->elements[i],
                                                       type == TENSOR_F64 ? 'l' : 'w');
    sim_note_access_size(decoder, PTX_SHARED, sim_tensor_bits(type) < 32 ? 1 : 4);
    struct instruction *const emitted =
        sim_emit(decoder, source, is_load ? run_load_fragment : run_store_fragment);
    emitted->a = fragment->where.slot;
    emitted->offset = fragment->where.offset;
    emitted->extra = fragment;
    emitted->cache = sim_new_cache(decoder);
}

const struct family sim_matrix_families[] = {
    {PTX_OP_ldmatrix, decode_rows},       {PTX_OP_stmatrix, decode_rows},
    {PTX_OP_movmatrix, decode_movmatrix}, {PTX_OP_wmma_load, decode_fragment},
    {PTX_OP_wmma_store, decode_fragment}, {PTX_OP_UNKNOWN, NULL},
};
