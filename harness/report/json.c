/* Writes JSON by hand rather than with a library, because a GPU machine with nothing but a C
 * compiler and the CUDA toolkit must be able to build the program. Nothing here reads JSON. */
#include "report/json.h"

#include "base/json_writer.h"
#include "base/files.h"
#include "measure/timing/nvml.h"
#include "measure/model/model.h"
#include "measure/counters/counters.h"
#include "report/columns.h"
#include "series/registry.h"

#include <errno.h>
#include <math.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put_shape(struct lab_json_writer *w, const char *name, const unsigned shape[3])
{
    lab_json_item(w, name);
    fprintf(w->stream, "[%u, %u, %u]", shape[0], shape[1], shape[2]);
}

/* --- the result --------------------------------------------------------------------------------*/

static void put_version(struct lab_json_writer *w, const char *name, int version)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
    lab_json_string(w, name, text);
}

static void put_device(struct lab_json_writer *w, const struct lab_device *device)
{
    lab_json_begin(w, "device", '{');
    lab_json_string(w, "name", device->properties.name);
    lab_json_string(w, "arch", device->arch);
    lab_json_integer(w, "sm_count", device->properties.multiProcessorCount);
    if (device->whole_sms > device->properties.multiProcessorCount)
        lab_json_integer(w, "slice_of_sms", device->whole_sms);
    put_version(w, "driver", device->driver);
    put_version(w, "toolkit", device->toolkit);
    lab_json_begin(w, "peaks", '{');
    if (device->peak_fp32 > 0.0)
        lab_json_number(w, "fp32_gflops", 1e-9 * device->peak_fp32);
    if (device->peak_fp64 > 0.0)
        lab_json_number(w, "fp64_gflops", 1e-9 * device->peak_fp64);
    if (device->peak_dram > 0.0)
        lab_json_number(w, "dram_gb_per_s", 1e-9 * device->peak_dram);
    if (device->peak_l2 > 0.0)
        lab_json_number(w, "l2_gb_per_s", 1e-9 * device->peak_l2);
    lab_json_number(w, "data_pipe_gb_per_s", 1e-9 * device->peak_pipe);
    lab_json_end(w, '}');
    lab_json_end(w, '}');
}

static void put_problem(struct lab_json_writer *w, const struct lab_result *result)
{
    const struct lab_problem_facts *facts = &result->facts;
    lab_json_begin(w, "problem", '{');
    lab_json_string(w, "family", result->family->options->title);
    lab_json_string(w, "type", facts->type ? facts->type : result->family->type);
    if (facts->form)
        lab_json_string(w, "form", facts->form);
    if (facts->values)
        lab_json_string(w, "values", facts->values);
    for (int i = 0; i < facts->size_count; i++)
        lab_json_integer(w, facts->sizes[i].name, facts->sizes[i].value);
    for (int i = 0; i < facts->factor_count; i++)
        lab_json_number(w, facts->factors[i].name, facts->factors[i].value);
    lab_json_item(w, "seed");
    fprintf(w->stream, "%llu", (unsigned long long)result->seed);
    lab_json_number(w, "flops", facts->flops);
    lab_json_number(w, "bytes", facts->bytes);
    lab_json_end(w, '}');
}

/* Writes the share of wrong elements in each cell, as two hexadecimal digits: "ff" means all. */
static void put_map(struct lab_json_writer *w, const struct lab_check *check)
{
    const struct lab_check_map *const map = &check->map;
    const size_t down = map->rows < LAB_PATTERN_CELLS ? map->rows : LAB_PATTERN_CELLS;
    const size_t across = map->columns < LAB_PATTERN_CELLS ? map->columns : LAB_PATTERN_CELLS;
    if (check->status == LAB_CHECK_OK || !map->rows || !map->columns)
        return;
    lab_json_begin(w, "where", '{');
    lab_json_integer(w, "rows", (long long)map->rows);
    lab_json_integer(w, "columns", (long long)map->columns);
    lab_json_integer(w, "row", (long long)check->row);
    lab_json_integer(w, "column", (long long)check->column);
    lab_json_begin(w, "wrong", '[');
    for (size_t row = 0; row < down; row++) {
        char text[2 * LAB_PATTERN_CELLS + 1];
        for (size_t column = 0; column < across; column++)
            snprintf(&text[2 * column], 3, "%02x", map->share[row][column]);
        lab_json_string(w, NULL, text);
    }
    lab_json_end(w, ']');
    lab_json_end(w, '}');
}

static void put_check(struct lab_json_writer *w, const struct lab_check *check)
{
    lab_json_begin(w, "check", '{');
    lab_json_string(w, "status", lab_check_status_name(check->status));
    if (check->tolerance > 0.0) {
        lab_json_number(w, "max_error", check->max_error);
        lab_json_number(w, "tolerance", check->tolerance);
    }
    if (check->message[0])
        lab_json_string(w, "message", check->message);
    if (check->file[0]) {
        lab_json_string(w, "file", check->file);
        lab_json_integer(w, "line", check->line);
    }
    if (check->status == LAB_CHECK_OUT_OF_BOUNDS && check->address) {
        char address[24];
        snprintf(address, sizeof address, "0x%" PRIx64, check->address);
        lab_json_string(w, "address", address);
    }
    put_map(w, check);
    lab_json_end(w, '}');
}

static void put_speedups(struct lab_json_writer *w, const struct lab_result *result,
                         const struct lab_row *row)
{
    const struct lab_row *first = lab_result_first(result);
    const struct lab_row *parent = lab_result_parent(result, row);
    const struct lab_row *reference = lab_result_reference(result);
    if (!first && !parent && !reference)
        return;
    lab_json_begin(w, "speedup", '{');
    if (first)
        lab_json_number(w, "over_first", first->time.median / row->time.median);
    if (parent)
        lab_json_number(w, "over_parent", parent->time.median / row->time.median);
    if (reference)
        lab_json_number(w, "over_reference", reference->time.median / row->time.median);
    lab_json_end(w, '}');
}

static void put_times(struct lab_json_writer *w, const struct lab_result *result,
                      const struct lab_row *row)
{
    lab_json_begin(w, "time_ms", '{');
    lab_json_number(w, "median", row->time.median);
    lab_json_number(w, "min", row->time.min);
    lab_json_number(w, "max", row->time.max);
    if (row->time.reps)
        lab_json_integer(w, "reps", row->time.reps);
    lab_json_end(w, '}');
    if (row->time.modelled) {
        lab_json_bool(w, "modelled", true);
        if (row->time.without_caches)
            lab_json_string(w, "model_leaves_out", "traffic of L2 and DRAM, which was not counted");
    }
    put_speedups(w, result, row);
    if (row->with_copies_ms > 0.0)
        lab_json_number(w, "time_with_copies_ms", row->with_copies_ms);
}

/* What the table says about a row, if it is a figure, or a word, and has a name. */
static void put_columns(struct lab_json_writer *w, const struct lab_result *result,
                        const struct lab_row *row)
{
    int count;
    const struct lab_column *const columns = lab_columns(&count);
    for (int i = 0; i < count; i++) {
        const struct lab_cell cell = lab_cell_of(&columns[i], result, row);
        if (*columns[i].json && cell.has_figure)
            lab_json_number(w, columns[i].json, cell.figure);
        else if (*columns[i].json && *cell.text)
            lab_json_string(w, columns[i].json, cell.text);
    }
}

static void put_counters(struct lab_json_writer *w, const char *name, uint64_t instructions,
                         const struct lab_counters *counters)
{
    if (!instructions && counters->count == 0)
        return;
    lab_json_begin(w, name, '{');
    if (instructions)
        lab_json_integer(w, "ptx_warp_instructions", (long long)instructions);
    for (int i = 0; i < counters->count; i++) {
        double value = counters->list[i].value;
        if (value == floor(value) && fabs(value) < 9e15)
            lab_json_integer(w, counters->list[i].name, (long long)value);
        else
            lab_json_number(w, counters->list[i].name, value);
    }
    double misses;
    if (lab_counters_misses(counters, &misses))
        lab_json_number(w, LAB_COUNTER_MISSES_NAME, misses);
    lab_json_end(w, '}');
}

static void put_accesses(struct lab_json_writer *w, const struct lab_line *line)
{
    if (line->global_requests > 0.0) {
        lab_json_number(w, "global_requests", line->global_requests);
        lab_json_number(w, "global_sectors", line->global_sectors);
        lab_json_number(w, "global_sectors_needed", line->global_needed);
    }
    if (line->shared_requests > 0.0) {
        lab_json_number(w, "shared_requests", line->shared_requests);
        lab_json_number(w, "shared_wavefronts", line->shared_wavefronts);
        lab_json_number(w, "shared_conflicts", line->shared_conflicts);
    }
}

/* Writes each array's accesses, for a line that uses several arrays of one memory. */
static void put_operands(struct lab_json_writer *w, const struct lab_lines *lines,
                         const struct lab_line *line)
{
    bool any = false;
    for (int i = 0; i < lines->operand_count; i++) {
        const struct lab_operand *operand = &lines->operands[i];
        if (!lab_lines_tell_apart(lines, line, operand))
            continue;
        if (!any)
            lab_json_begin(w, "operands", '[');
        any = true;
        lab_json_begin(w, NULL, '{');
        lab_json_string(w, "array", operand->name);
        put_accesses(w, &operand->counts);
        lab_json_end(w, '}');
    }
    if (any)
        lab_json_end(w, ']');
}

/* How often warps executed each opcode of PTX that the line became. */
static void put_opcodes(struct lab_json_writer *w, const struct lab_lines *lines,
                        const struct lab_line *line)
{
    lab_json_begin(w, "ptx", '{');
    for (int i = 0; i < lines->opcode_count; i++)
        if (lines->opcodes[i].line == line->line && strcmp(lines->opcodes[i].file, line->file) == 0)
            lab_json_number(w, lines->opcodes[i].opcode, lines->opcodes[i].warp_instructions);
    lab_json_end(w, '}');
}

static void put_line(struct lab_json_writer *w, const struct lab_lines *lines,
                     const struct lab_line *line, const char *note)
{
    lab_json_begin(w, NULL, '{');
    lab_json_string(w, "file", line->file);
    lab_json_integer(w, "line", line->line);
    lab_json_number(w, "warp_instructions", line->warp_instructions);
    put_accesses(w, line);
    put_operands(w, lines, line);
    if (line->box_rows > 0) {
        lab_json_begin(w, "box", '{');
        lab_json_integer(w, "rows", line->box_rows);
        lab_json_integer(w, "row_bytes", line->box_row_bytes);
        lab_json_integer(w, "swizzle", line->box_swizzle);
        lab_json_end(w, '}');
    }
    put_opcodes(w, lines, line);
    if (note)
        lab_json_string(w, "note", note);
    lab_json_end(w, '}');
}

static void put_lines(struct lab_json_writer *w, const struct lab_lines *lines)
{
    struct lab_worst_line worst[LAB_WORST_LINES];
    int count = lab_worst_lines(lines, worst);
    lab_json_begin(w, "lines", '[');
    for (int i = 0; i < lines->count; i++) {
        const char *note = NULL;
        for (int n = 0; n < count; n++)
            note = worst[n].index == i ? worst[n].reason : note;
        put_line(w, lines, &lines->list[i], note);
    }
    lab_json_end(w, ']');
}

static void put_energy(struct lab_json_writer *w, const struct lab_result *result,
                       const struct lab_row *row)
{
    struct lab_energy_model model;
    if (row->energy.joules > 0.0) {
        lab_json_begin(w, "energy", '{');
        lab_json_number(w, "joules", row->energy.joules);
        lab_json_number(w, "watts", row->energy.watts);
        lab_json_number(w, "measured_seconds", row->energy.seconds);
        lab_json_end(w, '}');
    }
    if (!lab_energy_from_counters(&row->counters, result->device, &model))
        return;
    lab_json_begin(w, "modelled_energy", '{');
    lab_json_number(w, "joules", lab_energy_total(&model));
    lab_json_number(w, "arithmetic", model.arithmetic);
    lab_json_number(w, "shared_memory", model.shared);
    lab_json_number(w, "l2", model.l2);
    lab_json_number(w, "dram", model.dram);
    lab_json_end(w, '}');
}

static void put_counted(struct lab_json_writer *w, const struct lab_result *result,
                        const struct lab_row *row)
{
    lab_json_begin(w, "counted", '{');
    for (int i = 0; i < LAB_MAX_COUNTED; i++)
        if (!isnan(row->counted[i]))
            lab_json_number(w, result->family->counted[i].title, row->counted[i]);
    lab_json_end(w, '}');
}

/* Writes the times of a row's launches, if there are several. They include the time of the events
 * between launches. */
static void put_launches(struct lab_json_writer *w, const struct lab_row *row)
{
    if (!(row->launch_ms[0] > 0.0))
        return;
    lab_json_begin(w, "launch_ms", '[');
    for (int i = 0; i < LAB_MAX_NAMED && row->launch_ms[i] > 0.0; i++)
        lab_json_number(w, NULL, row->launch_ms[i]);
    lab_json_end(w, ']');
}

static void put_recorded(struct lab_json_writer *w, const struct lab_result *result,
                         const struct lab_row *row)
{
    const struct lab_recorded *const recorded =
        result->beside ? lab_recorded_find(result, row) : NULL;
    if (!recorded)
        return;
    lab_json_begin(w, "recorded", '{');
    lab_json_string(w, "gpu", recorded->gpu);
    lab_json_string(w, "sizes", recorded->sizes);
    lab_json_number(w, result->facts.flops > 0.0 ? "gflops" : "gb_per_s", recorded->speed);
    lab_json_end(w, '}');
}

static void put_residency(struct lab_json_writer *w, const struct lab_residency *r)
{
    lab_json_begin(w, "blocks_per_sm", '{');
    lab_json_integer(w, "held", r->blocks);
    lab_json_integer(w, "by_registers", r->by_registers);
    lab_json_integer(w, "by_shared", r->by_shared);
    lab_json_integer(w, "by_warps", r->by_warps);
    lab_json_integer(w, "by_blocks", r->by_blocks);
    lab_json_integer(w, "registers_for_as_many", r->registers_for_as_many);
    lab_json_integer(w, "registers_for_more", r->registers_for_more);
    lab_json_integer(w, "shared_for_as_many", (long long)r->shared_for_as_many);
    lab_json_integer(w, "shared_for_more", (long long)r->shared_for_more);
    lab_json_end(w, '}');
}

/* Writes the bytes that a row moved at each level. The data pipe of L1 and shared memory moves 128
 * bytes at once, needed or not. */
static void put_traffic(struct lab_json_writer *w, const struct lab_row *row)
{
    struct lab_model_work work;
    if (!lab_model_read_work(&row->counters, &work))
        return;
    lab_json_begin(w, "bytes_moved", '{');
    if (work.has_caches) {
        lab_json_number(w, "dram", work.dram_bytes);
        lab_json_number(w, "l2", work.l2_bytes);
    }
    lab_json_number(w, "data_pipe", LAB_WAVEFRONT_BYTES * work.wavefronts);
    lab_json_end(w, '}');
}

/* Writes the accesses of the watched warp, in its order. Lanes are bits; the address of a lane that
 * takes no part is 0. */
static void put_accesses_of_warp(struct lab_json_writer *w, const struct lab_lines *lines)
{
    lab_json_begin(w, "accesses", '{');
    lab_json_integer(w, "block", (long long)lines->block);
    lab_json_integer(w, "warp", lines->warp);
    lab_json_begin(w, "list", '[');
    for (int i = 0; i < lines->access_count; i++) {
        const struct lab_sim_access *const access = &lines->accesses[i];
        lab_json_begin(w, NULL, '{');
        lab_json_string(w, "file", access->file);
        lab_json_integer(w, "line", access->line);
        lab_json_string(w, "array", access->array);
        lab_json_string(w, "kind", access->kind);
        lab_json_integer(w, "turn", access->turn);
        lab_json_integer(w, "bytes", access->bytes);
        lab_json_integer(w, "lanes", access->lanes);
        lab_json_integer(w, access->is_shared ? "wavefronts" : "sectors", access->cost);
        lab_json_begin(w, "place", '[');
        for (int lane = 0; lane < 32; lane++)
            lab_json_integer(w, NULL, (long long)access->place[lane]);
        lab_json_end(w, ']');
        lab_json_end(w, '}');
    }
    lab_json_end(w, ']');
    lab_json_end(w, '}');
}

enum { MOST_FILES = 16 };

/* The index of a file in the list of the spans' files; adds it if it is new. */
static int place_of(const char **files, const char *file)
{
    int i = 0;
    while (i < MOST_FILES - 1 && files[i] && strcmp(files[i], file ? file : "") != 0)
        i++;
    files[i] = files[i] ? files[i] : file ? file : "";
    return i;
}

/* Writes begin and length in cycles, the index of the kind, the line, and the index of the file
 * unless it is the first. */
static void put_span(struct lab_json_writer *w, const struct lab_sim_span *span, const char **files)
{
    const int file = place_of(files, span->file);
    fprintf(w->stream, "[%u,%u,%d,%d", span->begin, span->length, span->kind, span->line);
    if (file > 0)
        fprintf(w->stream, ",%d", file);
    fputc(']', w->stream);
}

/* Writes the warps of the watched block, each with its spans and copies. */
static void put_timeline(struct lab_json_writer *w, const struct lab_lines *lines)
{
    const char *const kinds[] = {[LAB_SIM_ISSUES] = lines->clocked ? "runs" : "issues",
                                 [LAB_SIM_WAITS_FOR_GLOBAL] = "waits for global memory",
                                 [LAB_SIM_WAITS_FOR_SHARED] = "waits for shared memory",
                                 [LAB_SIM_WAITS_AT_BARRIER] = "waits at a barrier",
                                 [LAB_SIM_WAITS_FOR_COPY] = "waits for a copy",
                                 [LAB_SIM_WAITS_FOR_ARITHMETIC] = "waits for arithmetic",
                                 [LAB_SIM_WAITS_FOR_TURN] = "waits for its turn",
                                 [LAB_SIM_WAITS_AT_MBARRIER] = "waits at an mbarrier",
                                 [LAB_SIM_WAITS_FOR_TENSOR_CORES] = "waits for tensor cores",
                                 [LAB_SIM_COPY_IS_UNDER_WAY] = "copy under way",
                                 [LAB_SIM_PRODUCTS_ARE_UNDER_WAY] = "products under way"};
    const struct lab_sim_timeline *const timeline = &lines->timeline;
    lab_json_begin(w, "timeline", '{');
    lab_json_string(w, "from", lines->clocked ? "clocks" : "model");
    lab_json_integer(w, "block", (long long)lines->block);
    lab_json_integer(w, "cycles", (long long)timeline->cycles);
    lab_json_bool(w, "is_cut", timeline->is_cut);
    lab_json_begin(w, "sums", '{');
    for (int kind = 0; kind < LAB_SIM_SPAN_KINDS; kind++)
        lab_json_integer(w, kinds[kind], (long long)timeline->sums[kind]);
    lab_json_end(w, '}');
    lab_json_begin(w, "kinds", '[');
    for (int kind = 0; kind < LAB_SIM_ALL_SPAN_KINDS; kind++)
        lab_json_string(w, NULL, kinds[kind]);
    lab_json_end(w, ']');
    const char *files[MOST_FILES] = {NULL};
    lab_json_begin(w, "warps", '[');
    for (unsigned warp = 0; warp < timeline->warps; warp++) {
        bool is_next = false;
        lab_json_item(w, NULL);
        fputc('[', w->stream);
        for (int i = 0; i < timeline->span_count; i++) {
            if (timeline->spans[i].warp != warp)
                continue;
            if (is_next)
                fputc(',', w->stream);
            put_span(w, &timeline->spans[i], files);
            is_next = true;
        }
        fputc(']', w->stream);
    }
    lab_json_end(w, ']');
    lab_json_begin(w, "files", '[');
    for (int i = 0; i < MOST_FILES && files[i]; i++)
        lab_json_string(w, NULL, files[i]);
    lab_json_end(w, ']');
    lab_json_end(w, '}');
}

static void put_row(struct lab_json_writer *w, const struct lab_result *result,
                    const struct lab_row *row)
{
    lab_json_begin(w, NULL, '{');
    lab_json_string(w, "name", row->name);
    if (row->stage && (lab_registry_stage(row->stage->number) == row->stage ||
                       lab_registry_is_study(row->stage))) /* not an exercise's */
        lab_json_string(w, "stage", row->stage->number);
    put_check(w, &row->check);
    if (lab_result_timed(row))
        put_times(w, result, row);
    put_columns(w, result, row);
    put_recorded(w, result, row);
    if (row->time.local_bytes > 0)
        lab_json_string(w, "model_leaves_out",
                        "the time, since the machine code spills registers, or has arrays, to "
                        "local memory");
    if (row->kernel.known) {
        put_launches(w, row);
        lab_json_integer(w, "local_bytes", (long long)row->kernel.local_bytes);
        put_shape(w, "block", row->kernel.block);
        put_shape(w, "grid", row->kernel.grid);
        put_residency(w, &row->kernel.residency);
    }
    if (result->counted)
        put_counted(w, result, row);
    put_energy(w, result, row);
    put_traffic(w, row);
    put_counters(w, "counters", row->instructions, &row->counters);
    put_counters(w, "simulated_counters", 0, &row->simulated);
    if (row->lines.count)
        put_lines(w, &row->lines);
    if (row->lines.access_count)
        put_accesses_of_warp(w, &row->lines);
    if (row->lines.timeline.span_count)
        put_timeline(w, &row->lines);
    if (row->instructions)
        lab_json_number(w, "simulation_seconds", row->simulation_seconds);
    lab_json_end(w, '}');
}

/* The file of a row's line. After the last line come the files of its fault and of its clock reads,
 * which may be "". */
static const char *file_of(const struct lab_row *row, int line)
{
    const char *const clocked = row->lines.clocked ? row->lines.clocked : "";
    return line < row->lines.count    ? row->lines.list[line].file
           : line == row->lines.count ? row->check.file
                                      : clocked;
}

static bool is_put_before(const struct lab_result *result, int row, int line)
{
    const char *const file = file_of(&result->rows[row], line);
    for (int r = 0; r <= row; r++)
        for (int i = 0; i < (r < row ? result->rows[r].lines.count + 2 : line); i++)
            if (strcmp(file_of(&result->rows[r], i), file) == 0)
                return true;
    return false;
}

/* Writes a file's lines. A file that cannot be read any more is left out. */
static void put_source(struct lab_json_writer *w, const char *path)
{
    FILE *const file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (!file)
        return;
    lab_json_begin(w, path, '[');
    while (getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        lab_json_string(w, NULL, line);
    }
    lab_json_end(w, ']');
    free(line);
    fclose(file);
}

/* Writes the files of the lines that rows name, each under its path, line by line. */
static void put_sources(struct lab_json_writer *w, const struct lab_result *result)
{
    bool any = false;
    for (int r = 0; r < result->row_count; r++)
        for (int i = 0; i < result->rows[r].lines.count + 2; i++) {
            if (!*file_of(&result->rows[r], i) || is_put_before(result, r, i))
                continue;
            if (!any)
                lab_json_begin(w, "sources", '{');
            any = true;
            put_source(w, file_of(&result->rows[r], i));
        }
    if (any)
        lab_json_end(w, '}');
}

static void put_conditions(struct lab_json_writer *w, const struct lab_result *result)
{
    const struct lab_conditions *now = &result->conditions;
    if (!now->sm_mhz)
        return;
    lab_json_begin(w, "conditions", '{');
    lab_json_string(w, "l2", result->warm ? "warm" : "flushed");
    lab_json_integer(w, "sm_mhz", now->sm_mhz);
    lab_json_integer(w, "memory_mhz", now->memory_mhz);
    lab_json_number(w, "power_watts", now->power_watts);
    lab_json_end(w, '}');
}

/* What each target has, and what is said about it. */
struct document {
    const char *target;
    bool is_sim;
    const struct lab_device *device;
    lab_json_put_fn *put;
    const void *subject;
};

static void put_document(const struct document *document, FILE *stream)
{
    struct lab_json_writer w = {.stream = stream};
    char date[16];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    lab_json_begin(&w, NULL, '{');
    lab_json_integer(&w, "schema", 1);
    lab_json_string(&w, "target", document->target);
    lab_json_string(&w, "runtime", document->is_sim ? "sim" : "gpu");
    lab_json_string(&w, "date", date);
    put_device(&w, document->device);
    document->put(&w, document->subject);
    lab_json_end(&w, '}');
    fputc('\n', stream);
}

/* Writes what only a run has. */
static void put_run(struct lab_json_writer *w, const struct lab_result *result)
{
    put_conditions(w, result);
    put_problem(w, result);
    lab_json_string(w, "status", lab_check_status_name(lab_result_status(result)));
    lab_json_begin(w, "kernels", '[');
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].check.status != LAB_CHECK_NOT_RUN)
            put_row(w, result, &result->rows[i]);
    lab_json_end(w, ']');
    const struct lab_conclusion *conclusion = &result->conclusion;
    if (!conclusion->figure_count)
        return;
    lab_json_begin(w, "solution", '{');
    for (int i = 0; i < conclusion->figure_count; i++)
        lab_json_number(w, conclusion->figures[i].name, conclusion->figures[i].value);
    lab_json_end(w, '}');
}

static void put_result(struct lab_json_writer *w, const void *subject)
{
    put_run(w, subject);
    put_sources(w, subject);
}

static struct document of_result(const struct lab_result *result)
{
    return (struct document){result->target, result->is_sim, result->device, put_result, result};
}

/* The status of the first run that is not right. */
static enum lab_check_status status_of(const struct lab_sweep *sweep)
{
    enum lab_check_status status = LAB_CHECK_OK;
    for (int i = 0; i < sweep->count && status == LAB_CHECK_OK; i++)
        status = lab_result_status(sweep->runs[i]);
    return status;
}

static void put_sweep(struct lab_json_writer *w, const void *subject)
{
    const struct lab_sweep *sweep = subject;
    lab_json_string(w, "status", lab_check_status_name(status_of(sweep)));
    lab_json_begin(w, "runs", '[');
    for (int i = 0; i < sweep->count; i++) {
        lab_json_begin(w, NULL, '{');
        put_run(w, sweep->runs[i]);
        if (sweep->more[i]) {
            lab_json_item(w, NULL);
            fputs(sweep->more[i], w->stream);
        }
        lab_json_end(w, '}');
    }
    lab_json_end(w, ']');
}

static struct document of_study(const struct lab_sweep *sweep)
{
    return (struct document){sweep->target, sweep->is_sim, sweep->device, put_sweep, sweep};
}

/* --- files -------------------------------------------------------------------------------------*/

/* A full disk is a fault of the machine; an impossible path is the user's mistake. */
int lab_json_cannot_write(const char *option, const char *path, int reason)
{
    bool machine = reason == ENOSPC || reason == EDQUOT || reason == EIO;
    return lab_complain(machine ? LAB_EXIT_MISSING : LAB_EXIT_USAGE,
                        "--%s %s: %s; nothing was written there: %s", option, path,
                        strerror(reason),
                        machine ? "make room, or give another FILE" : "give another FILE");
}

static int cannot_write(const char *path, int reason)
{
    return lab_json_cannot_write("json", path, reason);
}

int lab_json_check(const char *path)
{
    int reason = strcmp(path, "-") == 0 ? 0 : lab_new_file_try(path);
    return reason ? cannot_write(path, reason) : LAB_EXIT_OK;
}

static int write_file(const struct document *document, const char *path)
{
    struct lab_new_file file;
    if (strcmp(path, "-") == 0) {
        put_document(document, stdout); /* the end of the program reports lost output */
        return LAB_EXIT_OK;
    }
    if (!lab_new_file_begin(&file, path))
        return cannot_write(path, errno);
    put_document(document, file.stream);
    return lab_new_file_end(&file) ? LAB_EXIT_OK : cannot_write(path, errno);
}

void lab_json_put(const struct lab_result *result, FILE *stream)
{
    const struct document document = of_result(result);
    put_document(&document, stream);
}

int lab_json_write(const struct lab_result *result, const char *path)
{
    const struct document document = of_result(result);
    return write_file(&document, path);
}

void lab_json_put_sweep(const struct lab_sweep *sweep, FILE *stream)
{
    const struct document document = of_study(sweep);
    put_document(&document, stream);
}

int lab_json_write_sweep(const struct lab_sweep *sweep, const char *path)
{
    const struct document document = of_study(sweep);
    return write_file(&document, path);
}

int lab_json_write_other(const char *target, const struct lab_device *device, lab_json_put_fn *put,
                         const void *subject, const char *path)
{
    return write_file(&(struct document){target, device->is_sim, device, put, subject}, path);
}
