/* Reads of what nothing has written, and races in shared memory: found where they are, silent
 * where they are not. */
#include "sim/check/switchboard.h"
#include "sim/launch/worker.h"
#include "sim/memory/memory.h"
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fixture_result result;

static const char tile[] = ".shared .align 4 .b8 tile[1024];\n";

/* %r10: address of the thread's word of `tile`; %r11: of the one 32 threads further. */
#define ADDRESSES                                                                                  \
    "mov.u32 %r9, tile;\nmad.lo.u32 %r10, %r1, 4, %r9;\nadd.u32 %r12, %r1, 32;\n"                  \
    "and.b32 %r12, %r12, 63;\nmad.lo.u32 %r11, %r12, 4, %r9;\n"

static enum sim_status run(unsigned block, const char *body)
{
    sim_fixture_run(&(struct fixture){.declarations = tile, .body = body, .block = block}, &result);
    return result.outcome.status;
}

static void expect(enum sim_status status, unsigned block, const char *body)
{
    cr_expect_eq(run(block, body), status, "status %d, not %d: %s\n%s", result.outcome.status,
                 status, result.outcome.message, body);
}

Test(sim_checks, shared_read_before_any_write)
{
    expect(SIM_UNINITIALIZED, 32, ADDRESSES "ld.shared.u32 %r20, [%r10];");
    cr_expect(strstr(result.outcome.message, "element 0 of tile"), "%s", result.outcome.message);
    expect(SIM_UNINITIALIZED, 32, ADDRESSES "ld.shared.u64 %rd20, [%r9];");
    expect(SIM_UNINITIALIZED, 32, ADDRESSES "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r9];");
    expect(SIM_UNINITIALIZED, 32, ADDRESSES "ld.shared.u8 %r20, [%r9];");
    expect(SIM_UNINITIALIZED, 32, ADDRESSES "atom.shared.add.u32 %r20, [%r9], 1;");
    expect(SIM_UNINITIALIZED, 32,
           ADDRESSES "setp.ne.u32 %p1, %r1, 7;\n@%p1 st.shared.u32 [%r10], %r1;\n"
                     "ld.shared.u32 %r20, [%r10];");
    cr_expect_eq(result.outcome.thread[0], 7);
    cr_expect(strstr(result.outcome.message, "element 7 of tile"), "%s", result.outcome.message);
}

Test(sim_checks, shared_words_of_ones_may_be_written)
{
    expect(SIM_OK, 32,
           ADDRESSES "mov.u32 %r20, -1;\nst.shared.u32 [%r10], %r20;\nld.shared.u32 %r21, [%r10];");
    expect(SIM_OK, 32,
           ADDRESSES "mov.u64 %rd20, -1;\nshl.b32 %r13, %r1, 3;\nadd.u32 %r13, %r13, %r9;\n"
                     "st.shared.u64 [%r13], %rd20;\nld.shared.u64 %rd21, [%r13];");
    expect(SIM_OK, 32,
           ADDRESSES "mov.u32 %r20, -1;\nst.shared.v2.u32 [%r9], {%r20, %r20};\n"
                     "ld.shared.v2.u32 {%r21, %r22}, [%r9];");
    expect(SIM_OK, 32,
           ADDRESSES "mov.u16 %h1, -1;\nst.shared.u16 [%r9], %h1;\nst.shared.u16 [%r9+2], %h1;\n"
                     "ld.shared.u32 %r21, [%r9];");
    expect(SIM_OK, 32,
           ADDRESSES "mov.u32 %r20, -1;\natom.shared.exch.b32 %r21, [%r9], %r20;\n"
                     "bar.warp.sync -1;\nld.shared.u32 %r21, [%r9];");
}

Test(sim_checks, shared_words_are_forgotten_with_their_block)
{
    sim_fixture_run(&(struct fixture){.declarations = tile,
                                      .body =
                                          ADDRESSES "mov.u32 %r20, -1;\nmov.u32 %r21, %ctaid.x;\n"
                                                    "setp.ne.u32 %p1, %r21, 0;\n"
                                                    "@!%p1 st.shared.u32 [%r10], %r20;\n"
                                                    "ld.shared.u32 %r22, [%r10];",
                                      .grid = 2,
                                      .workers = 1},
                    &result);
    cr_expect_eq(result.outcome.status, SIM_UNINITIALIZED);
    cr_expect_eq(result.outcome.block[0], 1);
}

/* A kernel that reads a word of 8 from memory at an address given as its input. */
static enum sim_status read_global(uint64_t address, const char *body)
{
    sim_fixture_run(&(struct fixture){.body = body, .in = &address, .in_count = 1}, &result);
    return result.outcome.status;
}

Test(sim_checks, global_read_before_any_write)
{
    static const char load[] = "ld.global.u64 %rd10, [%rd2];\nmad.wide.u32 %rd11, %r1, 4, %rd10;\n"
                               "ld.global.u32 %r20, [%rd11];";
    static const char both[] = "ld.global.u64 %rd10, [%rd2];\nmad.wide.u32 %rd11, %r1, 4, %rd10;\n"
                               "mov.u32 %r20, -1;\nst.global.u32 [%rd11], %r20;\n"
                               "ld.global.u32 %r20, [%rd11];";
    const uint64_t address = sim_memory_allocate(128, SIM_MEMORY_DEVICE, "C");
    memset(sim_memory_host(address, 128), 0xff, 128);
    cr_expect_eq(read_global(address, load), SIM_OK, "memory counts as written unless marked");
    cr_assert(sim_memory_mark_unwritten(address, 128));
    sim_memory_mark_written(address, 12);
    cr_expect_eq(read_global(address, load), SIM_UNINITIALIZED);
    cr_expect_eq(result.outcome.thread[0], 3);
    cr_expect_eq(result.outcome.address, address + 12);
    cr_expect(strstr(result.outcome.message, "element 3 of C"), "%s", result.outcome.message);
    cr_expect_eq(read_global(address, both), SIM_OK, "%s", result.outcome.message);
    cr_expect_eq(read_global(address, load), SIM_OK, "words of ones that a kernel wrote stay so");
    cr_assert(sim_memory_mark_unwritten(address + 64, 4));
    cr_expect_eq(read_global(address, load), SIM_UNINITIALIZED);
    cr_expect_eq(result.outcome.thread[0], 16);
    sim_checks_set(0);
    cr_expect_eq(read_global(address, load), SIM_OK);
    sim_memory_free(address);
}

/* One word among those that a warp reads, whichever it is and however they are read. */
Test(sim_checks, one_word_that_nothing_wrote)
{
    static const char words[] = "ld.global.u64 %rd10, [%rd2];\nmad.wide.u32 %rd11, %r1, 4, %rd10;\n"
                                "ld.global.u32 %r20, [%rd11];";
    static const char pairs[] = "ld.global.u64 %rd10, [%rd2];\nmad.wide.u32 %rd11, %r1, 8, %rd10;\n"
                                "ld.global.u64 %rd20, [%rd11];";
    static const char fours[] =
        "ld.global.u64 %rd10, [%rd2];\nmad.wide.u32 %rd11, %r1, 16, %rd10;\n"
        "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd11];";
    static const char same[] = "ld.global.u64 %rd10, [%rd2];\n"
                               "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd10];";
    static const struct {
        const char *body;
        unsigned words, per_lane;
    } reads[] = {{words, 32, 1}, {pairs, 64, 2}, {fours, 128, 4}, {same, 4, 4}};
    const uint64_t address = sim_memory_allocate(512, SIM_MEMORY_DEVICE, "C");
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++)
        for (unsigned word = 0; word < reads[i].words; word++) {
            memset(sim_memory_host(address, 512), 0, 512);
            sim_memory_mark_written(address, 512);
            cr_assert_eq(read_global(address, reads[i].body), SIM_OK);
            cr_assert(sim_memory_mark_unwritten(address + 4 * word, 4));
            cr_expect_eq(read_global(address, reads[i].body), SIM_UNINITIALIZED, "%u words, %u",
                         reads[i].words, word);
            cr_expect_eq(result.outcome.thread[0], word / reads[i].per_lane);
        }
    sim_memory_free(address);
}

Test(sim_checks, shared_races_between_warps)
{
    expect(SIM_RACE, 64,
           ADDRESSES "st.shared.u32 [%r10], %r1;\nld.shared.u32 %r20, [%r11];\nbar.sync 0;");
    cr_expect(strstr(result.outcome.message, "of tile"), "%s", result.outcome.message);
    expect(SIM_RACE, 64,
           ADDRESSES "st.shared.u32 [%r10], %r1;\nbar.sync 0;\nld.shared.u32 %r20, [%r11];\n"
                     "add.u32 %r20, %r20, 100;\nst.shared.u32 [%r10], %r20;");
    expect(SIM_RACE, 64, ADDRESSES "st.shared.u32 [%r9], %r1;");
    expect(SIM_RACE, 64,
           ADDRESSES "st.shared.u32 [%r10], %r1;\nbar.sync 0;\nst.shared.u32 [%r10], 1;\n"
                     "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r9];");
    expect(SIM_RACE, 64,
           ADDRESSES "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r9], 0;\n"
                     "red.shared.add.u32 [%r9], 1;");
}

Test(sim_checks, shared_accesses_in_order_are_no_races)
{
    expect(SIM_OK, 64,
           ADDRESSES "st.shared.u32 [%r10], %r1;\nbar.sync 0;\nld.shared.u32 %r20, [%r11];\n"
                     "bar.sync 0;\nst.shared.u32 [%r10], %r20;");
    expect(SIM_OK, 64, ADDRESSES "st.shared.u32 [%r10], %r1;\nld.shared.u32 %r20, [%r10];");
    expect(SIM_OK, 64, ADDRESSES "st.shared.u32 [%r9], 7;");
    expect(SIM_OK, 64,
           ADDRESSES "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r9], 0;\nbar.sync 0;\n"
                     "red.shared.add.u32 [%r9], 1;\nred.shared.add.u32 [%r9], 2;");
    expect(SIM_OK, 64,
           ADDRESSES "st.volatile.shared.u32 [%r9], %r1;\nld.volatile.shared.u32 %r20, [%r9];\n"
                     "setp.eq.u32 %p1, %r20, 99;\n@%p1 bra END;\nEND:\n");
    expect(SIM_OK, 64,
           ADDRESSES "st.shared.u32 [%r10], %r1;\nbar.sync 1, 64;\nld.shared.u32 %r20, [%r11];");
}

/* Of data it orders nothing. What may be a flag is left alone, with all that is volatile beside it:
 * where a branch depends on what is read, directly or not, or an atomic operation gives a value. */
Test(sim_checks, volatile_data_are_in_no_order)
{
    static const char exchange[] = ADDRESSES "st.volatile.shared.u32 [%r10], %r1;\n"
                                             "ld.volatile.shared.f32 %f2, [%r11];\n";
    char text[1000];
    expect(SIM_RACE, 64, exchange);
    cr_expect(strstr(result.outcome.message, "volatile orders nothing"), "%s",
              result.outcome.message);
    expect(SIM_RACE, 32,
           ADDRESSES "st.volatile.shared.u32 [%r10], %r1;\nxor.b32 %r20, %r1, 16;\n"
                     "mad.lo.u32 %r20, %r20, 4, %r9;\nld.volatile.shared.u32 %r21, [%r20];\n");
    expect(SIM_OK, 32,
           ADDRESSES "st.volatile.shared.u32 [%r10], %r1;\nxor.b32 %r20, %r1, 16;\n"
                     "bar.warp.sync -1;\n"
                     "mad.lo.u32 %r20, %r20, 4, %r9;\nld.volatile.shared.u32 %r21, [%r20];\n");
    snprintf(text, sizeof text, "%sred.global.add.u32 [%%rd1], 1;\n", exchange);
    expect(SIM_RACE, 64, text);
    static const char *const flags[] = {
        "setp.gt.f32 %p1, %f2, 0f00000000;\n@%p1 bra END;\nEND:\n",
        "cvt.rzi.u32.f32 %r20, %f2;\nadd.u32 %r21, %r20, 1;\nsetp.ne.u32 %p1, %r21, 7;\n"
        "and.pred %p2, %p1, %p1;\n@%p2 bra END;\nEND:\n",
        "atom.global.add.u32 %r20, [%rd1], 1;\nst.global.u32 [%rd3+2048], %r20;\n",
        "ld.relaxed.gpu.global.u32 %r20, [%rd1+64];\nsetp.eq.u32 %p1, %r20, 7;\n"
        "@%p1 bra END;\nEND:\n"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        snprintf(text, sizeof text, "%s%s", exchange, flags[i]);
        run(64, text);
        cr_expect_neq(result.outcome.status, SIM_RACE, "%s\n%s", result.outcome.message, text);
    }
}

/* The stretches between barriers are numbered, and the numbers come round again. */
Test(sim_checks, many_barriers)
{
    static const char loop[] =
        ADDRESSES "mov.u32 %r30, 0;\nst.shared.u32 [%r10], %r1;\nLOOP:\nbar.sync 0;\n"
                  "ld.shared.u32 %r20, [%r11];\nbar.sync 0;\nadd.u32 %r20, %r20, 1;\n"
                  "st.shared.u32 [%r10], %r20;\nadd.u32 %r30, %r30, 1;\n"
                  "setp.lt.u32 %p1, %r30, 30000;\n@%p1 bra LOOP;\n";
    expect(SIM_OK, 64, loop);
    char text[1000];
    snprintf(text, sizeof text, "%sld.shared.u32 %%r20, [%%r11];", loop);
    expect(SIM_RACE, 64, text);
}

/* One warp writes what the other has read, or reads what it has written, and never the other way
 * round: each has but one way to be found. */
Test(sim_checks, races_of_one_direction)
{
    const char *const first = "setp.lt.u32 %p1, %r1, 32;\n@!%p1 bra SECOND;\n";
    char text[1000];
    snprintf(text, sizeof text,
             "%s%sst.shared.u32 [%%r10], %%r1;\nbra END;\nSECOND:\n"
             "ld.shared.u32 %%r20, [%%r11];\nEND:\n",
             ADDRESSES, first);
    expect(SIM_RACE, 64, text);
    snprintf(text, sizeof text,
             "%sst.shared.u32 [%%r10], %%r1;\nbar.sync 0;\n%sld.shared.u32 %%r20, [%%r10];\n"
             "bra END;\nSECOND:\nst.shared.u32 [%%r11], %%r1;\nEND:\n",
             ADDRESSES, first);
    expect(SIM_RACE, 64, text);
}

Test(sim_checks, endless_loops_end)
{
    sim_budget_set(1000000, 0);
    expect(SIM_TIMEOUT, 64,
           "setp.eq.u32 %p1, %r1, 5;\nLOOP:\nadd.u32 %r20, %r20, 1;\n@%p1 bra LOOP;\n");
    cr_expect_eq(result.outcome.thread[0], 5);
    cr_expect(strstr(result.outcome.message, "has executed 1 million basic blocks"), "%s",
              result.outcome.message);
    expect(SIM_OK, 64,
           "mov.u32 %r20, 0;\nLOOP:\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, 400000;\n"
           "@%p1 bra LOOP;\n");
    sim_budget_set(0, 0);
    expect(SIM_OK, 64,
           "mov.u32 %r20, 0;\nLOOP:\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, 900000;\n"
           "@%p1 bra LOOP;\n");
}

/* Each block is far from its own limit; at the other limit each is soon done. */
Test(sim_checks, a_launch_has_a_limit)
{
    for (int i = 0; i < 2; i++) {
        sim_budget_set(1000000, i ? 3000000 : 1000000);
        sim_fixture_run(&(struct fixture){.body =
                                              "mov.u32 %r20, 0;\nLOOP:\nadd.u32 %r20, %r20, 1;\n"
                                              "setp.lt.u32 %p1, %r20, 300000;\n@%p1 bra LOOP;\n",
                                          .grid = 6},
                        &result);
        cr_expect_eq(result.outcome.status, i ? SIM_OK : SIM_TIMEOUT);
        cr_expect(i || strstr(result.outcome.message, "the 6 blocks of the grid have executed 1 "),
                  "%s", result.outcome.message);
    }
}

/* Loops that wait for what nobody does. */
Test(sim_checks, endless_waiting_ends)
{
    sim_budget_set(1000000, 0);
    expect(SIM_TIMEOUT, 64,
           ADDRESSES "LOOP:\nld.volatile.shared.u32 %r20, [%r9];\n"
                     "setp.ne.u32 %p1, %r20, 0;\n@%p1 bra LOOP;\n");
    expect(SIM_TIMEOUT, 64,
           ADDRESSES "setp.ne.u32 %p1, %r1, 5;\n@%p1 bra END;\nLOOP:\n"
                     "ld.volatile.shared.u32 %r20, [%r9];\n"
                     "setp.ne.u32 %p1, %r20, 0;\n@%p1 bra LOOP;\nEND:\n");
    cr_expect_eq(result.outcome.thread[0], 5);
    cr_expect(strstr(result.outcome.message, "a lock that is not released"), "%s",
              result.outcome.message);
    /* Barriers in the loop. */
    expect(SIM_TIMEOUT, 64,
           ADDRESSES "LOOP:\nbar.sync 0;\nsetp.lt.u32 %p1, %r1, 64;\n"
                     "@%p1 bra LOOP;\n");
    expect(SIM_TIMEOUT, 64,
           ADDRESSES "st.volatile.shared.u32 [%r9], 1;\nLOOP:\nbar.sync 0;\n"
                     "ld.volatile.shared.u32 %r20, [%r9];\n"
                     "setp.ne.u32 %p1, %r20, 0;\n@%p1 bra LOOP;\n");
    expect(SIM_TIMEOUT, 64, "LOOP:\nnanosleep.u32 100;\nbra LOOP;\n");
    /* One poll before a loop that computes, and operations that count as polls all along. */
    expect(SIM_TIMEOUT, 64,
           ADDRESSES "st.volatile.shared.u32 [%r10], 1;\n"
                     "ld.volatile.shared.u32 %r20, [%r10];\nLOOP:\n"
                     "add.u32 %r20, %r20, 1;\nbra LOOP;\n");
    expect(SIM_TIMEOUT, 64, "LOOP:\nred.global.add.u32 [%rd1], 1;\nbra LOOP;\n");
}

/* A lock that nobody releases: each block waits, on several threads of the host. */
Test(sim_checks, locks_that_are_not_released)
{
    sim_budget_set(1000000, 0);
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        const uint64_t in[1] = {0};
        sim_fixture_run(&(struct fixture){.body = "LOOP:\natom.global.cas.b32 %r20, [%rd2], 0, 1;\n"
                                                  "setp.ne.u32 %p1, %r20, 0;\n@%p1 bra LOOP;\n",
                                          .grid = 6,
                                          .workers = workers,
                                          .in = in,
                                          .in_count = 1},
                        &result);
        cr_expect_eq(result.outcome.status, SIM_TIMEOUT, "%s", result.outcome.message);
    }
}

/* Blocks that wait for one that computes for long: that is no end. */
Test(sim_checks, waiting_for_work_is_no_end)
{
    sim_budget_set(3000000, 0);
    const uint64_t in[1] = {0};
    sim_fixture_run(
        &(struct fixture){.body = "mov.u32 %r10, %ctaid.x;\nsetp.ne.u32 %p1, %r10, 3;\n"
                                  "@%p1 bra WAIT;\nmov.u32 %r20, 0;\nLOOP:\n"
                                  "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, 2900000;\n"
                                  "@%p1 bra LOOP;\nst.volatile.global.u32 [%rd2], 1;\nWAIT:\n"
                                  "ld.volatile.global.u32 %r21, [%rd2];\n"
                                  "setp.eq.u32 %p1, %r21, 0;\n@%p1 bra WAIT;\n",
                          .grid = 4,
                          .workers = 2,
                          .in = in,
                          .in_count = 1},
        &result);
    cr_expect_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
}

/* Blocks that sleep until all are there: on as many threads as blocks, most of which the host does
 * not let run at any time, and with a budget that one of them has soon used up. */
Test(sim_checks, sleeping_until_all_come_is_no_end)
{
    sim_budget_set(20000, 0);
    for (int i = 0; i < 60; i++) {
        const uint64_t in[1] = {0};
        sim_fixture_run(&(struct fixture){.body = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n"
                                                  "atom.global.add.u32 %r20, [%rd2], 1;\nWAIT:\n"
                                                  "nanosleep.u32 20;\n"
                                                  "ld.volatile.global.u32 %r21, [%rd2];\n"
                                                  "setp.lt.u32 %p1, %r21, 24;\n"
                                                  "@%p1 bra WAIT;\nEND:\n",
                                          .grid = 24,
                                          .workers = 24,
                                          .in = in,
                                          .in_count = 1},
                        &result);
        cr_assert_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
    }
}

/* Blocks that wait for one that fails: what is told is why that one does. */
Test(sim_checks, a_failure_is_told_before_who_waits_for_it)
{
    sim_budget_set(1000000, 0);
    const uint64_t in[1] = {0};
    for (unsigned workers = 1; workers <= 4; workers++) {
        sim_fixture_run(&(struct fixture){.body = "mov.u32 %r10, %ctaid.x;\n"
                                                  "setp.ne.u32 %p1, %r10, 3;\n@%p1 bra WAIT;\n"
                                                  "trap;\nWAIT:\n"
                                                  "ld.volatile.global.u32 %r21, [%rd2];\n"
                                                  "setp.eq.u32 %p1, %r21, 0;\n@%p1 bra WAIT;\n",
                                          .grid = 4,
                                          .workers = workers,
                                          .in = in,
                                          .in_count = 1},
                        &result);
        cr_expect_eq(result.outcome.status, SIM_TRAP, "%s", result.outcome.message);
    }
}

/* Without a limit for what is executed a wait that nobody ends has one even so. */
Test(sim_checks, no_wait_is_for_ever)
{
    sim_budget_set(0, 0);
    const uint64_t in[1] = {0};
    sim_fixture_run(&(struct fixture){.body = "WAIT:\nld.volatile.global.u32 %r21, [%rd2];\n"
                                              "setp.eq.u32 %p1, %r21, 0;\n@%p1 bra WAIT;\n",
                                      .grid = 4,
                                      .workers = 2,
                                      .in = in,
                                      .in_count = 1},
                    &result);
    cr_expect_eq(result.outcome.status, SIM_TIMEOUT, "%s", result.outcome.message);
}

/* What counts how often it looks, and gives up, comes to its end although all wait. */
Test(sim_checks, looking_so_many_times_is_no_end)
{
    sim_budget_set(4000000, 0);
    const uint64_t in[1] = {0};
    sim_fixture_run(&(struct fixture){.body = "mov.u32 %r20, 0;\nWAIT:\n"
                                              "ld.volatile.global.u32 %r21, [%rd2];\n"
                                              "add.u32 %r20, %r20, 1;\n"
                                              "setp.lt.u32 %p1, %r20, 60000;\n@%p1 bra WAIT;\n",
                                      .grid = 2,
                                      .workers = 2,
                                      .in = in,
                                      .in_count = 1},
                    &result);
    cr_expect_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
}

/* Even when it has looked in vain before, for what a block behind it sets. */
Test(sim_checks, looking_so_many_times_after_a_wait)
{
    sim_budget_set(4000000, 0);
    const uint64_t in[1] = {0};
    sim_fixture_run(&(struct fixture){.body = "mov.u32 %r20, 0;\nsetp.ne.u32 %p1, %r2, 3;\n"
                                              "@%p1 bra WAIT;\n"
                                              "atom.global.exch.b32 %r21, [%rd2], 1;\nWAIT:\n"
                                              "ld.volatile.global.u32 %r21, [%rd2];\n"
                                              "setp.eq.u32 %p1, %r21, 0;\n@%p1 bra WAIT;\nLOOK:\n"
                                              "ld.volatile.global.u32 %r21, [%rd2];\n"
                                              "add.u32 %r20, %r20, 1;\n"
                                              "setp.lt.u32 %p1, %r20, 60000;\n@%p1 bra LOOK;\n",
                                      .grid = 4,
                                      .workers = 2,
                                      .in = in,
                                      .in_count = 1},
                    &result);
    cr_expect_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
}

/* ---- Registers and local memory without a value ---- */

Test(sim_checks, a_value_that_nothing_has_set)
{
    expect(SIM_UNINITIALIZED, 32, "add.u32 %r20, %r21, 1;\nst.global.u32 [%rd3], %r20;");
    cr_expect(strstr(result.outcome.message, "uninitialized variable"), "%s",
              result.outcome.message);
    expect(SIM_UNINITIALIZED, 32,
           "setp.ne.u32 %p1, %r1, 9;\n@%p1 mov.u32 %r20, 3;\nadd.u32 %r21, %r20, 1;\n"
           "mov.u32 %r22, %r21;\nst.global.u32 [%rd3], %r22;");
    cr_expect_eq(result.outcome.thread[0], 9);
    expect(SIM_UNINITIALIZED, 32,
           "setp.eq.u32 %p1, %r20, 0;\n@%p1 bra OUT;\nst.global.u32 [%rd3], %r1;\nOUT:");
    expect(SIM_UNINITIALIZED, 32, "ld.global.u32 %r20, [%rd20];");
    expect(SIM_UNINITIALIZED, 32, "red.global.add.u32 [%rd3], %r20;");
    expect(SIM_UNINITIALIZED, 32,
           "setp.eq.u32 %p1, %r1, 40;\nadd.f32 %f1, %f2, %f3;\nmov.f32 %f4, 0f00000000;\n"
           "selp.f32 %f5, %f4, %f1, %p1;\nst.global.f32 [%rd3], %f5;");
    expect(SIM_UNINITIALIZED, 32,
           "setp.lt.u32 %p1, %r1, 40;\nsetp.eq.u32 %p2, %r20, 0;\nand.pred %p3, %p1, %p2;\n"
           "@%p3 bra OUT;\nst.global.u32 [%rd3], %r1;\nOUT:");
}

/* nvcc computes ahead, and keeps what is not there beside what is. */
Test(sim_checks, a_value_that_nothing_has_set_and_nobody_wants)
{
    expect(SIM_OK, 32, "add.u32 %r20, %r21, 1;\nst.global.u32 [%rd3], %r1;");
    expect(SIM_OK, 32,
           "setp.lt.u32 %p1, %r1, 40;\nadd.f32 %f1, %f2, %f3;\nmov.f32 %f4, 0f00000000;\n"
           "selp.f32 %f5, %f4, %f1, %p1;\nst.global.f32 [%rd3], %f5;\n"
           "selp.f32 %f6, 0f00000000, %f1, %p1;\nst.global.f32 [%rd3], %f6;");
    expect(SIM_OK, 32,
           "setp.ne.u32 %p1, %r1, 9;\n@%p1 mov.u32 %r20, 3;\nadd.u32 %r21, %r20, 1;\n"
           "@%p1 st.global.u32 [%rd3], %r21;");
    expect(SIM_OK, 32,
           "setp.gt.u32 %p1, %r1, 40;\nsetp.eq.u32 %p2, %r20, 0;\nand.pred %p3, %p1, %p2;\n"
           "not.pred %p4, %p1;\nor.pred %p5, %p2, %p4;\n@%p3 bra OUT;\n@!%p5 bra OUT;\n"
           "st.global.u32 [%rd3], %r1;\nOUT:");
    expect(SIM_OK, 32,
           "mov.b64 %rd20, {%r1, %r20};\ncvt.u32.u64 %r21, %rd20;\n"
           "st.global.u32 [%rd3], %r21;");
}

/* What is only moved leaves memory as nobody had written it. */
Test(sim_checks, stores_of_what_nothing_has_set)
{
    expect(SIM_OK, 32, ADDRESSES "st.shared.u32 [%r10], %r20;\nst.global.u32 [%rd3], %r20;");
    expect(SIM_UNINITIALIZED, 32,
           ADDRESSES "st.shared.u32 [%r10], %r1;\nst.shared.u32 [%r10], %r20;\n"
                     "ld.shared.u32 %r21, [%r10];");
    expect(SIM_UNINITIALIZED, 32,
           "st.global.u32 [%rd3], %r1;\nst.global.u32 [%rd3], %r20;\nld.global.u32 %r21, [%rd3];");
    expect(SIM_OK, 32,
           "st.global.v2.u32 [%rd3], {%r1, %r20};\nld.global.u32 %r21, [%rd3];\n"
           "st.global.u32 [%rd3], %r21;");
}

Test(sim_checks, local_memory_that_nothing_has_stored)
{
    static const char list[] = ".local .align 8 .b8 list[64];\nmov.u64 %rd20, list;\n"
                               "mov.u32 %r20, -1;\nst.local.u32 [%rd20+4], %r20;\n"
                               "ld.local.u32 %r21, [%rd20];\nld.local.u32 %r22, [%rd20+4];\n";
    char body[1024];
    snprintf(body, sizeof body, "%sst.global.u32 [%%rd3], %%r22;", list);
    expect(SIM_OK, 32, body);
    snprintf(body, sizeof body, "%sadd.u32 %%r23, %%r21, %%r22;", list);
    expect(SIM_OK, 32, body);
    snprintf(body, sizeof body,
             "%sst.local.u32 [%%rd20+8], %%r21;\nld.local.u32 %%r23, [%%rd20+8];\n"
             "add.u32 %%r24, %%r23, 1;\nst.global.u32 [%%rd3], %%r24;",
             list);
    expect(SIM_UNINITIALIZED, 32, body);
    snprintf(body, sizeof body, "%sadd.u32 %%r23, %%r21, %%r22;\nst.local.u32 [%%rd20], %%r23;",
             list);
    expect(SIM_UNINITIALIZED, 32, body);
}

/* ---- Which checks are made ---- */

static const char reads_unwritten[] = ADDRESSES "ld.shared.u32 %r20, [%r10];";
static const char races[] = ADDRESSES "st.shared.u32 [%r10], %r1;\nld.shared.u32 %r20, [%r11];\n"
                                      "st.shared.u32 [%r11], %r12;";

Test(sim_checks, all_without_a_list)
{
    expect(SIM_UNINITIALIZED, 32, reads_unwritten);
    expect(SIM_RACE, 64, races);
}

Test(sim_checks, a_list_leaves_races_out)
{
    setenv("LAB_SIM_CHECKS", "no-race", 1);
    expect(SIM_UNINITIALIZED, 32, reads_unwritten);
    cr_expect_neq(run(64, races), SIM_RACE);
    cr_expect_eq(sim_checks_wanted(), SIM_CHECK_UNINITIALIZED);
}

Test(sim_checks, a_list_leaves_unwritten_memory_out)
{
    setenv("LAB_SIM_CHECKS", "race", 1);
    expect(SIM_OK, 32, reads_unwritten);
    expect(SIM_RACE, 64, races);
}

Test(sim_checks, lists_of_several)
{
    setenv("LAB_SIM_CHECKS", "no-race,no-uninitialized", 1);
    cr_expect_eq(sim_checks_wanted(), 0);
    expect(SIM_OK, 32, reads_unwritten);
    expect(SIM_OK, 64, races);
}

Test(sim_checks, none)
{
    setenv("LAB_SIM_CHECKS", "0", 1);
    cr_expect_not(sim_checks_on());
}

/* A mistyped name hides no fault. */
Test(sim_checks, an_unknown_name_leaves_all_on)
{
    setenv("LAB_SIM_CHECKS", "no-races", 1);
    cr_expect_eq(sim_checks_wanted(), SIM_CHECK_ALL);
}

/* Threads that left before a barrier are why nobody wrote; those that end after it are not. */
Test(sim_checks, early_return_is_named)
{
    expect(SIM_UNINITIALIZED, 64,
           ADDRESSES "setp.ge.u32 %p1, %r1, 40;\n@%p1 ret;\nst.shared.u32 [%r10], %r1;\n"
                     "bar.sync 0;\nld.shared.u32 %r20, [%r11];");
    cr_expect(strstr(result.outcome.message, "early `return`"), "%s", result.outcome.message);
    expect(SIM_UNINITIALIZED, 64,
           ADDRESSES "setp.ge.u32 %p1, %r1, 40;\n@!%p1 st.shared.u32 [%r10], %r1;\n"
                     "bar.sync 0;\nld.shared.u32 %r20, [%r11];");
    cr_expect(!strstr(result.outcome.message, "early `return`"), "%s", result.outcome.message);
}

Test(sim_checks, one_element_by_two_threads)
{
    expect(SIM_RACE, 64, ADDRESSES "st.shared.u32 [%r10], %r1;\nst.shared.u32 [%r11], %r1;");
    cr_expect(strstr(result.outcome.message, "two threads write the same element"), "%s",
              result.outcome.message);
}
