// Products of tensor cores, bit for bit: every instruction of mma.sync and wmma gets inputs of ten
// kinds (all exponents apart, cancellation, subnormal values, infinities and NaN, ...), and a sum
// over all bits of the results must be the one that an H200 gave. With arguments, `tensor_products
// WARPS SEED` prints the sums of other inputs, to be compared between a GPU and the simulator.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { F16, BF16, TF32, E4M3, E5M2, F32, F64, INT };
enum role { OF_A, OF_B, OF_C };
enum kind {
    ANY_EXPONENT,
    NEAR_ONE_EXPONENT,
    CANCELLING,
    SUBNORMAL,
    SPECIAL,
    LARGE,
    SPREAD,
    ZERO_OR_EXTREME,
    SMALL_PRODUCTS,
    SMALL_PRODUCTS_AND_C,
    KINDS
};

// ---- Inputs ----

static __device__ uint64_t mixed(uint64_t x)
{
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
}

struct format {
    int bits, fraction, exponent;
};

static __device__ struct format format_of(int type)
{
    switch (type) {
    case F16:
        return {16, 10, 5};
    case BF16:
        return {16, 7, 8};
    case E4M3:
        return {8, 3, 4};
    case E5M2:
        return {8, 2, 5};
    case F64:
        return {64, 52, 11};
    case INT:
        return {32, 32, 0};
    default:
        return {32, 23, 8};
    }
}

// The exponent that a warp's elements are near to. Of SMALL_PRODUCTS those of A and B add up to
// about the least exponent of the result.
static __device__ int base_exponent(uint64_t seed, struct format format, int kind, int role,
                                    int least_of_result)
{
    const int top = (1 << format.exponent) - 1, bias = top >> 1;
    const int base = 1 + (int)(seed % (unsigned)(top - 1));
    if (kind < SMALL_PRODUCTS)
        return base;
    const int wanted = least_of_result + (int)(seed >> 32 & 31) - 20,
              other = wanted - base + 2 * bias;
    if (other >= 1 && other < top)
        return role == OF_A ? base : other;
    return wanted / 2 + bias;
}

static __device__ uint64_t draw(uint64_t random, struct format format, int kind, int base, int role)
{
    const int top = (1 << format.exponent) - 1, dice = (int)(random >> 40 & 31);
    uint64_t fraction = mixed(random) & ((1ull << format.fraction) - 1);
    int exponent = (int)((random >> 8 & 0xffff) % (unsigned)top);
    if (dice % 8 == 0)
        fraction = dice ? 0 : fraction | ((1ull << format.fraction) - 1);
    const int near = (int)(random >> 46 & 63);
    switch (kind) {
    case NEAR_ONE_EXPONENT:
    case CANCELLING:
        exponent = base + near % 4 - 2;
        break;
    case SUBNORMAL:
        exponent = dice < 12 ? 0 : dice < 20 ? 1 + near % 3 : base + near % 8 - 4;
        break;
    case SPECIAL:
        if (dice == 1)
            exponent = top;
        if (dice == 1 && near % 2)
            fraction = 0;
        break;
    case LARGE:
        exponent = top - 1 - near % 3;
        break;
    case SPREAD:
        exponent = base + near % 24 - 12;
        break;
    case ZERO_OR_EXTREME:
        if (dice < 16)
            exponent = dice < 8 ? 0 : top - 1 - near % 2;
        break;
    case SMALL_PRODUCTS:
    case SMALL_PRODUCTS_AND_C:
        exponent = role == OF_C ? near % 2 : base + near % 6 - 3;
        if (role == OF_C && (kind == SMALL_PRODUCTS || near % 4 < 2))
            exponent = 0;
        break;
    }
    if (exponent == 0 && (kind == ZERO_OR_EXTREME || (kind == SUBNORMAL && dice < 4) ||
                          (role == OF_C && kind >= SMALL_PRODUCTS && near % 4 != 1)))
        fraction = 0;
    if (kind != SPECIAL)
        exponent = exponent < 0 ? 0 : exponent >= top ? top - 1 : exponent;
    return ((random >> 7 & 1) << format.exponent | (uint64_t)exponent) << format.fraction |
           fraction;
}

// Fills `registers` registers of each warp; a word has one element or several.
static __global__ void fill(uint32_t *words, int registers, int type, int role, int least_of_result,
                            uint64_t seed)
{
    const int warp = blockIdx.x, lane = threadIdx.x, kind = warp % KINDS;
    const struct format format = format_of(type);
    const int per_word = format.bits < 32 ? 32 / format.bits : 1;
    const uint64_t of_warp = mixed(seed * 1000003 + warp);
    const int base = base_exponent(of_warp, format, kind, role, least_of_result);
    for (int reg = 0; reg < registers; reg++) {
        uint64_t word = 0;
        for (int i = 0; i < per_word; i++) {
            // Of two neighbours along k the products cancel but for a last bit.
            const int partner = kind != CANCELLING || role == OF_C ? 0
                                : per_word > 1                     ? i & 1
                                : role == OF_A                     ? reg >> 1 & 1
                                                                   : reg & 1;
            const int from = per_word > 1 ? reg : reg - partner * (role == OF_A ? 2 : 1);
            const int item = per_word > 1 ? i - partner : i;
            const uint64_t random =
                mixed(of_warp ^ mixed((uint64_t)(role * 64 + from) * 4096 + lane * 64 + item));
            uint64_t element =
                type == INT ? random >> 16 & 0xffffffff : draw(random, format, kind, base, role);
            if (partner && role == OF_A)
                element ^= 1ull << (format.bits - 1) | (random >> 60 == 0);
            word |= element << i * format.bits;
        }
        if (type == INT && role == OF_C && kind % 2)
            word = (word & 0xff) + (word >> 9 & 1 ? 0x7fffff00 : 0x80000000);
        const size_t at = ((size_t)warp * registers + reg) * 32 + lane;
        if (type == F64)
            ((uint64_t *)words)[at] = word;
        else
            words[at] = (uint32_t)word;
    }
}

// ---- Products: register r of a warp are 32 lanes at 32 (8 warp + r) ----

#define LIST1(x) "{" #x "0}"
#define LIST2(x) "{" #x "0," #x "1}"
#define LIST4(x) "{" #x "0," #x "1," #x "2," #x "3}"
#define LIST8(x) "{" #x "0," #x "1," #x "2," #x "3," #x "4," #x "5," #x "6," #x "7}"
#define LOAD(x, pointer, n, type, step)                                                            \
    "ld.global." type " " #x #n ",[" pointer "+" #n "*32*" step "];"
#define STORE(x, pointer, n, type, step)                                                           \
    "st.global." type " [" pointer "+" #n "*32*" step "]," #x #n ";"
#define CLEAR(x, pointer, n, type, step) "mov." type " " #x #n ",0;"
#define EIGHT(do, x, pointer, type, step)                                                          \
    do                                                                                             \
    (x, pointer, 0, type, step) do(x, pointer, 1, type, step) do(x, pointer, 2, type, step) do(    \
        x, pointer, 3, type, step) do(x, pointer, 4, type,                                         \
                                      step) do(x, pointer, 5, type,                                \
                                               step) do(x, pointer, 6, type,                       \
                                                        step) do(x, pointer, 7, type, step)

/* In PTX from loads to stores, so that one text serves for any number of registers. */
#define DEFINE_PRODUCT(name, opcode, of_d, of_a, of_b, of_c, type, step)                           \
    static __global__ void name(char *words_d, const char *words_a, const char *words_b,           \
                                const char *words_c)                                               \
    {                                                                                              \
        const size_t at = (blockIdx.x * 8 * 32 + threadIdx.x) * (size_t)(step[0] - '0');           \
        asm volatile("{ .reg ." type " a<8>, b<8>, c<8>, d<8>;" EIGHT(LOAD, a, "%1", type, step)   \
                         EIGHT(LOAD, b, "%2", type, step) EIGHT(LOAD, c, "%3", type, step)         \
                             EIGHT(CLEAR, d, "", type, step) opcode                                \
                     " " LIST##of_d(d) "," LIST##of_a(a) "," LIST##of_b(b) "," LIST##of_c(         \
                         c) ";" EIGHT(STORE, d, "%0", type, step) "}"                              \
                     :                                                                             \
                     : "l"(words_d + at), "l"(words_a + at), "l"(words_b + at), "l"(words_c + at)  \
                     : "memory");                                                                  \
    }

/* X(name, opcode, registers of D, A, B, C, types of A, B and C, least exponent of D, sum) */
#define PRODUCTS(X)                                                                                \
    X(mma_m16n8k8_row_col_f32_f16_f16_f32, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 4,  \
      2, 1, 4, F16, F16, F32, -126, 0xe4b942ff533d519c)                                            \
    X(mma_m16n8k8_row_col_f16_f16_f16_f16, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2,  \
      2, 1, 2, F16, F16, F16, -14, 0xbbe4079e387aac07)                                             \
    X(mma_m16n8k16_row_col_f32_f16_f16_f32, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",   \
      4, 4, 2, 4, F16, F16, F32, -126, 0xbb629af48c139a99)                                         \
    X(mma_m16n8k16_row_col_f16_f16_f16_f16, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",   \
      2, 4, 2, 2, F16, F16, F16, -14, 0xe51edbb20aac9012)                                          \
    X(mma_m16n8k8_row_col_f32_bf16_bf16_f32, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", \
      4, 2, 1, 4, BF16, BF16, F32, -126, 0xe4c49ad135a9e456)                                       \
    X(mma_m16n8k16_row_col_f32_bf16_bf16_f32,                                                      \
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2, 4, BF16, BF16, F32, -126,    \
      0xbbf2a31ed451011a)                                                                          \
    X(mma_m16n8k4_row_col_f32_tf32_tf32_f32, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", \
      4, 2, 1, 4, TF32, TF32, F32, -126, 0xe69b9b61b2c05329)                                       \
    X(mma_m16n8k8_row_col_f32_tf32_tf32_f32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", \
      4, 4, 2, 4, TF32, TF32, F32, -126, 0x446b1e8611f2521e)                                       \
    X64(mma_m8n8k4_row_col_f64_f64_f64_f64, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 2,  \
        1, 1, 2, F64, F64, F64, -1022, 0x6e421e8072870933)                                         \
    X64(mma_m16n8k4_row_col_f64_f64_f64_f64, "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64",   \
        4, 2, 1, 4, F64, F64, F64, -1022, 0xe88f2b49147aac11)                                      \
    X64(mma_m16n8k8_row_col_f64_f64_f64_f64, "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64",   \
        4, 4, 2, 4, F64, F64, F64, -1022, 0x55d1664c17f14a04)                                      \
    X64(mma_m16n8k16_row_col_f64_f64_f64_f64, "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", \
        4, 8, 4, 4, F64, F64, F64, -1022, 0x0085744472b2e320)                                      \
    X(mma_m16n8k32_row_col_f32_e4m3_e4m3_f32,                                                      \
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 4, 2, 4, E4M3, E4M3, F32, -126,    \
      0xe6d5005f64dec1b2)                                                                          \
    X(mma_m16n8k32_row_col_f32_e4m3_e5m2_f32,                                                      \
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 4, 2, 4, E4M3, E5M2, F32, -126,    \
      0x6ef423b17f02c8b2)                                                                          \
    X(mma_m16n8k32_row_col_f32_e5m2_e4m3_f32,                                                      \
      "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", 4, 4, 2, 4, E5M2, E4M3, F32, -126,    \
      0x62b6a3f4f0775d0d)                                                                          \
    X(mma_m16n8k32_row_col_f32_e5m2_e5m2_f32,                                                      \
      "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 4, 2, 4, E5M2, E5M2, F32, -126,    \
      0xc04b1a2c6d3765f5)                                                                          \
    X(mma_m16n8k16_row_col_f32_e4m3_e4m3_f32,                                                      \
      "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32", 4, 2, 1, 4, E4M3, E4M3, F32, -126,    \
      0x6543c7249d0c3769)                                                                          \
    X(mma_m16n8k32_row_col_f16_e4m3_e5m2_f16,                                                      \
      "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16", 2, 4, 2, 2, E4M3, E5M2, F16, -14,     \
      0x119c441e4a38be88)                                                                          \
    X(mma_m16n8k16_row_col_f16_e5m2_e4m3_f16,                                                      \
      "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16", 2, 2, 1, 2, E5M2, E4M3, F16, -14,     \
      0x7dd1e56fa2b4e97d)                                                                          \
    X(mma_m16n8k32_row_col_s32_s8_s8_s32, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 4, \
      2, 4, INT, INT, INT, 0, 0x976d4d9fed642ff1)                                                  \
    X(mma_m16n8k32_row_col_satfinite_s32_s8_s8_s32,                                                \
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", 4, 4, 2, 4, INT, INT, INT, 0,   \
      0xa76c6fa3d4949d94)                                                                          \
    X(mma_m16n8k32_row_col_s32_u8_s8_s32, "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32", 4, 4, \
      2, 4, INT, INT, INT, 0, 0xdf82e0a0523dd032)                                                  \
    X(mma_m16n8k32_row_col_satfinite_s32_u8_s8_s32,                                                \
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32", 4, 4, 2, 4, INT, INT, INT, 0,   \
      0x71b25c60136549bd)                                                                          \
    X(mma_m16n8k32_row_col_s32_s8_u8_s32, "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 4, 4, \
      2, 4, INT, INT, INT, 0, 0x50055a3e55f9416b)                                                  \
    X(mma_m16n8k32_row_col_satfinite_s32_s8_u8_s32,                                                \
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", 4, 4, 2, 4, INT, INT, INT, 0,   \
      0x9479a4c74efab5e6)                                                                          \
    X(mma_m16n8k32_row_col_s32_u8_u8_s32, "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 4, 4, \
      2, 4, INT, INT, INT, 0, 0x269ed89d05551329)                                                  \
    X(mma_m16n8k32_row_col_satfinite_s32_u8_u8_s32,                                                \
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32", 4, 4, 2, 4, INT, INT, INT, 0,   \
      0x4f84af38b6781ecc)                                                                          \
    X(mma_m8n8k16_row_col_s32_s8_s8_s32, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 2, 1,   \
      1, 2, INT, INT, INT, 0, 0xa784a1667d3d4898)                                                  \
    X(mma_m16n8k16_row_col_satfinite_s32_s8_u8_s32,                                                \
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32", 4, 2, 1, 4, INT, INT, INT, 0,   \
      0x9974f646686b09a9)                                                                          \
    X(mma_m16n8k64_row_col_s32_s4_s4_s32, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 4, 4, \
      2, 4, INT, INT, INT, 0, 0xb55683faec614105)                                                  \
    X(mma_m16n8k64_row_col_satfinite_s32_s4_s4_s32,                                                \
      "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32", 4, 4, 2, 4, INT, INT, INT, 0,   \
      0x978e48e3e88cdece)                                                                          \
    X(mma_m16n8k64_row_col_s32_u4_s4_s32, "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", 4, 4, \
      2, 4, INT, INT, INT, 0, 0x1df156a2acb9acde)                                                  \
    X(mma_m16n8k64_row_col_satfinite_s32_u4_s4_s32,                                                \
      "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32", 4, 4, 2, 4, INT, INT, INT, 0,   \
      0x9e4ab4bf577da35b)                                                                          \
    X(mma_m8n8k32_row_col_s32_u4_u4_s32, "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32", 2, 1,   \
      1, 2, INT, INT, INT, 0, 0xba66cc6af11c785d)                                                  \
    X(mma_m16n8k32_row_col_s32_s4_u4_s32, "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32", 4, 2, \
      1, 4, INT, INT, INT, 0, 0x26ba5bd6e6d4d40e)                                                  \
    X(mma_m16n8k256_row_col_s32_b1_b1_s32_xor_popc,                                                \
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 4, 2, 4, INT, INT, INT, 0,   \
      0xc1b12bb1ba8283b8)                                                                          \
    X(mma_m16n8k128_row_col_s32_b1_b1_s32_xor_popc,                                                \
      "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 1, 4, INT, INT, INT, 0,   \
      0xbda617837ffa08c0)                                                                          \
    X(mma_m8n8k128_row_col_s32_b1_b1_s32_xor_popc,                                                 \
      "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 2, 1, 1, 2, INT, INT, INT, 0,    \
      0xda7a6a7d27fe6b6a)                                                                          \
    X(mma_m16n8k256_row_col_s32_b1_b1_s32_and_popc,                                                \
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 4, 2, 4, INT, INT, INT, 0,   \
      0x01e94307395350b1)                                                                          \
    X(mma_m16n8k128_row_col_s32_b1_b1_s32_and_popc,                                                \
      "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 4, 2, 1, 4, INT, INT, INT, 0,   \
      0x238bb9c78cf252e3)                                                                          \
    X(mma_m8n8k128_row_col_s32_b1_b1_s32_and_popc,                                                 \
      "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 1, 2, INT, INT, INT, 0,    \
      0x831a145f720eeb92)                                                                          \
    X(mma_m8n8k4_row_col_f32_f16_f16_f32, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 8, 2, \
      2, 8, F16, F16, F32, -126, 0x2d71f6808a533a21)                                               \
    X(mma_m8n8k4_row_col_f16_f16_f16_f16, "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", 4, 2, \
      2, 4, F16, F16, F16, -14, 0x3652fe1864770b7e)                                                \
    X(mma_m8n8k4_row_row_f32_f16_f16_f32, "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32", 8, 2, \
      2, 8, F16, F16, F32, -126, 0x8c8683a07926f30a)                                               \
    X(mma_m8n8k4_row_row_f16_f16_f16_f16, "mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16", 4, 2, \
      2, 4, F16, F16, F16, -14, 0x658ba9c302f8849c)                                                \
    X(mma_m8n8k4_col_col_f32_f16_f16_f32, "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32", 8, 2, \
      2, 8, F16, F16, F32, -126, 0x0c9f92309ce72a1d)                                               \
    X(mma_m8n8k4_col_col_f16_f16_f16_f16, "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16", 4, 2, \
      2, 4, F16, F16, F16, -14, 0x45ea852c0b49e364)                                                \
    X(mma_m8n8k4_col_row_f32_f16_f16_f32, "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32", 8, 2, \
      2, 8, F16, F16, F32, -126, 0xf062e83b8275368b)                                               \
    X(mma_m8n8k4_col_row_f16_f16_f16_f16, "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16", 4, 2, \
      2, 4, F16, F16, F16, -14, 0xb0a2d18d395a9f66)                                                \
    X(mma_m8n8k4_row_col_f32_f16_f16_f16, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16", 8, 2, \
      2, 4, F16, F16, F16, -126, 0x86ba421b9e633ed6)                                               \
    X(wmma_row_col_m16n16k16_f32_f32, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 8, 8, 8,  \
      8, F16, F16, F32, -126, 0x17d3d37fcb515ca8)                                                  \
    X(wmma_row_col_m16n16k16_f32_f16, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16", 8, 8, 8,  \
      4, F16, F16, F16, -126, 0xa369b30eafb137da)                                                  \
    X(wmma_row_col_m16n16k16_f16_f32, "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32", 4, 8, 8,  \
      8, F16, F16, F32, -14, 0xbce94fa7063ff4a3)                                                   \
    X(wmma_row_col_m16n16k16_f16_f16, "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16", 4, 8, 8,  \
      4, F16, F16, F16, -14, 0x35337131d0706bd6)                                                   \
    X(wmma_row_col_m16n16k16_f32_bf16_bf16_f32,                                                    \
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32", 8, 4, 4, 8, BF16, BF16, F32,    \
      -126, 0xcdf416129f671c24)                                                                    \
    X(wmma_row_col_m16n16k16_s32_s8_s8_s32,                                                        \
      "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32", 8, 2, 2, 8, INT, INT, INT, 0,       \
      0x492f1600f6395915)                                                                          \
    X(wmma_row_col_m16n16k16_s32_u8_u8_s32_satfinite,                                              \
      "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32.satfinite", 8, 2, 2, 8, INT, INT,     \
      INT, 0, 0xcc9417b5549b838a)                                                                  \
    X(wmma_row_col_m32n8k16_f32_f32, "wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32", 8, 8, 8, 8, \
      F16, F16, F32, -126, 0xdb130a166db644fe)                                                     \
    X(wmma_row_col_m32n8k16_f32_f16, "wmma.mma.sync.aligned.row.col.m32n8k16.f32.f16", 8, 8, 8, 4, \
      F16, F16, F16, -126, 0xc563f5bf000d59d7)                                                     \
    X(wmma_row_col_m32n8k16_f16_f32, "wmma.mma.sync.aligned.row.col.m32n8k16.f16.f32", 4, 8, 8, 8, \
      F16, F16, F32, -14, 0xb17a76858d464136)                                                      \
    X(wmma_row_col_m32n8k16_f16_f16, "wmma.mma.sync.aligned.row.col.m32n8k16.f16.f16", 4, 8, 8, 4, \
      F16, F16, F16, -14, 0xfb46b6ff24c04144)                                                      \
    X(wmma_row_col_m32n8k16_f32_bf16_bf16_f32,                                                     \
      "wmma.mma.sync.aligned.row.col.m32n8k16.f32.bf16.bf16.f32", 8, 8, 2, 8, BF16, BF16, F32,     \
      -126, 0xf97c92f04af8dd20)                                                                    \
    X(wmma_row_col_m32n8k16_s32_s8_s8_s32, "wmma.mma.sync.aligned.row.col.m32n8k16.s32.s8.s8.s32", \
      8, 4, 1, 8, INT, INT, INT, 0, 0xf2f2f5527c61ae56)                                            \
    X(wmma_row_col_m32n8k16_s32_u8_u8_s32_satfinite,                                               \
      "wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32.satfinite", 8, 4, 1, 8, INT, INT, INT, \
      0, 0x2aabe97177b78403)                                                                       \
    X(wmma_row_col_m8n32k16_f32_f32, "wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32", 8, 8, 8, 8, \
      F16, F16, F32, -126, 0xd1bb3494323659c3)                                                     \
    X(wmma_row_col_m8n32k16_f32_f16, "wmma.mma.sync.aligned.row.col.m8n32k16.f32.f16", 8, 8, 8, 4, \
      F16, F16, F16, -126, 0xf4fe86f9ca3c3fa1)                                                     \
    X(wmma_row_col_m8n32k16_f16_f32, "wmma.mma.sync.aligned.row.col.m8n32k16.f16.f32", 4, 8, 8, 8, \
      F16, F16, F32, -14, 0xbbdc7059d1a66e3b)                                                      \
    X(wmma_row_col_m8n32k16_f16_f16, "wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16", 4, 8, 8, 4, \
      F16, F16, F16, -14, 0x47986267d503379f)                                                      \
    X(wmma_row_col_m8n32k16_f32_bf16_bf16_f32,                                                     \
      "wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32", 8, 2, 8, 8, BF16, BF16, F32,     \
      -126, 0x9fea1d549747b30b)                                                                    \
    X(wmma_row_col_m8n32k16_s32_s8_s8_s32, "wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32", \
      8, 1, 4, 8, INT, INT, INT, 0, 0x1a7477220c91d2bd)                                            \
    X(wmma_row_col_m8n32k16_s32_u8_u8_s32_satfinite,                                               \
      "wmma.mma.sync.aligned.row.col.m8n32k16.s32.u8.u8.s32.satfinite", 8, 1, 4, 8, INT, INT, INT, \
      0, 0x6a8aef548833d2f6)                                                                       \
    X(wmma_row_col_m16n16k8_f32_tf32_tf32_f32,                                                     \
      "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", 8, 4, 4, 8, TF32, TF32, F32,     \
      -126, 0x23a7269a06a25690)                                                                    \
    X64(wmma_row_col_m8n8k4_f64_f64_f64_f64,                                                       \
        "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64", 2, 1, 1, 2, F64, F64, F64, -1022,  \
        0x6e421e8072870933)                                                                        \
    X(wmma_col_row_m16n16k16_f16_f16, "wmma.mma.sync.aligned.col.row.m16n16k16.f16.f16", 4, 8, 8,  \
      4, F16, F16, F16, -14, 0x35337131d0706bd6)

#define DEFINE(name, opcode, d, a, b, c, ...)   DEFINE_PRODUCT(name, opcode, d, a, b, c, "b32", "4")
#define DEFINE64(name, opcode, d, a, b, c, ...) DEFINE_PRODUCT(name, opcode, d, a, b, c, "b64", "8")
#define X                                       DEFINE
#define X64                                     DEFINE64
PRODUCTS(X)
#undef X
#undef X64

typedef void product_kernel(char *, const char *, const char *, const char *);

struct product {
    const char *opcode;
    product_kernel *kernel;
    int type_a, type_b, type_c, least_of_result;
    unsigned long long sum; // of 400 warps with seed 1, on an H200
};

static const struct product products[] = {
#define X(name, opcode, d, a, b, c, type_a, type_b, type_c, least, sum)                            \
    {opcode, name, type_a, type_b, type_c, least, sum##ull},
#define X64 X
    PRODUCTS(X)
#undef X
#undef X64
};

// Adds a hash of each word and its place.
static __global__ void add_up(const uint32_t *words, unsigned long long *sum)
{
    const size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    unsigned long long hash = mixed(at * 4294967291ull + words[at]);
    for (int distance = 16; distance > 0; distance /= 2)
        hash += __shfl_xor_sync(0xffffffff, hash, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, hash);
}

static void stop_on(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

static unsigned long long sum_of(const struct product *product, int warps, uint64_t seed)
{
    const int words = product->type_a == F64 ? 2 : 1; // of an element
    const size_t bytes = (size_t)warps * 8 * 32 * 4 * words;
    uint32_t *matrices[4];
    unsigned long long *sum, result;
    const int types[3] = {product->type_a, product->type_b, product->type_c};
    for (int i = 0; i < 4; i++)
        stop_on(cudaMalloc(&matrices[i], bytes), "cudaMalloc");
    stop_on(cudaMalloc(&sum, sizeof *sum), "cudaMalloc");
    stop_on(cudaMemset(sum, 0, sizeof *sum), "cudaMemset");
    for (int i = 0; i < 3; i++)
        fill<<<warps, 32>>>(matrices[i], 8, types[i], i, product->least_of_result, seed);
    product->kernel<<<warps, 32>>>((char *)matrices[3], (char *)matrices[0], (char *)matrices[1],
                                   (char *)matrices[2]);
    add_up<<<warps * words, 256>>>(matrices[3], sum);
    stop_on(cudaGetLastError(), product->opcode);
    stop_on(cudaDeviceSynchronize(), product->opcode);
    stop_on(cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (int i = 0; i < 4; i++)
        cudaFree(matrices[i]);
    cudaFree(sum);
    return result;
}

int main(int count, char **arguments)
{
    const int warps = count > 1 ? atoi(arguments[1]) : 400;
    const uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 0) : 1;
    int wrong = 0;
    for (const struct product &product : products) {
        const unsigned long long sum = sum_of(&product, warps, seed);
        if (count > 1) {
            printf("%-70s %016llx\n", product.opcode, sum);
        } else if (sum != product.sum) {
            fprintf(stderr, "%s: %016llx, but an H200 gives %016llx\n", product.opcode, sum,
                    product.sum);
            wrong++;
        }
    }
    return wrong != 0;
}
