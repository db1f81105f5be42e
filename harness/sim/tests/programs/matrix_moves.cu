/* Matrices on their way to tensor cores and back: ldmatrix, stmatrix and movmatrix against what the
 * PTX manual says of each lane, and products by nvcuda::wmma of every shape, type and layout
 * against sums on the host. */
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

static int failures;

static void stop_on(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

static void expect(bool holds, const char *what, int i)
{
    if (!holds && failures++ < 10)
        fprintf(stderr, "%s: wrong at %d\n", what, i);
}

// ---- ldmatrix, stmatrix, movmatrix ----

const int PITCH = 24; // of rows in shared memory, in elements: 48 bytes

template <int COUNT, bool TRANSPOSED>
__global__ void load_and_store(const ushort *in, uint *registers, ushort *out)
{
    __shared__ __align__(16) ushort tile[32 * PITCH], copy[32 * PITCH];
    const int lane = threadIdx.x;
    for (int i = 0; i < 8; i++)
        tile[lane * PITCH + i] = in[lane * 8 + i];
    __syncwarp();
    const uint from = (uint)__cvta_generic_to_shared(&tile[lane % (8 * COUNT) * PITCH]);
    const uint to = (uint)__cvta_generic_to_shared(&copy[lane % (8 * COUNT) * PITCH]);
    uint r[4] = {};
    if (COUNT == 1 && !TRANSPOSED) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                     : "=r"(r[0])
                     : "r"(from));
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" : : "r"(to), "r"(r[0]));
    } else if (COUNT == 2 && TRANSPOSED) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(r[0]), "=r"(r[1])
                     : "r"(from));
        asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};"
                     :
                     : "r"(to), "r"(r[0]), "r"(r[1]));
    } else if (COUNT == 4) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(from));
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                     :
                     : "r"(to), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]));
    }
    __syncwarp();
    for (int i = 0; i < COUNT; i++)
        registers[i * 32 + lane] = r[i];
    for (int i = 0; i < 8 && lane < 8 * COUNT; i++)
        out[lane * 8 + i] = copy[lane * PITCH + i];
}

__global__ void transpose_registers(const uint *in, uint *out)
{
    uint r;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(in[threadIdx.x]));
    out[threadIdx.x] = r;
}

template <int COUNT, bool TRANSPOSED> static void check_rows(const char *what)
{
    ushort *in, *out;
    uint *registers;
    stop_on(cudaMallocManaged(&in, 32 * 8 * sizeof *in));
    stop_on(cudaMallocManaged(&out, 32 * 8 * sizeof *out));
    stop_on(cudaMallocManaged(&registers, 4 * 32 * sizeof *registers));
    for (int i = 0; i < 32 * 8; i++)
        in[i] = (ushort)(i * 257 + 3);
    load_and_store<COUNT, TRANSPOSED><<<1, 32>>>(in, registers, out);
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT * 32; i++) {
        const int row = i % 32 / 4, column = i % 4 * 2;
        const ushort *matrix = in + i / 32 * 64;
        const ushort first = TRANSPOSED ? matrix[column * 8 + row] : matrix[row * 8 + column];
        const ushort second =
            TRANSPOSED ? matrix[column * 8 + 8 + row] : matrix[row * 8 + column + 1];
        expect(registers[i] == (first | (uint)second << 16), what, i);
    }
    for (int i = 0; i < COUNT * 64; i++)
        expect(out[i] == in[i], what, i);
}

static void check_movmatrix()
{
    uint *in, *out;
    stop_on(cudaMallocManaged(&in, 32 * sizeof *in));
    stop_on(cudaMallocManaged(&out, 32 * sizeof *out));
    for (int i = 0; i < 32; i++)
        in[i] = (uint)(2 * i) | (uint)(2 * i + 1) << 16; // element (r, c) is 8 r + c
    transpose_registers<<<1, 32>>>(in, out);
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        const uint row = i / 4, column = i % 4 * 2;
        expect(out[i] == (column * 8 + row | (column * 8 + 8 + row) << 16), "movmatrix", i);
    }
}

// ---- wmma ----

template <typename T> static __host__ __device__ T small_number(int i)
{
    return (T)(float)(i * 7 % 13 - 6);
}

template <> __host__ __device__ unsigned char small_number<unsigned char>(int i)
{
    return (unsigned char)(i * 7 % 13);
}

// Through shared memory with padded rows, and to global memory without.
template <int M, int N, int K, typename T, typename MEMORY, typename SUM, typename A, typename B>
__global__ void multiply(SUM *d, const SUM *c, bool is_row_major)
{
    const int PAD = 16 / sizeof(MEMORY);
    __shared__ __align__(32) MEMORY a[(M + K) * (M + K) * 2], b[(N + K) * (N + K) * 2];
    const int lda = (std::is_same<A, wmma::row_major>::value ? K : M) + PAD;
    const int ldb = (std::is_same<B, wmma::row_major>::value ? N : K) + PAD;
    for (int i = threadIdx.x; i < M * K; i += 32)
        a[std::is_same<A, wmma::row_major>::value ? i / K * lda + i % K : i % K * lda + i / K] =
            small_number<MEMORY>(i);
    for (int i = threadIdx.x; i < K * N; i += 32)
        b[std::is_same<B, wmma::row_major>::value ? i / N * ldb + i % N : i % N * ldb + i / N] =
            small_number<MEMORY>(i + 5);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, T, A> fragment_a;
    wmma::fragment<wmma::matrix_b, M, N, K, T, B> fragment_b;
    wmma::fragment<wmma::accumulator, M, N, K, SUM> sum;
    const wmma::layout_t layout = is_row_major ? wmma::mem_row_major : wmma::mem_col_major;
    wmma::load_matrix_sync(fragment_a, a, lda);
    wmma::load_matrix_sync(fragment_b, b, ldb);
    wmma::load_matrix_sync(sum, c, is_row_major ? N : M, layout);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = sum.x[i] + (SUM)1;
    wmma::mma_sync(sum, fragment_a, fragment_b, sum);
    wmma::store_matrix_sync(d, sum, is_row_major ? N : M, layout);
}

template <int M, int N, int K, typename T, typename MEMORY, typename SUM, typename A, typename B>
static void check_product(const char *what, bool is_row_major)
{
    SUM *c, *d;
    stop_on(cudaMallocManaged(&c, M * N * sizeof *c));
    stop_on(cudaMallocManaged(&d, M * N * sizeof *d));
    for (int i = 0; i < M * N; i++)
        c[is_row_major ? i : i % N * M + i / N] = (SUM)(i % 5);
    multiply<M, N, K, T, MEMORY, SUM, A, B><<<1, 32>>>(d, c, is_row_major);
    stop_on(cudaGetLastError());
    stop_on(cudaDeviceSynchronize());
    for (int i = 0; i < M * N; i++) {
        double sum = i % 5 + 1;
        for (int k = 0; k < K; k++)
            sum += (double)(float)small_number<MEMORY>(i / N * K + k) *
                   (double)(float)small_number<MEMORY>(k * N + i % N + 5);
        expect((double)d[is_row_major ? i : i % N * M + i / N] == sum, what, i);
    }
    cudaFree(c);
    cudaFree(d);
}

template <int M, int N, int K, typename T, typename MEMORY, typename SUM>
static void check_layouts(const char *what)
{
    check_product<M, N, K, T, MEMORY, SUM, wmma::row_major, wmma::col_major>(what, true);
    check_product<M, N, K, T, MEMORY, SUM, wmma::row_major, wmma::row_major>(what, false);
    check_product<M, N, K, T, MEMORY, SUM, wmma::col_major, wmma::row_major>(what, true);
    check_product<M, N, K, T, MEMORY, SUM, wmma::col_major, wmma::col_major>(what, false);
}

template <typename T, typename SUM> static void check_shapes(const char *what)
{
    check_layouts<16, 16, 16, T, T, SUM>(what);
    check_layouts<32, 8, 16, T, T, SUM>(what);
    check_layouts<8, 32, 16, T, T, SUM>(what);
}

int main()
{
    check_rows<1, false>("ldmatrix x1");
    check_rows<2, true>("ldmatrix x2 transposed");
    check_rows<4, false>("ldmatrix x4");
    check_movmatrix();
    check_shapes<half, float>("wmma f16 to f32");
    check_shapes<half, half>("wmma f16");
    check_shapes<__nv_bfloat16, float>("wmma bf16");
    check_shapes<signed char, int>("wmma s8");
    check_shapes<unsigned char, int>("wmma u8");
    check_layouts<16, 16, 8, wmma::precision::tf32, float, float>("wmma tf32");
    check_layouts<8, 8, 4, double, double, double>("wmma f64");
    return failures != 0;
}
