/* Turns counters into the few figures that a family shows in place of times. */
#include "measure/counted.h"

#include <math.h>

static double figure_of(const struct lab_counters *counters, const struct lab_counted *counted)
{
    double value, per = 1.0;
    if (!counted->title || !lab_counters_get(counters, counted->counter, &value) ||
        (counted->per && !lab_counters_get(counters, counted->per, &per)) || per <= 0.0)
        return NAN;
    return value / per;
}

void lab_counted_rows(struct lab_result *result)
{
    result->counted = true;
    for (int i = 0; i < result->row_count; i++)
        for (int c = 0; c < LAB_MAX_COUNTED; c++)
            result->rows[i].counted[c] =
                figure_of(&result->rows[i].counters, &result->family->counted[c]);
}
