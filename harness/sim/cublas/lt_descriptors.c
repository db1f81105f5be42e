/* cuBLASLt's handle and descriptors. An attribute is a member of the struct that lies in the opaque
 * one; tables say where. */
#include "handle.h"

#include <stdlib.h>
#include <string.h>

/* ---- the handle, which may be one of cuBLAS, too --------------------------------------------- */

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    return cublasCreate_v2((cublasHandle_t *)(void *)handle);
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    return cublasDestroy_v2((cublasHandle_t)(void *)handle);
}

size_t cublasLtGetVersion(void)
{
    return CUBLAS_VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
    return CUDART_VERSION;
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
    return cublasGetProperty(type, value);
}

const char *cublasLtGetStatusName(cublasStatus_t status)
{
    return cublasGetStatusName(status);
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    return cublasGetStatusString(status);
}

/* ---- attributes ------------------------------------------------------------------------------ */

struct attribute {
    int name;
    size_t offset, size;
};

#define MEMBER(type, name, member)                                                                 \
    {                                                                                              \
        name, offsetof(struct type, member), sizeof(((struct type *)NULL)->member)                 \
    }
#define LAYOUT(name, member)    MEMBER(lt_layout, CUBLASLT_MATRIX_LAYOUT_##name, member)
#define ALGORITHM(name, member) MEMBER(lt_algorithm, CUBLASLT_ALGO_CONFIG_##name, member)
#define OPERATION(name, member) MEMBER(lt_operation, CUBLASLT_MATMUL_DESC_##name, member)

static const struct attribute layout_attributes[] = {
    LAYOUT(TYPE, type),
    LAYOUT(ORDER, order),
    LAYOUT(ROWS, rows),
    LAYOUT(COLS, columns),
    LAYOUT(LD, stride),
    LAYOUT(BATCH_COUNT, batch_count),
    LAYOUT(STRIDED_BATCH_OFFSET, batch_stride),
    LAYOUT(PLANE_OFFSET, plane),
    LAYOUT(BATCH_MODE, batch_mode),
    {-1, 0, 0},
};

static const struct attribute operation_attributes[] = {
    OPERATION(COMPUTE_TYPE, compute),
    OPERATION(SCALE_TYPE, scale_type),
    OPERATION(POINTER_MODE, pointer_mode),
    OPERATION(TRANSA, trans_a),
    OPERATION(TRANSB, trans_b),
    OPERATION(TRANSC, trans_c),
    OPERATION(FILL_MODE, fill),
    OPERATION(EPILOGUE, epilogue),
    OPERATION(BIAS_POINTER, bias),
    OPERATION(BIAS_BATCH_STRIDE, bias_batch_stride),
    OPERATION(EPILOGUE_AUX_POINTER, aux),
    OPERATION(EPILOGUE_AUX_LD, aux_stride),
    OPERATION(EPILOGUE_AUX_BATCH_STRIDE, aux_batch_stride),
    OPERATION(ALPHA_VECTOR_BATCH_STRIDE, alpha_batch_stride),
    OPERATION(SM_COUNT_TARGET, sm_count),
    OPERATION(A_SCALE_POINTER, scale[0]),
    OPERATION(B_SCALE_POINTER, scale[1]),
    OPERATION(C_SCALE_POINTER, scale[2]),
    OPERATION(D_SCALE_POINTER, scale[3]),
    OPERATION(AMAX_D_POINTER, largest),
    OPERATION(EPILOGUE_AUX_DATA_TYPE, aux_type),
    OPERATION(EPILOGUE_AUX_SCALE_POINTER, aux_scale),
    OPERATION(EPILOGUE_AUX_AMAX_POINTER, aux_largest),
    OPERATION(FAST_ACCUM, fast_sums),
    OPERATION(BIAS_DATA_TYPE, bias_type),
    OPERATION(A_SCALE_MODE, scale_mode[0]),
    OPERATION(B_SCALE_MODE, scale_mode[1]),
    OPERATION(C_SCALE_MODE, scale_mode[2]),
    OPERATION(D_SCALE_MODE, scale_mode[3]),
    {-1, 0, 0},
};

static const struct attribute algorithm_attributes[] = {
    ALGORITHM(ID, id),
    ALGORITHM(TILE_ID, tile),
    ALGORITHM(SPLITK_NUM, split_k),
    ALGORITHM(REDUCTION_SCHEME, reduction),
    ALGORITHM(CTA_SWIZZLING, swizzle),
    ALGORITHM(CUSTOM_OPTION, custom),
    ALGORITHM(STAGES_ID, stages),
    ALGORITHM(INNER_SHAPE_ID, inner_shape),
    ALGORITHM(CLUSTER_SHAPE_ID, cluster_shape),
    {-1, 0, 0},
};

static const struct attribute *find(const struct attribute *table, int name)
{
    while (table->size && table->name != name)
        table++;
    return table->size ? table : NULL;
}

static cublasStatus_t set(void *descriptor, const struct attribute *table, const char *call,
                          int name, const void *value, size_t size)
{
    const struct attribute *const one = find(table, name);
    if (!descriptor || !value)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!one) {
        sim_cublas_report("%s: attribute %d is not known", call, name);
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (size != one->size)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy((char *)descriptor + one->offset, value, size);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t get(const void *descriptor, const struct attribute *table, int name,
                          void *value, size_t size, size_t *written)
{
    const struct attribute *const one = find(table, name);
    if (!descriptor || !one || (size ? !value || size != one->size : !written))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (size)
        memcpy(value, (const char *)descriptor + one->offset, size);
    if (written)
        *written = one->size;
    return CUBLAS_STATUS_SUCCESS;
}

/* Begins a descriptor of `size` bytes with what it holds. */
static cublasStatus_t begin(void *descriptor, size_t size, const void *held, size_t held_size)
{
    if (!descriptor || size < held_size)
        return CUBLAS_STATUS_ALLOC_FAILED;
    memset(descriptor, 0, size);
    if (held_size)
        memcpy(descriptor, held, held_size);
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- layouts --------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct lt_layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "fits");
_Static_assert(sizeof(struct lt_operation) <= sizeof(cublasLtMatmulDescOpaque_t), "fits");
_Static_assert(sizeof(struct lt_algorithm) <= sizeof(cublasLtMatmulAlgo_t), "fits");

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size,
                                                 cudaDataType type, uint64_t rows, uint64_t columns,
                                                 int64_t ld)
{
    const struct lt_layout held = {
        .type = type, .rows = rows, .columns = columns, .stride = ld, .batch_count = 1};
    return begin(layout, size, &held, sizeof held);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t ld)
{
    if (!layout)
        return CUBLAS_STATUS_INVALID_VALUE;
    *layout = malloc(sizeof **layout);
    return cublasLtMatrixLayoutInit_internal(*layout, sizeof **layout, type, rows, columns, ld);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    free(layout);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t name,
                                                const void *value, size_t size)
{
    return set(layout, layout_attributes, "cublasLtMatrixLayoutSetAttribute", name, value, size);
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t name, void *value,
                                                size_t size, size_t *written)
{
    return get(layout, layout_attributes, name, value, size, written);
}

/* ---- operations ------------------------------------------------------------------------------ */

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t operation, size_t size,
                                               cublasComputeType_t compute, cudaDataType_t scale)
{
    const struct lt_operation held = {.compute = compute,
                                      .scale_type = scale,
                                      .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                                      .bias_type = -1,
                                      .aux_type = -1};
    return begin(operation, size, &held, sizeof held);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *operation,
                                        cublasComputeType_t compute, cudaDataType_t scale)
{
    if (!operation)
        return CUBLAS_STATUS_INVALID_VALUE;
    *operation = malloc(sizeof **operation);
    return cublasLtMatmulDescInit_internal(*operation, sizeof **operation, compute, scale);
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation)
{
    free(operation);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation,
                                              cublasLtMatmulDescAttributes_t name,
                                              const void *value, size_t size)
{
    return set(operation, operation_attributes, "cublasLtMatmulDescSetAttribute", name, value,
               size);
}

cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t operation,
                                              cublasLtMatmulDescAttributes_t name, void *value,
                                              size_t size, size_t *written)
{
    return get(operation, operation_attributes, name, value, size, written);
}

/* ---- algorithms: one, which needs no workspace ----------------------------------------------- */

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                                     size_t size)
{
    return begin(preference, size, NULL, 0);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    if (!preference)
        return CUBLAS_STATUS_INVALID_VALUE;
    *preference = malloc(sizeof **preference);
    return cublasLtMatmulPreferenceInit_internal(*preference, sizeof **preference);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    free(preference);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t name,
                                                    const void *value, size_t size)
{
    (void)name, (void)size;
    return preference && value ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute,
                                        cudaDataType_t scale, cudaDataType_t a, cudaDataType_t b,
                                        cudaDataType_t c, cudaDataType_t d, int wanted, int *ids,
                                        int *count)
{
    (void)handle, (void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
    if (wanted <= 0 || !ids || !count)
        return CUBLAS_STATUS_INVALID_VALUE;
    ids[0] = 0;
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute,
                                      cudaDataType_t scale, cudaDataType_t a, cudaDataType_t b,
                                      cudaDataType_t c, cudaDataType_t d, int id,
                                      cublasLtMatmulAlgo_t *algorithm)
{
    const struct lt_algorithm held = {.id = id, .split_k = 1};
    (void)handle, (void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
    if (!algorithm || id < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    return begin(algorithm, sizeof *algorithm, &held, sizeof held);
}

cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t name,
                                                    const void *value, size_t size)
{
    return set(algorithm, algorithm_attributes, "cublasLtMatmulAlgoConfigSetAttribute", name, value,
               size);
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t name,
                                                    void *value, size_t size, size_t *written)
{
    return get(algorithm, algorithm_attributes, name, value, size, written);
}
