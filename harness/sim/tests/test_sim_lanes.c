/* Lanes of one warp: races within a store and between accesses that nothing orders, what orders
 * them, and masks that do not fit those who come. Concerns sim/check. */
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct fixture_result result;

static const char tile[] = ".shared .align 16 .b8 tile[1024];\n";

/* %r9: address of `tile`; %r10: of the thread's word of it; %r11: of the next lane's. */
#define ADDRESSES                                                                                  \
    "mov.u32 %r9, tile;\nmad.lo.u32 %r10, %r1, 4, %r9;\nadd.u32 %r12, %r1, 1;\n"                   \
    "and.b32 %r12, %r12, 31;\nmad.lo.u32 %r11, %r12, 4, %r9;\n"

static void expect(enum sim_status status, unsigned block, const char *body)
{
    sim_fixture_run(&(struct fixture){.declarations = tile, .body = body, .block = block}, &result);
    cr_expect_eq(result.outcome.status, status, "status %d, not %d: %s\n%s", result.outcome.status,
                 status, result.outcome.message, body);
}

static void expect_text(const char *text)
{
    cr_expect(strstr(result.outcome.message, text), "not \"%s\" in: %s", text,
              result.outcome.message);
}

/* ---- One store ---- */

Test(sim_lanes, one_store_to_one_place)
{
    expect(SIM_RACE, 32, ADDRESSES "st.shared.u32 [%r9+8], %r1;");
    expect_text("element 2 of tile");
    expect_text("thread (0, 0, 0) and thread (1, 0, 0)");
    expect(SIM_RACE, 32,
           ADDRESSES "shr.u32 %r13, %r1, 1;\nmad.lo.u32 %r13, %r13, 4, %r9;\n"
                     "st.shared.u32 [%r13], %r1;");
    expect(SIM_RACE, 32,
           ADDRESSES "and.b32 %r13, %r1, 15;\nmad.lo.u32 %r13, %r13, 16, %r9;\n"
                     "st.shared.v4.u32 [%r13], {%r1, %r1, %r1, %r1};");
    expect_text("thread (0, 0, 0) and thread (16, 0, 0)");
    expect(SIM_RACE, 32, ADDRESSES "setp.gt.u32 %p1, %r1, 29;\n@%p1 st.shared.u32 [%r9], %r1;");
    expect_text("thread (30, 0, 0) and thread (31, 0, 0)");
    expect(SIM_RACE, 32, "st.global.u32 [%rd1], %r1;");
    expect_text("element 0 of out");
    expect(
        SIM_RACE, 32,
        "and.b32 %r13, %r1, 7;\nmad.wide.u32 %rd10, %r13, 4, %rd1;\nst.global.u32 [%rd10], %r1;");
    expect_text("thread (0, 0, 0) and thread (8, 0, 0)");
}

Test(sim_lanes, one_store_by_threads_of_other_rows)
{
    const struct fixture fixture = {.body = "mov.u32 %r20, %tid.y;\nsetp.gt.u32 %p1, %r20, 0;\n"
                                            "@%p1 st.global.u32 [%rd1], %r20;",
                                    .block = 1,
                                    .rows = 3};
    sim_fixture_run(&fixture, &result);
    cr_expect_eq(result.outcome.status, SIM_RACE);
    expect_text("thread (0, 1, 0) and thread (0, 2, 0)");
}

Test(sim_lanes, one_store_of_equal_values_or_to_many_places)
{
    expect(SIM_OK, 32, ADDRESSES "st.shared.u32 [%r9], 7;\nld.shared.u32 %r20, [%r9];");
    expect(SIM_OK, 32, "st.global.u32 [%rd1], 7;");
    expect(SIM_OK, 32,
           ADDRESSES "xor.b32 %r13, %r1, 21;\nmad.lo.u32 %r13, %r13, 4, %r9;\n"
                     "st.shared.u32 [%r13], %r1;");
    expect(SIM_OK, 32,
           "xor.b32 %r13, %r1, 21;\nmad.wide.u32 %rd10, %r13, 4096, %rd1;\n"
           "setp.gt.u32 %p1, %r13, 7;\n@!%p1 st.global.u32 [%rd10], %r1;");
    expect(SIM_OK, 32, ADDRESSES "st.volatile.shared.u32 [%r9], %r1;");
    expect(SIM_OK, 32, ADDRESSES "atom.shared.exch.b32 %r20, [%r9], %r1;");
    expect(SIM_OK, 32,
           ".local .align 4 .b8 own[8];\nmov.u64 %rd10, own;\n"
           "cvta.local.u64 %rd10, %rd10;\nst.u32 [%rd10], %r1;");
}

/* ---- Order ---- */

/* A word of each lane is written, then the next lane's read, with something in between. */
static void expect_between(enum sim_status status, const char *between)
{
    char body[1000];
    snprintf(body, sizeof body, "%sst.shared.u32 [%%r10], %%r1;\n%s\nld.shared.u32 %%r20, [%%r11];",
             ADDRESSES, between);
    expect(status, 32, body);
    snprintf(body, sizeof body,
             "%sst.shared.u32 [%%r10], %%r1;\nbar.sync 0;\nld.shared.u32 %%r20, [%%r11];\n"
             "%s\nadd.u32 %%r20, %%r20, 100;\nst.shared.u32 [%%r10], %%r20;",
             ADDRESSES, between);
    expect(status, 32, body);
}

Test(sim_lanes, what_orders_them)
{
    expect_between(SIM_RACE, "");
    expect_text("of the same warp");
    expect_text("__syncwarp()");
    expect_between(SIM_OK, "bar.warp.sync -1;");
    expect_between(SIM_OK, "bar.sync 0;");
    expect_between(SIM_OK, "shfl.sync.idx.b32 %r21, %r1, 0, 31, -1;");
    expect_between(SIM_OK, "setp.eq.u32 %p2, %r1, 3;\nvote.sync.any.pred %p1, %p2, -1;");
    expect_between(SIM_OK, "match.any.sync.b32 %r21, %r1, -1;");
    expect_between(SIM_OK, "redux.sync.add.u32 %r21, %r1, -1;");
    expect_between(SIM_RACE, "activemask.b32 %r21;");
}

Test(sim_lanes, a_lane_comes_after_itself)
{
    expect(SIM_OK, 64,
           ADDRESSES "st.shared.u32 [%r10], %r1;\nld.shared.u32 %r20, [%r10];\n"
                     "add.u32 %r20, %r20, 1;\nst.shared.u32 [%r10], %r20;\n"
                     "ld.shared.u32 %r20, [%r10];\nst.shared.u32 [%r10], %r1;");
    /* All read a word, then one of them writes it. */
    expect(SIM_RACE, 32,
           ADDRESSES "st.shared.u32 [%r10], %r1;\nbar.warp.sync -1;\nld.shared.u32 %r20, [%r9];\n"
                     "setp.eq.u32 %p1, %r1, 5;\n@%p1 st.shared.u32 [%r9], 77;");
    expect_text("the read at");
    expect_text("by thread (0, 0, 0)");
    cr_expect_eq(result.outcome.thread[0], 5);
    expect(SIM_OK, 32,
           ADDRESSES "st.shared.u32 [%r10], %r1;\nbar.warp.sync -1;\nsetp.eq.u32 %p1, %r1, 5;\n"
                     "@%p1 ld.shared.u32 %r20, [%r9];\n@%p1 st.shared.u32 [%r9], 77;");
}

#define HALF_MASK "setp.lt.u32 %p2, %r1, 16;\nselp.b32 %r15, 0xffff, 0xffff0000, %p2;\n"

Test(sim_lanes, groups_order_their_members_alone)
{
#define NEIGHBOUR "xor.b32 %r13, %r1, 1;\nmad.lo.u32 %r13, %r13, 4, %r9;\n"
#define ACROSS    "xor.b32 %r14, %r1, 16;\nmad.lo.u32 %r14, %r14, 4, %r9;\n"
#define BEGIN     ADDRESSES NEIGHBOUR ACROSS HALF_MASK "st.shared.u32 [%r10], %r1;\n"
    expect(SIM_OK, 32, BEGIN "bar.warp.sync %r15;\nld.shared.u32 %r20, [%r13];");
    expect(SIM_RACE, 32, BEGIN "bar.warp.sync %r15;\nld.shared.u32 %r20, [%r14];");
    expect(SIM_OK, 32,
           BEGIN "bar.warp.sync %r15;\nld.shared.u32 %r20, [%r13];\n"
                 "bar.warp.sync -1;\nld.shared.u32 %r20, [%r14];");
    /* What the others knew is known too: halves first, then pairs across. */
    expect(SIM_OK, 32,
           BEGIN "bar.warp.sync %r15;\nand.b32 %r16, %r1, 15;\nmov.u32 %r17, 0x10001;\n"
                 "shl.b32 %r17, %r17, %r16;\nbar.warp.sync %r17;\nxor.b32 %r18, %r1, 17;\n"
                 "mad.lo.u32 %r18, %r18, 4, %r9;\nld.shared.u32 %r20, [%r18];");
    expect(SIM_OK, 32,
           BEGIN "@%p2 bra LOW;\nbar.warp.sync 0xffff0000;\n"
                 "ld.shared.u32 %r20, [%r13];\nbra DONE;\nLOW:\nbar.warp.sync 0xffff;\n"
                 "ld.shared.u32 %r20, [%r13];\nDONE:\n");
}

/* Turns are numbered, and the numbers come round again. */
Test(sim_lanes, many_turns)
{
    static const char loop[] =
        ADDRESSES "mov.u32 %r30, 0;\nst.shared.u32 [%r10], %r1;\nLOOP:\nbar.warp.sync -1;\n"
                  "ld.shared.u32 %r20, [%r11];\nbar.warp.sync -1;\nadd.u32 %r20, %r20, 1;\n"
                  "st.shared.u32 [%r10], %r20;\nadd.u32 %r30, %r30, 1;\n"
                  "setp.lt.u32 %p1, %r30, 1000;\n@%p1 bra LOOP;\n";
    char text[1000];
    expect(SIM_OK, 32, loop);
    snprintf(text, sizeof text, "%sld.shared.u32 %%r20, [%%r11];", loop);
    expect(SIM_RACE, 32, text);
}

/* ---- Elements of fewer than 4 bytes ---- */

Test(sim_lanes, bytes_of_one_word)
{
#define BYTE "add.u32 %r13, %r9, %r1;\n"
    /* Warps of 2 threads' width each: thread t writes byte (t % 32) * 2 + t / 32. */
#define WOVEN                                                                                      \
    "shr.u32 %r14, %r1, 5;\nand.b32 %r15, %r1, 31;\nmad.lo.u32 %r13, %r15, 2, %r14;\n"             \
    "add.u32 %r13, %r13, %r9;\n"
    expect(SIM_OK, 64, ADDRESSES WOVEN "st.shared.u8 [%r13], %r1;\nld.shared.u8 %r20, [%r13];");
    expect(SIM_OK, 64,
           ADDRESSES "shl.b32 %r13, %r1, 1;\nadd.u32 %r13, %r13, %r9;\n"
                     "st.shared.u16 [%r13], %r1;\nld.shared.u16 %r20, [%r13];");
    expect(SIM_RACE, 64,
           ADDRESSES "and.b32 %r13, %r1, 31;\nadd.u32 %r13, %r13, %r9;\n"
                     "st.shared.u8 [%r13], %r1;");
    expect_text("a __syncthreads()");
    expect(SIM_RACE, 64,
           ADDRESSES WOVEN "st.shared.u8 [%r13], %r1;\nbar.warp.sync -1;\n"
                           "ld.shared.u16 %r20, [%r9];");
    expect_text("element 1 of tile");
    expect(SIM_RACE, 32,
           ADDRESSES BYTE "st.shared.u8 [%r13], %r1;\nxor.b32 %r13, %r13, 1;\n"
                          "ld.shared.u8 %r20, [%r13];");
    expect(SIM_OK, 64,
           ADDRESSES WOVEN "st.shared.u8 [%r13], %r1;\nbar.sync 0;\n"
                           "ld.shared.u32 %r20, [%r9];");
}

/* ---- Atomic operations ---- */

Test(sim_lanes, atomic_and_plain_accesses)
{
#define ZERO "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r9], 0;\nbar.sync 0;\n"
    expect(SIM_OK, 64,
           ADDRESSES ZERO "red.shared.add.u32 [%r9], 1;\natom.shared.add.u32 %r20, "
                          "[%r9], 2;\nbar.sync 0;\nld.shared.u32 %r20, [%r9];");
    expect(SIM_RACE, 64, ADDRESSES ZERO "red.shared.add.u32 [%r9], 1;\nld.shared.u32 %r20, [%r9];");
    expect_text("the atomic access at");
    expect(SIM_RACE, 32,
           ADDRESSES ZERO "red.shared.add.u32 [%r9], 1;\nsetp.eq.u32 %p1, %r1, 31;\n"
                          "@%p1 ld.shared.u32 %r20, [%r9];");
    expect(SIM_OK, 32,
           ADDRESSES ZERO "red.shared.add.u32 [%r9], 1;\nbar.warp.sync -1;\n"
                          "ld.shared.u32 %r20, [%r9];");
    expect(SIM_RACE, 64,
           ADDRESSES ZERO "red.shared.add.u32 [%r9], 1;\nbar.warp.sync -1;\n"
                          "@%p1 st.shared.u32 [%r9], 0;");
    expect(SIM_RACE, 64,
           ADDRESSES ZERO "@%p1 ld.shared.u32 %r20, [%r9];\n"
                          "red.shared.add.u32 [%r9], 1;");
    expect_text("the read at");
    expect(SIM_RACE, 32,
           ADDRESSES "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r9], 0;\n"
                     "red.shared.add.u32 [%r9], 1;");
    /* One lane's own operations are in order. */
    expect(SIM_OK, 64,
           ADDRESSES "st.shared.u32 [%r10], 0;\nred.shared.add.u32 [%r10], 1;\n"
                     "ld.shared.u32 %r20, [%r10];\nst.shared.u32 [%r10], 5;");
}

/* ---- Masks ---- */

Test(sim_lanes, masks_that_fit)
{
    expect(SIM_OK, 40, "bar.warp.sync -1;");
    expect(SIM_OK, 32, "setp.gt.u32 %p1, %r1, 3;\n@%p1 ret;\nbar.warp.sync -1;");
    expect(SIM_OK, 32,
           HALF_MASK "@%p2 bra LOW;\nbar.warp.sync 0xffff0000;\nbra DONE;\nLOW:\n"
                     "bar.warp.sync 0xffff;\nDONE:\nbar.warp.sync -1;");
    /* The two sides of a branch, or the three, come to different ones. */
    expect(SIM_OK, 32,
           HALF_MASK "@%p2 bra LOW;\nbar.warp.sync -1;\nbra DONE;\nLOW:\n"
                     "bar.warp.sync -1;\nDONE:\nbar.warp.sync -1;");
    expect(SIM_OK, 32,
           "setp.lt.u32 %p1, %r1, 8;\nsetp.lt.u32 %p2, %r1, 20;\n@%p1 bra ONE;\n@%p2 bra TWO;\n"
           "bar.warp.sync -1;\nbra DONE;\nONE:\nbar.warp.sync -1;\nbra DONE;\nTWO:\n"
           "bar.warp.sync -1;\nDONE:\nbar.warp.sync -1;");
    /* Lanes leave a loop and end. */
    expect(SIM_OK, 32,
           "mov.u32 %r20, 0;\nLOOP:\nbar.warp.sync -1;\nadd.u32 %r20, %r20, 1;\n"
           "setp.lt.u32 %p1, %r20, %r1;\n@%p1 bra LOOP;\n");
}

Test(sim_lanes, masks_that_do_not_fit)
{
    expect(SIM_DIVERGENT_BARRIER, 32, "bar.warp.sync 0xfffffffe;");
    expect_text("is executed by lane 0, which that mask does not name");
    expect(SIM_DIVERGENT_BARRIER, 32, "shfl.sync.idx.b32 %r20, %r1, 0, 31, 0xffff;");
    expect_text("lane 16");
    expect(SIM_DIVERGENT_BARRIER, 32,
           "setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra DONE;\nbar.warp.sync -1;\nDONE:\nbar.sync 0;");
    expect_text("names lane 16");
    expect(SIM_DIVERGENT_BARRIER, 32, "setp.lt.u32 %p1, %r1, 16;\n@%p1 bar.warp.sync -1;");
    expect_text("names lane 16");
    expect(SIM_DIVERGENT_BARRIER, 32,
           "setp.eq.u32 %p1, %r1, 3;\nselp.b32 %r10, 0xff, -1, %p1;\nbar.warp.sync %r10;");
    expect_text("must give the same mask");
    /* Lanes leave a loop and wait behind it. */
    expect(SIM_DIVERGENT_BARRIER, 32,
           "mov.u32 %r20, 0;\nLOOP:\nbar.warp.sync -1;\nadd.u32 %r20, %r20, 1;\n"
           "setp.lt.u32 %p1, %r20, %r1;\n@%p1 bra LOOP;\nbar.sync 0;");
}
