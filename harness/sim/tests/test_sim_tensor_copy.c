/* Copies by tensor maps (cp.async.bulk.tensor), and reductions by the copy engine: what each
 * mistake is told. Two warps. `in` is a tensor map, followed by its tensor of 4 x 16 words; %rd5 is
 * the tensor's address, %r9 a tile in shared memory. Concerns sim/access. */
#include "sim_fixture.h"

#include "sim/memory/tensor_map.h"

#include <criterion/criterion.h>
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
