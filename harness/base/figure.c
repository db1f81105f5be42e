/* With commas, thousands and millions can be told apart at a glance. */
#include "base/figure.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
