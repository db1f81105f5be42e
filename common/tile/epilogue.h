/**
 * @file epilogue.h
 * @brief The epilogue of a product, C = alpha * sum + beta * C: of one element, as step 01 writes
 * it, and of neighbours in a row that are stored together, 16 bytes, as stage 07.2 does.
 */
#ifndef LAB_TILE_EPILOGUE_H
#define LAB_TILE_EPILOGUE_H

/** Writes alpha * sum + beta * C. When beta is 0, C may hold anything, NaN too: it is not read. */
template <class T> static __device__ __forceinline__ void tile_store(T *c, T sum, T alpha, T beta)
{
    *c = beta == (T)0 ? alpha * sum : alpha * sum + beta * *c;
}

/**
 * @brief Writes four neighbours in a row of C, of which `count` exist.
 *
 * ALIGNED says that every row of C begins on 16 bytes and is a multiple of 4 long: all four exist
 * or none, and they are one store.
 */
template <bool ALIGNED>
static __device__ __forceinline__ void tile_store4(float *__restrict__ c, int count,
                                                   const float *sum, float alpha, float beta)
{
    if (!ALIGNED) { // a row may begin anywhere, and end within the four
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if (i < count)
                tile_store(&c[i], sum[i], alpha, beta);
    } else if (count > 0) {
        float4 value = beta == 0.0f ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : *(const float4 *)c;
        tile_store(&value.x, sum[0], alpha, beta);
        tile_store(&value.y, sum[1], alpha, beta);
        tile_store(&value.z, sum[2], alpha, beta);
        tile_store(&value.w, sum[3], alpha, beta);
        *(float4 *)c = value;
    }
}

/** Writes two neighbours in a row of C, of which `count` exist; see tile_store4(). */
template <bool ALIGNED>
static __device__ __forceinline__ void tile_store2(double *__restrict__ c, int count,
                                                   const double *sum, double alpha, double beta)
{
    if (!ALIGNED) {
#pragma unroll
        for (int i = 0; i < 2; ++i)
            if (i < count)
                tile_store(&c[i], sum[i], alpha, beta);
    } else if (count > 0) {
        double2 value = beta == 0.0 ? make_double2(0.0, 0.0) : *(const double2 *)c;
        tile_store(&value.x, sum[0], alpha, beta);
        tile_store(&value.y, sum[1], alpha, beta);
        *(double2 *)c = value;
    }
}

#endif
