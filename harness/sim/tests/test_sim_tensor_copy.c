/* Copies by tensor maps (cp.async.bulk.tensor), and reductions by the copy engine: what each
 * mistake is told. Two warps. `in` is a tensor map, followed by its tensor of 4 x 16 words; %rd5 is
 * the tensor's address, %r9 a tile in shared memory. Concerns sim/access. */
#include "sim_fixture.h"

#include "sim/memory/tensor_map.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 16, HEIGHT = 4, BOX_WIDTH = 8, BOX_HEIGHT = 2, MAP_WORDS = TENSOR_MAP_BYTES / 8 };

static struct fixture_result result;

static const char shared[] = ".shared .align 128 .b8 tile[256];\n.shared .align 8 .b64 full;\n";

static const struct tensor_map plain = {.magic = TENSOR_MAP_MAGIC,
                                        .strides = {4, WIDTH * 4},
                                        .last = {WIDTH - 1, HEIGHT - 1},
                                        .box = {BOX_WIDTH, BOX_HEIGHT},
                                        .steps = {1, 1},
                                        .rank = 2,
                                        .type = TENSOR_U32};

/* The map learns where its tensor is. */
#define BEGIN                                                                                      \
    "mov.u32 %r7, full;\nmov.u32 %r9, tile;\nmad.lo.u32 %r10, %r1, 4, %r9;\n"                      \
    "setp.eq.u32 %p1, %r1, 0;\nsetp.lt.u32 %p2, %r1, 16;\nadd.u64 %rd5, %rd2, 128;\n"              \
    "@%p1 st.global.u64 [%rd2+8], %rd5;\nmov.u64 %rd6, %rd2;\nmov.u32 %r20, 0;\n"                  \
    "@%p1 fence.proxy.tensormap::generic.release.gpu;\n"                                           \
    "@%p1 fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;\n"                               \
    "@%p1 mbarrier.init.shared.b64 [%r7], 1;\nbar.sync 0;\n"
#define EXPECT "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r7], 64;\n"
#define LOAD_OF(dimensions, more, coordinates, last)                                               \
    "@%p1 cp.async.bulk.tensor." dimensions ".shared::cluster.global" more                         \
    ".mbarrier::complete_tx::bytes" last " [%r9], [%rd6, {" coordinates "}], [%r7]"
#define LOAD  LOAD_OF("2d", "", "%r20, 1", "") ";\n"
#define AWAIT "L: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7], 0;\n@!%p3 bra L;\n"
#define READ  "@%p2 ld.shared.u32 %r21, [%r10];\n@%p2 st.global.u32 [%rd3], %r21;\n"
#define WRITE "@%p2 st.shared.u32 [%r10], %r1;\n"
#define PROXY "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
#define STORE                                                                                      \
    "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd6, {%r20, 1}], [%r9];\n"
#define COMMIT_AND_WAIT "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group.read 0;\n"

static void expect(enum sim_status status, const char *text, const struct tensor_map *map,
                   const char *body)
{
    uint64_t in[MAP_WORDS + WIDTH * HEIGHT / 2] = {0};
    memcpy(in, map, sizeof *map);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        memcpy((char *)&in[MAP_WORDS] + 4 * i, &(uint32_t){100 + i}, 4);
    sim_fixture_run(&(struct fixture){.declarations = shared,
                                      .body = body,
                                      .block = 64,
                                      .in = in,
                                      .in_count = sizeof in / sizeof in[0]},
                    &result);
    cr_expect_eq(result.outcome.status, status, "status %d, not %d: %s\n%s", result.outcome.status,
                 status, result.outcome.message, body);
    cr_expect(strstr(result.outcome.message, text), "not \"%s\" in: %s", text,
              result.outcome.message);
}

Test(sim_tensor_copy, is_waited_for_by_its_barrier)
{
    expect(SIM_OK, "", &plain, BEGIN EXPECT LOAD AWAIT READ);
    cr_expect_eq((uint32_t)result.out[0], 100 + WIDTH);
    cr_expect_eq((uint32_t)result.out[BOX_WIDTH + 3], 100 + 2 * WIDTH + 3);
    expect(SIM_RACE, "a bulk copy", &plain, BEGIN EXPECT LOAD READ);
    expect(SIM_RACE, "tile", &plain, BEGIN EXPECT LOAD "bar.sync 0;\n" READ);
    expect(SIM_RACE, "a bulk copy", &plain, BEGIN EXPECT LOAD WRITE AWAIT);
    expect(SIM_TIMEOUT, "64 of the expected bytes never come", &plain, BEGIN EXPECT AWAIT);
}

Test(sim_tensor_copy, has_a_source_that_must_be_fenced_and_left_alone)
{
#define AGAIN "add.u32 %r22, %r1, 5;\n@%p2 st.shared.u32 [%r10], %r22;\n"
    expect(SIM_OK, "", &plain, BEGIN WRITE PROXY STORE COMMIT_AND_WAIT "bar.sync 0;\n" AGAIN);
    expect(SIM_RACE, "fence.proxy.async", &plain,
           BEGIN WRITE "bar.sync 0;\n" STORE COMMIT_AND_WAIT);
    expect(SIM_RACE, "a bulk copy", &plain,
           BEGIN WRITE PROXY STORE "@%p1 cp.async.bulk.commit_group;\nbar.sync 0;\n" AGAIN);
}

/* A bulk copy without a map: the fixture's `in` cannot be both protected and a map that it changes.
 */
Test(sim_tensor_copy, of_a_group_changes_global_memory)
{
    const uint64_t in[8] = {0};
    sim_fixture_run(
        &(struct fixture){
            .declarations = shared,
            .body =
                "mov.u32 %r9, tile;\nmad.lo.u32 %r10, %r1, 4, %r9;\nst.shared.u32 [%r10], %r1;\n"
                "setp.eq.u32 %p1, %r1, 0;\n" PROXY
                "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r9], 64;\n",
            .block = 64,
            .in = in,
            .in_count = 8,
            .in_protected = true},
        &result);
    cr_expect_eq(result.outcome.status, SIM_INPUT_MODIFIED, "%s", result.outcome.message);
}

Test(sim_tensor_copy, needs_a_map_that_is_one)
{
    expect(SIM_OUT_OF_BOUNDS, "is no tensor map", &(struct tensor_map){.rank = 2},
           BEGIN EXPECT LOAD);
    expect(SIM_OUT_OF_BOUNDS, "__grid_constant__", &plain,
           BEGIN "mov.u32 %r21, tile;\ncvt.u64.u32 %rd6, %r21;\n"
                 "cvta.shared.u64 %rd6, %rd6;\n" EXPECT LOAD);
    expect(SIM_MISALIGNED, "no multiple of 64", &plain,
           BEGIN "add.u64 %rd6, %rd6, 32;\n" EXPECT LOAD);
    expect(SIM_OUT_OF_BOUNDS, "", &plain, BEGIN "add.u64 %rd6, %rd6, 4096;\n" WRITE PROXY STORE);
    expect(SIM_OUT_OF_BOUNDS, "is no tensor map", &(struct tensor_map){.rank = 2},
           BEGIN "@%p1 cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd6, {%r20, 1}];\n");
}

/* The tensor as 2 images with 2 slices of 4 pixels: the box has 2 pixels of slice 1 of both images,
 * and no other slice, although the map's box has two. */
Test(sim_tensor_copy, takes_one_slice_of_an_interleaved_tensor)
{
    struct tensor_map map = {.magic = TENSOR_MAP_MAGIC,
                             .strides = {16, 64, 128},
                             .last = {3, 1, 1},
                             .box = {2, 2, 2},
                             .steps = {1, 1, 1},
                             .rank = 3,
                             .type = TENSOR_U32,
                             .is_interleaved = true};
    expect(SIM_OK, "", &map, BEGIN EXPECT LOAD_OF("3d", "", "3, 1, 0", "") ";\n" AWAIT READ);
    cr_expect_eq((uint32_t)result.out[0], 100 + 16 + 12);
    cr_expect_eq((uint32_t)result.out[3], 100 + 16 + 15);
    cr_expect_eq((uint32_t)result.out[4], 0, "pixel 4 is outside");
    cr_expect_eq((uint32_t)result.out[8], 100 + 48 + 12);
    map.span = 32;
    expect(SIM_UNSUPPORTED, "CU_TENSOR_MAP_INTERLEAVE_16B and a swizzle", &map,
           BEGIN EXPECT LOAD_OF("3d", "", "3, 1, 0", "") ";\n");
}

Test(sim_tensor_copy, is_of_the_rank_and_mode_of_its_map)
{
    expect(SIM_OUT_OF_BOUNDS, "3 coordinates for a tensor map that was encoded with 2", &plain,
           BEGIN EXPECT LOAD_OF("3d", "", "0, 0, 0", "") ";\n");
    struct tensor_map map = plain;
    map.rank = 3;
    expect(SIM_OUT_OF_BOUNDS, "cuTensorMapEncodeTiled", &map,
           BEGIN "mov.u16 %h1, 0;\n" EXPECT LOAD_OF("3d", ".im2col", "0, 0, 0", "") ", {%h1};\n");
    map.is_im2col = true;
    expect(SIM_OUT_OF_BOUNDS, "cuTensorMapEncodeIm2col", &map,
           BEGIN EXPECT LOAD_OF("3d", ".tile", "0, 0, 0", "") ";\n");
    expect(SIM_UNSUPPORTED, "gather4", &plain,
           BEGIN EXPECT LOAD_OF("2d", ".tile::gather4", "0, 0, 0, 0, 0", "") ";\n");
}

Test(sim_tensor_copy, fits_its_place)
{
    struct tensor_map map = plain;
    expect(SIM_MISALIGNED, "no multiple of 128", &plain,
           BEGIN "add.u32 %r9, %r9, 64;\n" EXPECT LOAD);
    map.box[0] = WIDTH;
    map.box[1] = 5;
    expect(SIM_OUT_OF_BOUNDS, "takes 320 bytes of shared memory", &map, BEGIN EXPECT LOAD);
    expect(SIM_OUT_OF_BOUNDS, "coordinate 0 is -4", &plain,
           BEGIN "mov.u32 %r20, -4;\n" WRITE PROXY STORE COMMIT_AND_WAIT);
    expect(SIM_MISALIGNED, "coordinate, 1, is byte 4 of a row", &plain,
           BEGIN "mov.u32 %r20, 1;\n" EXPECT LOAD);
    map = plain;
    map.last[1] = 1000;
    expect(SIM_OUT_OF_BOUNDS, "", &map, BEGIN EXPECT LOAD_OF("2d", "", "0, 500", "") ";\n");
}

Test(sim_tensor_copy, reaches_its_own_block)
{
#define TO_BLOCKS(mask)                                                                            \
    BEGIN "mov.u16 %h1, " mask                                                                     \
          ";\n" EXPECT LOAD_OF("2d", "", "%r20, 1", ".multicast::cluster") ", %h1;\n" AWAIT READ
    expect(SIM_OK, "", &plain, TO_BLOCKS("1"));
    cr_expect_eq((uint32_t)result.out[0], 100 + WIDTH);
    expect(SIM_OUT_OF_BOUNDS, "blocks 0x3: a bit stands for a rank", &plain, TO_BLOCKS("3"));
}

/* ---- Reductions ---- */

/* The tile holds 16 words that are `with`; the tensor's row 1 becomes what they make of it. */
static uint32_t reduced(enum tensor_type type, const char *operation, uint32_t with,
                        enum sim_status status)
{
    static char body[4000];
    struct tensor_map map = plain;
    map.type = (uint8_t)type;
    const unsigned bytes = type == TENSOR_F16 || type == TENSOR_BF16  ? 2
                           : type == TENSOR_U64 || type == TENSOR_F64 ? 8
                                                                      : 4;
    map.strides[0] = bytes;
    map.last[0] = WIDTH * 4 / bytes - 1;
    map.box[0] = (uint16_t)(BOX_WIDTH * 4 / bytes);
    snprintf(body, sizeof body,
             "%smov.u32 %%r23, %u;\n@%%p2 st.shared.u32 [%%r10], %%r23;\n%s"
             "@%%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.%s.tile.bulk_group "
             "[%%rd6, {%%r20, 1}], [%%r9];\n%s"
             "@%%p1 ld.global.u32 %%r24, [%%rd5+64];\n@%%p1 st.global.u32 [%%rd3], %%r24;\n",
             BEGIN, with, PROXY, operation, COMMIT_AND_WAIT);
    expect(status, status == SIM_OK ? "" : operation, &map, body);
    return (uint32_t)result.out[0];
}

Test(sim_tensor_copy, reduces_elements_of_the_type_of_its_map)
{
    enum { OLD = 100 + WIDTH };
    cr_expect_eq(reduced(TENSOR_U32, "add", 7, SIM_OK), OLD + 7);
    cr_expect_eq(reduced(TENSOR_U32, "min", 7, SIM_OK), 7);
    cr_expect_eq(reduced(TENSOR_S32, "max", UINT32_MAX, SIM_OK), OLD);
    cr_expect_eq(reduced(TENSOR_U32, "max", UINT32_MAX, SIM_OK), UINT32_MAX);
    cr_expect_eq(reduced(TENSOR_U32, "inc", OLD, SIM_OK), 0);
    cr_expect_eq(reduced(TENSOR_U32, "dec", 7, SIM_OK), 7);
    cr_expect_eq(reduced(TENSOR_S32, "and", 0x14, SIM_OK), OLD & 0x14);
    cr_expect_eq(reduced(TENSOR_U32, "or", 3, SIM_OK), OLD | 3);
    cr_expect_eq(reduced(TENSOR_U64, "xor", 5, SIM_OK), OLD ^ 5);
    cr_expect_eq(reduced(TENSOR_F16, "add", 0x3c003c00, SIM_OK), 0x3c003c00);
    cr_expect_eq(reduced(TENSOR_F16, "min", 0xbc007e00, SIM_OK), 0xbc000000 | OLD);
    cr_expect_eq(reduced(TENSOR_BF16, "max", 0x80004000, SIM_OK), 0x4000);
    cr_expect_eq(reduced(TENSOR_F32, "add", 0x3f800000, SIM_OK), 0x3f800000);
    cr_expect_eq(reduced(TENSOR_F32, "add", 1, SIM_OK), OLD + 1);
    cr_expect_eq(reduced(TENSOR_F32_FTZ, "add", 1, SIM_OK), 0);
    reduced(TENSOR_F64, "add", 0, SIM_UNSUPPORTED);
    reduced(TENSOR_F32, "min", 0, SIM_UNSUPPORTED);
    reduced(TENSOR_S32, "inc", 0, SIM_UNSUPPORTED);
    reduced(TENSOR_U32, "exch", 0, SIM_UNSUPPORTED);
}

/* cp.reduce.async.bulk: 16 words `with`, to row 1 of the tensor, or to shared memory behind them.
 */
static uint64_t bulk_reduced(const char *operation, uint64_t with)
{
    static char body[4000];
    const bool is_to_shared = strncmp(operation, "shared", 6) == 0;
    snprintf(body, sizeof body,
             "%ssetp.lt.u32 %%p2, %%r1, 8;\nmad.lo.u32 %%r11, %%r1, 8, %%r9;\n"
             "mov.u64 %%rd7, %llu;\n@%%p2 st.shared.u64 [%%r11], %%rd7;\n"
             "@%%p2 st.shared.u64 [%%r11+64], 116;\n%s%sadd.u64 %%rd6, %%rd5, 64;\n"
             "add.u32 %%r25, %%r9, 64;\n@%%p1 cp.reduce.async.bulk.%s [%s], [%%r9], 64%s;\n%s%s"
             "@%%p1 ld.%s.u64 %%rd8, [%s];\n@%%p1 st.global.u64 [%%rd3], %%rd8;\n",
             BEGIN, (unsigned long long)with, PROXY, EXPECT, operation,
             is_to_shared ? "%r25" : "%rd6", is_to_shared ? ", [%r7]" : "", COMMIT_AND_WAIT,
             is_to_shared ? AWAIT : "", is_to_shared ? "shared" : "global",
             is_to_shared ? "%r25" : "%rd6");
    expect(SIM_OK, "", &plain, body);
    return result.out[0];
}

Test(sim_tensor_copy, reduces_without_a_map)
{
#define GROUP   "global.shared::cta.bulk_group."
#define BARRIER "shared::cluster.shared::cta.mbarrier::complete_tx::bytes."
    const uint64_t old = 116 | UINT64_C(117) << 32;
    cr_expect_eq(bulk_reduced(GROUP "add.u32", 3), old + 3);
    cr_expect_eq(bulk_reduced(GROUP "add.u64", UINT64_MAX), old - 1);
    cr_expect_eq(bulk_reduced(GROUP "min.s64", UINT64_MAX), UINT64_MAX);
    cr_expect_eq(bulk_reduced(GROUP "max.s64", UINT64_MAX), old);
    cr_expect_eq(bulk_reduced(GROUP "xor.b64", 3), old ^ 3);
    cr_expect_eq(bulk_reduced(GROUP "inc.u32", 116 | UINT64_C(118) << 32), UINT64_C(118) << 32);
    cr_expect_eq(bulk_reduced(GROUP "L2::cache_hint.or.b32", 3), old | 3);
    cr_expect_eq(bulk_reduced(GROUP "add.f32", 1), 0);
    cr_expect_eq(bulk_reduced(GROUP "add.f64", sim_fixture_bits64(2)), sim_fixture_bits64(2));
    cr_expect_eq(bulk_reduced(GROUP "add.noftz.f16", 0x3c00), (old & ~UINT64_C(0xffff)) | 0x3c00);
    cr_expect_eq(bulk_reduced(GROUP "add.noftz.bf16", 0), old);
    cr_expect_eq(bulk_reduced(GROUP "max.bf16", 0x7fc0), old);
    cr_expect_eq(bulk_reduced(BARRIER "add.u64", 5), 121);
    cr_expect_eq(bulk_reduced(BARRIER "min.u32", 5), 5);
    cr_expect_eq(bulk_reduced(BARRIER "dec.u32", 5), 5 | UINT64_C(0) << 32);
    cr_expect_eq(bulk_reduced(BARRIER "and.b32", 20), 116 & 20);
    expect(SIM_UNSUPPORTED, "exch", &plain,
           BEGIN "@%p1 cp.reduce.async.bulk." GROUP "exch.b32 [%rd5], [%r9], 64;\n");
    expect(SIM_RACE, "a bulk copy", &plain,
           BEGIN WRITE PROXY EXPECT
           "add.u32 %r25, %r9, 64;\n@%p2 st.shared.u32 [%r10+64], 1;\n" PROXY
           "@%p1 cp.reduce.async.bulk." BARRIER "add.u32 [%r25], [%r9], 64, [%r7];\n"
           "@%p2 ld.shared.u32 %r21, [%r10+64];\n" AWAIT);
}
