/* The roof is the lower one of two: arithmetic, and what DRAM brings times the operations for a
 * byte that has to move at least. All rows of a run solve one problem, and stand below the same
 * place. */
#include "report/roofline.h"

#include <string.h>

enum { BAR = 30 }; /* a line has 80 columns */

/* Operations a second; 0: not known. */
static double peak_of(const struct lab_result *result)
{
    const char *const type = result->facts.type ? result->facts.type : result->family->type;
    return strcmp(type, "f64") == 0 ? result->device->peak_fp64 : result->device->peak_fp32;
}

static void print_roof(const struct lab_result *result, double each_byte, double roof, FILE *stream)
{
    const double peak = peak_of(result), bandwidth = result->device->peak_dram;
    fprintf(stream,
            "\nroofline: %.3g operations for each byte that has to move at least\n"
            "  %-28s %9.0f GFLOPS%s\n  %-28s %9.0f GFLOPS%s\n",
            each_byte, "arithmetic", 1e-9 * peak, peak <= roof ? ", the roof" : "",
            "DRAM, at that many for a byte", 1e-9 * bandwidth * each_byte,
            peak <= roof ? "" : ", the roof");
}

static void print_bar(const struct lab_row *row, double rate, double roof, FILE *stream)
{
    const int length = (int)(BAR * rate / roof + 0.5);
    fprintf(stream, "  %-28s %9.0f |", row->name, 1e-9 * rate);
    for (int i = 0; i < BAR; i++)
        fputc(i < length ? '#' : ' ', stream);
    fprintf(stream, "| %.1f%%\n", 100.0 * rate / roof);
}

void lab_roofline_print(const struct lab_result *result, FILE *stream)
{
    const double flops = result->facts.flops, bytes = result->facts.bytes;
    const double peak = peak_of(result), bandwidth = result->device->peak_dram;
    bool any = false;
    if (!(flops > 0.0 && bytes > 0.0 && peak > 0.0 && bandwidth > 0.0)) {
        fputs("\nno roofline: the operations of this problem, or the peaks of this device, are not "
              "known\n",
              stream);
        return;
    }
    const double roof = bandwidth * flops / bytes < peak ? bandwidth * flops / bytes : peak;
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *const row = &result->rows[i];
        if (!lab_result_timed(row))
            continue;
        if (!any)
            print_roof(result, flops / bytes, roof, stream);
        any = true;
        print_bar(row, flops / (1e-3 * row->time.median), roof, stream);
    }
    if (!any)
        fputs("\nno roofline: no row has a time\n", stream);
}
