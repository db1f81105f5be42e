/* Loads, stores and atomics in all spaces, and what is reported when they go wrong. */
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct fixture_result result;

static const char source_file[] = ".file 1 \"kernel.cu\"\n";

static void run(const struct fixture *fixture)
{
    sim_fixture_run(fixture, &result);
    cr_assert_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
}

/* Runs a body that must fail at line 7 of kernel.cu, in `thread`. */
static void expect_fault(struct fixture fixture, enum sim_status status, unsigned thread,
                         const char *words)
{
    char body[4000];
    snprintf(body, sizeof body, ".loc 1 3 0\n%s", fixture.body);
    fixture.body = body;
    fixture.module = fixture.module ? fixture.module : source_file;
    sim_fixture_run(&fixture, &result);
    cr_expect_eq(result.outcome.status, status, "status %d: %s", (int)result.outcome.status,
                 result.outcome.message);
    cr_expect_str_eq(result.outcome.kernel, "test");
    cr_expect_not_null(strstr(result.outcome.file, "kernel.cu"), "file '%s'", result.outcome.file);
    cr_expect_eq(result.outcome.line, 7, "line %d: %s", result.outcome.line,
                 result.outcome.message);
    cr_expect_eq(result.outcome.thread[0], thread, "thread %u: %s", result.outcome.thread[0],
                 result.outcome.message);
    cr_expect_not_null(strstr(result.outcome.message, words), "'%s' in '%s'", words,
                       result.outcome.message);
}

Test(sim_memory, widths_and_signs)
{
    const uint64_t in[] = {0x8091a2b3c4d5e6f7, 0x0123456789abcdef};
    run(&(struct fixture){
        .in = in,
        .in_count = 2,
        .block = 1,
        .body = "ld.global.u8 %rd10, [%rd2];   st.global.u64 [%rd1], %rd10;\n"
                "ld.global.s8 %rd10, [%rd2];   st.global.u64 [%rd1+8], %rd10;\n"
                "ld.global.s16 %rd10, [%rd2+2]; st.global.u64 [%rd1+16], %rd10;\n"
                "ld.global.u32 %rd10, [%rd2+4]; st.global.u64 [%rd1+24], %rd10;\n"
                "ld.global.s32 %rd10, [%rd2+4]; st.global.u64 [%rd1+32], %rd10;\n"
                "ld.global.s8 %r10, [%rd2+1];  cvt.u64.u32 %rd10, %r10; st.global.u64 [%rd1+40], "
                "%rd10;\n"
                "ld.global.s8 %h1, [%rd2+1];   cvt.u64.u16 %rd10, %h1; st.global.u64 [%rd1+48], "
                "%rd10;\n"
                "st.global.u8 [%rd1+56], %r10; st.global.u16 [%rd1+58], %h1;\n"
                "ld.global.nc.L1::no_allocate.v2.u64 {%rd10, %rd11}, [%rd2];\n"
                "st.global.v2.u64 [%rd1+64], {%rd11, %rd10};\n"
                "ld.global.v4.u16 {%h2, %h3, _, %h4}, [%rd2];\n"
                "st.global.v4.u16 [%rd1+80], {%h4, %h3, %h2, %h2};\n"});
    cr_expect_eq(result.out[0], 0xf7);
    cr_expect_eq(result.out[1], (uint64_t)-9);
    cr_expect_eq(result.out[2], 0xffffffffffffc4d5);
    cr_expect_eq(result.out[3], 0x8091a2b3);
    cr_expect_eq(result.out[4], 0xffffffff8091a2b3);
    cr_expect_eq(result.out[5], 0xffffffe6);
    cr_expect_eq(result.out[6], 0xffe6);
    cr_expect_eq(result.out[7], 0xffe6bee6);
    cr_expect_eq(result.out[8], in[1]);
    cr_expect_eq(result.out[9], in[0]);
    cr_expect_eq(result.out[10], 0xe6f7e6f7c4d58091);
}

/* Each lane reads in[index(lane)] * 4 bytes and in as a vector, for several ways of indexing. */
Test(sim_memory, patterns)
{
    static const char *const indices[] = {
        "mov.u32 %r10, %r1;",                              /* consecutive */
        "mov.u32 %r10, 5;",                                /* all the same */
        "xor.b32 %r10, %r1, 31;",                          /* reversed */
        "and.b32 %r10, %r1, 15;",                          /* in halves */
        "mul.lo.u32 %r10, %r1, 7; and.b32 %r10, %r10, 31;" /* scattered */
    };
    static const unsigned factor[][3] = {{1, 0, 0}, {0, 5, 0}, {31, 31, 0}, {1, 0, 15}, {7, 0, 31}};
    uint64_t in[64];
    for (unsigned i = 0; i < 64; i++)
        in[i] = (1000 + 2 * i) | (uint64_t)(1001 + 2 * i) << 32;
    for (int p = 0; p < 5; p++) {
        char body[2000];
        snprintf(body, sizeof body,
                 "%s mul.wide.u32 %%rd10, %%r10, 4; add.s64 %%rd10, %%rd10, %%rd2;\n"
                 "ld.global.u32 %%r11, [%%rd10];\n"
                 "mul.wide.u32 %%rd12, %%r10, 16; add.s64 %%rd12, %%rd12, %%rd2;\n"
                 "ld.global.v4.u32 {%%r12, %%r13, %%r14, %%r15}, [%%rd12];\n"
                 "setp.lt.u32 %%p1, %%r1, 20;\n"
                 "@%%p1 ld.global.u32 %%r11, [%%rd10+4];\n"
                 "st.global.v2.u32 [%%rd3], {%%r11, %%r15};\n",
                 indices[p]);
        run(&(struct fixture){.in = in, .in_count = 64, .body = body});
        for (unsigned lane = 0; lane < 32; lane++) {
            const unsigned index = p == 1   ? 5
                                   : p == 2 ? lane ^ 31
                                   : p == 3 ? lane & 15
                                            : lane * factor[p][0] & 31;
            const uint64_t low = 1000 + index + (lane < 20), high = 1000 + 4 * index + 3;
            cr_expect_eq(result.out[lane], high << 32 | low, "pattern %d, lane %u: %llx", p, lane,
                         (unsigned long long)result.out[lane]);
        }
    }
}

Test(sim_memory, shared)
{
    run(&(struct fixture){
        .declarations = ".shared .align 4 .b8 tile[256];",
        .block = 64,
        .body = "mov.u32 %r10, tile; shl.b32 %r11, %r1, 2; add.s32 %r11, %r11, %r10;\n"
                "mul.lo.u32 %r12, %r1, %r1; st.shared.u32 [%r11], %r12;\n"
                "bar.sync 0;\n"
                "xor.b32 %r13, %r1, 63; shl.b32 %r13, %r13, 2; cvt.u64.u32 %rd10, %r13;\n"
                "mov.u64 %rd11, tile; cvta.shared.u64 %rd11, %rd11; add.s64 %rd11, %rd11, %rd10;\n"
                "ld.u32 %r14, [%rd11];\n" /* generic */
                "isspacep.shared %p1, %rd11; selp.u32 %r15, 1, 0, %p1;\n"
                "ld.shared.u32 %r16, [tile+12];\n"
                "add.s32 %r15, %r15, %r16;\n"
                "st.global.v2.u32 [%rd3], {%r14, %r15};\n"});
    for (unsigned i = 0; i < 64; i++)
        cr_expect_eq(result.out[i], (10ull << 32) | ((63 - i) * (63 - i)));
}

/* However it is written; what reads it, and what is written beside it, is right. */
Test(sim_memory, inputs_may_only_be_read)
{
    static const uint64_t in[64];
    static const struct {
        const char *body, *words;
    } cases[] = {
        {"setp.eq.u32 %p1, %r1, 3; @%p1 st.global.u32 [%rd2+8], 1;", "write of element 2 of"},
        {"setp.eq.u32 %p1, %r1, 3; @%p1 st.u64 [%rd2], 0;", "write of element 0 of"},
        {"setp.eq.u32 %p1, %r1, 3; @%p1 st.global.v2.u64 [%rd2+16], {%rd1, %rd1};", "write of"},
        {"setp.eq.u32 %p1, %r1, 3; @%p1 red.global.add.u32 [%rd2], 1;", "atomic access of"},
        {"setp.eq.u32 %p1, %r1, 3; @%p1 atom.global.add.u32 %r10, [%rd2], 1; st.global.u32 "
         "[%rd3], %r10;",
         "atomic access of"},
        {"setp.eq.u32 %p1, %r1, 3; selp.b64 %rd10, %rd2, %rd3, %p1; st.global.u32 [%rd10], 1;",
         "write of element 0 of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char body[1000];
        snprintf(body, sizeof body,
                 ".loc 1 6 0\nld.global.u64 %%rd20, [%%rd2+8]; st.global.u64 [%%rd3], %%rd20;\n"
                 ".loc 1 7 0\n%s",
                 cases[i].body);
        expect_fault((struct fixture){.in = in, .in_count = 64, .in_protected = true, .body = body},
                     SIM_INPUT_MODIFIED, 3, cases[i].words);
    }
}

Test(sim_memory, dynamic_shared)
{
    run(&(struct fixture){
        .module = ".extern .shared .align 16 .b8 one[];\n.extern .shared .align 4 .b8 two[];\n",
        .declarations = ".shared .align 4 .b8 fixed[20];",
        .dynamic_shared = 128,
        .body = "mov.u32 %r10, one; mov.u32 %r11, two; mov.u32 %r12, fixed;\n"
                "st.shared.u32 [fixed+16], %r10;\n"
                "setp.eq.u32 %p1, %r1, 31; @%p1 st.shared.u32 [one], %r1; bar.warp.sync -1;\n"
                "sub.s32 %r13, %r10, %r11; ld.shared.u32 %r14, [two];\n"
                "st.global.v2.u32 [%rd3], {%r13, %r10};\n"});
    cr_expect_eq(result.out[0], 32ull << 32);
}

Test(sim_memory, local)
{
    run(&(struct fixture){
        .declarations = ".local .align 8 .b8 depot[64];",
        .body = "mov.u64 %rd10, depot[0]; cvta.local.u64 %rd11, %rd10;\n"
                "and.b32 %r10, %r1, 7; mul.wide.u32 %rd12, %r10, 8;\n"
                "add.s64 %rd13, %rd10, %rd12; add.s64 %rd14, %rd11, %rd12;\n"
                "mov.b64 %rd15, {%r1, %r10};\n"
                "st.local.u64 [%rd13], %rd15; ld.u64 %rd16, [%rd14];\n" /* read as generic */
                "st.u8 [%rd14+1], %r10; ld.local.v2.u32 {%r11, %r12}, [%rd13];\n"
                "st.local.u16 [depot+2], %r1; ld.local.u16 %r13, [%rd10+2];\n"
                "add.s32 %r11, %r11, %r13;\n"
                "st.global.v2.u32 [%rd3], {%r11, %r12};\n"});
    for (unsigned i = 0; i < 32; i++)
        cr_expect_eq(result.out[i], (uint64_t)(i & 7) << 32 | (i + ((i & 7) << 8) + i));
}

Test(sim_memory, variables)
{
    run(&(struct fixture){.module = ".const .align 4 .u32 table[4] = {10, 20, 30, 40};\n"
                                    ".global .align 8 .u64 link[2] = {generic(table), 0};\n"
                                    ".global .align 4 .u32 counter;\n",
                          .body = "and.b32 %r10, %r1, 3; mul.wide.u32 %rd10, %r10, 4;\n"
                                  "mov.u64 %rd11, table[1]; sub.s64 %rd11, %rd11, 4; add.s64 "
                                  "%rd11, %rd11, %rd10; ld.const.u32 %r11, [%rd11];\n"
                                  "ld.global.u64 %rd12, [link]; ld.u32 %r12, [%rd12+8];\n"
                                  "atom.global.add.u32 %r13, [counter], 2;\n"
                                  "bar.sync 0; ld.global.u32 %r14, [counter];\n"
                                  "add.s32 %r11, %r11, %r12; add.s32 %r11, %r11, %r14;\n"
                                  "st.global.v2.u32 [%rd3], {%r11, %r13};\n"});
    for (unsigned i = 0; i < 32; i++)
        cr_expect_eq(result.out[i], (uint64_t)(2 * i) << 32 | ((i % 4 + 1) * 10 + 30 + 64));
}

Test(sim_memory, parameters)
{
    const uint64_t in[] = {42};
    /* The address of a parameter, as compilers take it of structs passed by value. */
    run(&(struct fixture){
        .in = in,
        .in_count = 1,
        .body = "mov.b64 %rd10, param_in; ld.param.u64 %rd11, [%rd10]; ld.global.u64 %rd12, "
                "[%rd11];\n"
                "ld.param.u32 %r10, [param_in+4]; shr.u64 %rd13, %rd2, 32; cvt.u32.u64 %r11, "
                "%rd13;\n"
                "sub.s32 %r10, %r10, %r11; cvt.u64.u32 %rd13, %r10; add.s64 %rd12, %rd12, %rd13;\n"
                "st.global.u64 [%rd3], %rd12;\n"});
    cr_expect_eq(result.out[31], 42);
}

Test(sim_memory, atomics)
{
    static const struct {
        const char *text;
        uint64_t start, expected; /* of the cell, after 32 lanes with operand tid */
    } cases[] = {
        {"atom.global.add.u32 %r10, [%rd2], %r1;", 0xfffffff0, 0x1e0},
        {"red.global.add.u32 [%rd2], %r1;", 1, 497},
        {"red.add.u32 [%rd2], 1;", 1, 33},
        {"red.global.max.s32 [%rd2], %r1;", 0xffffffff, 31},
        {"red.global.max.u32 [%rd2], %r1;", 0xffffffff, 0xffffffff},
        {"red.global.min.s32 [%rd2], %r1;", 7, 0},
        {"red.global.and.b32 [%rd2], %r1;", 7, 0},
        {"red.global.or.b32 [%rd2], %r1;", 32, 63},
        {"red.global.xor.b32 [%rd2], %r1;", 5, 5},
        {"atom.global.inc.u32 %r10, [%rd2], 4;", 0, 32 % 5},
        {"atom.global.dec.u32 %r10, [%rd2], 4;", 0, 3},
        {"atom.global.exch.b32 %r10, [%rd2], %r1;", 9, 31},
        {"add.s32 %r11, %r1, 1; atom.global.cas.b32 %r10, [%rd2], %r1, %r11;", 0, 32},
        {"cvt.u64.u32 %rd10, %r1; atom.global.add.u64 %rd11, [%rd2], %rd10;", 1ull << 40,
         (1ull << 40) + 496},
        {"cvt.u64.u32 %rd10, %r1; red.relaxed.gpu.global.max.u64 [%rd2], %rd10;", 3, 31},
        {"cvt.rn.f32.u32 %f1, %r1; atom.global.add.f32 %f2, [%rd2], %f1;", 0, 0x43f80000},
        {"cvt.rn.f64.u32 %fd1, %r1; red.global.add.f64 [%rd2], %fd1;", 0, 0x407f000000000000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char body[1000];
        snprintf(body, sizeof body,
                 "%s\nbar.sync 0;\nld.global.u64 %%rd20, [%%rd2];\n"
                 "st.global.u64 [%%rd3], %%rd20;",
                 cases[i].text);
        run(&(struct fixture){.in = &cases[i].start, .in_count = 1, .body = body});
        const uint64_t mask = cases[i].start >> 32 || cases[i].expected >> 32 ? ~0ull : 0xffffffff;
        cr_expect_eq(result.out[0] & mask, cases[i].expected, "%s: %llx", cases[i].text,
                     (unsigned long long)result.out[0]);
    }
}

Test(sim_memory, atomics_of_floats_in_shared_memory)
{
    run(&(struct fixture){.declarations = ".shared .align 4 .b8 cell[4];\n",
                          .body = "mov.u32 %r10, cell; mov.u32 %r11, 0;\n"
                                  "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [%r10], %r11;\n"
                                  "bar.sync 0; cvt.rn.f32.u32 %f1, %r1;\n"
                                  "atom.shared.add.f32 %f2, [%r10], %f1; bar.sync 0;\n"
                                  "ld.shared.u32 %r12, [%r10]; cvt.u64.u32 %rd10, %r12;\n"
                                  "st.global.u64 [%rd3], %rd10;\n"});
    cr_expect_eq(result.out[7], 0x43f80000, "496, the sum of 0 to 31: %llx",
                 (unsigned long long)result.out[7]);
}

Test(sim_memory, atomics_of_vectors_and_halves)
{
    const uint64_t zero[] = {0, 0, 0};
    run(&(struct fixture){.in = zero,
                          .in_count = 3,
                          .body = "mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0f40000000;\n"
                                  "atom.global.add.v2.f32 {%f3, %f4}, [%rd2], {%f1, %f2};\n"
                                  "mov.u16 %h1, 0x3c00; atom.global.add.noftz.f16 %h2, [%rd2+8], "
                                  "%h1;\n"
                                  "mov.u32 %r10, 0x40003c00; red.global.add.noftz.f16x2 [%rd2+12], "
                                  "%r10;\n"
                                  "bar.sync 0; ld.global.u64 %rd10, [%rd2];\n"
                                  "setp.eq.u32 %p1, %r1, 1; @%p1 ld.global.u64 %rd10, [%rd2+8];\n"
                                  "setp.eq.u32 %p1, %r1, 2; @%p1 mov.b64 %rd10, {%f3, %f4};\n"
                                  "st.global.u64 [%rd3], %rd10;\n"});
    cr_expect_eq(result.out[0], 0x4280000042000000);
    cr_expect_eq(result.out[1], 0x5400500000005000);
    cr_expect_eq(result.out[2], 0x4080000040000000);
}

Test(sim_memory, asynchronous_copies)
{
    uint64_t in[64];
    for (unsigned i = 0; i < 64; i++)
        in[i] = 100 + i;
    run(&(struct fixture){
        .declarations = ".shared .align 16 .b8 tile[1024];",
        .in = in,
        .in_count = 64,
        .body = "mov.u32 %r10, tile; shl.b32 %r11, %r1, 4; add.s32 %r12, %r10, %r11;\n"
                "cvt.u64.u32 %rd10, %r11; add.s64 %rd10, %rd10, %rd2;\n"
                "cp.async.cg.shared.global.L2::128B [%r12], [%rd10], 16;\n"
                "cp.async.ca.shared.global [%r12+512], [%rd10], 8, 4;\n"
                "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;\n"
                "xor.b32 %r13, %r11, 496; add.s32 %r13, %r13, %r10;\n"
                "ld.shared.u64 %rd11, [%r13+8]; ld.shared.u64 %rd12, [%r13+512];\n"
                "shl.b64 %rd12, %rd12, 16; add.s64 %rd11, %rd11, %rd12;\n"
                "st.global.u64 [%rd3], %rd11;\n"});
    for (unsigned i = 0; i < 32; i++)
        cr_expect_eq(result.out[i], in[2 * (31 - i) + 1] + (in[2 * (31 - i)] << 16));
}

Test(sim_memory, atomics_across_blocks)
{
    const uint64_t zero[] = {0, 0};
    run(&(struct fixture){.in = zero,
                          .in_count = 2,
                          .grid = 64,
                          .block = 96,
                          .workers = 4,
                          .declarations = ".shared .align 4 .b8 sum[4];",
                          .body = "mov.u32 %r10, sum; setp.ne.u32 %p1, %r1, 0;\n"
                                  "@!%p1 st.shared.u32 [%r10], 0;\nbar.sync 0;\n"
                                  "atom.shared.add.u32 %r11, [%r10], %r1;\nbar.sync 0;\n"
                                  "@%p1 bra DONE;\n"
                                  "ld.shared.u32 %r12, [%r10]; red.global.add.u32 [%rd2], %r12;\n"
                                  "membar.gl; atom.global.inc.u32 %r13, [%rd2+8], 63;\n"
                                  "setp.ne.u32 %p2, %r13, 63; @%p2 bra DONE;\n"
                                  "ld.volatile.global.u32 %r14, [%rd2]; cvt.u64.u32 %rd10, %r14;\n"
                                  "st.global.u64 [%rd1], %rd10;\nDONE:\n"});
    cr_expect_eq(result.out[0], 64 * (95 * 96 / 2));
}

Test(sim_memory, out_of_bounds)
{
    const uint64_t in[] = {1, 2};
    expect_fault((struct fixture){.in = in,
                                  .in_count = 2,
                                  .body =
                                      "mul.wide.u32 %rd10, %r1, 4; add.s64 %rd10, %rd10, %rd2;\n"
                                      ".loc 1 7 5\nld.global.u32 %r10, [%rd10];\n"
                                      ".loc 1 8 0\nst.global.u32 [%rd3], %r10;"},
                 SIM_OUT_OF_BOUNDS, 6, "right after the end of in (24 bytes)");
    cr_expect_not_null(
        strstr(result.outcome.message, "read of element 6 of in by thread (6, 0, 0) of "));
    expect_fault((struct fixture){.body = ".loc 1 7 5\nst.global.v2.u64 [%rd1+32760], {%rd1, "
                                          "%rd1};\n"},
                 SIM_MISALIGNED, 0, "multiple of 16");
    expect_fault((struct fixture){.body = ".loc 1 7 5\nst.global.u64 [%rd1+-8], %rd1;\n"},
                 SIM_OUT_OF_BOUNDS, 0, "before the start of out");
    expect_fault((struct fixture){.body = "setp.ge.u32 %p1, %r1, 9; mov.u64 %rd10, 0;\n"
                                          ".loc 1 7 5\n@%p1 atom.add.u32 %r10, [%rd10+16], 1;\n"},
                 SIM_OUT_OF_BOUNDS, 9, "null pointer");
    expect_fault((struct fixture){.body = ".loc 1 7 5\nld.global.u32 %r10, [%rd3+2];\n"},
                 SIM_MISALIGNED, 0, "multiple of 4");
}

Test(sim_memory, out_of_bounds_shared_and_local)
{
    expect_fault((struct fixture){.declarations = ".shared .align 4 .b8 tile[100];",
                                  .body = "mov.u32 %r10, tile; shl.b32 %r11, %r1, 2; add.s32 %r11, "
                                          "%r11, %r10;\n"
                                          ".loc 1 7 5\nst.shared.u32 [%r11], %r1;\n"},
                 SIM_OUT_OF_BOUNDS, 25, "tile");
    expect_fault((struct fixture){.module = ".extern .shared .align 4 .b8 dynamic[];\n"
                                            ".file 1 \"kernel.cu\"\n",
                                  .dynamic_shared = 64,
                                  .body =
                                      "mov.u64 %rd10, dynamic; cvta.shared.u64 %rd10, %rd10; "
                                      "mul.wide.u32 %rd11, %r1, 4; add.s64 %rd10, %rd10, %rd11;\n"
                                      ".loc 1 7 5\nst.u32 [%rd10], %r1;\n"},
                 SIM_OUT_OF_BOUNDS, 16, "64 of them dynamic");
    expect_fault((struct fixture){.declarations = ".local .align 4 .b8 depot[16];",
                                  .body = "mov.u64 %rd10, depot; mul.wide.u32 %rd11, %r1, 4; "
                                          "add.s64 %rd10, %rd10, %rd11;\n"
                                          ".loc 1 7 5\nst.local.u32 [%rd10], %r1;\n"},
                 SIM_OUT_OF_BOUNDS, 4, "local memory");
    expect_fault((struct fixture){.declarations = ".shared .align 4 .b8 tile[100];",
                                  .body = ".loc 1 7 5\nld.shared.u32 %r10, [tile+6];\n"},
                 SIM_MISALIGNED, 0, "multiple of 4");
}

Test(sim_memory, the_first_block_that_fails_is_reported)
{
    for (unsigned workers = 1; workers <= 4; workers++) {
        sim_fixture_run(&(struct fixture){.grid = 100,
                                          .workers = workers,
                                          .body = "mov.u32 %r10, %ctaid.x; setp.lt.u32 %p1, %r10, "
                                                  "37; @%p1 bra DONE;\n"
                                                  "st.global.u32 [%rd1+-4], %r10;\nDONE:\n"},
                        &result);
        cr_expect_eq(result.outcome.status, SIM_OUT_OF_BOUNDS);
        cr_expect_eq(result.outcome.block[0], 37, "block %u", result.outcome.block[0]);
    }
}
