/* Samples are doubles, whichever clock took them. */
#include "base/order.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void lab_sort(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
}

double lab_median(const double *sorted, int count)
{
    return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}
