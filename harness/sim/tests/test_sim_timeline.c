/* The warps of a block over time, on cases worked out by hand: who waits for what, and how long.
 * Concerns sim/counting. */
#include "sim/counting/executed.h"
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct fixture_result result;

/* Round figures, and few enough cycles that no two add up to a third. */
static const struct sim_gpu_profile gpu = {.schedulers = 4,
                                           .arithmetic_latency = 4,
                                           .shared_latency = 30,
                                           .l1_latency = 40,
                                           .l2_latency = 200,
                                           .dram_latency = 600,
                                           .barrier_latency = 20,
                                           .sm_count = 1,
                                           .clock_khz = 1000000,
                                           .l2_gb_per_s = 64, /* 64 bytes in a cycle */
                                           .tensor_f16 = 1024,
                                           .tensor_mma_share = 0.5,
                                           .tensor_latency = 33};

static const struct lab_sim_timeline *run(const char *body, unsigned threads)
{
    static const uint64_t in[4096];
    sim_watch_set(true, 0, 0);
    sim_count_set(true);
    sim_fixture_run(&(struct fixture){.declarations = ".shared .align 16 .b8 s[8192];\n",
                                      .body = body,
                                      .in = in,
                                      .in_count = 4096,
                                      .block = threads,
                                      .gpu = &gpu},
                    &result);
    cr_assert_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
    sim_count_set(false);
    sim_watch_set(false, 0, 0);
    return sim_executed_timeline();
}

/* Cycles of the first warps' waits of a kind that the body adds to those of the text before it. */
static void expect(enum lab_sim_span_kind kind, unsigned cycles, const char *body)
{
    const struct lab_sim_timeline *const timeline = run(body, 32);
    cr_assert(timeline);
    cr_expect_eq(timeline->sums[kind], cycles, "%u, not %u: %s", (unsigned)timeline->sums[kind],
                 cycles, body);
}

#define GLOBAL(reg, at) "ld.global.u32 %" reg ", [" at "];\n"
#define USE(reg)        "add.u32 %r40, %" reg ", 1;\n"
#define BARRIER         "bar.sync 0;\n"
#define HERE            "mad.wide.u32 %rd10, %r1, 4, %rd2;\n" BARRIER

Test(timeline, is_of_a_watched_block_alone)
{
    sim_count_set(true);
    sim_fixture_run(&(struct fixture){.body = HERE, .gpu = &gpu}, &result);
    sim_count_set(false);
    cr_expect_null(sim_executed_timeline());
    cr_expect_not_null(run(HERE, 32));
}

/* An instruction issues when its value is there: 600 cycles after the load, of which 599 are
 * between. What the block has touched comes from L1, or from L2 where it goes past L1. */
Test(timeline, loads_from_global_memory)
{
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 0, HERE);
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 599, HERE GLOBAL("r10", "%rd10") USE("r10"));
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 599 + 39,
           HERE GLOBAL("r10", "%rd10") USE("r10") BARRIER GLOBAL("r11", "%rd10") USE("r11"));
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 599 + 199,
           HERE GLOBAL("r10", "%rd10") USE("r10") BARRIER
           "ld.global.cg.u32 %r11, [%rd10];\n" USE("r11"));
}

/* However many other sectors the block has touched since: here 768. */
Test(timeline, what_was_touched_long_ago_is_in_l1)
{
#define AHEAD   "add.u64 %rd11, %rd11, 1024;\nld.global.u32 %r20, [%rd11];\n"
#define AHEAD_8 AHEAD AHEAD AHEAD AHEAD AHEAD AHEAD AHEAD AHEAD
    static const char others[] = HERE GLOBAL("r10", "%rd10")
        USE("r10") "mad.wide.u32 %rd11, %r1, 32, %rd2;\n" AHEAD_8 AHEAD_8 AHEAD_8
                   "add.u32 %r40, %r20, 1;\n" BARRIER;
    char again[sizeof others + 256];
    snprintf(again, sizeof again, "%s%s", others, GLOBAL("r11", "%rd10") USE("r11"));
    const uint64_t before = run(others, 32)->sums[LAB_SIM_WAITS_FOR_GLOBAL];
    expect(LAB_SIM_WAITS_FOR_GLOBAL, (unsigned)before + 39, again);
}

/* ptxas issues the second load ahead of the first one's use, behind a store to shared memory, too,
 * but not past a barrier, or a store to the same memory. */
Test(timeline, loads_are_issued_early)
{
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 598,
           HERE GLOBAL("r10", "%rd10") USE("r10") GLOBAL("r11", "%rd10+1024") USE("r11"));
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 598,
           HERE GLOBAL("r10", "%rd10") "st.shared.u32 [s], %r10;\n" GLOBAL("r11", "%rd10+1024")
               USE("r11"));
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 2 * 599,
           HERE GLOBAL("r10", "%rd10") USE("r10") BARRIER GLOBAL("r11", "%rd10+1024") USE("r11"));
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 2 * 599,
           HERE GLOBAL("r10", "%rd10") "st.global.u32 [%rd3], %r10;\n" GLOBAL("r11", "%rd10+1024")
               USE("r11"));
}

/* Loads from shared memory take no place from those of global memory. Of two that need what others
 * bring each, both go when the first of those has been waited for: 598 cycles, and 594 from the
 * first use of what they bring, with 4 more to the second. */
Test(timeline, loads_of_other_kinds_and_of_addresses)
{
#define PAIR  "ld.shared.u32 %r20, [s+4];\nadd.u32 %r41, %r41, %r20;\n"
#define PAIRS PAIR PAIR PAIR PAIR PAIR
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 598 - 8,
           "st.shared.u32 [s+4], 0;\n" HERE GLOBAL("r10", "%rd10") USE("r10")
               PAIRS PAIRS GLOBAL("r11", "%rd10+1024") USE("r11"));
#define AT(to, index) "mad.wide.u32 %" to ", %" index ", 4, %rd10;\n"
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 598 + 594 + 4,
           HERE GLOBAL("r10", "%rd10") GLOBAL("r11", "%rd10+1024") AT("rd11", "r10")
               GLOBAL("r12", "%rd11+2048") USE("r12") AT("rd12", "r11") GLOBAL("r13", "%rd12+4096")
                   USE("r13"));
}

/* Two loads around a short if, which ptxas makes a predicated instruction, wait together; around a
 * long one each for itself. */
Test(timeline, a_short_if_keeps_no_load)
{
#define IF(inside) "setp.ne.u32 %p1, %r1, 99;\n@%p1 bra SKIP;\n" inside "SKIP:\n"
#define TWO(between)                                                                               \
    HERE GLOBAL("r10", "%rd10") USE("r10") between GLOBAL("r11", "%rd10+1024") USE("r11")
#define FOUR                                                                                       \
    "add.u32 %r41, %r41, 1;\nadd.u32 %r41, %r41, 1;\n"                                             \
    "add.u32 %r41, %r41, 1;\nadd.u32 %r41, %r41, 1;\n"
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 598, TWO(IF("add.u32 %r41, %r41, 1;\n")));
    expect(LAB_SIM_WAITS_FOR_GLOBAL, 2 * 599, TWO(IF(FOUR FOUR FOUR FOUR FOUR)));
}

/* Each wavefront takes a cycle of the pipe: the last of 32 is 31 cycles behind. */
Test(timeline, loads_from_shared_memory)
{
#define SHARED(stride)                                                                             \
    "mov.u32 %r10, s;\nmad.lo.u32 %r11, %r1, " stride                                              \
    ", %r10;\nst.shared.u32 [%r11], %r1;\n" BARRIER "ld.shared.u32 %r12, [%r11];\n" USE("r12")
    expect(LAB_SIM_WAITS_FOR_SHARED, 29, SHARED("4"));
    expect(LAB_SIM_WAITS_FOR_SHARED, 29 + 31 + 11, SHARED("128")); /* the store is in the pipe */
}

/* A value of arithmetic is there 4 cycles later, and a value that nobody needs holds nobody up. */
Test(timeline, chains_of_arithmetic)
{
#define STEP(to, from) "add.u32 %" to ", %" from ", 1;\n"
    const uint64_t before = run("", 32)->sums[LAB_SIM_WAITS_FOR_ARITHMETIC];
    const uint64_t alone = run(STEP("r10", "r1") STEP("r11", "r10") STEP("r12", "r11"), 32)
                               ->sums[LAB_SIM_WAITS_FOR_ARITHMETIC];
    const uint64_t apart = run(STEP("r10", "r9") STEP("r11", "r9") STEP("r12", "r9"), 32)
                               ->sums[LAB_SIM_WAITS_FOR_ARITHMETIC];
    cr_expect_eq(alone - before, 3 + 3);
    cr_expect_eq(apart, before);
}

/* Warps 0 and 4 share a scheduler, and warp 0 goes first. */
Test(timeline, schedulers_take_turns)
{
#define APART STEP("r10", "r9") STEP("r11", "r9") STEP("r12", "r9") STEP("r13", "r9")
    cr_expect_eq(run(APART, 128)->sums[LAB_SIM_WAITS_FOR_TURN], 0);
    const struct lab_sim_timeline *const timeline = run(APART, 160);
    cr_expect_geq(timeline->sums[LAB_SIM_WAITS_FOR_TURN], 4);
    for (int i = 0; i < timeline->span_count; i++)
        cr_expect(timeline->spans[i].kind != LAB_SIM_WAITS_FOR_TURN ||
                  timeline->spans[i].warp == 4);
}

/* The first warp comes 599 cycles before the second, which has its load to wait for; then the
 * barrier takes 20 cycles of each, of which 19 are between. */
Test(timeline, barriers)
{
    const struct lab_sim_timeline *const timeline =
        run("mad.wide.u32 %rd10, %r1, 4, %rd2;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra OVER;\n" GLOBAL(
                "r10", "%rd10") USE("r10") FOUR FOUR "OVER:\n" BARRIER,
            64);
    uint64_t at_barrier[2] = {0};
    for (int i = 0; i < timeline->span_count; i++)
        if (timeline->spans[i].kind == LAB_SIM_WAITS_AT_BARRIER)
            at_barrier[timeline->spans[i].warp] += timeline->spans[i].length;
    cr_expect_eq(at_barrier[1], 19);
    cr_expect_gt(at_barrier[0], 599 + 19);
    cr_expect_lt(at_barrier[0], 599 + 19 + 60);
    expect(LAB_SIM_WAITS_AT_BARRIER, 2 * 19, BARRIER BARRIER);
}

/* A copy of one, its commit and the wait: 598 cycles are between the commit and what is there. What
 * a wait leaves under way nobody waits for. */
Test(timeline, asynchronous_copies)
{
#define COPY(from)                                                                                 \
    "mad.lo.u32 %r10, %r1, 4, %r9;\ncp.async.ca.shared.global [%r10], [%rd10+" from "], 4;\n"      \
    "cp.async.commit_group;\n"
#define AWAIT(n) "cp.async.wait_group " n ";\n"
    expect(LAB_SIM_WAITS_FOR_COPY, 598, HERE "mov.u32 %r9, s;\n" COPY("0") AWAIT("0"));
    expect(LAB_SIM_WAITS_FOR_COPY, 0, HERE "mov.u32 %r9, s;\n" COPY("0") AWAIT("1"));
    const struct lab_sim_timeline *const timeline =
        run(HERE "mov.u32 %r9, s;\n" COPY("0") AWAIT("0"), 32);
    int copies = 0;
    for (int i = 0; i < timeline->span_count; i++)
        if (timeline->spans[i].kind == LAB_SIM_COPY_IS_UNDER_WAY) {
            copies++;
            cr_expect_eq(timeline->spans[i].length, 600);
        }
    cr_expect_eq(copies, 1);
}

/* A barrier that is given its number and count by registers lets go the warps that are counted, and
 * not those that never come. */
Test(timeline, barriers_of_some_warps)
{
#define SOME                                                                                       \
    "mov.u32 %r20, 3;\nmov.u32 %r21, 64;\nsetp.ge.u32 %p1, %r1, 64;\n@%p1 bra OVER;\n"             \
    "bar.sync %r20, %r21;\n"
    const uint64_t alone = run(HERE SOME FOUR "OVER:\n", 64)->sums[LAB_SIM_WAITS_AT_BARRIER];
    const uint64_t three = run(HERE SOME FOUR "OVER:\n" FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR, 96)
                               ->sums[LAB_SIM_WAITS_AT_BARRIER];
    cr_expect_leq(three, alone + 20, "the barrier of all three warps: 19 cycles more");
}

/* A copy of 4096 bytes takes 64 cycles of the copy engine, then 600 until it is there; a second one
 * waits for the engine. How often a warp asks makes no difference. A phase that nothing is awaited
 * in ends 30 cycles after its last arrival. */
Test(timeline, barriers_in_shared_memory_and_bulk_copies)
{
#define MAKE                                                                                       \
    "mov.u32 %r7, s;\nadd.u32 %r9, %r7, 16;\nsetp.eq.u32 %p2, %r1, 0;\n"                           \
    "@%p2 mbarrier.init.shared.b64 [%r7], 1;\n@%p2 fence.proxy.async.shared::cta;\n" BARRIER
#define EXPECT(bytes) "@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r7], " bytes ";\n"
#define BULK                                                                                       \
    "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd2], 4096, " \
    "[%r7];\n"
#define PHASE(label)                                                                               \
    label ": mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7], 0;\n@!%p3 bra " label ";\n"
    expect(LAB_SIM_WAITS_AT_MBARRIER, 63 + 600, MAKE EXPECT("4096") BULK PHASE("L"));
    expect(LAB_SIM_WAITS_AT_MBARRIER, 127 + 600 - 1, MAKE EXPECT("8192") BULK BULK PHASE("L"));
    expect(LAB_SIM_WAITS_AT_MBARRIER, 29,
           MAKE "@%p2 mbarrier.arrive.shared.b64 _, [%r7];\n" PHASE("L"));
    const struct lab_sim_timeline *const timeline =
        run(MAKE EXPECT("8192") BULK BULK PHASE("L"), 32);
    int copies = 0;
    for (int i = 0; i < timeline->span_count; i++)
        if (timeline->spans[i].kind == LAB_SIM_COPY_IS_UNDER_WAY) {
            copies++;
            cr_expect_eq(timeline->spans[i].length, 128 + 600);
        }
    cr_expect_eq(copies, 1, "copies for one phase are shown as one");
    /* The second warp asks in vain while the first one is behind in the simulator's order. */
    const uint64_t two =
        run("setp.lt.u32 %p4, %r1, 32;\n" MAKE "@%p4 bra FILL;\nbra WAIT;\nFILL:\n" EXPECT("4096")
                BULK "WAIT:\n" PHASE("L"),
            64)
            ->sums[LAB_SIM_WAITS_AT_MBARRIER];
    cr_expect_geq(two, 2 * (63 + 600));
    cr_expect_leq(two, 2 * (63 + 600) + 30);
}

/* 2048 products take 16 cycles of a tensor core at half its rate, and are there after 33. */
Test(timeline, products_of_a_warp)
{
#define MMA                                                                                        \
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r20, %r20, %r20, "  \
    "%r20}, {%r20, %r20}, {%f1, %f2, %f3, %f4};\n"
#define MOVE                                                                                       \
    "mov.u32 %r20, 0;\nmov.f32 %f1, 0f00000000;\nmov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\n"           \
    "mov.f32 %f4, %f1;\n"
    expect(LAB_SIM_WAITS_FOR_TENSOR_CORES, 0, MOVE MMA);
    expect(LAB_SIM_WAITS_FOR_TENSOR_CORES, 32, MOVE MMA MMA);
    expect(LAB_SIM_WAITS_FOR_TENSOR_CORES, 64, MOVE MMA MMA MMA);
    /* Five warps: two of them share a scheduler, and its tensor core. */
    const uint64_t four = run(MOVE MMA MMA, 128)->sums[LAB_SIM_WAITS_FOR_TENSOR_CORES];
    cr_expect_eq(four, 4 * 32);
    cr_expect_geq(run(MOVE MMA MMA, 160)->sums[LAB_SIM_WAITS_FOR_TENSOR_CORES], four + 32);
}

/* A warpgroup's 8192 products take 8 cycles of its four tensor cores at their full rate. */
Test(timeline, products_of_a_warpgroup)
{
#define GROUP(count)                                                                               \
    "mov.u32 %r7, s;\ncvt.u64.u32 %rd10, %r7;\nshr.u64 %rd10, %rd10, 4;\n"                         \
    "or.b64 %rd10, %rd10, 0x1000080000;\nmad.lo.u32 %r8, %r1, 16, %r7;\nmov.u32 %r9, 0;\n"         \
    "st.shared.v4.b32 [%r8], {%r9, %r9, %r9, %r9};\nfence.proxy.async.shared::cta;\nbar.sync 0;\n" \
    "setp.eq.u32 %p1, %r1, %r1;\n" MOVE "wgmma.fence.sync.aligned;\n" count                        \
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
#define WGMMA                                                                                      \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd10, %rd10, %p1, "  \
    "1, 1, 0, 0;\n"
#define EIGHT WGMMA WGMMA WGMMA WGMMA WGMMA WGMMA WGMMA WGMMA
    const uint64_t eight = run(GROUP(EIGHT), 128)->sums[LAB_SIM_WAITS_FOR_TENSOR_CORES];
    cr_expect_eq(run(GROUP(EIGHT EIGHT), 128)->sums[LAB_SIM_WAITS_FOR_TENSOR_CORES],
                 eight + 4 * 8 * (8 - 1), "each issues in a cycle and is under way for eight");
    const struct lab_sim_timeline *const timeline = run(GROUP(EIGHT), 128);
    int groups = 0;
    for (int i = 0; i < timeline->span_count; i++)
        if (timeline->spans[i].kind == LAB_SIM_PRODUCTS_ARE_UNDER_WAY) {
            groups++;
            cr_expect_eq(timeline->spans[i].length, 64);
        }
    cr_expect_eq(groups, 4, "one of each warp");
}

/* Of a long loop the beginning is kept, in spans that a page can hold. */
Test(timeline, of_a_long_loop_the_beginning)
{
    const struct lab_sim_timeline *const timeline =
        run("mov.u32 %r10, 0;\nTOP:\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, 9000;\n"
            "@%p1 bra TOP;\n",
            1024);
    cr_expect(timeline->is_cut);
    cr_expect_geq(timeline->cycles, 6600 * 9, "each iteration waits twice");
    cr_expect_leq(timeline->span_count, 4000);
    uint64_t cycles = 0;
    for (int i = 0; i < timeline->span_count; i++)
        if (timeline->spans[i].warp == 31) {
            cr_expect_eq(timeline->spans[i].begin, cycles, "no gaps");
            cycles += timeline->spans[i].length;
        }
    cr_expect_eq(cycles, timeline->cycles);
}
