/* The cache model on cases worked by hand: one cache, L2 with its partitions, recording, replay. */
#include "sim/cache/cache.h"

#include <criterion/criterion.h>

#include <stdlib.h>

enum { ALL = 0xf };

/* ---- One cache ---- */

Test(caches, a_line_may_lack_sectors)
{
    struct cache cache;
    unsigned evicted;
    cr_assert(sim_cache_create(&cache, 4096, 4));
    sim_cache_place(&cache, 7, &evicted)->valid = 1;
    cr_assert(sim_cache_find(&cache, 7));
    cr_expect_eq(sim_cache_find(&cache, 7)->valid, 1, "the line is there with one of its sectors");
    cr_expect_null(sim_cache_find(&cache, 8));
    cr_expect_eq(sim_cache_place(&cache, 7, &evicted)->valid, 1, "placing again keeps what it has");
    sim_cache_free(&cache);
}

Test(caches, the_least_recently_used_line_goes)
{
    struct cache cache;
    unsigned evicted;
    cr_assert(sim_cache_create(&cache, 256, 2)); /* one set of two lines */
    sim_cache_place(&cache, 1, &evicted);
    sim_cache_place(&cache, 2, &evicted)->dirty = 5;
    sim_cache_find(&cache, 1);
    sim_cache_place(&cache, 3, &evicted);
    cr_expect_eq(evicted, 2, "line 2 had two dirty sectors");
    cr_expect_null(sim_cache_find(&cache, 2));
    cr_expect(sim_cache_find(&cache, 1) && sim_cache_find(&cache, 3));
    sim_cache_free(&cache);
}

Test(caches, a_cache_smaller_than_a_set_has_one_set)
{
    struct cache cache;
    unsigned evicted;
    cr_assert(sim_cache_create(&cache, 0, 4));
    sim_cache_place(&cache, 1, &evicted);
    cr_expect(sim_cache_find(&cache, 1));
    sim_cache_free(&cache);
}

/* ---- L2 ---- */

/* Two SMs, a line of L1 each cycle, nothing that takes time but the latencies. */
static struct cache_machine machine(int partitions, int coalescing)
{
    return (struct cache_machine){.sm_count = 4,
                                  .blocks_per_sm = 1,
                                  .l1_bytes = 1 << 14,
                                  .l2_bytes = 1 << 20,
                                  .partitions = partitions,
                                  .coalescing = coalescing,
                                  .issue_rate = 4,
                                  .l1_latency = 10,
                                  .l2_latency = 100,
                                  .dram_latency = 500,
                                  .l2_rate = 1e9,
                                  .dram_rate = 1e9};
}

Test(caches, l2_is_shared_by_all_sms)
{
    const struct cache_machine one = machine(1, 0);
    struct cache_counts counts = {0};
    struct l2 *const l2 = sim_l2_create(&one, &counts);
    cr_assert(l2);
    const double first = sim_l2_read(l2, 0, 40, 3, 0.0);
    const double second = sim_l2_read(l2, 3, 40, 3, 1e4) - 1e4;
    const double third = sim_l2_read(l2, 3, 40, ALL, 2e4) - 2e4;
    cr_expect_float_eq(first, 500, 1e-3, "from DRAM");
    cr_expect_float_eq(second, 100, 1e-3, "from L2");
    cr_expect_float_eq(third, 500, 1e-3, "two sectors are new");
    cr_expect_eq(counts.l2_reads, 8);
    cr_expect_eq(counts.l2_hits, 4);
    cr_expect_eq(counts.dram_read, 4 * 32);
    sim_l2_free(l2);
}

Test(caches, what_is_on_its_way_is_not_asked_for_again)
{
    const struct cache_machine one = machine(1, 1);
    struct cache_counts counts = {0};
    struct l2 *const l2 = sim_l2_create(&one, &counts);
    cr_assert(l2);
    sim_l2_read(l2, 0, 40, 1, 0.0);
    const double second = sim_l2_read(l2, 1, 40, 1, 50.0);
    cr_expect_float_eq(second, 500, 1e-3, "comes with the first");
    cr_expect_eq(counts.l2_reads, 1);
    sim_l2_read(l2, 1, 40, 3, 60.0);
    cr_expect_eq(counts.l2_reads, 2, "the second sector alone");
    sim_l2_read(l2, 1, 40, 1, 1e4);
    cr_expect_eq(counts.l2_reads, 3, "it has long arrived");
    sim_l2_free(l2);
}

Test(caches, three_requests_at_most_share_a_read)
{
    const struct cache_machine one = machine(1, 1);
    struct cache_counts counts = {0};
    struct l2 *const l2 = sim_l2_create(&one, &counts);
    cr_assert(l2);
    for (int i = 0; i < 7; i++)
        sim_l2_read(l2, i % 4, 40, 1, i);
    cr_expect_eq(counts.l2_reads, 3, "three, three, and the last");
    sim_l2_free(l2);
}

Test(caches, the_far_partition_is_asked_once)
{
    const struct cache_machine two = machine(2, 0);
    struct cache_counts counts = {0};
    struct l2 *const l2 = sim_l2_create(&two, &counts);
    cr_assert(l2);
    for (int sm = 0; sm < 4; sm++) /* even ones on one side, odd ones on the other */
        sim_l2_read(l2, sm, 40, 1, 1e4 * sm);
    cr_expect_eq(counts.l2_reads, 5, "one of the sides asks the other");
    cr_expect_eq(counts.l2_hits, 3);
    cr_expect_eq(counts.dram_read, 32);
    sim_l2_free(l2);
}

Test(caches, writes_are_counted_at_both_partitions_and_written_back_when_evicted)
{
    const struct cache_machine two = machine(2, 0);
    struct cache_counts counts = {0};
    struct l2 *const l2 = sim_l2_create(&two, &counts);
    cr_assert(l2);
    sim_l2_write(l2, 0, 40, 3, 0.0);
    sim_l2_write(l2, 1, 40, 3, 0.0);
    cr_expect_eq(counts.l2_writes, 6, "one of the two SMs is on the far side");
    sim_l2_read(l2, 0, 40, 3, 1e4);
    sim_l2_read(l2, 1, 40, 3, 2e4);
    cr_expect_eq(counts.dram_read, 0, "what was written is there");
    cr_expect_eq(counts.dram_written, 0);
    for (uint64_t line = 1000; line < 60000; line++)
        sim_l2_read(l2, 0, line, 1, 3e4);
    cr_expect_eq(counts.dram_written, 2 * 32);
    sim_l2_free(l2);
}

Test(caches, atomics_happen_in_l2)
{
    const struct cache_machine one = machine(1, 0);
    struct cache_counts counts = {0};
    struct l2 *const l2 = sim_l2_create(&one, &counts);
    cr_assert(l2);
    sim_l2_atomic(l2, 0, 40, 1, 0.0);
    sim_l2_atomic(l2, 1, 40, 1, 1e4);
    cr_expect_eq(counts.l2_others, 2);
    cr_expect_eq(counts.l2_hits, 1);
    cr_expect_eq(counts.dram_read, 32);
    sim_l2_free(l2);
}

/* ---- Recording and replay ---- */

struct scene {
    struct trace_patterns *patterns;
    struct trace_recorder *recorder;
    struct replay *replay;
    struct cache_counts counts;
};

static void open_scene(struct scene *scene, const struct cache_machine *with, uint64_t blocks)
{
    scene->patterns = sim_trace_patterns_create();
    scene->recorder = sim_trace_recorder_create(scene->patterns, 0);
    scene->replay = sim_replay_create(with, blocks, 1, scene->patterns);
    cr_assert(scene->patterns && scene->recorder && scene->replay);
}

/* A warp whose lanes touch neighbouring words from a line on. @return sectors */
static unsigned touch(struct scene *scene, enum trace_kind kind, uint64_t line)
{
    uint64_t address[TRACE_LANES];
    uint32_t pattern;
    for (unsigned lane = 0; lane < TRACE_LANES; lane++)
        address[lane] = (line << CACHE_LINE_SHIFT) + 4 * lane;
    return sim_trace_request(scene->recorder, 0, kind, address, UINT32_MAX, 4, &pattern);
}

static void end_block(struct scene *scene, uint64_t number)
{
    sim_replay_add(scene->replay, number, sim_trace_take(scene->recorder, 1, 0));
}

static bool close_scene(struct scene *scene)
{
    const bool good = sim_replay_finish(scene->replay, &scene->counts);
    sim_trace_recorder_free(scene->recorder);
    sim_trace_patterns_free(scene->patterns);
    return good;
}

Test(caches, a_request_keeps_its_lines_and_sectors)
{
    struct scene scene = {.patterns = sim_trace_patterns_create()};
    uint64_t address[TRACE_LANES];
    uint32_t number, other;
    scene.recorder = sim_trace_recorder_create(scene.patterns, 128);
    for (unsigned lane = 0; lane < TRACE_LANES; lane++)
        address[lane] = 5 * 128 + 96 + 8 * lane; /* a quarter of line 5, then two lines */
    const unsigned wide =
        sim_trace_request(scene.recorder, 0, TRACE_LOAD, address, UINT32_MAX, 4, &number);
    const unsigned narrow =
        sim_trace_request(scene.recorder, 0, TRACE_STORE, address, 1, 4, &other);
    sim_trace_again(scene.recorder, 0, TRACE_LOAD, 9 * 128 + 96, number);
    cr_expect_eq(wide, 8);
    cr_expect_eq(narrow, 1);
    struct trace_block *const block = sim_trace_take(scene.recorder, 1, 6);
    cr_assert(block);
    cr_expect_eq(block->first[1], 3);
    cr_expect_float_eq(block->gap, 2.0, 1e-9);
    const struct trace_pattern *const pattern = sim_trace_pattern(scene.patterns, block->words[0]);
    cr_expect_eq(sim_trace_first_line(block->words[0]), 4, "from the base");
    cr_assert_eq(pattern->count, 3);
    cr_expect(pattern->lines[0].sectors == 8 && pattern->lines[1].sectors == ALL &&
              pattern->lines[2].sectors == 7);
    cr_expect_eq(pattern->lines[2].distance, 2);
    cr_expect_eq(sim_trace_kind(block->words[1]), TRACE_STORE);
    cr_expect_eq(sim_trace_first_line(block->words[2]), 8, "the same again, four lines on");
    cr_expect_eq(sim_trace_pattern(scene.patterns, block->words[2]), pattern);
    free(block);
    sim_trace_recorder_free(scene.recorder);
    sim_trace_patterns_free(scene.patterns);
}

/* Blocks 0 and 4 of four SMs are both on SM 0: resident together they share its L1. */
Test(caches, resident_blocks_share_l1)
{
    struct cache_machine with = machine(1, 0);
    struct scene scene = {0};
    with.blocks_per_sm = 2;
    open_scene(&scene, &with, 5);
    for (uint64_t block = 0; block < 5; block++) {
        const unsigned sectors = touch(&scene, TRACE_LOAD, block < 4 ? 100 + block : 100);
        cr_expect_eq(sectors, 4);
        end_block(&scene, block);
    }
    cr_assert(close_scene(&scene));
    cr_expect_eq(scene.counts.l1_sectors, 20);
    cr_expect_eq(scene.counts.l1_hits, 4);
    cr_expect_eq(scene.counts.l2_reads, 16);
    cr_expect_eq(scene.counts.dram_read, 16 * 32);
}

Test(caches, sms_do_not_share_l1)
{
    const struct cache_machine with = machine(1, 0);
    struct scene scene = {0};
    open_scene(&scene, &with, 2);
    for (uint64_t block = 0; block < 2; block++) {
        touch(&scene, TRACE_LOAD, 100);
        touch(&scene, TRACE_LOAD, 100);
        end_block(&scene, block);
    }
    cr_assert(close_scene(&scene));
    cr_expect_eq(scene.counts.l1_hits, 8, "the second load of each");
    cr_expect_eq(scene.counts.l2_reads, 8);
    cr_expect_eq(scene.counts.dram_read, 4 * 32);
}

/* The second load comes a cycle later, the third one when all has arrived. */
Test(caches, hits_on_what_is_on_its_way_are_told)
{
    struct cache_machine with = machine(1, 0);
    struct scene scene = {0};
    with.l1_bytes = 1 << 16;
    open_scene(&scene, &with, 1);
    touch(&scene, TRACE_LOAD, 100);
    touch(&scene, TRACE_LOAD, 100);
    touch(&scene, TRACE_BARRIER, 0);
    for (int i = 0; i < 4; i++) /* a warp waits for its loads after four */
        touch(&scene, TRACE_LOAD, 101 + i);
    touch(&scene, TRACE_LOAD, 100);
    end_block(&scene, 0);
    cr_assert(close_scene(&scene));
    cr_expect_eq(scene.counts.l1_hits, 8);
    cr_expect_eq(scene.counts.l1_under_way, 4, "%lu", (unsigned long)scene.counts.l1_under_way);
}

Test(caches, loads_past_l1_and_stores_go_to_l2)
{
    const struct cache_machine with = machine(1, 0);
    struct scene scene = {0};
    open_scene(&scene, &with, 1);
    touch(&scene, TRACE_LOAD, 100);
    touch(&scene, TRACE_LOAD_PAST_L1, 100);
    touch(&scene, TRACE_STORE, 200);
    touch(&scene, TRACE_STORE, 200);
    touch(&scene, TRACE_LOAD, 200);
    end_block(&scene, 0);
    cr_assert(close_scene(&scene));
    cr_expect_eq(scene.counts.l2_reads, 12, "stores bring nothing into L1");
    cr_expect_eq(scene.counts.l2_writes, 8);
    cr_expect_eq(scene.counts.l1_hits, 4, "the second store finds its line");
}

/* Two blocks of one SM are ready at the same time. L1 holds 16 lines: block 0 comes back to its
 * first line after 15 others, which is a hit only if no load of block 1 came in between. Block 1
 * then stores to a line that L1 knows only if block 0 was there before. */
Test(caches, the_oldest_block_goes_first)
{
    struct cache_machine with = machine(1, 0);
    struct scene scene = {0};
    with.sm_count = 1;
    with.blocks_per_sm = 2;
    with.l1_bytes = 16 * 128;
    with.l1_latency = with.l2_latency = with.dram_latency = 0; /* never waits for data */
    open_scene(&scene, &with, 2);
    for (uint64_t line = 0; line < 17; line++)
        touch(&scene, TRACE_LOAD, line % 16);
    end_block(&scene, 0);
    touch(&scene, TRACE_STORE, 5);
    for (uint64_t line = 0; line < 17; line++)
        touch(&scene, TRACE_LOAD, 100 + line);
    end_block(&scene, 1);
    cr_assert(close_scene(&scene));
    cr_expect_eq(scene.counts.l1_hits, 8);
}

/* Sectors that L2 reads for two SMs: SM 0 asks for a line, and SM 1 does after 20 stores to one. */
static uint64_t reads_after_stores(double latency)
{
    struct cache_machine with = machine(1, 1);
    struct scene scene = {0};
    with.l2_latency = with.dram_latency = latency;
    open_scene(&scene, &with, 2);
    touch(&scene, TRACE_LOAD, 100);
    end_block(&scene, 0);
    for (int i = 0; i < 20; i++)
        touch(&scene, TRACE_STORE, 200);
    touch(&scene, TRACE_LOAD, 100);
    end_block(&scene, 1);
    cr_assert(close_scene(&scene));
    return scene.counts.l2_reads;
}

/* Whether the line is still on its way then says how long the stores took: a cycle for each
 * request and one for its line, 40 in all. */
Test(caches, l1_takes_a_cycle_for_a_request_and_one_for_each_line)
{
    cr_expect_eq(reads_after_stores(35), 8, "it has arrived");
    cr_expect_eq(reads_after_stores(45), 4, "it is on its way");
}

/* Without memory for one block there is no sum at all. */
Test(caches, a_block_that_is_missing_fails_the_replay)
{
    const struct cache_machine with = machine(1, 0);
    struct scene scene = {0};
    open_scene(&scene, &with, 2);
    touch(&scene, TRACE_LOAD, 100);
    end_block(&scene, 1);
    cr_expect_not(close_scene(&scene));
}

/* The order in which threads hand blocks over is not the order of the replay. */
Test(caches, the_order_of_recording_does_not_matter)
{
    struct cache_counts counts[2];
    for (int reverse = 0; reverse < 2; reverse++) {
        struct cache_machine with = machine(2, 2);
        struct scene scene = {0};
        with.l1_bytes = 1024;
        open_scene(&scene, &with, 64);
        for (uint64_t i = 0; i < 64; i++) {
            const uint64_t block = reverse ? 63 - i : i;
            for (uint64_t k = 0; k < 32; k++)
                touch(&scene, TRACE_LOAD, 100 + (block * k) % 37);
            sim_trace_barrier(scene.recorder, 0);
            touch(&scene, TRACE_STORE, 1000 + block);
            end_block(&scene, block);
        }
        cr_assert(close_scene(&scene));
        counts[reverse] = scene.counts;
    }
    cr_expect_arr_eq(&counts[0], &counts[1], sizeof counts[0]);
    cr_expect_gt(counts[0].l1_hits, 0);
}
