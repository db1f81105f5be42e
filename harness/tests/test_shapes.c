/* The study of step 05: blocks of many shapes. Its kernels, what it predicts, its tables.
 * Concerns measure: blocks that a GPU has no room for. */
#include "families/problem.h"
#include "run/study.h"
#include "series/registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

enum { SHAPES = 29, ROWS = 31 };

static int occurrences(const char *text, const char *of)
{
    int count = 0;
    while ((text = strstr(text, of))) {
        text += strlen(of);
        count++;
    }
    return count;
}

/* --- names and predictions ---------------------------------------------------------------------*/

/* A shape: threads of a block, values of each thread (a square with this side), length of a panel.
 */
struct shape {
    int width, height, values, side, inner;
};

static const struct shape blocks[] = {
    {8, 8, 0, 0, 0}, {16, 8, 0, 0, 0}, {16, 16, 0, 0, 0}, {32, 16, 0, 0, 0}, {32, 32, 0, 0, 0}};

static const int sides[] = {1, 2, 4, 6, 8, 10, 12};

enum { BLOCKS = sizeof blocks / sizeof *blocks, SIDES = sizeof sides / sizeof *sides };

static void name_shape(const struct shape *shape, char *name, size_t size)
{
    const int length =
        snprintf(name, size, "b%dx%d_v%d", shape->width, shape->height, shape->values);
    if (shape->inner != 16)
        snprintf(name + length, size - (size_t)length, "_k%d", shape->inner);
}

struct loads {
    double global, shared;
};

static char text[65536];

/* The tables of a run with these sizes and rows, which has no figures. */
static void print_rows(int m, int n, int k, int count, const char (*names)[32])
{
    static struct lab_result run;
    static struct lab_device gpu = {.properties = {.name = "Made up"}, .arch = "sm_90"};
    const struct lab_sweep sweep = {.target = "step05", .device = &gpu, .runs = {&run}, .count = 1};
    run = (struct lab_result){.device = &gpu,
                              .family = lab_family_find("gemm"),
                              .facts = {.sizes = {{"m", m}, {"n", n}, {"k", k}}, .size_count = 3},
                              .row_count = count};
    for (int i = 0; i < count; i++)
        snprintf(run.rows[i].name, sizeof run.rows[i].name, "%s", names[i]);
    FILE *stream = fmemopen(text, sizeof text, "w");
    cr_assert_eq(lab_study_print("shapes", "tables", &(struct lab_options){0}, &sweep, stream), 0);
    fclose(stream);
}

/* Of the line of a shape: what is predicted; false: there is no line. */
static bool read_loads(const char *name, struct loads *loads)
{
    char begin[48];
    const char *at = strstr(text, "\nloads as predicted");
    snprintf(begin, sizeof begin, "\n%s ", name);
    at = at ? strstr(at, begin) : NULL;
    return at && sscanf(at + strlen(begin), "%lf %lf", &loads->global, &loads->shared) == 2;
}

Test(shapes, are_read_from_names)
{
    static const char names[][32] = {"b32x16_v144", "b16x16_v64_k8", "values_8x8", "b8x8_v5",
                                     "b8x8_v4_deterministic"};
    struct loads loads;
    print_rows(192, 384, 16, 5, names);
    cr_assert(read_loads(names[0], &loads), "%s", text);
    cr_expect_eq(loads.global, (192 + 384) * 16 / 32 * 1.0);
    cr_expect_eq(loads.shared, 16 * 16 * 15.0, "16 warps, 12 + 12 / 4 loads for each k");
    cr_expect(read_loads(names[1], &loads) && loads.global == 3 * 2 * 2 * 256 * 8 / 32 * 1.0);
    cr_expect(!read_loads(names[2], &loads));
    cr_expect(!read_loads(names[3], &loads), "no square");
    cr_expect(!read_loads(names[4], &loads));
}

/* The loads of each warp, one by one, as the kernel is written. */
static struct loads count_loads(const struct shape *s, int m, int n, int k)
{
    struct loads loads = {0};
    const int threads = s->width * s->height;
    const int rows = s->height * s->side, columns = s->width * s->side;
    for (int row = 0; row < m; row += rows)
        for (int column = 0; column < n; column += columns)
            for (int first_k = 0; first_k < k; first_k += s->inner)
                for (int warp = 0; warp < threads; warp += 32) {
                    for (int e = warp; e < rows * s->inner; e += threads)
                        loads.global++;
                    for (int e = warp; e < columns * s->inner; e += threads)
                        loads.global++;
                    for (int i = 0; i < s->inner; i++)
                        loads.shared += s->side + (i % 4 == 0 ? s->side : 0);
                }
    return loads;
}

Test(shapes, loads_follow_from_the_shape)
{
    static const int inner[] = {8, 16, 32};
    static struct shape shapes[BLOCKS * SIDES * 3];
    static char names[BLOCKS * SIDES * 3][32];
    int count = 0;
    for (int b = 0; b < BLOCKS; b++)
        for (int s = 0; s < SIDES; s++)
            for (int i = 0; i < 3; i++, count++) {
                shapes[count] = (struct shape){blocks[b].width, blocks[b].height,
                                               sides[s] * sides[s], sides[s], inner[i]};
                name_shape(&shapes[count], names[count], sizeof names[count]);
            }
    print_rows(301, 127, 45, count, (const char(*)[32])names);
    for (int i = 0; i < count; i++) {
        const struct loads counted = count_loads(&shapes[i], 301, 127, 45);
        struct loads said;
        cr_assert(read_loads(names[i], &said), "%s", names[i]);
        cr_expect_eq(said.global, counted.global, "%s: %g, %g", names[i], said.global,
                     counted.global);
        cr_expect_eq(said.shared, counted.shared, "%s: %g, %g", names[i], said.shared,
                     counted.shared);
    }
}

/* The paper's best kernel at its size: ten times its global_load, and its shared_load. */
Test(shapes, of_the_papers_best_kernel)
{
    static const char names[][32] = {"b16x16_v64"};
    struct loads loads;
    print_rows(8192, 8192, 8192, 1, names);
    cr_assert(read_loads(names[0], &loads), "%s", text);
    cr_expect_float_eq(loads.global, 8192.0 * 8192 * 8192 * 2 / 128 / 32, 0.5);
    cr_expect_float_eq(loads.shared, 8192.0 * 8192 * 8192 * 10 / 64 / 32, 0.5);
}

/* --- the kernels -------------------------------------------------------------------------------*/

Test(shapes, are_all_of_the_papers)
{
    static const int values[] = {7, 4, 7, 7, 4};
    int count = 0;
    run_lab(&result, "step05 --study --runtime sim --check-only -n 16");
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    for (int b = 0; b < BLOCKS; b++)
        for (int v = 0; v < SIDES; v++) {
            const struct shape shape = {blocks[b].width, blocks[b].height, sides[v] * sides[v],
                                        sides[v], 16};
            const bool is_power = (sides[v] & (sides[v] - 1)) == 0;
            char name[32], row[34];
            name_shape(&shape, name, sizeof name);
            snprintf(row, sizeof row, "\n%s ", name);
            cr_expect_eq(strstr(result.out, row) != NULL, values[b] == 7 || is_power, "%s", name);
            count += strstr(result.out, row) != NULL;
        }
    cr_expect_eq(count, SHAPES);
    cr_expect(strstr(result.out, "\nb16x16_v64_k8 ") && strstr(result.out, "\nb16x16_v64_k32 "));
}

Test(shapes, are_right_at_awkward_sizes)
{
    run_lab(&result, "step05 --study --check-only -m 385 -n 193 -k 31 --alpha -1.5 --beta 0.75");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    if (!run_lab_tries_all())
        return;
    run_lab(&result, "step05 --study --thorough");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, " problems solved by all variants\n"), "%s", result.out);
}

/* Where tiles fit, where they hang over every edge, and where one is larger than the matrix. */
Test(shapes, are_counted_as_predicted)
{
    static const char *const sizes[] = {"-n 64", "-m 193 -n 70 -k 33", "-m 5 -n 400 -k 16"};
    for (int i = 0; i < 3; i++) {
        run_lab(&result, "sweep step05 --runtime sim %s", sizes[i]);
        cr_assert_eq(result.status, 0, "%s: %s%s", sizes[i], result.out, result.err);
        cr_expect_eq(occurrences(result.out, "  equal\n"), ROWS, "%s: %s", sizes[i], result.out);
        cr_expect(strstr(result.out, "31 of 31 shapes counted as predicted"), "%s", result.out);
    }
}

/* What it says as JSON; a slice unless all SMs are asked for, or another GPU is. */
Test(shapes, as_json)
{
    run_lab(&result, "sweep step05 --runtime sim -n 32 --variant b8x8_v4,b32x32_v64 --json -");
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect_eq(occurrences(result.out, "\"counted_as_predicted\": true"), 2, "%s", result.out);
    cr_expect(strstr(result.out, "\"sm_count\": 3,"), "%s", result.out);
    cr_expect(strstr(result.out, "\"stage\": \"05.shapes\""), "%s", result.out);
    cr_expect_float_eq(run_lab_figure(strstr(result.out, "\"best\""), "time_ms"), 795.0, 1e-9);
    cr_expect_float_eq(run_lab_figure(strstr(result.out, "\"best_by_its_listing\""), "global_load"),
                       268435456.0, 0.5);
    run_lab(&result, "sweep step05 --runtime sim --sms all -n 16 --variant b8x8_v1");
    cr_expect(strstr(result.out, "(sm_90, 132 SMs)"), "%s%s", result.out, result.err);
    run_lab(&result, "sweep step05 --arch t4 -n 16 --variant b8x8_v1");
    cr_expect(strstr(result.out, "(sm_75, 40 SMs)"), "%s%s", result.out, result.err);
}

/* A block with more registers than a multiprocessor: shown with the reason, and nothing failed. */
Test(shapes, that_a_gpu_has_no_room_for)
{
    run_lab(&result, "sweep step05 --arch gtx480 -n 16 --variant b16x16_v4,b32x32_v16");
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    const char *line = strstr(result.out, "\nb32x32_v16 ");
    cr_assert(line, "%s", result.out);
    const char *why = strstr(line, "cannot be launched: 1024 threads of ");
    cr_expect(why && why < strchr(line + 1, '\n') && strstr(why, "; a block here may have 32768\n"),
              "%s", result.out);
    cr_expect(strstr(result.out, "1 of 1 shapes counted as predicted"), "%s", result.out);
}

/* --- the command line --------------------------------------------------------------------------*/

Test(shapes, are_a_study_of_the_whole_step)
{
    run_lab(&result, "sweep step05.1 -n 16 --runtime sim");
    cr_expect(strstr(result.out, "GFLOPS over size"), "%s%s", result.out, result.err);
    run_lab(&result, "sweep step05 --source \"$LAB_TEST_BUILD\"/steps/05.1.so -n 16 "
                     "--runtime sim");
    cr_expect(strstr(result.out, "GFLOPS over size"), "%s%s", result.out, result.err);
    run_lab_expect_error(2,
                         "step07 has no kernels for a study of its own; step05, step08 to "
                         "step10, step12 to step13 have",
                         "step07 --study");
    run_lab_expect_error(2, "--study is for ./run TARGET", "compare step05 step07 --study");
    run_lab_expect_error(2, "no variant 'values_9x9'",
                         "step05 --study --variant values_9x9 --runtime sim");
}

/* The step itself is built without them. */
Test(shapes, are_not_built_with_the_step)
{
    run_lab_shell(&result,
                  "for goal in step05 studies; do echo; echo of $goal; make -n -W "
                  "steps/05_register_blocking/study/shapes.cu BUILD=\"${LAB_TEST_BUILD#$PWD/}\" "
                  "$goal || exit; done");
    cr_assert_eq(result.status, 0, "%s", result.err);
    const char *nvcc = strstr(result.out, "study/shapes.cu");
    const char *studies = strstr(result.out, "\nof studies");
    cr_assert(studies, "%s", result.out);
    cr_expect(nvcc && nvcc > studies, "%s", result.out);
}

/* --- tables ------------------------------------------------------------------------------------*/

static struct lab_device gpu = {.properties = {.name = "Made up", .multiProcessorCount = 10},
                                .arch = "sm_90",
                                .whole_sms = 10,
                                .is_sim = false};

static struct lab_row *add_row(struct lab_result *run, const char *name, double ms)
{
    struct lab_row *row = &run->rows[run->row_count++];
    *row = (struct lab_row){.target = "step05",
                            .check.status = LAB_CHECK_OK,
                            .kernel = {.known = true, .registers = 40, .occupancy = 0.5},
                            .time = {.median = ms, .min = ms, .max = ms, .reps = ms > 0.0}};
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

/* Of 8192: the library, step 01, four shapes; one has no room, one was not counted. */
static struct lab_result *made_run(void)
{
    struct lab_result *run = calloc(1, sizeof *run);
    *run = (struct lab_result){.target = "step05",
                               .device = &gpu,
                               .family = lab_family_find("gemm"),
                               .facts = {.sizes = {{"m", 8192}, {"n", 8192}, {"k", 8192}},
                                         .size_count = 3,
                                         .flops = 2.0 * 8192 * 8192 * 8192}};
    struct lab_row *library = add_row(run, "cublas", 20.0);
    library->is_reference = library->is_baseline = true;
    library->kernel.known = false;
    lab_counters_set(&library->counters, "smsp__inst_executed_op_shared_ld.sum", 1e9);
    struct lab_row *first = add_row(run, "step01.coalesced", 160.0);
    first->is_baseline = true;
    first->stage = lab_registry_first_of("gemm");
    struct lab_row *one = add_row(run, "b16x16_v1", 100.0);
    lab_counters_set(&one->counters, "smsp__inst_executed_op_global_ld.sum", 2147483648.0);
    lab_counters_set(&one->counters, "smsp__inst_executed_op_shared_ld.sum", 21474836480.0);
    lab_counters_set(&one->counters, "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct",
                     30.5);
    lab_counters_set(&one->counters, "sm__warps_active.avg.pct_of_peak_sustained_active", 74.25);
    struct lab_row *best = add_row(run, "b16x16_v64", 25.0);
    best->kernel.local_bytes = 8;
    lab_counters_set(&best->counters, "smsp__inst_executed_op_global_ld.sum", 268435456.0);
    lab_counters_set(&best->counters, "smsp__inst_executed_op_shared_ld.sum", 2684354561.0);
    lab_counters_set(&best->counters, "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
                     42.5);
    add_row(run, "b8x8_v4", 50.0);
    struct lab_row *large = add_row(run, "b32x32_v64", 0.0);
    large->check.status = LAB_CHECK_SKIPPED;
    snprintf(large->check.message, sizeof large->check.message, "cannot be launched: too large");
    return run;
}

static void print_run(struct lab_result *run, bool is_sim)
{
    struct lab_sweep sweep = {
        .target = "step05", .is_sim = is_sim, .device = &gpu, .runs = {run}, .count = 1};
    run->is_sim = is_sim;
    FILE *stream = fmemopen(text, sizeof text, "w");
    memset(text, 0, sizeof text);
    cr_expect_eq(lab_study_print("shapes", "tables", &(struct lab_options){0}, &sweep, stream), 0);
    fclose(stream);
}

static void print(bool is_sim)
{
    struct lab_result *run = made_run();
    print_run(run, is_sim);
    free(run);
}

static void expect_line(const char *line)
{
    cr_expect(strstr(text, line), "no \"%s\" in\n%s", line, text);
}

/* The same, however far the columns are apart. */
static void expect_words(const char *line)
{
    static char squeezed[sizeof text];
    int length = 0;
    for (const char *c = text; *c; c++)
        if (*c != ' ' || c[1] != ' ')
            squeezed[length++] = *c;
    squeezed[length] = '\0';
    cr_expect(strstr(squeezed, line), "no \"%s\" in\n%s", line, squeezed);
}

Test(shapes, tables)
{
    print(false);
    expect_line("\nb16x16_v64              40        8         0      50.0%         25      43980  "
                "    80.0%\n");
    expect_line("\nb32x32_v64       cannot be launched: too large\n");
    expect_line("figure 1: time, ms over the block's shape, 1 value per thread\n"
                "block              1 value\n"
                "none: step 01          160\n"
                "8x8                       \n"
                "16x8                      \n"
                "16x16                  100\n");
    expect_line("figure 2: time, ms over values per thread, blocks of 16x16\n"
                "values               16x16\n"
                "1                      100\n"
                "4                         \n");
    expect_words("\n1 2147483648 21474836480 30.5\n");
    expect_line("figure 4: time, ms over the block's shape\n"
                "block              1 value     4 values    16 values    64 values\n"
                "8x8                                  50                          \n");
    expect_line("figure 8: achieved_occupancy, % over values per thread\n"
                "values                 8x8        16x16        32x16\n"
                "1                                  74.2             \n"
                "4                     50.0                          \n");
    expect_line("figure 10: shared_efficiency, % over the block's shape\n");
    expect_line(
        "\nb16x16_v1            2147483648      2147483648     21474836480     21474836480  "
        "equal\n");
    expect_line(
        "\nb16x16_v64            268435456       268435456      2684354560      2684354561  "
        "differs\n");
    expect_line("\n1 of 2 shapes counted as predicted\n");
    expect_words("\nglobal_load 2.7e+07 2.684e+08 1e+07 2.684e+08 2.684e+08 ");
    expect_words("\nshared_load 2.7e+09 2.684e+09 1.08e+09 2.684e+09 2.684e+09 1e+09\n");
    expect_words("\nregisters 128 122 40 40 ");
    cr_expect(!strstr(text, "modelled"), "%s", text);
}

Test(shapes, tables_of_the_simulator)
{
    print(true);
    expect_line("figure 7: modelled time, ms over values per thread\n");
    expect_line("figure 8: achieved_occupancy, %");
    expect_line("\ntimes are modelled from the counters, not measured");
}

/* What is said of nothing is said. */
Test(shapes, figures_without_values)
{
    struct lab_result *run = made_run();
    print_run(run, false);
    expect_words("\nfigure 5: stall_memory_dependency, % over the block's shape\nblock 1 value ");
    run->rows[2].counters.count = 0;
    print_run(run, false);
    expect_line(
        "\nfigure 5: stall_memory_dependency, % over the block's shape: not counted here\n");
    free(run);
}
