/* wgmma used wrongly: warps that do not come, registers that are touched while products are under
 * way, descriptors that lead astray, shared memory that the tensor cores must not read yet or that
 * is overwritten too early. Products that are right are in programs/wgmma.cu. Concerns sim/tensor.
 */
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

static struct fixture_result result;

/* A has 64 rows and B 8 columns of 32 bytes, without a swizzle. %rd10 and %rd11 are their
 * descriptors; %r10 is the address of 16 bytes of A, which the thread writes, %r11 of B. */
static const char tiles[] = ".shared .align 1024 .b8 a[4096];\n.shared .align 1024 .b8 b[256];\n";
#define BEGIN                                                                                      \
    "mov.u32 %r8, a;\nmov.u32 %r9, b;\nmad.lo.u32 %r10, %r1, 16, %r8;\nand.b32 %r12, %r1, 15;\n"   \
    "mad.lo.u32 %r11, %r12, 16, %r9;\nsetp.lt.u32 %p1, %r1, 16;\nsetp.lt.u32 %p2, %r1, 32;\n"      \
    "setp.eq.u32 %p3, %r1, %r1;\ncvt.u64.u32 %rd10, %r8;\nshr.u64 %rd10, %rd10, 4;\n"              \
    "or.b64 %rd10, %rd10, 0x1000080000;\ncvt.u64.u32 %rd11, %r9;\nshr.u64 %rd11, %rd11, 4;\n"      \
    "or.b64 %rd11, %rd11, 0x1000080000;\n"
#define FILL_A    "mov.u32 %r20, 0x3c003c00;\nst.shared.v4.b32 [%r10], {%r20, %r20, %r20, %r20};\n"
#define FILL      FILL_A "@%p1 st.shared.v4.b32 [%r11], {%r20, %r20, %r20, %r20};\n"
#define OVERWRITE "st.shared.u32 [%r10], %r1;\n"
#define PROXY     "fence.proxy.async.shared::cta;\n"
#define SYNC      "bar.sync 0;\n"
#define ZERO                                                                                       \
    "mov.b32 %f1, 0f00000000;\nmov.b32 %f2, 0f00000000;\nmov.b32 %f3, 0f00000000;\n"               \
    "mov.b32 %f4, 0f00000000;\n"
#define READY BEGIN FILL PROXY SYNC ZERO
#define FENCE "wgmma.fence.sync.aligned;\n"
#define D     "{%f1, %f2, %f3, %f4}"
#define WGMMA                                                                                      \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D ", %rd10, %rd11, %p3, 1, 1, 0, 0;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"
#define WAIT   "wgmma.wait_group.sync.aligned 0;\n"
#define KEEP   "st.global.f32 [%rd3], %f1;\n"
#define FRAGMENT                                                                                   \
    "mov.b32 %r30, 0x3c003c00;\nmov.b32 %r31, %r30;\nmov.b32 %r32, %r30;\nmov.b32 %r33, %r30;\n"
#define FROM_REGISTERS                                                                             \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D ", {%r30, %r31, %r32, %r33}, %rd11, "   \
    "%p3, 1, 1, 0;\n"

static void expect_threads(enum sim_status status, unsigned threads, const char *body)
{
    sim_fixture_run(&(struct fixture){.declarations = tiles, .body = body, .block = threads},
                    &result);
    cr_expect_eq(result.outcome.status, status, "status %d, not %d: %s\n%s", result.outcome.status,
                 status, result.outcome.message, body);
}

static void expect(enum sim_status status, const char *body)
{
    expect_threads(status, 128, body);
}

static void expect_text(const char *text)
{
    cr_expect(strstr(result.outcome.message, text), "not \"%s\" in: %s", text,
              result.outcome.message);
}

Test(sim_wgmma, right_uses_are_silent)
{
    expect(SIM_OK, READY FENCE WGMMA COMMIT WAIT KEEP);
    cr_expect_eq((uint32_t)result.out[0], sim_fixture_bits32(16));
    expect_threads(SIM_OK, 256, READY FENCE WGMMA WGMMA COMMIT WAIT KEEP);
    cr_expect_eq((uint32_t)result.out[255], sim_fixture_bits32(32));
    expect(SIM_OK, READY FRAGMENT FENCE FROM_REGISTERS COMMIT WAIT KEEP);
    cr_expect_eq((uint32_t)result.out[127], sim_fixture_bits32(16));
    /* The second group may still be under way. */
    expect(SIM_OK, READY FENCE WGMMA COMMIT
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f5, %f6, %f7, %f8}, %rd10, %rd11, "
           "0, 1, 1, 0, 0;\n" COMMIT "wgmma.wait_group.sync.aligned 1;\n" KEEP);
    /* A swizzle is of addresses: B may start in row 1 of a pattern, with row 8 in the next one. */
    expect(SIM_OK, READY "cvt.u64.u32 %rd11, %r8;\nshr.u64 %rd11, %rd11, 4;\n"
                         "or.b64 %rd11, %rd11, 0x4000004000000008;\n" FENCE WGMMA COMMIT WAIT KEEP);
    cr_expect_eq((uint32_t)result.out[0], sim_fixture_bits32(16));
    /* Moves are the compiler's. */
    expect(SIM_OK, READY FENCE "mov.f32 %f1, %f2;\n" WGMMA "mov.f32 %f9, %f1;\n" COMMIT WAIT
                               "st.global.f32 [%rd3], %f9;\n");
}

Test(sim_wgmma, of_fp8_keeps_13_bits)
{
    expect(SIM_OK, BEGIN "mov.u32 %r20, 0x38383838;\n"
                         "st.shared.v4.b32 [%r10], {%r20, %r20, %r20, %r20};\n"
                         "@%p1 st.shared.v4.b32 [%r11], {%r20, %r20, %r20, %r20};\n" PROXY SYNC ZERO
                         "mov.b32 %f1, 0f46800000;\nmov.b32 %f2, 0f46000000;\n" FENCE
                         "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 " D
                         ", %rd10, %rd11, %p3, 1, 1;\n" COMMIT WAIT
                         "setp.eq.u32 %p4, %r1, 0;\n@%p4 mov.f32 %f1, %f2;\n" KEEP);
    cr_expect_eq((uint32_t)result.out[0], sim_fixture_bits32(8192 + 32));
    cr_expect_eq((uint32_t)result.out[1], sim_fixture_bits32(16384));
}

Test(sim_wgmma, warps_that_do_not_come)
{
    expect_threads(SIM_DIVERGENT_BARRIER, 96, READY FENCE WGMMA COMMIT WAIT);
    expect_text("a multiple of 128 threads");
    expect(SIM_DIVERGENT_BARRIER, READY FENCE "@%p2 bra END;\n" WGMMA COMMIT WAIT "END:\n");
    expect_text("warp 0 has ended");
    expect(SIM_DIVERGENT_BARRIER,
           READY FENCE "setp.gt.u32 %p4, %r1, 95;\n@%p4 bra END;\n" WGMMA COMMIT WAIT "END:\n");
    expect_text("warp 3 never comes: it has ended");
    expect(SIM_DIVERGENT_BARRIER,
           READY FENCE "@%p2 bra OTHER;\n" WGMMA "bra END;\nOTHER:\n" SYNC "END:\n" COMMIT WAIT);
    expect_text("warp 0 never comes: it waits at bar.sync");
    expect(SIM_DIVERGENT_BARRIER,
           READY FENCE "@%p2 bra OTHER;\n" WGMMA "bra END;\nOTHER:\n" WGMMA "END:\n" COMMIT WAIT);
    expect_text("at another one");
    expect(SIM_DIVERGENT_BARRIER, READY FENCE "@%p1 bra END;\n" WGMMA COMMIT WAIT "END:\n");
    expect_text("lane 0");
}

Test(sim_wgmma, registers_that_are_touched_too_early)
{
    expect(SIM_RACE, READY FENCE WGMMA KEEP COMMIT WAIT);
    expect_text("wgmma.commit_group and then");
    expect(SIM_RACE, READY FENCE WGMMA COMMIT KEEP WAIT);
    expect_text("wait_group");
    expect_text("accumulator");
    expect(SIM_RACE, READY FENCE WGMMA COMMIT "wgmma.wait_group.sync.aligned 1;\n" KEEP);
    expect(SIM_RACE, READY FENCE WGMMA WAIT KEEP);
    expect(SIM_RACE, READY FENCE WGMMA COMMIT "add.f32 %f4, %f9, %f9;\n" WAIT);
    expect_text("writes");
    expect(SIM_RACE, READY FENCE WGMMA COMMIT "mov.f32 %f9, %f1;\nst.global.f32 [%rd3], %f9;\n");
    expect(SIM_RACE,
           READY FRAGMENT FENCE FROM_REGISTERS COMMIT "add.u32 %r32, %r31, 1;\n" WAIT KEEP);
    expect_text("the fragment of A");
}

Test(sim_wgmma, registers_without_a_fence)
{
    expect(SIM_RACE, READY WGMMA COMMIT WAIT KEEP);
    expect_text("without a wgmma.fence");
    expect(SIM_RACE, READY FENCE "add.f32 %f1, %f2, %f3;\n" WGMMA COMMIT WAIT KEEP);
    expect_text("add.f32");
    expect(SIM_RACE, READY FRAGMENT FENCE "add.u32 %r31, %r30, 0;\n" FROM_REGISTERS COMMIT WAIT);
    expect(SIM_OK,
           READY FENCE WGMMA COMMIT WAIT "add.f32 %f1, %f2, %f3;\n" FENCE WGMMA COMMIT WAIT);
    expect(SIM_RACE, READY FENCE WGMMA COMMIT WAIT "add.f32 %f1, %f2, %f3;\n" WGMMA COMMIT WAIT);
}

Test(sim_wgmma, shared_memory_that_others_write)
{
    expect(SIM_RACE, BEGIN FILL SYNC ZERO FENCE WGMMA COMMIT WAIT KEEP);
    expect_text("fence.proxy.async");
    expect_text("this wgmma");
    expect(SIM_RACE, BEGIN FILL PROXY ZERO FENCE WGMMA COMMIT WAIT KEEP);
    expect_text("a wgmma of warps 0 to 3");
    expect(SIM_RACE, READY FENCE WGMMA COMMIT OVERWRITE WAIT);
    expect_text("wgmma.wait_group");
    expect(SIM_RACE, READY FENCE WGMMA WAIT OVERWRITE);
    expect(SIM_OK, READY FENCE WGMMA COMMIT WAIT OVERWRITE);
    expect(SIM_OK, READY FENCE WGMMA COMMIT WAIT SYNC OVERWRITE);
}

Test(sim_wgmma, descriptors_that_lead_astray)
{
#define CHANGED(change) READY change FENCE WGMMA COMMIT WAIT KEEP
    expect(SIM_UNINITIALIZED, BEGIN FILL_A PROXY SYNC ZERO FENCE WGMMA COMMIT WAIT KEEP);
    expect(SIM_OUT_OF_BOUNDS, CHANGED("add.u64 %rd10, %rd10, 256;\n"));
    expect_text("the block has 4352");
    expect_text("descriptor of A");
    expect(SIM_OUT_OF_BOUNDS, CHANGED("or.b64 %rd11, %rd11, 0x3fff0000;\n"));
    expect(SIM_MISALIGNED, CHANGED("or.b64 %rd10, %rd10, 0x4000;\n"));
    expect_text("bit 14");
    expect(SIM_MISALIGNED, CHANGED("or.b64 %rd11, %rd11, 0x4000000000000007;\n"));
    expect_text("align the matrix in shared memory to 1024 bytes");
    expect(SIM_MISALIGNED, CHANGED("or.b64 %rd10, %rd10, 0xc000000000000000;\n"
                                   "xor.b64 %rd10, %rd10, 0x3800000000;\n"));
    expect_text("multiples of its pattern of 256 bytes");
    expect(SIM_DIVERGENT_BARRIER, CHANGED("@%p1 add.u64 %rd10, %rd10, 8;\n"));
    expect_text("different descriptors of A");
}

Test(sim_wgmma, forms_that_are_not_known_are_refused_by_name)
{
    expect(SIM_UNSUPPORTED, READY FENCE "wgmma.mma_async.sync.aligned.m64n8k32.f32.f16.f16 " D
                                        ", %rd10, %rd11, %p3, 1, 1, 0, 0;\n");
    expect_text("m64n8k32");
    expect(SIM_UNSUPPORTED, READY FENCE "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " D
                                        ", %rd10, %rd11, %r20, 0, %p3, 1, 1, 0, 0;\n");
    expect(SIM_UNSUPPORTED, READY FENCE "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D
                                        ", %rd10, %rd11, %p3, 1, 2, 0, 0;\n");
    expect_text("operand 5 is 2");
    expect(SIM_UNSUPPORTED, READY FENCE
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd10, %rd11, %p3, 1, 1, "
           "0, 0;\n");
}
