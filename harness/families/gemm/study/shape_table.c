/* The tables of the shape study. A missing value is left empty, never 0. */
#include "families/gemm/study/shape_table.h"

#include "families/gemm/study/shape_figures.h"

#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 15, LOADS_WIDTH = 14 };

static double size_of(const struct lab_result *run, const char *name)
{
    return lab_sweep_size(run, name);
}

static bool is_shape(const struct lab_row *row, struct gemm_shape *shape)
{
    return !row->is_baseline && gemm_shape_of(row->name, shape);
}

/* --- one line a shape --------------------------------------------------------------------------*/

static void print_shapes(const struct lab_result *run, FILE *stream)
{
    const struct lab_row *reference = lab_result_reference(run);
    fprintf(stream, "%-*s  %9s  %7s  %8s  %9s  %9s  %9s  %9s\n", NAME_WIDTH, "shape", "registers",
            "local B", "shared B", "occupancy", run->is_sim ? "modelled" : "time ms", "GFLOPS",
            reference ? "of cuBLAS" : "");
    for (int i = 0; i < run->row_count; i++) {
        const struct lab_row *row = &run->rows[i];
        struct gemm_shape shape;
        if (!is_shape(row, &shape))
            continue;
        fprintf(stream, "%-*s", NAME_WIDTH, row->name);
        if (row->check.status == LAB_CHECK_SKIPPED) {
            fprintf(stream, "  %s\n", row->check.message);
            continue;
        }
        const double time = gemm_measure(GEMM_TIME, row);
        lab_sweep_put_cell(stream, 9, "%.0f", row->kernel.registers);
        lab_sweep_put_cell(stream, 7, "%.0f", (double)row->kernel.local_bytes);
        lab_sweep_put_cell(stream, 8, "%.0f", (double)row->kernel.shared_bytes);
        lab_sweep_put_cell(stream, 9, "%.1f%%", 100.0 * row->kernel.occupancy);
        lab_sweep_put_cell(stream, 9, "%.4g", time);
        lab_sweep_put_cell(stream, 9, "%.0f", isnan(time) ? NAN : lab_result_gflops(run, row));
        if (reference)
            lab_sweep_put_cell(stream, 9, "%.1f%%", 100.0 * reference->time.median / time);
        fputc('\n', stream);
    }
}

/* --- the paper's figures -----------------------------------------------------------------------*/

static void print_grid(const struct gemm_grid *grid, FILE *stream)
{
    int widths[GEMM_MOST_SERIES];
    fprintf(stream, "\n%s\n%-13s", grid->title, grid->axis);
    for (int s = 0; s < grid->series_count; s++) {
        widths[s] = (int)strlen(grid->series[s]);
        widths[s] = widths[s] < 11 ? 11 : widths[s];
        fprintf(stream, "  %*s", widths[s], grid->series[s]);
    }
    fputc('\n', stream);
    for (int p = 0; p < grid->point_count; p++) {
        fprintf(stream, "%-13s", grid->points[p]);
        for (int s = 0; s < grid->series_count; s++)
            lab_sweep_put_cell(stream, widths[s], grid->formats[s], grid->values[p][s]);
        fputc('\n', stream);
    }
}

static void print_figures(const struct lab_result *run, FILE *stream)
{
    for (int number = 1; number <= GEMM_FIGURES; number++) {
        struct gemm_grid grid;
        gemm_grid_make(number, run, &grid);
        if (gemm_grid_has_values(&grid))
            print_grid(&grid, stream);
        else
            fprintf(stream, "\n%s: not counted here\n", grid.title);
    }
}

/* --- predicted and counted ---------------------------------------------------------------------*/

static struct gemm_loads predict(const struct lab_result *run, const struct gemm_shape *shape)
{
    return gemm_predict_loads(shape, (int)size_of(run, "m"), (int)size_of(run, "n"),
                              (int)size_of(run, "k"));
}

/* Counts are whole numbers, so they must be equal. */
static bool is_as_predicted(const struct lab_row *row, const struct gemm_loads *predicted)
{
    return gemm_measure(GEMM_GLOBAL, row) == predicted->global &&
           gemm_measure(GEMM_SHARED, row) == predicted->shared;
}

static bool is_counted(const struct lab_row *row)
{
    return !isnan(gemm_measure(GEMM_GLOBAL, row)) && !isnan(gemm_measure(GEMM_SHARED, row));
}

static void print_predictions(const struct lab_result *run, FILE *stream)
{
    int counted = 0, right = 0;
    fprintf(stream,
            "\nloads as predicted from the shape, and as counted\n%-*s  %*s  %*s  %*s  %*s\n",
            NAME_WIDTH, "shape", LOADS_WIDTH, "global_load", LOADS_WIDTH, "counted", LOADS_WIDTH,
            "shared_load", LOADS_WIDTH, "counted");
    for (int i = 0; i < run->row_count; i++) {
        const struct lab_row *row = &run->rows[i];
        struct gemm_shape shape;
        if (!is_shape(row, &shape))
            continue;
        const struct gemm_loads predicted = predict(run, &shape);
        fprintf(stream, "%-*s", NAME_WIDTH, row->name);
        lab_sweep_put_cell(stream, LOADS_WIDTH, "%.0f", predicted.global);
        lab_sweep_put_cell(stream, LOADS_WIDTH, "%.0f", gemm_measure(GEMM_GLOBAL, row));
        lab_sweep_put_cell(stream, LOADS_WIDTH, "%.0f", predicted.shared);
        lab_sweep_put_cell(stream, LOADS_WIDTH, "%.0f", gemm_measure(GEMM_SHARED, row));
        if (is_counted(row)) {
            counted++;
            right += is_as_predicted(row, &predicted);
            fputs(is_as_predicted(row, &predicted) ? "  equal" : "  differs", stream);
        }
        fputc('\n', stream);
    }
    if (counted)
        fprintf(stream, "%d of %d shapes counted as predicted\n", right, counted);
    else
        fputs("nothing was counted: --profile does\n", stream);
}

/* --- table I -----------------------------------------------------------------------------------*/

/* The loads of the paper's kernel at the paper's size, by its listing. */
static struct gemm_loads by_the_listing(void)
{
    const int size = gemm_shape_paper.size;
    struct gemm_shape shape;
    gemm_shape_of(gemm_shape_paper.best_row, &shape);
    return gemm_predict_loads(&shape, size, size, size);
}

/* The fastest of the shapes that have a time. */
static const struct lab_row *fastest(const struct lab_result *run)
{
    const struct lab_row *best = NULL;
    struct gemm_shape shape;
    for (int i = 0; i < run->row_count; i++) {
        const struct lab_row *row = &run->rows[i];
        if (is_shape(row, &shape) && !isnan(gemm_measure(GEMM_TIME, row)) &&
            (!best || row->time.median < best->time.median))
            best = row;
    }
    return best;
}

static const struct lab_row *reference_of(const struct lab_result *run)
{
    for (int i = 0; i < run->row_count; i++)
        if (run->rows[i].is_reference)
            return &run->rows[i];
    return NULL;
}

static void print_table(const struct lab_result *run, FILE *stream)
{
    const struct gemm_paper *paper = &gemm_shape_paper;
    const struct lab_row *best = fastest(run), *reference = reference_of(run);
    const struct gemm_loads listing = by_the_listing();
    const struct lab_row *const rows[] = {lab_sweep_row(run, paper->best_row), best, reference};
    enum { COLUMNS = 6 };
    fprintf(stream, "\nthe paper's table I, at %d on a %s, and here at %.0f\n%-24s", paper->size,
            paper->device, size_of(run, "n"), "");
    const char *const heads[COLUMNS] = {"paper's best",         "by its listing",
                                        "paper's cuBLAS",       paper->best_row,
                                        best ? best->name : "", reference ? "cuBLAS" : ""};
    for (int c = 0; c < COLUMNS; c++)
        fprintf(stream, "  %*s", LOADS_WIDTH, heads[c]);
    fputc('\n', stream);
    for (enum gemm_measured m = 0; m < GEMM_MEASURES; m++) {
        fprintf(stream, "%-24s", gemm_measures[m].name);
        lab_sweep_put_cell(stream, LOADS_WIDTH, "%.4g", paper->best[m]);
        lab_sweep_put_cell(stream, LOADS_WIDTH, "%.4g",
                           m == GEMM_GLOBAL   ? listing.global
                           : m == GEMM_SHARED ? listing.shared
                                              : NAN);
        lab_sweep_put_cell(stream, LOADS_WIDTH, "%.4g", paper->cublas[m]);
        for (int r = 0; r < 3; r++)
            lab_sweep_put_cell(stream, LOADS_WIDTH, "%.4g",
                               rows[r] ? gemm_measure(m, rows[r]) : NAN);
        fputc('\n', stream);
    }
}

/* --- the whole ---------------------------------------------------------------------------------*/

static void print_notes(const struct lab_sweep *sweep, FILE *stream)
{
    bool spills = false;
    const struct lab_result *run = sweep->runs[0];
    for (int i = 0; i < run->row_count; i++)
        spills = spills || run->rows[i].time.local_bytes;
    fputs("\nof its figures the paper's text gives no numbers: they are in its table I alone\n",
          stream);
    if (!sweep->is_sim)
        return;
    fputs("times are modelled from the counters, not measured, and occupancy is what the GPU has "
          "room for;\nwaits are not counted on the simulator\n",
          stream);
    if (spills)
        fputs("no time is modelled of shapes with local bytes: their registers are spilled, which "
              "the model does not see\n",
              stream);
}

void lab_sweep_shapes_print(const struct lab_sweep *sweep, FILE *stream)
{
    lab_sweep_put_head(sweep, stream);
    fprintf(stream, ", block shapes of %s %s\n", sweep->runs[0]->family->options->title,
            sweep->runs[0]->family->type);
    for (int r = 0; r < sweep->count; r++) {
        const struct lab_result *run = sweep->runs[r];
        fprintf(stream, "\n--- m=%.0f n=%.0f k=%.0f\n\n", size_of(run, "m"), size_of(run, "n"),
                size_of(run, "k"));
        print_shapes(run, stream);
        print_figures(run, stream);
        print_predictions(run, stream);
        print_table(run, stream);
    }
    print_notes(sweep, stream);
}

/* --- JSON --------------------------------------------------------------------------------------*/

static void put_loads(struct lab_json_writer *w, const char *name, double global, double shared)
{
    lab_json_begin(w, name, '{');
    lab_json_number(w, "global_load", global);
    lab_json_number(w, "shared_load", shared);
    lab_json_end(w, '}');
}

static void put_kernel(struct lab_json_writer *w, const char *name,
                       const double measures[GEMM_MEASURES])
{
    lab_json_begin(w, name, '{');
    for (int m = 0; m < GEMM_MEASURES; m++)
        lab_json_number(w, gemm_measures[m].json, measures[m]);
    lab_json_end(w, '}');
}

void lab_sweep_put_shapes(struct lab_json_writer *w, const struct lab_result *run)
{
    const struct gemm_loads listing = by_the_listing();
    lab_json_begin(w, "shapes", '[');
    for (int i = 0; i < run->row_count; i++) {
        const struct lab_row *row = &run->rows[i];
        struct gemm_shape shape;
        if (!is_shape(row, &shape))
            continue;
        const struct gemm_loads predicted = predict(run, &shape);
        lab_json_begin(w, NULL, '{');
        lab_json_string(w, "name", row->name);
        lab_json_integer(w, "width", shape.width);
        lab_json_integer(w, "height", shape.height);
        lab_json_integer(w, "values", shape.values);
        lab_json_integer(w, "inner", shape.inner);
        put_loads(w, "predicted", predicted.global, predicted.shared);
        if (is_counted(row))
            lab_json_bool(w, "counted_as_predicted", is_as_predicted(row, &predicted));
        lab_json_end(w, '}');
    }
    lab_json_end(w, ']');
    lab_json_begin(w, "paper", '{');
    lab_json_string(w, "device", gemm_shape_paper.device);
    lab_json_integer(w, "size", gemm_shape_paper.size);
    lab_json_string(w, "row", gemm_shape_paper.best_row);
    put_kernel(w, "best", gemm_shape_paper.best);
    put_kernel(w, "cublas", gemm_shape_paper.cublas);
    put_loads(w, "best_by_its_listing", listing.global, listing.shared);
    lab_json_end(w, '}');
}
