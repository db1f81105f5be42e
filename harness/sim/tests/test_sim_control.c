/* Branches, joins, calls, the end of threads, and barriers of a block. */
#include "sim/launch/launch.h"
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct fixture_result result;

static void run(const struct fixture *fixture)
{
    sim_fixture_run(fixture, &result);
    cr_assert_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
}

static void expect_out(unsigned index, uint64_t expected)
{
    cr_expect_eq(result.out[index], expected, "out[%u] is %llu, not %llu", index,
                 (unsigned long long)result.out[index], (unsigned long long)expected);
}

Test(sim_control, nested_conditions)
{
    run(&(struct fixture){.body =
                              "mov.u32 %r10, 0;\n"
                              "setp.lt.u32 %p1, %r1, 16; @!%p1 bra ELSE;\n"
                              "  and.b32 %r11, %r1, 1; setp.eq.u32 %p2, %r11, 0; @%p2 bra EVEN;\n"
                              "    add.s32 %r10, %r10, 100; bra JOINED;\n"
                              "  EVEN: add.s32 %r10, %r10, 200;\n"
                              "  JOINED: activemask.b32 %r12; popc.b32 %r12, %r12;\n"
                              "  add.s32 %r10, %r10, %r12;\n"
                              "  bra DONE;\n"
                              "ELSE: add.s32 %r10, %r10, 1000;\n"
                              "DONE: activemask.b32 %r12; popc.b32 %r12, %r12;\n"
                              "mad.lo.s32 %r10, %r12, 10000, %r10;\n"
                              "cvt.u64.u32 %rd10, %r10; st.global.u64 [%rd3], %rd10;\n"});
    for (unsigned i = 0; i < 32; i++)
        expect_out(i, 320000 + (i >= 16 ? 1000u : (i & 1 ? 100u : 200u) + 16));
}

/* Lanes leave a loop after different numbers of rounds, some by a break in the middle. */
Test(sim_control, loop_with_break)
{
    run(&(struct fixture){.body = "mov.u32 %r10, 0; mov.u32 %r11, 0;\n"
                                  "LOOP: setp.ge.u32 %p1, %r10, %r1; @%p1 bra OUT;\n"
                                  "add.s32 %r11, %r11, %r10;\n"
                                  "setp.gt.u32 %p2, %r11, 50; @%p2 bra OUT;\n"
                                  "add.s32 %r10, %r10, 1; bra LOOP;\n"
                                  "OUT: activemask.b32 %r12;\n"
                                  "mov.b64 %rd10, {%r11, %r12}; st.global.u64 [%rd3], %rd10;\n"});
    for (unsigned i = 0; i < 32; i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < i && sum <= 50; k++)
            sum += k;
        expect_out(i, 0xffffffff00000000 | sum);
    }
}

/* Each result that nobody wants has a place of its own; the places are free again in the next
 * instruction. */
Test(sim_control, many_predicates_that_go_nowhere)
{
    run(&(struct fixture){.body = "shfl.sync.bfly.b32 %r10|_, %r1, 1, 31, -1;\n"
                                  "shfl.sync.bfly.b32 %r11|_, %r10, 2, 31, -1;\n"
                                  "shfl.sync.bfly.b32 %r10|_, %r11, 4, 31, -1;\n"
                                  "shfl.sync.bfly.b32 %r11|_, %r10, 8, 31, -1;\n"
                                  "shfl.sync.bfly.b32 %r10|_, %r11, 16, 31, -1;\n"
                                  "shfl.sync.bfly.b32 %r11|_, %r10, 1, 31, -1;\n"
                                  "cvt.u64.u32 %rd10, %r11; st.global.u64 [%rd3], %rd10;\n"});
    for (unsigned i = 0; i < 32; i++)
        expect_out(i, i ^ 30u);
}

Test(sim_control, early_exit)
{
    /* Those who stay are together again and may use a barrier. */
    run(&(struct fixture){.block = 70,
                          .body = "and.b32 %r10, %r1, 3; setp.eq.u32 %p1, %r10, 0; @%p1 bra END;\n"
                                  "bar.sync 0; activemask.b32 %r11;\n"
                                  "setp.gt.u32 %p2, %r1, 40; @%p2 exit;\n"
                                  "cvt.u64.u32 %rd10, %r11; st.global.u64 [%rd3], %rd10;\nEND:\n"});
    for (unsigned i = 0; i < 70; i++)
        expect_out(i, i % 4 == 0 || i > 40 ? 0xdeadbeef : 0xeeeeeeee);
}

Test(sim_control, switch_table)
{
    run(&(struct fixture){.body = "and.b32 %r10, %r1, 3; mov.u32 %r12, 7;\n"
                                  "setp.eq.u32 %p1, %r1, 31;\n"
                                  "TABLE: .branchtargets A, B, C, B;\n"
                                  "@!%p1 brx.idx %r10, TABLE;\n"
                                  "mov.u32 %r12, 99; bra D;\n"
                                  "A: mov.u32 %r12, 10; bra D;\n"
                                  "B: mov.u32 %r12, 20;\n"
                                  "C: add.s32 %r12, %r12, 1;\n"
                                  "D: activemask.b32 %r13; mov.b64 %rd10, {%r12, %r13};\n"
                                  "st.global.u64 [%rd3], %rd10;\n"});
    static const unsigned expected[] = {10, 21, 8, 21};
    for (unsigned i = 0; i < 32; i++)
        expect_out(i, 0xffffffff00000000 | (i == 31 ? 99 : expected[i % 4]));
}

static const char functions[] =
    ".func (.param .b32 result) fib(.param .b32 n)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<9>;\n"
    "ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; @%p1 bra SMALL;\n"
    "add.s32 %r2, %r1, -1;\n"
    "{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r2; call.uni (v), fib, (a);\n"
    "  ld.param.b32 %r3, [v]; }\n"
    "add.s32 %r2, %r1, -2;\n"
    "{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r2; call.uni (v), fib, (a);\n"
    "  ld.param.b32 %r4, [v]; }\n"
    "add.s32 %r1, %r3, %r4;\n"
    "SMALL: st.param.b32 [result], %r1; ret;\n}\n"
    ".func (.param .b64 result) twice(.param .b64 x, .param .b8 small)\n{\n"
    ".reg .b64 %rd<4>; ld.param.u64 %rd1, [x]; ld.param.u8 %rd2, [small];\n"
    "add.s64 %rd1, %rd1, %rd1; add.s64 %rd1, %rd1, %rd2; st.param.b64 [result], %rd1; ret;\n}\n"
    ".func (.param .b64 result) thrice(.param .b64 x, .param .b8 small)\n{\n"
    ".reg .b64 %rd<4>; ld.param.u64 %rd1, [x]; mul.lo.s64 %rd2, %rd1, 3;\n"
    "st.param.b64 [result], %rd2; ret;\n}\n"
    ".func leave(.param .b32 n)\n{\n.reg .pred %p<2>; .reg .b32 %r<3>; ld.param.u32 %r1, [n];\n"
    "setp.gt.u32 %p1, %r1, 20; @%p1 exit; ret;\n}\n"
    ".global .align 8 .u64 table[2] = {twice, thrice};\n";

Test(sim_control, recursion)
{
    run(&(struct fixture){.module = functions,
                          .body = "and.b32 %r10, %r1, 15;\n"
                                  "{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r10;\n"
                                  "call.uni (v), fib, (a); ld.param.b32 %r11, [v]; }\n"
                                  "cvt.u64.u32 %rd10, %r11; st.global.u64 [%rd3], %rd10;\n"});
    static const unsigned fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
    for (unsigned i = 0; i < 32; i++)
        expect_out(i, fib[i % 16]);
}

Test(sim_control, recursion_without_end)
{
    sim_fixture_run(
        &(struct fixture){.module = ".func down(.param .b32 n)\n{\n.reg .b32 %r<3>;\n"
                                    "ld.param.u32 %r1, [n]; add.s32 %r1, %r1, 1;\n"
                                    "{ .param .b32 a; st.param.b32 [a], %r1; call down, (a); }\n"
                                    "ret;\n}\n",
                          .body = "{ .param .b32 a; st.param.b32 [a], %r1; call down, (a); }\n"},
        &result);
    cr_expect_eq(result.outcome.status, SIM_OUT_OF_BOUNDS);
    cr_expect_not_null(strstr(result.outcome.message, "stack overflow"));
}

Test(sim_control, indirect_and_guarded_calls)
{
    run(&(struct fixture){
        .module = functions,
        .body = "and.b32 %r10, %r1, 1; mul.wide.u32 %rd10, %r10, 8; mov.u64 %rd11, table;\n"
                "add.s64 %rd10, %rd10, %rd11; ld.global.u64 %rd12, [%rd10];\n"
                "cvt.u64.u32 %rd13, %r1; mov.u64 %rd14, 7;\n"
                "{ .param .b64 a; .param .b8 s; .param .b64 v; st.param.b64 [a], %rd13;\n"
                "st.param.b8 [s], %r1;\n"
                "proto: .callprototype (.param .b64 _) _ (.param .b64 _, .param .b8 _);\n"
                "call (v), %rd12, (a, s), proto; ld.param.b64 %rd14, [v]; }\n"
                "setp.lt.u32 %p1, %r1, 10;\n"
                "{ .param .b64 a; .param .b8 s; .param .b64 v; st.param.b64 [a], %rd14;\n"
                "st.param.b8 [s], 0; st.param.b64 [v], %rd14;\n"
                "@%p1 call (v), thrice, (a, s);\n"
                "@%p1 ld.param.b64 %rd14, [v]; }\n"
                "activemask.b32 %r12; popc.b32 %r12, %r12; cvt.u64.u32 %rd15, %r12;\n"
                "mad.lo.s64 %rd14, %rd15, 1000, %rd14;\n"
                "st.global.u64 [%rd3], %rd14;\n"});
    for (unsigned i = 0; i < 32; i++)
        expect_out(i, 32000 + (i & 1 ? 3 * i : 3 * i) * (i < 10 ? 3 : 1));
}

Test(sim_control, exit_inside_a_call)
{
    run(&(struct fixture){.module = functions,
                          .body = "{ .param .b32 a; st.param.b32 [a], %r1; call leave, (a); }\n"
                                  "bar.sync 0; activemask.b32 %r10; cvt.u64.u32 %rd10, %r10;\n"
                                  "st.global.u64 [%rd3], %rd10;\n"});
    for (unsigned i = 0; i < 32; i++)
        expect_out(i, i > 20 ? 0xdeadbeef : 0x1fffff);
}

Test(sim_control, calls_of_no_function)
{
    sim_fixture_run(&(struct fixture){.module = functions,
                                      .body = "mov.u64 %rd10, 0;\n"
                                              "{ proto: .callprototype _ ();\n"
                                              "call %rd10, (), proto; }\n"},
                    &result);
    cr_expect_eq(result.outcome.status, SIM_OUT_OF_BOUNDS);
    cr_expect_not_null(strstr(result.outcome.message, "null pointer"), "%s",
                       result.outcome.message);
}

Test(sim_control, counts)
{
    /* Guarded-off instructions count for the warp; each path counts for its own lanes. */
    run(&(struct fixture){.body = "setp.lt.u32 %p1, %r1, 8;\n"
                                  "@!%p1 bra ELSE;\nadd.s32 %r10, %r1, 1;\nadd.s32 %r10, %r1, 1;\n"
                                  "bra DONE;\nELSE:\nadd.s32 %r10, %r1, 2;\nDONE:\n"
                                  "@%p1 add.s32 %r10, %r10, 1;\n"});
    /* 7 of the fixture's own, setp, bra, 2 add + bra, add, guarded add, ret. */
    cr_expect_eq(result.outcome.warp_instructions, 7 + 2 + 3 + 1 + 2, "%llu",
                 (unsigned long long)result.outcome.warp_instructions);
    cr_expect_eq(result.outcome.thread_instructions, 32 * (7 + 2 + 2) + 8 * 3 + 24, "%llu",
                 (unsigned long long)result.outcome.thread_instructions);
    run(&(struct fixture){.grid = 3, .block = 33, .body = "add.s32 %r10, %r1, 1;"});
    cr_expect_eq(result.outcome.warp_instructions, 3 * 2 * 9);
    cr_expect_eq(result.outcome.thread_instructions, 3 * 33 * 9);
}

Test(sim_control, barriers)
{
    /* Named barriers with thread counts: warps 0 and 1 meet at 1, warps 2 and 3 at 2. */
    run(&(struct fixture){
        .declarations = ".shared .align 4 .b8 tile[1024];",
        .block = 128,
        .body = "mov.u32 %r10, tile; shl.b32 %r11, %r1, 2; add.s32 %r11, %r11, %r10;\n"
                "shr.u32 %r12, %r1, 6; add.s32 %r12, %r12, 1; st.shared.u32 [%r11], %r1;\n"
                "barrier.sync %r12, 64;\n"
                "xor.b32 %r13, %r11, 128; ld.shared.u32 %r14, [%r13];\n"
                "setp.lt.u32 %p1, %r1, 5;\n"
                "barrier.cta.red.popc.u32 %r15, 0, 128, %p1;\n"
                "bar.red.and.pred %p2, 0, %p1; selp.u32 %r16, 100, 0, %p2;\n"
                "bar.red.or.pred %p2, 0, !%p1; selp.u32 %r17, 1000, 0, %p2;\n"
                "add.s32 %r15, %r15, %r16; add.s32 %r15, %r15, %r17;\n"
                "mov.b64 %rd10, {%r14, %r15}; st.global.u64 [%rd3], %rd10;\n"});
    for (unsigned i = 0; i < 128; i++)
        expect_out(i, 1005ull << 32 | (i ^ 32));
    /* One warp for, one against, whichever comes last. */
    static const char *const which[] = {"setp.lt.u32 %p1, %r1, 32;\n",
                                        "setp.ge.u32 %p1, %r1, 32;\n"};
    for (int i = 0; i < 2; i++) {
        char body[512];
        snprintf(
            body, sizeof body, "%s%s", which[i],
            "bar.red.and.pred %p2, 0, %p1; selp.u32 %r15, 1, 0, %p2;\n"
            "bar.red.or.pred %p2, 0, %p1; selp.u32 %r16, 2, 0, %p2;\n"
            "add.s32 %r15, %r15, %r16; cvt.u64.u32 %rd10, %r15; st.global.u64 [%rd3], %rd10;\n");
        run(&(struct fixture){.block = 64, .body = body});
        expect_out(5, 2);
        expect_out(37, 2);
    }
    /* Producer and consumer. */
    run(&(struct fixture){.declarations = ".shared .align 4 .b8 tile[4];",
                          .block = 64,
                          .body =
                              "setp.lt.u32 %p1, %r1, 32; @%p1 bra READ;\n"
                              "mov.u32 %r10, 77; st.shared.u32 [tile], %r10; bar.arrive 3, 64;\n"
                              "bra END;\nREAD: bar.sync 3, 64; ld.shared.u32 %r11, [tile];\n"
                              "cvt.u64.u32 %rd10, %r11; st.global.u64 [%rd3], %rd10;\nEND:\n"});
    expect_out(5, 77);
    /* Warps that have ended count as arrived. */
    run(&(struct fixture){.block = 96,
                          .body = "setp.ge.u32 %p1, %r1, 32; @%p1 bra END; bar.sync 0;\n"
                                  "cvt.u64.u32 %rd10, %r1; st.global.u64 [%rd3], %rd10;\nEND:\n"});
    expect_out(31, 31);
}

Test(sim_control, divergent_barrier)
{
    sim_fixture_run(&(struct fixture){.module = ".file 1 \"kernel.cu\"\n",
                                      .body = "setp.lt.u32 %p1, %r1, 20; @!%p1 bra NEXT;\n"
                                              ".loc 1 12 3\nbar.sync 0;\n"
                                              "NEXT:\n.loc 1 13 3\nst.global.u32 [%rd3], %r1;\n"},
                    &result);
    cr_expect_eq(result.outcome.status, SIM_DIVERGENT_BARRIER);
    cr_expect_eq(result.outcome.line, 12);
    cr_expect_not_null(strstr(result.outcome.message, "thread (20, 0, 0)"), "%s",
                       result.outcome.message);
    /* One warp waits at barrier 1, the other at 2. */
    sim_fixture_run(
        &(struct fixture){.block = 64, .body = "shr.u32 %r10, %r1, 5; bar.sync %r10, 64;\n"},
        &result);
    cr_expect_eq(result.outcome.status, SIM_DIVERGENT_BARRIER);
    cr_expect_not_null(strstr(result.outcome.message, "no progress"));
}

Test(sim_control, lanes_reach_a_barrier_on_different_paths)
{
    /* if (a || b) barrier, true for all: the barrier's block is no post-dominator. */
    run(&(struct fixture){.body =
                              "and.b32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 0; @%p1 bra INNER;\n"
                              "setp.gt.u32 %p2, %r1, 100; @%p2 bra NEXT;\n"
                              "INNER: bar.sync 0; activemask.b32 %r11;\n"
                              "NEXT: cvt.u64.u32 %rd10, %r11; st.global.u64 [%rd3], %rd10;\n"});
    for (unsigned i = 0; i < 32; i++)
        expect_out(i, 0xffffffff);
}

Test(sim_control, lock_within_a_warp)
{
    /* Lanes that hold the lock wait at the end of the others' loop: they must get on. */
    const uint64_t zero[] = {0, 0};
    run(&(struct fixture){.in = zero,
                          .in_count = 2,
                          .grid = 3,
                          .block = 64,
                          .body = "LOCK: atom.global.cas.b32 %r10, [%rd2], 0, 1;\n"
                                  "setp.ne.u32 %p1, %r10, 0; @%p1 bra LOCK; membar.gl;\n"
                                  "ld.volatile.global.u32 %r11, [%rd2+8]; add.s32 %r11, %r11, 1;\n"
                                  "st.volatile.global.u32 [%rd2+8], %r11; membar.gl;\n"
                                  "atom.global.exch.b32 %r12, [%rd2], 0;\n"
                                  "cvt.u64.u32 %rd10, %r11; st.global.u64 [%rd3], %rd10;\n"});
    uint64_t sum = 0;
    for (unsigned i = 0; i < 192; i++)
        sum += result.out[i];
    cr_expect_eq(sum, 192 * 193 / 2);
}

Test(sim_control, waiting_for_another_warp)
{
    run(&(struct fixture){
        .declarations = ".shared .align 4 .b8 flag[4];",
        .block = 64,
        .body = "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [flag], 0;\n"
                "bar.sync 0; setp.ge.u32 %p2, %r1, 32; @%p2 bra RAISE;\n"
                "WAIT: ld.volatile.shared.u32 %r10, [flag];\n"
                "setp.eq.u32 %p3, %r10, 0; @%p3 bra WAIT;\n"
                "cvt.u64.u32 %rd10, %r10; st.global.u64 [%rd3], %rd10; bra END;\n"
                "RAISE: mov.u32 %r11, 5; st.volatile.shared.u32 [flag], %r11;\nEND:\n"});
    expect_out(31, 5);
}

/* A barrier of the whole grid of 12: every block must run before any can end. */
#define MEET                                                                                       \
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra MEET;\n"                                                    \
    "red.global.add.u32 [%rd2], 1;\n"                                                              \
    "WAIT: ld.acquire.gpu.global.u32 %r10, [%rd2];\n"                                              \
    "setp.lt.u32 %p2, %r10, 12; @%p2 bra WAIT;\n"                                                  \
    "MEET: bar.sync 0; ld.volatile.global.u64 %rd10, [%rd2];\n"                                    \
    "st.global.u64 [%rd3], %rd10;\n"

Test(sim_control, waiting_for_later_blocks)
{
    const uint64_t zero[] = {0};
    for (unsigned resident = 0; resident <= 12; resident += 12) {
        run(&(struct fixture){.in = zero,
                              .in_count = 1,
                              .grid = 12,
                              .block = 64,
                              .workers = 1,
                              .resident = resident,
                              .body = MEET});
        for (unsigned i = 0; i < 12 * 64; i++)
            expect_out(i, 12);
    }
}

Test(sim_control, waiting_for_blocks_that_are_not_resident)
{
    const uint64_t zero[] = {0};
    sim_fixture_run(&(struct fixture){.in = zero,
                                      .in_count = 1,
                                      .grid = 12,
                                      .block = 64,
                                      .workers = 1,
                                      .resident = 11,
                                      .body = MEET},
                    &result);
    cr_expect_eq(result.outcome.status, SIM_TIMEOUT);
    cr_expect_not_null(
        strstr(result.outcome.message, "in this loop for element 0 of in, and the other blocks"),
        "%s", result.outcome.message);
    cr_expect_not_null(
        strstr(result.outcome.message,
               "of 12 blocks the GPU runs 11 at a time, and block (11, 0, 0), like all after it"),
        "%s", result.outcome.message);
}

/* Of whatever number of blocks, each waits for the one before it. */
Test(sim_control, waiting_for_earlier_blocks)
{
    const uint64_t zero[] = {0};
    for (int reversed = 0; reversed < 2; reversed++) {
        sim_turn_set(reversed);
        run(&(struct fixture){.in = zero,
                              .in_count = 1,
                              .grid = 1000,
                              .block = 1,
                              .resident = 3,
                              .body = "WAIT: ld.acquire.gpu.global.u32 %r10, [%rd2];\n"
                                      "setp.ne.u32 %p2, %r10, %r2; @%p2 bra WAIT;\n"
                                      "cvt.u64.u32 %rd10, %r10; st.global.u64 [%rd3], %rd10;\n"
                                      "add.u32 %r10, %r10, 1; st.release.gpu.global.u32 [%rd2], "
                                      "%r10;\n"});
        for (unsigned i = 0; i < 1000; i++)
            expect_out(i, i);
    }
    sim_turn_set(false);
}

Test(sim_control, trap_and_unsupported)
{
    sim_fixture_run(&(struct fixture){.body = "setp.eq.u32 %p1, %r1, 3; @%p1 trap;\n"}, &result);
    cr_expect_eq(result.outcome.status, SIM_TRAP);
    cr_expect_eq(result.outcome.thread[0], 3);
    sim_fixture_run(&(struct fixture){.module = ".file 1 \"kernel.cu\"\n",
                                      .body = "setp.gt.u32 %p1, %r1, 99; @%p1 bra END;\n"
                                              ".loc 1 9 1\n"
                                              "tcgen05.fence::before_thread_sync;\nEND:\n"},
                    &result);
    cr_expect_eq(result.outcome.status, SIM_UNSUPPORTED);
    cr_expect_eq(result.outcome.line, 9);
    cr_expect_not_null(strstr(result.outcome.message, "tcgen05.fence::before_thread_sync"));
    sim_fixture_run(&(struct fixture){.body = "add.strange.s32 %r10, %r10, 1;\n"}, &result);
    cr_expect_eq(result.outcome.status, SIM_UNSUPPORTED);
    cr_expect_not_null(strstr(result.outcome.message, "add.strange.s32"));
}

/* Only where a warp comes to it, and some lane is not guarded against it, does it matter. */
Test(sim_control, unsupported_where_nobody_comes)
{
    run(&(struct fixture){.block = 64,
                          .body = "setp.ge.u32 %p1, %r1, 64; @!%p1 bra BEHIND;\n"
                                  "add.strange.s32 %r10, %r10, 1;\n"
                                  "bra.uni BEHIND;\n"
                                  "BEHIND: mov.u64 %rd10, 7;\n"
                                  "@%p1 tcgen05.fence::before_thread_sync;\n"
                                  "st.global.u64 [%rd3], %rd10;\n"});
    for (unsigned i = 0; i < 64; i++)
        expect_out(i, 7);
    sim_fixture_run(&(struct fixture){.block = 64,
                                      .body = "setp.eq.u32 %p1, %r1, 40;\n"
                                              "@%p1 add.strange.s32 %r10, %r10, 1;\n"},
                    &result);
    cr_expect_eq(result.outcome.status, SIM_UNSUPPORTED);
    cr_expect_eq(result.outcome.thread[0], 40);
}

Test(sim_control, bad_launches)
{
    sim_fixture_run(&(struct fixture){.block = 1025, .body = ""}, &result);
    cr_expect_eq(result.outcome.status, SIM_BAD_LAUNCH);
    sim_fixture_run(&(struct fixture){.dynamic_shared = 1 << 20, .body = ""}, &result);
    cr_expect_eq(result.outcome.status, SIM_BAD_LAUNCH);
    cr_expect_not_null(strstr(result.outcome.message, "shared memory"));
}

/* Blocks draw numbers from out[100]; each leaves its own. */
#define DRAW "atom.global.add.u64 %rd10, [%rd1+800], 1;\nst.global.u64 [%rd3], %rd10;\n"

static void expect_drawn(const char *body, bool reversed, unsigned first, unsigned last)
{
    sim_turn_set(reversed);
    run(&(struct fixture){.grid = 8, .block = 1, .workers = 1, .body = body});
    expect_out(0, 0xdeadbeef + first);
    expect_out(7, 0xdeadbeef + last);
    sim_turn_set(false);
}

Test(sim_control, blocks_come_the_other_way_round)
{
    expect_drawn(DRAW, false, 0, 7);
    expect_drawn(DRAW, true, 7, 0);
    /* a loop over elements waits for nobody */
    expect_drawn("mov.u64 %rd11, %rd1;\nmov.u32 %r10, 0;\nLOOP: ld.global.u32 %r11, [%rd11+64];\n"
                 "add.u64 %rd11, %rd11, 8;\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, 4;\n"
                 "@%p1 bra LOOP;\n" DRAW,
                 true, 7, 0);
}

/* Else one of them might wait for one that gets no thread. */
Test(sim_control, blocks_that_may_wait_come_round_eight_at_a_time)
{
    static const char *const loops[] = {
        "LOOP: ld.volatile.global.u32 %r11, [%rd1+880];\n",
        "LOOP: add.u64 %rd11, %rd11, 8;\nld.acquire.gpu.global.u32 %r11, [%rd11+880];\n",
        "LOOP: ld.global.cg.u32 %r11, [%rd1+880];\n",
        "LOOP: atom.global.exch.b32 %r11, [%rd1+880], 3;\n",
    };
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "mov.u64 %%rd11, %%rd1;\n%ssetp.eq.u32 %%p1, %%r11, 9;\n@%%p1 bra LOOP;\n%s",
                 loops[i], DRAW);
        sim_turn_set(true);
        run(&(struct fixture){.grid = 16, .block = 1, .workers = 1, .body = text});
        expect_out(0, 0xdeadbeef + 7);
        expect_out(7, 0xdeadbeef + 0);
        expect_out(8, 0xdeadbeef + 15);
        expect_out(15, 0xdeadbeef + 8);
        sim_turn_set(false);
    }
}

/* ---- Lanes of a warp in different functions ---- */

/* `waits` goes round a volatile load until it finds a value, and returns it with what its caller
 * and itself keep in local memory; `sets` writes the value; `deep` calls `waits` from as deep as it
 * is told; `meets` and `greets` come to different __syncwarp()s. */
static const char apart[] =
    ".func (.param .b32 result) waits(.param .b64 flag, .param .b32 mine)\n{\n"
    ".local .align 4 .b8 kept[8]; .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [flag]; ld.param.u32 %r1, [mine]; st.local.u32 [kept+4], %r1;\n"
    "WAIT: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra WAIT;\n"
    "ld.local.u32 %r3, [kept+4]; add.u32 %r2, %r2, %r3; st.param.b32 [result], %r2; ret;\n}\n"
    ".func (.param .b32 result) sets(.param .b64 flag, .param .b32 mine)\n{\n"
    ".local .align 4 .b8 kept[64]; .reg .b32 %r<9>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [flag]; ld.param.u32 %r1, [mine]; st.local.u32 [kept+60], %r1;\n"
    "st.local.u32 [kept+4], 0; mov.u32 %r2, 1000; st.volatile.global.u32 [%rd1], %r2;\n"
    "ld.local.u32 %r3, [kept+60]; st.param.b32 [result], %r3; ret;\n}\n"
    ".func (.param .b32 result) deep(.param .b64 flag, .param .b32 mine)\n{\n"
    ".local .align 4 .b8 kept[12]; .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [flag]; ld.param.u32 %r1, [mine]; st.local.u32 [kept+8], %r1;\n"
    "setp.eq.u32 %p1, %r1, 0; @%p1 bra LAST; sub.u32 %r2, %r1, 1;\n"
    "{ .param .b64 a; .param .b32 b; .param .b32 v; st.param.b64 [a], %rd1;\n"
    "st.param.b32 [b], %r2; call.uni (v), deep, (a, b); ld.param.b32 %r3, [v]; }\n"
    "bra.uni BACK;\n"
    "LAST: { .param .b64 a; .param .b32 b; .param .b32 v; st.param.b64 [a], %rd1;\n"
    "st.param.b32 [b], %r1; call.uni (v), waits, (a, b); ld.param.b32 %r3, [v]; }\n"
    "BACK: ld.local.u32 %r4, [kept+8]; add.u32 %r3, %r3, %r4; st.param.b32 [result], %r3; ret;\n}\n"
    ".func early(.param .b64 flag, .param .b32 lane)\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [flag]; ld.param.u32 %r1, [lane]; setp.lt.u32 %p1, %r1, 20; @%p1 ret;\n"
    "WAIT: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT; ret;\n}\n"
    ".func meets(.param .b64 flag, .param .b32 mine)\n{\n"
    ".reg .b32 %r<3>; ld.param.u32 %r1, [mine]; bar.warp.sync %r1; ret;\n}\n"
    ".func greets(.param .b64 flag, .param .b32 mine)\n{\n"
    ".reg .b32 %r<3>; ld.param.u32 %r1, [mine]; add.u32 %r2, %r1, 1; bar.warp.sync %r1; ret;\n}\n"
    ".func (.param .b32 result) turns(.param .b64 flag, .param .b32 mine)\n{\n"
    ".reg .b32 %r<3>; ld.param.u32 %r1, [mine];\n"
    "shfl.sync.bfly.b32 %r2, %r1, 31, 31, -1; st.param.b32 [result], %r2; ret;\n}\n"
    ".global .align 8 .u64 two[2] = {waits, sets};\n";

#define CALL(name, mine, result)                                                                   \
    "{ .param .b64 a; .param .b32 b; .param .b32 v; st.param.b64 [a], %rd2;\n"                     \
    "st.param.b32 [b], " mine "; call.uni (v), " name ", (a, b); ld.param.b32 " result             \
    ", [v]; }\n"
#define CALL_VOID(name, mine)                                                                      \
    "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd2; st.param.b32 [b], " mine ";\n"        \
    "call.uni " name ", (a, b); }\n"
#define STORE "cvt.u64.u32 %rd10, %r10; st.global.u64 [%rd3], %rd10;\n"

static const uint64_t unset[] = {0};

static const struct fixture *apart_with(const char *body)
{
    static struct fixture fixture;
    fixture = (struct fixture){.module = apart, .in = unset, .in_count = 1, .body = body};
    return &fixture;
}

/* Whichever side goes first. */
Test(sim_control, functions_that_wait_for_each_other)
{
    static const char *const sides[] = {"setp.lt.u32 %p1, %r1, 16;\n",
                                        "setp.ge.u32 %p1, %r1, 16;\n"};
    for (unsigned side = 0; side < 2; side++) {
        char body[1000];
        snprintf(body, sizeof body, "%s%s", sides[side],
                 "@%p1 bra SET;\n" CALL(
                     "waits", "%r1", "%r10") "bra.uni DONE;\n"
                                             "SET: " CALL("sets", "%r1", "%r10") "DONE:\n" STORE);
        run(apart_with(body));
        for (unsigned i = 0; i < 32; i++)
            expect_out(i, i + ((i < 16) == (side == 0) ? 0 : 1000));
    }
}

Test(sim_control, functions_that_wait_at_different_depths)
{
    run(apart_with("setp.eq.u32 %p1, %r1, 31; @%p1 bra SET; and.b32 %r11, %r1, 7;\n" CALL(
        "deep", "%r11", "%r10") "bra.uni DONE;\n"
                                "SET: " CALL("sets", "%r1", "%r10") "DONE:\n" STORE));
    for (unsigned i = 0; i < 31; i++)
        expect_out(i, 1000 + (i & 7) * ((i & 7) + 1) / 2);
    expect_out(31, 31);
}

Test(sim_control, functions_by_address_that_wait_for_each_other)
{
    run(apart_with(
        "and.b32 %r11, %r1, 1; mul.wide.u32 %rd11, %r11, 8; mov.u64 %rd12, two;\n"
        "add.s64 %rd12, %rd12, %rd11; ld.global.u64 %rd13, [%rd12];\n"
        "{ .param .b64 a; .param .b32 b; .param .b32 v; st.param.b64 [a], %rd2;\n"
        "st.param.b32 [b], %r1;\n"
        "proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);\n"
        "call (v), %rd13, (a, b), proto; ld.param.b32 %r10, [v]; }\n"
        "activemask.b32 %r12; popc.b32 %r12, %r12; mad.lo.u32 %r10, %r12, 10000, %r10;\n" STORE));
    for (unsigned i = 0; i < 32; i++)
        expect_out(i, 320000 + i + (i % 2 ? 0 : 1000));
}

/* Those who have returned set what the others still wait for. */
Test(sim_control, lanes_that_have_returned_go_on)
{
    run(apart_with(CALL_VOID(
        "early", "%r1") "mov.u32 %r10, 7;\n"
                        "setp.eq.u32 %p1, %r1, 3; @%p1 st.volatile.global.u32 [%rd2], %r10;\n"
                        "ld.volatile.global.u32 %r10, [%rd2]; add.u32 %r10, %r10, %r1;\n" STORE));
    for (unsigned i = 20; i < 32; i++)
        expect_out(i, 7 + i);
}

/* Three sides: the one that is behind two that wait comes, too. */
Test(sim_control, the_last_of_three_paths_goes_on)
{
    run(apart_with(
        "and.b32 %r11, %r1, 3; mov.u32 %r10, 0;\n"
        "TABLE: .branchtargets SET, FIRST, SECOND, FIRST;\n"
        "brx.idx %r11, TABLE;\n"
        "SET: " CALL("sets", "%r1",
                     "%r10") "bra.uni DONE;\n"
                             "FIRST: " CALL(
                                 "waits", "%r1",
                                 "%r10") "bra.uni DONE;\n"
                                         "SECOND: ld.volatile.global.u32 %r10, [%rd2]; setp.eq.u32 "
                                         "%p1, %r10, 0;\n"
                                         "@%p1 bra SECOND; add.u32 %r10, %r10, %r1;\n"
                                         "DONE: activemask.b32 %r12; popc.b32 %r12, %r12;\n"
                                         "mad.lo.u32 %r10, %r12, 10000, %r10;\n" STORE));
    for (unsigned i = 0; i < 32; i++)
        expect_out(i, 320000 + i + (i % 4 ? 1000 : 0));
}

#define TWO_SIDES(one, other)                                                                      \
    "mov.u32 %r10, -1; mov.u32 %r12, 5; setp.lt.u32 %p1, %r1, 16; @%p1 bra SECOND;\n" one          \
    "bra.uni DONE;\nSECOND: " other "DONE:\n" STORE

Test(sim_control, lanes_meet_in_different_functions)
{
    run(apart_with(TWO_SIDES(CALL_VOID("meets", "-1"), CALL_VOID("greets", "-1"))));
    expect_out(31, 0xffffffff);
    /* two calls of one function */
    run(apart_with(TWO_SIDES(CALL("turns", "%r1", "%r10"), CALL("turns", "%r12", "%r10"))));
    for (unsigned i = 0; i < 32; i++)
        expect_out(i, i < 16 ? 31 - i : 5);
}

/* Nobody sets the flag; not all who are named come. */
Test(sim_control, functions_that_wait_in_vain)
{
    sim_fixture_run(apart_with(TWO_SIDES(CALL("waits", "%r1", "%r10"), CALL("deep", "3", "%r10"))),
                    &result);
    cr_expect_eq(result.outcome.status, SIM_TIMEOUT);
    cr_expect_not_null(strstr(result.outcome.message, "nothing changes any more"), "%s",
                       result.outcome.message);
    sim_fixture_run(apart_with(TWO_SIDES(CALL_VOID("meets", "-1"), CALL("sets", "%r1", "%r10"))),
                    &result);
    cr_expect_eq(result.outcome.status, SIM_DIVERGENT_BARRIER);
    cr_expect_not_null(strstr(result.outcome.message, "names lane 0 in its mask"), "%s",
                       result.outcome.message);
    sim_fixture_run(
        apart_with(TWO_SIDES(CALL("turns", "%r1", "%r10"), CALL("waits", "%r12", "%r10"))),
        &result);
    cr_expect_eq(result.outcome.status, SIM_TIMEOUT, "%s", result.outcome.message);
}

/* What two functions do to one word, with nothing between, is a race of lanes. */
Test(sim_control, functions_that_race)
{
    sim_fixture_run(
        &(struct fixture){
            .module = ".shared .align 4 .b8 word[128];\n"
                      ".func put(.param .b32 n)\n{\n.reg .b32 %r<3>; ld.param.u32 %r1, [n];\n"
                      "shl.b32 %r2, %r1, 2; st.shared.u32 [%r2], %r1; ret;\n}\n"
                      ".func (.param .b32 result) get(.param .b32 n)\n{\n.reg .b32 %r<2>;\n"
                      "ld.shared.u32 %r1, [word+64]; st.param.b32 [result], %r1; ret;\n}\n",
            .body = "mov.u32 %r10, 0; setp.lt.u32 %p1, %r1, 16; @%p1 bra GET;\n"
                    "{ .param .b32 a; st.param.b32 [a], %r1; call.uni put, (a); }\nbra.uni DONE;\n"
                    "GET: { .param .b32 a; .param .b32 v; st.param.b32 [a], 5;\n"
                    "call.uni (v), get, (a); ld.param.b32 %r10, [v]; }\nDONE:\n" STORE},
        &result);
    cr_expect_eq(result.outcome.status, SIM_RACE, "%s", result.outcome.message);
}
