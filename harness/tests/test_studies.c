/* Which runs the studies are of, on a GPU and on the simulator; and what plans find of the
 * dependences of kernels. Concerns studies. */
#include "run/study.h"
#include "run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct lab_study_file file;

/* Runs of a line, or of all: each combination of the values. */
static int runs_of(const struct lab_study_line *line)
{
    int runs = !line->shows;
    for (int i = 0; i < line->word_count; i++)
        runs *= line->words[i].value_count;
    return runs;
}

static int runs_of_all(void)
{
    int runs = 0;
    for (int i = 0; i < file.line_count; i++)
        runs += runs_of(&file.lines[i]);
    return runs;
}

Test(studies, have_their_runs)
{
    static const struct {
        const char *study, *family;
        int on_gpu, on_sim;
        bool has_plots, is_of_own_kernels;
    } studies[] = {{"sizes", "gemm", 17, 8, true, false},
                   {"shapes", "gemm", 2, 1, true, true},
                   {"forms", "gemm", 2 * 4 * 12, 2 * 4 * 4, true, true},
                   {"microtiles", "kernel_summation", 20 + 20 + 4, 8 + 8 + 4, true, false},
                   {"report", "trmm", 2, 2, false, true},
                   {"report", "syr2k", 2 * 3, 2, false, true},
                   {"paths", "apsp", 8 * 3, 3 * 3, true, false},
                   {"signatures", "md", 15, 15, false, true},
                   {"designs", "md", 3, 3, false, false},
                   {"fusions", "kernel_summation", 3, 3, false, false}};
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++)
        for (int is_sim = 0; is_sim < 2; is_sim++) {
            cr_assert(lab_study_file_read(studies[i].study, is_sim, studies[i].family, &file));
            cr_expect_eq(runs_of_all(), is_sim ? studies[i].on_sim : studies[i].on_gpu, "%s: %d",
                         studies[i].study, runs_of_all());
            cr_expect_eq(file.has_plots, studies[i].has_plots, "%s", studies[i].study);
            cr_expect_eq(file.is_of_own_kernels, studies[i].is_of_own_kernels, "%s",
                         studies[i].study);
            lab_study_file_release(&file);
        }
}

/* A word for one family, with its condition taken off; a value behind each stroke. */
Test(studies, have_words)
{
    cr_assert(lab_study_file_read("report", false, "syr2k", &file));
    const struct lab_study_line *line = &file.lines[0];
    cr_assert_eq(line->word_count, 2);
    cr_expect_str_eq(line->words[0].name, "study");
    cr_expect_str_eq(line->words[1].name, "n");
    cr_expect_str_eq(line->words[1].values[2], "128");
    lab_study_file_release(&file);
    cr_assert(lab_study_file_read("forms", true, "gemm", &file));
    cr_expect_str_eq(file.uses, "sizes.awk");
    lab_study_file_release(&file);
    cr_expect(!lab_study_file_read("no_study", true, "gemm", &file));
}

/* --- dependences as data
 * ------------------------------------------------------------------------*/

static struct run_lab result;

/* What a study's program says without times, or of these records, of its graph after an edit by
 * sed. */
static void read_graph(const char *study, const char *graph, const char *edit, const char *want,
                       const char *records)
{
    run_lab_shell(&result,
                  "cd harness/studies && t=$(mktemp) && sed '%s' %s.graph >$t && printf '%s' | awk "
                  "-v want=%s -v graph=$t -f records.awk -f graph.awk -f merges.awk -f %s.awk "
                  "2>$t.err; s=$?; sed 's|^[^:]*:|%s.graph:|' $t.err >&2; rm $t $t.err; exit $s",
                  edit, graph, records, want, study, graph);
}

/* The names at the line beginnings of the table under a heading, with a space between. */
static const char *names_under(const char *heading)
{
    static char names[2048];
    const char *at = strstr(result.out, heading);
    size_t length = 0;
    names[0] = '\0';
    at = at ? strstr(at, "\n\n") : NULL; /* the title of the columns comes next, or a line */
    cr_assert_not_null(at, "%s: %s%s", heading, result.out, result.err);
    at += 2;
    if (strncmp(at, "merge ", 6) == 0 || strncmp(at, "kernels ", 8) == 0)
        at = strchr(at, '\n') + 1;
    for (; *at && *at != '\n'; at = strchr(at, '\n') + 1) {
        int bytes = (int)strcspn(at, "\n");
        const char *const gap = strstr(at, "  ");
        bytes = gap && gap - at < bytes ? (int)(gap - at) : bytes;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%.*s",
                                   length ? "; " : "", bytes, at);
    }
    return names;
}

static void expect_line(const char *line)
{
    cr_expect_not_null(strstr(result.out, line), "no '%s': %s%s", line, result.out, result.err);
}

/* The paper's graph: K5, K6 and K7 may be merged, K2 runs beside K3, and K7 beside the next step's
 * K1 if the force is copied. */
Test(studies, of_dependences_legal_merges_follow)
{
    read_graph("designs", "md", "", "forecast", "");
    cr_expect_str_eq(names_under("\nwhich kernels may be merged"),
                     "K2+K3; K2+K5; K3+K5; K2+K3+K5; K2+K6; K3+K6; K2+K3+K6; K5+K6; K2+K5+K6; "
                     "K3+K5+K6; K2+K3+K5+K6; K2+K7; K6+K7; K2+K6+K7; K3+K6+K7; K2+K3+K6+K7; "
                     "K5+K6+K7; K2+K5+K6+K7; K3+K5+K6+K7; K2+K3+K5+K6+K7");
    cr_expect_str_eq(names_under("\nnot, and why"),
                     "K1+K2; K1+K3; K1+K4; K1+K5; K1+K6; K1+K7; K2+K4; K3+K4; K3+K7; K4+K5; "
                     "K4+K6; K4+K7; K5+K7");
    expect_line("\nK1+K5             K1 reads x of all, and K5 overwrites it: a second x\n");
    expect_line("\nK3+K4             K4 reads kinetics of all particles, which K3 adds: ");
    expect_line("\nK5+K7             K6 must come between");
    expect_line("\nK5+K6+K7                            70%\n");
    cr_expect_str_eq(names_under("\nwhich may run beside"),
                     "K1, K3; K1, K5; K2, K3; K2, K5; K2, K6; K2, K7; K2, K1 of the next step; "
                     "K3, K5; K3, K6; K4, K5; K4, K6; K4, K7; K4, K1 of the next step; "
                     "K4, K2 of the next step; K4, K3 of the next step; K5, K6; K6, K7; "
                     "K7, K1 of the next step; K7, K3 of the next step");
    expect_line("\nK2, K3\n");
    expect_line("\nK7, K1 of the next step     a copy of f\n");
    read_graph("fusions", "summation", "", "forecast",
               "run\\t2\\tm\\t100\\nrun\\t2\\tn\\t50\\nrun\\t2\\tk\\t4\\n");
    cr_expect_str_eq(names_under("\nwhich kernels may be merged"),
                     "product+evaluate; evaluate+sum; product+evaluate+sum");
    expect_line("\nevaluate+sum                        34%\n"); /* 5250 of 15,250 */
    expect_line("\nnorms+evaluate    evaluate reads norms of all points, which norms writes: ");
}

Test(studies, another_dependence_makes_other_merges)
{
    static const struct {
        const char *edit, *merges;
    } cases[] = {
        {"s/reads f writes a/reads f x:all writes a/", /* K7 needs all that K5 has moved */
         "K2+K3; K2+K5; K3+K5; K2+K3+K5; K2+K6; K3+K6; K2+K3+K6; K5+K6; K2+K5+K6; K3+K5+K6; "
         "K2+K3+K5+K6; K2+K7; K6+K7; K2+K6+K7; K3+K6+K7; K2+K3+K6+K7"},
        {"s/K6 over particles/K6 over pairs/;s/K7 over particles/K7 over blocks/",
         "K2+K3; K2+K5; K3+K5; K2+K3+K5; K4+K7"}, /* between K1 and K6 comes K5 */
        {"s/^kernel K5 .*/kernel K5 over nothing reads x writes x/;/^kernel K[67]/s/particles/all/",
         "K2+K3; K6+K7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read_graph("designs", "md", cases[i].edit, "forecast", "");
        cr_expect_str_eq(names_under("\nwhich kernels may be merged"), cases[i].merges, "%s: %s",
                         cases[i].edit, names_under("\nwhich kernels may be merged"));
    }
    /* what stage 13.8 has: a second array of positions */
    read_graph("designs", "md",
               "s/K1 over pairs computes reads x:all/K1 over particles computes reads y:all/;"
               "s/^array x.*/&\\narray y 3*n/",
               "forecast", "");
    expect_line("\nK1+K2+K3+K5+K6+K7  ");
}

Test(studies, a_bad_graph_is_told)
{
    static const struct {
        const char *edit, *told;
    } cases[] = {
        {"s/reads x v a/reads x u a/", "md.graph:17: K5 reads u, which no line before names"},
        {"s/^array f.*/array f 3+n/", "md.graph:7: a size is numbers and letters with * between"},
        {"s/^array f.*/array x 3*n/", "md.graph:7: the array x is there twice"},
        {"s/^array f.*/array f/", "md.graph:7: an array has a name, a size"},
        {"s/^kernel K6/kernel K5/", "md.graph:18: the kernel K5 is there twice"},
        {"s/^kernel K6/kernel K5+6/", "md.graph:18: the kernel K5+6 has a + in its name"},
        {"s/K6 over/K6 under/", "md.graph:18: a kernel has a name, "},
        {"s/potentials:all/potentials:some/", "md.graph:16: 'potentials:some': only what is read"},
        {"s/writes a$/writes a:all/", "md.graph:19: 'a:all': only what is read may have"},
        {"s/pairs computes reads/pairs/", "md.graph:13: 'x:all' stands before reads"},
        {"s/^loop/lop/", "md.graph:3: a line begins with array, kernel, row or loop, not with"},
        {"s/^row merged serial K1/row merged serial/", "md.graph:22: the row merged lacks K1"},
        {"s/^row merged serial K1/& K2+K1/", "md.graph:22: the row merged has K1 twice"},
        {"s/^row merged serial K1/& K8/", "md.graph:22: the row merged has K8, which no line"},
        {"s/^row merged serial/row merged/", "md.graph:22: a row has a name, 'serial' or"},
        {"s/^array f.*/array f 3*q/", "md.graph:7: this problem has no size q"},
        {"/^kernel/d;/^row/d", ": no kernels are there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read_graph("designs", "md", cases[i].edit, "forecast", "");
        cr_expect(result.status == 3 && strstr(result.err, cases[i].told) &&
                      run_lab_lines(result.err) == 1 && !*result.out,
                  "%s: %d %s%s", cases[i].told, result.status, result.err, result.out);
    }
}

/* A launch takes 4 microseconds, and 3 beside others; K1 has 100 of work, the others 1 each. */
#define ROW(run, name, ms)                                                                         \
    "row\\t" run "\\t1" name "\\tname\\t" name "\\nrow\\t" run "\\t1" name "\\tis_ok\\t1\\n"       \
    "row\\t" run "\\t1" name "\\tms\\t" ms "\\n"
#define LAUNCH(run, k, ms) "row\\t" run "\\t1slices\\tlaunch" k "_ms\\t" ms "\\n"
#define REST(run, ms)                                                                              \
    LAUNCH(run, "2", ms)                                                                           \
    LAUNCH(run, "3", ms)                                                                           \
    LAUNCH(run, "4", ms) LAUNCH(run, "5", ms) LAUNCH(run, "6", ms) LAUNCH(run, "7", ms)

Test(studies, designs_are_predicted_from_signatures)
{
    static const char records[] = ROW("1", "slices", "0.028") ROW("1", "streams", "0.018")
        LAUNCH("1", "1", "0.004") REST("1", "0.004") ROW("2", "slices", "0.134")
            LAUNCH("2", "1", "0.104") REST("2", "0.005") ROW("3", "slices", "0.134")
                ROW("3", "merged", "0.1251") ROW("3", "streams", "0.100") "run\\t3\\tn\\t9\\n";
    read_graph("designs", "md", "", "forecast", records);
    expect_line("\na launch takes 4.00 in a row, and 3.00 beside others\n");
    expect_line("\nK5+K6+K7                            70%   8.90\n");
    expect_line("\nproposed: K1 K2+K3+K5+K6+K7 K4, one after another; no row has it yet\n");
    read_graph("designs", "md", "", "tables", records);
    expect_line(
        "  K1 K2 K3 K4 K5+K6+K7                beside each other     120.00  streams         "
        "100.00  +20%\n");
    expect_line(
        "  K1 K2 K3 K4 K5+K6+K7                one after another     125.10  merged          "
        "125.10   +0%\n");
    expect_line(
        "  K1 K2 K3 K4 K5 K6 K7                one after another     134.00  slices          "
        "134.00   +0%\n");
    expect_line("\none_launch is not among them: K4 reads potentials of all particles");
}

/* Kernels after one another are what the model adds up; the fused row is the one proposed. */
Test(studies, a_plan_of_a_summation_proposes_the_fused_kernel)
{
    run_lab(&result, "plan step08 --runtime sim -m 300 -n 70 -k 5 --json -");
    cr_assert_eq(result.status, 0, "%s", result.err);
    const char *at = strstr(result.out, "\"legal_designs\": [");
    cr_assert_not_null(at, "%s", result.out);
    cr_expect(strstr(at, "[{\"launches\": \"norms product+evaluate+sum\", ") == strchr(at, '['),
              "%s", at);
    at = strstr(at, "\"norms product evaluate sum\", \"beside\": false");
    cr_assert_not_null(at, "%s", result.out);
    const double predicted = run_lab_figure(at, "predicted_ms"), row = run_lab_figure(at, "row_ms");
    cr_expect_float_eq(predicted, row, 0.02 * row, "%g, %g", predicted, row);
    run_lab(&result, "plan step08 --runtime sim -m 300 -n 70 -k 5");
    expect_line("\nproposed: norms product+evaluate+sum, one after another, as fused has it\n");
}
