/* Every kind of work that the simulator does in vectors: test_levels.c compares the bits and the
 * counters that this prints, for each vector level, when it is called with an argument. */
#include "../../lab_sim.h"

#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <dlfcn.h>

enum { THREADS = 256, BLOCKS = 3, VALUES = 24 };

/* From 2^-8 to 2^8, of both signs, neighbours alike. */
__device__ float value_of(unsigned i, unsigned salt)
{
    const unsigned bits = (i / 2 + 1) * 2654435761u ^ salt * 2246822519u;
    return __uint_as_float((bits & 0x807fffffu) | (119u + (bits >> 8) % 16u) << 23);
}

/* Products and sums by themselves, which must not become one rounding. */
__device__ float mixed(float a, float b, float c)
{
    const float product = __fmul_rn(a, b), sum = __fadd_rn(product, c);
    const float quotient = __fdiv_rn(sum, 3.0f + fabsf(c)), root = __fsqrt_rn(fabsf(sum));
    return __fadd_rn(fmaf(a, b, quotient), fmaxf(root, __frcp_rn(1.0f + fabsf(a))));
}

__device__ unsigned low(double value)
{
    return (unsigned)__double2loint(value) ^ (unsigned)__double2hiint(value);
}

__global__ void work(const float *a, const float *b, unsigned *out, unsigned *sums, char *bytes)
{
    __shared__ float tile[16][17];
    __shared__ float4 wide[THREADS];
    const unsigned i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32;
    const float x = a[i], y = b[i], z = b[i / 7];
    unsigned *const own = out + i * VALUES;
    own[0] = __float_as_uint(mixed(x, y, z));
    own[1] = __float_as_uint(exp2f(x) + sinf(y) + __expf(z) + rsqrtf(fabsf(x) + 1.0f));
    own[2] = low(fma((double)x, (double)y, (double)z) / (1.0 + (double)fabsf(y)));
    own[3] = low(__dadd_rn(__dmul_rn(x, y), sqrt(fabs((double)z))));
    const __half2 h =
        __hfma2(__floats2half2_rn(x, y), __float2half2_rn(0.37f), __float2half2_rn(z));
    memcpy(&own[4], &h, 4);
    own[5] = (unsigned)__float2int_rz(x) ^ __float2uint_rn(fabsf(y));
    own[6] = (unsigned)__double2ll_rn((double)z) ^ __float_as_uint((float)(long long)own[0]);
    own[7] = own[0] / (own[1] | 1u) + own[2] % (own[3] | 3u);
    own[8] = __umulhi(own[0], own[1]) + (unsigned)((int)own[2] >> (own[3] & 31));
    own[9] = (unsigned)__popc(own[0]) + (unsigned)__clz((int)own[1]) + __brev(own[2]);
    own[10] = __byte_perm(own[0], own[1], 0x5140) ^ __funnelshift_l(own[2], own[3], own[4]);
    own[11] = (unsigned)((unsigned long long)own[0] * own[1] / (own[2] | 1u));
    own[12] = x < y ? own[0] : (unsigned)(x >= z) + (unsigned)isnan(x - y);

    /* shared memory: in rows and columns, and 16 bytes at once */
    tile[threadIdx.x / 16][threadIdx.x % 16] = x;
    wide[threadIdx.x] = make_float4(x, y, z, x + y);
    __syncthreads();
    own[13] = __float_as_uint(tile[threadIdx.x % 16][threadIdx.x / 16]);
    const float4 other = wide[threadIdx.x ^ 5], own_too = wide[threadIdx.x];
    own[14] = __float_as_uint(other.x + other.y * other.z - other.w);
    own[14] ^= __float_as_uint(own_too.w - own_too.x * own_too.y / own_too.z);

    /* lanes together, and apart */
    own[15] = __shfl_xor_sync(~0u, own[0], 3) + __ballot_sync(~0u, x < 0.0f);
    own[16] = 0;
    for (unsigned turn = 0; turn < lane % 5; turn++)
        own[16] += own[turn] >> turn;
    if (lane % 3 == 1)
        own[17] = __float_as_uint(mixed(z, x, y));
    else
        own[17] = low((double)x * (double)z) + lane;

    /* narrow, wide and scattered accesses, in local memory too */
    float kept[8];
    for (unsigned k = 0; k < 8; k++)
        kept[(k + lane) % 8] = x * (float)k;
    own[18] = __float_as_uint(kept[own[0] % 8]);
    bytes[i] = (char)own[0];
    ((short *)(bytes + THREADS * BLOCKS))[i] = (short)own[1];
    own[19] = (unsigned)(bytes[i] + ((short *)(bytes + THREADS * BLOCKS))[i]);
    own[20] = __float_as_uint(a[(i * 37) % (THREADS * BLOCKS)]);
    *(unsigned long long *)(own + 22) = (unsigned long long)own[0] << 32 | own[1];
    own[21] = (unsigned)(own - out) + (lane < 20 ? __float_as_uint(b[i ^ 1]) : 0u);
    atomicAdd(&sums[lane % 4], own[0] & 0xffffu);
    atomicMax(&sums[4], own[1]);
    atomicXor(&sums[5 + blockIdx.x], own[2]);
}

__global__ void fill(float *a, float *b)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    a[i] = value_of(i, 1);
    b[i] = value_of(i, 2);
}

int main(int count, char **)
{
    enum { WORDS = BLOCKS * THREADS * VALUES, SUMS = 8 };
    static unsigned out[WORDS + SUMS];
    __typeof__(lab_sim_set_counting) *set_counting;
    __typeof__(lab_sim_counters) *get_counters;
    *(void **)&set_counting = dlsym(RTLD_DEFAULT, "lab_sim_set_counting");
    *(void **)&get_counters = dlsym(RTLD_DEFAULT, "lab_sim_counters");
    float *a, *b;
    unsigned *device_out;
    char *bytes;
    cudaMalloc(&a, BLOCKS * THREADS * sizeof *a);
    cudaMalloc(&b, BLOCKS * THREADS * sizeof *b);
    cudaMalloc(&device_out, sizeof out);
    cudaMalloc(&bytes, BLOCKS * THREADS * 3);
    cudaMemset(device_out, 0, sizeof out);
    if (set_counting)
        set_counting(1);
    fill<<<BLOCKS, THREADS>>>(a, b);
    work<<<BLOCKS, THREADS>>>(a, b, device_out, device_out + WORDS, bytes);
    cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess || out[WORDS + 4] == 0)
        return 1;
    if (count < 2 || !get_counters)
        return 0;
    const lab_sim_counter *counters = NULL;
    const int counter_count = get_counters(&counters);
    for (int i = 0; i < counter_count; i++)
        printf("%s %.17g\n", counters[i].name, counters[i].value);
    for (unsigned i = 0; i < WORDS + SUMS; i++)
        printf("%u of %u: %08x\n", i % VALUES, i / VALUES, out[i]);
    Dl_info library;
    if (dladdr((void *)get_counters, &library))
        fprintf(stderr, "%s\n", library.dli_fname);
    return 0;
}
