/* Figures that follow from a result's plain data. */
#include "measure/result.h"

#include "measure/parts.h"

#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void lab_times_summarise(struct lab_times *time, const double *samples, int count)
{
    double sorted[count];
    memcpy(sorted, samples, sizeof sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    time->reps = count;
    time->min = sorted[0];
    time->max = sorted[count - 1];
    time->median =
        count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
    time->sample_count = count < LAB_MAX_SAMPLES ? count : LAB_MAX_SAMPLES;
    memcpy(time->samples, samples, (size_t)time->sample_count * sizeof *samples);
}

bool lab_result_timed(const struct lab_row *row)
{
    return row->time.reps || row->time.modelled;
}

double lab_result_gflops(const struct lab_result *result, const struct lab_row *row)
{
    return lab_result_timed(row) ? result->facts.flops / (row->time.median * 1e6) : 0.0;
}

double lab_result_peak(const struct lab_result *result)
{
    bool is_double = strcmp(result->family->type, "f64") == 0;
    return is_double ? result->device->peak_fp64 : result->device->peak_fp32;
}

const struct lab_row *lab_result_baseline(const struct lab_result *result, const char *target)
{
    const struct lab_row *last = NULL;
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        bool wanted = target[0] ? strcmp(row->target, target) == 0 : row->is_reference;
        if (wanted && lab_result_timed(row))
            last = row;
    }
    return last;
}

void lab_result_release(struct lab_result *result)
{
    for (int i = 0; i < result->row_count; i++) {
        lab_lines_free(&result->rows[i].lines);
        lab_parts_free(&result->rows[i].parts);
    }
    free(result->conclusion.text);
    result->conclusion.text = NULL;
}

enum lab_check_status lab_result_status(const struct lab_result *result)
{
    for (int i = 0; i < result->row_count; i++)
        if (!result->rows[i].is_baseline && result->rows[i].check.status != LAB_CHECK_OK)
            return result->rows[i].check.status;
    return LAB_CHECK_OK;
}
