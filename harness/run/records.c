/* What a study may show of its runs, one figure on each line. A name here is the name in the awk
 * programs of harness/studies/. */
#include "run/study.h"

#include "measure/counters/counters.h"
#include "measure/timing/nvml.h"
#include "options/family.h"
#include "series/registry.h"

#include <string.h>

/* Where figures go, and what each line begins with: "row 3 1". */
struct place {
    FILE *stream;
    char of[32];
};

static void put_text(const struct place *place, const char *name, const char *text)
{
    if (text && *text)
        fprintf(place->stream, "%s\t%s\t%s\n", place->of, name, text);
}

/* 17 digits tell any two figures apart. */
static void put(const struct place *place, const char *name, double value)
{
    fprintf(place->stream, "%s\t%s\t%.17g\n", place->of, name, value);
}

static void put_known(const struct place *place, const char *name, double value)
{
    if (value > 0.0)
        put(place, name, value);
}

/* --- the sweep ---------------------------------------------------------------------------------*/

/* What was asked for matters to a note on what else could be. */
static void put_sweep(const struct lab_sweep *sweep, const struct lab_options *options,
                      FILE *stream)
{
    const struct place place = {stream, "sweep"};
    char name[] = "given.x";
    put_text(&place, "target", sweep->target);
    put_known(&place, "is_sim", sweep->is_sim);
    put_text(&place, "device", sweep->device->properties.name);
    put_text(&place, "arch", sweep->device->arch);
    put(&place, "sms", sweep->device->properties.multiProcessorCount);
    put(&place, "whole_sms", sweep->device->whole_sms);
    put_known(&place, "has_sizes", lab_options_have_sizes(options));
    put_known(&place, "with_copies", options->with_copies);
    put_known(&place, "given.sms", options->sms != 0);
    for (int i = 0; i < LAB_LETTERS; i++) {
        name[sizeof name - 2] = (char)('a' + i);
        put_known(&place, name, options->problem.sizes[i]);
    }
    for (int i = 0; i < options->problem.given_count; i++) {
        char own[64];
        snprintf(own, sizeof own, "given.%s", options->problem.given[i].name);
        put_text(&place, own, options->problem.given[i].text);
    }
}

/* --- a run -------------------------------------------------------------------------------------*/

static void put_index(const struct place *place, const char *name, const struct lab_result *run,
                      const struct lab_row *row)
{
    if (row)
        put(place, name, (double)(row - run->rows) + 1);
}

static void put_run(const struct lab_result *run, int number, FILE *stream)
{
    struct place place = {.stream = stream};
    const struct lab_problem_facts *facts = &run->facts;
    const struct lab_row *const reference = lab_result_reference(run);
    const char *const family = run->family->options->name;
    snprintf(place.of, sizeof place.of, "run\t%d", number);
    put_text(&place, "target", run->target);
    put_text(&place, "family", family);
    put_text(&place, "title", run->family->options->title);
    put_text(&place, "type", facts->type);
    put_text(&place, "usual_type", run->family->type);
    put_text(&place, "form", facts->form);
    for (int i = 0; i < facts->size_count; i++)
        put(&place, facts->sizes[i].name, (double)facts->sizes[i].value);
    fprintf(stream, "%s\tsizes\t", place.of);
    for (int i = 0; i < facts->size_count; i++)
        fprintf(stream, "%s%s=%ld", i ? "  " : "", facts->sizes[i].name, facts->sizes[i].value);
    fprintf(stream, "\n%s\tfactors\t", place.of);
    for (int i = 0; i < facts->factor_count; i++)
        fprintf(stream, "  %s=%g", facts->factors[i].name, facts->factors[i].value);
    fputc('\n', stream);
    put_known(&place, "flops", facts->flops);
    put_known(&place, "peak_fp32", run->device->peak_fp32);
    put(&place, "rows", run->row_count);
    put_text(&place, "reference", run->family->reference);
    put_index(&place, "base", run, reference ? reference : lab_result_first(run));
    put_index(&place, "timed_reference", run, reference);
    put_index(&place, "first_stage", run, lab_result_of_stage(run, lab_registry_first_of(family)));
    for (int i = 0; i < run->conclusion.figure_count; i++)
        put(&place, run->conclusion.figures[i].name, run->conclusion.figures[i].value);
}

/* --- a row -------------------------------------------------------------------------------------*/

static void put_kernel(const struct place *place, const struct lab_kernel_facts *kernel)
{
    if (!kernel->known)
        return;
    put(place, "registers", kernel->registers);
    put(place, "shared_bytes", (double)kernel->shared_bytes);
    put(place, "local_bytes", (double)kernel->local_bytes);
    put(place, "occupancy", kernel->occupancy);
    put(place, "threads_x", kernel->block[0]);
}

static void put_counts(const struct place *place, const struct lab_row *row,
                       const struct lab_device *device)
{
    struct lab_energy_model model;
    double misses;
    for (int i = 0; i < row->counters.count; i++)
        put(place, row->counters.list[i].name, row->counters.list[i].value);
    if (lab_counters_misses(&row->counters, &misses))
        put(place, "misses", misses);
    if (!lab_energy_from_counters(&row->counters, device, &model))
        return;
    put(place, "joules_arithmetic", model.arithmetic);
    put(place, "joules_shared", model.shared);
    put(place, "joules_l2", model.l2);
    put(place, "joules_dram", model.dram);
    put(place, "joules_modelled", lab_energy_total(&model));
}

/* The name comes first, so that the others can be found by it. */
static void put_row(const struct lab_result *run, int r, int i, FILE *stream)
{
    struct place place = {.stream = stream};
    const struct lab_row *const row = &run->rows[i];
    const bool is_ok = row->check.status == LAB_CHECK_OK;
    snprintf(place.of, sizeof place.of, "row\t%d\t%d", r, i + 1);
    put_text(&place, "name", row->name);
    put_known(&place, "is_ok", is_ok);
    put_known(&place, "is_of_study", lab_registry_is_study(row->stage));
    put_known(&place, "is_baseline", row->is_baseline);
    put_known(&place, "is_reference", row->is_reference);
    if (row->check.status == LAB_CHECK_SKIPPED)
        put_text(&place, "skipped", row->check.message);
    if (is_ok && lab_result_timed(row)) {
        put(&place, "ms", row->time.median);
        put_known(&place, "gflops", lab_result_gflops(run, row));
    }
    put_known(&place, "with_copies_ms", row->with_copies_ms);
    put_known(&place, "spills", row->time.local_bytes > 0);
    put_known(&place, "joules", row->energy.joules);
    put_known(&place, "instructions", (double)row->instructions);
    put_kernel(&place, &row->kernel);
    for (int k = 0; k < LAB_MAX_NAMED; k++) {
        char name[32];
        snprintf(name, sizeof name, "launch%d_ms", k + 1);
        put_known(&place, name, row->launch_ms[k]);
    }
    if (is_ok)
        put_counts(&place, row, run->device);
}

void lab_records_write(const struct lab_sweep *sweep, const struct lab_options *options,
                       FILE *stream)
{
    put_sweep(sweep, options, stream);
    for (int r = 0; r < sweep->count; r++) {
        put_run(sweep->runs[r], r + 1, stream);
        for (int i = 0; i < sweep->runs[r]->row_count; i++)
            put_row(sweep->runs[r], r + 1, i, stream);
    }
}
