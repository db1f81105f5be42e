/* From rows to the paper's ten figures. Its metrics are nvprof's; each is the counter of Nsight
 * Compute that took its place. */
#include "families/gemm/study/shape_figures.h"

#include "families/gemm/study/shape_paper.h"
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

static double of_time(const struct lab_result *run, const struct lab_row *row)
{
    (void)run;
    return row->check.status == LAB_CHECK_OK && lab_result_timed(row) ? row->time.median : NAN;
}

static double of_global(const struct lab_result *run, const struct lab_row *row)
{
    (void)run;
    return counter(row, "smsp__inst_executed_op_global_ld.sum");
}

static double of_shared(const struct lab_result *run, const struct lab_row *row)
{
    (void)run;
    return counter(row, "smsp__inst_executed_op_shared_ld.sum");
}

static double of_stall(const struct lab_result *run, const struct lab_row *row)
{
    (void)run;
    return counter(row, "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct");
}

static double of_efficiency(const struct lab_result *run, const struct lab_row *row)
{
    (void)run;
    return counter(row, "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct");
}

/* As it was achieved; where nobody has counted that, what the GPU has room for. */
static double of_occupancy(const struct lab_result *run, const struct lab_row *row)
{
    const double achieved = counter(row, "sm__warps_active.avg.pct_of_peak_sustained_active");
    (void)run;
    if (!isnan(achieved))
        return achieved;
    return row->kernel.known ? 100.0 * row->kernel.occupancy : NAN;
}

const struct gemm_measure gemm_measure_time = {"time, ms", "%.4g", of_time},
                          gemm_measure_global = {"global_load", "%.0f", of_global},
                          gemm_measure_shared = {"shared_load", "%.0f", of_shared},
                          gemm_measure_stall = {"stall_memory_dependency, %", "%.1f", of_stall},
                          gemm_measure_efficiency = {"shared_efficiency, %", "%.1f", of_efficiency},
                          gemm_measure_occupancy = {"achieved_occupancy, %", "%.1f", of_occupancy};

/* --- grids -------------------------------------------------------------------------------------*/

enum direction { OVER_BLOCKS, OVER_VALUES };

/* What the paper draws. Blocks and values of 0: all that it has in that direction. */
struct figure {
    const struct gemm_measure *measure; /* NULL: the three of figure 3 */
    enum direction direction;
    bool logarithmic;
    int values;        /* over blocks: this number of values alone */
    int width, height; /* over values: this block alone */
    bool with_first;   /* with the kernel that uses no shared memory */
};

#define OVER(what, over) .measure = what, .direction = OVER_##over
static const struct figure figures[GEMM_FIGURES] = {
    {OVER(&gemm_measure_time, BLOCKS), .values = 1, .with_first = true},
    {OVER(&gemm_measure_time, VALUES), .logarithmic = true, .width = 16, .height = 16},
    {OVER(NULL, VALUES), .logarithmic = true, .width = 16, .height = 16},
    {OVER(&gemm_measure_time, BLOCKS), .logarithmic = true},
    {OVER(&gemm_measure_stall, BLOCKS)},
    {OVER(&gemm_measure_shared, VALUES), .logarithmic = true},
    {OVER(&gemm_measure_time, VALUES), .logarithmic = true},
    {OVER(&gemm_measure_occupancy, VALUES)},
    {OVER(&gemm_measure_global, BLOCKS), .logarithmic = true},
    {OVER(&gemm_measure_efficiency, BLOCKS)},
};

/* Experiment 1 of the paper has four numbers of values, experiment 2 three blocks. */
static const int values_over_blocks[] = {1, 4, 16, 64, 0};
static const struct gemm_shape blocks_over_values[] = {{.width = 8, .height = 8},
                                                       {.width = 16, .height = 16},
                                                       {.width = 32, .height = 16},
                                                       {.width = 0}};

const struct lab_row *gemm_row_of_shape(const struct lab_result *run, int width, int height,
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

static double value_of(const struct gemm_measure *measure, const struct lab_result *run,
                       const struct lab_row *row)
{
    return row ? measure->of(run, row) : NAN;
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
            add_series(grid, label, figure->measure->format);
        }
    if (figure->with_first) {
        const struct lab_row *first =
            lab_result_of_stage(run, lab_registry_first_of(run->family->options->name));
        grid->values[grid->point_count][0] = value_of(figure->measure, run, first);
        add_point(grid, "none: step 01");
    }
    for (const struct gemm_shape *b = gemm_study_blocks; b->width; b++) {
        double *values = grid->values[grid->point_count];
        int series = 0;
        for (int s = 0; values_over_blocks[s]; s++)
            if (!figure->values || figure->values == values_over_blocks[s])
                values[series++] =
                    value_of(figure->measure, run,
                             gemm_row_of_shape(run, b->width, b->height, values_over_blocks[s]));
        snprintf(label, sizeof label, "%dx%d", b->width, b->height);
        add_point(grid, label);
    }
}

static void over_values(const struct figure *figure, const struct lab_result *run,
                        struct gemm_grid *grid)
{
    static const struct gemm_measure *const three[] = {&gemm_measure_global, &gemm_measure_shared,
                                                       &gemm_measure_stall, NULL};
    const struct gemm_measure *const one[] = {figure->measure, NULL};
    const struct gemm_measure *const *measures = figure->measure ? one : three;
    char label[GEMM_LABEL_BYTES];
    for (const struct gemm_shape *b = blocks_over_values; b->width; b++) {
        if (figure->width && (b->width != figure->width || b->height != figure->height))
            continue;
        snprintf(label, sizeof label, "%dx%d", b->width, b->height);
        for (int i = 0; measures[i]; i++) {
            const int s = grid->series_count;
            add_series(grid, figure->measure ? label : measures[i]->title, measures[i]->format);
            for (int p = 0; gemm_study_values[p]; p++)
                grid->values[p][s] =
                    value_of(measures[i], run,
                             gemm_row_of_shape(run, b->width, b->height, gemm_study_values[p]));
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
             run->is_sim && figure->measure == &gemm_measure_time ? "modelled " : "",
             figure->measure ? figure->measure->title : "loads and waits",
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
