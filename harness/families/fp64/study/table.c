/* The tables of the studies of steps 09 and 10: a line for each version, with its gain relative to
 * the version that it changes, here and in the report. A missing value is left empty, never 0. */
#include "families/fp64/study/table.h"

#include "families/fp64/study/coursework.h"
#include "options/family.h"
#include "report/table.h"
#include "series/registry.h"

#include <math.h>

enum { NAME_WIDTH = 28 };

/* A speed; 0: not measured. */
typedef double speed_fn(const struct lab_result *run, const struct lab_row *row);

static double speed_alone(const struct lab_result *run, const struct lab_row *row)
{
    return lab_result_timed(row) ? lab_result_gflops(run, row) : 0.0;
}

static double speed_with_copies(const struct lab_result *run, const struct lab_row *row)
{
    return row->with_copies_ms > 0.0 ? run->facts.flops / row->with_copies_ms * 1e-6 : 0.0;
}

static const struct fp64_coursework *coursework_of(const struct lab_result *run)
{
    return fp64_coursework_find(run->family->options->name);
}

/* Stages have rows of the same names, but these rows are not of the study. */
static const struct fp64_version *version_of(const struct lab_result *run,
                                             const struct lab_row *row)
{
    const bool is_of_study = row->stage && row->stage == lab_registry_study(row->target);
    return is_of_study ? fp64_version_find(coursework_of(run), row->name) : NULL;
}

static void put(FILE *stream, int width, const char *format, double value)
{
    lab_sweep_put_cell(stream, width, format, value > 0.0 ? value : NAN);
}

/* A speed and its gain relative to the version that this one changes. */
static void put_speed(FILE *stream, int width, double speed, double before)
{
    put(stream, width, speed < 100.0 ? "%.1f" : "%.0f", speed);
    put(stream, 6, "%.2fx", before > 0.0 ? speed / before : 0.0);
}

static void put_here(FILE *stream, const struct lab_result *run, const struct lab_row *row,
                     const struct lab_row *base, speed_fn *speed)
{
    put_speed(stream, 11, speed(run, row), base ? speed(run, base) : 0.0);
}

static bool has_copies(const struct lab_result *run)
{
    for (int i = 0; i < run->row_count; i++)
        if (run->rows[i].with_copies_ms > 0.0)
            return true;
    return false;
}

static void print_line(const struct lab_result *run, const struct lab_row *row,
                       const struct fp64_version *version, FILE *stream)
{
    const struct fp64_coursework *coursework = coursework_of(run);
    const struct lab_row *base = version->over ? lab_sweep_row(run, version->over) : NULL;
    const struct fp64_version *before =
        version->over ? fp64_version_find(coursework, version->over) : NULL;
    fprintf(stream, "%-*s", NAME_WIDTH, row->name);
    put_speed(stream, 11, version->with_copies,
              version->with_copies > 0.0 && before ? before->with_copies : 0.0);
    if (has_copies(run))
        put_here(stream, run, row, base, speed_with_copies);
    put_here(stream, run, row, base, speed_alone);
    fprintf(stream, "  %9d  %8zu  %8.0f%%%s%s\n", row->kernel.registers, row->kernel.shared_bytes,
            100.0 * row->kernel.occupancy, version->over ? "  " : "",
            version->over ? version->over : "");
}

static bool is_coursework(const struct lab_result *run)
{
    for (int i = 0; i < run->row_count; i++)
        if (version_of(run, &run->rows[i]))
            return true;
    return false;
}

static void print_run(const struct lab_result *run, FILE *stream)
{
    const struct fp64_coursework *coursework = coursework_of(run);
    fprintf(stream, "%s, GFLOPS, on %s, with copies, and on %s\n", run->target, coursework->device,
            run->device->properties.name);
    for (int i = 0; i < run->facts.size_count; i++)
        fprintf(stream, "%s%s=%ld", i ? "  " : "", run->facts.sizes[i].name,
                run->facts.sizes[i].value);
    fprintf(stream, "\n%-*s  %11s  %6s", NAME_WIDTH, "version", "the report", "gain");
    if (has_copies(run))
        fprintf(stream, "  %11s  %6s", "with copies", "gain");
    fprintf(stream, "  %11s  %6s  %9s  %8s  %9s  %s\n", run->is_sim ? "modelled" : "here", "gain",
            "registers", "shared B", "occupancy", "gain relative to");
    for (int i = 0; i < run->row_count; i++) {
        const struct lab_row *row = &run->rows[i];
        const struct fp64_version *version = version_of(run, row);
        if (version && row->check.status == LAB_CHECK_OK)
            print_line(run, row, version, stream);
    }
}

void lab_sweep_print_coursework(const struct lab_sweep *sweep, FILE *stream)
{
    for (int i = 0; i < sweep->count; i++) {
        fputs(i ? "\n" : "", stream);
        if (is_coursework(sweep->runs[i]))
            print_run(sweep->runs[i], stream);
        else
            lab_table_print(sweep->runs[i], stream);
    }
}

void lab_sweep_put_coursework(struct lab_json_writer *w, const struct lab_result *run)
{
    const struct fp64_coursework *coursework = coursework_of(run);
    if (!is_coursework(run))
        return;
    lab_json_begin(w, "report", '{');
    lab_json_string(w, "device", coursework->device);
    lab_json_begin(w, "versions", '[');
    for (const struct fp64_version *v = coursework->versions; v->row; v++) {
        lab_json_begin(w, NULL, '{');
        lab_json_string(w, "name", v->row);
        if (v->over)
            lab_json_string(w, "over", v->over);
        if (v->with_copies > 0.0)
            lab_json_number(w, "gflops_with_copies", v->with_copies);
        if (v->without_copies > 0.0)
            lab_json_number(w, "gflops", v->without_copies);
        lab_json_end(w, '}');
    }
    lab_json_end(w, ']');
    lab_json_end(w, '}');
}
