/* Numbers: sorted, their median, and as tables show them. */
#include "base/numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- order -------------------------------------------------------------------------------------*/

/* Samples are doubles, whichever clock took them. */

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

/* --- figures -----------------------------------------------------------------------------------*/

/* With commas, thousands and millions can be told apart at a glance. */

void lab_figure_write(char text[LAB_FIGURE_BYTES], double value)
{
    char plain[LAB_FIGURE_BYTES];
    const bool whole = value == floor(value);
    if (!(fabs(value) < 1e15)) {
        snprintf(text, LAB_FIGURE_BYTES, "%.6g", value);
        return;
    }
    snprintf(plain, sizeof plain, whole ? "%.0f" : fabs(value) < 100.0 ? "%.2f" : "%.1f", value);
    int digits = (int)strcspn(plain, "."), out = 0;
    for (int i = 0; plain[i]; i++) {
        if (i > 0 && i < digits && (digits - i) % 3 == 0 && plain[i - 1] != '-')
            text[out++] = ',';
        text[out++] = plain[i];
    }
    text[out] = '\0';
}
