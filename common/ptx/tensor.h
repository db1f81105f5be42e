/**
 * @file tensor.h
 * @brief Instructions for tensor cores: fragments from shared memory, and products of them.
 *
 * The lanes of a warp hold a fragment together, each some elements of it. PTX ISA, "Matrix
 * Fragments for mma.m16n8k8", says which; here g is lane / 4 and t is lane % 4.
 */
#ifndef LAB_PTX_TENSOR_H
#define LAB_PTX_TENSOR_H

/**
 * @brief What a tensor core leaves out of a float: x - x in TF32, which is exact.
 *
 * TF32 has 8 bits of exponent as a float has, and 10 of mantissa in place of 23. The tensor cores
 * of the GPUs tried here read a float and ignore its last 13 bits, which PTX does not promise.
 * (cvt.rna.tf32, which it asks for, rounds; it is six instructions on sm_90.)
 * Where x is infinite this is NaN.
 */
__attribute__((unused)) static __device__ __forceinline__ float ptx_rest_of_tf32(float x)
{
    return x - __uint_as_float(__float_as_uint(x) & ~0x1FFFu);
}

/**
 * @brief sum += a b, the product of a 16 x 8 fragment and an 8 x 8 fragment, in TF32.
 *
 * mma.sync, from sm_80 on, by all lanes of a warp. `a` holds (g, t), (g + 8, t), (g, t + 4),
 * (g + 8, t + 4); `b` (t, g), (t + 4, g); `sum` (g, 2 t), (g, 2 t + 1), (g + 8, 2 t),
 * (g + 8, 2 t + 1). Elements of a and b are cut to TF32, their products are exact, sums are cut to
 * about the bits of a float.
 */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_mma_tf32(float (&sum)[4], const float (&a)[4], const float (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                   "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
                   "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/** sum = a b, as ptx_mma_tf32() has them. */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_mma_tf32_alone(float (&sum)[4], const float (&a)[4], const float (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
                 : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                   "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
                   "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])), "f"(0.0f));
}

/**
 * @brief sum += a b in double, the product of a 16 x 8 and an 8 x 8 fragment.
 *
 * mma.sync, from sm_90 on, by all lanes of a warp. `a` holds (g, t), (g + 8, t), (g, t + 4),
 * (g + 8, t + 4); `b` (t, g), (t + 4, g); `sum` as ptx_mma_tf32(). Each product is added as fma()
 * does it, rounded to a double. Volatile: products stay among the copies where they are written.
 */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_mma_f64(double (&sum)[4], const double (&a)[4], const double (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

/**
 * @brief Loads four matrices of 8 rows of 16 bytes from shared memory: of matrix i, lane g * 4 + t
 * receives the four bytes at 4 t of row g, in `to[i]`.
 *
 * ldmatrix, from sm_75 on, by all lanes of a warp. Lane 8 i + r gives the address of row r of
 * matrix i, a multiple of 16.
 */
__attribute__((unused)) static __device__ __forceinline__ void ptx_ldmatrix4(float (&to)[4],
                                                                             unsigned row)
{
    unsigned bits[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(bits[0]), "=r"(bits[1]), "=r"(bits[2]), "=r"(bits[3])
                 : "r"(row)
                 : "memory");
#pragma unroll
    for (int i = 0; i < 4; ++i)
        to[i] = __uint_as_float(bits[i]);
}

#endif
