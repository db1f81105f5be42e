/* The two kernels that timing needs. One empties the L2 cache by reading. The other holds the
 * device back until the host has enqueued all that is timed. */
#include "measure/timing/event_timer.h"

enum { BLOCK = 512, GRID = 1024 };

/* Reads rather than writes, so that no dirty lines are left for a timed kernel to write back. The
 * store of `sum` never happens, but without it the compiler would remove the loads. */
static __global__ void read_all(const int4 *words, size_t count, int *never)
{
    int sum = 0;
    for (size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x; i < count; i += (size_t)GRID * BLOCK)
        sum |= words[i].x | words[i].y | words[i].z | words[i].w;
    if (sum) /* all words are 0 */
        *never = sum;
}

static __device__ unsigned long long nanoseconds(void)
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __global__ void wait_for(const volatile int *go, unsigned long long limit)
{
    const unsigned long long start = nanoseconds();
    while (!*go && nanoseconds() - start < limit) {
    }
}

cudaError_t lab_enqueue_read(const void *zeros, size_t bytes, cudaStream_t stream)
{
    const int4 *words = (const int4 *)zeros;
    read_all<<<GRID, BLOCK, 0, stream>>>(words, bytes / sizeof *words, (int *)zeros);
    return cudaGetLastError();
}

cudaError_t lab_enqueue_wait(const int *go, double limit_ms, cudaStream_t stream)
{
    wait_for<<<1, 1, 0, stream>>>(go, (unsigned long long)(1e6 * limit_ms));
    return cudaGetLastError();
}
