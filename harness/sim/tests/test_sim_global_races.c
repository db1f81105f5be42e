/* Races in global memory: found where they are, in either order of the blocks, silent where fences,
 * atomic operations or barriers may order the accesses. */
#include "sim/check/switchboard.h"
#include "sim/memory/memory.h"
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>

static struct fixture_result result;

/* %r10: block; %r11: warp of the block; %rd10: the thread's word of a row of `out` that all blocks
 * share; %p1, %p2: block 0, block 1; %p3, %p4: warp 0, warp 1. */
#define NAMES                                                                                      \
    "mov.u32 %r10, %ctaid.x;\nshr.u32 %r11, %r1, 5;\nmad.wide.u32 %rd10, %r1, 4, %rd1;\n"          \
    "setp.eq.u32 %p1, %r10, 0;\nsetp.eq.u32 %p2, %r10, 1;\n"                                       \
    "setp.eq.u32 %p3, %r11, 0;\nsetp.eq.u32 %p4, %r11, 1;\n"

static const char names[] = NAMES;

static enum sim_status run(unsigned grid, unsigned block, const char *body)
{
    static char text[2000];
    snprintf(text, sizeof text, "%s%s", names, body);
    sim_fixture_run(&(struct fixture){.body = text, .grid = grid, .block = block, .workers = 1},
                    &result);
    return result.outcome.status;
}

static void expect(enum sim_status status, unsigned grid, unsigned block, const char *body)
{
    cr_expect_eq(run(grid, block, body), status, "status %d, not %d: %s\n%s", result.outcome.status,
                 status, result.outcome.message, body);
}

static void expect_said(const char *text)
{
    cr_expect(strstr(result.outcome.message, text), "not \"%s\": %s", text, result.outcome.message);
}

/* Barriers do not order them, and neither does the thread's own order. */
Test(sim_global_races, reads_through_the_read_only_cache)
{
    expect(SIM_RACE, 1, 32, "st.global.u32 [%rd10], %r2;\nld.global.nc.u32 %r20, [%rd10];");
    expect_said("element 0 of out: this read goes through the read-only cache");
    expect(SIM_RACE, 1, 64,
           "st.global.u32 [%rd10], %r2;\nbar.sync 0;\nld.global.nc.v2.u32 {%r20, %r21}, [%rd1+8];");
    expect(SIM_OK, 1, 64,
           "st.global.u32 [%rd10], %r2;\nbar.sync 0;\nld.global.u32 %r20, [%rd1+8];");
    expect(SIM_OK, 1, 64,
           "ld.global.nc.u32 %r20, [%rd10];\nbar.sync 0;\n"
           "add.u32 %r20, %r20, 1;\nst.global.u32 [%rd10], %r20;");
    expect(SIM_OK, 1, 32, "st.global.u32 [%rd10], %r2;\nld.global.nc.u32 %r20, [%rd10+128];");
}

Test(sim_global_races, blocks_that_write)
{
    expect(SIM_RACE, 2, 32, "st.global.u32 [%rd10], %r2;");
    expect_said("element 0 of out: this write by thread (0, 0, 0) of block (1, 0, 0) and the write "
                "at");
    expect_said("by block (0, 0, 0)");
    cr_expect_eq(result.outcome.block[0], 1);
    cr_expect_eq(result.outcome.thread[0], 0);
    expect(SIM_RACE, 2, 32, "st.global.u32 [%rd1+64], %r2;");
    expect_said("element 16 of out");
    expect(SIM_RACE, 2, 32, "cvt.u64.u32 %rd11, %r2;\nst.global.u64 [%rd1+8], %rd11;");
    expect(SIM_RACE, 2, 32, "st.global.v2.u32 [%rd1+8], {%r2, %r1};");
    expect(SIM_RACE, 2, 32, "st.u32 [%rd10], %r2;");
    expect(SIM_RACE, 2, 32, "setp.eq.u32 %p5, %r1, 9;\n@%p5 st.global.u32 [%rd10], %r2;");
    cr_expect_eq(result.outcome.thread[0], 9);
    expect(SIM_RACE, 2, 32,
           "mul.lo.u32 %r12, %r1, 48;\ncvt.u64.u32 %rd11, %r12;\nadd.u64 %rd11, %rd1, %rd11;\n"
           "st.global.u32 [%rd11], %r2;");
    expect(SIM_RACE, 2, 32,
           "mul.lo.u32 %r12, %r2, 16;\ncvt.u64.u32 %rd11, %r12;\nadd.u64 %rd11, %rd1, %rd11;\n"
           "@%p2 sub.u64 %rd11, %rd11, 32;\nst.global.v4.u32 [%rd11], {%r2, %r2, %r2, %r2};");
    cr_expect_eq(result.outcome.thread[0], 0, "the last two elements of block 0");
    expect_said("element 120 of out");
}

Test(sim_global_races, blocks_that_read)
{
    expect(SIM_RACE, 2, 32,
           "@%p1 st.global.u32 [%rd10], %r1;\n@%p2 ld.global.u32 %r20, [%rd10+4];");
    expect_said("this read by thread (0, 0, 0) of block (1, 0, 0) and the write at");
    expect(SIM_RACE, 2, 32,
           "@%p1 ld.global.u32 %r20, [%rd10+4];\n@%p2 st.global.u32 [%rd10], %r1;");
    expect_said("and the read at");
    cr_expect_eq(result.outcome.thread[0], 1);
    expect(SIM_RACE, 3, 32,
           "@!%p2 ld.global.u32 %r20, [%rd1+4];\nsetp.gt.u32 %p5, %r10, 1;\n"
           "@%p5 st.global.u32 [%rd10], %r2;");
    expect(SIM_RACE, 4, 32,
           "setp.lt.u32 %p5, %r10, 3;\n@%p5 ld.global.u32 %r20, [%rd10];\n"
           "@!%p5 st.global.u32 [%rd10], %r2;");
    expect_said("by several blocks");
    expect(SIM_RACE, 2, 32,
           "@%p1 st.global.u32 [%rd10], %r1;\n@%p2 ld.global.v4.u32 {%r20, %r21, %r22, %r23}, "
           "[%rd1+16];");
    expect_said("element 4 of out");
    expect(SIM_OK, 4, 32, "ld.global.u32 %r20, [%rd10];");
}

Test(sim_global_races, asynchronous_copies_read)
{
    sim_fixture_run(&(struct fixture){.declarations = ".shared .align 16 .b8 tile[512];\n",
                                      .body = NAMES "@%p1 st.global.u32 [%rd10], %r1;\n"
                                                    "mov.u32 %r12, tile;\nmad.lo.u32 %r12, %r1, "
                                                    "4, %r12;\n@%p2 cp.async.ca.shared.global "
                                                    "[%r12], [%rd10], 4;\n",
                                      .grid = 2},
                    &result);
    cr_expect_eq(result.outcome.status, SIM_RACE, "%s", result.outcome.message);
}

Test(sim_global_races, own_elements_are_no_races)
{
    expect(SIM_OK, 4, 64, "st.global.u64 [%rd3], %rd1;");
    expect(SIM_OK, 4, 64,
           "ld.global.u64 %rd11, [%rd3];\nadd.u64 %rd11, %rd11, 1;\nst.global.u64 [%rd3], %rd11;\n"
           "ld.global.u64 %rd11, [%rd3];\nadd.u64 %rd11, %rd11, 1;\nst.global.u64 [%rd3], %rd11;");
}

Test(sim_global_races, warps_of_a_block)
{
    static const char write[] = "st.global.u32 [%rd10], %r1;\nxor.b32 %r12, %r1, 32;\n"
                                "mad.wide.u32 %rd11, %r12, 4, %rd1;\n";
    static const char *const uses[] = {"ld.global.u32 %r20, [%rd11];",
                                       "st.global.u32 [%rd11], %r1;",
                                       "red.global.add.u32 [%rd11], 1;"};
    char text[1000];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s%s", write, uses[i]);
        expect(SIM_RACE, 1, 64, text);
        expect_said("__syncthreads()");
        snprintf(text, sizeof text, "%sbar.sync 0;\n%s", write, uses[i]);
        expect(SIM_OK, 1, 64, text);
        snprintf(text, sizeof text, "%sbar.sync 1, 64;\n%s", write, uses[i]);
        expect(SIM_OK, 1, 64, text);
    }
    expect(SIM_RACE, 1, 64, "@%p3 ld.global.u32 %r20, [%rd1];\n@%p4 st.global.u32 [%rd1], 99;");
    expect_said("by warp 0 of the block, threads (0, 0, 0) to (31, 0, 0)");
    expect(SIM_OK, 1, 64,
           "@%p3 ld.global.u32 %r20, [%rd1];\nbar.sync 0;\n@%p4 st.global.u32 [%rd1], 99;");
    expect(SIM_RACE, 1, 96,
           "setp.lt.u32 %p5, %r11, 2;\n@%p5 ld.global.u32 %r20, [%rd1];\n"
           "@!%p5 st.global.u32 [%rd1], 99;");
    expect_said("by other warps of the block");
}

Test(sim_global_races, atomic_operations)
{
    expect(SIM_OK, 4, 64, "red.global.add.u32 [%rd1], 1;\natom.global.add.u32 %r20, [%rd1], 1;");
    expect(SIM_RACE, 2, 32, "@%p1 st.global.u32 [%rd1], 5;\n@%p2 red.global.add.u32 [%rd1], 1;");
    expect_said("this atomic access by");
    expect(SIM_RACE, 2, 32, "@%p1 red.global.add.u32 [%rd1], 1;\n@%p2 st.global.u32 [%rd1], 5;");
    expect_said("and the atomic access at");
    expect(SIM_OK, 2, 32, "@%p1 red.global.add.u32 [%rd1], 1;\n@%p2 ld.global.u32 %r20, [%rd1];");
    expect(SIM_RACE, 1, 64, "@%p3 st.global.u32 [%rd1], 5;\n@%p4 red.global.add.u32 [%rd1], 1;");
    expect(SIM_OK, 1, 64,
           "@%p3 st.global.u32 [%rd1], 5;\nbar.sync 0;\nred.global.add.u32 [%rd1], 1;");
}

/* Atomic operations for a block alone, and strong stores to what others add to. */
Test(sim_global_races, atomic_operations_of_two_blocks)
{
    expect(SIM_RACE, 2, 32, "red.relaxed.cta.global.add.u32 [%rd1], 1;");
    expect_said("atomic among the threads of one block alone");
    expect(SIM_RACE, 2, 32,
           "@%p1 red.relaxed.cta.global.add.u32 [%rd1], 1;\n@%p2 red.global.add.u32 [%rd1], 1;");
    expect(SIM_OK, 1, 64, "red.relaxed.cta.global.add.u32 [%rd1], 1;");
    expect(SIM_RACE, 2, 32,
           "@%p1 st.volatile.global.u32 [%rd1], 5;\n@%p2 red.global.add.u32 [%rd1], 1;");
    expect_said("the write takes away what others have added");
    expect(SIM_RACE, 2, 32,
           "@%p1 red.global.add.u32 [%rd1], 1;\n@%p2 st.volatile.global.u32 [%rd1], 5;");
    expect(SIM_OK, 2, 32,
           "@%p1 st.volatile.global.u32 [%rd1], 5;\n@%p2 atom.global.cas.b32 %r20, [%rd1], 5, 6;");
    expect(SIM_OK, 3, 32,
           "atom.global.add.u32 %r20, [%rd1], 1;\nsetp.eq.u32 %p5, %r20, 3735928654;\n"
           "@%p5 st.volatile.global.u32 [%rd1], 0;");
}

/* What an asynchronous copy reads may be changed once it has been waited for. */
Test(sim_global_races, sources_of_asynchronous_copies)
{
    static const char *const waits[] = {"", "cp.async.commit_group;\n",
                                        "cp.async.commit_group;\ncp.async.wait_group 0;\n",
                                        "cp.async.wait_all;\n"};
    char text[1000];
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s%s%s%s", names,
                 "mov.u32 %r12, tile;\nmad.lo.u32 %r12, %r1, 4, %r12;\n"
                 "cp.async.ca.shared.global [%r12], [%rd10], 4;\n",
                 waits[i], "st.global.u32 [%rd10], %r1;\n");
        sim_fixture_run(
            &(struct fixture){.declarations = ".shared .align 16 .b8 tile[512];\n", .body = text},
            &result);
        cr_expect_eq(result.outcome.status, i < 2 ? SIM_RACE : SIM_OK, "%s: %s", text,
                     result.outcome.message);
    }
}

/* The block that has counted last may put the counter back. */
Test(sim_global_races, a_counter_is_put_back)
{
    expect(SIM_OK, 3, 32,
           "atom.global.add.u32 %r20, [%rd1], 1;\nsetp.eq.u32 %p5, %r20, 3735928654;\n"
           "@%p5 st.global.u32 [%rd1], 0;");
}

/* out[0] is 3735928559 at first. Who stores that leaves it as it was, and would undo what others do
 * to it if it came later. */
Test(sim_global_races, a_value_stored_anew_is_changed_by_others)
{
    static const char again[] = "@%p1 st.global.u32 [%rd1], 3735928559;\n";
    char text[1000];
    static const struct {
        const char *others;
        enum sim_status status;
    } cases[] = {
        {"@%p2 red.global.add.u32 [%rd1], 1;", SIM_RACE},
        {"red.global.add.u32 [%rd1], 1;", SIM_RACE},
        {"red.global.max.u32 [%rd1], 4000000000;", SIM_RACE},
        {"@%p2 red.global.max.u32 [%rd1], 5;", SIM_OK},
        {"@%p2 red.global.add.u32 [%rd1], 0;", SIM_OK},
        {"@%p1 st.global.u32 [%rd1], 7;\n@%p2 st.global.u32 [%rd1], 7;", SIM_RACE},
        {"@%p2 st.global.u32 [%rd1], 3735928559;", SIM_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "%s%s", again, cases[i].others);
        expect(cases[i].status, 2, 32, text);
    }
    expect(SIM_RACE, 3, 32,
           "setp.lt.u32 %p5, %r10, 2;\n@%p5 st.global.u32 [%rd1], 3735928559;\n"
           "@!%p5 red.global.add.u32 [%rd1], 1;");
    expect_said("by several blocks");
    expect(SIM_RACE, 2, 32,
           "@%p1 red.global.add.u32 [%rd1], 1;\n@%p2 st.global.u32 [%rd1], 3735928591;");
    expect(SIM_OK, 2, 32,
           "@%p1 red.global.max.u32 [%rd1], 4000000000;\n@%p2 st.global.u32 [%rd1], 4000000000;");
    /* behind a barrier, in one block, it is in order; two words of a block's own are its own */
    expect(SIM_OK, 1, 64,
           "st.global.u32 [%rd1], 3735928559;\nbar.sync 0;\nred.global.add.u32 [%rd1], 1;\n"
           "bar.sync 0;\nst.global.u32 [%rd1], 5;\nbar.sync 0;\nst.global.u32 [%rd1], 9;\n"
           "red.global.max.u32 [%rd1+4], 1;");
}

Test(sim_global_races, strong_accesses)
{
    expect(SIM_OK, 2, 32,
           "st.volatile.global.u32 [%rd1], %r2;\nld.relaxed.gpu.global.u32 %r20, [%rd1];");
}

/* The writer's part, the reader's part: data in [%rd10], a flag in [%rd1+512]. */
static void expect_handed_over(enum sim_status status, const char *set, const char *wait)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s%s%s%s",
             "mov.u32 %r20, 0;\n@%p2 bra OTHER;\nst.global.u32 [%rd10], %r1;\n", set,
             "\nret;\nOTHER:\n", wait,
             "\nxor.b32 %r12, %r1, 1;\nmad.wide.u32 %rd11, %r12, 4, %rd1;\n"
             "ld.global.u32 %r20, [%rd11];\nst.global.u32 [%rd11], 77;");
    expect(status, 2, 32, text);
}

Test(sim_global_races, fences_with_flags)
{
    static const char look[] = "ld.volatile.global.u32 %r21, [%rd1+512];";
    static const char wait[] = "ld.volatile.global.u32 %r21, [%rd1+512];\nmembar.gl;";
    static const char *const waits[] = {
        wait,
        "atom.global.add.u32 %r21, [%rd1+512], 0;\nfence.acq_rel.gpu;",
        "ld.relaxed.gpu.global.u32 %r21, [%rd1+512];\nfence.sc.sys;",
        "ld.acquire.gpu.global.u32 %r21, [%rd1+512];",
        "atom.acquire.gpu.global.add.u32 %r21, [%rd1+512], 0;",
        "atom.acq_rel.gpu.global.exch.b32 %r21, [%rd1+512], 0;",
    };
    static const char *const looks[] = {
        look,
        "atom.global.add.u32 %r21, [%rd1+512], 0;",
        "ld.relaxed.gpu.global.u32 %r21, [%rd1+512];",
        "membar.gl;\nld.volatile.global.u32 %r21, [%rd1+512];",
        "ld.volatile.global.u32 %r21, [%rd1+512];\nmembar.cta;",
        "ld.acquire.cta.global.u32 %r21, [%rd1+512];",
        "ld.relaxed.cta.global.u32 %r21, [%rd1+512];\nmembar.gl;",
        "nanosleep.u32 1000;\nmembar.gl;",
        "red.global.add.u32 [%rd1+512], 0;\nmembar.gl;",
    };
    static const char *const unreleased[] = {
        "st.volatile.global.u32 [%rd1+512], 1;",
        "st.volatile.global.u32 [%rd1+512], 1;\nmembar.gl;",
        "membar.cta;\nst.volatile.global.u32 [%rd1+512], 1;",
        "st.release.cta.global.u32 [%rd1+512], 1;",
        "membar.gl;\nst.relaxed.cta.global.u32 [%rd1+512], 1;",
        "membar.gl;",
    };
    static const char *const sets[] = {
        "membar.gl;\nst.volatile.global.u32 [%rd1+512], 1;",
        "fence.acq_rel.gpu;\nred.global.add.u32 [%rd1+512], 1;",
        "st.release.gpu.global.u32 [%rd1+512], 1;",
        "atom.release.gpu.global.add.u32 %r21, [%rd1+512], 1;",
        "atom.acq_rel.gpu.global.exch.b32 %r21, [%rd1+512], 1;",
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        for (size_t w = 0; w < sizeof waits / sizeof waits[0]; w++)
            expect_handed_over(SIM_OK, sets[i], waits[w]);
        for (size_t w = 0; w < sizeof looks / sizeof looks[0]; w++)
            expect_handed_over(SIM_RACE, sets[i], looks[w]);
        expect_handed_over(SIM_RACE, sets[i], "");
    }
    for (size_t i = 0; i < sizeof unreleased / sizeof unreleased[0]; i++)
        expect_handed_over(SIM_RACE, unreleased[i], wait);
    expect_handed_over(SIM_RACE, sets[0], look);
    expect_said("the reading block needs a __threadfence() after it has seen the flag");
    expect_handed_over(SIM_RACE, sets[0], looks[4]);
    expect_said("the fence after the look at the flag is for the block alone");
    expect_handed_over(SIM_RACE, sets[0], looks[6]);
    expect_said("set or read for the block alone");
    expect_handed_over(SIM_RACE, sets[0], looks[7]);
    expect_said("sleeping orders nothing");
    expect_handed_over(SIM_RACE, unreleased[1], wait);
    expect_said("the fence belongs between the data and the flag");
    expect_handed_over(SIM_RACE, unreleased[2], wait);
    expect_said("does not reach another block; use __threadfence()");
    expect_handed_over(SIM_RACE, "st.volatile.global.u32 [%rd1+512], 1;", wait);
    expect_said("__threadfence()");
    expect_handed_over(SIM_RACE, "red.global.add.u32 [%rd1+512], 1;", wait);
    expect_handed_over(SIM_RACE, "membar.gl;\nst.global.u32 [%rd10], 99;", wait);
}

static void begin_stderr(void)
{
    cr_redirect_stderr();
}

Test(sim_global_races, same_values_are_warned_of, .init = begin_stderr)
{
    expect(SIM_OK, 8, 64,
           "and.b32 %r12, %r1, 31;\nsetp.eq.u32 %p5, %r12, 0;\n@%p5 st.global.u32 [%rd1], 7;");
    fflush(stderr);
    FILE *const said = cr_get_redirected_stderr();
    char text[2000] = "";
    text[fread(text, 1, sizeof text - 1, said)] = '\0';
    cr_expect(strstr(text, "warning: kernel test"), "%s", text);
    cr_expect(strstr(text, "element 0 of out: this write by thread (32, 0, 0) of block (0, 0, 0)"),
              "%s", text);
    cr_expect_eq(strchr(text, '\n'), strrchr(text, '\n'), "more than one line: %s", text);
}

Test(sim_global_races, same_values)
{
    expect(SIM_OK, 8, 64, "st.global.u32 [%rd1], 7;\nld.global.u32 %r20, [%rd1];");
    expect(SIM_OK, 8, 64,
           "st.global.u32 [%rd10], %r1;\nbar.sync 0;\nld.global.u32 %r20, [%rd10+4];");
    expect(SIM_OK, 2, 32,
           "@%p1 ld.global.u32 %r20, [%rd1];\n@%p2 st.global.u32 [%rd1], 0xdeadbeef;");
    expect(SIM_OK, 2, 32,
           "@%p1 st.global.u32 [%rd1], 0xdeadbeef;\n@%p2 ld.global.u32 %r20, [%rd1];");
    /* Whose value of several equal ones is read cannot be told. */
    expect(SIM_OK, 3, 32,
           "setp.eq.u32 %p5, %r10, 2;\n@!%p5 st.global.u32 [%rd1], 7;\n"
           "@%p5 ld.global.u32 %r20, [%rd1];");
    expect(
        SIM_RACE, 3, 32,
        "setp.eq.u32 %p5, %r10, 2;\n@!%p5 st.global.u32 [%rd1], 7;\n@%p5 st.global.u32 [%rd1], 8;");
}

/* Reads and writes of an allocation that the kernel knows by a pointer in memory. */
Test(sim_global_races, pointers_in_memory)
{
    const uint64_t address = sim_memory_allocate(4096, SIM_MEMORY_DEVICE, "list");
    static const char *const bodies[] = {
        NAMES "ld.global.u64 %rd10, [%rd2];\n@%p1 st.global.u32 [%rd10], 5;\n"
              "@%p2 ld.global.u32 %r20, [%rd10];",
        NAMES "ld.global.u64 %rd10, [%rd2];\n@%p1 ld.global.u32 %r20, [%rd10];\n"
              "@%p2 st.global.u32 [%rd10], 5;",
    };
    for (int i = 0; i < 4; i++) {
        memset(sim_memory_host(address, 4096), 0, 4096);
        sim_checks_set(i < 2 ? SIM_CHECK_ALL : 0);
        sim_fixture_run(
            &(struct fixture){.body = bodies[i % 2], .in = &address, .in_count = 1, .grid = 2},
            &result);
        cr_expect_eq(result.outcome.status, i < 2 ? SIM_RACE : SIM_OK, "%s", bodies[i % 2]);
    }
    sim_memory_free(address);
}

/* Lanes in two allocations go one by one, with the same checks. */
Test(sim_global_races, lanes_apart)
{
#define APART                                                                                      \
    NAMES "ld.global.u64 %rd11, [%rd2];\nmad.wide.u32 %rd11, %r1, 4, %rd11;\n"                     \
          "setp.lt.u32 %p5, %r1, 16;\n@%p5 mov.u64 %rd11, %rd10;\n"
    static const struct {
        const char *body, *said;
    } cases[] = {{APART "@%p1 st.global.u32 [%rd11], %r2;\n@%p2 ld.global.u32 %r20, [%rd11];",
                  "element 0 of out"},
                 {APART "ld.volatile.global.u32 %r20, [%rd11];\nadd.u32 %r20, %r20, 1;\n"
                        "st.volatile.global.u32 [%rd11], %r20;",
                  "read this element, change it and write it back"}};
    const uint64_t address = sim_memory_allocate(4096, SIM_MEMORY_DEVICE, "list");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset((void *)sim_memory_find(address)->host, 0, 4096);
        sim_fixture_run(
            &(struct fixture){.body = cases[i].body, .in = &address, .in_count = 1, .grid = 2},
            &result);
        cr_expect_eq(result.outcome.status, SIM_RACE, "%s", result.outcome.message);
        expect_said(cases[i].said);
    }
    sim_memory_free(address);
#undef APART
}

/* What one launch has done is ordered before the next one. */
Test(sim_global_races, launches_are_ordered)
{
    const uint64_t address = sim_memory_allocate(1 << 20, SIM_MEMORY_DEVICE, "list");
    static const char write[] =
        NAMES "ld.global.u64 %rd11, [%rd2];\nmad.wide.u32 %rd11, %r2, 4, %rd11;\n"
              "st.global.u32 [%rd11], %r2;";
    static const char turn[] =
        NAMES "ld.global.u64 %rd11, [%rd2];\nsub.u32 %r12, 255, %r2;\nmad.wide.u32 %rd11, %r12, 4, "
              "%rd11;\n"
              "ld.global.u32 %r20, [%rd11];\nadd.u32 %r20, %r20, 5;\nst.global.u32 [%rd11], %r20;";
    for (int i = 0; i < 4; i++) {
        sim_fixture_run(&(struct fixture){.body = i % 2 ? turn : write,
                                          .in = &address,
                                          .in_count = 1,
                                          .grid = 4,
                                          .block = 64},
                        &result);
        cr_expect_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
    }
    sim_memory_free(address);
}

/* The last bits of a sum depend on the order of its additions; an integer's do not, nor do a
 * maximum's. */
Test(sim_global_races, float_sums_in_any_order)
{
    const unsigned others = sim_checks_wanted();
    sim_checks_set(others | SIM_CHECK_SUMS);
    expect(SIM_UNORDERED_SUM, 4, 32,
           "mov.f32 %f1, 0f3f800000;\nred.global.add.f32 [%rd1+12], %f1;");
    expect_said("element 3 of out: several warps or blocks add floats atomically");
    expect(SIM_OK, 4, 32, "red.global.add.u32 [%rd1+12], %r2;");
    expect(SIM_OK, 4, 32, "atom.global.exch.b32 %r20, [%rd1+12], %r2;");
    sim_checks_set(others);
    expect(SIM_OK, 4, 32, "mov.f32 %f1, 0f3f800000;\nred.global.add.f32 [%rd1+12], %f1;");
}

/* Block 0 stores data, which %rd1 points to, and a flag 64 bytes behind; block 1 waits for the flag
 * and reads the data. */
static void expect_message(enum sim_status status, const char *store, const char *look,
                           const char *read)
{
    char text[1200];
    snprintf(text, sizeof text,
             "@%%p2 bra READER;\nsetp.ne.u32 %%p6, %%r1, 0;\n@%%p6 bra END;\n%s\nbra END;\n"
             "READER:\n%s\n%s\nEND:\n",
             store, look, read);
    expect(status, 2, 32, text);
}

#define STORE "st.volatile.global.u32 [%rd1], 7;\n"
#define SET   "st.volatile.global.u32 [%rd1+64], 1;\n"
#define FENCE "fence.acq_rel.gpu;\n"
#define WAIT_BY(load)                                                                              \
    "WAIT:\n" load " %r20, [%rd1+64];\nsetp.ne.u32 %p5, %r20, 1;\n@%p5 bra WAIT;\n"
#define WAIT WAIT_BY("ld.volatile.global.u32")
#define READ "ld.volatile.global.u32 %r21, [%rd1];\n"

Test(sim_global_races, messages_without_fences)
{
    expect_message(SIM_RACE, STORE SET, WAIT, READ);
    expect_said("element 0 of out");
    expect_said("between the write and the setting of the flag, a __threadfence()");
    expect_said("between the look at the flag and this read, a __threadfence()");
    expect_message(SIM_RACE, STORE SET FENCE, WAIT, READ);
    expect_message(SIM_RACE, FENCE STORE SET, WAIT FENCE, READ);
    expect_said("between the write and the setting of the flag, a __threadfence()");
    cr_expect(!strstr(result.outcome.message, "between the look at the flag"));
    expect_message(SIM_RACE, STORE FENCE SET, FENCE WAIT, READ);
    expect_said("between the look at the flag and this read, a __threadfence()");
    cr_expect(!strstr(result.outcome.message, "between the write and the setting"));
    expect_message(SIM_RACE, STORE "st.release.gpu.global.u32 [%rd1+64], 1;",
                   WAIT_BY("ld.relaxed.gpu.global.u32"), READ);
    expect_message(SIM_RACE, STORE "red.relaxed.gpu.global.add.u32 [%rd1+64], 559038738;",
                   WAIT_BY("ld.acquire.gpu.global.u32"), READ);
    expect_message(SIM_RACE, "atom.global.exch.b32 %r20, [%rd1], 7;\n" SET, WAIT, READ);
    expect_message(SIM_RACE, "st.global.u32 [%rd1], 7;\n" SET, WAIT, READ);
    expect_message(SIM_RACE, STORE SET, WAIT, "ld.relaxed.gpu.global.v2.u32 {%r21, %r22}, [%rd1];");
    expect_message(SIM_RACE, STORE "atom.global.exch.b32 %r20, [%rd1+64], 1;",
                   "WAIT:\natom.global.cas.b32 %r20, [%rd1+64], 1, 2;\n"
                   "setp.ne.u32 %p5, %r20, 1;\n@%p5 bra WAIT;\n",
                   READ);
    expect_message(SIM_RACE, STORE "atom.global.exch.b32 %r20, [%rd1+64], 1;",
                   "mov.u32 %r22, 1;\nWAIT:\natom.global.cas.b32 %r20, [%rd1+64], %r22, 2;\n"
                   "setp.ne.u32 %p5, %r20, 1;\n@%p5 bra WAIT;\n",
                   READ);
    expect_message(SIM_RACE, STORE "red.global.add.u32 [%rd1+64], 559038738;",
                   "atom.global.add.u32 %r20, [%rd1+64], 1;\nsetp.eq.u32 %p5, %r20, 1;\n", READ);
    expect_message(SIM_RACE, STORE SET,
                   "WAIT:\natom.global.add.u32 %r20, [%rd1+64], 0;\n"
                   "setp.ne.u32 %p5, %r20, 1;\n@%p5 bra WAIT;\n",
                   READ);
}

/* Of two blocks each reads the word, adds to it and writes it back; but for what it has waited for,
 * and for what is loaded by way of it. */
Test(sim_global_races, updates_get_lost)
{
#define ADD "add.u32 %r20, %r20, 1;\n"
    expect(SIM_RACE, 2, 1,
           "ld.volatile.global.u32 %r20, [%rd1];\n" ADD "st.volatile.global.u32 [%rd1], %r20;\n");
    expect_said("read this element, change it and write it back");
    expect(SIM_RACE, 2, 1,
           "ld.relaxed.gpu.global.u32 %r20, [%rd1];\n" ADD ADD
           "st.relaxed.gpu.global.u32 [%rd1], %r20;\n");
    expect(SIM_OK, 2, 1,
           "ld.volatile.global.u32 %r20, [%rd1+4];\n" ADD "st.volatile.global.u32 [%rd1], %r20;\n");
    expect(SIM_OK, 1, 1,
           "ld.volatile.global.u32 %r20, [%rd1];\n" ADD "st.volatile.global.u32 [%rd1], %r20;\n");
    expect(SIM_OK, 2, 1,
           "LOCK:\natom.global.cas.b32 %r21, [%rd1+64], 3735928559, 1;\n"
           "setp.ne.u32 %p5, %r21, 3735928559;\n@%p5 bra LOCK;\n" FENCE
           "ld.volatile.global.u32 %r20, [%rd1];\n" ADD
           "st.volatile.global.u32 [%rd1], %r20;\n" FENCE
           "atom.global.exch.b32 %r21, [%rd1+64], 3735928559;\n");
#undef ADD
}

Test(sim_global_races, messages_in_order)
{
    expect_message(SIM_OK, STORE FENCE SET, WAIT FENCE, READ);
    expect_message(SIM_OK, STORE "st.release.gpu.global.u32 [%rd1+64], 1;",
                   WAIT_BY("ld.acquire.gpu.global.u32"), READ);
    expect_message(SIM_OK, STORE FENCE SET, WAIT_BY("ld.acquire.gpu.global.u32"), READ);
}

/* What is waited for is a flag itself; numbers that are drawn, sums and least values, and a flag
 * that is set before the data, put nothing in order. */
Test(sim_global_races, strong_accesses_that_need_no_order)
{
    expect_message(SIM_OK, STORE SET, WAIT,
                   "AGAIN:\nld.volatile.global.u32 %r21, [%rd1];\nsetp.ne.u32 %p5, %r21, 7;\n"
                   "@%p5 bra AGAIN;");
    expect_message(SIM_OK, STORE SET, "", READ "ld.volatile.global.u32 %r20, [%rd1+64];\n" READ);
    expect_message(SIM_OK, STORE "atom.global.add.u32 %r20, [%rd1+64], 1;",
                   "atom.global.add.u32 %r20, [%rd1+64], 1;\nsetp.lt.u32 %p5, %r20, 9;\n", READ);
    expect_message(SIM_OK, STORE "atom.global.exch.b32 %r20, [%rd1+64], 5;",
                   "ld.volatile.global.u32 %r20, [%rd1+64];\n"
                   "atom.global.cas.b32 %r21, [%rd1+64], %r20, 9;\n"
                   "setp.eq.u32 %p5, %r21, %r20;\n",
                   READ);
    expect_message(SIM_OK, STORE "atom.global.min.u32 %r20, [%rd1+64], 1;",
                   "atom.global.min.u32 %r20, [%rd1+64], 0;\nsetp.ne.u32 %p5, %r20, 0;\n", READ);
    expect_message(SIM_OK, STORE SET, WAIT,
                   "AGAIN:\nld.volatile.global.u32 %r21, [%rd1];\nbar.warp.sync -1;\n"
                   "setp.ne.u32 %p5, %r21, 7;\n@%p5 bra AGAIN;");
    expect_message(SIM_OK, "red.global.min.u32 [%rd1], 7;\n" SET, WAIT, READ);
    expect_message(SIM_OK, STORE SET, WAIT, "ld.volatile.global.u32 %r21, [%rd1+4];\n");
}

/* Eight bytes that are written at once and read in halves, or the other way round. */
Test(sim_global_races, words_in_halves)
{
    const char *const whole = "WAIT:\nld.volatile.global.u64 %rd20, [%rd1+64];\n"
                              "setp.lt.u64 %p5, %rd20, 0x100000000;\n@%p5 bra WAIT;\n";
    const char *const halves = "st.volatile.global.u32 [%rd1+68], 1;\n"
                               "st.volatile.global.u32 [%rd1+64], 5;\n";
    expect_message(SIM_RACE, "st.volatile.global.u64 [%rd1+64], 1;", WAIT,
                   "ld.volatile.global.u32 %r21, [%rd1+68];\n");
    expect_message(SIM_RACE, halves, whole, "");
    expect_message(SIM_OK,
                   "mov.u64 %rd21, 0x100000005;\nst.volatile.global.u64 [%rd1+64], %rd21;\n", whole,
                   "");
    expect_message(SIM_OK, "st.volatile.global.u64 [%rd1+64], 1;", WAIT, "");
    expect_message(SIM_OK, "st.volatile.global.u32 [%rd1+68], 1;\n", whole, "");
}

/* The flag is set first, or looked at last. */
Test(sim_global_races, messages_the_wrong_way_round)
{
    expect_message(SIM_RACE, SET STORE, WAIT, READ);
    expect_message(SIM_RACE, SET "membar.gl;\n" STORE, WAIT "membar.gl;\n", READ);
    expect_message(SIM_OK, STORE "membar.gl;\n" SET STORE, WAIT "membar.gl;\n", READ);
    expect_message(SIM_RACE, STORE "membar.gl;\n" SET, READ,
                   WAIT "membar.gl;\nadd.u32 %r22, %r21, 1;\n");
    expect_message(SIM_OK, STORE "membar.gl;\n" SET, READ, WAIT "membar.gl;\n");
    expect_message(SIM_OK, STORE "membar.gl;\n" SET, WAIT "membar.gl;\n" READ,
                   "AGAIN:\nld.volatile.global.u32 %r20, [%rd1+64];\nsetp.ne.u32 %p5, %r20, 1;\n"
                   "@%p5 bra AGAIN;\nadd.u32 %r22, %r21, 1;\n");
}

/* Between warps of a block, and by way of a barrier. */
Test(sim_global_races, messages_within_a_block)
{
    expect(SIM_RACE, 1, 64,
           "@%p4 bra READER;\n" STORE SET "bra END;\nREADER:\n" WAIT READ "END:\n");
    expect(SIM_OK, 1, 64,
           "@%p4 bra READER;\n" STORE "membar.cta;\n" SET "bra END;\nREADER:\n" WAIT
           "membar.cta;\n" READ "END:\n");
    expect(SIM_RACE, 2, 64,
           "@%p2 bra READER;\n@%p3 st.volatile.global.u32 [%rd1], 7;\nbar.sync 0;\n"
           "@%p4 st.volatile.global.u32 [%rd1+64], 1;\nbra END;\nREADER:\n@%p4 bra MEET;\n" WAIT
           "MEET:\nbar.sync 0;\n@%p4 ld.volatile.global.u32 %r21, [%rd1];\nEND:\n");
}
