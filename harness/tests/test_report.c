/* The studies of steps 09 and 10: every version of a course report's kernels. Whether they are
 * right, whether they differ in what they are said to differ in, and what the tables say of them.
 */
#include "families/family.h"
#include "run/study.h"
#include "series/registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

/* --- the kernels -------------------------------------------------------------------------------*/

static int lines_with(const char *text, const char *end)
{
    int count = 0;
    for (const char *at = strstr(text, end); at; at = strstr(at + 1, end))
        count++;
    return count;
}

/* Whether a line of the text begins with this word. */
static bool has_line(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if (at > text && at[-1] == '\n' && at[length] == ' ')
            return true;
    return false;
}

/* What the tables name is a row, and every row is named, of both types. */
static void expect_rows(const char *target, const char *family)
{
    char rows[16384] = "", path[4096], line[512], of[16], row[64], over[64];
    const char *const root = getenv("LAB_TEST_ROOT");
    int count = 0;
    for (int i = 0; i < 2; i++) {
        run_lab(&result, "%s --study --check-only -n 5 --type %s", target, i ? "f32" : "f64");
        cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
        strncat(rows, result.out, sizeof rows - 1 - strlen(rows));
    }
    snprintf(path, sizeof path, "%s/harness/studies/report.tsv", root ? root : ".");
    FILE *const table = fopen(path, "r");
    cr_assert(table, "%s", path);
    while (fgets(line, sizeof line, table)) {
        *over = '\0';
        if (sscanf(line, "paper\t%15[a-z0-9]\t%63[a-z_0-9]\t%63[a-z_0-9]", of, row, over) < 2 ||
            strcmp(of, family) != 0)
            continue;
        cr_expect(has_line(rows, row), "%s has no row %s", target, row);
        cr_expect(!isalpha((unsigned char)*over) || has_line(rows, over), "%s: %s", target,
                  over); /* else it is the next column's figure */
        count++;
    }
    fclose(table);
    cr_expect_eq(lines_with(rows, "  ok\n"), count, "%s", rows);
}

Test(report, has_a_row_for_each_version)
{
    expect_rows("step09", "trmm");
    expect_rows("step10", "syr2k");
}

/* At one awkward size, or at all. */
static void expect_right(const char *target, const char *size)
{
    run_lab(&result, "%s --study --check-only %s", target, size);
    cr_expect_eq(result.status, 0, "%s: %s%s", target, result.out, result.err);
    if (!run_lab_tries_all())
        return;
    run_lab(&result, "%s --study --thorough=all", target);
    cr_expect_eq(result.status, 0, "%s: %s%s", target, result.out, result.err);
}

Test(report, is_right_in_step_09)
{
    expect_right("step09", "-n 131 -m 67");
    if (!run_lab_tries_all())
        return;
    /* a row of A that is longer than its piece in shared memory */
    run_lab(&result,
            "step09 --study --check-only -n 2100 -m 3 --variant shared_a,shared_a_one_barrier");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
}

Test(report, is_right_in_step_10)
{
    expect_right("step10", "-n 37 -p 11 -q 6");
}

/* Sums longer than a short counts take the same kernel with ints. */
Test(report, counts_further_than_shorts)
{
    run_lab_leave_to_test_all();
    run_lab(&result, "step10 --study --check-only -n 1 -p 32800 -q 1 --variant listing");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    run_lab(&result, "step10 --study --check-only -n 1 -p 1 -q 32800 --variant listing");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
}

/* --- what versions differ in -------------------------------------------------------------------*/

/* A figure of a row in the JSON of the last run. */
static double figure(const char *row, const char *name)
{
    char start[64];
    snprintf(start, sizeof start, "\"name\": \"%s\",\n", row);
    const char *from = strstr(result.out, start);
    cr_assert(from, "no %s in %.300s", row, result.out);
    return run_lab_figure(from, name);
}

static void sweep(const char *arguments)
{
    run_lab(&result, "sweep %s --runtime sim --json -", arguments);
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
}

#define BARRIERS     "lab__ptx_inst_executed_op_barrier.sum"
#define SECTORS      "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
#define REQUESTS     "smsp__inst_executed_op_global_ld.sum"
#define LINES        "lab__l1_lines_mem_global_op_ld.sum"
#define CONFLICTS    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
#define LANES        "smsp__thread_inst_executed_per_inst_executed.ratio"
#define INSTRUCTIONS "lab__ptx_inst_executed.sum"

Test(report, versions_of_the_first_problem)
{
    sweep("step09 -n 128");
    cr_expect_float_eq(figure("shared_a", BARRIERS), 2.0 * figure("shared_a_one_barrier", BARRIERS),
                       0.5);
    cr_expect_float_eq(figure("shared_a_one_barrier", "shared_bytes"),
                       2.0 * figure("shared_a", "shared_bytes"), 0.5);
    cr_expect_lt(figure("global_short_rolled", "registers"), figure("global_rolled", "registers"));
    cr_expect_lt(figure("blocks_2d_short_rolled", "registers"),
                 figure("blocks_2d_rolled", "registers"));
    cr_expect_lt(2.0 * figure("global", INSTRUCTIONS), figure("global_rolled", INSTRUCTIONS));
    cr_expect_lt(2.0 * figure("blocks_2d", INSTRUCTIONS), figure("blocks_2d_rolled", INSTRUCTIONS));
    /* The same sizes in the kernel for all shapes; deeper panels have fewer barriers, smaller
     * blocks read each operand more often. */
    cr_expect_eq(figure("b32x32_k32", BARRIERS), figure("blocks_2d", BARRIERS));
    cr_expect_lt(figure("b16x16_k32", BARRIERS), figure("b16x16_k16", BARRIERS));
    cr_expect_lt(figure("b32x16_k16", SECTORS), figure("b16x8_k16", SECTORS));
    const char *block = strstr(strstr(result.out, "\"name\": \"global\",\n"), "\"block\": [");
    cr_expect_eq(atoi(block + strcspn(block, "123456789")), 128, "%.60s", block);
}

Test(report, versions_of_the_second_problem)
{
    sweep("step10 -n 64 -p 8 -q 32");
    /* The diagonal cuts a warp in each row, or every warp. */
    cr_expect_lt(1.2 * figure("global_cut_warps", LANES), figure("global", LANES));
    cr_expect_gt(figure("global_cut_warps", INSTRUCTIONS), 1.2 * figure("global", INSTRUCTIONS));
    /* Padding alone takes the conflicts of shared memory, whole lines alone the sectors apart. */
    cr_expect_gt(figure("shared_work", CONFLICTS), 0.0);
    cr_expect_eq(figure("shared_work_padded", CONFLICTS), 0.0);
    cr_expect_gt(figure("shared_work_coalesced", CONFLICTS), 0.0);
    cr_expect_eq(figure("shared_work_padded_coalesced", CONFLICTS), 0.0);
    cr_expect_eq(figure("listing", CONFLICTS), 0.0);
    cr_expect_eq(figure("shared_work", SECTORS), figure("shared_work_padded", SECTORS));
    const double half = figure("shared_work", SECTORS) / figure("shared_work_coalesced", SECTORS);
    cr_expect(half > 1.9 && half <= 2.0, "%g: larger tiles are read half as often", half);
    cr_expect_gt(figure("shared_work", LINES) / figure("shared_work", REQUESTS), 3.5);
    cr_expect_lt(figure("shared_work_coalesced", LINES) / figure("shared_work_coalesced", REQUESTS),
                 2.5);
    cr_expect_eq(figure("listing", SECTORS), figure("shared_work_padded_coalesced", SECTORS));
    cr_expect_eq(figure("listing", "shared_bytes"), 2 * 16 * 33 * 8);
    cr_expect_eq(figure("b16x16_i1_j32", "shared_bytes"), figure("listing", "shared_bytes"));
    cr_expect_lt(figure("b16x16_i1_j32", SECTORS), figure("b8x8_i1_j32", SECTORS));
    /* The bound has no barrier for a reduction. */
    cr_expect_lt(figure("blocks_3d_bound", BARRIERS), figure("blocks_3d_reduction", BARRIERS));
}

/* --- the tables --------------------------------------------------------------------------------*/

/* Gains are over the version that is changed, in the report and here. */
Test(report, tables_have_gains)
{
    run_lab(&result, "sweep step10 --runtime sim -n 32 --variant tile,shared_work,listing");
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    const char *line = strstr(result.out, "\nshared_work ");
    cr_assert(line, "%s", result.out);
    double reported, gain, here, gain_here;
    int registers, bytes;
    cr_assert_eq(sscanf(line, " shared_work %lf %lfx %lf %lfx %d %d", &reported, &gain, &here,
                        &gain_here, &registers, &bytes),
                 6, "%s", line);
    cr_expect_float_eq(reported, 19.9, 1e-9);
    cr_expect_float_eq(gain, 19.9 / 13.7, 0.006);
    cr_expect_eq(bytes, 2 * 8 * 64 * 8);
    double before;
    cr_assert_eq(sscanf(strstr(result.out, "\ntile "), " tile 13.7 1.54x %lf", &before), 1);
    cr_expect_float_eq(gain_here, here / before, 0.02 * gain_here);
    cr_expect(strstr(result.out, " tile\n"), "%s", result.out);
}

/* Kernels of floats come last, and their gains are over those of doubles. */
Test(report, tables_have_floats)
{
    double of_doubles, here, gain;
    run_lab(&result, "sweep step10 --runtime sim -n 16");
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    const char *const floats = strstr(result.out, "\nstep10 in float, GFLOPS");
    cr_assert(floats, "%s", result.out);
    cr_expect_lt(strstr(result.out, "\nlisting "), floats);
    cr_assert_eq(sscanf(strstr(result.out, "\nlisting "), " listing 49.2 2.47x %lf", &of_doubles),
                 1);
    cr_assert_eq(
        sscanf(strstr(floats, "\nlisting_float "), " listing_float %lf %lfx", &here, &gain), 2);
    cr_expect_float_eq(gain, here / of_doubles, 0.02 * gain);
    cr_expect(strstr(floats, "  listing\n"), "%s", floats);
    run_lab(&result, "sweep step10 --runtime sim -n 8 --type f32 --variant listing_float");
    cr_expect_eq(result.status, 0, "%s", result.err);
    run_lab(&result, "sweep step10 --runtime sim -n 8 --type f32 --json -");
    const char *const first = strstr(result.out, "\"type\": \"f32\"");
    cr_assert(first, "%s", result.out);
    cr_expect(!strstr(first + 1, "\"type\": \"f32\"") && !strstr(result.out, "\"f64\""),
              "one run of floats: %s", result.out);
    cr_expect(strstr(result.out, "\"stage\": \"10.float\""), "%s", result.out);
}

/* Where copies were timed, their columns, and gains between figures of one kind. */
Test(report, tables_have_copies)
{
    static struct lab_device device = {.properties = {.name = "Made up"}};
    static struct lab_result run;
    const struct lab_stage *study = lab_registry_study("step09");
    static const char *const names[] = {"shared_a", "shared_a_one_barrier"};
    char *text = NULL;
    size_t length;
    run = (struct lab_result){.target = "step09",
                              .device = &device,
                              .family = lab_family_find("trmm"),
                              .facts = {.flops = 1e9},
                              .row_count = 2};
    for (int i = 0; i < 2; i++) {
        const double ms = i ? 2.0 : 1.0;
        run.rows[i] = (struct lab_row){.target = "step09",
                                       .stage = study,
                                       .time = {.median = ms, .min = ms, .max = ms, .reps = 1},
                                       .with_copies_ms = i ? 5.0 : 4.0};
        snprintf(run.rows[i].name, sizeof run.rows[i].name, "%s", names[i]);
    }
    const struct lab_sweep made = {
        .target = "step09", .device = &device, .runs = {&run}, .count = 1};
    FILE *stream = open_memstream(&text, &length);
    lab_study_print("report", "tables", &(struct lab_options){.with_copies = true}, &made, stream);
    fclose(stream);
    double with_copies, gain_copies, alone, gain_alone;
    cr_assert_eq(sscanf(strstr(text, "shared_a_one_barrier "),
                        "shared_a_one_barrier %lf %lfx %lf %lfx", &with_copies, &gain_copies,
                        &alone, &gain_alone),
                 4, "%s", text);
    cr_expect_float_eq(with_copies, 200.0, 1e-9);
    cr_expect_float_eq(gain_copies, 0.8, 1e-9);
    cr_expect_float_eq(alone, 500.0, 1e-9);
    cr_expect_float_eq(gain_alone, 0.5, 1e-9);
    cr_expect(strstr(text, "with copies  "), "%s", text);
    free(text);
}

/* What the report gives stands in JSON, for the pages. */
Test(report, figures_are_in_json)
{
    sweep("step09 -n 8 --variant global");
    const char *report = strstr(result.out, "\"report\"");
    cr_assert(report, "%s", result.out);
    cr_expect(strstr(result.out, "\"stage\": \"09.report\""));
    const char *best = strstr(report, "\"blocks_2d_short\"");
    cr_assert(best);
    cr_expect_float_eq(run_lab_figure(best, "gflops_with_copies"), 78.6, 1e-9);
    cr_expect_float_eq(run_lab_figure(best, "gflops"), 86.6, 1e-9);
}

/* The report's tables, line by line. */
Test(report, figures_are_the_reports)
{
    static const struct {
        const char *family, *row;
        double gflops;
    } lines[] = {{"trmm", "global", 7.4},
                 {"trmm", "shared_a", 11.3},
                 {"trmm", "shared_ab", 19.2},
                 {"trmm", "shared_ab_split", 25.7},
                 {"trmm", "blocks_2d_short", 78.6},
                 {"syr2k", "global", 8.9},
                 {"syr2k", "tile", 13.7},
                 {"syr2k", "shared_work", 19.9},
                 {"syr2k", "shared_work_padded_coalesced", 49.2},
                 {"syr2k", "blocks_3d_bound", 42.0}};
    const char *family = "";
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char name[64];
        if (strcmp(family, lines[i].family) != 0)
            sweep(*lines[i].family == 't' ? "step09 -n 8 --variant global"
                                          : "step10 -n 8 --variant global");
        family = lines[i].family;
        snprintf(name, sizeof name, "{\"name\": \"%s\"", lines[i].row);
        const char *at = strstr(result.out, name);
        cr_assert(at, "%s", lines[i].row);
        cr_expect_float_eq(run_lab_figure(at, "gflops_with_copies"), lines[i].gflops, 1e-9, "%s",
                           lines[i].row);
    }
}

/* Of a kernel that is none of the report's: the table of any run. */
Test(report, sweeps_of_other_kernels)
{
    run_lab(&result, "sweep step10 --source \"$LAB_TEST_BUILD\"/steps/10.2.so -n 8 --runtime sim");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "syr2k f64") && !strstr(result.out, "the report"), "%s",
              result.out);
    run_lab_expect_error(2, "a study is of a whole step: sweep step09", "sweep step09.2");
}
