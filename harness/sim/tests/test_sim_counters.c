/* Counting rules on cases worked out by hand, and counts of short kernels: what is an access, what
 * ptxas merges, and which line it belongs to. */
#include "sim/counting/count.h"
#include "sim_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
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

static unsigned passes(enum counted_kind kind, struct addresses addresses, uint32_t active,
                       unsigned bytes)
{
    unsigned conflicts;
    return sim_count_wavefronts(kind, addresses.of, active, bytes, &conflicts);
}

static unsigned wavefronts(struct addresses addresses, uint32_t active, unsigned bytes)
{
    return passes(COUNTED_LOAD, addresses, active, bytes);
}

static unsigned conflicts(struct addresses addresses, uint32_t active, unsigned bytes)
{
    unsigned count;
    sim_count_wavefronts(COUNTED_LOAD, addresses.of, active, bytes, &count);
    return count;
}

static unsigned copies(struct addresses from, struct addresses to, unsigned bytes)
{
    unsigned conflicts;
    return sim_count_copy_wavefronts(from.of, to.of, ALL, bytes, &conflicts);
}

static unsigned sectors(struct addresses addresses, uint32_t active, unsigned bytes)
{
    unsigned used;
    return sim_count_sectors(addresses.of, active, bytes, &used);
}

static unsigned used(struct addresses addresses, uint32_t active, unsigned bytes)
{
    unsigned used;
    sim_count_sectors(addresses.of, active, bytes, &used);
    return used;
}

/* The last wavefront that any word is placed in, counted from 1. */
static unsigned last_placed(enum counted_kind kind, struct addresses addresses, uint32_t active,
                            unsigned bytes)
{
    unsigned char pass[LANES][4] = {{0}};
    unsigned last = 0;
    sim_place_in_wavefronts(kind, addresses.of, active, bytes, pass);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned word = 0; active >> lane & 1 && word < (bytes + 3) / 4; word++)
            last = pass[lane][word] + 1u > last ? pass[lane][word] + 1u : last;
    return last;
}

/* ---- Rules ---- */

/* What is shown word by word ends where the count does. */
Test(rules, words_are_placed_in_as_many_wavefronts_as_are_counted)
{
    static const enum counted_kind kinds[] = {COUNTED_LOAD, COUNTED_STORE, COUNTED_ATOMIC};
    uint64_t random = 1;
    for (int i = 0; i < 3000; i++) {
        struct addresses addresses;
        const unsigned bytes = 1u << i % 5;
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint32_t active = i % 3 ? ALL : (uint32_t)(random >> 32) | 1;
        for (unsigned lane = 0; lane < LANES; lane++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            addresses.of[lane] = (i % 7 ? random >> 40 : lane / 2 * 8) % 512 * bytes;
        }
        for (int kind = 0; kind < 3; kind++)
            cr_expect_eq(last_placed(kinds[kind], addresses, active, bytes),
                         passes(kinds[kind], addresses, active, bytes),
                         "%d: kind %d, %u bytes, lanes %x", i, kind, bytes, active);
    }
}

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

/* Of bytes that several lanes want each counts once: an H200 gives 12.5 % for step 01 with
 * scattered loads of A and 4-byte broadcasts of B. */
Test(rules, bytes_of_sectors_are_counted_once)
{
    cr_assert_eq(used(spread(0, 1, 4), ALL, 4), 128);
    cr_assert_eq(used(spread(64, 1, 0), ALL, 4), 4, "a broadcast");
    cr_assert_eq(used(spread(0, 1, 4096), ALL, 4), 128);
    cr_assert_eq(used(spread(4, 1, 4), ALL, 4), 128, "off by one word");
    cr_assert_eq(used(spread(0, 2, 16), ALL, 16), 256, "pairs of lanes");
    cr_assert_eq(used(spread(0, 1, 1), ALL, 1), 32);
    cr_assert_eq(used(spread(0, 1, 4), 0x3, 4), 8, "two active lanes");
    cr_assert_eq(used(spread(30, 1, 0), 1, 4), 4, "across two sectors");
}

/* Pairs with equal addresses save loads the way back to the registers, and stores nothing. */
Test(rules, stores_do_not_merge)
{
    cr_assert_eq(passes(COUNTED_STORE, spread(0, 1, 0), ALL, 4), 1, "one word");
    cr_assert_eq(passes(COUNTED_STORE, spread(0, 1, 0), ALL, 8), 2);
    cr_assert_eq(passes(COUNTED_LOAD, spread(0, 1, 0), ALL, 8), 1);
    cr_assert_eq(passes(COUNTED_STORE, spread(0, 1, 0), ALL, 16), 4);
    cr_assert_eq(passes(COUNTED_STORE, spread(0, 2, 16), ALL, 16), 4);
    cr_assert_eq(passes(COUNTED_STORE, spread(0, 1, 16), ALL, 16), 4);
    cr_assert_eq(passes(COUNTED_STORE, spread(0, 1, 128), ALL, 4), 32);
}

Test(rules, atomics_take_turns)
{
    cr_assert_eq(passes(COUNTED_ATOMIC, spread(0, 1, 4), ALL, 4), 1);
    cr_assert_eq(passes(COUNTED_ATOMIC, spread(0, 1, 0), ALL, 4), 32, "one word");
    cr_assert_eq(passes(COUNTED_REDUCTION, spread(0, 2, 4), ALL, 4), 2, "pairs share a word");
    cr_assert_eq(passes(COUNTED_ATOMIC, spread(0, 1, 8), ALL, 4), 2);
    cr_assert_eq(passes(COUNTED_ATOMIC, spread(0, 1, 8), ALL, 8), 2);
    cr_assert_eq(passes(COUNTED_ATOMIC, spread(0, 1, 0), 0xff, 4), 8);
}

Test(rules, copies_read_and_write_banks)
{
    const struct addresses line = spread(0, 1, 4), wide = spread(0, 1, 16);
    cr_assert_eq(copies(line, line, 4), 1);
    cr_assert_eq(copies(spread(0, 1, 8), line, 4), 2, "banks at the source");
    cr_assert_eq(copies(line, spread(0, 1, 128), 4), 32, "banks at the target");
    cr_assert_eq(copies(spread(0, 1, 0), line, 4), 32, "nothing is broadcast");
    cr_assert_eq(copies(spread(0, 1, 8), spread(0, 1, 8), 8), 2, "halves");
    cr_assert_eq(copies(wide, wide, 16), 4, "quarters");
    cr_assert_eq(copies(wide, spread(0, 1, 32), 16), 8);
    cr_assert_eq(copies(spread(0, 1, 32), wide, 16), 8);
}

/* The conflicts that an H200 counts: passes beyond those of the groups, or of looking up lines. */
Test(rules, conflicts_of_copies)
{
    const struct addresses line = spread(0, 1, 4), wide = spread(0, 1, 16);
    unsigned conflicts;
    sim_count_copy_wavefronts(spread(0, 1, 128).of, line.of, ALL, 4, &conflicts);
    cr_assert_eq(conflicts, 24, "32 lines are 8 look-ups");
    sim_count_copy_wavefronts(line.of, spread(0, 1, 128).of, ALL, 4, &conflicts);
    cr_assert_eq(conflicts, 31);
    sim_count_copy_wavefronts(wide.of, spread(0, 1, 32).of, ALL, 16, &conflicts);
    cr_assert_eq(conflicts, 4);
}

/* Of one copy of a warp, 16 bytes a lane: what Nsight Compute counted on an H200, 2026-12-01, as
 * sectors past L1, sectors of global loads, and wavefronts. */
Test(rules, copies_past_l1)
{
    static const struct {
        const char *what;
        unsigned from, from_step, to, to_step, to_row; /* to_row: of eight lanes; 0: no rows */
        uint32_t lanes;
        unsigned packets, filled, wavefronts;
    } cases[] = {
        {"neighbours", 0, 16, 0, 16, 0, ALL, 16, 16, 4},
        {"one address", 0, 0, 0, 16, 0, ALL, 32, 16, 32},
        {"targets apart", 0, 16, 0, 32, 0, ALL, 32, 32, 32},
        {"sources apart", 0, 32, 0, 16, 0, ALL, 32, 16, 32},
        {"both apart", 0, 32, 0, 32, 0, ALL, 32, 32, 8},
        {"half a sector on", 0, 16, 16, 16, 0, ALL, 32, 20, 12},
        {"a sector on", 0, 16, 32, 16, 0, ALL, 16, 16, 8},
        {"a sector and a half on", 0, 16, 48, 16, 0, ALL, 32, 20, 16},
        {"sources half a sector on", 16, 16, 0, 16, 0, ALL, 32, 20, 12},
        {"rows of 144 bytes", 0, 16, 0, 16, 144, ALL, 24, 18, 10},
        {"48 apart", 0, 16, 0, 48, 0, ALL, 32, 32, 24},
        {"every second lane", 0, 16, 0, 16, 0, 0x55555555, 16, 16, 4},
        {"five lanes", 0, 16, 0, 16, 0, 0x1f, 3, 3, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t from[WARP_LANES], to[WARP_LANES];
        struct bypass_count counts;
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            const unsigned row = cases[i].to_row ? lane / 8 : 0;
            from[lane] = cases[i].from + lane * cases[i].from_step;
            to[lane] = cases[i].to + (lane - 8 * row) * cases[i].to_step + row * cases[i].to_row;
        }
        sim_count_bypass(from, to, cases[i].lanes, &counts);
        cr_expect_eq(counts.packets, cases[i].packets, "%s: %u", cases[i].what, counts.packets);
        cr_expect_eq(counts.filled, cases[i].filled, "%s: %u", cases[i].what, counts.filled);
        cr_expect_eq(counts.wavefronts, cases[i].wavefronts, "%s: %u", cases[i].what,
                     counts.wavefronts);
    }
}

Test(rules, atomics_have_sectors_for_each_turn)
{
    cr_assert_eq(sim_turns_add(NULL, spread(0, 1, 4).of, ALL, false), 4);
    cr_assert_eq(sim_turns_add(NULL, spread(0, 1, 32).of, ALL, false), 32);
    cr_assert_eq(sim_turns_add(NULL, spread(0, 1, 0).of, ALL, false), 32, "one address");
    cr_assert_eq(sim_turns_add(NULL, spread(0, 2, 4).of, ALL, false), 4, "pairs share");
    cr_assert_eq(sim_turns_add(NULL, spread(0, 1, 4).of, 0xff, false), 1);
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

/* One instruction: words 8 bytes apart, then 4, the same 4 bytes on, twice, and as before. */
Test(kernels, sectors_of_an_access_whose_addresses_change)
{
    run(NULL, NULL,
        "mov.u32 %r20, 0;\n"
        "AGAIN: setp.eq.u32 %p1, %r20, 0; selp.u32 %r21, 8, 4, %p1; mul.lo.u32 %r22, %r1, %r21;\n"
        "shr.u32 %r23, %r20, 1; setp.eq.u32 %p2, %r23, 1; selp.u32 %r24, 4, 0, %p2;\n"
        "add.u32 %r22, %r22, %r24; cvt.u64.u32 %rd10, %r22; add.u64 %rd11, %rd1, %rd10;\n"
        "st.global.u32 [%rd11], 1; bar.warp.sync -1; add.u32 %r20, %r20, 1;\n"
        "setp.lt.u32 %p3, %r20, 5; @%p3 bra AGAIN;\n",
        1, 32);
    cr_assert_eq(counter("smsp__inst_executed_op_global_st.sum"), 5);
    cr_assert_eq(counter("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 8 + 4 + 5 + 5 + 4);
}

/* One instruction: 4 bytes apart, 8, 16, ... 128, then 128 again for half of the lanes, 4 bytes on.
 */
Test(kernels, wavefronts_of_an_access_whose_addresses_change)
{
    run(NULL, SHARED,
        "mov.u32 %r10, s; mov.u32 %r20, 0; setp.lt.u32 %p2, %r1, 16;\n"
        "AGAIN: min.u32 %r21, %r20, 5; shl.b32 %r22, %r1, %r21; shl.b32 %r22, %r22, 2;\n"
        "sub.u32 %r23, %r20, %r21; shl.b32 %r23, %r23, 2; add.u32 %r22, %r22, %r23;\n"
        "add.u32 %r24, %r10, %r22; setp.lt.u32 %p1, %r20, 6; or.pred %p3, %p1, %p2;\n"
        "@%p3 st.shared.u32 [%r24], 1; bar.warp.sync -1; add.u32 %r20, %r20, 1;\n"
        "setp.lt.u32 %p4, %r20, 7; @%p4 bra AGAIN;\n",
        1, 32);
    cr_assert_eq(counter(SHARED_ST), 7);
    cr_assert_eq(counter(WAVES_ST), 1 + 2 + 4 + 8 + 16 + 32 + 16);
}

/* Each matrix of 8 rows of 16 bytes takes one wavefront where its rows lie in different banks: rows
 * 128 bytes apart all begin in one bank. A row twice takes two, as on an H200, which counts these
 * apart from ordinary loads. */
Test(kernels, wavefronts_of_ldmatrix)
{
#define LDMATRIX(pitch, count, list)                                                               \
    FILL "bar.warp.sync -1; mad.lo.u32 %r13, %r1, " pitch ", %r10; and.b32 %r13, %r13, 0x1ff;\n"   \
         "add.u32 %r13, %r13, %r10; and.b32 %r13, %r13, 0xfffffff0;\n"                             \
         "ldmatrix.sync.aligned.m8n8." count ".shared.b16 " list ", [%r13];\n"
    static const char waves[] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
    static const char conflicts[] = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
    run(NULL, SHARED, LDMATRIX("16", "x4", "{%r20, %r21, %r22, %r23}"), 1, 32);
    cr_assert_eq(counter(waves), 4);
    cr_assert_eq(counter(WAVES_LD), 0);
    cr_assert_eq(counter("smsp__inst_executed_op_ldsm.sum"), 1);
    cr_assert_eq(counter("smsp__inst_executed_op_shared_ld.sum"), 0);
    run(NULL, SHARED, LDMATRIX("16", "x1", "{%r20}"), 1, 32);
    cr_assert_eq(counter(waves), 1);
    cr_assert_eq(counter(conflicts), 0);
    run(NULL, SHARED, LDMATRIX("128", "x1", "{%r20}"), 1, 32);
    cr_assert_eq(counter(waves), 8, "8 rows in 4 of 512 bytes");
    cr_assert_eq(counter(conflicts), 7);
    run(NULL, SHARED, LDMATRIX("144", "x2", "{%r20, %r21}"), 1, 32);
    cr_assert_eq(counter(waves), 2);
    cr_assert_eq(counter(conflicts), 0);
}

/* By the type of A: a warp's m x n x k products. */
Test(kernels, products_of_tensor_cores)
{
    run(NULL, NULL,
        "mov.b32 %r10, 0; mov.f32 %f1, 0f00000000;\n"
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f2, %f3, %f4, %f5}, "
        "{%r10, %r10, %r10, %r10}, {%r10, %r10}, {%f1, %f1, %f1, %f1};\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f2, %f3, %f4, %f5}, "
        "{%r10, %r10, %r10, %r10}, {%r10, %r10}, {%f1, %f1, %f1, %f1};\n"
        "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%r11, %r12, %r13, %r14}, "
        "{%r10, %r10, %r10, %r10}, {%r10, %r10}, {%r10, %r10, %r10, %r10};\n",
        2, 64);
    cr_assert_eq(counter("lab__ptx_products_op_mma_tf32.sum"), 4 * 16 * 8 * 8);
    cr_assert_eq(counter("lab__ptx_products_op_mma_f16.sum"), 4 * 16 * 8 * 16);
    cr_assert_eq(counter("lab__ptx_products_op_mma_8bit.sum"), 4 * 16 * 8 * 32);
}

/* FADD takes subtractions, too; FFMA, FADD and FMUL are counted by thread. */
Test(kernels, arithmetic_by_kind)
{
    run(NULL, NULL,
        "mov.f32 %f9, 0f3f800000;\n"
        "add.f32 %f1, %f9, %f9; sub.f32 %f2, %f1, %f9; mul.f32 %f3, %f2, %f2;\n"
        "mul.f32 %f3, %f3, %f2; mul.f32 %f3, %f3, %f3; fma.rn.f32 %f4, %f3, %f3, %f3;\n"
        "st.global.f32 [%rd3], %f4;\n",
        1, 64);
    cr_assert_eq(counter("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"), 2 * 64);
    cr_assert_eq(counter("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"), 3 * 64);
    cr_assert_eq(counter("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"), 64);
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

Test(kernels, broadcasts_use_few_bytes_of_a_sector)
{
    run(NULL, NULL, "ld.global.u32 %r10, [%rd1]; bar.warp.sync -1; st.global.u64 [%rd3], 1;\n", 1,
        32);
    cr_assert_eq(counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 1);
    cr_assert_eq(counter("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"), 12.5);
}

#define WIDTH(op, bits) "lab__inst_executed_op_" op "_" bits "bit.sum"
#define EFFICIENCY      "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct"

/* What ptxas merges has the width of the whole; generic accesses count where they went. */
Test(kernels, loads_and_stores_by_space_and_width)
{
    run(NULL, SHARED ".local .align 16 .b8 d[64];\n",
        FILL "ld.shared.f32 %f1, [%r12]; ld.shared.f32 %f2, [%r12+4];\n"
             "ld.shared.u8 %r20, [%r12+8]; st.shared.u16 [%r12], %r20;\n"
             "st.global.u64 [%rd3], 1; ld.global.u32 %r21, [%rd3]; ld.u64 %rd11, [%rd3];\n"
             "st.local.v2.u64 [d], {%rd11, %rd11}; ld.local.u32 %r22, [d];\n",
        1, 64);
    cr_expect_eq(counter(WIDTH("shared_ld", "64")), 2, "of two that are neighbours");
    cr_expect_eq(counter(WIDTH("shared_ld", "32")), 0);
    cr_expect_eq(counter(WIDTH("shared_ld", "8")), 2);
    cr_expect_eq(counter(WIDTH("shared_st", "16")), 2);
    cr_expect_eq(counter(WIDTH("shared_st", "128")), 2);
    cr_expect_eq(counter(WIDTH("global_st", "64")), 2);
    cr_expect_eq(counter(WIDTH("global_ld", "32")), 2);
    cr_expect_eq(counter(WIDTH("global_ld", "64")), 2, "a generic one");
    cr_expect_eq(counter(WIDTH("local_st", "128")), 2);
    cr_expect_eq(counter(WIDTH("local_ld", "32")), 2);
}

/* Of 128 bytes a wavefront: 4 + 4 of 16 bytes a lane are full; a broadcast brings 4 bytes. */
Test(kernels, shared_efficiency_counts_bytes_once)
{
    run(NULL, SHARED, FILL "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r12];\n", 1, 32);
    cr_expect_eq(counter(EFFICIENCY), 100);
    run(NULL, SHARED, FILL "bar.sync 0; ld.shared.f32 %f1, [%r10];\n", 1, 32);
    cr_expect_float_eq(counter(EFFICIENCY), 100.0 * (512 + 4) / (5 * 128), 1e-9);
}

#define COPIED(what, level) "sm__sass_l1tex_t_" what "_pipe_lsu_mem_global_op_ldgsts_" level ".sum"
#define COPY_WAVES          "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"

Test(kernels, copies_have_counters_of_their_own)
{
    run(NULL, SHARED,
        BASE "st.global.u64 [%rd3], 1; bar.warp.sync -1; cvt.u64.u32 %rd10, %r11; add.s64 %rd11, "
             "%rd1, %rd10;\n"
             "cp.async.ca.shared.global [%r12], [%rd3], 8;\n"     /* halves, neighbours */
             "cp.async.ca.shared.global [%r12+512], [%rd3], 4;\n" /* 8 apart, to 16 apart */
             "setp.lt.u32 %p1, %r1, 8; @%p1 cp.async.cg.shared.global [%r12+1024], [%rd1], 16;\n"
             "cp.async.wait_all;\n",
        1, 32);
    cr_assert_eq(counter("smsp__inst_executed_op_ldgsts.sum"), 3);
    cr_assert_eq(counter(COPIED("requests", "cache_access")), 2);
    cr_assert_eq(counter(COPIED("sectors", "cache_access")), 8 + 8);
    cr_assert_eq(counter(COPIED("requests", "cache_bypass")), 1);
    cr_assert_eq(counter(COPIED("sectors", "cache_bypass")), 8, "of one address, each by itself");
    cr_assert_eq(counter(COPY_WAVES), 4 + 4 + 8, "to 16 apart, twice; lane by lane");
    cr_assert_eq(counter("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 3, "L1 takes all");
    cr_assert_eq(counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 8 + 8 + 4);
    cr_assert_eq(counter("smsp__inst_executed_op_global_ld.sum"), 0, "no loads");
    cr_assert_eq(counter("smsp__inst_executed_op_shared_st.sum"), 0, "no stores");
}

Test(kernels, lanes_that_copy_zeros_touch_no_sector)
{
    run(NULL, SHARED,
        BASE "st.global.u64 [%rd3], 1; setp.lt.u32 %p1, %r1, 4; selp.u32 %r20, 4, 0, %p1;\n"
             "cp.async.ca.shared.global [%r12], [%rd3], 4, %r20;\n"
             "cp.async.ca.shared.global [%r12+512], [%rd3], 4, %p1;\n",
        1, 32);
    cr_assert_eq(counter(COPIED("sectors", "cache_access")), 1 + 7);
}

Test(kernels, shared_atomics_have_requests_and_wavefronts)
{
    run(NULL, SHARED,
        FILL "shl.b32 %r13, %r1, 2; add.s32 %r14, %r10, %r13;\n" /* word of the lane */
             "bar.sync 0; red.shared.add.u32 [%r14], 1; atom.shared.add.u32 %r20, [%r12], 1;\n"
             "atom.shared.add.u32 %r20, [%r10], %r1;\n",
        1, 32);
    cr_assert_eq(counter("smsp__inst_executed_op_shared_atom.sum"), 3);
    cr_assert_eq(counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"), 1 + 4 + 32);
    cr_assert_eq(counter("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"), 3 + 31);
    cr_assert_eq(counter(WAVES_ST), 4, "of FILL alone");
}

Test(kernels, generic_accesses_have_names_of_their_own)
{
    run(NULL, SHARED,
        FILL "cvta.to.global.u64 %rd10, %rd3; ld.global.u64 %rd11, [%rd10]; ld.u64 %rd11, [%rd3];\n"
             "st.u64 [%rd3], %rd11; cvt.u64.u32 %rd12, %r12; cvta.shared.u64 %rd13, %rd12;\n"
             "ld.v4.u32 {%r20, %r21, %r22, %r23}, [%rd13];\n",
        1, 32);
    cr_assert_eq(counter("smsp__inst_executed_op_global_ld.sum"), 1);
    cr_assert_eq(counter("smsp__inst_executed_op_generic_ld.sum"), 2);
    cr_assert_eq(counter("smsp__inst_executed_op_generic_st.sum"), 1);
    cr_assert_eq(counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 16, "both of global");
    cr_assert_eq(counter(SHARED_LD), 0);
    cr_assert_eq(counter(WAVES_LD), 4, "where it went");
}

#define ATOMS       "smsp__sass_inst_executed_op_global_atom.sum"
#define REDS        "smsp__inst_executed_op_global_red.sum"
#define RED_SECTORS "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"

Test(kernels, atomics_without_a_use_are_reductions)
{
    run(NULL, NULL,
        "st.global.u64 [%rd3], 0; cvt.u64.u32 %rd20, %r1; shl.b64 %rd21, %rd20, 3;\n"
        "add.s64 %rd22, %rd1, %rd21; atom.global.add.u32 %r20, [%rd22], %r1;\n"
        "atom.global.add.u32 %r21, [%rd22], %r1; add.u32 %r22, %r21, 1;\n"
        "atom.global.cas.b32 %r23, [%rd22], %r1, %r1;\n",
        1, 32);
    cr_assert_eq(counter(REDS), 1);
    cr_assert_eq(counter(ATOMS), 2);
    cr_assert_eq(counter(RED_SECTORS), 8);
}

/* As `atomicAdd(counter, 1)` compiles: an H200 counts one request with one sector. */
Test(kernels, one_lane_adds_for_all)
{
    run(".global .align 4 .u32 g;\n", ".shared .align 4 .u32 c;\n",
        "red.global.add.u32 [g], 1; red.global.add.u32 [g], %r1; st.shared.u32 [c], 0;\n"
        "bar.sync 0; atom.shared.add.u32 %r20, [c], 1;\n",
        1, 32);
    cr_assert_eq(counter(REDS), 2);
    cr_assert_eq(counter(RED_SECTORS), 1 + 32, "of different numbers each lane its own");
    cr_assert_eq(counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"), 1);
}

/* A store to the counter, and the addition itself, read the register with its address. */
Test(kernels, one_lane_adds_for_all_where_a_register_has_the_address)
{
    run(".global .align 4 .u32 g;\n", NULL,
        "mov.u64 %rd20, g; st.global.u32 [%rd20], 0; red.global.add.u32 [%rd20], 1;\n"
        "mov.u64 %rd21, g; mov.u64 %rd21, %rd3; red.global.add.u32 [%rd21], 1;\n",
        1, 32);
    cr_expect_eq(counter(RED_SECTORS), 1 + 8, "an address that is set twice may differ: %g",
                 counter(RED_SECTORS));
}

#define SLICE_TURNS "lab__l2_atomic_turns_of_busiest_slice.sum"
#define FLOAT_TURNS "lab__l2_atomic_turns_of_floats_at_busiest_sector.sum"

/* Two launches' worth of blocks, each a warp: their turns at one word add up, whoever ran them. */
Test(kernels, atomics_queue_at_the_busiest_place_of_l2)
{
    run(".global .align 1024 .b8 g[2048];\n", NULL,
        "mov.u64 %rd20, g; mul.wide.u32 %rd21, %r1, 32; add.s64 %rd22, %rd20, %rd21;\n"
        "red.global.add.u32 [%rd20], %r1;\n" /* 32 turns at the first sector of 1 KB */
        "red.global.add.u32 [%rd22], %r1;\n" /* one at each of its 32, of which 16 are there */
        "red.global.add.f32 [%rd22+1024], 0f3F800000;\n",
        5, 32);
    cr_assert_eq(counter(SLICE_TURNS), 5 * (32 + 16), "%g", counter(SLICE_TURNS));
    cr_assert_eq(counter(FLOAT_TURNS), 5 * 1, "%g", counter(FLOAT_TURNS));
}

Test(kernels, floats_at_one_sector_take_turns)
{
    run(".global .align 1024 .b8 g[1024];\n", NULL,
        "mov.u64 %rd20, g; and.b32 %r20, %r1, 1; mul.wide.u32 %rd21, %r20, 4;\n"
        "add.s64 %rd22, %rd20, %rd21; red.global.add.f32 [%rd22], 0f3F800000;\n",
        3, 32);
    cr_assert_eq(counter(FLOAT_TURNS), 3 * 16, "lanes of both words share them");
    cr_assert_eq(counter(SLICE_TURNS), 3 * 16);
}

#define PASSES "lab__wavefronts_mem_shared_op_atom.sum"
#define LOOPS  "lab__turns_mem_shared_op_atom_in_loop.sum"

/* ATOMS.POPC.INC counts all lanes of a word in a pass, ATOMS.ADD takes a pass for each of them. */
Test(kernels, passes_of_shared_atomics)
{
    run(NULL, SHARED,
        FILL "bar.sync 0; and.b32 %r13, %r1, 1; shl.b32 %r13, %r13, 7; add.s32 %r14, %r10, %r13;\n"
             "red.shared.add.u32 [%r14], 1;\n"
             "red.shared.add.u32 [%r14], 2;\n"
             "atom.shared.add.u32 %r20, [%r14], 1; add.u32 %r21, %r20, 1;\n",
        1, 32);
    cr_assert_eq(counter(PASSES), 2 + 32 + 32, "%g", counter(PASSES));
    cr_assert_eq(counter(LOOPS), 0);
}

Test(kernels, shared_atomics_on_floats_and_long_words_are_loops)
{
    run(NULL, SHARED,
        FILL "bar.sync 0; red.shared.add.f32 [%r10], 0f3F800000;\n"
             "red.shared.add.u64 [%r10], 1; atom.shared.exch.b64 %rd20, [%r10], 1;\n",
        1, 32);
    cr_assert_eq(counter(LOOPS), 32 + 32, "%g", counter(LOOPS));
    cr_assert_eq(counter(PASSES), 32, "of the exchange: %g", counter(PASSES));
}

Test(kernels, compare_and_swap_takes_two_passes)
{
    run(NULL, SHARED,
        FILL "shl.b32 %r13, %r1, 2; add.s32 %r14, %r10, %r13; bar.sync 0;\n"
             "atom.shared.cas.b32 %r20, [%r14], 1, 1; atom.shared.exch.b32 %r21, [%r14], 1;\n",
        1, 32);
    cr_assert_eq(counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"), 2 + 1);
    cr_assert_eq(counter("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"), 0);
}

/* ---- Waits ---- */

#define WAITS_GLOBAL "lab__ptx_waits_global_ld.sum"
#define WAITS_SHARED "lab__ptx_waits_shared_ld.sum"
#define AHEAD_GLOBAL "lab__ptx_inst_executed_ahead_of_wait_global_ld.sum"
#define AHEAD_SHARED "lab__ptx_inst_executed_ahead_of_wait_shared_ld.sum"
#define CHAIN        "lab__ptx_inst_executed_in_longest_chain.sum"

/* ptxas issues both loads before it waits for the first. */
Test(waits, loads_of_one_stretch_are_waited_for_together)
{
    run(NULL, NULL,
        "ld.global.f32 %f1, [%rd3]; add.f32 %f5, %f1, %f1;\n"
        "ld.global.f32 %f2, [%rd3+4]; add.f32 %f6, %f2, %f2;\n",
        1, 64);
    cr_assert_eq(counter(WAITS_GLOBAL), 2, "once for each of two warps");
    cr_assert_eq(counter(AHEAD_GLOBAL), 2, "the load itself");
}

/* 24 loads, each added to a sum: by a thread that has so many registers in machine code. */
static double stops_with(int registers, const char *load, const char *add)
{
    static struct fixture_result result;
    char body[4000] = "mov.f32 %f1, 0f00000000; cvt.f64.f32 %fd1, %f1; mov.b64 %rd9, %rd3;\n";
    for (int i = 0; i < 24; i++)
        snprintf(body + strlen(body), sizeof body - strlen(body),
                 "ld.global.nc%s, [%%rd9+%d]; add%s;\n", load, 8 * i, add);
    strcat(body, "bar.warp.sync -1; cvt.rzi.u64.f32 %rd10, %f1; st.global.u64 [%rd3], %rd10;\n");
    sim_count_set(true);
    sim_fixture_run(&(struct fixture){.body = body, .block = 32, .registers = registers}, &result);
    cr_assert_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
    sim_count_set(false);
    return counter(WAITS_GLOBAL);
}

/* Where a warp stops seven registers of 32 bits are live: two addresses, the sum before and after,
 * and what it waits for. So 18 leave 11 for loads that were issued with that one: 12 + 12. */
Test(waits, loads_on_their_way_need_registers)
{
    const char *const load = ".f32 %f2", *const add = ".f32 %f1, %f1, %f2";
    cr_expect_eq(stops_with(0, load, add), 1, "not known: all are issued together");
    cr_expect_eq(stops_with(18, load, add), 2);
    cr_expect_eq(stops_with(17, load, add), 3);
    cr_expect_eq(stops_with(29, load, add), 2);
    cr_expect_eq(stops_with(30, load, add), 1);
    cr_expect_eq(stops_with(6, load, add), 3, "there is always room for eight");
    cr_expect_eq(stops_with(56, ".f64 %fd2", ".f64 %fd1, %fd1, %fd2"), 2, "two for each");
    cr_expect_eq(stops_with(57, ".f64 %fd2", ".f64 %fd1, %fd1, %fd2"), 1);
}

Test(waits, an_address_that_is_loaded_is_waited_for)
{
    run(NULL, NULL,
        "st.global.u64 [%rd3], %rd3; bar.sync 0; ld.global.u64 %rd10, [%rd3];\n"
        "ld.global.u32 %r10, [%rd10]; add.u32 %r11, %r10, 1;\n",
        1, 32);
    cr_assert_eq(counter(WAITS_GLOBAL), 2);
}

Test(waits, barriers_keep_loads_apart)
{
    run(NULL, NULL,
        "ld.global.f32 %f1, [%rd3]; add.f32 %f5, %f1, %f1; bar.sync 0;\n"
        "ld.global.f32 %f2, [%rd3+4]; add.f32 %f6, %f2, %f2;\n",
        1, 32);
    cr_assert_eq(counter(WAITS_GLOBAL), 2);
}

Test(waits, what_stands_between_load_and_use_is_ahead)
{
    run(NULL, NULL,
        "mov.u32 %r12, 0; ld.global.f32 %f1, [%rd3];\n"
        "LOOP: add.u32 %r12, %r12, 1; setp.lt.u32 %p1, %r12, 10; @%p1 bra LOOP;\n"
        "add.f32 %f5, %f1, %f1;\n",
        1, 32);
    cr_assert_eq(counter(WAITS_GLOBAL), 1);
    cr_assert_eq(counter(AHEAD_GLOBAL), 1 + 3 * 10, "the loop counts as often as it runs");
}

Test(waits, a_loop_waits_each_time)
{
    run(NULL, SHARED,
        FILL "bar.warp.sync -1; mov.u32 %r13, 0;\n"
             "LOOP: ld.shared.f32 %f1, [%r12]; ld.shared.f32 %f2, [%r10]; add.f32 %f5, %f1, %f2;\n"
             "add.u32 %r13, %r13, 1; setp.lt.u32 %p1, %r13, 10; @%p1 bra LOOP;\n",
        1, 32);
    cr_assert_eq(counter(WAITS_SHARED), 10);
    cr_assert_eq(counter(AHEAD_SHARED), 20, "both loads stand before the first use");
    cr_assert_eq(counter(WAITS_GLOBAL), 0);
}

Test(waits, chains_are_as_long_as_they_are_executed)
{
    run(NULL, NULL, "mov.f32 %f1, 0f00000000;\n", 1, 32);
    const double without = counter(CHAIN);
    run(NULL, NULL,
        "mov.f32 %f1, 0f00000000; mov.u32 %r12, 0;\n"
        "LOOP: add.f32 %f1, %f1, %f1; add.f32 %f1, %f1, %f1; add.f32 %f1, %f1, %f1;\n"
        "add.f32 %f2, %f1, %f1; add.f32 %f3, %f1, %f1;\n"
        "add.u32 %r12, %r12, 1; setp.lt.u32 %p1, %r12, 10; @%p1 bra LOOP;\n",
        1, 32);
    cr_assert_eq(counter(CHAIN), without + 10 * 4, "%g, %g", counter(CHAIN), without);
}

/* A chain before a loop, and the loop's, which is shorter and begins anew: each counts once. */
Test(waits, a_chain_ends_where_a_loop_begins)
{
    const char *const loop = "LOOP: add.f32 %f2, %f2, %f2; add.u32 %r12, %r12, 1;\n"
                             "setp.lt.u32 %p1, %r12, 1; @%p1 bra LOOP;\n";
    char body[1000];
    snprintf(body, sizeof body,
             "mov.f32 %%f1, 0f00000000; mov.f32 %%f2, %%f1; mov.u32 %%r12, 0;\n%s", loop);
    run(NULL, NULL, body, 1, 32);
    const double without = counter(CHAIN);
    snprintf(body, sizeof body,
             "mov.f32 %%f1, 0f00000000; mov.f32 %%f2, %%f1; mov.u32 %%r12, 0;\n"
             "add.f32 %%f3, %%f1, %%f1; add.f32 %%f3, %%f3, %%f3; add.f32 %%f3, %%f3, %%f3;\n"
             "add.f32 %%f3, %%f3, %%f3; add.f32 %%f3, %%f3, %%f3; add.f32 %%f3, %%f3, %%f3;\n%s",
             loop);
    run(NULL, NULL, body, 1, 32);
    /* before the loop 7 in place of the 3 that make the thread's address */
    cr_expect_eq(counter(CHAIN), without + 7 - 3, "%g and %g", counter(CHAIN), without);
}

/* What comes of __syncthreads_and() is 1 behind what it is asked. */
Test(waits, a_chain_goes_through_the_vote_of_a_barrier)
{
    const char *const before = "setp.ne.u32 %p1, %r1, 99; selp.u32 %r10, 1, 0, %p1;\n"
                               "add.u32 %r10, %r10, 1; add.u32 %r10, %r10, 1;\n"
                               "setp.ne.u32 %p2, %r10, 0;\n";
    const char *const after = "selp.u32 %r11, 1, 0, %p3; add.u32 %r11, %r11, 1;\n";
    char body[500];
    snprintf(body, sizeof body, "%ssetp.ne.u32 %%p3, %%r10, 0;\n%s", before, after);
    run(NULL, NULL, body, 1, 32);
    const double without = counter(CHAIN);
    snprintf(body, sizeof body, "%sbar.red.and.pred %%p3, 0, %%p2;\n%s", before, after);
    run(NULL, NULL, body, 1, 32);
    cr_expect_eq(counter(CHAIN), without + 1, "%g and %g", counter(CHAIN), without);
}

Test(kernels, uniform_loads_are_loads)
{
    run(NULL, NULL, "ldu.global.u32 %r10, [%rd3];\n", 1, 32);
    cr_expect_eq(counter("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 1);
}

/* 30 of 40 sectors at L1; at L2 45 of 20 + 30 + 10 lookups. */
Test(kernels, hit_rates_of_caches)
{
    const struct cache_counts counts = {.l1_sectors = 40,
                                        .l1_hits = 30,
                                        .l2_reads = 20,
                                        .l2_writes = 30,
                                        .l2_others = 10,
                                        .l2_hits = 45,
                                        .dram_read = 640,
                                        .dram_written = 320};
    sim_count_set(true);
    sim_count_add_caches(&counts);
    cr_expect_eq(counter("l1tex__t_sector_hit_rate.pct"), 75);
    cr_expect_eq(counter("lts__t_sector_hit_rate.pct"), 75);
    cr_expect_eq(counter("lts__t_sectors_op_read.sum"), 20);
    cr_expect_eq(counter("lts__t_sectors_op_write.sum"), 30);
    cr_expect_eq(counter("dram__bytes_read.sum"), 640);
    cr_expect_eq(counter("dram__bytes_write.sum"), 320);
    sim_count_set(false);
}

Test(waits, lines_and_wide_integers)
{
    run(NULL, NULL, "ld.global.f32 %f1, [%rd3]; add.u64 %rd10, %rd3, 8;\n", 1, 32);
    const double wide = counter("lab__ptx_thread_inst_executed_op_integer_64bit.sum");
    cr_assert_eq(counter("lab__l1_lines_mem_global_op_ld.sum"), 2, "8 bytes apart");
    run(NULL, NULL, "ld.global.f32 %f1, [%rd3];\n", 1, 32);
    cr_assert_eq(wide, 32 + counter("lab__ptx_thread_inst_executed_op_integer_64bit.sum"));
}

Test(waits, merged_accesses_are_told)
{
    run(NULL, SHARED, FILL "ld.shared.f32 %f1, [%r12]; ld.shared.f32 %f2, [%r12+4];\n", 1, 32);
    cr_assert_eq(counter("lab__ptx_inst_executed_merged.sum"), 1);
    cr_assert_eq(counter("lab__lane_bytes_mem_shared_op_ld.sum"), 32 * 8);
    cr_assert_eq(counter("lab__lane_bytes_op_shuffle.sum"), 0);
}

Test(waits, bytes_that_lanes_get)
{
    run(NULL, SHARED, FILL "ld.shared.f32 %f1, [%r12];\n", 1, 32);
    cr_assert_eq(counter("lab__lane_bytes_mem_shared_op_ld.sum"), 32 * 4);
    run(NULL, NULL, "shfl.sync.bfly.b32 %r13, %r12, 1, 31, -1;\n", 1, 32);
    cr_assert_eq(counter("lab__lane_bytes_op_shuffle.sum"), 32 * 4);
    cr_assert_eq(counter("lab__lane_bytes_mem_shared_op_ld.sum"), 0);
    run(NULL, NULL, "ld.global.f32 %f1, [%rd3];\n", 1, 32);
    cr_assert_eq(counter("lab__data_bytes_mem_global_op_ld_128bit.pct"), 0);
}

/* ---- Asynchronous copies that run ahead ---- */

#define WAITS_COPY "lab__ptx_waits_ldgsts.sum"
#define AHEAD_COPY "lab__ptx_inst_executed_ahead_of_wait_ldgsts.sum"
#define TURNS      "lab__ptx_turns_ahead_of_wait_ldgsts.ratio"
#define SHARE      "lab__data_bytes_mem_global_op_ldgsts.pct"
#define COPY       "cp.async.ca.shared.global [%r12], [%rd3], 4;\n"
#define OTHER      "cp.async.ca.shared.global [%r12+1024], [%rd3], 8;\n"
#define COMMIT     "cp.async.commit_group;\n"
#define WAIT(n)    "cp.async.wait_group " #n ";\n"
#define THREE      "add.u32 %r20, %r1, 1; add.u32 %r20, %r1, 2; add.u32 %r20, %r1, 3;\n"

/* Each wait completes one group: 7 instructions behind its copy, then 9. */
Test(ahead, a_wait_completes_all_groups_but_the_latest)
{
    run(NULL, SHARED, BASE COPY COMMIT OTHER COMMIT THREE WAIT(1) THREE WAIT(0), 1, 64);
    cr_expect_eq(counter(WAITS_COPY), 2 * 2, "of two warps");
    cr_expect_eq(counter(AHEAD_COPY), 2 * (7 + 9));
    run(NULL, SHARED, BASE COPY COMMIT OTHER COMMIT THREE WAIT(1) THREE "cp.async.wait_all;", 1,
        32);
    cr_expect_eq(counter(AHEAD_COPY), 7 + 9);
}

/* The last of the copies that a wait completes is the one that comes last. */
Test(ahead, copies_that_are_waited_for_together)
{
    run(NULL, SHARED, BASE COPY COMMIT THREE OTHER COMMIT THREE WAIT(0) WAIT(0), 1, 32);
    cr_expect_eq(counter(WAITS_COPY), 1, "what has arrived is not waited for again");
    cr_expect_eq(counter(AHEAD_COPY), 5);
    run(NULL, SHARED, BASE COPY THREE OTHER COMMIT WAIT(0), 1, 32);
    cr_expect_eq(counter(WAITS_COPY), 1);
    cr_expect_eq(counter(AHEAD_COPY), 2, "in one group");
    run(NULL, SHARED, BASE COPY THREE WAIT(0), 1, 32);
    cr_expect_eq(counter(WAITS_COPY), 0, "not committed");
    run(NULL, SHARED, BASE COPY THREE "cp.async.wait_all;", 1, 32);
    cr_expect_eq(counter(AHEAD_COPY), 4, "which is no matter to wait_all");
}

/* They count as groups all the same. */
Test(ahead, nobody_waits_for_what_reads_nothing)
{
    run(NULL, SHARED, BASE COMMIT WAIT(0), 1, 32);
    cr_expect_eq(counter(WAITS_COPY), 0);
    run(NULL, SHARED,
        BASE "mov.u32 %r20, 0; cp.async.ca.shared.global [%r12], [%rd3], 4, %r20;\n" COMMIT WAIT(0),
        1, 32);
    cr_expect_eq(counter(WAITS_COPY), 0);
    run(NULL, SHARED,
        BASE "mov.u32 %r21, 0;\n" COPY THREE "cp.async.ca.shared.global [%r12+512], [%rd3], 4, "
             "%r21;\n" COMMIT WAIT(0),
        1, 32);
    cr_expect_eq(counter(AHEAD_COPY), 6, "the one that reads is waited for");
    run(NULL, SHARED, BASE COPY COMMIT COMMIT COMMIT WAIT(2) THREE WAIT(1), 1, 32);
    cr_expect_eq(counter(WAITS_COPY), 1);
    cr_expect_eq(counter(AHEAD_COPY), 4, "the first of three groups, by the first wait");
}

/* Every second lane has committed once more: those that took the branch wait for their first. */
Test(ahead, groups_are_those_of_lanes)
{
    const char *const body = BASE "and.b32 %r20, %r1, 1; setp.eq.u32 %p1, %r20, 0;\n" COPY COMMIT
                                  "@%p1 bra EVEN;\n" COMMIT "EVEN:\n" WAIT(1);
    run(NULL, SHARED, body, 1, 32);
    cr_expect_eq(counter(WAITS_COPY), 1);
    run(NULL, SHARED,
        BASE "setp.lt.u32 %p1, %r1, 99;\n" COPY COMMIT "@%p1 bra EVEN;\n" COMMIT "EVEN:\n" WAIT(1),
        1, 32);
    cr_expect_eq(counter(WAITS_COPY), 0, "no lane has");
    run(NULL, SHARED,
        BASE "setp.lt.u32 %p1, %r1, 9;\n" COPY COMMIT
             "@%p1 cp.async.wait_all;\n@!%p1 cp.async.wait_all;\n",
        1, 32);
    cr_expect_eq(counter(WAITS_COPY), 1, "once for both halves of the warp");
    cr_expect_eq(counter(AHEAD_COPY), 2);
}

/* Where paths part and meet, what the warp executes for either of them counts. */
Test(ahead, branches_between_copy_and_wait)
{
#define BRANCH(lanes)                                                                              \
    BASE "setp.lt.u32 %p1, %r1, " #lanes ";\n" COPY COMMIT "@%p1 bra REST;\n" THREE                \
         "REST:\n" THREE WAIT(0)
    run(NULL, SHARED, BRANCH(0), 1, 32);
    cr_expect_eq(counter(AHEAD_COPY), 9);
    run(NULL, SHARED, BRANCH(9), 1, 32);
    cr_expect_eq(counter(AHEAD_COPY), 9);
    run(NULL, SHARED, BRANCH(32), 1, 32);
    cr_expect_eq(counter(AHEAD_COPY), 6);
}

/* In a loop what is executed counts, as often as it is. */
Test(ahead, turns_are_from_barrier_to_barrier)
{
#define LOOP(wait)                                                                                 \
    BASE "mov.u32 %r30, 0;\n" COPY COMMIT "LOOP:\nxor.b32 %r12, %r12, 2048;\n" COPY COMMIT wait    \
         "bar.sync 0; add.u32 %r30, %r30, 1; setp.lt.u32 %p1, %r30, 100; @%p1 bra LOOP;\n"
    run(NULL, SHARED, LOOP(WAIT(0)), 1, 32);
    cr_expect_eq(counter(WAITS_COPY), 100);
    cr_expect_eq(counter(AHEAD_COPY), 100 * 2);
    cr_expect_float_eq(counter(TURNS), 2.0 / 8, 0.03, "%g", counter(TURNS));
    run(NULL, SHARED, LOOP(WAIT(1)), 1, 32);
    cr_expect_eq(counter(AHEAD_COPY), 5 + 99 * 10, "an iteration of eight more, but for the first");
    cr_expect_float_eq(counter(TURNS), 10.0 / 8, 0.1, "%g", counter(TURNS));
}

/* What one block leaves on its way, in a group or in none, the next one does not wait for. */
Test(ahead, blocks_begin_anew)
{
    static struct fixture_result result;
    sim_count_set(true);
    sim_fixture_run(&(struct fixture){.declarations = SHARED,
                                      .body =
                                          BASE "mov.u32 %r20, %ctaid.x; setp.eq.u32 %p1, %r20, 0;\n"
                                               "@!%p1 bra LATER;\n" COPY COMMIT OTHER "bra END;\n"
                                               "LATER:\ncp.async.wait_all;\nEND:\n",
                                      .grid = 2,
                                      .block = 32,
                                      .workers = 1},
                    &result);
    sim_count_set(false);
    cr_assert_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
    cr_expect_eq(counter("smsp__inst_executed_op_ldgsts.sum"), 2);
    cr_expect_eq(counter(WAITS_COPY), 0);
}

Test(ahead, bytes_that_copies_bring)
{
    run(NULL, SHARED, BASE "ld.global.f32 %f1, [%rd3];\n" COPY OTHER, 1, 32);
    cr_expect_float_eq(counter(SHARE), 75, 1e-9);
    cr_expect_eq(counter(TURNS), 0, "none is waited for");
    run(NULL, SHARED, "ld.global.f32 %f1, [%rd3];\n", 1, 32);
    cr_expect_eq(counter(SHARE), 0);
    run(NULL, SHARED, FILL, 1, 32);
    cr_expect_eq(counter(SHARE), 0, "nothing is read");
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
    cr_assert_eq(twenty->global_needed, 8);
    cr_assert_eq(twenty->shared_requests, 0);
    cr_assert_geq(thirty->warp_instructions, 4);
    cr_assert_eq(thirty->shared_requests, 1);
    cr_assert_eq(thirty->shared_wavefronts, 32);
    cr_assert_eq(thirty->shared_conflicts, 31);
}

/* Of one line: a load of `in`, side by side, one of `out`, apart, one that goes to both, and one of
 * shared memory. */
Test(lines, operands_are_told_apart)
{
    static const struct {
        const char *name;
        double sectors, wavefronts;
    } expected[] = {{"in", 4, 0}, {"out", 32, 0}, {"s", 0, 4}, {"several arrays", 1, 0}};
    static struct fixture_result result;
    static const uint64_t in[64];
    const struct lab_sim_operand *list;
    sim_count_set(true);
    sim_fixture_run(
        &(struct fixture){
            .module = ".file 1 \"kernel.cu\"\n",
            .declarations = SHARED,
            .body = ".loc 1 10 0\n" FILL "shl.b32 %r13, %r1, 5; cvt.u64.u32 %rd11, %r13;\n"
                    "add.u64 %rd11, %rd1, %rd11; shl.b32 %r13, %r1, 2; cvt.u64.u32 %rd12, %r13;\n"
                    "add.u64 %rd12, %rd2, %rd12; mov.u64 %rd13, %rd2; \n"
                    "mov.u32 %r20, 0;\n"
                    "again:\n"
                    ".loc 1 20 0\nld.global.f32 %f1, [%rd12]; ld.global.f32 %f2, [%rd11];\n"
                    "ld.shared.f32 %f3, [%r12]; ld.global.f32 %f4, [%rd13];\n"
                    ".loc 1 30 0\nmov.u64 %rd13, %rd1; add.u32 %r20, %r20, 1;\n"
                    "setp.lt.u32 %p2, %r20, 2; @%p2 bra again;\n",
            .in = in,
            .in_count = 64},
        &result);
    cr_assert_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
    const int count = sim_count_operands(&list);
    int of_line = 0;
    for (int i = 0; i < count; i++) {
        if (list[i].counts.line != 20)
            continue;
        cr_assert_lt(of_line, 4);
        cr_expect_str_eq(list[i].counts.file, "kernel.cu");
        cr_expect_eq(list[i].counts.warp_instructions, 0);
        cr_expect_str_eq(list[i].name, expected[of_line].name);
        cr_expect_eq(list[i].counts.global_sectors / 2, expected[of_line].sectors);
        cr_expect_eq(list[i].counts.shared_wavefronts / 2, expected[of_line].wavefronts);
        of_line++;
    }
    cr_expect_eq(of_line, 4);
    sim_count_set(false);
    sim_count_set(true);
    cr_expect_eq(sim_count_operands(&list), 0, "counting from zero");
}

/* Of the two lines of a loop that goes round twice: each opcode with all its instructions. */
Test(lines, have_their_opcodes)
{
    static const struct {
        int line;
        const char *opcode;
        double warps;
    } expected[] = {{10, "mov.u32", 1},
                    {20, "ld.global.u32", 4},
                    {20, "add.u32", 2},
                    {20, "setp.lt.u32", 2},
                    {30, "bra", 2}};
    static struct fixture_result result;
    const struct lab_sim_opcode *list;
    sim_count_set(true);
    sim_fixture_run(&(struct fixture){.module = ".file 1 \"kernel.cu\"\n",
                                      .declarations = "",
                                      .body = ".loc 1 10 0\nmov.u32 %r20, 0;\n"
                                              "again:\n"
                                              ".loc 1 20 0\nld.global.u32 %r13, [%rd1];\n"
                                              "ld.global.u32 %r14, [%rd1];\n"
                                              "add.u32 %r20, %r20, 1;\n"
                                              "setp.lt.u32 %p2, %r20, 2;\n"
                                              ".loc 1 30 0\n@%p2 bra again;\n",
                                      .in = (const uint64_t[1]){0},
                                      .in_count = 1},
                    &result);
    cr_assert_eq(result.outcome.status, SIM_OK, "%s", result.outcome.message);
    const int count = sim_count_opcodes(&list);
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        double warps = 0;
        for (int i = 0; i < count; i++)
            if (list[i].line == expected[e].line && strcmp(list[i].opcode, expected[e].opcode) == 0)
                warps += list[i].warp_instructions;
        cr_expect_eq(warps, expected[e].warps, "%s: %g", expected[e].opcode, warps);
    }
    for (int i = 0; i < count - 1 && list[i].line == 20; i++)
        cr_expect_geq(list[i].warp_instructions, list[i + 1].warp_instructions);
    sim_count_set(true);
    cr_expect_eq(sim_count_opcodes(&list), 0, "counting from zero");
}

/* One word for all lanes needs a sector, too. */
Test(lines, sectors_needed_are_whole)
{
    run(".file 1 \"kernel.cu\"\n", SHARED, ".loc 1 20 0\nld.global.u32 %r13, [%rd1];\n", 1, 32);
    const struct lab_sim_line *list;
    const int count = sim_count_lines(&list);
    for (int i = 0; i < count; i++)
        if (list[i].line == 20) {
            cr_assert_eq(list[i].global_sectors, 1);
            cr_assert_eq(list[i].global_needed, 1);
            return;
        }
    cr_assert_fail("no line 20");
}
