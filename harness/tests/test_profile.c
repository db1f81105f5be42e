/* Counters, source lines and the children that take them. Nsight Compute and compute-sanitizer are
 * stood in for by scripts, first on PATH, that hand out recorded logs; the simulator's counting by
 * functions of the names that its library exports. */
#include "run/child.h"
#include "run/plan.h"
#include "measure/counters/counters.h"
#include "options/family.h"
#include "report/terminal.h"
#include "report/json.h"
#include "sim/lab_sim.h"
#include "base/status.h"
#include "tests/run_lab.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 16384 };

/* --- stand-ins ---------------------------------------------------------------------------------*/

static int counting_on;

void lab_sim_set_counting(int on)
{
    counting_on = on;
}

int lab_sim_counters(const struct lab_sim_counter **list)
{
    static const struct lab_sim_counter counters[] = {
        {"smsp__inst_executed_op_global_ld.sum", 10.0},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 320.0},
    };
    *list = counters;
    return counting_on ? 2 : 0;
}

int lab_sim_lines(const struct lab_sim_line **list)
{
    static const struct lab_sim_line lines[] = {
        {"", 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0}, /* instructions without a line */
        {"/nowhere/kernel.cu", 12, 40, 10, 320, 40, 0, 0, 0, 0, 0, 0},
        {"/nowhere/kernel.cu", 14, 10, 0, 0, 0, 10, 40, 30, 0, 0, 0},
        {"/nowhere/kernel.cu", 17, 100, 10, 40, 40, 10, 10, 0, 0, 0, 0},
        {"/nowhere/kernel.cu", 18, 2, 10, 160, 160, 0, 0, 0, 0, 0,
         0},                                                         /* wide, and nothing wasted */
        {"/nowhere/kernel.cu", 19, 2, 10, 80, 40, 0, 0, 0, 0, 0, 0}, /* every second element */
    };
    *list = lines;
    return counting_on ? 6 : 0;
}

int lab_sim_operands(const struct lab_sim_operand **list)
{
    static const struct lab_sim_operand operands[] = {
        {"A", {"/nowhere/kernel.cu", 12, 0, 5, 310, 20, 0, 0, 0, 0, 0, 0}},
        {"B", {"/nowhere/kernel.cu", 12, 0, 5, 10, 20, 0, 0, 0, 0, 0, 0}},
        {"a_tile", {"/nowhere/kernel.cu", 14, 0, 0, 0, 0, 10, 40, 30, 0, 0, 0}},
        {"B", {"/nowhere/kernel.cu", 17, 0, 10, 40, 40, 0, 0, 0, 0, 0, 0}},
        {"b_tile", {"/nowhere/kernel.cu", 17, 0, 0, 0, 0, 10, 10, 0, 0, 0, 0}},
    };
    *list = operands;
    return counting_on ? 5 : 0;
}

static const char *data(const char *name)
{
    static char path[1024];
    const char *root = getenv("LAB_TEST_ROOT");
    snprintf(path, sizeof path, "%s/harness/tests/data/%s", root ? root : ".", name);
    return path;
}

static void use_stand_ins(void)
{
    char path[8192];
    const char *before = getenv("PATH");
    snprintf(path, sizeof path, "%s:%s", data(""), before ? before : "");
    setenv("PATH", path, 1);
}

/* What a function prints on a stream that is already there. */
static void catch_errors(char text[TEXT], FILE *to)
{
    fflush(stderr);
    rewind(to);
    text[fread(text, 1, TEXT - 1, to)] = '\0';
    fclose(to);
}

/* The rows of step 04 as the recorded log has them: the reference, four launches. */
static struct lab_result *rows_of_step04(void)
{
    static const struct lab_step step = {.variant_count = 1};
    static const char *const names[] = {"cublas", "step01.coalesced", "step03.block_32x32",
                                        "conflict", "padded"};
    struct lab_result *result = calloc(1, sizeof *result);
    for (int i = 0; i < 5; i++) {
        struct lab_row *row = &result->rows[result->row_count++];
        snprintf(row->name, sizeof row->name, "%s", names[i]);
        row->step = i ? &step : NULL;
        row->kernel.launches = i ? 1 : 0;
    }
    return result;
}

static const struct lab_options step04 = {
    .targets = {"step04"}, .target_count = 1, .problem = {.seed = 1}};

static int profile(struct lab_result *result, char errors[TEXT])
{
    FILE *file = tmpfile(), *before = stderr;
    use_stand_ins();
    result->default_size = 64;
    stderr = file;
    int status = lab_ncu_profile(&step04, result);
    stderr = before;
    catch_errors(errors, file);
    return status;
}

static double counter(const struct lab_row *row, const char *name)
{
    double value = -1.0;
    cr_expect(lab_counters_get(&row->counters, name, &value), "%s: no %s", row->name, name);
    return value;
}

/* --- lists of counters -------------------------------------------------------------------------*/

Test(profile, counters_are_set_found_and_added)
{
    struct lab_counters first = {.count = 0}, second = {.count = 0};
    double value;
    char too_long[LAB_COUNTER_NAME_BYTES + 1];
    memset(too_long, 'x', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = '\0';
    cr_expect(lab_counters_set(&first, "a.sum", 2.0));
    cr_expect(lab_counters_set(&first, "a.sum", 3.0));
    cr_expect(lab_counters_set(&first, "b.pct", 50.0));
    cr_expect_not(lab_counters_set(&first, too_long, 1.0));
    cr_expect_eq(first.count, 2);
    lab_counters_set(&second, "a.sum", 4.0);
    lab_counters_set(&second, "b.pct", 90.0);
    lab_counters_set(&second, "c.sum", 1.0);
    lab_counters_add(&first, &second);
    cr_expect(lab_counters_get(&first, "a.sum", &value) && value == 7.0);
    cr_expect(lab_counters_get(&first, "b.pct", &value) && value == 50.0, "ratios do not add up");
    cr_expect(lab_counters_get(&first, "c.sum", &value) && value == 1.0);
    cr_expect_not(lab_counters_get(&first, "d.sum", &value));
}

Test(profile, every_counter_of_the_catalogue_fits)
{
    int count;
    const struct lab_counter_kind *kinds = lab_counter_kinds(&count);
    for (int i = 0; i < count; i++) {
        cr_expect_lt(strlen(kinds[i].name), LAB_COUNTER_NAME_BYTES, "%s", kinds[i].name);
        if (kinds[i].rule == LAB_COUNTER_RATIO)
            cr_expect(lab_counter_known(kinds[i].by), "%s is not taken", kinds[i].by);
    }
}

/* 3200 bytes are 100 sectors, in 4000 instructions; a GPU's own count stands before the PTX's. */
Test(profile, misses_of_l2_in_a_thousand_instructions)
{
    struct lab_counters counters = {.count = 0};
    double value = 0.0;
    cr_expect_not(lab_counters_misses(&counters, &value));
    lab_counters_set(&counters, "dram__bytes_read.sum", 3200.0);
    cr_expect_not(lab_counters_misses(&counters, &value));
    lab_counters_set(&counters, "lab__ptx_inst_executed.sum", 4000.0);
    cr_expect(lab_counters_misses(&counters, &value) && value == 25.0, "%g", value);
    lab_counters_set(&counters, "smsp__inst_executed.sum", 5000.0);
    cr_expect(lab_counters_misses(&counters, &value) && value == 20.0, "%g", value);
    lab_counters_set(&counters, "smsp__inst_executed.sum", 0.0);
    cr_expect_not(lab_counters_misses(&counters, &value));
}

Test(profile, misses_of_l2_in_the_table_and_in_json)
{
    static struct run_lab result;
    const char *arguments = "step01 --runtime sim --profile -n 64 --variant coalesced";
    run_lab(&result, "%s --json -", arguments);
    cr_assert_eq(result.status, 0, "%s", result.err);
    const char *row = strstr(result.out, "\"counters\"");
    const double misses = run_lab_figure(row, "lab__l2_sectors_missed_per_1000_inst.ratio");
    const double bytes = run_lab_figure(row, "dram__bytes_read.sum");
    const double instructions = run_lab_figure(row, "lab__ptx_inst_executed.sum");
    cr_expect_eq(bytes, 2 * 64 * 64 * 4.0, "A and B once");
    cr_expect_float_eq(misses, bytes / 32.0 * 1000.0 / instructions, 1e-6);
    run_lab(&result, "%s", arguments);
    const char *line = strstr(result.out, "\n  L2 misses in 1000 instructions ");
    cr_assert(line, "%s", result.out);
    cr_expect(strstr(line, "  lab__l2_sectors_missed_per_1000_inst.ratio\n"));
    cr_expect_float_eq(atof(line + strlen("\n  L2 misses in 1000 instructions")), misses, 0.006);
}

/* --- Nsight Compute ----------------------------------------------------------------------------*/

Test(profile, launches_go_to_their_rows)
{
    char errors[TEXT], note[] = "/tmp/lab-note-XXXXXX", words[TEXT] = "";
    struct lab_result *result = rows_of_step04();
    close(mkstemp(note));
    setenv("FAKE_NCU_LOG", data("ncu.csv"), 1);
    setenv("FAKE_NCU_NOTE", note, 1);
    cr_assert_eq(profile(result, errors), LAB_EXIT_OK, "%s", errors);
    cr_expect_eq(counter(&result->rows[0], "smsp__inst_executed.sum"), 18880);
    cr_expect_eq(counter(&result->rows[1], "smsp__inst_executed.sum"), 64256);
    cr_expect_eq(counter(&result->rows[4], "gpu__time_duration.sum"), 5376);
    cr_expect_eq(result->rows[4].counters.count, 2);
    cr_expect_str_eq(errors, "run: counters that this GPU lacks: lab__bogus.sum\n");
    FILE *file = fopen(note, "r");
    words[fread(words, 1, TEXT - 1, file)] = '\0';
    fclose(file);
    unlink(note);
    cr_expect(strstr(words, "\n--clock-control=none\n"), "%s", words);
    cr_expect(strstr(words, "\n--profile-from-start=off\n"), "%s", words);
    cr_expect(strstr(words, "_op_dfma_pred_on.sum"), "double precision, too: %s", words);
    cr_expect_not(strstr(words, "lab__"), "what only the simulator counts: %s", words);
    cr_expect(strstr(words, "\n--under-tool\n"), "the child would profile again: %s", words);
    cr_expect(strstr(words, "\nstep04\n--runtime=gpu\n"), "%s", words);
    cr_expect(strstr(words, "\n--default-size=64\n--seed=1\n"), "%s", words);
    free(result);
}

/* What makes the problem what it is reaches the child: every option of every family's own, every
 * size, the seed, and what rows there are. */
Test(profile, every_option_of_a_problem_reaches_the_children)
{
    static const char *const values[] = {"2",    "3",   "spread",   "mixed",   "s32", "rmat",
                                         "1..7", "0.5", "graph.gr", "out.csv", "9",   "positive"};
    const struct lab_family_options *const *families = lab_families_options();
    int tried = 0;
    for (; *families; families++) {
        const struct lab_family_options *family = *families;
        for (int i = 0; family->table && family->table[i].name; i++) {
            struct lab_options options = {.problem = {.seed = 5}};
            struct lab_child child = {.count = 0};
            char wanted[64];
            bool found = false;
            const char *text = family->table[i].arg ? values[i % 12] : NULL;
            options.problem.family = family;
            options.problem.given[options.problem.given_count++] =
                (struct lab_given_option){family->table[i].name, text};
            lab_child_add_run(&child, &options, 7, "sim");
            snprintf(wanted, sizeof wanted, text ? "--%s=%s" : "--%s", family->table[i].name, text);
            for (int w = 0; w < child.count; w++)
                found |= strcmp(child.words[w], wanted) == 0;
            cr_expect(found, "%s: %s does not reach the child", family->name, wanted);
            lab_child_free(&child);
            tried++;
        }
    }
    cr_expect_geq(tried, 18, "%d options", tried);
}

Test(profile, sizes_and_choice_of_rows_reach_the_children)
{
    char program[] = "run",
         *words[] = {program,          "step10",          "-n33",   "-q", "5", "--seed=77",
                     "--variant=fast", "--deterministic", "--fast", NULL};
    static const char *const wanted[] = {"step10",
                                         "-n33",
                                         "-q5",
                                         "--seed=77",
                                         "--variant=fast",
                                         "--deterministic",
                                         "--fast",
                                         "--default-size=9"};
    struct lab_options options;
    struct lab_child child = {.count = 0};
    cr_assert_eq(lab_options_parse(9, words, &options), LAB_EXIT_OK);
    lab_child_add_run(&child, &options, 9, "gpu");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        bool found = false;
        for (int w = 0; w < child.count; w++)
            found |= strcmp(child.words[w], wanted[i]) == 0;
        cr_expect(found, "%s does not reach the child", wanted[i]);
    }
    lab_child_free(&child);
}

/* As typed, in that order, and as often: --values does, and the child understands what it is told.
 */
Test(profile, a_child_understands_its_options)
{
    char program[] = "run",
         *words[] = {program, "step01", "-m17", "--values=special", "--beta=2", NULL};
    char text[LAB_CHILD_TEXT];
    struct lab_options options;
    struct lab_child child = {.count = 0};
    cr_assert_eq(lab_options_parse(5, words, &options), LAB_EXIT_OK);
    lab_child_add_run(&child, &options, 9, "sim");
    lab_child_add(&child, "--json=-");
    cr_expect_eq(lab_child_run(&child, text, sizeof text), 0, "%s", text);
}

/* As in step 09: what remains is of two library rows, and nobody knows how much is whose. */
Test(profile, launches_of_two_library_rows_are_nobodys)
{
    char errors[TEXT];
    struct lab_result *result = rows_of_step04();
    setenv("FAKE_NCU_LOG", data("ncu.csv"), 1);
    result->rows[1].step = NULL;
    cr_assert_eq(profile(result, errors), LAB_EXIT_OK, "%s", errors);
    cr_expect_eq(result->rows[0].counters.count, 0);
    cr_expect_eq(result->rows[1].counters.count, 0);
    cr_expect_eq(counter(&result->rows[4], "gpu__time_duration.sum"), 5376);
    free(result);
}

Test(profile, several_launches_of_one_row_add_up)
{
    char errors[TEXT];
    struct lab_result *result = rows_of_step04();
    setenv("FAKE_NCU_LOG", data("ncu.csv"), 1);
    result->row_count = 4;
    result->rows[3].kernel.launches = 2;
    cr_assert_eq(profile(result, errors), LAB_EXIT_OK, "%s", errors);
    cr_expect_eq(counter(&result->rows[3], "smsp__inst_executed.sum"), 2 * 43136);
    cr_expect_eq(counter(&result->rows[3], "gpu__time_duration.sum"), 6048 + 5376);
    free(result);
}

/* cublas_unfused: norms, the library's two, evaluate. fused: norms, fused. */
static struct lab_result *rows_with_library(void)
{
    static const struct lab_step step = {.variant_count = 2};
    struct lab_result *result = calloc(1, sizeof *result);
    result->row_count = 2;
    for (int i = 0; i < 2; i++) {
        struct lab_row *row = &result->rows[i];
        snprintf(row->name, sizeof row->name, "%s", i ? "fused" : "cublas_unfused");
        row->step = &step;
        row->used_library = i == 0;
        row->kernel.launches = 2;
        row->kernel.names[0] = "_Z5normsiiiPKfS0_PfS1_";
        row->kernel.names[1] = i ? "_Z5fusedILb1EEviiifPKf" : "_Z16evaluate_and_sumILb1EEviif";
    }
    return result;
}

Test(profile, launches_of_a_library_go_to_the_row_that_called_it)
{
    char errors[TEXT];
    struct lab_result *result = rows_with_library();
    setenv("FAKE_NCU_LOG", data("ncu_library.csv"), 1);
    cr_assert_eq(profile(result, errors), LAB_EXIT_OK, "%s", errors);
    cr_expect_eq(counter(&result->rows[0], "smsp__inst_executed.sum"), 1 + 10 + 100 + 1000);
    cr_expect_eq(counter(&result->rows[1], "smsp__inst_executed.sum"), 1 + 50000);
    result->rows[1].kernel.names[1] = "_Z5otherv";
    cr_expect_eq(profile(result, errors), LAB_EXIT_MISSING);
    cr_expect(strstr(errors, "do not fit the rows"), "%s", errors);
    free(result);
}

Test(profile, launches_that_fit_no_row_are_refused)
{
    char errors[TEXT];
    struct lab_result *result = rows_of_step04();
    setenv("FAKE_NCU_LOG", data("ncu.csv"), 1);
    result->rows[4].kernel.launches = 9;
    cr_expect_eq(profile(result, errors), LAB_EXIT_MISSING);
    cr_expect(strstr(errors, "5 launches"), "%s", errors);
    cr_expect_eq(result->rows[1].counters.count, 0);
    free(result);
}

Test(profile, no_permission_is_one_clear_line)
{
    char errors[TEXT];
    struct lab_result *result = rows_of_step04();
    setenv("FAKE_NCU_LOG", data("ncu_permission.csv"), 1);
    cr_expect_eq(profile(result, errors), LAB_EXIT_MISSING);
    cr_expect(strstr(errors, "NVreg_RestrictProfilingToAdminUsers=0"), "%s", errors);
    cr_expect_eq(run_lab_lines(errors), 1, "%s", errors);
    free(result);
}

Test(profile, a_missing_profiler_is_one_clear_line)
{
    char errors[TEXT];
    char path[LAB_PATH_BYTES];
    FILE *file = tmpfile(), *before = stderr;
    setenv("PATH", "/nowhere", 1);
    if (lab_child_find("ncu", path) == 0)
        cr_skip_test("the toolkit has Nsight Compute");
    stderr = file;
    int status = lab_ncu_check();
    stderr = before;
    catch_errors(errors, file);
    cr_expect_eq(status, LAB_EXIT_MISSING);
    cr_expect(strstr(errors, "needs Nsight Compute (ncu), which is not here: install it"), "%s",
              errors);
    cr_expect_eq(run_lab_lines(errors), 1, "%s", errors);
}

Test(profile, a_failing_profiler_is_one_clear_line)
{
    char errors[TEXT];
    struct lab_result *result = rows_of_step04();
    setenv("FAKE_NCU_LOG", "/dev/null", 1);
    setenv("FAKE_NCU_STATUS", "9", 1);
    cr_expect_eq(profile(result, errors), LAB_EXIT_MISSING);
    cr_expect(strstr(errors, "failed (status 9)"), "%s", errors);
    cr_expect_eq(run_lab_lines(errors), 1, "%s", errors);
    free(result);
}

Test(profile, a_counter_unknown_to_the_profiler_is_left_out)
{
    char errors[TEXT];
    struct lab_result *result = rows_of_step04();
    setenv("FAKE_NCU_LOG", data("ncu.csv"), 1);
    setenv("FAKE_NCU_UNKNOWN", "lts__t_sectors_op_write.sum", 1);
    cr_assert_eq(profile(result, errors), LAB_EXIT_OK, "%s", errors);
    cr_expect(strstr(errors, "lacks: lts__t_sectors_op_write.sum, lab__bogus.sum\n"), "%s", errors);
    cr_expect_eq(run_lab_lines(errors), 1, "%s", errors);
    cr_expect_eq(counter(&result->rows[2], "smsp__inst_executed.sum"), 36736);
    free(result);
}

/* --- the table ---------------------------------------------------------------------------------*/

static void print_to(void (*print)(const struct lab_result *, FILE *),
                     const struct lab_result *result, char text[TEXT])
{
    FILE *file = tmpfile();
    print(result, file);
    catch_errors(text, file);
}

Test(profile, the_table_has_a_column_for_each_row)
{
    char text[TEXT];
    struct lab_result *result = rows_of_step04();
    print_to(lab_counter_table_print, result, text);
    cr_expect_str_empty(text, "no counters, no table");
    lab_counters_set(&result->rows[3].counters, "smsp__inst_executed_op_global_ld.sum", 1048576);
    lab_counters_set(&result->rows[3].counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                     4194304);
    lab_counters_set(&result->rows[4].counters, "smsp__inst_executed.sum", 12);
    lab_counters_set(&result->rows[4].counters, "sm__warps_active.avg.pct_of_peak_sustained_active",
                     78.46);
    lab_counters_set(&result->rows[4].simulated, "smsp__inst_executed.sum", 1234);
    lab_counters_set(&result->rows[4].simulated, "lab__unheard_of.sum", 5);
    print_to(lab_counter_table_print, result, text);
    cr_expect(strstr(text, "  conflict  padded  padded (sim)  "), "%s", text);
    cr_expect(strstr(text, "      12         1,234  smsp__inst_executed.sum (inst_executed)\n"),
              "%s", text);
    cr_expect(strstr(text, "  1,048,576  "), "%s", text);
    cr_expect(strstr(text, "(gld_transactions_per_request)"), "%s", text);
    cr_expect(strstr(text, "   78.5%"), "%s", text);
    cr_expect(strstr(text, "achieved_occupancy"), "%s", text);
    cr_expect(strstr(text, "others\n"), "%s", text);
    cr_expect(strstr(text, "  5  lab__unheard_of.sum\n"), "%s", text);
    cr_expect_not(strstr(text, "shared memory"), "a heading without figures: %s", text);
    free(result);
}

/* --- the simulator's counts --------------------------------------------------------------------*/

Test(profile, the_simulators_counts_are_copied)
{
    const struct lab_counting counting = {.counters = true, .lines = true};
    struct lab_counters counters = {.count = 0};
    struct lab_lines lines = {0};
    double value;
    lab_counting_begin(&counting);
    cr_expect_eq(counting_on, 1);
    lab_counting_end(&counting, &counters, &lines);
    cr_expect_eq(counting_on, 0);
    cr_expect(lab_counters_get(&counters, "smsp__inst_executed_op_global_ld.sum", &value));
    cr_expect_eq(lines.count, 5, "%d lines", lines.count);
    lab_lines_free(&lines);
}

Test(profile, nothing_is_counted_unasked)
{
    const struct lab_counting counting = {.counters = false};
    struct lab_counters counters = {.count = 0};
    struct lab_lines lines = {0};
    lab_counting_begin(&counting);
    cr_expect_eq(counting_on, 0);
    lab_counting_end(&counting, &counters, &lines);
    cr_expect_eq(counters.count + lines.count, 0);
}

Test(profile, the_worst_lines_are_named)
{
    const struct lab_counting counting = {.lines = true};
    struct lab_worst_line worst[LAB_WORST_LINES];
    struct lab_result *result = rows_of_step04();
    struct lab_lines *lines = &result->rows[3].lines;
    char text[TEXT];
    lab_counting_begin(&counting);
    lab_counting_end(&counting, &result->rows[3].counters, lines);
    cr_assert_eq(lab_worst_lines(lines, worst), 4);
    cr_expect_eq(lines->list[worst[0].index].line, 12);
    cr_expect(strstr(worst[0].reason, "not coalesced"), "%s", worst[0].reason);
    cr_expect(strstr(worst[0].reason, "A: not coalesced: a warp touches 62.0 sectors"), "%s",
              worst[0].reason);
    cr_expect_eq(lines->list[worst[1].index].line, 19);
    cr_expect(strstr(worst[1].reason, "not coalesced: a warp touches 8.0 sectors of 32 bytes with "
                                      "each access where 4.0 would hold"),
              "%s", worst[1].reason);
    cr_expect_eq(lines->list[worst[2].index].line, 14);
    cr_expect(strstr(worst[2].reason, "4.0 wavefronts where 1.0"), "%s", worst[2].reason);
    cr_expect_eq(lines->list[worst[3].index].line, 17);
    cr_expect(strstr(worst[3].reason, "hot: 65%"), "%s", worst[3].reason);
    struct lab_sim_opcode added[] = {{lines->list[worst[3].index].file, 17, "fma.rn.f32", 32.0}};
    lines->opcodes = added;
    lines->opcode_count = 1;
    cr_assert_eq(lab_worst_lines(lines, worst), 4);
    cr_expect(strstr(worst[3].reason, "hot, as the line of the multiply-adds should be: 65%"), "%s",
              worst[3].reason);
    lines->opcodes = NULL;
    lines->opcode_count = 0;
    print_to(lab_line_table_print, result, text);
    cr_expect(strstr(text, "/nowhere/kernel.cu"), "%s", text);
    cr_expect(strstr(text, "*   26.0%     32.0                      12"), "%s", text);
    cr_expect(strstr(text, "\n              62.0                          of these, A\n"
                           "               2.0                          of these, B\n"),
              "%s", text);
    cr_expect(!strstr(text, "tile"), "one array of a memory is the line's: %s", text);
    cr_expect(strstr(text, "* line 14: bank conflicts"), "%s", text);
    lab_lines_free(lines);
    free(result);
}

/* A file of made-up source lines "line 1", "line 2", ..., without those of the given number. */
static void write_source(char name[64], int lines, int without)
{
    snprintf(name, 64, "/tmp/lab-lines-XXXXXX");
    FILE *file = fdopen(mkstemp(name), "w");
    for (int i = 1; i <= lines; i++)
        if (i != without)
            fprintf(file, "    line %d\n", i);
    fclose(file);
}

/* Short stretches between counted lines are shown, longer ones left out. */
Test(profile, lines_stand_in_their_source)
{
    char name[64], text[TEXT];
    write_source(name, 20, 0);
    struct lab_line list[] = {
        {.file = name, .line = 2, .warp_instructions = 50},
        {.file = name,
         .line = 4,
         .warp_instructions = 30,
         .global_requests = 2,
         .global_sectors = 8,
         .global_needed = 8},
        {.file = name,
         .line = 10,
         .warp_instructions = 10,
         .shared_requests = 4000,
         .shared_wavefronts = 6000,
         .shared_conflicts = 2000},
        {.file = name, .line = 18, .warp_instructions = 10},
    };
    struct lab_result *result = rows_of_step04();
    result->rows[3].lines = (struct lab_lines){.list = list, .count = 4};
    print_to(lab_line_table_print, result, text);
    unlink(name);
    const char *const table = "\n   instr. sect/req wave/req conflicts\n"
                              "*   50.0%                                2      line 2\n"
                              "                                         3      line 3\n"
                              "    30.0%      4.0                       4      line 4\n"
                              "                                         5      line 5\n"
                              "                                         6      line 6\n"
                              "                                         7      line 7\n"
                              "                                         8      line 8\n"
                              "                                         9      line 9\n"
                              "*   10.0%               1.5        2k   10      line 10\n"
                              "                                      ...\n"
                              "    10.0%                               18      line 18\n"
                              "* line 10: bank conflicts";
    cr_expect(strstr(text, table), "%s", text);
    free(result);
}

/* The second row's source has lost a line: what is the same text costs the same. */
Test(profile, lines_whose_cost_differs)
{
    char before[64], after[64], text[TEXT];
    write_source(before, 6, 0);
    write_source(after, 6, 2);
    struct lab_line first[] = {
        {.file = before, .line = 1, .warp_instructions = 100},
        {.file = before, .line = 2, .warp_instructions = 64, .global_sectors = 32},
        {.file = before, .line = 3, .warp_instructions = 100, .shared_wavefronts = 100},
        {.file = before, .line = 5, .warp_instructions = 16},
    };
    struct lab_line second[] = {
        {.file = after, .line = 1, .warp_instructions = 110},
        {.file = after, .line = 2, .warp_instructions = 100, .shared_wavefronts = 111},
        {.file = after, .line = 5, .warp_instructions = 17},
    };
    struct lab_result *result = rows_of_step04();
    result->rows[3].lines = (struct lab_lines){.list = first, .count = 4};
    result->rows[4].lines = (struct lab_lines){.list = second, .count = 3};
    print_to(lab_line_difference_print, result, text);
    unlink(before);
    unlink(after);
    cr_expect_str_eq(text,
                     "\nlines whose cost differs: conflict, and padded\n"
                     "   warp instructions               sectors            wavefronts\n"
                     "       64          0         32          0                        line 2\n"
                     "      100        100                              100        111  line 3\n"
                     "        0         17                                              line 6\n");
    free(result);
}

/* Sectors are weighed against those that would hold the bytes, whatever the width. */
Test(profile, lines_that_begin_inside_a_sector_are_named)
{
    struct lab_line list[] = {
        {.line = 1, .global_requests = 10, .global_sectors = 50, .global_needed = 40},
        {.line = 2, .global_requests = 10, .global_sectors = 10, .global_needed = 10},
        {.line = 3, .global_requests = 10, .global_sectors = 42, .global_needed = 40},
        {.line = 4, .global_requests = 10, .global_sectors = 320, .global_needed = 160},
    };
    struct lab_worst_line worst[LAB_WORST_LINES];
    const struct lab_lines lines = {.list = list, .count = 4};
    int count = lab_worst_lines(&lines, worst);
    cr_assert_geq(count, 2);
    cr_expect_eq(list[worst[0].index].line, 4);
    cr_expect(strstr(worst[0].reason, "not coalesced"), "%s", worst[0].reason);
    cr_expect_eq(list[worst[1].index].line, 1);
    cr_expect(strstr(worst[1].reason, "not aligned: a warp touches 5.0 sectors of 32 bytes with "
                                      "each access where 4.0 would hold"),
              "%s", worst[1].reason);
    for (int i = 2; i < count; i++)
        cr_expect_null(strstr(worst[i].reason, "not "), "%s", worst[i].reason);
}

/* --- compute-sanitizer -------------------------------------------------------------------------*/

static int sanitize(char text[TEXT], char errors[TEXT])
{
    FILE *file = tmpfile(), *messages = tmpfile(), *before = stderr;
    use_stand_ins();
    stderr = messages;
    int status = lab_sanitize(&step04, file);
    stderr = before;
    catch_errors(text, file);
    catch_errors(errors, messages);
    return status;
}

Test(profile, sanitizer_findings_have_a_place)
{
    char text[TEXT], errors[TEXT];
    setenv("FAKE_SANITIZER_LOG", data("sanitizer"), 1);
    cr_expect_eq(sanitize(text, errors), LAB_EXIT_FAILED);
    cr_expect(strstr(text,
                     "racecheck        4  Error: Race reported between Write access at racy.cu:39 "
                     "and racy.cu:43\n"),
              "%s", text);
    cr_expect(strstr(text,
                     "synccheck     4032  Barrier error detected. Divergent thread(s) in warp. at "
                     "barrier_in_branch.cu:14\n"),
              "%s", text);
    cr_expect(strstr(text, "memcheck         0  none"), "%s", text);
}

Test(profile, a_clean_kernel_passes_the_sanitizer)
{
    char text[TEXT], errors[TEXT];
    setenv("FAKE_SANITIZER_LOG", "/nowhere/x", 1);
    cr_expect_eq(sanitize(text, errors), LAB_EXIT_OK, "%s", errors);
    setenv("FAKE_SANITIZER_STATUS", "1", 1);
    cr_expect_eq(sanitize(text, errors), LAB_EXIT_FAILED);
    cr_expect(strstr(text, "none, but a kernel fails its check"), "%s", text);
}

Test(profile, a_failing_sanitizer_is_one_clear_line)
{
    char text[TEXT], errors[TEXT];
    setenv("FAKE_SANITIZER_LOG", data("sanitizer_fails"), 1);
    cr_expect_eq(sanitize(text, errors), LAB_EXIT_MISSING);
    cr_expect(strstr(errors, "(memcheck) failed: Error: Device not supported"), "%s", errors);
    cr_expect_eq(run_lab_lines(errors), 1, "%s", errors);
}

/* --- the whole program on the simulator --------------------------------------------------------*/

static struct run_lab run;

Test(profile, the_simulator_shows_why_padding_pays)
{
    run_lab(&run, "step04 -n 64 --profile --runtime sim");
    cr_assert_eq(run.status, 0, "%s", run.err);
    /* A column of a 32-wide tile without padding lies in one bank: 32 wavefronts, beside 1. */
    cr_expect(strstr(run.out, "  wavefronts per store  "), "%s", run.out);
    cr_expect(strstr(run.out, "  16.50  "), "%s", run.out);
    run_lab(&run, "step04 -n 64 --profile --runtime sim --json -");
    cr_assert_eq(run.status, 0, "%s", run.err);
    cr_expect(strstr(run.out, "\"smsp__inst_executed_op_global_ld.sum\": 512"), "%s", run.out);
    cr_expect(strstr(run.out, "op_st.sum\": 8448"), "16.5 for each of 512: %s", run.out);
    cr_expect(strstr(run.out, "\"ptx_warp_instructions\": "), "%s", run.out);
}

Test(profile, lines_name_the_uncoalesced_access)
{
    run_lab(&run, "step01 -n 64 --lines --runtime sim");
    cr_assert_eq(run.status, 0, "%s", run.err);
    cr_expect(strstr(run.out, "steps/01_naive_global/kernel.cu"), "%s", run.out);
    cr_expect(strstr(run.out, "line 22: A: not coalesced: a warp touches 32.0 sectors"), "%s",
              run.out);
    cr_expect(strstr(run.out, "sum += a["), "the source is shown: %s", run.out);
    run_lab_shell(&run, "script -qec 'stty cols 80; ./run step01 -n 64 --lines --runtime sim' "
                        "/dev/null | tr -d '\\r' | awk '/^ .*[0-9]  / && length > 80 {n++} END "
                        "{print n + 0, (NR > 40)}'");
    cr_expect_str_eq(run.out, "0 1\n", "lines wider than a terminal: %s%s", run.out, run.err);
    run_lab(&run, "step01 -n 64 --lines --json - --runtime sim");
    cr_expect(strstr(run.out, "\"lines\": ["), "%s", run.out);
    cr_expect(strstr(run.out, "\"note\": \"not coalesced"), "%s", run.out);
    const char *operands = strstr(run.out, "\"operands\": [");
    cr_assert(operands, "%s", run.out);
    static const char *const arrays[] = {"{\n              \"array\": \"A\"",
                                         "{\n              \"array\": \"B\""};
    for (int i = 0; i < 2; i++) {
        operands = strstr(operands, arrays[i]);
        cr_assert(operands, "no %s in %s", arrays[i], run.out);
        cr_expect_eq(run_lab_figure(operands, "global_sectors_needed"), i ? 8192 : 32768);
    }
}

Test(profile, lines_name_the_rows_that_begin_inside_a_sector)
{
    run_lab(&run, "step03 -n 63 --lines --runtime sim");
    cr_assert_eq(run.status, 0, "%s", run.err);
    cr_expect(strstr(run.out, "not aligned: a warp touches 4.8 sectors"), "%s", run.out);
    run_lab(&run, "step03 -n 64 --lines --runtime sim");
    cr_expect_null(strstr(run.out, "not aligned"), "%s", run.out);
    cr_expect_null(strstr(run.out, "not coalesced"), "%s", run.out);
}

Test(profile, lines_need_line_information)
{
    run_lab(&run, "list > /dev/null && (grep -v lineinfo build/nvcc.command; printf '%%s\\n' "
                  "-Icommon steps/01_naive_global/kernel.cu -o build/no_lines.so) | xargs -d '\\n' "
                  "env && ./run step01 -n 8 --lines --runtime sim --source build/no_lines.so");
    cr_expect_eq(run.status, 2, "%s", run.out);
    cr_expect(strstr(run.err, "without line information"), "%s", run.err);
    cr_expect_eq(run_lab_lines(run.err), 1, "%s", run.err);
}

Test(profile, the_simulator_counts_beside_a_gpu)
{
    struct lab_result *result = calloc(1, sizeof *result);
    struct lab_options options = {.targets = {"step04"}, .target_count = 1, .problem = {.seed = 1}};
    const struct lab_run_plan plan = {.profile = LAB_PROFILE_SIM};
    double value = 0.0;
    result->default_size = 64;
    result->row_count = 2;
    strcpy(result->rows[0].name, "cublas");
    strcpy(result->rows[1].name, "padded");
    cr_assert_eq(lab_profile_take(&options, &plan, result), LAB_EXIT_OK);
    cr_expect_eq(result->rows[0].simulated.count, 0);
    cr_expect(lab_counters_get(&result->rows[1].simulated, "smsp__inst_executed_op_global_ld.sum",
                               &value));
    cr_expect_eq(value, 512);
    free(result);
}

/* Nobody shall take a time without caches for one with them. */
Test(profile, json_says_what_a_modelled_time_leaves_out)
{
    static const struct lab_device device;
    char path[] = "/tmp/lab_json_XXXXXX", text[TEXT];
    struct lab_result *result = rows_of_step04();
    int file = mkstemp(path);
    cr_assert(file >= 0);
    result->target = "step04";
    result->device = &device;
    result->family = lab_family_find("gemm");
    for (int i = 0; i < result->row_count; i++)
        result->rows[i].target = "";
    for (int i = 0; i < 2; i++) {
        result->rows[0].check.status = LAB_CHECK_OK;
        result->rows[0].time = (struct lab_times){.median = 1,
                                                  .min = 1,
                                                  .max = 1,
                                                  .modelled = true,
                                                  .without_caches = i,
                                                  .limiter = "LSU"};
        cr_assert_eq(lab_json_write(result, path), LAB_EXIT_OK);
        FILE *stream = fopen(path, "r");
        text[fread(text, 1, sizeof text - 1, stream)] = '\0';
        fclose(stream);
        cr_expect(strstr(text, "\"modelled\": true"), "%s", text);
        cr_expect_eq(strstr(text, "\"model_leaves_out\"") != NULL, i, "%s", text);
    }
    close(file);
    unlink(path);
    free(result);
}

/* ptxas' spills are in no count of the PTX: the row says so and has no time, also with --profile.
 */
Test(profile, a_kernel_that_spills_has_no_modelled_time)
{
    static struct run_lab run;
    run_lab(&run, "step01 -n 64 --profile --runtime sim --source %s",
            run_lab_source("right/spills.cu"));
    cr_assert_eq(run.status, 0, "%s", run.err);
    cr_expect(strstr(run.out, "no modelled time of spills: its machine code has "), "%s", run.out);
    cr_expect(!strstr(run.out, "time ms"), "%s", run.out);
    run_lab(&run, "step01 -n 64 --profile --runtime sim --json - --source %s",
            run_lab_source("right/spills.cu"));
    cJSON *json = cJSON_Parse(run.out);
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "kernels"), 0);
    cr_assert(row != NULL, "%s", run.out);
    cr_expect(cJSON_GetObjectItem(row, "local_bytes")->valueint > 0);
    cr_expect(cJSON_GetObjectItem(row, "model_leaves_out") != NULL);
    cr_expect(!cJSON_GetObjectItem(row, "time_ms") && !cJSON_GetObjectItem(row, "modelled") &&
              !cJSON_GetObjectItem(row, "gflops"));
    cr_expect(cJSON_GetObjectItem(row, "counters") != NULL);
    cJSON_Delete(json);
}

/* Instructions that are counted have other handlers, and say the same. */
Test(profile, a_wait_is_named_while_it_is_counted)
{
    run_lab(&run, "step00d --source .built/tests/kernels/broken/histogram_elements_for_bytes.cu "
                  "--runtime sim -n 2000 --lines");
    cr_expect(strstr(run.out, "bytes more have come than were expected"), "%s%s", run.out, run.err);
}
