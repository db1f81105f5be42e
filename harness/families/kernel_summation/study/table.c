/* The tables of a parameter study. A missing value is left empty, never 0. */
#include "families/kernel_summation/study/table.h"

#include "families/kernel_summation/study/layouts.h"
#include "measure/timing/energy.h"

#include <math.h>
#include <string.h>

/* J. Wang, A. Khawaja, G. Biros, A. Gerstlauer, L. John, "Optimizing GPGPU Kernel Summation for
 * Performance and Energy Efficiency", tables II and III. */
static const struct lab_paper_values paper[] = {
    {32, 1024, 19.92, 33.14, 31.3},    {32, 131072, 29.30, 50.86, 32.5},
    {32, 524288, 29.02, 51.05, 32.5},  {64, 1024, 31.15, 41.86, 18.7},
    {64, 131072, 45.22, 57.01, 23.6},  {64, 524288, 36.83, 56.26, 23.4},
    {128, 1024, 44.32, 49.08, 10.2},   {128, 131072, 62.15, 60.03, 14.8},
    {128, 524288, 61.76, 50.29, 13.1}, {256, 1024, 58.42, 53.75, 3.5},
    {256, 131072, 74.02, 62.90, 8.5},  {256, 524288, 74.15, 62.05, 7.2},
};

static const char *const names[] = {"cublas_unfused", "cublas_gemv", "cuda_unfused", "fused",
                                    "fused_fast"};
enum { NAMES = sizeof names / sizeof *names, FIRST_FUSED = 3, WIDTH = 15 };

void lab_sweep_rows(char *list, size_t bytes)
{
    int length = 0;
    for (int i = 0; i < NAMES && (size_t)length < bytes; i++)
        length += snprintf(list + length, bytes - length, "%s%s", i ? "," : "", names[i]);
}

const struct lab_paper_values *lab_paper_find(int k, int m)
{
    for (size_t i = 0; i < sizeof paper / sizeof *paper; i++)
        if (paper[i].k == k && paper[i].m == m)
            return &paper[i];
    return NULL;
}

const char *lab_sweep_baseline(const struct lab_sweep *sweep)
{
    return sweep->is_sim ? "cuda_unfused" : "cublas_unfused";
}

double lab_sweep_speedup(const struct lab_result *run, const char *over, const char *name)
{
    const struct lab_row *base = lab_sweep_row(run, over), *row = lab_sweep_row(run, name);
    if (!base || !row || !lab_result_timed(base) || !lab_result_timed(row))
        return 0.0;
    return base->time.median / row->time.median;
}

/* --- cells -------------------------------------------------------------------------------------*/

static void put(FILE *stream, const char *format, double value)
{
    lab_sweep_put_cell(stream, WIDTH - 2, format, value != 0.0 ? value : NAN);
}

static void put_size(FILE *stream, const struct lab_result *run)
{
    fprintf(stream, "%4d %7d", lab_sweep_size(run, "k"), lab_sweep_size(run, "m"));
}

static void put_head(FILE *stream, const char *title)
{
    fprintf(stream, "\n%s\n   K       M", title);
}

static const struct lab_paper_values *paper_of(const struct lab_result *run)
{
    return lab_paper_find(lab_sweep_size(run, "k"), lab_sweep_size(run, "m"));
}

/* --- table II, figure 6 ------------------------------------------------------------------------*/

static double efficiency(const struct lab_result *run, const char *name)
{
    const struct lab_row *row = lab_sweep_row(run, name);
    return row && run->device->peak_fp32 > 0.0
               ? 1e11 * lab_result_gflops(run, row) / run->device->peak_fp32
               : 0.0;
}

static void print_efficiency(const struct lab_sweep *sweep, FILE *stream)
{
    put_head(stream, "FLOP efficiency, achieved over peak (the paper's table II)");
    for (int i = 0; i < NAMES; i++)
        fprintf(stream, "%*s", WIDTH, names[i]);
    fprintf(stream, "%*s%*s\n", WIDTH, "GTX970 cuBLAS", WIDTH, "GTX970 Fused");
    for (int r = 0; r < sweep->count; r++) {
        const struct lab_paper_values *theirs = paper_of(sweep->runs[r]);
        put_size(stream, sweep->runs[r]);
        for (int i = 0; i < NAMES; i++)
            put(stream, "%.1f%%", efficiency(sweep->runs[r], names[i]));
        put(stream, "%.1f%%", theirs ? theirs->cublas_efficiency : 0.0);
        put(stream, "%.1f%%", theirs ? theirs->fused_efficiency : 0.0);
        fputc('\n', stream);
    }
}

/* Prints the times of all rows, with the repeatable forms if they were asked for. */
static void print_times(const struct lab_sweep *sweep, FILE *stream)
{
    const struct lab_result *first = sweep->runs[0];
    put_head(stream, sweep->is_sim ? "modelled time, ms" : "time, ms");
    for (int i = 0; i < first->row_count; i++)
        fprintf(stream, "  %*s", WIDTH - 2, first->rows[i].name);
    fputc('\n', stream);
    for (int r = 0; r < sweep->count; r++) {
        put_size(stream, sweep->runs[r]);
        for (int i = 0; i < first->row_count; i++) {
            const struct lab_row *row = lab_sweep_row(sweep->runs[r], first->rows[i].name);
            const int length = (int)strlen(first->rows[i].name);
            lab_sweep_put_cell(stream, length > WIDTH - 2 ? length : WIDTH - 2, "%.4g",
                               row && lab_result_timed(row) ? row->time.median : NAN);
        }
        fputc('\n', stream);
    }
}

/* The paper gives its figure 6 as a plot. Both rows count the same operations, so its table II says
 * by how much Fused was faster. */
static double speedup_of_paper(const struct lab_result *run)
{
    const struct lab_paper_values *theirs = paper_of(run);
    return theirs ? theirs->fused_efficiency / theirs->cublas_efficiency : 0.0;
}

static void print_speedups(const struct lab_sweep *sweep, FILE *stream)
{
    put_head(stream, "speedup (the paper's figure 6)");
    for (int i = FIRST_FUSED; i < NAMES; i++)
        for (int over = 0; over < FIRST_FUSED; over++)
            fprintf(stream, "%*s", WIDTH, names[i]);
    fprintf(stream, "%*s\n%12s", WIDTH, "GTX970 Fused", "");
    for (int i = FIRST_FUSED; i < NAMES; i++)
        for (int over = 0; over < FIRST_FUSED; over++)
            fprintf(stream, "%*s", WIDTH, names[over]);
    fprintf(stream, "%*s\n", WIDTH, "over cuBLAS");
    for (int r = 0; r < sweep->count; r++) {
        put_size(stream, sweep->runs[r]);
        for (int i = FIRST_FUSED; i < NAMES; i++)
            for (int over = 0; over < FIRST_FUSED; over++)
                put(stream, "%.2fx", lab_sweep_speedup(sweep->runs[r], names[over], names[i]));
        put(stream, "%.2fx", speedup_of_paper(sweep->runs[r]));
        fputc('\n', stream);
    }
}

/* --- figure 8 ----------------------------------------------------------------------------------*/

static double traffic(const struct lab_result *run, const char *name, bool of_dram)
{
    static const char *const counters[2][2] = {
        {"lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"},
        {"dram__bytes_read.sum", "dram__bytes_write.sum"}};
    const struct lab_row *row = lab_sweep_row(run, name);
    double read, written;
    if (!row || !lab_counters_get(&row->counters, counters[of_dram][0], &read) ||
        !lab_counters_get(&row->counters, counters[of_dram][1], &written))
        return 0.0;
    return read + written;
}

static bool any_traffic(const struct lab_sweep *sweep, const char *base)
{
    for (int r = 0; r < sweep->count; r++)
        if (traffic(sweep->runs[r], base, false) > 0.0)
            return true;
    return false;
}

static void print_traffic(const struct lab_sweep *sweep, const char *base, bool of_dram,
                          FILE *stream)
{
    char title[128];
    snprintf(title, sizeof title, "%s, and per cent of that of %s (the paper's figure 8)",
             of_dram ? "DRAM bytes" : "L2 sectors", base);
    put_head(stream, title);
    fprintf(stream, "%*s", WIDTH, base);
    for (int i = 0; i < NAMES; i++)
        if (strcmp(names[i], base) != 0)
            fprintf(stream, "%*s", WIDTH, names[i]);
    fputc('\n', stream);
    for (int r = 0; r < sweep->count; r++) {
        double whole = traffic(sweep->runs[r], base, of_dram);
        put_size(stream, sweep->runs[r]);
        put(stream, "%.4g", whole);
        for (int i = 0; i < NAMES; i++)
            if (strcmp(names[i], base) != 0)
                put(stream, "%.1f%%",
                    whole > 0.0 ? 100.0 * traffic(sweep->runs[r], names[i], of_dram) / whole : 0.0);
        fputc('\n', stream);
    }
}

/* Relative to the strong baseline, and to the paper's own unfused form, which also writes K. */
static void print_all_traffic(const struct lab_sweep *sweep, FILE *stream)
{
    const char *const bases[] = {lab_sweep_baseline(sweep), "cublas_gemv"};
    for (int i = 0; i < 2; i++)
        if (any_traffic(sweep, bases[i])) {
            print_traffic(sweep, bases[i], false, stream);
            print_traffic(sweep, bases[i], true, stream);
        }
}

/* --- figure 2 ----------------------------------------------------------------------------------*/

static double misses(const struct lab_result *run, const char *name)
{
    const struct lab_row *row = lab_sweep_row(run, name);
    double value;
    return row && lab_counters_misses(&row->counters, &value) ? value : 0.0;
}

static void print_misses(const struct lab_sweep *sweep, FILE *stream)
{
    put_head(stream, "L2 misses, sectors read from DRAM, in 1000 warp instructions (the paper's "
                     "figure 2)");
    for (int i = 0; i < NAMES; i++)
        fprintf(stream, "%*s", WIDTH, names[i]);
    fputc('\n', stream);
    for (int r = 0; r < sweep->count; r++) {
        put_size(stream, sweep->runs[r]);
        for (int i = 0; i < NAMES; i++)
            put(stream, "%.4g", misses(sweep->runs[r], names[i]));
        fputc('\n', stream);
    }
}

/* --- table III, figure 9 -----------------------------------------------------------------------*/

static double measured(const struct lab_result *run, const char *name)
{
    const struct lab_row *row = lab_sweep_row(run, name);
    return row ? row->energy.joules : 0.0;
}

static double modelled(const struct lab_result *run, const char *name)
{
    struct lab_energy_model model;
    const struct lab_row *row = lab_sweep_row(run, name);
    return row && lab_energy_from_counters(&row->counters, run->device, &model)
               ? lab_energy_total(&model)
               : 0.0;
}

typedef double energy_fn(const struct lab_result *run, const char *name);

static bool any_energy(const struct lab_sweep *sweep, energy_fn *energy)
{
    for (int r = 0; r < sweep->count; r++)
        if (energy(sweep->runs[r], lab_sweep_baseline(sweep)) > 0.0)
            return true;
    return false;
}

static void print_energy(const struct lab_sweep *sweep, const char *how, energy_fn *energy,
                         FILE *stream)
{
    const char *base = lab_sweep_baseline(sweep);
    char title[128];
    snprintf(title, sizeof title, "energy %s, mJ, and saved against %s (the paper's table III)",
             how, base);
    put_head(stream, title);
    fprintf(stream, "%*s", WIDTH, base);
    for (int i = FIRST_FUSED; i < NAMES; i++)
        fprintf(stream, "%*s%*s", WIDTH, names[i], WIDTH, "saved");
    fprintf(stream, "%*s\n", WIDTH, "GTX970 saved");
    for (int r = 0; r < sweep->count; r++) {
        const struct lab_paper_values *theirs = paper_of(sweep->runs[r]);
        double whole = energy(sweep->runs[r], base);
        put_size(stream, sweep->runs[r]);
        put(stream, "%.4g", 1e3 * whole);
        for (int i = FIRST_FUSED; i < NAMES; i++) {
            double own = energy(sweep->runs[r], names[i]);
            put(stream, "%.4g", 1e3 * own);
            put(stream, "%.1f%%", own > 0.0 && whole > 0.0 ? 100.0 * (1.0 - own / whole) : 0.0);
        }
        put(stream, "%.1f%%", theirs ? theirs->saved_energy : 0.0);
        fputc('\n', stream);
    }
}

static void print_components(const struct lab_sweep *sweep, FILE *stream)
{
    put_head(stream, "modelled energy by component, per cent (the paper's figure 9)");
    fprintf(stream, "  %-*s%*s%*s%*s%*s\n", WIDTH, "kernel", WIDTH, "arithmetic", WIDTH,
            "shared memory", WIDTH, "L2", WIDTH, "DRAM");
    for (int r = 0; r < sweep->count; r++)
        for (int i = 0; i < NAMES; i++) {
            struct lab_energy_model m;
            const struct lab_row *row = lab_sweep_row(sweep->runs[r], names[i]);
            if (!row || !lab_energy_from_counters(&row->counters, sweep->device, &m))
                continue;
            double percent = 100.0 / lab_energy_total(&m);
            put_size(stream, sweep->runs[r]);
            fprintf(stream, "  %-*s", WIDTH, names[i]);
            put(stream, "%.1f", percent * m.arithmetic);
            put(stream, "%.1f", percent * m.shared);
            put(stream, "%.1f", percent * m.l2);
            put(stream, "%.1f", percent * m.dram);
            fputc('\n', stream);
        }
}

/* --- the whole ---------------------------------------------------------------------------------*/

static void print_notes(const struct lab_sweep *sweep, FILE *stream)
{
    fputs("\nGTX970: the paper's values, on a GeForce GTX 970 with cuBLAS 7.0; its speedup is the "
          "ratio of its\nefficiencies in table II\n",
          stream);
    if (any_traffic(sweep, lab_sweep_baseline(sweep)))
        fputs("traffic is counted with cold caches at the start of every kernel\n", stream);
    if (sweep->is_sim)
        fprintf(stream,
                "times are modelled from the counters, not measured: %s. What cuBLAS does is not "
                "simulated:\nits rows have no time, and cuda_unfused stands in their place\n",
                sweep->device->properties.name);
}

static void print_paper(const struct lab_sweep *sweep, FILE *stream)
{
    print_times(sweep, stream);
    print_efficiency(sweep, stream);
    print_speedups(sweep, stream);
    print_all_traffic(sweep, stream);
    if (any_traffic(sweep, lab_sweep_baseline(sweep)))
        print_misses(sweep, stream);
    if (any_energy(sweep, measured))
        print_energy(sweep, "measured, of the whole board", measured, stream);
    if (any_energy(sweep, modelled)) {
        print_energy(sweep, "modelled from the counters", modelled, stream);
        print_components(sweep, stream);
    }
}

void lab_sweep_print(const struct lab_sweep *sweep, FILE *stream)
{
    const struct lab_result *first = sweep->runs[0];
    const struct lab_sweep paper = kernel_summation_runs_of(sweep, KERNEL_SUMMATION_PAPER),
                           products = kernel_summation_runs_of(sweep, KERNEL_SUMMATION_PRODUCTS),
                           layouts = kernel_summation_runs_of(sweep, KERNEL_SUMMATION_LAYOUTS);
    lab_sweep_put_head(sweep, stream);
    fprintf(stream, ", %s %s, n=%d\n", first->family->options->title, first->family->type,
            lab_sweep_size(first, "n"));
    print_paper(&paper, stream);
    if (products.count)
        kernel_summation_print_products(&products, stream);
    if (layouts.count)
        kernel_summation_print_layouts(&layouts, stream);
    print_notes(&paper, stream);
}

/* Writes the paper's values, too, so that a plot needs no other source. */
void lab_sweep_put_paper(struct lab_json_writer *w, const struct lab_result *run)
{
    const struct lab_paper_values *paper =
        lab_paper_find(lab_sweep_size(run, "k"), lab_sweep_size(run, "m"));
    if (!paper || kernel_summation_part_of(run) != KERNEL_SUMMATION_PAPER)
        return;
    lab_json_begin(w, "paper", '{');
    lab_json_string(w, "device", "GeForce GTX 970, cuBLAS 7.0");
    lab_json_number(w, "cublas_unfused_percent_of_peak", paper->cublas_efficiency);
    lab_json_number(w, "fused_percent_of_peak", paper->fused_efficiency);
    lab_json_number(w, "percent_of_energy_saved", paper->saved_energy);
    lab_json_end(w, '}');
}
