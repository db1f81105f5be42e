/* mma.sync and wmma.mma: what their texts say, and that the whole warp comes to them. */
#include "tensor.h"

#include "sim/control/control.h"
#include "sim/machine/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A product with the slots of its registers. */
struct mma {
    struct tensor_product product;
    int32_t all_lanes; /* a slot with the mask of all lanes */
    int32_t a[TENSOR_MOST_REGISTERS], b[TENSOR_MOST_REGISTERS], c[TENSOR_MOST_REGISTERS],
        d[TENSOR_MOST_REGISTERS];
};

static void find_slots(const struct warp *warp, const struct tensor_matrix *matrix,
                       const int32_t *offsets, void **slots)
{
    for (int i = 0; i < matrix->registers; i++)
        slots[i] = sim_slot(warp, offsets[i]);
}

const struct instruction *sim_gather_warp(struct warp *warp, const struct instruction *at,
                                          int32_t all_lanes)
{
    if (warp->exited)
        sim_fault(
            warp, at, __builtin_ctz(warp->active), SIM_DIVERGENT_BARRIER, 0,
            "%s needs all 32 lanes of the warp, but lane %d has ended or is beyond the end of "
            "the block; launch whole warps, and let no thread return before it",
            sim_source(warp, at)->opcode, __builtin_ctz(warp->exited));
    return sim_gather_members(warp, at, all_lanes);
}

static const struct instruction *run_mma(struct warp *warp, const struct instruction *at)
{
    const struct mma *const mma = at->extra;
    const struct tensor_product *const product = &mma->product;
    void *a[TENSOR_MOST_REGISTERS], *b[TENSOR_MOST_REGISTERS], *c[TENSOR_MOST_REGISTERS],
        *d[TENSOR_MOST_REGISTERS];
    const struct instruction *const other = sim_gather_warp(warp, at, mma->all_lanes);
    if (other)
        return other;
    find_slots(warp, &product->a, mma->a, a);
    find_slots(warp, &product->b, mma->b, b);
    find_slots(warp, &product->c, mma->c, c);
    find_slots(warp, &product->d, mma->d, d);
    sim_tensor_multiply(product, (const void *const *)a, (const void *const *)b,
                        (const void *const *)c, d);
    return at + 1;
}

/* ---- Texts ---- */

bool sim_find_tensor_type(const char *name, enum tensor_type *type)
{
    static const char *const names[TENSOR_TYPES] = {
        [TENSOR_F16] = "f16",   [TENSOR_BF16] = "bf16", [TENSOR_TF32] = "tf32",
        [TENSOR_E4M3] = "e4m3", [TENSOR_E5M2] = "e5m2", [TENSOR_F32] = "f32",
        [TENSOR_F64] = "f64",   [TENSOR_S8] = "s8",     [TENSOR_U8] = "u8",
        [TENSOR_S4] = "s4",     [TENSOR_U4] = "u4",     [TENSOR_B1] = "b1",
        [TENSOR_S32] = "s32"};
    int i = 0;
    while (i < TENSOR_TYPES && strcmp(names[i], name) != 0)
        i++;
    *type = (enum tensor_type)i;
    return i < TENSOR_TYPES;
}

bool sim_find_tensor_shape(const char *part, int *m, int *n, int *k)
{
    int length = 0;
    return sscanf(part, "m%dn%dk%d%n", m, n, k, &length) == 3 && part[length] == '\0';
}

/* The parts of mma.sync.aligned.SHAPE.ROW.COL..., in any order; types in order. */
static int read_parts(struct decoder *decoder, const struct ptx_instruction *source,
                      struct tensor_product *product, enum tensor_type types[4])
{
    int type_count = 0, layouts = 0;
    for (int i = 1; i < source->part_count; i++) {
        const char *const part = source->parts[i];
        const bool is_column = strcmp(part, "col") == 0;
        enum tensor_type type;
        if (is_column || strcmp(part, "row") == 0)
            *(layouts++ ? &product->b.is_column_major : &product->a.is_column_major) = is_column;
        else if (strcmp(part, "satfinite") == 0)
            product->saturates = true;
        else if (strcmp(part, "xor") == 0 || strcmp(part, "and") == 0)
            product->bits = part[0] == 'x' ? TENSOR_XOR : TENSOR_AND;
        else if (sim_find_tensor_type(part, &type) && type_count < 4)
            types[type_count++] = type;
        else if (!sim_find_tensor_shape(part, &product->m, &product->n, &product->k) &&
                 strcmp(part, "sync") != 0 && strcmp(part, "aligned") != 0 &&
                 strcmp(part, "mma") != 0 && strcmp(part, "popc") != 0 && strcmp(part, "rn") != 0)
            sim_refuse_opcode(decoder, source);
    }
    return type_count;
}

/* How an H200 adds, as its machine code and its results show. */
static void choose_sum(struct tensor_product *product, bool is_wmma)
{
    const enum tensor_type type = product->a.type;
    const bool is_float8 = type == TENSOR_E4M3 || type == TENSOR_E5M2;
    product->sum = TENSOR_FUSED;
    product->fused = product->k;
    product->fraction = 25;
    if (product->layout == TENSOR_BY_QUADS)
        product->sum = product->d.type == TENSOR_F16 ? TENSOR_PAIRS : TENSOR_CHAIN;
    if (is_float8) {
        product->sum = TENSOR_FUSED_APART;
        product->fused = product->k / 2;
    }
    if (is_wmma && type == TENSOR_TF32)
        product->fused = 4;
}

static int registers_for(const struct tensor_matrix *matrix, int elements)
{
    const int bits = sim_tensor_bits(matrix->type), count = elements / WARP_LANES;
    return bits < 32 ? count * bits / 32 : count;
}

static int count_registers(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VECTOR ? operand->element_count : 1;
}

static void read_registers(struct decoder *decoder, const struct ptx_instruction *source,
                           int operand_index, struct tensor_matrix *matrix, int elements,
                           int32_t *slots)
{
    const struct ptx_operand *const operand = sim_operand(decoder, source, operand_index);
    const char kind = matrix->type == TENSOR_F64 ? 'l' : 'w';
    const int needed = registers_for(matrix, elements);
    matrix->registers = count_registers(operand);
    if (needed < 1 || matrix->registers < needed || matrix->registers > TENSOR_MOST_REGISTERS)
        sim_refuse(decoder, source, "%s: %d registers for an operand that has %d", source->opcode,
                   matrix->registers, needed);
    for (int i = 0; i < matrix->registers; i++) {
        const struct ptx_operand *const reg =
            operand->kind == PTX_OPERAND_VECTOR ? &operand->elements[i] : operand;
        slots[i] = operand_index == 0 ? sim_destination_slot(decoder, source, reg, kind)
                                      : sim_source_slot(decoder, source, reg, kind);
    }
}

static bool is_shape_known(const struct tensor_product *product, bool is_wmma)
{
    const int bits = sim_tensor_bits(product->a.type), step = bits < 32 ? 128 / bits : 4;
    const bool is_double = product->a.type == TENSOR_F64;
    if (product->k % step != 0 || product->k > (is_double ? 16 : 2 * step))
        return false;
    if (is_wmma && product->m * product->n == 256)
        return product->m == 16 || product->m == 32 || product->m == 8;
    return product->n == 8 && (product->m == 16 || product->m == 8);
}

static void decode_mma(struct decoder *decoder, const struct ptx_instruction *source)
{
    const bool is_wmma = source->operation == PTX_OP_wmma_mma;
    struct mma *const mma = sim_decoder_allocate(decoder, sizeof *mma);
    struct tensor_product *const product = &mma->product;
    enum tensor_type types[4];
    const int type_count = read_parts(decoder, source, product, types);
    if (type_count == 2 && is_wmma) { /* of D and C: the factors are f16 */
        types[3] = types[1];
        types[1] = types[2] = TENSOR_F16;
    } else if (type_count != 4) {
        sim_refuse_opcode(decoder, source);
    }
    product->d.type = types[0];
    product->a.type = types[1];
    product->b.type = types[2];
    product->c.type = types[3];
    const bool is_by_quads =
        !is_wmma && product->m == 8 && product->k == 4 && product->a.type == TENSOR_F16;
    product->layout = is_by_quads ? TENSOR_BY_QUADS : TENSOR_BY_GROUPS;
    if (!is_by_quads && !is_shape_known(product, is_wmma))
        sim_refuse_opcode(decoder, source);
    choose_sum(product, is_wmma);
    const int parts = is_by_quads ? 4 : 1, m = product->m * parts, n = product->n * parts;
    read_registers(decoder, source, 1, &product->a, m * product->k, mma->a);
    read_registers(decoder, source, 2, &product->b, n * product->k, mma->b);
    read_registers(decoder, source, 3, &product->c, m * product->n, mma->c);
    read_registers(decoder, source, 0, &product->d, m * product->n, mma->d);
    mma->all_lanes = sim_constant32(decoder, ALL_LANES);
    sim_emit(decoder, source, run_mma)->extra = mma;
}

const struct family sim_tensor_families[] = {
    {PTX_OP_mma, decode_mma},
    {PTX_OP_wmma_mma, decode_mma},
    {PTX_OP_UNKNOWN, NULL},
};
