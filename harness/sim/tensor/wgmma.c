/* wgmma: products that the four warps of a warpgroup execute together, and what makes warps wait
 * for them. The products are done when the last of the four comes; the checks treat the tensor
 * cores like a warp of its own (sim/check/order.h). */
#include "tensor.h"

#include "sim/check/order.h"
#include "sim/check/worker_checks.h"
#include "sim/machine/lanes.h"
#include "sim/machine/paths.h"

#include <string.h>

enum { WARP_ROWS = 16, TILE = 8, MOST_N = 256 };

/* A wgmma.mma_async. The product is that of one warp and 8 columns: D has 64 rows and `n` columns.
 */
struct wgmma {
    struct tensor_product product;
    struct tensor_operand a, b;
    int32_t all_lanes, a_descriptor, b_descriptor, scale; /* slots */
    int32_t a_registers[4], d_registers[MOST_N / 2];
    bool has_a_in_registers, negates, is_scale_negated;
};

/* ---- The four warps ---- */

static struct warp *member(const struct warp *warp, unsigned i)
{
    return &warp->block->warps[warp->index / GROUP_WARPS * GROUP_WARPS + i];
}

/* Whether all four warps have come to a wgmma. One that cannot come is a fault. */
static bool have_met(struct warp *warp, const struct instruction *at)
{
    const unsigned first = warp->index / GROUP_WARPS * GROUP_WARPS;
    const char *const opcode = sim_source(warp, at)->opcode;
    unsigned here = 1;
    for (unsigned i = 0; i < GROUP_WARPS; i++) {
        const struct warp *const other = member(warp, i);
        if (first + i >= warp->block->warp_count || other->state == WARP_EXITED)
            sim_fault(warp, at, 0, SIM_DIVERGENT_BARRIER, 0,
                      "%s needs all warps of a warpgroup, %u to %u here, but warp %u %s", opcode,
                      first, first + GROUP_WARPS - 1, first + i,
                      first + i < warp->block->warp_count
                          ? "has ended"
                          : "is beyond the end of the block: launch a multiple of 128 threads");
        if (other == warp || other->state != WARP_WAITING || other->barrier != AT_WGMMA)
            continue;
        if (other->barrier_at != at)
            sim_fault(warp, at, 0, SIM_DIVERGENT_BARRIER, 0,
                      "%s must be executed by the four warps of a warpgroup together, but warp %u "
                      "is here and warp %u at another one, in line %d; put one wgmma behind the "
                      "branch",
                      opcode, warp->index, other->index,
                      sim_source(other, other->barrier_at)->line);
        here++;
    }
    return here == GROUP_WARPS;
}

static const struct instruction *stop(struct warp *warp, const struct instruction *at)
{
    warp->barrier = AT_WGMMA;
    warp->barrier_at = at;
    warp->state = WARP_WAITING;
    warp->at = at + 1;
    return NULL;
}

/* The value of a slot, which must be the same in all lanes of the warpgroup. */
static uint64_t common_value(struct warp *warp, const struct instruction *at, int32_t slot,
                             char operand)
{
    const uint64_t value = *(const uint64_t *)sim_slot(warp, slot);
    for (unsigned i = 0; i < GROUP_WARPS; i++) {
        struct warp *const other = member(warp, i);
        const uint64_t *const values = sim_slot(other, slot);
        EACH_LANE if (values[lane] != value) sim_fault(
            other, at, (int)lane, SIM_DIVERGENT_BARRIER, 0,
            "the threads of a warpgroup give different descriptors of %c: 0x%016llx in warp %u, "
            "and 0x%016llx in this thread; a descriptor is of the whole matrix",
            operand, (unsigned long long)value, warp->index, (unsigned long long)values[lane]);
    }
    return value;
}

static bool adds_to_d(struct warp *warp, const struct instruction *at)
{
    const struct wgmma *const wgmma = at->extra;
    uint32_t any = 0, all = ALL_LANES;
    for (unsigned i = 0; i < GROUP_WARPS; i++) {
        const uint32_t value =
            sim_predicate(member(warp, i), wgmma->scale, wgmma->is_scale_negated);
        any |= value;
        all &= value;
    }
    if (any && all != ALL_LANES)
        sim_fault(warp, at, 0, SIM_DIVERGENT_BARRIER, 0,
                  "scale-d, which says whether D is added, differs between threads of a warpgroup");
    return any != 0;
}

/* ---- The product ---- */

static uint32_t word(const char *from)
{
    uint32_t bits;
    memcpy(&bits, from, sizeof bits);
    return bits;
}

/* A fragment of mma.sync from rows of A, or columns of B: a lane has words along k in turn. */
static void fill_fragment(char (*rows)[TENSOR_K_BYTES], unsigned halves,
                          uint32_t (*registers)[WARP_LANES])
{
    for (unsigned i = 0; i < 2 * halves; i++)
        EACH_LANE registers[i][lane] =
            word(rows[lane / 4 + TILE * (i % halves)] + 16 * (i / halves) + 4 * (lane % 4));
}

static uint32_t sign_bits(enum tensor_type type)
{
    const int bits = sim_tensor_bits(type);
    return bits == 8 ? 0x80808080 : bits == 16 ? 0x80008000 : 0x80000000;
}

static void multiply(struct warp *warp, const struct wgmma *wgmma, char (*a)[TENSOR_K_BYTES],
                     char (*b)[TENSOR_K_BYTES], bool adds)
{
    static const uint32_t zero[WARP_LANES];
    const int each = wgmma->product.d.registers;
    uint32_t rows[4][WARP_LANES], columns[2][WARP_LANES];
    const void *const a_slots[] = {rows[0], rows[1], rows[2], rows[3]};
    const void *const b_slots[] = {columns[0], columns[1]};
    if (wgmma->has_a_in_registers)
        for (int i = 0; i < 4; i++)
            memcpy(rows[i], sim_slot(warp, wgmma->a_registers[i]), sizeof rows[i]);
    else
        fill_fragment(a + warp->index % GROUP_WARPS * WARP_ROWS, 2, rows);
    for (int i = 0; wgmma->negates && i < 4; i++)
        EACH_LANE rows[i][lane] ^= sign_bits(wgmma->product.a.type);
    for (int tile = 0; tile < wgmma->b.across / TILE; tile++) {
        const void *c[4];
        void *d[4];
        for (int i = 0; i < each; i++) {
            d[i] = sim_slot(warp, wgmma->d_registers[tile * each + i]);
            c[i] = adds ? d[i] : zero;
        }
        fill_fragment(b + tile * TILE, 1, columns);
        sim_tensor_multiply(&wgmma->product, a_slots, b_slots, c, d);
    }
}

static const struct instruction *run_wgmma(struct warp *warp, const struct instruction *at)
{
    const struct wgmma *const wgmma = at->extra;
    char a[WARP_ROWS * GROUP_WARPS][TENSOR_K_BYTES], b[MOST_N][TENSOR_K_BYTES];
    const struct instruction *const other = sim_gather_warp(warp, at, wgmma->all_lanes);
    if (other)
        return other;
    const bool is_followed = warp->worker->checks && warp->worker->checks->clocks;
    if (!have_met(warp, at))
        return stop(warp, at);
    if (is_followed)
        sim_clocks_begin_products(warp);
    if (!wgmma->has_a_in_registers)
        sim_descriptor_read(warp, at, common_value(warp, at, wgmma->a_descriptor, 'A'), &wgmma->a,
                            a);
    sim_descriptor_read(warp, at, common_value(warp, at, wgmma->b_descriptor, 'B'), &wgmma->b, b);
    if (is_followed)
        sim_clocks_end_products(warp);
    const bool adds = adds_to_d(warp, at);
    for (unsigned i = 0; i < GROUP_WARPS; i++) {
        multiply(member(warp, i), wgmma, a, b, adds);
        member(warp, i)->state = WARP_READY;
    }
    return at + 1;
}

/* ---- Fences and groups: for these a warp waits for its own lanes alone ---- */

static const struct instruction *run_fence(struct warp *warp, const struct instruction *at)
{
    const struct instruction *const other = sim_gather_warp(warp, at, at->a);
    if (other)
        return other;
    warp->products.fences++;
    return at + 1;
}

static const struct instruction *run_commit(struct warp *warp, const struct instruction *at)
{
    const struct instruction *const other = sim_gather_warp(warp, at, at->a);
    if (other)
        return other;
    warp->products.groups++;
    if (warp->worker->checks && warp->worker->checks->clocks)
        sim_clocks_commit_products(warp);
    return at + 1;
}

static const struct instruction *run_wait(struct warp *warp, const struct instruction *at)
{
    const struct instruction *const other = sim_gather_warp(warp, at, at->a);
    if (other)
        return other;
    const uint32_t pending = (uint32_t)at->value, groups = warp->products.groups;
    if (groups > pending && groups - pending > warp->products.done)
        warp->products.done = groups - pending;
    if (warp->worker->checks && warp->worker->checks->clocks) {
        sim_clocks_wait_products(warp, pending);
        sim_checks_order(warp->worker->checks); /* from here on the clocks alone tell */
    }
    return at + 1;
}

/* ---- Texts ---- */

/* The parts behind wgmma.mma_async: sync.aligned.SHAPE.D.A.B, satfinite, and.popc. */
static void read_parts(struct decoder *decoder, const struct ptx_instruction *source,
                       struct wgmma *wgmma)
{
    struct tensor_product *const product = &wgmma->product;
    enum tensor_type types[3];
    int type_count = 0;
    for (int i = 2; i < source->part_count; i++) {
        const char *const part = source->parts[i];
        if (strcmp(part, "satfinite") == 0)
            product->saturates = true;
        else if (strcmp(part, "and") == 0)
            product->bits = TENSOR_AND;
        else if (type_count < 3 && sim_find_tensor_type(part, &types[type_count]))
            type_count++;
        else if (!sim_find_tensor_shape(part, &product->m, &product->n, &product->k) &&
                 strcmp(part, "sync") != 0 && strcmp(part, "aligned") != 0 &&
                 strcmp(part, "popc") != 0)
            sim_refuse_opcode(decoder, source);
    }
    if (type_count != 3)
        sim_refuse_opcode(decoder, source);
    product->d.type = product->c.type = types[0];
    product->a.type = types[1];
    product->b.type = types[2];
}

static bool is_float8(enum tensor_type type)
{
    return type == TENSOR_E4M3 || type == TENSOR_E5M2;
}

static bool are_types_known(const struct tensor_product *product)
{
    const enum tensor_type a = product->a.type, b = product->b.type, d = product->d.type;
    switch (a) {
    case TENSOR_F16:
        return b == a && (d == TENSOR_F16 || d == TENSOR_F32);
    case TENSOR_BF16:
    case TENSOR_TF32:
        return b == a && d == TENSOR_F32;
    case TENSOR_E4M3:
    case TENSOR_E5M2:
        return is_float8(b) && (d == TENSOR_F16 || d == TENSOR_F32);
    case TENSOR_S8:
    case TENSOR_U8:
        return (b == TENSOR_S8 || b == TENSOR_U8) && d == TENSOR_S32;
    case TENSOR_B1:
        return b == a && d == TENSOR_S32 && product->bits == TENSOR_AND;
    default:
        return false;
    }
}

/* Rows of A and columns of B have 32 bytes. Integers have fewer shapes. */
static bool is_known(const struct tensor_product *product)
{
    const int n = product->n, step = product->d.type == TENSOR_S32 && n > 32 ? 16 : 8;
    return are_types_known(product) && product->m == GROUP_WARPS * WARP_ROWS && n >= 8 &&
           n <= MOST_N && n % step == 0 &&
           product->k * sim_tensor_bits(product->a.type) == 8 * TENSOR_K_BYTES;
}

/* How the literature (MMA-Sim, 2025) found that an H100 adds: all products of an instruction and D
 * at once, as in mma.sync; of FP8 with 13 bits below the largest exponent, and as many in the sum.
 * An H200 gave the same bits for random operands of each type. */
static void choose_sum(struct tensor_product *product)
{
    product->sum = TENSOR_FUSED;
    product->fused = product->k;
    product->fraction = is_float8(product->a.type) ? 13 : 25;
}

static void read_list(struct decoder *decoder, const struct ptx_instruction *source, int index,
                      int count, int32_t *slots)
{
    const struct ptx_operand *const list = sim_operand(decoder, source, index);
    if (list->kind != PTX_OPERAND_VECTOR || list->element_count != count)
        sim_refuse(decoder, source, "%s needs a list of %d registers", source->opcode, count);
    for (int i = 0; i < count; i++)
        slots[i] = index == 0 ? sim_destination_slot(decoder, source, &list->elements[i], 'w')
                              : sim_source_slot(decoder, source, &list->elements[i], 'w');
}

/* An immediate that is one of two. @return whether it is the second */
static bool read_choice(struct decoder *decoder, const struct ptx_instruction *source, int index,
                        int64_t first, int64_t second)
{
    const int64_t value = (int64_t)sim_immediate(decoder, source, index);
    if (value != first && value != second)
        sim_refuse(decoder, source, "%s: operand %d is %lld, not %lld or %lld", source->opcode,
                   index, (long long)value, (long long)first, (long long)second);
    return value == second;
}

/* wgmma.mma_async... d, a or its descriptor, b's descriptor, scale-d, and for floating point
 * imm-scale-a, imm-scale-b; for types of 16 bits also imm-trans-a (of a descriptor), imm-trans-b.
 */
static void decode_mma_async(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct wgmma *const wgmma = sim_decoder_allocate(decoder, sizeof *wgmma);
    struct tensor_product *const product = &wgmma->product;
    read_parts(decoder, source, wgmma);
    if (!is_known(product))
        sim_refuse_opcode(decoder, source);
    choose_sum(product);
    const bool is_float = product->d.type != TENSOR_S32;
    const bool may_transpose = is_float && sim_tensor_bits(product->a.type) == 16;
    const struct ptx_operand *const a = sim_operand(decoder, source, 1);
    wgmma->has_a_in_registers = a->kind == PTX_OPERAND_VECTOR;
    const int transposes = may_transpose ? wgmma->has_a_in_registers ? 1 : 2 : 0;
    const int wanted = 4 + (is_float ? 2 : 0) + transposes;
    if (source->operand_count != wanted)
        sim_refuse(decoder, source, "%s needs %d operands", source->opcode, wanted);
    wgmma->a = (struct tensor_operand){'A', product->m, true};
    wgmma->b = (struct tensor_operand){'B', product->n, true};
    if (is_float)
        wgmma->negates =
            read_choice(decoder, source, 4, 1, -1) != read_choice(decoder, source, 5, 1, -1);
    if (transposes == 2)
        wgmma->a.is_k_major = !read_choice(decoder, source, 6, 0, 1);
    if (transposes)
        wgmma->b.is_k_major = !read_choice(decoder, source, 5 + transposes, 0, 1);
    product->d.registers = product->c.registers = product->d.type == TENSOR_F16 ? 2 : 4;
    product->a.registers = 4;
    product->b.registers = 2;
    read_list(decoder, source, 0, product->n / TILE * product->d.registers, wgmma->d_registers);
    if (wgmma->has_a_in_registers)
        read_list(decoder, source, 1, 4, wgmma->a_registers);
    else
        wgmma->a_descriptor = sim_source_slot(decoder, source, a, 'l');
    wgmma->b_descriptor = sim_source_slot(decoder, source, sim_operand(decoder, source, 2), 'l');
    const struct ptx_operand *const scale = sim_operand(decoder, source, 3);
    wgmma->scale = sim_source_slot(decoder, source, scale, 'p');
    wgmma->is_scale_negated = scale->negated;
    product->m = WARP_ROWS;
    product->n = TILE;
    wgmma->all_lanes = sim_constant32(decoder, ALL_LANES);
    sim_decoder_program(decoder)->has_part_barriers = true;
    sim_note_access_size(decoder, PTX_SHARED, 4);
    struct instruction *const emitted = sim_emit(decoder, source, run_wgmma);
    emitted->extra = wgmma;
    emitted->cache = sim_new_cache(decoder);
}

static void decode_wgmma(struct decoder *decoder, const struct ptx_instruction *source)
{
    const char *const verb = source->part_count > 1 ? source->parts[1] : "";
    exec_handler *const run = strcmp(verb, "fence") == 0          ? run_fence
                              : strcmp(verb, "commit_group") == 0 ? run_commit
                              : strcmp(verb, "wait_group") == 0   ? run_wait
                                                                  : NULL;
    const bool is_product = strcmp(verb, "mma_async") == 0;
    if (!ptx_has_part(source, "sync") || !ptx_has_part(source, "aligned") ||
        (!is_product && (!run || source->part_count != 4)))
        sim_refuse_opcode(decoder, source);
    if (is_product) {
        decode_mma_async(decoder, source);
        return;
    }
    const int32_t all_lanes = sim_constant32(decoder, ALL_LANES);
    const uint64_t number = run == run_wait ? sim_immediate(decoder, source, 0) : 0;
    struct instruction *const emitted = sim_emit(decoder, source, run);
    emitted->a = all_lanes;
    emitted->value = number;
}

const struct family sim_wgmma_families[] = {
    {PTX_OP_wgmma, decode_wgmma},
    {PTX_OP_UNKNOWN, NULL},
};
