/* Copies by tensor maps: boxes of random tensors of 1 to 5 dimensions come to shared memory and go
 * to another tensor, in tile mode and in im2col mode, with all types, swizzles, fills, element
 * strides and interleaved layouts. Each is compared with a computation on the host that goes
 * element by element. Then what cuTensorMapEncode*() must refuse. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>

const int RANKS = 5, SHARED = 32768, TENSOR = 1 << 16, CASES = 400;

static void stop_on(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

/* ---- The device ---- */

struct job {
    int rank, at[RANKS], offset[3], bytes, skew, adds;
    bool is_im2col, stores;
};

__constant__ CUtensorMap constant_map;

static __device__ uint32_t shared_address(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

static __device__ void await(uint64_t *barrier, int parity)
{
    int done;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    while (!done);
}

#define AT1   "{%3}"
#define AT2   "{%3, %4}"
#define AT3   "{%3, %4, %5}"
#define AT4   "{%3, %4, %5, %6}"
#define AT5   "{%3, %4, %5, %6, %7}"
#define BYTES ".mbarrier::complete_tx::bytes"
#define COPY(text)                                                                                 \
    asm volatile(text ";" ::"r"(tile), "l"(map), "r"(barrier), "r"(job.at[0]), "r"(job.at[1]),     \
                 "r"(job.at[2]), "r"(job.at[3]), "r"(job.at[4]), "h"((short)job.offset[0]),        \
                 "h"((short)job.offset[1]), "h"((short)job.offset[2])                              \
                 : "memory")
#define TILE(d, to)                                                                                \
    COPY("cp.async.bulk.tensor." #d "d." to ".global.tile" BYTES " [%0], [%1, " AT##d "], [%2]")
#define IM2COL(d, offsets)                                                                         \
    COPY("cp.async.bulk.tensor." #d "d.shared::cluster.global.im2col" BYTES " [%0], [%1, " AT##d   \
         "], [%2], " offsets)
#define PUT(d, mode)                                                                               \
    COPY("cp.async.bulk.tensor." #d "d.global.shared::cta." mode ".bulk_group [%1, " AT##d         \
         "], [%0]")

static __device__ void load(const job &job, uint32_t tile, const CUtensorMap *map, uint32_t barrier)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
    if (job.is_im2col) {
        switch (job.rank) {
        case 3:
            IM2COL(3, "{%8}");
            break;
        case 4:
            IM2COL(4, "{%8, %9}");
            break;
        default:
            IM2COL(5, "{%8, %9, %10}");
            break;
        }
        return;
    }
    switch (job.rank) {
    case 1:
        TILE(1, "shared::cluster");
        break;
    case 2:
        COPY("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%1, " AT2 "]");
        COPY("cp.async.bulk.tensor.2d.shared::cluster.global" BYTES " [%0], [%1, " AT2 "], [%2]");
        break;
    case 3:
        TILE(3, "shared::cluster");
        break;
    case 4:
        TILE(4, "shared::cta");
        break;
    default:
        TILE(5, "shared::cluster");
        break;
    }
}

static __device__ void store(const job &job, uint32_t tile, const CUtensorMap *map)
{
    const uint32_t barrier = 0;
    if (job.is_im2col) {
        switch (job.rank) {
        case 3:
            PUT(3, "im2col_no_offs");
            break;
        case 4:
            PUT(4, "im2col_no_offs");
            break;
        default:
            PUT(5, "im2col_no_offs");
            break;
        }
        return;
    }
    if (job.adds) {
        if (job.rank == 2)
            COPY("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%1, " AT2
                 "], [%0]");
        else
            COPY("cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%1, " AT3
                 "], [%0]");
        return;
    }
    switch (job.rank) {
    case 1:
        PUT(1, "tile");
        break;
    case 2:
        PUT(2, "tile");
        break;
    case 3:
        PUT(3, "tile");
        break;
    case 4:
        PUT(4, "tile");
        break;
    default:
        PUT(5, "tile");
        break;
    }
}

/* The map of the source is a parameter, in constant memory or in global memory. */
static __global__ void copy(const __grid_constant__ job job,
                            const __grid_constant__ CUtensorMap from,
                            const __grid_constant__ CUtensorMap to, const CUtensorMap *map,
                            int where, uint32_t *image)
{
    extern __shared__ __align__(1024) uint32_t space[];
    __shared__ uint64_t full;
    map = where == 0 ? &from : where == 1 ? &constant_map : map;
    for (int i = threadIdx.x; i < SHARED / 4; i += blockDim.x)
        space[i] = 0xeeeeeeee;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                     "fence.mbarrier_init.release.cluster;" ::"r"(shared_address(&full)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full)),
            "r"(job.bytes)
            : "memory");
        load(job, shared_address(space) + job.skew, map, shared_address(&full));
    }
    await(&full, 0);
    for (int i = threadIdx.x; i < SHARED / 4; i += blockDim.x)
        image[i] = space[i];
    if (threadIdx.x == 0 && job.stores) {
        store(job, shared_address(space) + job.skew, &to);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

/* ---- The host ---- */

static decltype(&cuTensorMapEncodeTiled) encode_tiled;
static decltype(&cuTensorMapEncodeIm2col) encode_im2col;

static void *entry_point(const char *name)
{
    void *function;
    enum cudaDriverEntryPointQueryResult found;
    stop_on(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess)
        exit(1);
    return function;
}

static unsigned random_below(unsigned limit)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % limit;
}

/* What a map is made from; of an im2col map box[0] is channels. */
struct shape {
    CUtensorMapDataType type;
    unsigned bytes; /* of an element */
    int rank;
    cuuint64_t size[RANKS], stride[RANKS]; /* stride[d]: of dimension d + 1 */
    cuuint32_t box[RANKS], step[RANKS], pixels;
    int lower[3], upper[3];
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
    bool is_im2col;
    CUtensorMapInterleave interleave;
};

static CUresult encode(CUtensorMap *map, const shape &s, void *tensor)
{
    return s.is_im2col
               ? encode_im2col(map, s.type, s.rank, tensor, s.size, s.stride, s.lower, s.upper,
                               s.box[0], s.pixels, s.step, s.interleave, s.swizzle,
                               CU_TENSOR_MAP_L2_PROMOTION_L2_128B, s.fill)
               : encode_tiled(map, s.type, s.rank, tensor, s.size, s.stride, s.box, s.step,
                              s.interleave, s.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, s.fill);
}

static shape random_shape(bool is_im2col)
{
    static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    shape s = {};
    s.is_im2col = is_im2col;
    s.type = (CUtensorMapDataType)random_below(13);
    s.bytes = bytes[s.type];
    s.rank = is_im2col ? 3 + random_below(3) : 1 + random_below(5);
    s.swizzle = (CUtensorMapSwizzle)random_below(4);
    const unsigned span = s.swizzle ? 16u << s.swizzle : 128;
    s.box[0] = 16 * (1 + random_below(span / 16)) / s.bytes;
    s.fill = s.type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && random_below(2)
                 ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                 : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    s.pixels = 1 + random_below(40);
    size_t stride = 0;
    for (int d = 0; d < s.rank; d++) {
        s.size[d] = d == 0 ? 1 + random_below(128 / s.bytes) : 1 + random_below(6);
        if (d > 0)
            s.box[d] = 1 + random_below(4);
        s.step[d] = d > 0 ? 1 + random_below(3) : 1;
        stride = d == 0 ? (s.size[0] * s.bytes + 15) / 16 * 16 : stride * s.size[d];
        s.stride[d] = stride + (d == 0 ? 16 * random_below(2) : 0);
        stride = s.stride[d];
    }
    for (int i = 0; is_im2col && i + 2 < s.rank; i++) {
        s.lower[i] = (int)random_below(3) - 1;
        s.upper[i] =
            s.lower[i] + 1 - (int)s.size[i + 1] + (int)random_below((unsigned)s.size[i + 1] + 1);
        if ((int)s.size[i + 1] + s.upper[i] <= s.lower[i])
            s.upper[i] = s.lower[i];
    }
    return s;
}

/* Dimensions W {, H} {, D}, slices, N: an element of these is a slice of 16 or 32 bytes. */
static shape random_interleaved(bool is_im2col)
{
    shape s = random_shape(is_im2col);
    const bool is_wide = random_below(2);
    s.interleave = is_wide ? CU_TENSOR_MAP_INTERLEAVE_32B : CU_TENSOR_MAP_INTERLEAVE_16B;
    s.swizzle = is_wide ? CU_TENSOR_MAP_SWIZZLE_32B : CU_TENSOR_MAP_SWIZZLE_NONE;
    s.rank = 3 + (int)random_below(3);
    size_t stride = is_wide ? 32 : 16;
    for (int d = 0; d < s.rank; d++) {
        s.size[d] = 1 + random_below(4);
        s.box[d] = d > 0 ? 1 + random_below(3) : (1 + random_below(2)) * 16 / s.bytes;
        s.step[d] = 1 + random_below(3);
        stride *= s.size[d];
        s.stride[d] = stride;
    }
    for (int i = 0; is_im2col && i + 2 < s.rank; i++) {
        s.lower[i] = (int)random_below(3) - 1;
        s.upper[i] = s.lower[i] + 1 - (int)s.size[i] + (int)random_below((unsigned)s.size[i] + 1);
        if ((int)s.size[i] + s.upper[i] <= s.lower[i])
            s.upper[i] = s.lower[i];
    }
    return s;
}

/* The first dimension along which rows of a box follow each other. */
static int first_outer(const shape &s)
{
    return s.interleave ? 0 : 1;
}

static unsigned row_elements(const shape &s)
{
    return s.interleave ? 16u * s.interleave / s.bytes : s.box[0];
}

/* How many coordinates the box has in dimension d: only one slice. */
static unsigned extent(const shape &s, int d)
{
    return s.interleave && d == s.rank - 2 ? 1 : (s.box[d] + s.step[d] - 1) / s.step[d];
}

/* Where the elements of a box are: element `n` of row `row`, or -1 if it is outside: of `columns`
 * elements. */
static long place_in_tensor(const shape &s, const job &j, unsigned row, unsigned n, long columns)
{
    const int outer = first_outer(s), pixels = outer + s.rank - 2;
    long at[RANKS], place = (long)(n * s.bytes);
    for (int d = 0; d < s.rank; d++)
        at[d] = j.at[d] + (s.is_im2col && d >= outer && d < pixels ? j.offset[d - outer] : 0);
    for (unsigned pixel = 0; s.is_im2col && pixel < row; pixel++) {
        int d = outer;
        for (; d < pixels; d++) {
            const int i = d - outer;
            at[d] += s.step[d];
            if (at[d] <= (long)s.size[d] - 1 + s.upper[i] + j.offset[i])
                break;
            at[d] = s.lower[i] + j.offset[i];
        }
        if (d == pixels)
            at[s.rank - 1] += s.step[s.rank - 1];
    }
    for (int d = outer; d < s.rank && !s.is_im2col; row /= extent(s, d++))
        at[d] += (long)(row % extent(s, d) * s.step[d]);
    if (outer && (at[0] + (long)n < 0 || at[0] + (long)n >= columns))
        return -1;
    for (int d = 0; d < s.rank; d++) {
        if (d >= outer && (at[d] < 0 || at[d] >= (long)s.size[d]))
            return -1;
        place += at[d] * (long)(d > 0 ? s.stride[d - 1] : outer ? s.bytes : 16u * s.interleave);
    }
    return place;
}

static unsigned row_count(const shape &s)
{
    unsigned rows = s.is_im2col ? s.pixels : 1;
    for (int d = first_outer(s); d < s.rank && !s.is_im2col; d++)
        rows *= extent(s, d);
    return rows;
}

static unsigned place_in_shared(const shape &s, const job &j, unsigned row, unsigned byte)
{
    const unsigned span = s.swizzle ? 16u << s.swizzle : 0;
    const unsigned place = j.skew + row * (span ? span : row_elements(s) * s.bytes) + byte;
    const unsigned line = place / 128, chunk = place / 16 % 8;
    const unsigned moved = span ? chunk ^ line % (span / 16) : chunk;
    return line * 128 + moved * 16 + place % 16;
}

static bool is_nan(CUtensorMapDataType type, uint64_t bits)
{
    switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
        return (bits & 0x7fff) > 0x7c00;
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
        return (bits & 0x7fff) > 0x7f80;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
        return (bits << 1 >> 1) > 0x7ff0000000000000;
    default:
        return (bits & 0x7fffffff) > 0x7f800000;
    }
}

/* TF32 is FP32 with 10 bits behind the point, rounded to nearest even. */
static uint64_t loaded(const shape &s, uint64_t bits)
{
    if (s.type < CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 || (bits & 0x7fffffff) == 0x7f800000)
        return bits;
    if ((bits & 0x7f800000) == 0x7f800000)
        return 0x7fffe000; /* any NaN */
    const uint32_t rest = bits & 0x1fff, cut = (uint32_t)bits - rest;
    return cut + (rest > 0x1000 || (rest == 0x1000 && cut & 0x2000) ? 0x2000 : 0);
}

static int compare(const shape &s, const job &j, const char *x, const char *image)
{
    static char expected[SHARED];
    memset(expected, 0xee, sizeof expected);
    for (unsigned row = 0; row < row_count(s); row++) {
        for (unsigned n = 0; n < row_elements(s); n++) {
            const long from = place_in_tensor(s, j, row, n, (long)s.size[0]);
            const unsigned to = place_in_shared(s, j, row, n * s.bytes);
            uint64_t bits = 0, found = 0;
            if (from >= 0)
                memcpy(&bits, x + from, s.bytes);
            memcpy(&found, image + to, s.bytes);
            bits = loaded(s, bits);
            if (from < 0 && s.fill && is_nan(s.type, found))
                bits = found;
            else if (from < 0 && s.fill)
                bits = ~found;
            memcpy(expected + to, &bits, s.bytes);
        }
    }
    return memcmp(expected, image, sizeof expected) != 0;
}

/* What the box was put into, and what around it must have stayed. Stores write whole 16 bytes: what
 * is in shared memory behind a row's last element. */
static int compare_stored(const shape &s, const job &j, const char *image, const char *y)
{
    const long columns = (long)s.size[0], each = 16 / s.bytes;
    static char expected[TENSOR];
    memset(expected, j.adds ? 1 : 0x55, sizeof expected);
    for (unsigned row = 0; row < row_count(s); row++) {
        for (unsigned n = 0; n < row_elements(s); n++) {
            const long place = place_in_tensor(
                s, j, row, n, j.adds ? columns : (columns + each - 1) / each * each);
            uint64_t bits = 0;
            if (place < 0)
                continue;
            memcpy(&bits, image + place_in_shared(s, j, row, n * s.bytes), s.bytes);
            bits += j.adds ? 0x01010101 : 0;
            memcpy(expected + place, &bits, s.bytes);
        }
    }
    return memcmp(expected, y, sizeof expected) != 0;
}

static int run_case(const shape &s, char *x, char *y, char *image, CUtensorMap *map, bool adds)
{
    static char host[TENSOR], stored[TENSOR], seen[SHARED];
    job j = {};
    j.rank = s.rank;
    j.is_im2col = s.is_im2col;
    j.stores = true;
    j.adds = adds;
    j.bytes = (int)(row_count(s) * row_elements(s) * s.bytes);
    j.skew = 128 * (int)random_below(8);
    for (int d = 0; d < s.rank; d++) {
        const int i = d - first_outer(s);
        const bool is_pixel = s.is_im2col && i >= 0 && i < s.rank - 2;
        j.at[d] = is_pixel
                      ? s.lower[i] +
                            (int)random_below((unsigned)((int)s.size[d] + s.upper[i] - s.lower[i]))
                      : (int)random_below((unsigned)s.size[d] + 4) - 2;
        if (d == 0 &&
            !s.interleave) // a multiple of 16 bytes, or the copy is an illegal instruction
            j.at[d] = j.at[d] * s.bytes / 16 * 16 / s.bytes;
        j.stores = j.stores && j.at[d] >= 0;
    }
    for (int i = 0; s.is_im2col && i + 2 < s.rank; i++) {
        j.offset[i] = (int)random_below(3);
        /* else a store is an illegal instruction */
        j.stores = j.stores && j.offset[i] == 0 && s.lower[i] >= 0 && s.upper[i] <= 0;
    }
    CUtensorMap from, to;
    if (encode(&from, s, x) || encode(&to, s, y)) {
        fprintf(stderr, "a map is refused\n");
        return 1;
    }
    stop_on(cudaMemcpyToSymbol(constant_map, &from, sizeof from));
    stop_on(cudaMemcpy(map, &from, sizeof from, cudaMemcpyHostToDevice));
    stop_on(cudaMemset(y, adds ? 1 : 0x55, TENSOR));
    copy<<<1, 64, SHARED>>>(j, from, to, map, (int)random_below(3), (uint32_t *)image);
    stop_on(cudaGetLastError());
    stop_on(cudaMemcpy(seen, image, SHARED, cudaMemcpyDeviceToHost));
    stop_on(cudaMemcpy(host, x, TENSOR, cudaMemcpyDeviceToHost));
    stop_on(cudaMemcpy(stored, y, TENSOR, cudaMemcpyDeviceToHost));
    const int is_wrong = compare(s, j, host, seen);
    const int is_stored_wrong = j.stores && compare_stored(s, j, seen, stored);
    if (is_wrong || is_stored_wrong)
        fprintf(stderr, "wrong %s: type %d, rank %d, swizzle %d, fill %d, interleave %d, %s\n",
                is_wrong ? "load" : "store", s.type, s.rank, s.swizzle, s.fill, s.interleave,
                s.is_im2col ? "im2col" : "tiled");
    return is_wrong || is_stored_wrong;
}

/* Each line makes one parameter one that CUDA documents as invalid. */
static int test_refusals(char *x)
{
    int failures = 0;
    CUtensorMap maps[1];
    const shape tiled = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                         4,
                         3,
                         {64, 8, 8},
                         {256, 2048},
                         {16, 4, 4},
                         {1, 1, 1},
                         8,
                         {},
                         {},
                         CU_TENSOR_MAP_SWIZZLE_NONE,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
                         false};
    shape s = tiled;
#define REFUSED(change)                                                                            \
    s = tiled;                                                                                     \
    change;                                                                                        \
    if (encode(maps, s, x) != CUDA_ERROR_INVALID_VALUE) {                                          \
        fprintf(stderr, "not refused: %s\n", #change);                                             \
        failures++;                                                                                \
    }
    failures += encode(maps, s, x) != CUDA_SUCCESS;
    failures += encode(maps, s, x + 8) != CUDA_ERROR_INVALID_VALUE;
    REFUSED(s.type = (CUtensorMapDataType)16)
    REFUSED(s.rank = 0)
    REFUSED(s.rank = 6)
    REFUSED(s.size[1] = 0)
    REFUSED(s.size[1] = (UINT64_C(1) << 32) + 1)
    REFUSED(s.stride[0] = 264)
    REFUSED(s.stride[1] = UINT64_C(1) << 40)
    REFUSED(s.box[2] = 0)
    REFUSED(s.box[2] = 257)
    REFUSED(s.box[0] = 6)
    REFUSED(s.step[1] = 0)
    REFUSED(s.step[1] = 9)
    REFUSED(s.swizzle = CU_TENSOR_MAP_SWIZZLE_32B)
    REFUSED(s.swizzle = (CUtensorMapSwizzle)7)
    REFUSED(s.type = CU_TENSOR_MAP_DATA_TYPE_INT32;
            s.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
    REFUSED(s.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; s.box[0] = 3)
    REFUSED(s.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; s.step[0] = 0)
    REFUSED(s.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; s.rank = 2)
    REFUSED(s.is_im2col = true; s.rank = 2)
    REFUSED(s.is_im2col = true; s.pixels = 1025)
    REFUSED(s.is_im2col = true; s.box[0] = 260)
    REFUSED(s.is_im2col = true; s.lower[0] = 40000)
    REFUSED(s.is_im2col = true; s.upper[0] = -8)
    return failures;
}

/* Names and versions that the driver does not have are told apart. */
static int test_entry_points()
{
    void *function = &function;
    enum cudaDriverEntryPointQueryResult old, unknown;
    stop_on(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 11000,
                                             cudaEnableDefault, &old));
    stop_on(cudaGetDriverEntryPointByVersion("cuTensorMapEncode", &function, 13000,
                                             cudaEnableDefault, &unknown));
    return old != cudaDriverEntryPointVersionNotSufficent ||
           unknown != cudaDriverEntryPointSymbolNotFound || function != NULL;
}

int main()
{
    static char host[TENSOR];
    char *x, *y, *image;
    CUtensorMap *map;
    int failures = 0;
    encode_tiled = (decltype(encode_tiled))entry_point("cuTensorMapEncodeTiled");
    encode_im2col = (decltype(encode_im2col))entry_point("cuTensorMapEncodeIm2col");
    stop_on(cudaMalloc(&x, TENSOR));
    stop_on(cudaMalloc(&y, TENSOR));
    stop_on(cudaMalloc(&image, SHARED));
    stop_on(cudaMalloc(&map, sizeof *map));
    stop_on(cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    for (int i = 0; i < TENSOR; i++)
        host[i] = (char)random_below(256);
    stop_on(cudaMemcpy(x, host, TENSOR, cudaMemcpyHostToDevice));
    for (int i = 0; i < CASES; i++)
        failures += run_case(random_shape(i % 3 == 2), x, y, image, map, false);
    shape s = random_shape(false);
    s = {CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, 2, {20, 9}, {96}, {8, 5}, {1, 2}};
    for (int i = 0; i < 5; i++)
        failures += run_case(s, x, y, image, map, true);
    for (int i = 0; i < CASES / 2; i++)
        failures += run_case(random_interleaved(i % 3 == 2), x, y, image, map, false);
    s = {CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, 3, {5, 3, 2}, {80, 240}, {4, 1, 2}, {2, 1, 1}};
    s.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
    for (int i = 0; i < 5; i++)
        failures += run_case(s, x, y, image, map, true);
    failures += test_refusals(x) + test_entry_points();
    if (failures)
        fprintf(stderr, "%d failures\n", failures);
    return failures != 0;
}
