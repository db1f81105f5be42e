/* Tensor cores used wrongly: lanes that do not come, rows that lie in the wrong place, matrices
 * that nothing has written or that others still write. Products and moves that are right are in
 * programs/tensor_products.cu and programs/matrix_moves.cu.
 * Concerns sim/tensor. */
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

static struct fixture_result result;

/* 64 rows of 16 bytes; %r10 is the row of the thread. */
static const char tile[] = ".shared .align 16 .b8 tile[1024];\n";
#define ROW  "mov.u32 %r9, tile;\nmad.lo.u32 %r10, %r1, 16, %r9;\n"
#define FILL "mov.u32 %r20, 7;\nst.shared.v4.b32 [%r10], {%r20, %r20, %r20, %r20};\n"
#define LOAD(from)                                                                                 \
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r30, %r31, %r32, %r33}, [" from "];\n"
#define ZERO_C "mov.b32 %f1, 0f00000000;\nmov.b32 %f2, 0f00000000;\n"
#define ZERO_D "mov.b32 %f3, 0f00000000;\nmov.b32 %f4, 0f00000000;\n"
#define MULTIPLY                                                                                   \
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "                     \
    "{%r30, %r31, %r32, %r33}, {%r30, %r31}, {%f1, %f2, %f3, %f4};\n"
#define KEEP "st.global.f32 [%rd3], %f1;\n"

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

Test(sim_tensor, right_uses_are_silent)
{
    expect(SIM_OK, 32,
           ROW FILL "bar.warp.sync 0xffffffff;\n" LOAD("%r10") ZERO_C ZERO_D MULTIPLY KEEP);
    cr_expect_eq((uint32_t)result.out[0], 0x2bc40000); /* 8 (7 * 2^-24)^2: each other half is 0 */
    expect(SIM_OK, 64, ROW FILL "bar.sync 0;\n" LOAD("%r10"));
    expect(SIM_OK, 64, ROW FILL "bar.sync 0;\n" LOAD("%r9")); /* all lanes the same row */
    expect(SIM_OK, 32,
           ROW FILL "bar.warp.sync 0xffffffff;\n"
                    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r30}, [%r10];\n"
                    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r10], {%r30};\n");
}

/* Registers of D may be others of C's, and all of A be zeros. */
Test(sim_tensor, registers_of_the_result_are_read_first)
{
    expect(SIM_OK, 32,
           "mov.b32 %r30, 0;\nmov.b32 %f1, 0f3f800000;\nmov.b32 %f2, 0f40000000;\n"
           "mov.b32 %f3, 0f40400000;\nmov.b32 %f4, 0f40800000;\n"
           "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f1}, {%r30, %r30}, "
           "{%r30}, {%f1, %f2, %f3, %f4};\nmov.b32 %f5, 0f41200000;\n"
           "fma.rn.f32 %f1, %f4, %f5, %f1;\nfma.rn.f32 %f1, %f3, %f5, %f1;\n" KEEP);
    cr_expect_eq((uint32_t)result.out[0], 0x42580000); /* 10 3 + 10 2 + 4 */
}

/* Only lanes 0 to 7 give addresses to x1, so that the others' may be anything. */
Test(sim_tensor, addresses_of_other_lanes_are_not_looked_at)
{
    expect(SIM_OK, 32,
           ROW FILL "bar.warp.sync 0xffffffff;\nsetp.lt.u32 %p1, %r1, 8;\n"
                    "selp.b32 %r11, %r10, 0x7fffff01, %p1;\n"
                    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r30}, [%r11];\n");
}

Test(sim_tensor, lanes_that_do_not_come)
{
    expect(SIM_DIVERGENT_BARRIER, 32,
           ROW FILL "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra END;\n" LOAD("%r10") "END:\n");
    expect_text("ldmatrix");
    expect_text("lane 0 has ended");
    expect(SIM_DIVERGENT_BARRIER, 48, ROW FILL "bar.sync 0;\n" LOAD("%r10"));
    expect_text("needs all 32 lanes of the warp");
    expect(SIM_DIVERGENT_BARRIER, 32,
           ROW FILL "setp.eq.u32 %p1, %r1, 31;\n@%p1 exit;\n" LOAD("%r10"));
    expect_text("lane 31 has ended");
    expect(SIM_DIVERGENT_BARRIER, 32,
           ROW FILL "bar.warp.sync 0xffffffff;\n" LOAD("%r10") ZERO_C ZERO_D
           "setp.eq.u32 %p1, %r1, 5;\n@%p1 bra END;\n" MULTIPLY "END:\n" KEEP);
    expect_text("mma.sync");
    expect_text("does not execute it with the others");
}

Test(sim_tensor, rows_in_the_wrong_place)
{
    expect(SIM_MISALIGNED, 32,
           ROW FILL "bar.warp.sync 0xffffffff;\nadd.u32 %r11, %r10, 8;\n" LOAD("%r11"));
    expect(SIM_OUT_OF_BOUNDS, 32,
           ROW FILL "bar.warp.sync 0xffffffff;\nadd.u32 %r11, %r10, 1024;\n" LOAD("%r11"));
    expect(SIM_OUT_OF_BOUNDS, 32,
           ROW "mov.u32 %r30, 1;\nadd.u32 %r11, %r10, 1024;\n"
               "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r11], {%r30};\n");
}

Test(sim_tensor, matrices_without_values)
{
    expect(SIM_UNINITIALIZED, 32, ROW LOAD("%r10"));
    expect(SIM_UNINITIALIZED, 32,
           ROW FILL "bar.warp.sync 0xffffffff;\n" LOAD("%r10") ZERO_C MULTIPLY
           "setp.gt.f32 %p1, %f3, 0f00000000;\n@%p1 bra END;\n" KEEP "END:\n");
    expect_text("initial value missing");
}

Test(sim_tensor, matrices_that_others_write)
{
    expect(SIM_RACE, 64,
           ROW FILL "xor.b32 %r11, %r1, 32;\nmad.lo.u32 %r12, %r11, 16, %r9;\n" LOAD("%r12"));
    expect_text("tile");
    expect(SIM_RACE, 64,
           ROW FILL "bar.sync 0;\nxor.b32 %r11, %r1, 32;\nmad.lo.u32 %r12, %r11, 16, %r9;\n"
                    "mov.u32 %r30, 3;\n" LOAD("%r10") "stmatrix.sync.aligned.m8n8.x4.shared.b16 "
                                                      "[%r12], {%r30, %r30, %r30, %r30};\n");
}

Test(sim_tensor, forms_that_are_not_known_are_refused_by_name)
{
    expect(SIM_UNSUPPORTED, 32,
           ZERO_C ZERO_D "mma.sync.aligned.m16n8k12.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
                         "{%r30, %r31, %r32, %r33}, {%r30, %r31}, {%f1, %f2, %f3, %f4};\n");
    expect_text("m16n8k12");
    expect(SIM_UNSUPPORTED, 32,
           ZERO_C ZERO_D "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2}, "
                         "{%r30, %r31, %r32, %r33}, {%r30, %r31}, {%f1, %f2, %f3, %f4};\n");
}

/* FP8 and TF32: a few values that are known; all others are an H200's (arithmetic/narrow.c). */
Test(sim_tensor, narrow_formats)
{
    const uint64_t most = sim_fixture_bits32(1e9f), third = sim_fixture_bits32(1.0f / 3);
    cr_expect_eq(sim_fixture_value('h', "cvt.rn.satfinite.e4m3x2.f32 %h, %fa, %fb;", most,
                                   sim_fixture_bits32(-1.0f), 0),
                 0x7eb8);
    cr_expect_eq(sim_fixture_value('h', "cvt.rn.satfinite.relu.e5m2x2.f32 %h, %fa, %fb;", most,
                                   sim_fixture_bits32(-1.0f), 0),
                 0x7b00);
    cr_expect_eq(sim_fixture_value('h', "cvt.rn.satfinite.e4m3x2.f32 %h, %fa, %fb;", 0,
                                   sim_fixture_bits32(-0.0f), 0),
                 0x0080);
    cr_expect_eq(sim_fixture_value('w', "cvt.rn.f16x2.e4m3x2 %r, %ha;", 0x7eb8, 0, 0), 0x5f00bc00);
    cr_expect_eq(sim_fixture_value('w', "cvt.rn.f16x2.e5m2x2 %r, %ha;", 0x7b01, 0, 0), 0x7b000100);
    cr_expect_eq(sim_fixture_value('w', "cvt.rna.tf32.f32 %r, %fa;", third, 0, 0), 0x3eaaa000);
    cr_expect_eq(sim_fixture_value('w', "cvt.rna.tf32.f32 %r, %fa;", 0x3f801000, 0, 0), 0x3f802000);
    cr_expect_eq(sim_fixture_value('w', "cvt.rna.tf32.f32 %r, %fa;", 0xff812345, 0, 0), 0xff812000);
    cr_expect_eq(sim_fixture_value('w', "cvt.rn.tf32.f32 %r, %fa;", 0x3f801000, 0, 0), 0x3f800000);
}
