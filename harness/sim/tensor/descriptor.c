/* Operands of wgmma in shared memory, which a matrix descriptor of 64 bits finds: start, two byte
 * offsets and the swizzle. Layouts are in pieces of 16 bytes, as the canonical layouts of CUTLASS
 * (cute/atom/mma_traits_sm90_gmma.hpp) and the strides of the PTX manual define them. */
#include "tensor.h"

#include "sim/check/check.h"
#include "sim/memory/places.h"

#include <string.h>

enum { PIECE = 16, ROWS = 8, LINE = 128 }; /* a swizzle changes with each line of 128 bytes */

/* A descriptor's fields, in bytes. */
struct fields {
    uint32_t start, leading, stride;
    uint32_t base;  /* of the swizzle's pattern, above a multiple of 1024 */
    unsigned width; /* pieces in a row of the pattern, which has 8 rows; 1: no swizzle */
};

static uint32_t bytes_at(uint64_t descriptor, unsigned bit)
{
    return (uint32_t)(descriptor >> bit & 0x3fff) * PIECE;
}

static struct fields read_fields(uint64_t descriptor)
{
    static const unsigned widths[] = {1, 8, 4, 2}; /* none, 128, 64 and 32 bytes */
    return (struct fields){.start = bytes_at(descriptor, 0),
                           .leading = bytes_at(descriptor, 16),
                           .stride = bytes_at(descriptor, 32),
                           .base = (uint32_t)(descriptor >> 49 & 7) * LINE,
                           .width = widths[descriptor >> 62]};
}

/* Where the piece lies that has column (or, K-major, row) `along` and, in the other direction,
 * piece `piece`. Rows of a pattern are along k where the matrix is MN-major. The hardware swizzles
 * addresses, as copies by tensor maps do, so a matrix may start in any row of the pattern; that it
 * counts from the base offset is to be verified on a GPU. */
static uint32_t address_of(const struct fields *fields, bool is_k_major, uint32_t piece,
                           uint32_t along)
{
    const uint32_t row = along % ROWS, rows = along / ROWS, width = fields->width;
    uint32_t address = fields->start + row * width * PIECE;
    if (width == 1)
        address += is_k_major ? rows * fields->stride + piece * fields->leading
                              : rows * fields->leading + piece * fields->stride;
    else
        address += rows * fields->stride + piece % width * PIECE + piece / width * fields->leading;
    return address ^ ((address - fields->base) / LINE % width * PIECE);
}

/* ---- What is wrong with a descriptor ---- */

static void check_swizzle(struct warp *warp, const struct instruction *at,
                          const struct fields *fields, const struct tensor_operand *operand)
{
    const int lane = __builtin_ctz(warp->active);
    const uint32_t row = fields->width * PIECE, pattern = ROWS * row;
    const uint32_t pieces = operand->is_k_major ? 2 : (uint32_t)operand->across / ROWS;
    const uint32_t used = (pieces < fields->width ? pieces : fields->width) * PIECE;
    const uint32_t in_row = fields->start % row;
    const bool has_many_rows = !operand->is_k_major || operand->across > ROWS;
    if (fields->width == 1)
        return;
    if (in_row + used > row)
        sim_fault(warp, at, lane, SIM_MISALIGNED, fields->start,
                  "the descriptor of %c starts at %u, which is byte %u of a row of %u bytes, and "
                  "%u bytes of each row are read: with a swizzle of %u bytes they must not pass "
                  "its end; align the matrix in shared memory to %u bytes",
                  operand->name, fields->start, in_row, row, used, row, pattern);
    if ((has_many_rows && fields->stride % pattern != 0) ||
        (pieces > fields->width && fields->leading % pattern != 0))
        sim_fault(warp, at, lane, SIM_MISALIGNED, fields->start,
                  "the descriptor of %c has a stride byte offset of %u and a leading byte offset "
                  "of %u: with a swizzle of %u bytes, distances must be multiples of its pattern "
                  "of %u bytes",
                  operand->name, fields->stride, fields->leading, row, pattern);
}

static void check_descriptor(struct warp *warp, const struct instruction *at, uint64_t descriptor,
                             const struct tensor_operand *operand)
{
    static const uint64_t unused = UINT64_C(0x3ff1c000c000c000);
    const struct fields fields = read_fields(descriptor);
    if (descriptor & unused)
        sim_fault(warp, at, __builtin_ctz(warp->active), SIM_MISALIGNED, 0,
                  "the descriptor of %c is 0x%016llx: bit %d of it must be 0; addresses and "
                  "offsets are written as (x & 0x3ffff) >> 4, each into a field of 14 bits",
                  operand->name, (unsigned long long)descriptor,
                  __builtin_ctzll(descriptor & unused));
    check_swizzle(warp, at, &fields, operand);
}

/* ---- Reading ---- */

static void read_piece(struct warp *warp, const struct instruction *at,
                       const struct tensor_operand *operand, uint32_t address, char *piece)
{
    const int lane = __builtin_ctz(warp->active);
    const size_t size = warp->worker->launch->shared_bytes;
    if (address + (size_t)PIECE > size)
        sim_fault(
            warp, at, lane, SIM_OUT_OF_BOUNDS, SHARED_WINDOW | address,
            "the descriptor of %c leads to bytes %u to %u of shared memory, and the block has "
            "%zu; look at its start address and its offsets, which count 16 bytes each",
            operand->name, address, address + PIECE - 1, size);
    const char *const storage = warp->block->shared + address;
    if (warp->worker->checks)
        sim_check_lane_load(warp, at, lane, SHARED_WINDOW | address, storage, PIECE);
    memcpy(piece, storage, PIECE);
}

void sim_descriptor_read(struct warp *warp, const struct instruction *at, uint64_t descriptor,
                         const struct tensor_operand *operand, char (*rows)[TENSOR_K_BYTES])
{
    const struct fields fields = read_fields(descriptor);
    check_descriptor(warp, at, descriptor, operand);
    for (uint32_t row = 0; operand->is_k_major && row < (uint32_t)operand->across; row++)
        for (uint32_t piece = 0; piece < TENSOR_K_BYTES / PIECE; piece++)
            read_piece(warp, at, operand, address_of(&fields, true, piece, row),
                       rows[row] + piece * PIECE);
    /* MN-major: a piece has 8 neighbours of 16 bits across, at one k. */
    for (uint32_t piece = 0; !operand->is_k_major && piece < (uint32_t)operand->across / 8; piece++)
        for (uint32_t k = 0; k < TENSOR_K_BYTES / 2; k++) {
            char column[PIECE];
            read_piece(warp, at, operand, address_of(&fields, false, piece, k), column);
            for (uint32_t i = 0; i < 8; i++)
                memcpy(rows[8 * piece + i] + 2 * k, column + 2 * i, 2);
        }
}
