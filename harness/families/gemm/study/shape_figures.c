/* Makes the paper's ten figures from rows. For each nvprof metric of the paper it takes the counter
 * of Nsight Compute that replaced the metric. */
#include "families/gemm/study/shape_figures.h"

#include "series/registry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- what is said of a row ---------------------------------------------------------------------*/

static double counter(const struct lab_row *row, const char *name)
{
    double value;
    return row->check.status == LAB_CHECK_OK && lab_counters_get(&row->counters, name, &value)
               ? value
               : NAN;
}

const struct gemm_measure gemm_measures[GEMM_MEASURES] = {
    [GEMM_TIME] = {"time, ms", "time, ms", "time_ms", "%.4g", NULL},
    [GEMM_GLOBAL] = {"global_load", "global_load", "global_load", "%.0f",
                     "smsp__inst_executed_op_global_ld.sum"},
    [GEMM_SHARED] = {"shared_load", "shared_load", "shared_load", "%.0f",
                     "smsp__inst_executed_op_shared_ld.sum"},
    [GEMM_STALL] = {"stall_memory_dependency, %", "stall_memory_dependency",
                    "stall_memory_dependency", "%.1f",
                    "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct"},
    [GEMM_EFFICIENCY] = {"shared_efficiency, %", "shared_efficiency", "shared_efficiency", "%.1f",
                         "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct"},
    [GEMM_OCCUPANCY] = {"achieved_occupancy, %", "occupancy", "occupancy", "%.1f",
                        "sm__warps_active.avg.pct_of_peak_sustained_active"},
    [GEMM_REGISTERS] = {NULL, "registers", "registers", NULL, NULL},
};

/* Achieved occupancy if it was counted, else the occupancy that the GPU has room for. */
double gemm_measure(enum gemm_measured which, const struct lab_row *row)
{
    const double known = row->kernel.known ? 1.0 : NAN;
    if (which == GEMM_TIME)
        return row->check.status == LAB_CHECK_OK && lab_result_timed(row) ? row->time.median : NAN;
    if (which == GEMM_REGISTERS)
        return known * row->kernel.registers;
    const double counted = counter(row, gemm_measures[which].counter);
    return which == GEMM_OCCUPANCY && isnan(counted) ? known * 100.0 * row->kernel.occupancy
                                                     : counted;
}

/* --- grids -------------------------------------------------------------------------------------*/

enum direction { OVER_BLOCKS, OVER_VALUES };

/* What a figure shows. Blocks and values of 0: all that the paper has in that direction. */
struct figure {
    enum gemm_measured measure; /* GEMM_MEASURES: the three of figure 3 */
    enum direction direction;
    bool logarithmic;
    int values;        /* over blocks: only this number of values */
    int width, height; /* over values: only this block */
    bool with_first;   /* with the kernel that uses no shared memory */
};

#define OVER(what, over) .measure = what, .direction = OVER_##over
static const struct figure figures[GEMM_FIGURES] = {
    {OVER(GEMM_TIME, BLOCKS), .values = 1, .with_first = true},
    {OVER(GEMM_TIME, VALUES), .logarithmic = true, .width = 16, .height = 16},
    {OVER(GEMM_MEASURES, VALUES), .logarithmic = true, .width = 16, .height = 16},
    {OVER(GEMM_TIME, BLOCKS), .logarithmic = true},
    {OVER(GEMM_STALL, BLOCKS)},
    {OVER(GEMM_SHARED, VALUES), .logarithmic = true},
    {OVER(GEMM_TIME, VALUES), .logarithmic = true},
    {OVER(GEMM_OCCUPANCY, VALUES)},
    {OVER(GEMM_GLOBAL, BLOCKS), .logarithmic = true},
    {OVER(GEMM_EFFICIENCY, BLOCKS)},
};

/* Experiment 1 of the paper has four numbers of values, experiment 2 three blocks. */
static const int values_over_blocks[] = {1, 4, 16, 64, 0};
static const struct gemm_shape blocks_over_values[] = {{.width = 8, .height = 8},
                                                       {.width = 16, .height = 16},
                                                       {.width = 32, .height = 16},
                                                       {.width = 0}};

/* The row of a shape, whatever its result; NULL: there is none. */
static const struct lab_row *row_of_shape(const struct lab_result *run, int width, int height,
                                          int values)
{
    char name[64];
    const struct gemm_shape shape = {width, height, values, 0, GEMM_SHAPE_INNER};
    gemm_shape_name(&shape, name, sizeof name);
    for (int i = 0; i < run->row_count; i++)
        if (strcmp(run->rows[i].name, name) == 0)
            return &run->rows[i];
    return NULL;
}

static double value_of(enum gemm_measured measure, const struct lab_row *row)
{
    return row ? gemm_measure(measure, row) : NAN;
}

static void add_series(struct gemm_grid *grid, const char *label, const char *format)
{
    grid->formats[grid->series_count] = format;
    snprintf(grid->series[grid->series_count++], GEMM_LABEL_BYTES, "%s", label);
}

static void add_point(struct gemm_grid *grid, const char *label)
{
    snprintf(grid->points[grid->point_count++], GEMM_LABEL_BYTES, "%s", label);
}

static void over_blocks(const struct figure *figure, const struct lab_result *run,
                        struct gemm_grid *grid)
{
    char label[GEMM_LABEL_BYTES];
    for (int s = 0; values_over_blocks[s]; s++)
        if (!figure->values || figure->values == values_over_blocks[s]) {
            snprintf(label, sizeof label, "%d value%s", values_over_blocks[s],
                     values_over_blocks[s] == 1 ? "" : "s");
            add_series(grid, label, gemm_measures[figure->measure].format);
        }
    if (figure->with_first) {
        const struct lab_row *first =
            lab_result_of_stage(run, lab_registry_first_of(run->family->options->name));
        grid->values[grid->point_count][0] = value_of(figure->measure, first);
        add_point(grid, "none: step 01");
    }
    for (const struct gemm_shape *b = gemm_study_blocks; b->width; b++) {
        double *values = grid->values[grid->point_count];
        int series = 0;
        for (int s = 0; values_over_blocks[s]; s++)
            if (!figure->values || figure->values == values_over_blocks[s])
                values[series++] = value_of(
                    figure->measure, row_of_shape(run, b->width, b->height, values_over_blocks[s]));
        snprintf(label, sizeof label, "%dx%d", b->width, b->height);
        add_point(grid, label);
    }
}

static void over_values(const struct figure *figure, const struct lab_result *run,
                        struct gemm_grid *grid)
{
    static const enum gemm_measured three[] = {GEMM_GLOBAL, GEMM_SHARED, GEMM_STALL};
    const bool is_one = figure->measure != GEMM_MEASURES;
    const enum gemm_measured *const measures = is_one ? &figure->measure : three;
    char label[GEMM_LABEL_BYTES];
    for (const struct gemm_shape *b = blocks_over_values; b->width; b++) {
        if (figure->width && (b->width != figure->width || b->height != figure->height))
            continue;
        snprintf(label, sizeof label, "%dx%d", b->width, b->height);
        for (int i = 0; i < (is_one ? 1 : 3); i++) {
            const struct gemm_measure *const measure = &gemm_measures[measures[i]];
            const int s = grid->series_count;
            add_series(grid, is_one ? label : measure->title, measure->format);
            for (int p = 0; gemm_study_values[p]; p++)
                grid->values[p][s] = value_of(
                    measures[i], row_of_shape(run, b->width, b->height, gemm_study_values[p]));
        }
    }
    for (int p = 0; gemm_study_values[p]; p++) {
        snprintf(label, sizeof label, "%d", gemm_study_values[p]);
        add_point(grid, label);
    }
}

void gemm_grid_make(int number, const struct lab_result *run, struct gemm_grid *grid)
{
    const struct figure *figure = &figures[number - 1];
    char of[48] = "";
    *grid = (struct gemm_grid){.axis = figure->direction == OVER_BLOCKS ? "block" : "values",
                               .logarithmic = figure->logarithmic};
    if (figure->values)
        snprintf(of, sizeof of, ", %d value per thread", figure->values);
    if (figure->width)
        snprintf(of, sizeof of, ", blocks of %dx%d", figure->width, figure->height);
    snprintf(grid->title, sizeof grid->title, "figure %d: %s%s over %s%s", number,
             run->is_sim && figure->measure == GEMM_TIME ? "modelled " : "",
             figure->measure < GEMM_MEASURES ? gemm_measures[figure->measure].title
                                             : "loads and waits",
             figure->direction == OVER_BLOCKS ? "the block's shape" : "values per thread", of);
    if (figure->direction == OVER_BLOCKS)
        over_blocks(figure, run, grid);
    else
        over_values(figure, run, grid);
}

bool gemm_grid_has_values(const struct gemm_grid *grid)
{
    for (int p = 0; p < grid->point_count; p++)
        for (int s = 0; s < grid->series_count; s++)
            if (!isnan(grid->values[p][s]))
                return true;
    return false;
}
