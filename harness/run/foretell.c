/* The simulator's speed depends on the kernel: what a thread computes in registers costs it least.
 * The rates are means of measured runs, good enough to warn of a run of three minutes and not of
 * one of twenty seconds; if they are wrong, the first rows show it. */
#include "run/foretell.h"

#include "base/time.h"
#include "base/status.h"
#include "options/family.h"
#include "run/plan.h"
#include "series/registry.h"

#include <math.h>
#include <stdio.h>

static const double LONG = 60.0; /* seconds */

/* Operations a second for families that do not give a rate, and bytes a second for families without
 * operations. Operations take COUNTING times as long if accesses are counted, and PLAIN times if
 * each thread computes one value. */
static const double RATE = 2.8e9, BYTES = 1e8, COUNTING = 5.0, PLAIN = 1.6;

enum { LAUNCHES = 2 };

/* The relative time of a row. The first stage of a problem is the plain one. */
static double weight_of(const struct lab_row *row)
{
    if (row->is_reference)
        return 0.0;
    return row->stage && !row->stage->parent[0] ? PLAIN : 1.0;
}

double lab_foretell_seconds(const struct lab_result *result, bool counts)
{
    const double flops = result->facts.flops;
    const double rate = result->family->simulated > 0.0 ? result->family->simulated : RATE;
    double rows = 0.0;
    for (int i = 0; i < result->row_count; i++)
        rows += weight_of(&result->rows[i]);
    return LAUNCHES * rows *
           (flops > 0.0 ? flops / rate * (counts ? COUNTING : 1.0) : result->facts.bytes / BYTES);
}

/* " -m 512 takes seconds": advises the default size, which is smaller if accesses are counted. */
static void write_advice(const struct lab_options *options, const struct lab_result *result,
                         bool counts, char *text, size_t size)
{
    const struct lab_size *first = &result->facts.sizes[0];
    const int slice = result->family->options->slice_size;
    const int least = counts && slice > 0 ? slice : lab_run_plan_sim_size(options);
    if (result->facts.size_count && first->value > least)
        snprintf(text, size, "-%s %d takes seconds", first->name, least);
    else
        snprintf(text, size, "a variant alone, with --variant, takes less");
}

static void tell(struct lab_foretold *foretold, const struct lab_options *options,
                 const struct lab_result *result, double seconds)
{
    char advice[96], takes[48];
    if (!foretold->is_wanted || foretold->is_told || seconds < LONG)
        return;
    foretold->is_told = true;
    write_advice(options, result, foretold->counts, advice, sizeof advice);
    if (seconds < 1.5 * LONG)
        snprintf(takes, sizeof takes, "a minute or more");
    else if (seconds < 60.0 * LONG)
        snprintf(takes, sizeof takes, "about %.0f minutes", seconds / 60.0);
    else
        snprintf(takes, sizeof takes, "about %.0f hours", ceil(seconds / 3600.0));
    lab_complain(LAB_EXIT_OK, "this will take the simulator %s; %s", takes, advice);
}

void lab_foretell(struct lab_foretold *foretold, const struct lab_options *options,
                  const struct lab_result *result, bool counts)
{
    const bool is_run =
        options->command == LAB_COMMAND_RUN || options->command == LAB_COMMAND_COMPARE;
    *foretold = (struct lab_foretold){.start = lab_clock_seconds(),
                                      .is_wanted = is_run && result->is_sim && !options->thorough &&
                                                   !options->under_tool,
                                      .counts = counts};
    tell(foretold, options, result, lab_foretell_seconds(result, counts));
}

/* The remaining rows are taken to be three times as fast, as they may be. */
void lab_foretell_again(struct lab_foretold *foretold, const struct lab_options *options,
                        const struct lab_result *result, int done)
{
    const double seconds = lab_clock_seconds() - foretold->start;
    const double left = seconds / done * (result->row_count - done) / 3.0;
    if (left > 0.0)
        tell(foretold, options, result, seconds + left);
}
