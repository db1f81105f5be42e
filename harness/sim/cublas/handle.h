/**
 * @file handle.h
 * @brief What the files of the drop-in cuBLAS share: the handle, and access to device memory.
 */
#ifndef SIM_CUBLAS_HANDLE_H
#define SIM_CUBLAS_HANDLE_H

/* Only the API's own declarations are exported (built with -fvisibility=hidden). */
#pragma GCC visibility push(default)
#include <cublas_v2.h>
#include <cublasLt.h>
#include "sim/lab_sim.h"

#pragma GCC visibility pop

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a cublasHandle_t points to. */
struct cublasContext {
    uint32_t magic;
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasMath_t math_mode;
    cublasAtomicsMode_t atomics_mode;
    int sm_count_target;
};

/** A matrix in device memory, column-major: columns of `rows` elements, `stride` apart. */
struct sim_matrix {
    const char *name;
    const void *pointer;
    int64_t rows, columns, stride;
};

/** A vector in device memory. As in BLAS, a vector with a negative increment starts at its end. */
struct sim_vector {
    const char *name;
    const void *pointer;
    int64_t count, increment;
};

/** Enters a call. @return success if the handle is live and no kernel has failed before. */
cublasStatus_t sim_cublas_begin(cublasHandle_t handle);

/** As sim_cublas_begin(), for a call that names its stream. */
cublasStatus_t sim_cublas_begin_on(cublasHandle_t handle, cudaStream_t stream);

/** The host address of a scalar, by the handle's pointer mode; NULL: it cannot be read. */
const void *sim_cublas_scalar(const char *call, cublasHandle_t handle, const void *pointer,
                              size_t size);

/** The storage of a matrix with elements of `size` bytes. NULL, with a report, if a part of the
 *  matrix is outside what kernels may touch. An empty matrix has a valid address, too. */
void *sim_cublas_matrix(const char *call, const struct sim_matrix *matrix, size_t size);

/** As sim_cublas_matrix(), for a vector. */
void *sim_cublas_vector(const char *call, const struct sim_vector *vector, size_t size);

/** Bytes of an element; 0: no real type that is known here. */
size_t sim_element_bytes(cudaDataType type);

/** Element `i` of an array of that type. */
double sim_element_value(const void *from, int64_t i, cudaDataType type);

/** Writes element `i`, rounded to nearest even; what is too large for 8 bits becomes the largest.
 */
void sim_element_put(void *to, int64_t i, cudaDataType type, double value);

/** Prints "libcublas (simulator): ..." unless quiet. */
void sim_cublas_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The OpenBLAS functions that the drop-in cuBLAS calls. The first use loads OpenBLAS.
 *
 * Loading OpenBLAS takes longer than everything else that the simulator does when it starts. */

/** Arguments of the CBLAS interface. */
enum {
    SIM_BLAS_COLUMN_MAJOR = 102,
    SIM_BLAS_NO_TRANSPOSE = 111,
    SIM_BLAS_TRANSPOSE = 112,
    SIM_BLAS_UPPER = 121,
    SIM_BLAS_LOWER = 122,
    SIM_BLAS_NON_UNIT = 131,
    SIM_BLAS_UNIT = 132,
    SIM_BLAS_LEFT = 141,
    SIM_BLAS_RIGHT = 142
};

#define REAL      float
#define BLAS_TYPE sim_blas_float
#include "openblas.inc"
#undef REAL
#undef BLAS_TYPE
#define REAL      double
#define BLAS_TYPE sim_blas_double
#include "openblas.inc"
#undef REAL
#undef BLAS_TYPE

/** The functions, or NULL (reported once) when OpenBLAS cannot be loaded. Thread-safe. */
const struct sim_blas_float *sim_openblas_float(void);
const struct sim_blas_double *sim_openblas_double(void);

/* --- what the descriptors of cuBLASLt hold -----------------------------------------------------*/
/* The struct that lies in the opaque one of its API. */

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
