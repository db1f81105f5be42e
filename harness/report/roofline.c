/* The roof is the lower of two limits: the peak of arithmetic, and DRAM bandwidth times the
 * operations for each byte that must move. All rows of a run solve one problem, so they have one
 * roof. The bytes that a row moved at each level are known if it has counters. */
#include "report/terminal.h"

#include "measure/model/model.h"

#include <math.h>
#include <string.h>

enum { BAR = 16 }; /* a line has 80 columns */

static void print_roof(double intensity, double peak, double bandwidth, FILE *stream)
{
    const double fed = bandwidth * intensity;
    fprintf(stream, "\nroofline: %.3g operations for each byte that has to move at least\n",
            intensity);
    fprintf(stream, "  the roof is %s, %.0f GFLOPS; ", fed < peak ? "DRAM" : "arithmetic",
            1e-9 * (fed < peak ? fed : peak));
    fprintf(stream, fed < peak ? "arithmetic could do %.0f\n" : "DRAM could feed %.0f\n",
            1e-9 * (fed < peak ? peak : fed));
}

/* Prints what a level moved as a share of what it could move in that time; nothing if unknown. */
static void print_share(double bytes, double seconds, double peak, FILE *stream)
{
    if (bytes > 0.0 && peak > 0.0)
        fprintf(stream, " %5.1f%%", 100.0 * bytes / seconds / peak);
    else
        fprintf(stream, " %6s", "");
}

static void print_row(const struct lab_result *result, const struct lab_row *row, double roof,
                      FILE *stream)
{
    const struct lab_device *const device = result->device;
    const double seconds = 1e-3 * row->time.median, rate = result->facts.flops / seconds;
    const int length = (int)(BAR * rate / roof + 0.5);
    struct lab_model_work work;
    fprintf(stream, "  %-22s %7.0f |", row->name, 1e-9 * rate);
    for (int i = 0; i < BAR; i++)
        fputc(i < length ? '#' : ' ', stream);
    fprintf(stream, "| %5.1f%%", 100.0 * rate / roof);
    if (lab_model_read_work(&row->counters, &work)) {
        print_share(LAB_WAVEFRONT_BYTES * work.wavefronts, seconds, device->peak_pipe, stream);
        print_share(work.has_caches ? work.l2_bytes : 0.0, seconds, device->peak_l2, stream);
        print_share(work.has_caches ? work.dram_bytes : 0.0, seconds, device->peak_dram, stream);
    }
    fputc('\n', stream);
}

static bool has_shares(const struct lab_result *result)
{
    struct lab_model_work work;
    for (int i = 0; i < result->row_count; i++)
        if (lab_model_read_work(&result->rows[i].counters, &work))
            return true;
    return false;
}

void lab_roofline_print(const struct lab_result *result, FILE *stream)
{
    const double flops = result->facts.flops, bytes = result->facts.bytes;
    const double peak = lab_result_peak(result, NULL), bandwidth = result->device->peak_dram;
    const bool shares = has_shares(result);
    bool any = false;
    if (!(flops > 0.0 && bytes > 0.0 && peak > 0.0 && bandwidth > 0.0)) {
        fputs("\nno roofline: the operations of this problem, or the peaks of this device, are not "
              "known\n",
              stream);
        return;
    }
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *const row = &result->rows[i];
        if (!lab_result_timed(row))
            continue;
        if (!any) {
            print_roof(flops / bytes, peak, bandwidth, stream);
            fprintf(stream, "  %-22s %7s %*s %6s%s\n", "", "GFLOPS", BAR + 2, "", "roof",
                    shares ? "   pipe     L2   DRAM" : "");
        }
        any = true;
        print_row(result, row, fmin(bandwidth * flops / bytes, lab_result_peak(result, row)),
                  stream);
    }
    if (!any)
        fputs("\nno roofline: no variant has a time\n", stream);
    else if (shares)
        fputs("  pipe, L2, DRAM: what a variant moved there, of what could move in its time; the "
              "pipe\n"
              "  is that of L1 and shared memory, which moves 128 bytes a cycle, needed or not\n",
              stream);
}
