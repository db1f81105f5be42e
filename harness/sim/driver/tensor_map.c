/* Tensor maps (CUtensorMap) and the functions that make them. What CUDA requires of each parameter
 * is checked; a sentence says which requirement is not met, since the error alone is always
 * CUDA_ERROR_INVALID_VALUE. */
#include "sim/memory/tensor_map.h"

#include "driver.h"

#include <string.h>

enum { PIECE = 16, MOST_STEP = 8, MOST_BOX = 256, MOST_PIXELS = 1024 };

_Static_assert(sizeof(CUtensorMap) == TENSOR_MAP_BYTES, "as large as CUDA's");
_Static_assert(TENSOR_TF32_FTZ == (int)CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, "CUDA's numbers");

/* What both functions are told. */
struct wanted {
    CUtensorMap *to;
    CUtensorMapDataType type;
    uint32_t rank;
    const void *address;
    const uint64_t *sizes, *strides;
    const uint32_t *steps;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
};

/* The first requirement that is not met; NULL: all are. The inner box has `inner` elements. */
static const char *why_not(const struct wanted *wanted, uint32_t inner)
{
    const uint64_t address = (uint64_t)(uintptr_t)wanted->address;
    const bool is_interleaved = wanted->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE;
    const bool is_wide = wanted->interleave == CU_TENSOR_MAP_INTERLEAVE_32B;
    const unsigned unit = is_wide ? 2 * PIECE : PIECE;
    if (sim_device.compute_major < 9)
        return "tensor maps need a GPU of compute capability 9.0";
    if (!wanted->to)
        return "there is no place for the map";
    if ((unsigned)wanted->type >= TENSOR_TYPES)
        return "tensorDataType must be one that a GPU of compute capability 9.0 has";
    if (wanted->rank < (is_interleaved ? 3 : 1) || wanted->rank > TENSOR_RANKS)
        return "tensorRank must be 1 to 5, and 3 or more with interleave";
    if (!wanted->sizes || !wanted->steps || (wanted->rank > 1 && !wanted->strides))
        return "an array is missing";
    if (wanted->interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
        wanted->swizzle > CU_TENSOR_MAP_SWIZZLE_128B ||
        wanted->promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        wanted->fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return "interleave, swizzle, l2Promotion and oobFill must be values of their types that a "
               "GPU of compute capability 9.0 has";
    if (!address || address % unit != 0)
        return "globalAddress must be a multiple of 16, or of 32 with CU_TENSOR_MAP_INTERLEAVE_32B";
    for (uint32_t d = 0; d < wanted->rank; d++) {
        if (wanted->sizes[d] < 1 || wanted->sizes[d] > UINT64_C(1) << 32)
            return "globalDim must be 1 to 2^32 in each dimension";
        if (d > 0 && (wanted->strides[d - 1] % unit != 0 || wanted->strides[d - 1] >> 40 != 0))
            return "globalStrides must be multiples of 16, or of 32 with "
                   "CU_TENSOR_MAP_INTERLEAVE_32B, and less than 2^40";
        if ((d > 0 || is_interleaved) && (wanted->steps[d] < 1 || wanted->steps[d] > MOST_STEP))
            return "elementStrides must be 1 to 8";
    }
    /* As cuda.h says; an H200's driver lets it pass. */
    if (is_wide && wanted->swizzle != CU_TENSOR_MAP_SWIZZLE_32B)
        return "CU_TENSOR_MAP_INTERLEAVE_32B needs CU_TENSOR_MAP_SWIZZLE_32B";
    if (inner * sim_tensor_type_bytes(wanted->type) % PIECE != 0)
        return "the inner dimension of the box must have a multiple of 16 bytes";
    if (!is_interleaved && wanted->swizzle != CU_TENSOR_MAP_SWIZZLE_NONE &&
        inner * sim_tensor_type_bytes(wanted->type) > (unsigned)PIECE << wanted->swizzle)
        return "the inner dimension of the box must have no more bytes than the swizzle's span";
    if (wanted->fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE &&
        wanted->type < CU_TENSOR_MAP_DATA_TYPE_FLOAT16)
        return "oobFill with NaN needs elements of a floating-point type";
    return NULL;
}

static CUresult refuse(const char *function, const char *why)
{
    sim_runtime_report("%s: %s", function, why);
    return CUDA_ERROR_INVALID_VALUE;
}

/* What both kinds of maps have. */
static struct tensor_map new_map(const struct wanted *wanted)
{
    struct tensor_map map = {.magic = TENSOR_MAP_MAGIC,
                             .address = (uint64_t)(uintptr_t)wanted->address,
                             .rank = (uint8_t)wanted->rank,
                             .type = (uint8_t)wanted->type,
                             .is_interleaved = wanted->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE,
                             .fills_nan = wanted->fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
    const unsigned element = map.is_interleaved ? PIECE * (unsigned)wanted->interleave
                                                : sim_tensor_type_bytes(wanted->type);
    map.span = wanted->swizzle ? (uint8_t)(PIECE << wanted->swizzle) : 0;
    for (uint32_t d = 0; d < wanted->rank; d++) {
        map.last[d] = (uint32_t)(wanted->sizes[d] - 1);
        map.strides[d] = d > 0 ? wanted->strides[d - 1] : element;
        map.steps[d] = d > 0 || map.is_interleaved ? (uint8_t)wanted->steps[d] : 1;
    }
    return map;
}

static CUresult write_map(const struct wanted *wanted, const struct tensor_map *map)
{
    memset(wanted->to, 0, sizeof *wanted->to);
    memcpy(wanted->to, map, sizeof *map);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *to, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *sizes, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    const struct wanted wanted = {to,    type,       rank,    address,   sizes, strides,
                                  steps, interleave, swizzle, promotion, fill};
    const char *why = box ? why_not(&wanted, box[0]) : "an array is missing";
    for (uint32_t d = 0; !why && d < rank; d++)
        why = box[d] < 1 || box[d] > MOST_BOX ? "boxDim must be 1 to 256 in each dimension" : NULL;
    if (why)
        return refuse("cuTensorMapEncodeTiled", why);
    struct tensor_map map = new_map(&wanted);
    for (uint32_t d = 0; d < rank; d++)
        map.box[d] = (uint16_t)box[d];
    return write_map(&wanted, &map);
}

/* Corners count from the first and from the last pixel, W first. */
static const char *why_no_corners(const struct wanted *wanted, const int *lower, const int *upper)
{
    const uint32_t first = wanted->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE ? 1 : 0;
    const int limit = wanted->rank == 3 ? 1 << 15 : wanted->rank == 4 ? 1 << 7 : 1 << 4;
    for (uint32_t i = 0; i + 2 < wanted->rank; i++) {
        if (lower[i] < -limit || lower[i] >= limit || upper[i] < -limit || upper[i] >= limit)
            return "the corners of the pixel box must be in [-32768, 32767] for 3 dimensions, "
                   "[-128, 127] for 4, [-16, 15] for 5";
        if ((int64_t)wanted->sizes[i + first] + upper[i] <= lower[i])
            return "the pixel box must not be empty";
    }
    return NULL;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *to, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *sizes, const cuuint64_t *strides,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    const struct wanted wanted = {to,    type,       rank,    address,   sizes, strides,
                                  steps, interleave, swizzle, promotion, fill};
    const char *why = why_not(&wanted, channels);
    if (!why && rank < 3)
        why = "tensorRank must be 3, 4 or 5";
    if (!why && (channels < 1 || channels > MOST_BOX || pixels < 1 || pixels > MOST_PIXELS))
        why = "channelsPerPixel must be 1 to 256, and pixelsPerColumn 1 to 1024";
    if (!why)
        why = lower && upper ? why_no_corners(&wanted, lower, upper) : "an array is missing";
    if (why)
        return refuse("cuTensorMapEncodeIm2col", why);
    struct tensor_map map = new_map(&wanted);
    map.is_im2col = true;
    map.box[0] = (uint16_t)channels;
    map.pixels = (uint16_t)pixels;
    for (uint32_t i = 0; i + 2 < rank; i++) {
        map.lower[i] = (int16_t)lower[i];
        map.upper[i] = (int16_t)upper[i];
    }
    return write_map(&wanted, &map);
}
