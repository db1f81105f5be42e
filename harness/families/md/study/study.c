/* The study of step 13: signatures of its kernels, of merged kernels and of pairs at the same time,
 * over the threads of a block, beside the paper's. */
#include "families/md/options.h"
#include "families/md/study/paper.h"
#include "families/md/study/plan.h"
#include "run/study.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* On the simulator K1 would take minutes to look at all pairs of 10000 particles. */
enum { PARTICLES = 10000, PARTICLES_OF_PAIRS = 2000, NAME_BYTES = 32 };

/* First takes a kernel that does next to nothing, for what a launch takes; then a run for each set
 * of kernels, in the order of the forms. */
static int take_runs(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_sweep *sweep)
{
    static const int sizes[] = {PARTICLES, 0}, of_pairs[] = {PARTICLES_OF_PAIRS, 0};
    const bool all = !lab_option_is_other(options, "kernels", "all");
    struct lab_options one = *options;
    one.study = true;
    one.problem.sizes['n' - 'a'] = 1;
    lab_give_own_option(&one, &lab_md_options, "kernels", "7");
    int status = lab_study_take(&one, plan, sweep);
    for (const struct md_form *form = md_forms; form->name && status == LAB_EXIT_OK; form++) {
        if ((form > md_forms && strcmp(form->kernels, form[-1].kernels) == 0) ||
            (!all && lab_option_is_other(options, "kernels", form->kernels)))
            continue;
        one.problem = options->problem;
        lab_give_own_option(&one, &lab_md_options, "kernels", form->kernels);
        status = lab_study_take_sizes(
            &one, sweep->is_sim && strchr(form->kernels, '1') ? of_pairs : sizes, plan, sweep);
    }
    return status;
}

/* The row of a form with so many threads; NULL: it was not run. */
static const struct lab_row *row_of(const struct lab_sweep *sweep, const struct md_form *form,
                                    int threads)
{
    char name[NAME_BYTES];
    const struct lab_row *row = NULL;
    snprintf(name, sizeof name, "%s_%d", form->name, threads);
    for (int r = 1; r < sweep->count && !row; r++)
        row = lab_sweep_row(sweep->runs[r], name);
    return row;
}

/* Microseconds; if nothing is timed, thousands of instructions of warps. */
static double figure_of(const struct lab_row *row, bool has_times)
{
    return !row ? 0.0 : has_times ? 1e3 * row->time.median : 1e-3 * (double)row->instructions;
}

static void put(double value)
{
    lab_sweep_put_cell(stdout, 7, "%.2f", value > 0.0 ? value : NAN);
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
        if (!form->of_paper || !form->microseconds[gpu][MD_BLOCKS - 1])
            continue;
        printf("%-14s  %9.0d", form->of_paper, form->registers[gpu]);
        for (int b = 0; b < MD_BLOCKS; b++)
            put(form->microseconds[gpu][b]);
        putchar('\n');
    }
}

/* The kernels that the paper merges. */
static const char *const merges[] = {"56", "67", "567"};

enum { MERGES = sizeof merges / sizeof *merges, HERE = -1 };

/* A form with a number of threads, and its time; infinite if there is none. */
struct best {
    const struct md_form *form;
    int threads, registers;
    double time;
};

/* The fastest of these kernels over forms and numbers of threads, here or on a GPU of the paper.
 * `apart`: only forms with a launch for each kernel, which the paper does not have. */
static struct best best_of(const struct lab_sweep *sweep, const char *kernels, int gpu, bool apart)
{
    struct best best = {.time = INFINITY};
    for (const struct md_form *form = md_forms; form->name; form++)
        for (int b = 0;
             strcmp(form->kernels, kernels) == 0 && !form->of_paper == apart && b < MD_BLOCKS;
             b++) {
            const struct lab_row *row = row_of(sweep, form, md_blocks[b]);
            const double time = gpu == HERE ? figure_of(row, true) : form->microseconds[gpu][b];
            if (time > 0.0 && time < best.time)
                best =
                    (struct best){form, md_blocks[b],
                                  gpu == HERE ? row->kernel.registers : form->registers[gpu], time};
        }
    return best;
}

static double least(const struct lab_sweep *sweep, const char *kernels, int gpu)
{
    return best_of(sweep, kernels, gpu, false).time;
}

/* Table II, with the times of its kernels. */
static void print_best(const struct lab_sweep *sweep)
{
    puts("\neach kernel at its best: registers, threads of a block, memory, microseconds");
    printf("kernel  %-25s  %-25s  %s\n", "here", md_paper_gpus[0], md_paper_gpus[1]);
    for (char k = '1'; k <= '7'; k++) {
        printf("K%c", k);
        for (int gpu = HERE, gap = 6; gpu < MD_PAPER_GPUS; gpu++, gap = 2) {
            const struct best best = best_of(sweep, (const char[]){k, '\0'}, gpu, false);
            if (best.form)
                printf("%*s%3d  %3d  %s  %7.2f", gap, "", best.registers, best.threads,
                       strstr(best.form->name, "shared") ? "shared" : "global", best.time);
            else
                printf("%*s%25s", gap, "", "");
        }
        putchar('\n');
    }
}

static double launch_of(const struct lab_sweep *sweep, int gpu)
{
    double found = gpu == HERE ? INFINITY : md_paper_launch[gpu];
    for (int i = 0; gpu == HERE && i < sweep->runs[0]->row_count; i++)
        found = fmin(found, figure_of(&sweep->runs[0]->rows[i], true));
    return found;
}

/* Signatures of the kernels alone, and what they predict for the merged kernel: one launch, plus
 * their times without launches, scaled by the bytes that are left. Nothing is fitted. */
static void print_merge(const struct lab_sweep *sweep, int merge, int gpu)
{
    const char *const kernels = merges[merge];
    const double launch = launch_of(sweep, gpu);
    const double merged = least(sweep, kernels, gpu);
    const double bytes = md_merged_part(kernels);
    double apart = 0.0, launches = 0.0;
    for (const char *k = kernels; *k; k++, launches += 1.0)
        apart += least(sweep, (const char[]){*k, '\0'}, gpu);
    const double busy = apart - launches * launch, predicted = launch + busy * bytes;
    if (!isfinite(apart) || !isfinite(merged))
        return;
    printf("%-8s  %-8s  %8.2f  %8.2f  %8.2f  %8.2f  %8.2f  %+5.0f%%  %6.2fx  %7.2fx  %6.2fx\n",
           gpu == HERE ? "here" : md_paper_gpus[gpu], kernels, launch, apart, merged,
           merged - launch, predicted, 100.0 * (predicted / merged - 1.0), apart / merged,
           busy / (merged - launch), 1.0 / bytes);
}

/* Two kernels one after the other and at the same time. Here both are rows, of the same size. */
static void print_pair(const struct lab_sweep *sweep, const char *pair, int gpu)
{
    const double apart = gpu == HERE ? best_of(sweep, pair, gpu, true).time
                                     : least(sweep, (const char[]){pair[0], '\0'}, gpu) +
                                           least(sweep, (const char[]){pair[1], '\0'}, gpu);
    const double together = least(sweep, pair, gpu);
    if (isfinite(apart) && isfinite(together))
        printf("%-8s  %-8s  %8.2f  %8.2f  %5.1f%%\n", gpu == HERE ? "here" : md_paper_gpus[gpu],
               strcmp(pair, "17") == 0 ? "7, 1" : "2, 3", apart, together,
               100.0 * (1.0 - together / apart));
}

static void print_pairs(const struct lab_sweep *sweep)
{
    puts("\nat the same time, in two streams, each at its best; microseconds");
    printf("%-8s  %-8s  %8s  %8s  %6s\n", "", "kernels", "apart", "together", "saved");
    for (int gpu = HERE; gpu < MD_PAPER_GPUS; gpu++) {
        print_pair(sweep, "23", gpu);
        print_pair(sweep, "17", gpu);
    }
}

static void print_merges(const struct lab_sweep *sweep)
{
    puts("\nmerged, each at its best: what their signatures alone predict, what is gained, and "
         "what of "
         "that\nis left when launches are taken off both sides; microseconds");
    printf("%-8s  %-8s  %8s  %8s  %8s  %8s  %8s  %6s  %7s  %8s  %7s\n", "", "kernels", "a launch",
           "apart", "merged", "its work", "predicted", "off", "gain", "of work", "bytes");
    for (int gpu = HERE; gpu < MD_PAPER_GPUS; gpu++)
        for (int merge = 0; merge < MERGES; merge++)
            print_merge(sweep, merge, gpu);
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    const struct lab_result *last = sweep->runs[sweep->count - 1];
    const bool has_times = lab_result_timed(&last->rows[0]);
    printf("sweep %s on %s (%s)\n%s  n=%d\n\n%s over the threads of a block\n", sweep->target,
           sweep->is_sim ? "the simulator" : sweep->device->properties.name, sweep->device->arch,
           last->family->options->title, lab_sweep_size(last, "n"),
           !has_times      ? "thousands of instructions of warps"
           : sweep->is_sim ? "microseconds, modelled from the counters, not measured,"
                           : "microseconds");
    print_here(sweep, has_times);
    if (sweep->is_sim && !lab_options_have_sizes(options))
        printf("\non the simulator K1 has n=%d, in place of %d; -n gives another\n",
               PARTICLES_OF_PAIRS, PARTICLES);
    for (int gpu = 0; gpu < MD_PAPER_GPUS; gpu++) {
        printf("\nthe paper's, %s, n=%d: microseconds, with a launch each\n", md_paper_gpus[gpu],
               PARTICLES);
        print_paper(gpu);
    }
    if (!has_times)
        return;
    print_best(sweep);
    print_merges(sweep);
    print_pairs(sweep);
}

const struct lab_study lab_md_study = {"signatures", take_runs, print, NULL, NULL};
