/* Counting rules on cases worked out by hand, and counts of short kernels: what is an access, what
 * ptxas merges, and which line it belongs to. */
#include "sim/exec/count.h"
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LANES = 32 };
static const uint32_t ALL = UINT32_MAX;

struct addresses {
    uint64_t of[LANES];
};

/* Lane i at first + (i / group) * stride. */
static struct addresses spread(uint64_t first, unsigned group, uint64_t stride)
{
    struct addresses addresses;
    for (unsigned lane = 0; lane < LANES; lane++)
        addresses.of[lane] = first + lane / group * stride;
    return addresses;
}

static unsigned wavefronts(struct addresses addresses, uint32_t active, unsigned bytes)
{
    return sim_count_wavefronts(addresses.of, active, bytes, NULL);
}

static unsigned conflicts(struct addresses addresses, uint32_t active, unsigned bytes)
{
    unsigned count;
    sim_count_wavefronts(addresses.of, active, bytes, &count);
    return count;
}

static unsigned sectors(struct addresses addresses, uint32_t active, unsigned bytes)
{
    return sim_count_sectors(addresses.of, active, bytes);
}

/* ---- Rules ---- */

Test(rules, sectors_of_global_accesses)
{
    cr_assert_eq(sectors(spread(0, 1, 4), ALL, 4), 4);
    cr_assert_eq(sectors(spread(4, 1, 4), ALL, 4), 5, "off by one word");
    cr_assert_eq(sectors(spread(64, 1, 0), ALL, 4), 1, "one address");
    cr_assert_eq(sectors(spread(0, 1, 8), ALL, 4), 8);
    cr_assert_eq(sectors(spread(0, 1, 4096), ALL, 4), 32);
    cr_assert_eq(sectors(spread(0, 1, 16), ALL, 16), 16);
    cr_assert_eq(sectors(spread(0, 1, 4096), 0x10001, 4), 2, "two active lanes");
    cr_assert_eq(sectors(spread(0, 1, 32), 1, 32), 1);
}

Test(rules, words_of_shared_memory)
{
    cr_assert_eq(wavefronts(spread(0, 1, 4), ALL, 4), 1);
    cr_assert_eq(wavefronts(spread(0, 1, 0), ALL, 4), 1, "broadcast");
    cr_assert_eq(wavefronts(spread(0, 1, 8), ALL, 4), 2);
    cr_assert_eq(wavefronts(spread(0, 1, 128), ALL, 4), 32);
    cr_assert_eq(wavefronts(spread(0, 1, 132), ALL, 4), 1, "a padded column");
    cr_assert_eq(wavefronts(spread(0, 16, 128), ALL, 4), 2, "two words of one bank");
    cr_assert_eq(wavefronts(spread(0, 1, 128), 0xff, 4), 8, "inactive lanes cost nothing");
    cr_assert_eq(wavefronts(spread(0, 1, 1), ALL, 1), 1, "bytes of equal words");
    cr_assert_eq(conflicts(spread(0, 1, 128), ALL, 4), 31);
    cr_assert_eq(conflicts(spread(0, 1, 4), ALL, 4), 0);
}

Test(rules, eight_bytes_go_by_halves)
{
    cr_assert_eq(wavefronts(spread(0, 1, 8), ALL, 8), 2);
    cr_assert_eq(conflicts(spread(0, 1, 8), ALL, 8), 0);
    cr_assert_eq(wavefronts(spread(0, 1, 8), 0xffff, 8), 1, "the other half is empty");
    cr_assert_eq(wavefronts(spread(0, 1, 0), ALL, 8), 1, "pairs are equal: halves merge");
    cr_assert_eq(wavefronts(spread(0, 1, 16), ALL, 8), 4);
    cr_assert_eq(conflicts(spread(0, 1, 16), ALL, 8), 2);
}

/* The arrangement of a warp's lanes in 4 rows by 8 columns of a register tile: see step 07. */
Test(rules, sixteen_bytes_go_by_quarters)
{
    struct addresses rows, columns;
    for (unsigned lane = 0; lane < LANES; lane++) {
        rows.of[lane] = 16 * (lane / 16 * 2 + lane % 2);
        columns.of[lane] = 16 * (lane / 2 % 8);
    }
    cr_assert_eq(wavefronts(spread(0, 1, 16), ALL, 16), 4);
    cr_assert_eq(wavefronts(spread(0, 1, 0), ALL, 16), 2, "quarters merge only within a half");
    cr_assert_eq(wavefronts(spread(0, 1, 32), ALL, 16), 8);
    cr_assert_eq(conflicts(spread(0, 1, 32), ALL, 16), 4);
    cr_assert_eq(wavefronts(columns, ALL, 16), 2, "lanes 1 apart share a column");
    cr_assert_eq(wavefronts(rows, ALL, 16), 2, "lanes 2 apart share a row");
    cr_assert_eq(wavefronts(spread(0, 1, 16), 0x000000ff, 16), 1);
    cr_assert_eq(wavefronts(spread(0, 2, 16), 0x55555555, 16), 2, "no lane has a neighbour");
}

/* ---- Kernels ---- */

static double counter(const char *name)
{
    const struct lab_sim_counter *list;
    const int count = sim_count_counters(&list);
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    cr_assert_fail("no counter %s", name);
    return -1;
}

static void run(const char *module, const char *declarations, const char *body, unsigned grid,
                unsigned block)
{
    static struct fixture_result result;
    sim_count_set(true);
    sim_fixture_run(&(struct fixture){.module = module,
                                      .declarations = declarations,
                                      .body = body,
                                      .grid = grid,
                                      .block = block},
                    &result);
    cr_assert_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
    sim_count_set(false);
}

#define SHARED    ".shared .align 16 .b8 s[4096];\n"
#define SHARED_LD "smsp__inst_executed_op_shared_ld.sum"
#define SHARED_ST "smsp__inst_executed_op_shared_st.sum"
#define WAVES_LD  "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
#define WAVES_ST  "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
#define BASE      "mov.u32 %r10, s; shl.b32 %r11, %r1, 4; add.s32 %r12, %r10, %r11;\n"
#define FILL      BASE "mov.f32 %f9, 0f3f800000; st.shared.v4.f32 [%r12], {%f9, %f9, %f9, %f9};\n"

Test(kernels, totals_of_every_warp)
{
    run(NULL, NULL,
        "ld.global.f32 %f1, [%rd3]; fma.rn.f32 %f2, %f1, %f1, %f1;\n"
        "st.global.f32 [%rd3], %f2; st.global.f32 [%rd1], %f2;\n",
        3, 64);
    cr_assert_eq(counter("smsp__inst_executed_op_global_ld.sum"), 6);
    cr_assert_eq(counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 48, "8 bytes apart");
    cr_assert_eq(counter("smsp__inst_executed_op_global_st.sum"), 12);
    cr_assert_eq(counter("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 54);
    cr_assert_eq(counter("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"), 192);
    cr_assert_eq(counter("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"), 50);
}

Test(kernels, guards_and_divergence)
{
    run(NULL, NULL,
        "setp.lt.u32 %p1, %r1, 4; @%p1 ld.global.u64 %rd10, [%rd3];\n"
        "@%p1 bra OUT; red.global.add.u32 [%rd1], 1; OUT:\n",
        1, 64);
    cr_assert_eq(counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 1);
    cr_assert_eq(counter("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"), 2);
    cr_assert_eq(counter("smsp__sass_branch_targets_threads_divergent.sum"), 1);
}

Test(kernels, counting_off_counts_nothing)
{
    static struct fixture_result result;
    sim_count_set(true);
    sim_count_set(false);
    sim_fixture_run(&(struct fixture){.body = "st.global.u32 [%rd3], 1;"}, &result);
    cr_assert_eq(counter("smsp__inst_executed_op_global_st.sum"), 0);
}

Test(kernels, neighbours_are_one_access)
{
    run(NULL, SHARED,
        FILL "ld.shared.f32 %f1, [%r12]; ld.shared.f32 %f2, [%r12+4]; st.global.f32 [%rd3], %f1;\n"
             "ld.shared.f32 %f3, [%r12+8]; ld.shared.f32 %f4, [%r12+12];\n",
        1, 32);
    cr_assert_eq(counter(SHARED_LD), 1);
    cr_assert_eq(counter(WAVES_LD), 4);
    cr_assert_eq(counter(SHARED_ST), 1);
    cr_assert_eq(counter(WAVES_ST), 4);
}

Test(kernels, pairs_and_triples)
{
    run(NULL, SHARED,
        FILL "ld.shared.f32 %f2, [%r12+4]; ld.shared.f32 %f1, [%r12];\n" /* one of 8 bytes */
             "bar.sync 0; ld.shared.f32 %f2, [%r12+4]; ld.shared.f32 %f1, [%r12+8];\n" /* two */
             "bar.sync 0; ld.shared.f32 %f2, [%r12]; ld.shared.f32 %f1, [%r12+8];\n"
             "ld.shared.f32 %f3, [%r12+12];\n", /* one of 16 bytes */
        1, 32);
    cr_assert_eq(counter(SHARED_LD), 4);
    cr_assert_eq(counter(WAVES_LD), 4 + 2 * 4 + 4);
}

Test(kernels, what_keeps_neighbours_apart)
{
    run(NULL, SHARED,
        FILL "ld.shared.f32 %f1, [%r12]; st.shared.f32 [%r10], %f1; ld.shared.f32 %f2, [%r12+4];\n"
             "bar.sync 0; ld.volatile.shared.f32 %f1, [%r12];\n"
             "ld.volatile.shared.f32 %f2, [%r12+4];\n"
             "bar.sync 0; shl.b32 %r13, %r1, 2; add.s32 %r14, %r10, %r13;\n" /* 4 bytes aligned */
             "ld.shared.f32 %f1, [%r14]; ld.shared.f32 %f2, [%r14+4];\n",
        1, 32);
    cr_assert_eq(counter(SHARED_LD), 6);
    cr_assert_eq(counter(SHARED_ST), 2);
}

Test(kernels, short_ifs_do_not_keep_them_apart)
{
    run(NULL, SHARED,
        FILL "setp.lt.u32 %p1, %r1, 4; ld.shared.f32 %f1, [%r12];\n"
             "@%p1 bra SKIP; add.f32 %f3, %f1, %f1; SKIP: ld.shared.f32 %f2, [%r12+4];\n",
        1, 32);
    cr_assert_eq(counter(SHARED_LD), 1);
}

/* ---- Lines ---- */

Test(lines, accesses_belong_to_their_lines)
{
    run(".file 1 \"kernel.cu\"\n", SHARED,
        ".loc 1 10 0\n" FILL ".loc 1 20 0\nld.global.u64 %rd10, [%rd3];\n"
        ".loc 1 30 0\nshl.b32 %r13, %r1, 7; and.b32 %r13, %r13, 4095; add.s32 %r14, %r10, %r13;\n"
        "st.shared.f32 [%r14], %f9;\n",
        1, 32);
    const struct lab_sim_line *list;
    const int count = sim_count_lines(&list);
    const struct lab_sim_line *twenty = NULL, *thirty = NULL;
    for (int i = 0; i < count; i++) {
        cr_assert_str_eq(list[i].file, "kernel.cu");
        twenty = list[i].line == 20 ? &list[i] : twenty;
        thirty = list[i].line == 30 ? &list[i] : thirty;
    }
    cr_assert(twenty && thirty);
    cr_assert_eq(twenty->warp_instructions, 1);
    cr_assert_eq(twenty->global_requests, 1);
    cr_assert_eq(twenty->global_sectors, 8);
    cr_assert_eq(twenty->shared_requests, 0);
    cr_assert_geq(thirty->warp_instructions, 4);
    cr_assert_eq(thirty->shared_requests, 1);
    cr_assert_eq(thirty->shared_wavefronts, 32);
    cr_assert_eq(thirty->shared_conflicts, 31);
}
