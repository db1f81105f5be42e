/* The study of step 13: signatures of K5, K6 and K7 and of what they are merged to, over the
 * threads of a block, beside the paper's. */
#include "families/md/options.h"
#include "families/md/study/paper.h"
#include "run/study.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTICLES = 10000, NAME_BYTES = 32 };

/* A run for each set of kernels, in the order of the forms. */
static int take_runs(const struct lab_options *options, const struct lab_counting *counting,
                     struct lab_sweep *sweep)
{
    static const int sizes[] = {PARTICLES, 0};
    const bool all = !lab_option_is_other(options, "kernels", "all");
    int status = LAB_EXIT_OK;
    for (const struct md_form *form = md_forms; form->name && status == LAB_EXIT_OK; form++) {
        if ((form > md_forms && strcmp(form->kernels, form[-1].kernels) == 0) ||
            (!all && lab_option_is_other(options, "kernels", form->kernels)))
            continue;
        struct lab_options one = *options;
        one.command = LAB_COMMAND_RUN;
        one.study = true;
        lab_give_own_option(&one, &lab_md_options, "kernels", form->kernels);
        status = lab_study_take_sizes(&one, sizes, counting, sweep);
    }
    return status;
}

/* The row of a form with so many threads; NULL: it was not taken. */
static const struct lab_row *row_of(const struct lab_sweep *sweep, const struct md_form *form,
                                    int threads)
{
    char name[NAME_BYTES];
    const struct lab_row *row = NULL;
    snprintf(name, sizeof name, "%s_%d", form->name, threads);
    for (int r = 0; r < sweep->count && !row; r++)
        row = lab_sweep_row(sweep->runs[r], name);
    return row;
}

/* Microseconds; where nothing is timed, thousands of instructions of warps. */
static double figure_of(const struct lab_row *row, bool has_times)
{
    return !row ? 0.0 : has_times ? 1e3 * row->time.median : 1e-3 * (double)row->instructions;
}

static void put(double value)
{
    char cell[16] = "";
    if (value > 0.0)
        snprintf(cell, sizeof cell, "%.2f", value);
    printf("  %7s", cell);
}

/* A line for each form: the most registers that it has, and a figure for each number of threads. */
static void print_here(const struct lab_sweep *sweep, bool has_times)
{
    printf("%-14s  registers", "form");
    for (int b = 0; b < MD_BLOCKS; b++)
        printf("  %7d", md_blocks[b]);
    putchar('\n');
    for (const struct md_form *form = md_forms; form->name; form++) {
        int registers = 0;
        for (int b = 0; b < MD_BLOCKS; b++) {
            const struct lab_row *row = row_of(sweep, form, md_blocks[b]);
            registers =
                row && row->kernel.registers > registers ? row->kernel.registers : registers;
        }
        if (!registers)
            continue;
        printf("%-14s  %9d", form->name, registers);
        for (int b = 0; b < MD_BLOCKS; b++)
            put(figure_of(row_of(sweep, form, md_blocks[b]), has_times));
        putchar('\n');
    }
}

static void print_paper(int gpu)
{
    for (const struct md_form *form = md_forms; form->name; form++) {
        if (!form->of_paper)
            continue;
        printf("%-14s  %9d", form->of_paper, form->registers[gpu]);
        for (int b = 0; b < MD_BLOCKS; b++)
            put(form->microseconds[gpu][b]);
        putchar('\n');
    }
}

/* What merging may save of the bytes: values of a particle that are read and written, of the
 * kernels one after another and merged. */
static const struct {
    const char *kernels;
    int apart, merged;
} values[] = {{"56", 24, 18}, {"67", 18, 15}, {"567", 30, 21}};

/* The least over forms of these kernels and numbers of threads. `gpu`: of the paper; -1: here, of
 * the kernels one after another or of what they are merged to. */
static double least(const struct lab_sweep *sweep, const char *kernels, int gpu, bool apart)
{
    double found = INFINITY;
    for (const struct md_form *form = md_forms; form->name; form++)
        for (int b = 0; strcmp(form->kernels, kernels) == 0 && b < MD_BLOCKS; b++) {
            const double value = gpu >= 0 ? form->microseconds[gpu][b]
                                 : (strstr(form->name, "apart") != NULL) == apart
                                     ? figure_of(row_of(sweep, form, md_blocks[b]), true)
                                     : 0.0;
            found = value > 0.0 && value < found ? value : found;
        }
    return found;
}

/* What merging gains, and what of that is launches: a launch less for each kernel merged. */
static void print_gains(const struct lab_sweep *sweep)
{
    printf(
        "\nleast time of kernels one after another, over the least merged; and without launches\n"
        "%-8s  %6s  %14s",
        "kernels", "bytes", "here");
    for (int gpu = 0; gpu < MD_PAPER_GPUS; gpu++)
        printf("  %15s", md_paper_gpus[gpu]);
    putchar('\n');
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const char *kernels = values[i].kernels;
        const double count = (double)strlen(kernels);
        printf("%-8s  %5.2fx", kernels, (double)values[i].apart / values[i].merged);
        const double here = least(sweep, kernels, -1, true) / least(sweep, kernels, -1, false);
        if (isfinite(here))
            printf("  %13.2fx", here);
        else
            printf("  %14s", "");
        for (int gpu = 0; gpu < MD_PAPER_GPUS; gpu++) {
            const double launch = md_paper_launch[gpu], merged = least(sweep, kernels, gpu, false);
            double apart = 0.0;
            for (const char *k = kernels; *k; k++)
                apart += least(sweep, (const char[]){*k, '\0'}, gpu, false);
            printf("  %6.2fx, %5.2fx", apart / merged,
                   (apart - count * launch) / (merged - launch));
        }
        putchar('\n');
    }
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    const struct lab_result *first = sweep->runs[0];
    const bool has_times = lab_result_timed(&first->rows[0]);
    (void)options;
    printf("sweep %s on %s (%s)\n%s  n=%d\n\n%s over the threads of a block\n", sweep->target,
           sweep->is_sim ? "the simulator" : sweep->device->properties.name, sweep->device->arch,
           first->family->options->title, lab_sweep_size(first, "n"),
           !has_times      ? "thousands of instructions of warps"
           : sweep->is_sim ? "microseconds, modelled from the counters, not measured,"
                           : "microseconds");
    print_here(sweep, has_times);
    for (int gpu = 0; gpu < MD_PAPER_GPUS; gpu++) {
        printf("\nthe paper's, %s, n=%d: microseconds, with a launch each\n", md_paper_gpus[gpu],
               PARTICLES);
        print_paper(gpu);
    }
    if (has_times)
        print_gains(sweep);
}

const struct lab_study lab_md_study = {"signatures", take_runs, print, NULL, NULL};
