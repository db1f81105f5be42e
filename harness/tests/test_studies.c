/* Which runs the studies are of, on a GPU and on the simulator. Concerns studies. */
#include "run/study.h"

#include <criterion/criterion.h>
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
                   {"forms", "gemm", 2 * 4 * 16, 2 * 4 * 4, true, true},
                   {"microtiles", "kernel_summation", 20 + 20 + 4, 8 + 8 + 4, true, false},
                   {"report", "trmm", 1, 1, false, true},
                   {"report", "syr2k", 3, 1, false, true},
                   {"paths", "apsp", 8 * 3, 3 * 3, true, false},
                   {"signatures", "md", 15, 15, false, true},
                   {"designs", "md", 3, 3, false, false}};
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
