/* The table for a terminal. Columns appear only if there is something to show: the simulator has no
 * measured times, a GPU no instruction counts. */
#include "report/terminal.h"

#include "base/files.h"
#include "base/text.h"
#include "measure/timing/nvml.h"
#include "report/columns.h"
#include "series/registry.h"

#include <string.h>
#include <unistd.h>

enum { MOST_COLUMNS = 32 };

/* The width of a column; 0: no row has anything to say. */
static int column_width(const struct lab_result *result, const struct lab_column *column)
{
    char heading[LAB_CELL_BYTES];
    int width = 0;
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_cell cell = lab_cell_of(column, result, &result->rows[i]);
        const int length = (int)strlen(cell.text);
        width = length > width ? length : width;
    }
    if (width == 0)
        return 0;
    lab_column_title(column, result, heading);
    int title = (int)strlen(heading);
    return width > title ? width : title;
}

static const char *colour_of(const struct lab_row *row)
{
    return row->check.status == LAB_CHECK_OK ? "\033[32m"
           : row->check.status == LAB_CHECK_SKIPPED || row->check.status == LAB_CHECK_UNSUPPORTED
               ? "\033[33m"
               : "\033[1;31m";
}

/* Marks the heads of modelled columns, so that nobody takes their figures for measured ones. */
static void print_marks(const struct lab_result *result, const int widths[MOST_COLUMNS],
                        FILE *stream)
{
    static const char mark[] = " modelled ";
    int before = 0, across = 0, count;
    const struct lab_column *const columns = lab_columns(&count);
    bool is_modelled = false;
    for (int i = 0; i < result->row_count; i++)
        is_modelled = is_modelled || result->rows[i].time.modelled;
    for (int c = 0; c < count; c++) {
        const int width = widths[c] ? widths[c] + 2 : 0;
        across += columns[c].of_time ? width : 0;
        before += columns[c].of_time || across ? 0 : width;
    }
    const int dashes = across - 2 - (int)strlen(mark);
    if (!is_modelled || dashes < 2)
        return;
    fprintf(stream, "%*s", before, "");
    for (int i = 0; i < dashes / 2; i++)
        fputc('-', stream);
    fputs(mark, stream);
    for (int i = dashes / 2; i < dashes; i++)
        fputc('-', stream);
    fputc('\n', stream);
}

/* Prints the columns that have a width. */
static void print_columns(const struct lab_result *result, const int widths[MOST_COLUMNS],
                          FILE *stream, bool colour)
{
    int count;
    const struct lab_column *const columns = lab_columns(&count);
    print_marks(result, widths, stream);
    for (int i = -1; i < result->row_count; i++) {
        const struct lab_row *row = i < 0 ? NULL : &result->rows[i];
        const char *gap = "";
        for (int c = 0; c < count; c++) {
            struct lab_cell cell;
            if (widths[c] == 0)
                continue;
            if (row)
                cell = lab_cell_of(&columns[c], result, row);
            else
                lab_column_title(&columns[c], result, cell.text);
            const bool is_last = c == count - 1; /* the verdict */
            const char *start = row && colour && is_last ? colour_of(row) : "";
            fprintf(stream, "%s%s", gap, start);
            fprintf(stream, columns[c].left ? "%-*s" : "%*s", is_last ? 0 : widths[c], cell.text);
            fputs(*start ? "\033[0m" : "", stream);
            gap = "  ";
        }
        fputc('\n', stream);
    }
}

/* Prints a table that is wider than the window in parts, each with the names of the rows. */
static void print_rows(const struct lab_result *result, FILE *stream, bool colour)
{
    const int room = lab_columns_of(stream);
    int c = 0, count;
    const struct lab_column *const columns = lab_columns(&count);
    while (c < count) {
        int widths[MOST_COLUMNS] = {0}, across = 0, own = 0;
        for (int name = 0; name < c; name++) /* the first part has the name anyway */
            if (strcmp(columns[name].title, "kernel") == 0)
                across = widths[name] = column_width(result, &columns[name]);
        for (; c < count; c++) {
            const int width = column_width(result, &columns[c]);
            const int gap = across ? 2 : 0;
            if (width && room && own && across + gap + width > room)
                break;
            widths[c] = width;
            across += width ? gap + width : 0;
            own += width > 0;
        }
        print_columns(result, widths, stream, colour);
        if (c < count)
            fputc('\n', stream);
    }
}

static void print_head(const struct lab_result *result, FILE *stream)
{
    const struct cudaDeviceProp *p = &result->device->properties;
    const struct lab_problem_facts *facts = &result->facts;
    char slice[32] = "";
    if (result->device->whole_sms > p->multiProcessorCount)
        snprintf(slice, sizeof slice, " of %d", result->device->whole_sms);
    fprintf(stream, "%s on %s (%s, %d%s SMs)\n", result->target,
            result->is_sim ? "the simulator" : p->name, result->device->arch,
            p->multiProcessorCount, slice);
    fprintf(stream, "%s%s%s %s", result->family->options->title, facts->form ? " " : "",
            facts->form ? facts->form : "", facts->type ? facts->type : result->family->type);
    for (int i = 0; i < facts->size_count; i++)
        fprintf(stream, "  %s=%ld", facts->sizes[i].name, facts->sizes[i].value);
    for (int i = 0; i < facts->factor_count; i++)
        fprintf(stream, "  %s=%g", facts->factors[i].name, facts->factors[i].value);
    fprintf(stream, "  seed=%llu%s%s\n", (unsigned long long)result->seed,
            facts->values ? "  values=" : "", facts->values ? facts->values : "");
    if (facts->note)
        fprintf(stream, "note: %s\n", facts->note);
    fputc('\n', stream);
}

/* What to add if modelled times were not validated. They were for the matrix product, in the steps
 * up to 07. */
static const char *unproved(const struct lab_result *result)
{
    if (result->family->options->slice_size <= 0)
        return "; for this problem they have not been validated on a GPU";
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *const row = &result->rows[i];
        if (row->time.modelled && row->stage && strcmp(row->stage->number, "08") >= 0 &&
            (lab_registry_stage(row->stage->number) == row->stage ||
             lab_registry_is_study(row->stage))) /* not a stage of an exercise */
            return "; for steps after 07 they have not been validated on a GPU";
    }
    return "";
}

/* Says that times are modelled, so that nobody takes them for measured ones. */
static void print_model_note(const struct lab_result *result, const struct lab_row *row,
                             FILE *stream)
{
    const struct lab_device *const device = result->device;
    const int sms = device->properties.multiProcessorCount;
    char slice[96] = "";
    if (device->whole_sms > sms)
        snprintf(slice, sizeof slice,
                 ", a slice of %d of its %d SMs with their share of L2 and DRAM", sms,
                 device->whole_sms);
    lab_printf_wrapped(stream, "\ntimes are modelled from the counters, not measured: %s%s%s%s\n",
                       device->properties.name, slice,
                       row->time.without_caches
                           ? "; the traffic of L2 and DRAM was not counted and limits "
                             "nothing here"
                           : "",
                       unproved(result));
}

static const struct lab_row *row_of(const struct lab_result *result, const char *name)
{
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *const row = &result->rows[i];
        const char *const dot = strchr(row->name, '.');
        char full[2 * LAB_NAME_BYTES];
        snprintf(full, sizeof full, "%s.%s", row->target, dot ? dot + 1 : row->name);
        if (row->time.modelled && strcmp(full, name) == 0)
            return row;
    }
    return NULL;
}

/* Notes pairs of rows that the model is known to put in the wrong order. */
static void print_turned_note(const struct lab_result *result, FILE *stream)
{
    static const struct {
        const char *faster, *slower;
        double times;
    } turned[] = {
#define LAB_TURNED(faster, slower, times) {faster, slower, times},
#include "measure/model/turned.def"
#undef LAB_TURNED
    };
    if (!strstr(result->device->properties.name, "H200"))
        return;
    for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
        const struct lab_row *const faster = row_of(result, turned[i].faster);
        const struct lab_row *const slower = row_of(result, turned[i].slower);
        if (faster && slower && faster->time.median > slower->time.median)
            fprintf(stream,
                    "the model has this order wrong: on an H200, at 4096, %s was %.2f times as "
                    "fast as %s\n",
                    faster->name, turned[i].times, slower->name);
    }
}

/* Notes rows without a modelled time, because the model does not see all that they do. */
static void print_local_note(const struct lab_result *result, FILE *stream)
{
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        if (row->time.local_bytes > 0)
            fprintf(stream,
                    "\nno modelled time of %s: its machine code has %zu bytes of each thread in "
                    "local memory\n(spilled registers, or arrays), whose traffic the model does "
                    "not see\n",
                    row->name, row->time.local_bytes);
    }
}

/* Says why there are no times, to readers who saw modelled times for other steps. */
static void print_counted_note(const struct lab_result *result, FILE *stream)
{
    if (result->counted && lab_result_status(result) == LAB_CHECK_OK)
        lab_printf_wrapped(
            stream, "\nno modelled times: for this problem they have not been validated on a GPU. "
                    "--profile shows them, and all counters\n");
}

static void print_timing_note(const struct lab_result *result, FILE *stream)
{
    const struct lab_conditions *now = &result->conditions;
    int reps = 0; /* of most rows; a failed row has none */
    for (int i = 0; i < result->row_count; i++) {
        if (result->rows[i].time.modelled) {
            print_model_note(result, &result->rows[i], stream);
            print_turned_note(result, stream);
            return;
        }
        reps = result->rows[i].time.reps > reps ? result->rows[i].time.reps : reps;
    }
    if (!reps)
        return;
    fprintf(stream, "\nmedian of %d", reps);
    for (int i = 0, found = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        if (row->time.reps && row->time.reps < reps)
            fprintf(stream, "%s%s %d", found++ ? ", " : " (", row->name, row->time.reps);
        if (i == result->row_count - 1 && found)
            fputc(')', stream);
    }
    fprintf(stream, ", %s", result->warm ? "L2 warm" : "L2 flushed in between");
    if (now->sm_mhz)
        fprintf(stream, "; %d MHz, %.0f W while running", now->sm_mhz, now->power_watts);
    fputc('\n', stream);
}

/* Says why there are no energies if they were asked for. */
static void print_energy_note(const struct lab_result *result, FILE *stream)
{
    struct lab_energy_model model;
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].energy.joules > 0.0 ||
            lab_energy_from_counters(&result->rows[i].counters, result->device, &model))
            return;
    if (result->energy && lab_result_status(result) == LAB_CHECK_OK)
        fprintf(stream, "\nno energies: %s; --energy with --profile models them\n",
                result->is_sim ? "the simulator has nothing to measure"
                               : "this GPU or its driver has no energy counter (NVML)");
}

static void print_failures(const struct lab_result *result, FILE *stream)
{
    for (int i = 0; i < result->row_count; i++) {
        const struct lab_row *row = &result->rows[i];
        if (row->check.status == LAB_CHECK_OK)
            continue;
        fprintf(stream, "\n%s: %s", row->name, lab_check_status_name(row->check.status));
        if (row->check.file[0])
            fprintf(stream, " at %s:%d", lab_shown_path(row->check.file), row->check.line);
        fprintf(stream, "\n  %s\n", row->check.message);
    }
}

/* Says where speeds were recorded, because a row's problem there may be another. */
static void print_recorded_note(const struct lab_result *result, FILE *stream)
{
    const struct lab_recorded *const recorded = lab_columns_recorded(result);
    if (recorded)
        fprintf(stream, "\n%s %s: recorded on an NVIDIA %s at %s, see docs/results\n",
                recorded->gpu, result->facts.flops > 0.0 ? "GFLOPS" : "GB/s", recorded->gpu,
                recorded->sizes);
}

void lab_table_print(const struct lab_result *result, FILE *stream)
{
    bool colour = isatty(fileno(stream));
    print_head(result, stream);
    print_rows(result, stream, colour);
    print_timing_note(result, stream);
    print_counted_note(result, stream);
    print_recorded_note(result, stream);
    print_local_note(result, stream);
    print_energy_note(result, stream);
    if (result->conclusion.text)
        fprintf(stream, "\n%s", result->conclusion.text);
    print_failures(result, stream);
}
