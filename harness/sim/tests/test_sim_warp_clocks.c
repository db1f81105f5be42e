/* What bar.arrive and barriers with a number of threads leave open is a race, in shared and global
 * memory; what they order is none. Concerns sim/check. */
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct fixture_result result;

/* %r10: warp of the block; %p0 to %p3: it is warp 0, 1, 2, 3; %r11: the lane's word of tile, %rd10:
 * that of the row of `out` that warps share. */
static const char names[] =
    ".shared .align 4 .b32 tile[128];\n"
    "shr.u32 %r10, %r1, 5;\nand.b32 %r12, %r1, 31;\n"
    "setp.eq.u32 %p0, %r10, 0;\nsetp.eq.u32 %p1, %r10, 1;\n"
    "setp.eq.u32 %p2, %r10, 2;\nsetp.eq.u32 %p3, %r10, 3;\n"
    "mov.u32 %r11, tile;\nmad.lo.u32 %r11, %r12, 4, %r11;\nmad.wide.u32 %rd10, %r12, 4, %rd1;\n";

static void expect(enum sim_status status, unsigned block, const char *body)
{
    static char text[4000];
    snprintf(text, sizeof text, "%s%s", names, body);
    sim_fixture_run(&(struct fixture){.body = text, .block = block, .workers = 1}, &result);
    cr_expect_eq(result.outcome.status, status, "status %d, not %d: %s\n%s", result.outcome.status,
                 status, result.outcome.message, body);
}

static void expect_said(const char *text)
{
    cr_expect(strstr(result.outcome.message, text), "not \"%s\": %s", text, result.outcome.message);
}

#define PUT  "st.shared.u32 [%r11], %r2;\n"
#define GET  "ld.shared.u32 %r20, [%r11];\n"
#define GPUT "st.global.u32 [%rd10], %r2;\n"
#define GGET "ld.global.u32 %r20, [%rd10];\n"

/* Warp 0 fills a tile and goes on; warp 1 waits for it. */
Test(sim_warp_clocks, who_waits_is_ordered_behind_who_arrives)
{
    expect(SIM_OK, 64,
           "@%p1 bra C;\n" PUT "bar.arrive 1, 64;\nbra E;\nC:\nbar.sync 1, 64;\n" GET "E:\n");
    expect(SIM_OK, 64,
           "@%p1 bra C;\n" GPUT "bar.arrive 1, 64;\nbra E;\nC:\nbar.sync 1, 64;\n" GGET "E:\n");
    /* two rounds, with a barrier that says the tile is free */
    expect(SIM_OK, 64,
           "mov.u32 %r30, 0;\n@%p1 bra C;\n"
           "P:\nbar.sync 2, 64;\nadd.u32 %r2, %r2, 1;\n" PUT "bar.arrive 1, 64;\n"
           "add.u32 %r30, %r30, 1;\nsetp.lt.u32 %p5, %r30, 5;\n@%p5 bra P;\nbra E;\n"
           "C:\nbar.arrive 2, 64;\nbar.sync 1, 64;\n" GET
           "add.u32 %r30, %r30, 1;\nsetp.lt.u32 %p5, %r30, 5;\n@%p5 bra C;\nE:\n");
}

Test(sim_warp_clocks, who_arrives_is_not_ordered_behind_others)
{
    expect(SIM_RACE, 64,
           "@%p1 bra C;\n" PUT "bar.arrive 1, 64;\nadd.u32 %r2, %r2, 9;\n" PUT
           "bra E;\nC:\nbar.sync 1, 64;\n" GET "E:\n");
    expect_said("tile in shared memory: this");
    expect_said("bar.arrive counts and goes on without waiting");
    /* warp 1 has read before; warp 0 did not wait for that */
    expect(SIM_RACE, 64,
           "@%p0 bra P;\n" PUT GET "bar.sync 1, 64;\nbra E;\nP:\nbar.arrive 1, 64;\n" PUT "E:\n");
    expect(SIM_RACE, 64,
           "@%p0 bra P;\n" GPUT "bar.sync 1, 64;\nbra E;\nP:\nbar.arrive 1, 64;\n" GGET "E:\n");
    expect_said("of out: this read by warp 0");
    expect(SIM_RACE, 64,
           "@%p1 bra C;\n" GPUT "bar.arrive 1, 64;\nadd.u32 %r2, %r2, 9;\n" GPUT
           "bra E;\nC:\nbar.sync 1, 64;\n" GGET "E:\n");
    /* right behind its arrival, which was the last one */
    expect(SIM_RACE, 64,
           "@%p1 bra P;\nbar.sync 1, 64;\nmov.u32 %r30, 0;\n"
           "L:\nadd.u32 %r30, %r30, 1;\nsetp.lt.u32 %p5, %r30, 6000;\n@%p5 bra L;\n" GET
           "bra E;\nP:\n" PUT "bar.arrive 1, 64;\nadd.u32 %r2, %r2, 9;\n" PUT "E:\n");
    expect_said("this read by warp 0 and the write at");
}

/* A barrier of warps 0 and 1 says nothing of warp 2; one that warp 1 comes to as well does. */
Test(sim_warp_clocks, barriers_order_those_who_come)
{
    expect(SIM_RACE, 96,
           "@%p2 bra C;\n@%p0 " PUT "bar.sync 1, 64;\nbra E;\nC:\nbar.sync 2, 32;\n" GET "E:\n");
    expect_said("this read by warp 2 and the write at");
    expect(SIM_OK, 96,
           "@%p2 bra C;\n@%p0 " PUT "bar.sync 1, 64;\n@%p1 bar.arrive 2, 64;\nbra E;\n"
           "C:\nbar.sync 2, 64;\n" GET "E:\n");
    expect(SIM_OK, 96, "@%p0 " PUT "bar.sync 3, 96;\n@%p2 " GET);
    expect(SIM_OK, 96, "@%p0 " PUT "bar.sync 0;\n@%p2 " GET "bar.sync 1, 96;");
    /* a fence by itself orders nothing; behind a look it may order more than is followed */
    expect(SIM_RACE, 96,
           "@%p2 bra C;\n@%p0 " PUT
           "membar.cta;\nbar.sync 1, 64;\nbra E;\nC:\nbar.sync 2, 32;\n" GET "E:\n");
    expect(SIM_OK, 96,
           "@%p2 bra C;\n@%p0 " PUT "membar.cta;\nbar.sync 1, 64;\nbra E;\nC:\nbar.sync 2, 32;\n"
           "ld.relaxed.cta.global.u32 %r20, [%rd1+512];\nmembar.cta;\n" GET "E:\n");
    /* who has ended has arrived at a barrier of all */
    expect(SIM_OK, 64, "@%p1 bra C;\n" PUT "exit;\nC:\nbar.sync 0;\n" GET "bar.sync 1, 32;\n");
}
