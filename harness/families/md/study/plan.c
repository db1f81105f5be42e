/* Which design of a time step is the fastest? Three kinds of runs say it:
 *
 * 1. every design on one particle: its launches, waits and hand-overs, with next to no work;
 * 2. the signature of each kernel, alone: what its launch takes for n particles and for one;
 * 3. every design on n particles.
 *
 * From 1 and 2 follows what 3 will take: a design's time on one particle, plus the time that the
 * kernels on its longest path take more for n. For merged kernels that time is scaled by the part
 * of their values that is left. Nothing is fitted. All of it is printed, and written to a file
 * where one is given, before the third kind is run. */
#include "families/md/study/plan.h"

#include "families/md/md.h"
#include "families/md/options.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 7 };

/* The stages' rows that a problem in open space has. In a path a word is a launch and a letter is a
 * kernel. Of launches side by side the path has the one that takes longest. */
static const struct design {
    const char *row, *path;
} designs[] = {
    {"slices", "1 2 3 4 5 6 7"}, {"seven_graph", "1 2 3 4 5 6 7"}, {"merged", "1 2 3 4 567"},
    {"one_launch", "1 234567"},  {"streams", "1 3 567"},           {"graph", "1 3 567"},
    {"all_steps", "1234567"},
};

enum { DESIGNS = sizeof designs / sizeof *designs };

static unsigned kernel_set(char kernel)
{
    return LAB_MD_K1 << (kernel - '1');
}

double md_merged_part(const char *kernels)
{
    unsigned merged = 0;
    int apart = 0;
    for (; *kernels; kernels++)
        if (*kernels != '1') {
            merged |= kernel_set(*kernels);
            apart += md_values(kernel_set(*kernels));
        }
    return apart ? (double)md_values(merged) / apart : 1.0;
}

/* --- predictions -------------------------------------------------------------------------------*/

/* Milliseconds, by the number of the kernel; 0 if the problem does not have it. */
struct signatures {
    double of_one[KERNELS + 1], of_all[KERNELS + 1];
};

static void read_signatures(const struct lab_row *row, unsigned kernels, double ms[])
{
    int launch = 0;
    for (int k = 1; k <= KERNELS; k++)
        if (kernels & kernel_set((char)('0' + k)))
            ms[k] = row->launch_ms[launch++];
}

/* What n particles take more than one particle, along the design's path. K1 looks at pairs, and a
 * merge saves none of them. */
static double work_of(const struct design *design, const struct signatures *s)
{
    char path[32];
    double sum = 0.0;
    snprintf(path, sizeof path, "%s", design->path);
    for (char *launch = strtok(path, " "); launch; launch = strtok(NULL, " ")) {
        const double left = md_merged_part(launch);
        for (const char *k = launch; *k; k++) {
            const int kernel = *k - '0';
            const double more = fmax(s->of_all[kernel] - s->of_one[kernel], 0.0);
            sum += kernel == 1 ? more : left * more;
        }
    }
    return sum;
}

/* A design's three times. */
struct forecast {
    const struct design *design;
    double one, predicted, measured;
};

static int by_prediction(const void *a, const void *b)
{
    const double x = ((const struct forecast *)a)->predicted,
                 y = ((const struct forecast *)b)->predicted;
    return (x > y) - (x < y);
}

static double ms_of(const struct lab_result *run, const char *name)
{
    const struct lab_row *row = lab_sweep_row(run, name);
    return row && lab_result_timed(row) ? row->time.median : 0.0;
}

enum { ONE, ALONE, ALL }; /* runs of the sweep */

static unsigned kernels_of(const struct lab_options *options)
{
    return ((const struct md_options *)lab_own_options(options, &lab_md_options))->kernels;
}

/* Predicts all designs, the fastest first. */
static int predict(const struct lab_options *options, const struct lab_sweep *sweep,
                   struct forecast forecasts[DESIGNS], struct signatures *s)
{
    int count = 0;
    const struct lab_row *one = lab_sweep_row(sweep->runs[ONE], "slices"),
                         *all = lab_sweep_row(sweep->runs[ALONE], "slices");
    *s = (struct signatures){0};
    if (!one || !all || !(one->launch_ms[0] > 0.0) || !(all->launch_ms[0] > 0.0))
        return 0;
    read_signatures(one, kernels_of(options), s->of_one);
    read_signatures(all, kernels_of(options), s->of_all);
    for (int d = 0; d < DESIGNS; d++) {
        const double of_one = ms_of(sweep->runs[ONE], designs[d].row);
        if (of_one > 0.0)
            forecasts[count++] =
                (struct forecast){&designs[d], of_one, of_one + work_of(&designs[d], s), 0.0};
    }
    qsort(forecasts, (size_t)count, sizeof *forecasts, by_prediction);
    return count;
}

/* --- what is printed ---------------------------------------------------------------------------*/

static const char *shown_path(const struct design *design, unsigned kernels)
{
    const bool has_no_k1 = !(kernels & LAB_MD_K1);
    return design->path + (has_no_k1 ? 1 + (design->path[1] == ' ') : 0);
}

static void print_predictions(const struct lab_options *options, const struct lab_sweep *sweep)
{
    struct forecast forecasts[DESIGNS];
    struct signatures s;
    const unsigned kernels = kernels_of(options);
    const struct lab_result *run = sweep->runs[ALONE];
    const int count = predict(options, sweep, forecasts, &s);
    printf("plan %s on %s (%s)\n%s  n=%d%s\n\n", sweep->target,
           sweep->is_sim ? "the simulator" : sweep->device->properties.name, sweep->device->arch,
           run->family->options->title, lab_sweep_size(run, "n"),
           kernels & LAB_MD_K1 ? "" : ", without the forces");
    puts("signatures, alone, with a launch each; microseconds\n\n"
         "kernel  particle 1  particles n  values of a particle");
    for (int k = 1; k <= KERNELS; k++)
        if (s.of_all[k] > 0.0)
            printf("K%d      %10.2f  %11.2f  %20d\n", k, 1e3 * s.of_one[k], 1e3 * s.of_all[k],
                   md_values(kernel_set((char)('0' + k))));
    puts("\ndesigns by what they are to take, before any of them is run on n particles; "
         "microseconds\n\n"
         "design       longest path        particle 1  predicted");
    for (int i = 0; i < count; i++)
        printf("%-11s  %-18s  %10.2f  %9.2f\n", forecasts[i].design->row,
               shown_path(forecasts[i].design, kernels), 1e3 * forecasts[i].one,
               1e3 * forecasts[i].predicted);
    fflush(stdout);
}

struct written {
    const struct lab_options *options;
    const struct lab_sweep *sweep;
};

/* Times are in milliseconds, as in all JSON. Designs are in the order of their ranks. */
static void put_forecast(struct lab_json_writer *w, const void *subject)
{
    const struct written *written = subject;
    const unsigned kernels = kernels_of(written->options);
    struct forecast forecasts[DESIGNS];
    struct signatures s;
    const int count = predict(written->options, written->sweep, forecasts, &s);
    lab_json_integer(w, "n", lab_sweep_size(written->sweep->runs[ALONE], "n"));
    lab_json_begin(w, "signatures", '[');
    for (int k = 1; k <= KERNELS; k++)
        if (s.of_all[k] > 0.0) {
            lab_json_begin(w, NULL, '{');
            lab_json_integer(w, "kernel", k);
            lab_json_number(w, "one_ms", s.of_one[k]);
            lab_json_number(w, "all_ms", s.of_all[k]);
            lab_json_integer(w, "values", md_values(kernel_set((char)('0' + k))));
            lab_json_end(w, '}');
        }
    lab_json_end(w, ']');
    lab_json_begin(w, "designs", '[');
    for (int i = 0; i < count; i++) {
        lab_json_begin(w, NULL, '{');
        lab_json_integer(w, "rank", i + 1);
        lab_json_string(w, "name", forecasts[i].design->row);
        lab_json_string(w, "path", shown_path(forecasts[i].design, kernels));
        lab_json_number(w, "one_ms", forecasts[i].one);
        lab_json_number(w, "predicted_ms", forecasts[i].predicted);
        lab_json_end(w, '}');
    }
    lab_json_end(w, ']');
}

static int write_forecast(const struct lab_options *options, const struct lab_sweep *sweep)
{
    return lab_json_write_other(sweep->target, sweep->device, put_forecast,
                                &(struct written){options, sweep}, options->forecast);
}

/* A design's place by measured time, from 1. */
static int place_of(const struct forecast *forecasts, int count, int which)
{
    int place = 1;
    for (int i = 0; i < count; i++)
        place += forecasts[i].measured < forecasts[which].measured;
    return place;
}

static void print(const struct lab_options *options, const struct lab_sweep *sweep)
{
    struct forecast forecasts[DESIGNS];
    struct signatures s;
    const int count = predict(options, sweep, forecasts, &s);
    for (int i = 0; i < count; i++)
        forecasts[i].measured = ms_of(sweep->runs[ALL], forecasts[i].design->row);
    printf("\nthe same, %s\n\ndesign       predicted  %s  off  place\n",
           sweep->is_sim ? "and as it is modelled" : "and measured",
           sweep->is_sim ? "modelled" : "measured");
    for (int i = 0; i < count; i++)
        printf("%-11s  %9.2f  %8.2f  %+3.0f%%  %5d\n", forecasts[i].design->row,
               1e3 * forecasts[i].predicted, 1e3 * forecasts[i].measured,
               100.0 * (forecasts[i].predicted / forecasts[i].measured - 1.0),
               place_of(forecasts, count, i));
}

/* --- runs --------------------------------------------------------------------------------------*/

static int take_runs(const struct lab_options *options, const struct lab_run_plan *plan,
                     struct lab_sweep *sweep)
{
    const bool prints = !(options->json && strcmp(options->json, "-") == 0);
    struct lab_options one = *options, alone = *options;
    one.problem.sizes['n' - 'a'] = 1;
    alone.variant = "slices";
    int status = lab_study_take(&one, plan, sweep);
    if (status == LAB_EXIT_OK)
        status = lab_study_take(&alone, plan, sweep);
    if (status == LAB_EXIT_OK && prints)
        print_predictions(options, sweep);
    if (status == LAB_EXIT_OK && options->forecast)
        status = write_forecast(options, sweep);
    return status == LAB_EXIT_OK ? lab_study_take(options, plan, sweep) : status;
}

const struct lab_study lab_md_plan = {NULL, take_runs, print, NULL, NULL};
