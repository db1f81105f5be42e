/* Products of a warpgroup by wgmma, of every type, against sums on the host: small integers, whose
 * products and sums are exact. Matrices lie in shared memory in each swizzle and each order that
 * the PTX manual knows, or A in registers. Two instructions follow each other along k. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <vector>

const int M = 64, STEP_BYTES = 32, STEPS = 2, K_BYTES = STEPS * STEP_BYTES, THREADS = 128;
const int MOST_N = 256, A_BYTES = 8192, B_BYTES = 32768;

static int failures;

static void stop_on(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

// ---- The instructions ----

// Registers of D, and the numbers of the operands behind them.
#define REGS2(i)   "+r"(d[i]), "+r"(d[i + 1])
#define REGS4(i)   REGS2(i), REGS2(i + 2)
#define REGS8(i)   REGS4(i), REGS4(i + 4)
#define REGS32(i)  REGS8(i), REGS8(i + 8), REGS8(i + 16), REGS8(i + 24)
#define REGS128(i) REGS32(i), REGS32(i + 32), REGS32(i + 64), REGS32(i + 96)
#define TEN(t)                                                                                     \
    "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t         \
    "8, %" #t "9, "
#define LIST2  "%0, %1"
#define LIST4  LIST2 ", %2, %3"
#define LIST8  LIST4 ", %4, %5, %6, %7"
#define LIST30 LIST8 ", %8, %9, " TEN(1) TEN(2)
#define LIST32 LIST30 "%30, %31"
#define LIST128                                                                                    \
    LIST30 TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11) "%120, %121, %122, "   \
                                                                            "%123, %124, %125, "   \
                                                                            "%126, %127"
#define BEHIND2   2, 3, 4, 5, 6, 7, 8, 9, 10, 11
#define BEHIND4   4, 5, 6, 7, 8, 9, 10, 11, 12, 13
#define BEHIND8   8, 9, 10, 11, 12, 13, 14, 15, 16, 17
#define BEHIND32  32, 33, 34, 35, 36, 37, 38, 39, 40, 41
#define BEHIND128 128, 129, 130, 131, 132, 133, 134, 135, 136, 137

// What follows scale-d: of floating point signs, of 16 bits transpositions, too.
#define INTEGER(sa, sb, ta, tb)    ""
#define FLOAT(sa, sb, ta, tb)      ", %" #sa ", %" #sb
#define FLOAT16(sa, sb, ta, tb)    ", %" #sa ", %" #sb ", %" #ta ", %" #tb
#define FLOAT16_RS(sa, sb, ta, tb) ", %" #sa ", %" #sb ", %" #tb
#define INTEGER_RS                 INTEGER
#define FLOAT_RS                   FLOAT

#define SS(text, list, tail, a, b, p, sa, sb, ta, tb, ...)                                         \
    "{\n.reg .pred p;\nsetp.ne.b32 p, %" #p ", 0;\nwgmma.mma_async.sync.aligned." text " {" list   \
    "}, %" #a ", %" #b ", p" tail(sa, sb, ta, tb) ";\n}\n"
#define RS(text, list, tail, a0, a1, a2, a3, b, p, sa, sb, tb, ...)                                \
    "{\n.reg .pred p;\nsetp.ne.b32 p, %" #p ", 0;\nwgmma.mma_async.sync.aligned." text " {" list   \
    "}, {%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #b ", p" tail##_RS(sa, sb, tb, tb) ";\n}\n"
#define EXPAND(macro, ...) macro(__VA_ARGS__)

// A form: D has `count` registers in each thread.
#define FORM(name, text, columns, count, tail, a, b, d_type)                                       \
    struct name {                                                                                  \
        static const int N = columns, COUNT = count;                                               \
        static const int A = a, B = b, D = d_type;                                                 \
        static const char *title()                                                                 \
        {                                                                                          \
            return text;                                                                           \
        }                                                                                          \
        template <int SA, int SB, int TA, int TB>                                                  \
        static __device__ void ss(uint (&d)[COUNT], uint64_t da, uint64_t db, int adds)            \
        {                                                                                          \
            asm volatile(EXPAND(SS, text, LIST##count, tail, BEHIND##count)                        \
                         : REGS##count(0)                                                          \
                         : "l"(da), "l"(db), "r"(adds), "n"(SA), "n"(SB), "n"(TA), "n"(TB));       \
        }                                                                                          \
        template <int SA, int SB, int TB>                                                          \
        static __device__ void rs(uint (&d)[COUNT], const uint *r, uint64_t db, int adds)          \
        {                                                                                          \
            asm volatile(EXPAND(RS, text, LIST##count, tail, BEHIND##count)                        \
                         : REGS##count(0)                                                          \
                         : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(db), "r"(adds),         \
                           "n"(SA), "n"(SB), "n"(TB));                                             \
        }                                                                                          \
    };

enum type { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1, F32, S32 };

FORM(f16_8, "m64n8k16.f32.f16.f16", 8, 4, FLOAT16, F16, F16, F32)
FORM(f16_64, "m64n64k16.f32.f16.f16", 64, 32, FLOAT16, F16, F16, F32)
FORM(f16_256, "m64n256k16.f32.f16.f16", 256, 128, FLOAT16, F16, F16, F32)
FORM(f16_f16_8, "m64n8k16.f16.f16.f16", 8, 2, FLOAT16, F16, F16, F16)
FORM(f16_f16_128, "m64n128k16.f16.f16.f16", 128, 32, FLOAT16, F16, F16, F16)
FORM(bf16_16, "m64n16k16.f32.bf16.bf16", 16, 8, FLOAT16, BF16, BF16, F32)
FORM(tf32_16, "m64n16k8.f32.tf32.tf32", 16, 8, FLOAT, TF32, TF32, F32)
FORM(e4m3_16, "m64n16k32.f32.e4m3.e4m3", 16, 8, FLOAT, E4M3, E4M3, F32)
FORM(e5m2_e4m3_8, "m64n8k32.f32.e5m2.e4m3", 8, 4, FLOAT, E5M2, E4M3, F32)
FORM(e4m3_f16_16, "m64n16k32.f16.e4m3.e5m2", 16, 4, FLOAT, E4M3, E5M2, F16)
FORM(s8_16, "m64n16k32.s32.s8.s8", 16, 8, INTEGER, S8, S8, S32)
FORM(s8_u8_64, "m64n64k32.s32.s8.u8", 64, 32, INTEGER, S8, U8, S32)
FORM(u8_8, "m64n8k32.s32.u8.u8.satfinite", 8, 4, INTEGER, U8, U8, S32)
FORM(b1_16, "m64n16k256.s32.b1.b1.and.popc", 16, 8, INTEGER, B1, B1, S32)

// ---- Where elements lie ----

// In pieces of 16 bytes: `width` of them (1: no swizzle) make a row of a pattern of 8 rows. Rows
// are along k in a K-major matrix, and across it in an MN-major one.
struct layout {
    int width, across;
    bool is_mn_major;
    __host__ __device__ int row_bytes() const
    {
        return 16 * width;
    }
    __host__ __device__ int leading() const
    {
        return width == 1 ? 128 : is_mn_major ? K_BYTES / 2 * row_bytes() : 16;
    }
    __host__ __device__ int stride() const
    {
        return width == 1 ? 128 * (K_BYTES / 16) : 8 * row_bytes();
    }
    // Element `i` across, byte `k` along k of a matrix whose rows have K_BYTES.
    __host__ __device__ int offset(int i, int k) const
    {
        const int bytes = row_bytes(), element = k / 2;
        int at;
        if (width == 1 && is_mn_major)
            at = i / 8 * stride() + element / 8 * leading() + element % 8 * 16 + i % 8 * 2 + k % 2;
        else if (width == 1)
            at = i / 8 * stride() + k / 16 * leading() + i % 8 * 16 + k % 16;
        else if (is_mn_major)
            at = 2 * i / bytes * leading() + element * bytes + 2 * i % bytes + k % 2;
        else
            at = k / bytes * across * bytes + i * bytes + k % bytes;
        return at ^ (at / 128 % width * 16);
    }
    __host__ __device__ uint64_t descriptor(uint start, int step) const
    {
        const int k = step * STEP_BYTES;
        const int mode = width == 8 ? 1 : width == 4 ? 2 : width == 2 ? 3 : 0;
        const int moved = width == 1    ? 2 * step * leading()
                          : is_mn_major ? 2 * step * stride()
                                        : k / row_bytes() * across * row_bytes() + k % row_bytes();
        return (uint64_t)((start + moved) >> 4) | (uint64_t)(leading() >> 4) << 16 |
               (uint64_t)(stride() >> 4) << 32 | (uint64_t)mode << 62;
    }
};

static __device__ void place(char *to, const ushort *from, const layout &layout)
{
    for (int i = threadIdx.x; i < layout.across * K_BYTES / 2; i += THREADS)
        *(ushort *)(to + layout.offset(i / (K_BYTES / 2), i % (K_BYTES / 2) * 2)) = from[i];
}

template <class F, int SA, int SB, int TA, int TB, bool HAS_A_IN_REGISTERS>
__global__ void multiply(uint *out, const ushort *a, const ushort *b, uint initial, int adds,
                         layout layout_a, layout layout_b)
{
    __shared__ __align__(1024) char tile_a[A_BYTES], tile_b[B_BYTES];
    uint d[F::COUNT], r[STEPS][4];
    place(tile_a, a, layout_a);
    place(tile_b, b, layout_b);
    for (int i = 0; i < F::COUNT; i++)
        d[i] = initial;
    for (int i = 0; i < 4 * STEPS; i++) {
        const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i % 2 * 8;
        r[i / 4][i % 4] = ((const uint *)a)[row * K_BYTES / 4 + i / 2 * 4 + threadIdx.x % 4];
    }
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    __syncthreads();
    uint64_t of_a[STEPS], of_b[STEPS];
    for (int step = 0; step < STEPS; step++) {
        of_a[step] = layout_a.descriptor((uint)__cvta_generic_to_shared(tile_a), step);
        of_b[step] = layout_b.descriptor((uint)__cvta_generic_to_shared(tile_b), step);
    }
    for (int i = 0; i < F::COUNT; i++) // the compiler must not set D behind the fence
        asm volatile("" : "+r"(d[i]) : : "memory");
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
    for (int step = 0; step < STEPS; step++)
        if (HAS_A_IN_REGISTERS)
            F::template rs<SA, SB, TB>(d, r[step], of_b[step], adds | step);
        else
            F::template ss<SA, SB, TA, TB>(d, of_a[step], of_b[step], adds | step);
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
    for (int i = 0; i < F::COUNT; i++)
        out[threadIdx.x * F::COUNT + i] = d[i];
}

// ---- On the host ----

static int bits_of(int type)
{
    return type == F32 || type == S32 || type == TF32 ? 32 : type == B1 ? 1 : type < TF32 ? 16 : 8;
}

static int small_number(int type, uint seed)
{
    const int number = (int)(seed * 2654435761u >> 20);
    return type == B1   ? number & 1
           : type == S8 ? (signed char)number
           : type == U8 ? number & 255
                        : number % 9 - 4;
}

static uint bits_of_float(float value)
{
    uint bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint encode(int type, int number)
{
    const float value = (float)number;
    switch (type) {
    case F16:
        return __half_as_ushort(__float2half(value));
    case BF16:
        return bits_of_float(value) >> 16;
    case TF32:
    case F32:
        return bits_of_float(value);
    case E4M3:
    case E5M2:
        return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, type == E4M3 ? __NV_E4M3 : __NV_E5M2);
    default:
        return (uint)number & (type == B1 ? 1 : type == S32 ? ~0u : 255);
    }
}

static int elements_of(int type)
{
    return K_BYTES * 8 / bits_of(type);
}

static int number_at(int type, int across, int k, uint seed)
{
    return small_number(type, (uint)(across * 1000 + k) * 2 + seed);
}

static void fill(char *matrix, int type, int across, uint seed)
{
    const int bits = bits_of(type);
    memset(matrix, 0, (size_t)across * K_BYTES);
    for (int i = 0; i < across; i++)
        for (int k = 0; k < elements_of(type); k++) {
            const uint element = encode(type, number_at(type, i, k, seed));
            char *const at = matrix + i * K_BYTES + k * bits / 8;
            if (bits == 1)
                *at |= (char)(element << k % 8);
            else
                memcpy(at, &element, bits / 8);
        }
}

// What a register of a thread must hold: neighbours in a row, 8 rows down, then 8 columns on.
template <class F> static uint expected(int thread, int reg, int sign, int64_t initial, int adds)
{
    const int each = F::D == F16 ? 2 : 1;
    uint bits = 0;
    for (int part = 0; part < each; part++) {
        const int item = reg * each + part;
        const int row = thread / 32 * 16 + thread % 32 / 4 + item / 2 % 2 * 8;
        const int column = item / 4 * 8 + thread % 4 * 2 + item % 2;
        int64_t sum = adds ? initial : 0;
        for (int k = 0; k < elements_of(F::A); k++)
            sum += sign * number_at(F::A, row, k, 0) * number_at(F::B, column, k, 7);
        if (sum > INT32_MAX)
            sum = INT32_MAX;
        bits |= encode(F::D, (int)sum) << 16 * part;
    }
    return bits;
}

static const char *const orders[] = {"K-major", "MN-major"};

template <class F, int SA, int SB, int TA, int TB, bool IN_REGISTERS>
static void check_one(int width, int initial, int adds)
{
    static char *a, *b;
    static uint *out;
    if (!a) {
        stop_on(cudaMallocManaged(&a, M * K_BYTES));
        stop_on(cudaMallocManaged(&b, MOST_N * K_BYTES));
        stop_on(cudaMallocManaged(&out, THREADS * 128 * sizeof *out));
    }
    fill(a, F::A, M, 0);
    fill(b, F::B, F::N, 7);
    const uint start = encode(F::D, initial);
    multiply<F, SA, SB, TA, TB, IN_REGISTERS><<<1, THREADS>>>(
        out, (const ushort *)a, (const ushort *)b, F::D == F16 ? start | start << 16 : start, adds,
        layout{width, M, TA != 0}, layout{width, F::N, TB != 0});
    stop_on(cudaGetLastError());
    stop_on(cudaDeviceSynchronize());
    int wrong = 0;
    for (int thread = 0; thread < THREADS; thread++)
        for (int reg = 0; reg < F::COUNT; reg++)
            wrong +=
                out[thread * F::COUNT + reg] != expected<F>(thread, reg, SA * SB, initial, adds);
    if (wrong) {
        failures++;
        fprintf(stderr,
                "%s, swizzle of %d bytes, A %s, B %s, signs %d %d: %d registers are wrong\n",
                F::title(), width == 1 ? 0 : 16 * width, IN_REGISTERS ? "in registers" : orders[TA],
                orders[TB], SA, SB, wrong);
    }
}

// All swizzles, with D added and without.
template <class F, int TA, int TB> static void check()
{
    for (int width = 1; width <= 8; width *= 2) {
        check_one<F, 1, 1, TA, TB, false>(width, 5, width % 3);
        if (TA == 0)
            check_one<F, 1, 1, TA, TB, true>(width, -3, width % 2);
    }
}

// ---- A warp that brings tiles, and a warpgroup that multiplies them ----

const int STAGES = 2, TILES = 6, TILE_A = M * STEP_BYTES, TILE_B = 8 * STEP_BYTES;

static __device__ uint shared_address(const void *at)
{
    return (uint)__cvta_generic_to_shared(at);
}

static __device__ void await(uint64_t *barrier, int parity)
{
    asm volatile("{\n.reg .pred p;\nL:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra L;\n}"
                 :
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
}

static __device__ void bring(void *to, const char *from, int bytes, uint64_t *barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];"
        :
        : "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
}

__global__ void __launch_bounds__(2 * THREADS, 1) pipeline(float *out, const char *a, const char *b)
{
    __shared__ __align__(1024) char tile_a[STAGES][TILE_A], tile_b[STAGES][TILE_B];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    float d[4] = {};
    for (int i = 0; threadIdx.x == 0 && i < STAGES; i++) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(shared_address(&full[i])));
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(shared_address(&empty[i])));
    }
    __syncthreads();
    if (threadIdx.x >= THREADS) {
        int is_elected;
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.b32 %0, 1, 0, p;\n}"
                     : "=r"(is_elected));
        for (int i = 0; threadIdx.x < THREADS + 32 && is_elected && i < TILES; i++) {
            const int stage = i % STAGES;
            await(&empty[stage], (i / STAGES & 1) ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                         :
                         : "r"(shared_address(&full[stage])), "r"(TILE_A + TILE_B));
            bring(tile_a[stage], a + i * TILE_A, TILE_A, &full[stage]);
            bring(tile_b[stage], b + i * TILE_B, TILE_B, &full[stage]);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    for (int i = 0; i < TILES; i++) {
        const int stage = i % STAGES;
        const uint64_t offsets = (uint64_t)8 << 16 | (uint64_t)16 << 32; // no swizzle
        const uint64_t of_a = shared_address(tile_a[stage]) >> 4 | offsets;
        const uint64_t of_b = shared_address(tile_b[stage]) >> 4 | offsets;
        await(&full[stage], i / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, "
                     "1, 1, 1, 0, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "l"(of_a), "l"(of_b));
        asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
        if (threadIdx.x == 0) // for all: the products are complete
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];"
                         :
                         : "r"(shared_address(&empty[stage]))
                         : "memory");
    }
    for (int i = 0; i < 4; i++)
        out[threadIdx.x * 4 + i] = d[i];
}

static void check_pipeline()
{
    __half *a, *b;
    float *out;
    stop_on(cudaMallocManaged(&a, TILES * TILE_A));
    stop_on(cudaMallocManaged(&b, TILES * TILE_B));
    stop_on(cudaMallocManaged(&out, 4 * THREADS * sizeof *out));
    for (int i = 0; i < TILES * TILE_A / 2; i++)
        a[i] = __float2half((float)(i / (TILE_A / 2) + 1));
    for (int i = 0; i < TILES * TILE_B / 2; i++)
        b[i] = __float2half((float)(i / (TILE_B / 2)));
    pipeline<<<1, 2 * THREADS>>>(out, (const char *)a, (const char *)b);
    stop_on(cudaGetLastError());
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < 4 * THREADS; i++)
        if (out[i] != 16 * 70) { // 1 * 0 + 2 * 1 + ... + 6 * 5
            failures++;
            fprintf(stderr, "pipeline: %g at %d\n", out[i], i);
            break;
        }
}

int main()
{
    check_pipeline();
    check<f16_8, 0, 0>();
    check<f16_64, 0, 0>();
    check<f16_64, 0, 1>();
    check<f16_64, 1, 0>();
    check<f16_64, 1, 1>();
    check<f16_256, 0, 0>();
    check<f16_256, 0, 1>();
    check<f16_f16_8, 0, 1>();
    check<f16_f16_128, 0, 1>();
    check<bf16_16, 0, 0>();
    check<bf16_16, 1, 1>();
    check<tf32_16, 0, 0>();
    check<e4m3_16, 0, 0>();
    check<e5m2_e4m3_8, 0, 0>();
    check<e4m3_f16_16, 0, 0>();
    check<s8_16, 0, 0>();
    check<s8_u8_64, 0, 0>();
    check<u8_8, 0, 0>();
    check_one<u8_8, 1, 1, 0, 0, false>(1, INT32_MAX - 100000, 1);
    check<b1_16, 0, 0>();
    check_one<f16_8, -1, 1, 0, 0, false>(1, 5, 1);
    check_one<bf16_16, 1, -1, 0, 0, true>(8, 5, 1);
    check_one<tf32_16, -1, 1, 0, 0, true>(2, 5, 1);
    check_one<e4m3_16, -1, -1, 0, 0, false>(4, 5, 1);
    check_one<e5m2_e4m3_8, -1, 1, 0, 0, true>(4, 5, 1);
    return failures > 0;
}
