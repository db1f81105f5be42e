/* Barriers in shared memory (mbarrier): phases, arrivals and bytes; what is ordered by them, and
 * what each mistake is told. Two warps; %r10 is the thread's word of the tile, %r11 that of the
 * other warp's thread. Concerns sim/access. */
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

static struct fixture_result result;

static const char shared[] = ".shared .align 16 .b8 tile[256];\n.shared .align 8 .b64 full;\n"
                             ".shared .align 8 .b64 empty;\n";

#define BEGIN                                                                                      \
    "mov.u32 %r7, full;\nmov.u32 %r8, empty;\nmov.u32 %r9, tile;\n"                                \
    "mad.lo.u32 %r10, %r1, 4, %r9;\nxor.b32 %r12, %r1, 32;\nmad.lo.u32 %r11, %r12, 4, %r9;\n"      \
    "setp.eq.u32 %p1, %r1, 0;\nsetp.lt.u32 %p2, %r1, 32;\n"
#define INIT(count)       "@%p1 mbarrier.init.shared.b64 [%r7], " count ";\n"
#define INIT_EMPTY(count) "@%p1 mbarrier.init.shared.b64 [%r8], " count ";\n"
#define SYNC              "bar.sync 0;\n"
#define WRITE             "st.shared.u32 [%r10], %r1;\n"
#define READ              "ld.shared.u32 %r20, [%r11];\nst.global.u32 [%rd3], %r20;\n"
#define ARRIVE            "mbarrier.arrive.shared.b64 %rd20, [%r7];\n"
#define AWAIT(label)                                                                               \
    label ": mbarrier.try_wait.shared.b64 %p3, [%r7], %rd20;\n@!%p3 bra " label ";\n"
#define AWAIT_PARITY(label, barrier, parity)                                                       \
    label ": mbarrier.try_wait.parity.shared::cta.b64 %p3, [" barrier "], " parity ";\n"           \
          "@!%p3 bra " label ";\n"

static void expect(enum sim_status status, const char *body)
{
    sim_fixture_run(&(struct fixture){.declarations = shared, .body = body, .block = 64}, &result);
    cr_expect_eq(result.outcome.status, status, "status %d, not %d: %s\n%s", result.outcome.status,
                 status, result.outcome.message, body);
}

static void expect_text(const char *text)
{
    cr_expect(strstr(result.outcome.message, text), "not \"%s\" in: %s", text,
              result.outcome.message);
}

Test(sim_mbarrier, orders_all_that_arrive_and_wait)
{
    expect(SIM_OK, BEGIN INIT("64") SYNC WRITE ARRIVE AWAIT("L") READ);
    for (uint32_t i = 0; i < 64; i++)
        cr_expect_eq((uint32_t)result.out[i], i ^ 32);
    expect(SIM_OK,
           BEGIN INIT("64") "fence.mbarrier_init.release.cluster;\n" SYNC WRITE
                            "fence.proxy.async.shared::cta;\n" ARRIVE AWAIT_PARITY("L", "%r7", "0")
                                READ);
    expect(SIM_OK, BEGIN INIT("128") SYNC WRITE
           "mov.u32 %r5, 2;\nmbarrier.arrive.release.cta.shared::cta.b64 _, [%r7], "
           "%r5;\n" AWAIT_PARITY("L", "%r7", "0") READ);
}

/* One warp fills the tile, the other one reads it, three times: `full` and `empty` hand it over. */
#define TURNS(wait_for_empty, use)                                                                 \
    BEGIN INIT("32") INIT_EMPTY("32") SYNC                                                         \
        "mov.u32 %r30, 0;\nAGAIN:\nand.b32 %r31, %r30, 1;\nxor.b32 %r32, %r31, 1;\n"               \
        "@!%p2 bra READER;\n" wait_for_empty WRITE_TURN                                            \
        "mbarrier.arrive.shared.b64 _, [%r7];\nbra NEXT;\nREADER:\n" AWAIT_PARITY("F", "%r7",      \
                                                                                  "%r31") use      \
        "NEXT: add.u32 %r30, %r30, 1;\nsetp.lt.u32 %p4, %r30, 3;\n@%p4 bra AGAIN;\n"
#define WRITE_TURN "add.u32 %r34, %r1, %r30;\nst.shared.u32 [%r10], %r34;\n"
#define GIVE_BACK  "mbarrier.arrive.shared.b64 _, [%r8];\n"

Test(sim_mbarrier, hands_a_buffer_to_and_fro)
{
    expect(SIM_OK, TURNS(AWAIT_PARITY("E", "%r8", "%r32"), READ GIVE_BACK));
    /* The writer does not wait for the reader to be done. */
    expect(SIM_RACE, TURNS("", READ GIVE_BACK));
    expect_text("tile");
    /* The reader gives the buffer back before it has read it. */
    expect(SIM_RACE, TURNS(AWAIT_PARITY("E", "%r8", "%r32"), GIVE_BACK READ));
    expect_text("tile");
}

Test(sim_mbarrier, counts_bytes)
{
    expect(SIM_OK, BEGIN INIT("1") SYNC
           "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r7], 256;\n" SYNC
           "@%p1 mbarrier.complete_tx.relaxed.cta.shared.b64 [%r7], 128;\n"
           "@%p1 mbarrier.complete_tx.shared.b64 [%r7], 128;\n" AWAIT_PARITY("L", "%r7", "0"));
    expect(SIM_TIMEOUT, BEGIN INIT("1") SYNC
           "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r7], 256;\n"
           "@%p1 mbarrier.complete_tx.shared.b64 [%r7], 128;\n" AWAIT_PARITY("L", "%r7", "0"));
    expect_text("128 of the expected bytes never come");
}

Test(sim_mbarrier, is_dropped_from_and_looked_at)
{
    expect(SIM_OK, BEGIN INIT("64") SYNC
           "@%p2 bra DROP;\n"
           "mbarrier.arrive.shared.b64 %rd20, [%r7];\nbra GO;\n"
           "DROP: mbarrier.arrive_drop.shared.b64 %rd20, [%r7];\nGO:\n" AWAIT("L") SYNC
           "@%p2 bra END;\nmbarrier.arrive.shared.b64 %rd20, [%r7];\n" AWAIT("M") "END:\n");
    expect(SIM_OK, BEGIN INIT("64") SYNC ARRIVE
           "mbarrier.pending_count.b64 %r20, %rd20;\nst.global.u32 [%rd3], %r20;\n" AWAIT("L") SYNC
           "@%p1 mbarrier.inval.shared.b64 [%r7];\n");
    cr_expect_eq((uint32_t)result.out[0], 64);
    cr_expect_eq((uint32_t)result.out[63], 1);
}

Test(sim_mbarrier, that_nobody_initialised)
{
    expect(SIM_UNINITIALIZED, BEGIN WRITE ARRIVE AWAIT("L") READ);
    expect_text("no mbarrier.init");
    expect_text("full");
    expect(SIM_RACE, BEGIN INIT("64") WRITE ARRIVE AWAIT("L") READ);
    expect(SIM_UNINITIALIZED, BEGIN INIT("64") SYNC ARRIVE AWAIT("L") SYNC
           "@%p1 mbarrier.inval.shared.b64 [%r7];\n" SYNC ARRIVE);
    expect(SIM_MISALIGNED, BEGIN "add.u32 %r7, %r7, 4;\n" INIT("64"));
    expect(SIM_DIVERGENT_BARRIER, BEGIN INIT("0"));
}

Test(sim_mbarrier, with_another_count_than_there_are_arrivals)
{
    expect(SIM_DIVERGENT_BARRIER, BEGIN INIT("48") SYNC WRITE
           "mov.u32 %r5, 32;\nmbarrier.arrive.shared.b64 %rd20, [%r7], %r5;\n");
    expect_text("only 16 are left");
    expect(SIM_TIMEOUT, BEGIN INIT("65") SYNC WRITE ARRIVE AWAIT("L") READ);
    expect_text("1 of 65 arrivals are missing");
    expect_text("full");
    expect(SIM_TIMEOUT, BEGIN INIT("64") SYNC WRITE ARRIVE AWAIT_PARITY("L", "%r7", "0")
                            AWAIT_PARITY("M", "%r7", "1") READ);
    expect_text("is the parity that of the wanted phase");
    expect(SIM_DIVERGENT_BARRIER, BEGIN INIT("2") SYNC WRITE ARRIVE);
    expect_text("32 lanes of a warp arrive at");
    expect_text("its count of 2 makes that several phases");
    expect(SIM_OK, BEGIN INIT("32") SYNC WRITE ARRIVE);
    /* Of two waits that never end, that of the second warp is short of arrivals. */
    expect(SIM_TIMEOUT, BEGIN INIT("1") INIT_EMPTY("33") SYNC
           "@%p2 mbarrier.arrive.shared.b64 _, [%r8];\n"
           "@%p2 bra L;\n" AWAIT_PARITY("E", "%r7", "0") "L:\n" AWAIT_PARITY("M", "%r8", "0"));
    expect_text("1 of 33 arrivals are missing");
}

Test(sim_mbarrier, that_is_not_waited_for)
{
    expect(SIM_RACE, BEGIN INIT("64") SYNC WRITE ARRIVE READ);
    expect(SIM_RACE, BEGIN INIT("64") SYNC WRITE ARRIVE AWAIT_PARITY("L", "%r7", "1") READ);
    expect_text("tile");
}

Test(sim_mbarrier, counts_copies_as_arrivals)
{
#define COPY "mad.wide.u32 %rd10, %r1, 4, %rd2;\ncp.async.ca.shared.global [%r10], [%rd10], 4;\n"
    const uint64_t in[64] = {1, 2, 3};
    const struct fixture fixture = {
        .declarations = shared,
        .body = BEGIN INIT("64") SYNC COPY
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%r7];\n" AWAIT_PARITY("L", "%r7", "0") READ,
        .block = 64,
        .in = in,
        .in_count = 64};
    sim_fixture_run(&fixture, &result);
    cr_expect_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
    cr_expect_eq((uint32_t)result.out[34], 2);
}

/* ---- Bulk copies ---- */

#define BULK_IN(size)                                                                              \
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd2], " size  \
    ", [%r7];\n"
#define EXPECT(bytes)   "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r7], " bytes ";\n"
#define BULK_OUT        "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r9], 256;\n"
#define COMMIT_AND_WAIT "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group.read 0;\n"
#define PROXY           "fence.proxy.async.shared::cta;\n"

static void expect_bulk(enum sim_status status, const char *body)
{
    static const uint64_t in[64] = {1, 2, 3, [31] = 99};
    sim_fixture_run(
        &(struct fixture){
            .declarations = shared, .body = body, .block = 64, .in = in, .in_count = 64},
        &result);
    cr_expect_eq(result.outcome.status, status, "status %d, not %d: %s\n%s", result.outcome.status,
                 status, result.outcome.message, body);
}

Test(sim_bulk, copies_are_waited_for_by_their_barrier)
{
    expect_bulk(SIM_OK, BEGIN INIT("1") SYNC EXPECT("256") BULK_IN("256")
                            AWAIT_PARITY("L", "%r7", "0") READ);
    cr_expect_eq((uint32_t)result.out[30], 99); /* word 62, the low half of in[31] */
    expect_bulk(SIM_OK, BEGIN INIT("1") SYNC EXPECT("256")
                            BULK_IN("128") "add.u32 %r9, %r9, 128;\n"
                                           "add.u64 %rd2, %rd2, 128;\n" BULK_IN("128")
                                               AWAIT_PARITY("L", "%r7", "0") READ);
    expect_bulk(SIM_RACE, BEGIN INIT("1") SYNC EXPECT("256") BULK_IN("256") READ);
    expect_text("a bulk copy");
    expect_text("tile");
    /* A barrier of the block does not wait for the copy, not even in the thread that began it. */
    expect_bulk(SIM_RACE, BEGIN INIT("1") SYNC EXPECT("256") BULK_IN("256") SYNC READ);
    expect_bulk(SIM_RACE,
                BEGIN INIT("1") SYNC EXPECT("256") BULK_IN(
                    "256") "@%p1 ld.shared.u32 %r20, [%r9];\n" AWAIT_PARITY("L", "%r7", "0"));
}

Test(sim_bulk, bytes_are_those_that_are_expected)
{
    expect_bulk(SIM_TIMEOUT, BEGIN INIT("1") SYNC EXPECT("512") BULK_IN("256")
                                 AWAIT_PARITY("L", "%r7", "0") READ);
    expect_text("256 of the expected bytes never come");
    expect_bulk(SIM_TIMEOUT, BEGIN INIT("1") SYNC EXPECT("128") BULK_IN("256")
                                 AWAIT_PARITY("L", "%r7", "0") READ);
    expect_text("128 bytes more have come than were expected");
    expect_bulk(SIM_UNINITIALIZED, BEGIN BULK_IN("256"));
    expect_text("no mbarrier.init");
}

Test(sim_bulk, addresses_and_sizes_are_multiples_of_16)
{
    expect_bulk(SIM_MISALIGNED, BEGIN INIT("1") SYNC EXPECT("256") BULK_IN("24"));
    expect_text("size is 24");
    expect_bulk(SIM_MISALIGNED, BEGIN INIT("1") SYNC "add.u64 %rd2, %rd2, 8;\n" BULK_IN("256"));
    expect_bulk(SIM_OUT_OF_BOUNDS, BEGIN INIT("1") SYNC BULK_IN("512"));
    expect_bulk(SIM_OUT_OF_BOUNDS,
                BEGIN INIT("1") SYNC "add.u64 %rd2, %rd2, 400;\n" BULK_IN("256"));
}

Test(sim_bulk, what_ordinary_stores_wrote_needs_a_fence)
{
    expect_bulk(SIM_OK, BEGIN WRITE PROXY SYNC BULK_OUT COMMIT_AND_WAIT);
    cr_expect_eq(result.out[1], 2 | UINT64_C(3) << 32);
    expect_bulk(SIM_RACE, BEGIN WRITE SYNC BULK_OUT COMMIT_AND_WAIT);
    expect_text("fence.proxy.async");
    expect_bulk(SIM_RACE, BEGIN WRITE SYNC PROXY BULK_OUT COMMIT_AND_WAIT);
    expect_text("each thread that writes");
    expect_bulk(SIM_RACE, BEGIN WRITE PROXY BULK_OUT COMMIT_AND_WAIT);
}

Test(sim_bulk, a_source_is_in_use_until_its_group_has_been_waited_for)
{
#define AGAIN "add.u32 %r20, %r1, 5;\nst.shared.u32 [%r10], %r20;\n"
    expect_bulk(SIM_OK, BEGIN WRITE PROXY SYNC BULK_OUT COMMIT_AND_WAIT SYNC AGAIN);
    expect_bulk(SIM_RACE,
                BEGIN WRITE PROXY SYNC BULK_OUT "@%p1 cp.async.bulk.commit_group;\n" SYNC AGAIN);
    expect_text("a bulk copy");
    expect_bulk(SIM_RACE, BEGIN WRITE PROXY SYNC BULK_OUT
                "@%p1 cp.async.bulk.commit_group;\n"
                "@%p1 cp.async.bulk.wait_group.read 1;\n" SYNC AGAIN);
    expect_bulk(SIM_RACE, BEGIN WRITE PROXY SYNC BULK_OUT COMMIT_AND_WAIT AGAIN);
    expect_bulk(SIM_RACE, BEGIN WRITE PROXY SYNC BULK_OUT "@%p1 cp.async.bulk.commit_group;\n");
    expect_text("goes on in shared memory while its block ends");
    expect_bulk(SIM_RACE, BEGIN INIT("1") SYNC EXPECT("256") BULK_IN("256"));
    expect_text("goes on in shared memory while its block ends");
}

Test(sim_bulk, copies_are_in_no_order_among_each_other)
{
    expect_bulk(SIM_RACE, BEGIN INIT("1") SYNC EXPECT("256") BULK_IN("256")
                              BULK_OUT COMMIT_AND_WAIT AWAIT_PARITY("L", "%r7", "0"));
    expect_text("this read by a bulk copy and the write");
    expect_bulk(SIM_RACE, BEGIN INIT("1") SYNC EXPECT("512")
                              BULK_IN("256") "add.u64 %rd2, %rd2, 16;\n" BULK_IN("256")
                                  AWAIT_PARITY("L", "%r7", "0"));
    expect_text("this write by a bulk copy and the write");
    expect_bulk(SIM_OK, BEGIN INIT("1") SYNC EXPECT("256") BULK_IN("256")
                            AWAIT_PARITY("L", "%r7", "0") BULK_OUT COMMIT_AND_WAIT);
}
