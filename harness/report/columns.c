/* The columns of a run's table. Each function fills a row's cell, or leaves it empty if there is
 * nothing to say about the row. */
#include "report/columns.h"

#include "base/numbers.h"
#include "measure/timing/nvml.h"
#include "series/registry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Prints the figure in the table's unit, which is JSON's unit times `scale`. */
static void put(struct lab_cell *cell, double figure, double scale, const char *format)
{
    cell->has_figure = true;
    cell->figure = figure;
    snprintf(cell->text, sizeof cell->text, format, scale * figure);
}

static void put_text(struct lab_cell *cell, const char *text)
{
    snprintf(cell->text, sizeof cell->text, "%s", text);
}

/* The stage's number, if a run has rows of several stages; names of other targets' rows have it. */
static void stage(const struct lab_result *result, const struct lab_row *row, struct lab_cell *cell)
{
    const struct lab_stage *first = NULL;
    bool several = false;
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *other = &result->rows[i];
        if (other->is_baseline || !other->stage)
            continue;
        several = several || (first && other->stage != first);
        first = other->stage;
    }
    if (several && row->stage && !row->is_baseline && strcmp(row->target, result->target) == 0)
        put_text(cell, row->stage->number);
}

static void name(const struct lab_result *result, const struct lab_row *row, struct lab_cell *cell)
{
    (void)result;
    put_text(cell, row->name);
}

static void median_time(const struct lab_result *result, const struct lab_row *row,
                        struct lab_cell *cell)
{
    (void)result;
    if (lab_result_timed(row))
        put(cell, row->time.median, 1.0, row->time.median < 0.1 ? "%.5f" : "%.4f");
}

static void gflops(const struct lab_result *result, const struct lab_row *row,
                   struct lab_cell *cell)
{
    if (lab_result_timed(row) && result->facts.flops > 0.0)
        put(cell, lab_result_gflops(result, row), 1.0, "%.0f");
}

static const char *bytes_format(double speed)
{
    return speed < 9.995 ? "%.2f" : "%.0f";
}

/* GB/s, for problems that only memory bounds. */
static void gbytes(const struct lab_result *result, const struct lab_row *row,
                   struct lab_cell *cell)
{
    const double speed = lab_result_gbytes(result, row);
    if (speed > 0.0)
        put(cell, speed, 1.0, bytes_format(speed));
}

static void copies(const struct lab_result *result, const struct lab_row *row,
                   struct lab_cell *cell)
{
    if (row->with_copies_ms > 0.0)
        put(cell, result->facts.flops / row->with_copies_ms * 1e-6, 1.0, "%.0f");
}

static void put_ratio(struct lab_cell *cell, const struct lab_row *row, const struct lab_row *base,
                      double scale, const char *format)
{
    if (lab_result_timed(row) && base)
        put(cell, scale * base->time.median / row->time.median, 1.0, format);
}

static void reference(const struct lab_result *result, const struct lab_row *row,
                      struct lab_cell *cell)
{
    put_ratio(cell, row, lab_result_reference(result), 100.0, "%.1f%%");
}

static void peak(const struct lab_result *result, const struct lab_row *row, struct lab_cell *cell)
{
    const double most = lab_result_peak(result, row);
    if (lab_result_timed(row) && most > 0.0 && result->facts.flops > 0.0)
        put(cell, 1e11 * lab_result_gflops(result, row) / most, 1.0, "%.1f%%");
}

static void first(const struct lab_result *result, const struct lab_row *row, struct lab_cell *cell)
{
    put_ratio(cell, row, lab_result_first(result), 1.0, "%.2fx");
}

static void parent(const struct lab_result *result, const struct lab_row *row,
                   struct lab_cell *cell)
{
    put_ratio(cell, row, lab_result_parent(result, row), 1.0, "%.2fx");
}

static void limiter(const struct lab_result *result, const struct lab_row *row,
                    struct lab_cell *cell)
{
    (void)result;
    if (row->time.modelled)
        put_text(cell, row->time.limiter);
}

/* `make results` writes the table from what was recorded, so no JSON is read to show it. A row that
 * does not run has no speed, and on the simulator of another GPU no row has. */
static const struct lab_recorded recorded_rows[] = {
#define LAB_RECORDED(target, row, type, sizes, gpu, speed) {target, row, type, sizes, gpu, speed},
#include "report/recorded.def"
#undef LAB_RECORDED
};

const struct lab_recorded *lab_recorded_find(const struct lab_result *result,
                                             const struct lab_row *row)
{
    const char *const type = result->facts.type ? result->facts.type : result->family->type;
    const char *const dot = strchr(row->name, '.');
    if (!row->step || row->check.status == LAB_CHECK_SKIPPED)
        return NULL;
    for (size_t i = 0; i < sizeof recorded_rows / sizeof *recorded_rows; i++)
        if (strcmp(recorded_rows[i].target, row->target) == 0 &&
            strcmp(recorded_rows[i].type, type) == 0 &&
            strcmp(recorded_rows[i].row, dot ? dot + 1 : row->name) == 0 &&
            (!result->is_sim || strstr(result->device->properties.name, recorded_rows[i].gpu)))
            return &recorded_rows[i];
    return NULL;
}

static void recorded(const struct lab_result *result, const struct lab_row *row,
                     struct lab_cell *cell)
{
    const struct lab_recorded *const found = result->beside ? lab_recorded_find(result, row) : NULL;
    if (found)
        put(cell, found->speed, 1.0, bytes_format(found->speed));
}

static void energy(const struct lab_result *result, const struct lab_row *row,
                   struct lab_cell *cell)
{
    (void)result;
    if (row->energy.joules > 0.0)
        put(cell, row->energy.joules, 1e3, "%.4g");
}

static void modelled_energy(const struct lab_result *result, const struct lab_row *row,
                            struct lab_cell *cell)
{
    struct lab_energy_model model;
    if (result->energy && lab_energy_from_counters(&row->counters, result->device, &model))
        put(cell, lab_energy_total(&model), 1e3, "%.4g");
}

/* A figure in place of times that the model does not give, or gives with too large an error. */
static void put_counted(const struct lab_result *result, const struct lab_row *row, int which,
                        struct lab_cell *cell)
{
    char figure[LAB_FIGURE_BYTES];
    if (!result->counted || isnan(row->counted[which]))
        return;
    lab_figure_write(figure, row->counted[which]);
    put_text(cell, figure);
}

static void counted_1(const struct lab_result *result, const struct lab_row *row,
                      struct lab_cell *cell)
{
    put_counted(result, row, 0, cell);
}

static void counted_2(const struct lab_result *result, const struct lab_row *row,
                      struct lab_cell *cell)
{
    put_counted(result, row, 1, cell);
}

static void counted_3(const struct lab_result *result, const struct lab_row *row,
                      struct lab_cell *cell)
{
    put_counted(result, row, 2, cell);
}

/* Launches of a row. The table shows them if any row has more than one. */
static void launches(const struct lab_result *result, const struct lab_row *row,
                     struct lab_cell *cell)
{
    bool several = false;
    for (int i = 0; i < result->row_count; i++)
        several = several || (result->rows[i].kernel.known && result->rows[i].kernel.launches > 1);
    if (row->kernel.known)
        put(cell, row->kernel.launches, 1.0, several ? "%.0f" : "");
}

static void registers(const struct lab_result *result, const struct lab_row *row,
                      struct lab_cell *cell)
{
    (void)result;
    if (row->kernel.known)
        put(cell, row->kernel.registers, 1.0, "%.0f");
}

static void shared(const struct lab_result *result, const struct lab_row *row,
                   struct lab_cell *cell)
{
    (void)result;
    if (row->kernel.known)
        put(cell, (double)row->kernel.shared_bytes, 1.0, "%.0f");
}

static void occupancy(const struct lab_result *result, const struct lab_row *row,
                      struct lab_cell *cell)
{
    (void)result;
    if (row->kernel.known)
        put(cell, row->kernel.occupancy, 100.0, "%.0f%%");
}

static void instructions(const struct lab_result *result, const struct lab_row *row,
                         struct lab_cell *cell)
{
    (void)result;
    const double count = (double)row->instructions;
    if (row->instructions)
        put(cell, count, count >= 10000 ? 1e-6 : 1.0, count >= 10000 ? "%.4g M" : "%.0f");
}

static void error(const struct lab_result *result, const struct lab_row *row, struct lab_cell *cell)
{
    if (lab_result_shows_errors(result) && row->check.exact_error > 0.0)
        put(cell, row->check.exact_error, 1.0, "%.3g");
}

static void check(const struct lab_result *result, const struct lab_row *row, struct lab_cell *cell)
{
    (void)result;
    put_text(cell, lab_check_status_name(row->check.status));
}

enum { LEFT = 1, OF_TIME = 2 };

static const struct lab_column columns[] = {
#define LAB_COLUMN(function, title, json, flags, meaning)                                          \
    {title, json, ((flags)&LEFT) != 0, ((flags)&OF_TIME) != 0, meaning, function},
#include "report/columns.def"
#undef LAB_COLUMN
};

const struct lab_column *lab_columns(int *count)
{
    *count = sizeof columns / sizeof *columns;
    return columns;
}

struct lab_cell lab_cell_of(const struct lab_column *column, const struct lab_result *result,
                            const struct lab_row *row)
{
    struct lab_cell cell = {.text = ""};
    column->fill(result, row, &cell);
    return cell;
}

const struct lab_recorded *lab_columns_recorded(const struct lab_result *result)
{
    for (int i = 0; i < result->row_count && result->beside; i++)
        if (lab_recorded_find(result, &result->rows[i]))
            return lab_recorded_find(result, &result->rows[i]);
    return NULL;
}

/* A column of shares names the reference; a column of counted figures has the family's words. */
void lab_column_title(const struct lab_column *column, const struct lab_result *result,
                      char title[LAB_CELL_BYTES])
{
    const char *const compared = result->family->reference;
    const struct lab_counted *const counted = result->family->counted;
    const struct lab_recorded *const record = lab_columns_recorded(result);
    if (column->fill == counted_1 || column->fill == counted_2 || column->fill == counted_3)
        snprintf(title, LAB_CELL_BYTES, "%s",
                 counted[column->fill == counted_1   ? 0
                         : column->fill == counted_2 ? 1
                                                     : 2]
                     .title);
    else if (column->fill == recorded && record)
        snprintf(title, LAB_CELL_BYTES, "%s %s", record->gpu,
                 result->facts.flops > 0.0 ? "GFLOPS" : "GB/s");
    else if (column->fill == reference && *compared && strncmp(compared, "cublas", 6) != 0)
        snprintf(title, LAB_CELL_BYTES, "of %s", compared);
    else
        snprintf(title, LAB_CELL_BYTES, "%s", column->title);
}
