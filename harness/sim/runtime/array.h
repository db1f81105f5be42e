/**
 * @file array.h
 * @brief CUDA arrays. To a program they are opaque: their texels lie in device memory, row by row
 * without gaps, slice by slice or layer by layer.
 */
#ifndef SIM_RUNTIME_ARRAY_H
#define SIM_RUNTIME_ARRAY_H

#include "runtime.h"

/** The slices of a cube map, or of each of its layers. */
enum { SIM_CUBE_FACES = 6 };

/** CUDA's name for it; cudaArray_t points to one. */
struct cudaArray {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /**< as the program gave it: 0 in dimensions that it does not have */
    unsigned flags;
    uint64_t address;
    size_t texel, pitch, rows, slices; /**< bytes, bytes, and counts of 1 or more */
    struct cudaArray *next;
};

/** The array, if it is a live one; else NULL. */
const struct cudaArray *sim_array_find(cudaArray_const_t array);

/** Bytes of a texel; 0: there are no such texels. */
size_t sim_texel_bytes(const struct cudaChannelFormatDesc *format);

/** Forgets all arrays, whose memory has been freed. Part of cudaDeviceReset(). */
void sim_arrays_reset(void);

#endif
