// The study of step 13: its kernels alone, K5 to K7 merged in the three ways of the paper, and K2
// and K3, K7 and K1 at the same time, with 32 to 512 threads to a block, from global memory or
// through shared memory. They read clones of what others write, so that none has to wait. And the
// paper's whole programs, which are made of them.
//
// Strategy 1: each thread does one part after the other for its particle. Strategy 2: the warps of
// a block take turns, even ones do one part and odd ones the other, each thread for two particles.
// Strategy 3: likewise, each thread for one particle, and there are twice as many blocks.
#include "families/md.h"
#include "ptx/reciprocal.h"

// Where a value is between two parts that read it: in a register; in shared memory, where each part
// reads it; or where it was, and each part loads it. Of sums: which memory holds them.
enum way { GLOBAL, SHARED, ANEW };

// The value for the first part that reads it. Volatile, or the compiler would see that a register
// does as well: only this thread reads its place.
template <enum way WAY>
static __device__ __forceinline__ float load(const float *from, volatile float *place)
{
    const float value = *from;
    if (WAY == SHARED)
        *place = value;
    return value;
}

// The value for a part. A store of the part before may have changed `from`, for all that the
// compiler knows.
template <enum way WAY>
static __device__ __forceinline__ float read(float loaded, const float *from, volatile float *place)
{
    return WAY == SHARED ? *place : WAY == ANEW ? *from : loaded;
}

// The parts that KERNELS names, of component `at`, one after the other.
template <unsigned KERNELS, enum way WAY, int THREADS>
static __device__ __forceinline__ void update(const struct lab_md &p, size_t at,
                                              volatile float (&place)[3][THREADS])
{
    constexpr bool K5 = KERNELS & LAB_MD_K5, K6 = KERNELS & LAB_MD_K6, K7 = KERNELS & LAB_MD_K7;
    constexpr enum way V = K5 && K6 ? WAY : GLOBAL, F = K6 && K7 ? WAY : GLOBAL; // of two parts
    const float *const v = &p.old_velocity[at], *const a = &p.old_acceleration[at],
                       *const f = &p.force[at];
    volatile float *const at_v = &place[0][threadIdx.x], *const at_a = &place[1][threadIdx.x],
                          *const at_f = &place[2][threadIdx.x];
    const float loaded_v = K5 || K6 ? load<V>(v, at_v) : 0.0f;
    const float loaded_a = K5 || K6 ? load<V>(a, at_a) : 0.0f;
    const float loaded_f = K6 || K7 ? load<F>(f, at_f) : 0.0f;
    if (K5)
        p.position[at] +=
            read<V>(loaded_v, v, at_v) * p.dt + read<V>(loaded_a, a, at_a) * (0.5f * p.dt * p.dt);
    if (K6)
        p.velocity[at] =
            read<V>(loaded_v, v, at_v) +
            0.5f * p.dt * (read<F>(loaded_f, f, at_f) / p.mass + read<V>(loaded_a, a, at_a));
    if (K7)
        p.acceleration[at] = read<F>(loaded_f, f, at_f) / p.mass;
}

// A particle's three components.
template <unsigned KERNELS, enum way WAY, int THREADS>
static __device__ __forceinline__ void update_particle(const struct lab_md &p, int i)
{
    __shared__ volatile float place[3][THREADS]; // none where registers do
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
template <unsigned EVEN, unsigned ODD, int EACH, int THREADS>
static __global__ __launch_bounds__(THREADS) void by_warps(const struct lab_md p)
{
    const int pair = (int)(blockIdx.x * (THREADS / 64)) + (int)threadIdx.x / 64;
    const bool is_odd = threadIdx.x / 32 % 2; // the same for all lanes of a warp
    for (int e = 0; e < EACH; ++e) {
        const int i = (pair * EACH + e) * 32 + (int)threadIdx.x % 32;
        if (is_odd)
            update_particle<ODD, GLOBAL, THREADS>(p, i);
        else
            update_particle<EVEN, GLOBAL, THREADS>(p, i);
    }
}

// A part of a particle, which is the k-th of its block. K5 and K6 find v and a in shared memory; if
// K6 goes with K7, they find f there.
template <unsigned KERNEL, int VALUES, int PARTICLES>
static __device__ __forceinline__ void update_from(const float (&shared)[VALUES][3][PARTICLES],
                                                   const struct lab_md &p, int k, size_t at)
{
    for (int axis = 0; axis < 3; ++axis, at += p.row) {
        const float one = shared[0][axis][k], a = VALUES == 2 ? shared[VALUES - 1][axis][k] : 0.0f;
        if (KERNEL == LAB_MD_K5)
            p.position[at] += one * p.dt + a * (0.5f * p.dt * p.dt);
        else if (KERNEL == LAB_MD_K7)
            p.acceleration[at] = one / p.mass;
        else if (VALUES == 2)
            p.velocity[at] = one + 0.5f * p.dt * (p.force[at] / p.mass + a);
        else
            p.velocity[at] =
                p.old_velocity[at] + 0.5f * p.dt * (one / p.mass + p.old_acceleration[at]);
    }
}

// The same, and what both parts read is loaded once: v by the even and a by the odd warp of a pair
// for K5 and K6, f by the even warp for K6 and K7. STRIDED: a thread's two particles are
// neighbours, so lanes read every second word.
template <unsigned EVEN, unsigned ODD, int EACH, bool STRIDED, int THREADS>
static __global__ __launch_bounds__(THREADS) void by_warps_shared(const struct lab_md p)
{
    constexpr int VALUES = EVEN == LAB_MD_K5 ? 2 : 1, PARTICLES = THREADS / 2 * EACH;
    __shared__ float shared[VALUES][3][PARTICLES];
    const int lane = (int)threadIdx.x % 32, of_pair = (int)threadIdx.x / 64 * 32 * EACH;
    const int first = (int)blockIdx.x * PARTICLES;
    const bool is_odd = threadIdx.x / 32 % 2; // the same for all lanes of a warp
    const float *const from = VALUES == 1 ? p.force : is_odd ? p.old_acceleration : p.old_velocity;
    for (int e = 0; e < EACH; ++e) {
        const int k = of_pair + 32 * e + lane;
        size_t at = first + k;
        if (first + k < p.n && (VALUES == 2 || !is_odd))
            for (int axis = 0; axis < 3; ++axis, at += p.row)
                shared[VALUES == 2 && is_odd][axis][k] = from[at];
    }
    __syncthreads(); // each part reads what both warps have loaded
    for (int e = 0; e < EACH; ++e) {
        const int k = of_pair + (STRIDED ? EACH * lane + e : 32 * e + lane);
        if (first + k < p.n && is_odd)
            update_from<ODD, VALUES, PARTICLES>(shared, p, k, first + k);
        else if (first + k < p.n)
            update_from<EVEN, VALUES, PARTICLES>(shared, p, k, first + k);
    }
}

// Of a pair whose distance has this square: its force by the distance, and its potential, as stage
// 13.1 has them; 0 of one that does not count.
template <enum lab_md_law LAW>
static __device__ __forceinline__ float2 interact(float r2, bool counts)
{
    if (LAW == LAB_MD_SINE) {
        const float one_by_r = counts ? rsqrtf(r2) : 0.0f;
        float sine, cosine;
        __sincosf(counts ? fminf(r2 * one_by_r, 1.5707964f) : 0.0f, &sine, &cosine);
        return make_float2(-2.0f * sine * cosine * one_by_r, sine * sine);
    }
    const float one_by_r2 = counts ? ptx_reciprocal(r2) : 0.0f;
    const float r6 = one_by_r2 * one_by_r2 * one_by_r2;
    return make_float2((48.0f * r6 - 24.0f) * r6 * one_by_r2, (4.0f * r6 - 4.0f) * r6);
}

// K1, all from global memory, in open space or to the nearest image. The code does not depend on
// the number of threads.
template <enum lab_md_law LAW, bool PERIODIC>
static __global__ __launch_bounds__(512) void forces(const struct lab_md p, float one_by_box,
                                                     float cutoff_squared)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= p.n)
        return;
    float own[3], force[3] = {0.0f, 0.0f, 0.0f}, potential = 0.0f;
    for (int axis = 0; axis < 3; ++axis)
        own[axis] = p.position[axis * p.row + i];
    for (int j = 0; j < p.n; ++j) {
        float apart[3], r2 = 0.0f;
        for (int axis = 0; axis < 3; ++axis) {
            apart[axis] = own[axis] - p.position[axis * p.row + j];
            if (PERIODIC)
                apart[axis] -= p.box * rintf(apart[axis] * one_by_box);
            r2 += apart[axis] * apart[axis];
        }
        const float2 pair = interact<LAW>(r2, r2 > 0.0f && r2 < cutoff_squared);
        for (int axis = 0; axis < 3; ++axis)
            force[axis] += pair.x * apart[axis];
        potential += pair.y;
    }
    for (int axis = 0; axis < 3; ++axis)
        p.force[axis * p.row + i] = force[axis];
    p.potential[i] = 0.5f * potential; // the other half is that of the other particle
}

// The sum of a block, for its first thread: by halves, which are in shared memory, or where the
// block has its part of global memory.
template <enum way WAY, int THREADS>
static __device__ double sum_of_block(double own, double *global)
{
    __shared__ double shared[THREADS];
    double *const sums = WAY == SHARED ? shared : global;
    const int t = threadIdx.x;
    sums[t] = own;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads(); // all of what this half adds is there
        if (t < half)
            sums[t] += sums[t + half];
    }
    const double sum = sums[t]; // all of it, of the first thread
    __syncthreads();            // others have read theirs: the next call may overwrite them
    return sum;
}

// K2 and K3: a sum of each block. Threads beyond the last particle add 0: the barriers wait for
// all.
template <unsigned KERNEL, enum way WAY, int THREADS>
static __global__ __launch_bounds__(THREADS) void sum_energies(const struct lab_md p)
{
    const int first = (int)blockIdx.x * THREADS, i = first + (int)threadIdx.x;
    double own = 0.0;
    if (i < p.n && KERNEL == LAB_MD_K2)
        own = p.potential[i];
    else if (i < p.n) {
        const double x = p.velocity[i], y = p.velocity[p.row + i], z = p.velocity[2 * p.row + i];
        own = 0.5 * p.mass * (x * x + y * y + z * z);
    }
    const double sum = sum_of_block<WAY, THREADS>(own, (double *)p.workspace + first);
    if (threadIdx.x == 0)
        p.sums[(KERNEL == LAB_MD_K2 ? 0 : p.sum_count) + blockIdx.x] = sum;
}

// K4: one block adds all sums of each kind.
template <enum way WAY, int THREADS>
static __global__ __launch_bounds__(THREADS) void add_sums(const struct lab_md p)
{
    for (int kind = 0; kind < 2; ++kind) {
        double own = 0.0;
        for (int k = (int)threadIdx.x; k < p.sum_count; k += THREADS)
            own += p.sums[kind * p.sum_count + k];
        const double sum = sum_of_block<WAY, THREADS>(own, (double *)p.workspace);
        if (threadIdx.x == 0)
            p.energies[kind] = sum;
    }
}

template <int THREADS> static cudaError_t launch_forces(const struct lab_md *p, cudaStream_t stream)
{
    if (!(p->kernels & LAB_MD_K1))
        return cudaSuccess; // forces are given
    const bool sine = p->law == LAB_MD_SINE, periodic = p->box > 0.0f;
    const auto kernel = sine ? periodic ? forces<LAB_MD_SINE, true> : forces<LAB_MD_SINE, false>
                        : periodic ? forces<LAB_MD_LENNARD_JONES, true>
                                   : forces<LAB_MD_LENNARD_JONES, false>;
    const float far = p->cutoff > 0.0f ? p->cutoff * p->cutoff : __builtin_inff();
    kernel<<<(p->n - 1) / THREADS + 1, THREADS, 0, stream>>>(*p, 1.0f / p->box, far);
    return cudaGetLastError();
}

template <unsigned KERNEL, enum way WAY, int THREADS>
static cudaError_t launch_sums(const struct lab_md *p, cudaStream_t stream)
{
    if constexpr (KERNEL == LAB_MD_K4)
        add_sums<WAY, THREADS><<<1, THREADS, 0, stream>>>(*p);
    else
        sum_energies<KERNEL, WAY, THREADS><<<(p->n - 1) / THREADS + 1, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

// Of sums in global memory: a place for each thread of all blocks.
static size_t places(const struct lab_md *p)
{
    return ((size_t)p->n + 511) / 512 * 512 * sizeof(double);
}

template <unsigned KERNELS, enum way WAY, int THREADS>
static cudaError_t launch_in_turn(const struct lab_md *p, cudaStream_t stream)
{
    in_turn<KERNELS, WAY, THREADS><<<(p->n - 1) / THREADS + 1, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

template <unsigned EVEN, unsigned ODD, enum way WAY, int EACH, bool STRIDED, int THREADS>
static cudaError_t launch_by_warps(const struct lab_md *p, cudaStream_t stream)
{
    constexpr auto kernel = WAY == SHARED ? by_warps_shared<EVEN, ODD, EACH, STRIDED, THREADS>
                                          : by_warps<EVEN, ODD, EACH, THREADS>;
    constexpr int PARTICLES = THREADS / 2 * EACH; // of a block
    kernel<<<(p->n - 1) / PARTICLES + 1, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

// A launch for each part, as the program has them before they are merged.
template <unsigned FIRST, unsigned SECOND, unsigned THIRD, int THREADS>
static cudaError_t launch_apart(const struct lab_md *p, cudaStream_t stream)
{
    launch_in_turn<FIRST, GLOBAL, THREADS>(p, stream);
    cudaError_t status = launch_in_turn<SECOND, GLOBAL, THREADS>(p, stream);
    if (THIRD)
        status = launch_in_turn<THIRD, GLOBAL, THREADS>(p, stream);
    return status;
}

// K7 of a step and K1 of the next. K5 has moved the particles, so K1 may read positions; it writes
// the force anew, and K7 is of the force before, which it reads in a clone: neither waits.
template <int THREADS> static cudaError_t launch_k7(const struct lab_md *p, cudaStream_t stream)
{
    struct lab_md last_step = *p;
    last_step.force = (float *)p->old_force; // K7 only reads it
    return launch_in_turn<LAB_MD_K7, GLOBAL, THREADS>(&last_step, stream);
}

// Two launches, in streams of their own where they run at the same time: the second one may begin
// when what was before is done, and what comes next waits for both.
typedef cudaError_t launch_fn(const struct lab_md *p, cudaStream_t stream);
template <launch_fn *FIRST, launch_fn *SECOND, bool TOGETHER>
static cudaError_t launch_two(const struct lab_md *p, cudaStream_t stream)
{
    const cudaStream_t other = TOGETHER ? p->streams[0] : stream;
    cudaEventRecord(p->events[0], stream);
    cudaStreamWaitEvent(other, p->events[0], 0);
    FIRST(p, stream);
    const cudaError_t status = SECOND(p, other);
    cudaEventRecord(p->events[1], other);
    cudaStreamWaitEvent(stream, p->events[1], 0);
    return status;
}

// Whole programs, composed as in the paper: threads and memory are those that are best for each
// kernel on its GTX 480. K2 and K3 are one after the other or side by side.
enum updates { K5_K6_K7, K567, K56_K7_BESIDE_K1 };
constexpr int THREADS_OF_ALL = 128, THREADS_OF_K4 = 256;

static int blocks_of_sums(const struct lab_md *p)
{
    return (p->n - 1) / THREADS_OF_ALL + 1;
}

// A second array of forces, and two sums for each block.
static size_t program_workspace(const struct lab_md *p)
{
    return 3 * p->row * sizeof(float) + 2 * blocks_of_sums(p) * sizeof(double);
}

// Positions, velocities and accelerations are updated in place. Where K7 runs beside the next K1,
// steps write the forces to two arrays in turn, the last step to that of the problem.
template <bool K23_BESIDE, enum updates UPDATES>
static cudaError_t launch_program(const struct lab_md *p, cudaStream_t stream)
{
    constexpr int T = THREADS_OF_ALL;
    constexpr bool K7_BESIDE = UPDATES == K56_K7_BESIDE_K1;
    struct lab_md now = *p;
    float *const second = (float *)p->workspace;
    now.sums = (double *)(second + 3 * p->row);
    now.sum_count = blocks_of_sums(p);
    now.old_velocity = p->velocity;
    now.old_acceleration = p->acceleration;
    for (int step = 0; step < p->steps; ++step) {
        now.old_force = now.force; // of the step before
        if (K7_BESIDE && p->kernels & LAB_MD_K1)
            now.force = (p->steps - step) % 2 ? p->force : second;
        now.energies = p->energies + 2 * step;
        if (K7_BESIDE && step > 0)
            launch_two<launch_k7<T>, launch_forces<T>, true>(&now, stream);
        else
            launch_forces<T>(&now, stream);
        launch_two<launch_sums<LAB_MD_K2, SHARED, T>, launch_sums<LAB_MD_K3, SHARED, T>,
                   K23_BESIDE>(&now, stream);
        launch_sums<LAB_MD_K4, SHARED, THREADS_OF_K4>(&now, stream);
        if (UPDATES == K5_K6_K7)
            launch_apart<LAB_MD_K5, LAB_MD_K6, LAB_MD_K7, T>(&now, stream);
        else if (UPDATES == K567)
            launch_in_turn<LAB_MD_K5 | LAB_MD_K6 | LAB_MD_K7, SHARED, T>(&now, stream);
        else
            launch_in_turn<LAB_MD_K5 | LAB_MD_K6, GLOBAL, T>(&now, stream);
    }
    if (K7_BESIDE)
        launch_in_turn<LAB_MD_K7, GLOBAL, T>(&now, stream);
    return cudaGetLastError();
}

// Rows of one number of threads. A pair of warps is the least that two parts can share out.
#define K5 LAB_MD_K5
#define K6 LAB_MD_K6
#define K7 LAB_MD_K7
#define K1 LAB_MD_K1
#define K2 LAB_MD_K2
#define K3 LAB_MD_K3
#define K4 LAB_MD_K4
#define SUMS(name, kernel, threads)                                                                \
    {#name "_global_" #threads, launch_sums<kernel, GLOBAL, threads>, places, kernel},             \
    {                                                                                              \
#name "_shared_" #threads, launch_sums < kernel, SHARED, threads>, NULL, kernel            \
    }
#define TWO(name, kernels, threads, ...)                                                           \
    {#name "_apart_" #threads, launch_two<__VA_ARGS__, false>, NULL, kernels},                     \
    {                                                                                              \
#name "_beside_" #threads, launch_two < __VA_ARGS__, true>, NULL, kernels                  \
    }
#define ALONE(name, kernels, threads)                                                              \
    {                                                                                              \
#name "_global_" #threads, launch_in_turn < (kernels), GLOBAL, threads>, NULL, (kernels)   \
    }
#define MERGED(name, kernels, threads)                                                             \
    ALONE(name, kernels, threads),                                                                 \
        {#name "_shared_" #threads, launch_in_turn<(kernels), SHARED, threads>, NULL, (kernels)},  \
    {                                                                                              \
#name "_anew_" #threads, launch_in_turn < (kernels), ANEW, threads>, NULL, (kernels)       \
    }
#define BY_WARPS(name, even, odd, way, each, strided, threads)                                     \
    {                                                                                              \
        name "_" #threads, launch_by_warps<even, odd, way, each, strided, threads>, NULL,          \
            even | odd                                                                             \
    }
#define STRATEGIES(name, even, odd, threads)                                                       \
    BY_WARPS(#name "_2_global", even, odd, GLOBAL, 2, false, threads),                             \
        BY_WARPS(#name "_2_shared", even, odd, SHARED, 2, false, threads),                         \
        BY_WARPS(#name "_2_strided", even, odd, SHARED, 2, true, threads),                         \
        BY_WARPS(#name "_3_global", even, odd, GLOBAL, 1, false, threads),                         \
        BY_WARPS(#name "_3_shared", even, odd, SHARED, 1, false, threads)
#define IN_TURN(threads)                                                                           \
    {"k1_global_" #threads, launch_forces<threads>, NULL, K1}, SUMS(k2, K2, threads),              \
        SUMS(k3, K3, threads), SUMS(k4, K4, threads),                                              \
        TWO(k23, K2 | K3, threads, launch_sums<K2, SHARED, threads>,                               \
            launch_sums<K3, SHARED, threads>),                                                     \
        TWO(k71, K7 | K1, threads, launch_k7<threads>, launch_forces<threads>),                    \
        ALONE(k5, K5, threads), ALONE(k6, K6, threads), ALONE(k7, K7, threads),                    \
        MERGED(k56_1, K5 | K6, threads), MERGED(k67_1, K6 | K7, threads),                          \
        MERGED(k567_1, K5 | K6 | K7, threads),                                                     \
        {"k56_apart_" #threads, launch_apart<K5, K6, 0, threads>, NULL, K5 | K6},                  \
        {"k67_apart_" #threads, launch_apart<K6, K7, 0, threads>, NULL, K6 | K7},                  \
    {                                                                                              \
        "k567_apart_" #threads, launch_apart<K5, K6, K7, threads>, NULL, K5 | K6 | K7              \
    }
#define TWO_WAYS(threads) STRATEGIES(k56, K5, K6, threads), STRATEGIES(k67, K6, K7, threads)

#define PROGRAM(name, beside, updates)                                                             \
    {                                                                                              \
        "program_" name, launch_program<beside, updates>, program_workspace, LAB_REPEATABLE        \
    }
#define PROGRAMS                                                                                   \
    PROGRAM("separate", false, K5_K6_K7), PROGRAM("k567", false, K567),                            \
        PROGRAM("k23", true, K5_K6_K7), PROGRAM("k23_k567", true, K567),                           \
        PROGRAM("k23_k56_k7_beside_k1", true, K56_K7_BESIDE_K1)

LAB_EXPORT(md, PROGRAMS, IN_TURN(32), IN_TURN(64), IN_TURN(128), IN_TURN(256), IN_TURN(512),
           TWO_WAYS(64), TWO_WAYS(128), TWO_WAYS(256), TWO_WAYS(512));
