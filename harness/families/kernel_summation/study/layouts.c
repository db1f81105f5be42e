/* Figure 7, the product alone; and the trade-offs that the paper weighs in words: the layout of its
 * figure 5, 4 x 4 values by 1024 threads, registers that spill. */
#include "families/kernel_summation/study/layouts.h"

#include "series/registry.h"

#include <math.h>
#include <string.h>

enum kernel_summation_part kernel_summation_part_of(const struct lab_result *run)
{
    const struct lab_stage *study = lab_registry_study(run->target);
    if (strcmp(run->family->options->name, "gemm") == 0)
        return KERNEL_SUMMATION_PRODUCTS;
    for (int i = 0; i < run->row_count; i++)
        if (study && run->rows[i].stage == study)
            return KERNEL_SUMMATION_LAYOUTS;
    return KERNEL_SUMMATION_PAPER;
}

struct lab_sweep kernel_summation_runs_of(const struct lab_sweep *sweep,
                                          enum kernel_summation_part part)
{
    struct lab_sweep runs = *sweep;
    runs.count = 0;
    for (int i = 0; i < sweep->count; i++)
        if (kernel_summation_part_of(sweep->runs[i]) == part)
            runs.runs[runs.count++] = sweep->runs[i];
    return runs;
}

/* --- figure 7 ----------------------------------------------------------------------------------*/

static double time_of(const struct lab_row *row)
{
    return row && lab_result_timed(row) ? row->time.median : NAN;
}

void kernel_summation_print_products(const struct lab_sweep *products, FILE *stream)
{
    fputs("\nthe product alone, time of that of step 07 over cuBLAS's (the paper's figure 7)\n"
          "   K       M         placed         cuBLAS     over cuBLAS\n",
          stream);
    for (int r = 0; r < products->count; r++) {
        const struct lab_result *run = products->runs[r];
        const double own = time_of(lab_sweep_row(run, "placed")),
                     theirs = time_of(lab_sweep_row(run, run->family->reference));
        fprintf(stream, "%4d %7d", lab_sweep_size(run, "k"), lab_sweep_size(run, "m"));
        lab_sweep_put_cell(stream, 13, "%.4g", own);
        lab_sweep_put_cell(stream, 13, "%.4g", theirs);
        lab_sweep_put_cell(stream, 13, "%.2fx", own / theirs);
        fputc('\n', stream);
    }
    fputs(products->is_sim ? "modelled, ms; what cuBLAS does is not simulated\n" : "in ms\n",
          stream);
}

/* --- layouts -----------------------------------------------------------------------------------*/

#define FFMA      "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
#define WAVES     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
#define CONFLICTS "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
#define SECTORS   "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"

/* A count for each multiply-add of a warp. */
static void put_count(FILE *stream, const struct lab_row *row, const char *counter)
{
    double value = 0.0, products = 0.0;
    const bool is_known = lab_counters_get(&row->counters, counter, &value) &&
                          lab_counters_get(&row->counters, FFMA, &products) && products > 0.0;
    lab_sweep_put_cell(stream, 10, "%.4f", is_known ? 32.0 * value / products : NAN);
}

static void print_layout(const struct lab_result *run, const struct lab_row *row, FILE *stream)
{
    const double ms = time_of(row), figure_5 = time_of(lab_sweep_row(run, "microtiles"));
    const struct lab_kernel_facts *kernel = &row->kernel;
    const double known = kernel->known ? 1.0 : NAN;
    fprintf(stream, "%4d %7d  %-16s", lab_sweep_size(run, "k"), lab_sweep_size(run, "m"),
            row->name);
    lab_sweep_put_cell(stream, 8, "%.4g", ms);
    lab_sweep_put_cell(stream, 7, "%.2fx", figure_5 / ms);
    lab_sweep_put_cell(stream, 7, "%.0f", known * kernel->block[0]);
    lab_sweep_put_cell(stream, 9, "%.0f", known * kernel->registers);
    lab_sweep_put_cell(stream, 7, "%.0f", known * (double)kernel->local_bytes);
    lab_sweep_put_cell(stream, 9, "%.0f%%", known * 100.0 * kernel->occupancy);
    put_count(stream, row, WAVES);
    put_count(stream, row, CONFLICTS);
    put_count(stream, row, SECTORS);
    fputc('\n', stream);
}

void kernel_summation_print_layouts(const struct lab_sweep *layouts, FILE *stream)
{
    fprintf(
        stream,
        "\nthe paper's kernel in the layout of its figure 5, microtiles, and what it weighs that "
        "against\n   K       M  %-16s%10s%9s%9s%11s%9s%11s%12s%12s%12s\n",
        "kernel", "time ms", "speed", "threads", "registers", "local B", "occupancy", "wavefronts",
        "conflicts", "sectors");
    for (int r = 0; r < layouts->count; r++)
        for (int i = 0; i < layouts->runs[r]->row_count; i++)
            if (layouts->runs[r]->rows[i].stage == lab_registry_study(layouts->target) &&
                layouts->runs[r]->rows[i].check.status == LAB_CHECK_OK)
                print_layout(layouts->runs[r], &layouts->runs[r]->rows[i], stream);
    fputs("wavefronts and conflicts of loads from shared memory, and sectors loaded, for each "
          "multiply-add of a warp\n",
          stream);
}
