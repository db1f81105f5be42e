/* What clock reads make of a kernel file: each wait of the watched block with its line, here with
 * the simulator's clock. Concerns report and run. */
#include "base/status.h"
#include "report/json.h"
#include "run/clock_reads.h"
#include "series/registry.h"
#include "tests/made_kernel.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct made_kernel made;
static struct lab_device device;
static struct lab_result result;

/* The timeline of a block of a stage, or of a kernel file in its place. */
static const struct lab_sim_timeline *read_clocks(const char *number, const char *source,
                                                  unsigned long long block, const char *options)
{
    const struct lab_stage *const stage = lab_registry_stage(number);
    cr_assert(stage, "%s", number);
    cr_assert_eq(lab_device_open(true, &device), LAB_EXIT_OK);
    made_kernel_open(&made, "gemm", "%s", options);
    result = (struct lab_result){
        .target = stage->target, .is_sim = true, .device = &device, .family = made.family};
    lab_problem_facts(made.problem, &result.facts);
    result.row_count = 1;
    result.rows[0] = (struct lab_row){.step = &made.step,
                                      .target = stage->target,
                                      .stage = stage,
                                      .source = source,
                                      .name = "watched",
                                      .check = {.status = LAB_CHECK_OK}};
    lab_clock_reads_take(made.problem, block, &result);
    made_kernel_close(&made);
    return &result.rows[0].lines.timeline;
}

static bool line_has(const struct lab_sim_span *span, const char *text)
{
    char line[512] = "";
    FILE *const file = fopen(span->file, "r");
    cr_assert(file, "%s", span->file);
    for (int i = 0; i < span->line && fgets(line, sizeof line, file); i++)
        ;
    fclose(file);
    return strstr(line, text) != NULL;
}

/* Spans of a warp leave no gap, and each wait is at a line that says so. */
Test(clocks, each_wait_has_its_line)
{
    const struct lab_sim_timeline *const timeline =
        read_clocks("06", "solutions/08_three_buffers/kernel.cu", 1, "-m 256");
    uint64_t sum = 0, ends[32] = {0};
    cr_assert_eq(timeline->warps, 8);
    for (int i = 0; i < timeline->span_count; i++) {
        const struct lab_sim_span *const span = &timeline->spans[i];
        cr_expect_eq(span->begin, ends[span->warp]);
        ends[span->warp] += span->length;
        sum += span->length;
        cr_expect(span->kind == LAB_SIM_ISSUES ||
                      line_has(span, span->kind == LAB_SIM_WAITS_FOR_COPY ? "__pipeline_wait_prior"
                                                                          : "__syncthreads()"),
                  "kind %d at line %d", span->kind, span->line);
    }
    uint64_t most = 0;
    for (int w = 0; w < 8; w++)
        most = ends[w] > most ? ends[w] : most;
    cr_expect_eq(most, timeline->cycles);
    cr_expect_gt(timeline->sums[LAB_SIM_WAITS_FOR_COPY], 0);
    cr_expect_gt(timeline->sums[LAB_SIM_WAITS_AT_BARRIER], 0);
    cr_expect_eq(sum, timeline->sums[LAB_SIM_ISSUES] + timeline->sums[LAB_SIM_WAITS_FOR_COPY] +
                          timeline->sums[LAB_SIM_WAITS_AT_BARRIER]);
    cr_expect_not(timeline->is_cut);
    char *json = NULL;
    size_t size;
    FILE *const memory = open_memstream(&json, &size);
    lab_json_put(&result, memory);
    fclose(memory);
    cr_expect(strstr(json, "\"from\": \"clocks\"") && strstr(json, "\"block\": 1,") &&
                  strstr(json, "\"runs\": ") && !strstr(json, "\"issues\"") &&
                  strstr(json, "__pipeline_wait_prior(") /* in `sources` */,
              "%s", json);
    free(json);
}

/* A loop has more waits than are kept; a kernel file in a stage's place is read in it. */
Test(clocks, of_a_long_loop_the_beginning)
{
    const struct lab_sim_timeline *timeline =
        read_clocks("06", "steps/03_blocks_2d/kernel.cu", 0, "-m 32 -n 32 -k 2048");
    cr_expect(timeline->is_cut && timeline->warps == 8 && timeline->spans);
    cr_expect(line_has(&timeline->spans[0], "__syncthreads"));
}

Test(clocks, no_such_block)
{
    cr_expect_eq(read_clocks("01", NULL, 1000000, "-m 64")->span_count, 0);
}

Test(clocks, refusals)
{
    run_lab_expect_error(2, "--clocks is for --html and --json", "step06 --clocks");
    run_lab_expect_error(2, "--clocks is for --html and --json",
                         "step06 --clocks --thorough --json -");
    run_lab_expect_error(2, "--sanitize goes without", "step06 --clocks --sanitize");
    run_lab_expect_error(2, "--clocks needs a GPU", "step06 --clocks --json - --runtime sim");
}
