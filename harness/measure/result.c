/* Figures that follow from the plain data of a result. */
#include "measure/result.h"

#include "base/numbers.h"
#include "measure/counters/counters.h"
#include "series/registry.h"

#include <stdlib.h>
#include <string.h>

void lab_times_summarise(struct lab_times *time, const double *samples, int count)
{
    double sorted[count];
    memcpy(sorted, samples, sizeof sorted);
    lab_sort(sorted, count);
    time->reps = count;
    time->min = sorted[0];
    time->max = sorted[count - 1];
    time->median = lab_median(sorted, count);
    time->sample_count = count < LAB_MAX_SAMPLES ? count : LAB_MAX_SAMPLES;
    memcpy(time->samples, samples, (size_t)time->sample_count * sizeof *samples);
}

bool lab_result_timed(const struct lab_row *row)
{
    return row->time.reps || row->time.modelled;
}

bool lab_result_shows_errors(const struct lab_result *result)
{
    bool shows = false;
    for (int i = 0; i < result->row_count; i++)
        shows = shows || result->rows[i].shows_error;
    return shows;
}

double lab_result_gflops(const struct lab_result *result, const struct lab_row *row)
{
    return lab_result_timed(row) ? result->facts.flops / (row->time.median * 1e6) : 0.0;
}

double lab_result_gbytes(const struct lab_result *result, const struct lab_row *row)
{
    return lab_result_timed(row) && result->facts.flops == 0.0
               ? result->facts.bytes / (row->time.median * 1e6)
               : 0.0;
}

double lab_result_peak(const struct lab_result *result, const struct lab_row *row)
{
    const char *const type = result->facts.type ? result->facts.type : result->family->type;
    const bool is_library = row && !row->step && !result->is_sim;
    if (strcmp(type, "f64") != 0)
        return result->device->peak_fp32;
    return row && (is_library || row->has_tensor_doubles) ? result->device->peak_tensor_fp64
                                                          : result->device->peak_fp64;
}

const struct lab_row *lab_result_reference(const struct lab_result *result)
{
    const struct lab_row *last = NULL;
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].is_reference && lab_result_timed(&result->rows[i]))
            last = &result->rows[i];
    return last;
}

const struct lab_row *lab_result_of_stage(const struct lab_result *result,
                                          const struct lab_stage *stage)
{
    const struct lab_row *last = NULL;
    for (int i = 0; stage && i < result->row_count; i++)
        if (result->rows[i].stage == stage && lab_result_timed(&result->rows[i]))
            last = &result->rows[i];
    return last;
}

const struct lab_row *lab_result_parent(const struct lab_result *result, const struct lab_row *row)
{
    return row->stage ? lab_result_of_stage(result, lab_registry_stage(row->stage->parent)) : NULL;
}

const struct lab_row *lab_result_first(const struct lab_result *result)
{
    const char *family = result->family->options->name;
    const struct lab_row *first = lab_result_of_stage(result, lab_registry_first_of(family));
    bool is_there = false;
    for (int i = 0; i < result->row_count; i++)
        is_there = is_there || (result->rows[i].stage &&
                                result->rows[i].stage == lab_registry_first_of(family));
    /* the first stage may not do what the problem asks for */
    for (int i = 0; !first && !is_there && i < result->row_count; i++) {
        const struct lab_stage *stage = result->rows[i].stage;
        if (stage && lab_registry_stage(stage->number) == stage &&
            strcmp(lab_registry_entry_of(stage)->family, family) == 0)
            first = lab_result_of_stage(result, stage);
    }
    return first;
}

void lab_result_release(struct lab_result *result)
{
    for (int i = 0; i < result->row_count; i++) {
        lab_lines_free(&result->rows[i].lines);
        lab_per_launch_free(&result->rows[i].per_launch);
    }
    free(result->conclusion.text);
    result->conclusion.text = NULL;
}

enum lab_check_status lab_result_status(const struct lab_result *result)
{
    int skipped = 0, own = 0, unknown = 0;
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        if (row->is_baseline)
            continue;
        own++;
        if (row->check.status == LAB_CHECK_SKIPPED)
            skipped++;
        else if (row->check.status == LAB_CHECK_UNSUPPORTED)
            unknown++;
        else if (row->check.status != LAB_CHECK_OK)
            return row->check.status;
    }
    if (unknown)
        return LAB_CHECK_UNSUPPORTED;
    return skipped && skipped == own ? LAB_CHECK_SKIPPED : LAB_CHECK_OK;
}
