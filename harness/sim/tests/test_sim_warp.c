/* Exchange between lanes, special registers, and the functions that every kernel may call. */
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>

static struct fixture_result result;

static void run(const struct fixture *fixture)
{
    sim_fixture_run(fixture, &result);
    cr_assert_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
}

/* Runs `body`, which leaves its result in %r10 and perhaps %p1. */
static void run_row(const char *body)
{
    char text[2000];
    snprintf(text, sizeof text,
             "mov.u32 %%r10, 0; setp.ne.u32 %%p1, %%r10, 0;\nmul.lo.u32 %%r11, %%r1, 3;\n%s\n"
             "selp.u32 %%r20, 1, 0, %%p1; mov.b64 %%rd10, {%%r10, %%r20};\n"
             "st.global.u64 [%%rd3], %%rd10;\n",
             body);
    run(&(struct fixture){.body = text});
}

static void expect_lane(unsigned lane, uint32_t value, unsigned truth)
{
    cr_expect_eq(result.out[lane], (uint64_t)truth << 32 | value, "lane %u: %llx", lane,
                 (unsigned long long)result.out[lane]);
}

Test(sim_warp, shuffles)
{
    run_row("shfl.sync.up.b32 %r10|%p1, %r11, 2, 0, -1;");
    for (unsigned i = 0; i < 32; i++)
        expect_lane(i, 3 * (i < 2 ? i : i - 2), i >= 2);
    run_row("shfl.sync.down.b32 %r10|%p1, %r11, 4, 31, -1;");
    for (unsigned i = 0; i < 32; i++)
        expect_lane(i, 3 * (i + 4 > 31 ? i : i + 4), i + 4 <= 31);
    run_row("shfl.sync.bfly.b32 %r10|%p1, %r11, 5, 31, -1;");
    for (unsigned i = 0; i < 32; i++)
        expect_lane(i, 3 * (i ^ 5), 1);
    run_row("shfl.sync.idx.b32 %r10, %r11, 33, 31, -1;");
    for (unsigned i = 0; i < 32; i++)
        expect_lane(i, 3, 0);
    /* Width 8: the segment mask is 0x18, the clamp 7 within it. */
    run_row("shfl.sync.down.b32 %r10|%p1, %r11, 1, 0x1807, -1;");
    for (unsigned i = 0; i < 32; i++)
        expect_lane(i, 3 * (i % 8 == 7 ? i : i + 1), i % 8 != 7);
    run_row("shfl.sync.idx.b32 %r10|%p1, %r11, 10, 0x181f, -1;");
    for (unsigned i = 0; i < 32; i++)
        expect_lane(i, 3 * (i / 8 * 8 + 2), 1);
    run_row("shfl.sync.up.b32 %r10|%p1, %r11, 1, 0x1800, -1;");
    for (unsigned i = 0; i < 32; i++)
        expect_lane(i, 3 * (i % 8 == 0 ? i : i - 1), i % 8 != 0);
}

Test(sim_warp, votes)
{
    run_row("setp.lt.u32 %p2, %r1, 5; vote.sync.ballot.b32 %r10, %p2, -1;");
    expect_lane(31, 0x1f, 0);
    run_row("setp.gt.u32 %p3, %r1, 7; @%p3 bra NEXT;\n"
            "setp.lt.u32 %p2, %r1, 5; vote.sync.ballot.b32 %r10, !%p2, 0xff;\nNEXT:");
    expect_lane(0, 0xe0, 0);
    run_row("setp.lt.u32 %p2, %r1, 5; vote.sync.any.pred %p1, %p2, -1;");
    expect_lane(9, 0, 1);
    run_row("setp.lt.u32 %p2, %r1, 5; vote.sync.all.pred %p1, %p2, -1;");
    expect_lane(9, 0, 0);
    run_row("setp.lt.u32 %p2, %r1, 5; vote.sync.uni.pred %p1, %p2, -1;");
    expect_lane(9, 0, 0);
    /* Only the lanes of the branch vote. */
    run_row("setp.ge.u32 %p2, %r1, 8; @%p2 bra NEXT; setp.ne.u32 %p3, %r1, 0;\n"
            "vote.sync.ballot.b32 %r10, %p3, 0xff;\nNEXT:");
    expect_lane(7, 0xfe, 0);
    expect_lane(8, 0, 0);
}

Test(sim_warp, matches_and_reductions)
{
    run_row("and.b32 %r12, %r1, 3; match.any.sync.b32 %r10, %r12, -1;");
    expect_lane(6, 0x44444444, 0);
    run_row("mov.u32 %r12, 9; match.all.sync.b32 %r10|%p1, %r12, -1;");
    expect_lane(6, 0xffffffff, 1);
    run_row("match.all.sync.b32 %r10|%p1, %r1, -1;");
    expect_lane(6, 0, 0);
    run_row("shr.u32 %r12, %r1, 4; cvt.u64.u32 %rd11, %r12; match.any.sync.b64 %r10, %rd11, -1;");
    expect_lane(20, 0xffff0000, 0);
    run_row("redux.sync.add.u32 %r10, %r1, -1;");
    expect_lane(3, 496, 0);
    run_row("sub.s32 %r12, %r1, 7; redux.sync.min.s32 %r10, %r12, -1;");
    expect_lane(3, (uint32_t)-7, 0);
    run_row("sub.s32 %r12, %r1, 7; redux.sync.max.u32 %r10, %r12, -1;");
    expect_lane(3, (uint32_t)-1, 0);
    run_row("redux.sync.xor.b32 %r10, %r1, -1;");
    expect_lane(3, 0, 0);
    /* Two groups at once, each with its own mask. */
    run_row("setp.lt.u32 %p2, %r1, 16; selp.b32 %r12, 0xffff, 0xffff0000, %p2;\n"
            "redux.sync.add.u32 %r10, %r1, %r12;");
    expect_lane(0, 120, 0);
    expect_lane(31, 376, 0);
    run_row("setp.lt.u32 %p2, %r1, 4; @%p2 bra NEXT;\nelect.sync %r10|%p1, 0xfffffff0;\nNEXT:");
    expect_lane(4, 4, 1);
    expect_lane(5, 4, 0);
}

Test(sim_warp, lanes_that_do_not_come)
{
    sim_fixture_run(&(struct fixture){.body = "setp.lt.u32 %p1, %r1, 16; @!%p1 bra NEXT;\n"
                                              "shfl.sync.down.b32 %r10, %r1, 1, 31, -1;\n"
                                              "NEXT: st.global.u32 [%rd3], %r10;\n"},
                    &result);
    cr_expect_eq(result.outcome.status, SIM_DIVERGENT_BARRIER);
    cr_expect_not_null(strstr(result.outcome.message, "names lane 16"), "%s",
                       result.outcome.message);
    /* Lanes that have ended are not waited for. */
    run(&(struct fixture){.block = 40,
                          .body = "setp.gt.u32 %p1, %r1, 35; @%p1 bra END;\n"
                                  "redux.sync.add.u32 %r10, %r1, -1; cvt.u64.u32 %rd10, %r10;\n"
                                  "st.global.u64 [%rd3], %rd10;\nEND:\n"});
    cr_expect_eq(result.out[0], 496);
    cr_expect_eq(result.out[35], 32 + 33 + 34 + 35);
    /* Both sides of a branch come to the same __syncwarp() and go on together. */
    run(&(struct fixture){.body = "and.b32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 0; @%p1 bra SYNC;\n"
                                  "setp.gt.u32 %p2, %r1, 99; @%p2 bra END;\n"
                                  "SYNC: bar.warp.sync -1; activemask.b32 %r11;\n"
                                  "cvt.u64.u32 %rd10, %r11; st.global.u64 [%rd3], %rd10;\nEND:\n"});
    cr_expect_eq(result.out[3], 0xffffffff);
}

Test(sim_warp, special_registers)
{
    struct {
        const char *name;
        uint64_t expected; /* of thread 37 of block 2 */
    } cases[] = {{"%tid.x", 37},           {"%tid.y", 0},          {"%ntid.x", 64},
                 {"%ntid.z", 1},           {"%ctaid.x", 2},        {"%nctaid.x", 4},
                 {"%laneid", 5},           {"%warpid", 4},         {"%nsmid", 132},
                 {"%lanemask_eq", 32},     {"%lanemask_lt", 31},   {"%lanemask_le", 63},
                 {"%lanemask_gt", ~63u},   {"%lanemask_ge", ~31u}, {"%dynamic_smem_size", 48},
                 {"%cluster_nctaid.x", 1}, {"%clusterid.x", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char body[300];
        snprintf(body, sizeof body,
                 "mov.u32 %%r10, %s; cvt.u64.u32 %%rd10, %%r10; st.global.u64 [%%rd3], %%rd10;",
                 cases[i].name);
        run(&(struct fixture){.grid = 4, .block = 64, .dynamic_shared = 48, .body = body});
        cr_expect_eq(result.out[2 * 64 + 37], cases[i].expected, "%s is %llu", cases[i].name,
                     (unsigned long long)result.out[2 * 64 + 37]);
    }
    /* As an operand of something other than mov; clocks go on. */
    run(&(struct fixture){.body = "mad.lo.u32 %r10, %tid.x, %ntid.x, %ctaid.x;\n"
                                  "mov.u64 %rd11, %clock64; nanosleep.u32 100; mov.u64 %rd12, "
                                  "%globaltimer;\n"
                                  "setp.ge.u64 %p1, %rd12, %rd11; selp.u32 %r11, 1, 0, %p1;\n"
                                  "mov.b64 %rd10, {%r10, %r11}; st.global.u64 [%rd3], %rd10;\n"});
    cr_expect_eq(result.out[7], 1ull << 32 | 7 * 32);
}

static const char printing[] =
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
    ".global .align 1 .b8 text[64] = {%s};\n"
    ".global .align 1 .b8 word[4] = {65, 98, 99, 0};\n";

Test(sim_warp, printf_formats, .init = cr_redirect_stdout)
{
    static const char format[] = "%d %5.2f|%s|%-4u|%lld %c %x %%\n";
    char bytes[600] = "", module[1200];
    for (size_t i = 0; i < sizeof format; i++)
        sprintf(bytes + strlen(bytes), "%s%d", i ? "," : "", format[i]);
    snprintf(module, sizeof module, printing, bytes);
    run(&(struct fixture){
        .module = module,
        .block = 2,
        .declarations = ".local .align 8 .b8 depot[48];",
        .body =
            "mov.u64 %rd10, depot; cvta.local.u64 %rd11, %rd10; mov.u64 %rd12, text;\n"
            "cvta.global.u64 %rd12, %rd12; mov.u64 %rd13, word; cvta.global.u64 %rd13, %rd13;\n"
            "sub.s32 %r10, %r1, 3; st.local.u32 [%rd10], %r10;\n"
            "mov.f64 %fd1, 0d400921FB54442D18; st.local.f64 [%rd10+8], %fd1;\n"
            "st.local.u64 [%rd10+16], %rd13; mov.u32 %r11, 42; st.local.u32 [%rd10+24], %r11;\n"
            "mov.u64 %rd14, -9000000000; st.local.u64 [%rd10+32], %rd14;\n"
            "mov.u32 %r12, 33; st.local.u32 [%rd10+40], %r12; mov.u32 %r13, 255;\n"
            "st.local.u32 [%rd10+44], %r13;\n"
            "{ .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %rd12;\n"
            "st.param.b64 [v], %rd11; call.uni (r), vprintf, (f, v); ld.param.b32 %r14, [r]; }\n"
            "cvt.u64.u32 %rd15, %r14; st.global.u64 [%rd3], %rd15;\n"});
    cr_expect_eq(result.out[0], 7);
    cr_assert_stdout_eq_str("-3  3.14|Abc|42  |-9000000000 ! ff %\n"
                            "-2  3.14|Abc|42  |-9000000000 ! ff %\n");
}

Test(sim_warp, device_heap)
{
    static const char heap[] = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                               ".extern .func free(.param .b64 p);\n.file 1 \"kernel.cu\"\n";
    static const char use[] =
        "mov.u64 %%rd10, 40;\n"
        "{ .param .b64 n; .param .b64 r; st.param.b64 [n], %%rd10; call.uni (r), malloc, (n);\n"
        "ld.param.b64 %%rd11, [r]; }\n"
        "st.u32 [%%rd11+%d], %%r1; ld.u32 %%r10, [%%rd11+%d]; cvt.u64.u32 %%rd12, %%r10;\n"
        "st.global.u64 [%%rd3], %%rd12;\n"
        "{ .param .b64 p; st.param.b64 [p], %%rd11; call.uni free, (p); }\n%s\n";
    char body[2000];
    snprintf(body, sizeof body, use, 36, 36, "");
    run(&(struct fixture){.module = heap, .grid = 5, .body = body});
    cr_expect_eq(result.out[159], 31);
    snprintf(body, sizeof body, use, 40, 40, "");
    sim_fixture_run(&(struct fixture){.module = heap, .body = body}, &result);
    cr_expect_eq(result.outcome.status, SIM_OUT_OF_BOUNDS);
    cr_expect_not_null(strstr(result.outcome.message, "malloc in a kernel"), "%s",
                       result.outcome.message);
    snprintf(body, sizeof body, use, 0, 0,
             "{ .param .b64 p; st.param.b64 [p], %rd11; call.uni free, (p); }");
    sim_fixture_run(&(struct fixture){.module = heap, .body = body}, &result);
    cr_expect_eq(result.outcome.status, SIM_OUT_OF_BOUNDS);
    cr_expect_not_null(strstr(result.outcome.message, "free already"));
}

Test(sim_warp, assertions)
{
    sim_fixture_run(
        &(struct fixture){
            .module = ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, "
                      ".param .b64 u, .param .b64 s);\n"
                      ".global .align 1 .b8 word[6] = {120, 32, 60, 32, 49, 0};\n"
                      ".file 1 \"kernel.cu\"\n",
            .block = 64,
            .body = "setp.lt.u32 %p1, %r1, 40; @%p1 bra END; mov.u64 %rd10, word;\n"
                    ".loc 1 21 1\n"
                    "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 u; .param .b64 s;\n"
                    "st.param.b64 [m], %rd10; st.param.b64 [f], %rd10; st.param.b32 [l], 21;\n"
                    "st.param.b64 [u], %rd10; st.param.b64 [s], 1;\n"
                    "call.uni __assertfail, (m, f, l, u, s); }\nEND:\n"},
        &result);
    cr_expect_eq(result.outcome.status, SIM_ASSERT);
    cr_expect_eq(result.outcome.line, 21);
    cr_expect_eq(result.outcome.thread[0], 40);
    cr_expect_not_null(strstr(result.outcome.message, "`x < 1` failed"), "%s",
                       result.outcome.message);
}
