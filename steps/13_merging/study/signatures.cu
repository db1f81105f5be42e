// The study of step 13: K5, K6 and K7 alone, merged in the three ways of the paper, with 32 to 512
// threads to a block, from registers or through shared memory. They read clones of what they
// overwrite, so that none of them has to wait for another one.
//
// Strategy 1: each thread does one part after the other for its particle. Strategy 2: the warps of
// a block take turns, even ones do one part and odd ones the other, each thread for two particles.
// Strategy 3: likewise, each thread for one particle, and there are twice as many blocks.
#include "families/md.h"

// What a part reads and writes of a particle, a component at a time. Those before it are done.
enum way { REGISTERS, SHARED };

// Through shared memory, as the paper has one form of each kernel: what is read goes there first,
// to a place of the thread's own. Volatile, or the compiler would see that it can do without.
template <enum way WAY>
static __device__ __forceinline__ float fetch(const float *__restrict__ from, volatile float *place)
{
    if (WAY == REGISTERS)
        return *from;
    *place = *from;
    return *place;
}

// The parts that KERNELS names, of component `at`. What two of them read is read once.
template <unsigned KERNELS, enum way WAY, int THREADS>
static __device__ __forceinline__ void update(const struct lab_md &p, size_t at,
                                              volatile float (&place)[4][THREADS])
{
    constexpr bool K5 = KERNELS & LAB_MD_K5, K6 = KERNELS & LAB_MD_K6, K7 = KERNELS & LAB_MD_K7;
    const int t = threadIdx.x;
    float v = 0.0f, old = 0.0f, a = 0.0f;
    if (K5 || K6) {
        v = fetch<WAY>(&p.old_velocity[at], &place[0][t]);
        old = fetch<WAY>(&p.old_acceleration[at], &place[1][t]);
    }
    if (K6 || K7)
        a = fetch<WAY>(&p.force[at], &place[2][t]) / p.mass;
    if (K5)
        p.position[at] =
            fetch<WAY>(&p.position[at], &place[3][t]) + v * p.dt + old * (0.5f * p.dt * p.dt);
    if (K6)
        p.velocity[at] = v + 0.5f * p.dt * (a + old);
    if (K7)
        p.acceleration[at] = a;
}

// A particle's three components.
template <unsigned KERNELS, enum way WAY, int THREADS>
static __device__ __forceinline__ void update_particle(const struct lab_md &p, int i)
{
    __shared__ volatile float place[4][THREADS]; // none where registers do
    if (i < p.n)
        for (size_t at = i; at < 3 * p.row; at += p.row)
            update<KERNELS, WAY, THREADS>(p, at, place);
}

// Strategy 1, and a part on its own.
template <unsigned KERNELS, enum way WAY, int THREADS>
static __global__ __launch_bounds__(THREADS) void in_turn(const struct lab_md p)
{
    update_particle<KERNELS, WAY, THREADS>(p, (int)(blockIdx.x * THREADS + threadIdx.x));
}

// Strategies 2 and 3. A pair of warps, one for each part, has 32 EACH particles.
template <unsigned EVEN, unsigned ODD, enum way WAY, int EACH, int THREADS>
static __global__ __launch_bounds__(THREADS) void by_warps(const struct lab_md p)
{
    const int pair = (int)(blockIdx.x * (THREADS / 64)) + (int)threadIdx.x / 64;
    const bool is_odd = threadIdx.x / 32 % 2; // the same for all lanes of a warp
    for (int e = 0; e < EACH; ++e) {
        const int i = (pair * EACH + e) * 32 + (int)threadIdx.x % 32;
        if (is_odd)
            update_particle<ODD, WAY, THREADS>(p, i);
        else
            update_particle<EVEN, WAY, THREADS>(p, i);
    }
}

template <unsigned KERNELS, enum way WAY, int THREADS>
static cudaError_t launch_in_turn(const struct lab_md *p, cudaStream_t stream)
{
    in_turn<KERNELS, WAY, THREADS><<<(p->n - 1) / THREADS + 1, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

template <unsigned EVEN, unsigned ODD, enum way WAY, int EACH, int THREADS>
static cudaError_t launch_by_warps(const struct lab_md *p, cudaStream_t stream)
{
    constexpr int PARTICLES = THREADS / 2 * EACH; // of a block
    by_warps<EVEN, ODD, WAY, EACH, THREADS><<<(p->n - 1) / PARTICLES + 1, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

// A launch for each part, as the program has them before they are merged.
template <unsigned FIRST, unsigned SECOND, unsigned THIRD, int THREADS>
static cudaError_t launch_apart(const struct lab_md *p, cudaStream_t stream)
{
    launch_in_turn<FIRST, REGISTERS, THREADS>(p, stream);
    cudaError_t status = launch_in_turn<SECOND, REGISTERS, THREADS>(p, stream);
    if (THIRD)
        status = launch_in_turn<THIRD, REGISTERS, THREADS>(p, stream);
    return status;
}

// Rows of one number of threads. A pair of warps is the least that two parts can share out.
#define K5 LAB_MD_K5
#define K6 LAB_MD_K6
#define K7 LAB_MD_K7
#define ALONE(name, kernels, threads)                                                              \
    {#name "_global_" #threads, launch_in_turn<(kernels), REGISTERS, threads>, NULL, (kernels)},   \
    {                                                                                              \
#name "_shared_" #threads, launch_in_turn < (kernels), SHARED, threads>, NULL, (kernels)   \
    }
#define BY_WARPS(name, even, odd, threads)                                                         \
    {#name "_2_global_" #threads, launch_by_warps<even, odd, REGISTERS, 2, threads>, NULL,         \
     even | odd},                                                                                  \
        {#name "_2_shared_" #threads, launch_by_warps<even, odd, SHARED, 2, threads>, NULL,        \
         even | odd},                                                                              \
        {#name "_3_global_" #threads, launch_by_warps<even, odd, REGISTERS, 1, threads>, NULL,     \
         even | odd},                                                                              \
    {                                                                                              \
#name "_3_shared_" #threads, launch_by_warps < even, odd, SHARED, 1, threads>, NULL,       \
            even | odd                                                                             \
    }
#define IN_TURN(threads)                                                                           \
    ALONE(k5, K5, threads), ALONE(k6, K6, threads), ALONE(k7, K7, threads),                        \
        ALONE(k56_1, K5 | K6, threads), ALONE(k67_1, K6 | K7, threads),                            \
        ALONE(k567_1, K5 | K6 | K7, threads),                                                      \
        {"k56_apart_" #threads, launch_apart<K5, K6, 0, threads>, NULL, K5 | K6},                  \
        {"k67_apart_" #threads, launch_apart<K6, K7, 0, threads>, NULL, K6 | K7},                  \
    {                                                                                              \
        "k567_apart_" #threads, launch_apart<K5, K6, K7, threads>, NULL, K5 | K6 | K7              \
    }
#define TWO_WAYS(threads) BY_WARPS(k56, K5, K6, threads), BY_WARPS(k67, K6, K7, threads)

LAB_EXPORT(md, IN_TURN(32), IN_TURN(64), IN_TURN(128), IN_TURN(256), IN_TURN(512), TWO_WAYS(64),
           TWO_WAYS(128), TWO_WAYS(256), TWO_WAYS(512));
