/* Asynchronous copies to shared memory: who may use what they bring, and when.
 * Concerns sim/check. */
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct fixture_result result;

static const char tile[] = ".shared .align 16 .b8 tile[2048];\n";

/* Each thread copies its word; %r10 is where, %r11 the next thread's. */
#define COPY(to) "cp.async.ca.shared.global [" to "], [%rd10], 4;\n"
#define COMMIT   "cp.async.commit_group;\n"
#define BEGIN                                                                                      \
    "mov.u32 %r9, tile;\nmad.lo.u32 %r10, %r1, 4, %r9;\nadd.u32 %r12, %r1, 1;\n"                   \
    "and.b32 %r12, %r12, 63;\nmad.lo.u32 %r11, %r12, 4, %r9;\n"                                    \
    "mad.wide.u32 %rd10, %r1, 4, %rd2;\n"
#define WAIT(n) "cp.async.wait_group " n ";\n"

static void expect(enum sim_status status, const char *body)
{
    const uint64_t in[64] = {1, 2, 3};
    sim_fixture_run(
        &(struct fixture){
            .declarations = tile, .body = body, .block = 64, .in = in, .in_count = 64},
        &result);
    cr_expect_eq(result.outcome.status, status, "status %d, not %d: %s\n%s", result.outcome.status,
                 status, result.outcome.message, body);
}

static void expect_text(const char *text)
{
    cr_expect(strstr(result.outcome.message, text), "not \"%s\" in: %s", text,
              result.outcome.message);
}

Test(sim_async, waiting_and_a_barrier)
{
    expect(SIM_OK, BEGIN COPY("%r10") COMMIT WAIT("0") "bar.sync 0;\nld.shared.u32 %r20, [%r11];");
    expect(SIM_OK,
           BEGIN COPY("%r10") "cp.async.wait_all;\nbar.sync 0;\nld.shared.u32 %r20, [%r11];");
    expect(SIM_OK, BEGIN COPY("%r10") COMMIT WAIT("0") "ld.shared.u32 %r20, [%r10];");
    expect(SIM_OK, BEGIN COPY("%r10") COMMIT);
}

Test(sim_async, not_waited_for)
{
    expect(SIM_RACE, BEGIN COPY("%r10") COMMIT "ld.shared.u32 %r20, [%r10];");
    expect_text("asynchronous copy at");
    expect_text("by thread (0, 0, 0)");
    expect_text("element 0 of tile");
    expect(SIM_RACE,
           BEGIN COPY("%r10") COMMIT "bar.sync 0;\nbar.sync 0;\nld.shared.u32 %r20, [%r11];");
    expect_text("before the asynchronous copy");
    expect_text("that thread must wait for it");
    expect(SIM_RACE, BEGIN COPY("%r10") COMMIT WAIT("1") "ld.shared.u32 %r20, [%r10];");
    expect_text("only 1 group had been committed at the wait");
    expect_text("which leaves 1 on the way: was another to begin before it");
    expect_text("leaves it on its way, which __pipeline_wait_prior(0) there would not");
    expect(SIM_RACE,
           BEGIN COPY("%r10") COMMIT COMMIT COMMIT WAIT("3") "ld.shared.u32 %r20, [%r10];");
    expect_text("__pipeline_wait_prior(2) there would not");
    /* What was committed since that wait does not count. */
    expect(SIM_RACE,
           BEGIN COPY("%r10") COMMIT COMMIT WAIT("2") COMMIT "ld.shared.u32 %r20, [%r10];");
    expect_text("__pipeline_wait_prior(1) there would not");
    /* Another group has come, which may be the one that was meant. */
    expect(SIM_RACE, BEGIN COMMIT COPY("%r10") COMMIT WAIT("1") "ld.shared.u32 %r20, [%r10];");
    expect_text("is this read of another buffer than the one that was waited for? Else that wait "
                "leaves it on its way, which __pipeline_wait_prior(0) there would not");
    expect(SIM_RACE, BEGIN COMMIT WAIT("0") COPY("%r10") COMMIT "ld.shared.u32 %r20, [%r10];");
    expect_text("it was committed after the last wait");
    /* Not committed: no group to wait for. */
    expect(SIM_RACE, BEGIN COPY("%r10") WAIT("0") "ld.shared.u32 %r20, [%r10];");
    expect_text("__pipeline_commit() is missing before the wait");
    expect(SIM_RACE, BEGIN COPY("%r10") COMMIT "st.shared.u32 [%r10], 0;");
    expect(SIM_RACE, BEGIN COPY("%r10") COMMIT COPY("%r10"));
    expect(SIM_RACE, BEGIN COPY("%r10") COMMIT "red.shared.add.u32 [%r10], 1;");
    /* Thread 9 has not waited. */
    expect(SIM_RACE, BEGIN COPY("%r10") COMMIT "setp.ne.u32 %p1, %r1, 9;\n@%p1 cp.async.wait_all;\n"
                                               "bar.sync 0;\nld.shared.u32 %r20, [%r11];");
    cr_expect_eq(result.outcome.thread[0], 8);
    expect_text("by thread (9, 0, 0)");
}

Test(sim_async, waited_for_without_a_barrier)
{
    expect(SIM_RACE, BEGIN COPY("%r10") COMMIT WAIT("0") "ld.shared.u32 %r20, [%r11];");
    expect_text("this read and the asynchronous copy at");
    expect_text("a __syncthreads() must stand after the wait");
    expect(SIM_RACE, BEGIN COPY("%r10") COMMIT WAIT("0") "bar.warp.sync -1;\n"
                                                         "ld.shared.u32 %r20, [%r11];");
    expect_text("this asynchronous copy and the read at");
    expect_text("a __syncthreads() is missing: before the copy begins");
    /* The barrier must come after the wait. */
    expect(SIM_RACE,
           BEGIN COPY("%r10") COMMIT "bar.sync 0;\n" WAIT("0") "ld.shared.u32 %r20, [%r11];");
    expect_text("one before the wait does not");
    /* And before the buffer is filled again. */
    expect(SIM_RACE,
           BEGIN COPY("%r10") COMMIT WAIT("0") "bar.sync 0;\nld.shared.u32 %r20, [%r11];\n"
                                               "add.s64 %rd10, %rd10, 4;\n" COPY("%r10"));
    expect_text("this asynchronous copy and the read at");
}

/* A loop with two buffers: one group is always on its way. */
#define LOOP(groups, end_of_round)                                                                 \
    BEGIN COPY("%r10") COMMIT "mov.u32 %r30, 0;\nLOOP:\nxor.b32 %r31, %r10, 1024;\n" COPY(         \
        "%r31") COMMIT                                                                             \
    WAIT(                                                                                          \
        groups) "bar.sync 0;\nld.shared.u32 %r20, [%r11];\n" end_of_round                          \
                "xor.b32 %r10, %r10, 1024;\nxor.b32 %r11, %r11, 1024;\nxor.b64 %rd10, %rd10, 4;\n" \
                "add.u32 %r30, %r30, 1;\nsetp.lt.u32 %p1, %r30, 8;\n@%p1 bra LOOP;\n"

Test(sim_async, two_buffers)
{
    expect(SIM_OK, LOOP("1", "bar.sync 0;\n"));
    expect(SIM_RACE, LOOP("2", "bar.sync 0;\n"));
    expect(SIM_RACE, LOOP("1", ""));
}

/* Stretches between barriers are numbered anew after a while: what is pending stays so. */
Test(sim_async, many_barriers)
{
#define BARRIERS                                                                                   \
    "mov.u32 %r30, 0;\nLOOP:\nbar.sync 0;\nadd.u32 %r30, %r30, 1;\n"                               \
    "setp.lt.u32 %p1, %r30, 600;\n@%p1 bra LOOP;\n"
    expect(SIM_RACE, BEGIN COPY("%r10") COMMIT BARRIERS "ld.shared.u32 %r20, [%r11];");
    expect_text("asynchronous copy");
    expect(SIM_OK, BEGIN COPY("%r10") COMMIT BARRIERS WAIT("0") "bar.sync 0;\n"
                                                                "ld.shared.u32 %r20, [%r11];");
}

/* What a block leaves pending is none of the next one's. */
Test(sim_async, blocks_begin_anew)
{
    const uint64_t in[64] = {1, 2, 3};
    sim_fixture_run(
        &(struct fixture){.declarations = tile,
                          .body = BEGIN
                          "mov.u32 %r20, %ctaid.x;\n"
                          "setp.eq.u32 %p1, %r20, 0;\n@%p1 bra COPY;\n"
                          "st.shared.u32 [%r10], 1;\nbra END;\nCOPY:\n" COPY("%r10") "END:\n",
                          .grid = 2,
                          .block = 64,
                          .workers = 1,
                          .in = in,
                          .in_count = 64},
        &result);
    cr_expect_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
}
