/**
 * @file lt.h
 * @brief What the descriptors of cuBLASLt hold: the struct that lies in the opaque one of its API.
 */
#ifndef SIM_CUBLAS_LT_DESCRIPTORS_H
#define SIM_CUBLAS_LT_DESCRIPTORS_H

#include "handle.h"

#pragma GCC visibility push(default)
#include <cublasLt.h>
#pragma GCC visibility pop

/** A matrix in device memory, or one for each product of a batch. */
struct lt_layout {
    int32_t type, order;
    uint64_t rows, columns;
    int64_t stride; /**< between columns, or between rows where these lie together; in elements */
    int32_t batch_count, batch_mode;
    int64_t batch_stride, plane; /**< in elements; in bytes */
};

/** What is computed: D = epilogue(alpha op(A) op(B) + beta C). Pointers are to device memory. */
struct lt_operation {
    int32_t compute, scale_type, pointer_mode, trans_a, trans_b, trans_c, fill, epilogue;
    void *bias, *aux;
    int64_t bias_batch_stride, aux_stride, aux_batch_stride, alpha_batch_stride;
    const void *scale[4]; /**< of A, B, C and D */
    void *largest, *aux_scale, *aux_largest;
    int32_t sm_count, bias_type, aux_type; /**< types: -1, that of D */
    int32_t scale_mode[4];
    int8_t fast_sums;
};

/** How a GPU would compute it, which is kept and changes nothing here. */
struct lt_algorithm {
    int32_t id;
    uint32_t tile;
    int32_t split_k;
    uint32_t reduction, swizzle, custom, stages;
    uint16_t inner_shape, cluster_shape;
};

#endif
