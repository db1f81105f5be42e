/**
 * @file shared.h
 * @brief Shared memory by its 32-bit address: asynchronous copies to it, and a read into given
 * registers.
 *
 * A pointer has 64 bits. With addresses of 32 bits, accesses a constant distance apart share one
 * register, and the distance is part of the instruction.
 */
#ifndef LAB_PTX_SHARED_H
#define LAB_PTX_SHARED_H

/** The address that instructions for shared memory take. `pointer` points into shared memory. */
__attribute__((unused)) static __device__ __forceinline__ unsigned
ptx_shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

/**
 * @brief Starts an asynchronous copy of 16 bytes from global to shared memory, past registers and
 * L1.
 *
 * cp.async.cg, from sm_80 on. Both addresses are multiples of 16. The thread may read what it
 * copied after __pipeline_commit() and __pipeline_wait_prior(), other threads after a further
 * barrier.
 */
__attribute__((unused)) static __device__ __forceinline__ void ptx_copy16(unsigned to,
                                                                          const float *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/**
 * @brief Starts an asynchronous copy of WIDTH floats, 1 or 4. If is_there is false, it stores as
 * many zeros.
 *
 * cp.async, from sm_80 on. One float goes through L1 (.ca), four go past it (.cg). With FULL
 * is_there is taken as true. Both addresses are multiples of the size, and `from` points into an
 * array even if is_there is false.
 */
template <int WIDTH, bool FULL>
static __device__ __forceinline__ void ptx_copy(unsigned to, const float *from,
                                                bool is_there = true)
{
    const int bytes = is_there ? 4 * WIDTH : 0;
    if (WIDTH == 4 && FULL)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else if (WIDTH == 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(bytes)
                     : "memory");
    else if (FULL)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes)
                     : "memory");
}

/**
 * @brief Starts an asynchronous copy of WIDTH floats, 1 or 4, if is_there is true.
 *
 * Like ptx_copy() with FULL, but one predicated instruction: no branch separates the code before it
 * from the code after it.
 */
template <int WIDTH>
static __device__ __forceinline__ void ptx_copy_if(unsigned to, const float *from, bool is_there)
{
    if (WIDTH == 4)
        asm volatile("{\n\t.reg .pred is_there;\n\tsetp.ne.s32 is_there, %2, 0;\n\t"
                     "@is_there cp.async.cg.shared.global [%0], [%1], 16;\n\t}" ::"r"(to),
                     "l"(from), "r"((int)is_there)
                     : "memory");
    else
        asm volatile("{\n\t.reg .pred is_there;\n\tsetp.ne.s32 is_there, %2, 0;\n\t"
                     "@is_there cp.async.ca.shared.global [%0], [%1], 4;\n\t}" ::"r"(to),
                     "l"(from), "r"((int)is_there)
                     : "memory");
}

/**
 * @brief Reads 4 neighbouring floats from shared memory into these variables, exactly here.
 *
 * ld.volatile: the compiler neither moves the read nor copies the values of an earlier read, which
 * would cost an instruction each. The 4 get neighbouring registers, in this order.
 */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_read4(const float *from, float &first, float &second, float &third, float &fourth)
{
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(first), "=f"(second), "=f"(third), "=f"(fourth)
                 : "r"(ptx_shared_address(from)));
}

#endif
