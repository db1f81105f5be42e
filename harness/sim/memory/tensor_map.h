/**
 * @file tensor_map.h
 * @brief What an encoded tensor map (CUtensorMap) holds. The runtime writes it, copies of tensors
 * read it; to a program it is opaque, so that the layout is the simulator's own.
 */
#ifndef SIM_MEMORY_TENSOR_MAP_H
#define SIM_MEMORY_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGN = 64, TENSOR_RANKS = 5, PIXEL_RANKS = 3 };

/** Marks a tensor map; no other 128 bytes of a program are likely to begin so. */
#define TENSOR_MAP_MAGIC UINT64_C(0x70614d726f736e54)

/** Types of elements that a GPU of compute capability 9.0 knows, with the numbers of
 * CUtensorMapDataType. */
enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES
};

/** Dimension 0 is the innermost one; that of channels in im2col mode. An interleaved tensor has its
 * channels in slices of 16 or 32 bytes. There a slice counts as an element, dimension 0 is a row of
 * pixels (W), the last but one counts slices, and the last one images: W {, H} {, D}, C/8, N. */
struct tensor_map {
    uint64_t magic;
    uint64_t address;
    uint64_t strides[TENSOR_RANKS]; /**< bytes; of dimension 0: of an element or slice */
    uint32_t last[TENSOR_RANKS];    /**< the largest coordinate */
    uint16_t box[TENSOR_RANKS];     /**< elements that are walked over, those left out included */
    uint8_t steps[TENSOR_RANKS];    /**< element strides; 1 in dimension 0 of elements */
    uint8_t rank, type;
    uint8_t span; /**< bytes whose chunks of 16 bytes are swizzled; 0: none are */
    bool is_interleaved, fills_nan, is_im2col;
    uint16_t pixels;                                /**< im2col: of a column */
    int16_t lower[PIXEL_RANKS], upper[PIXEL_RANKS]; /**< im2col: corners of the box, W first */
};

_Static_assert(sizeof(struct tensor_map) <= TENSOR_MAP_BYTES, "CUtensorMap has 128 bytes");

static inline unsigned sim_tensor_type_bytes(unsigned type)
{
    static const unsigned char bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

#endif
