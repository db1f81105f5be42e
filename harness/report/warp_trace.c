/* Lines are in the order in which the warp executes them, which the compiler has changed. Below
 * each line are its accesses, each shown by one lane. */
#include "report/warp_trace.h"

#include "base/files.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 2 };

/* Whether the reader wants the next line. */
static bool goes_on(FILE *keys)
{
    int key = '\n';
    bool goes_on = true;
    if (!keys)
        return true;
    while ((key = fgetc(keys)) != '\n' && key != EOF)
        goes_on = goes_on && key != 'q';
    return goes_on && key != EOF;
}

static void print_text(const struct lab_sim_step *step, FILE *stream)
{
    char *text = lab_text_line(step->file, step->line);
    fprintf(stream, "%6d%s%s\n", step->line, text ? "  " : "", text ? text : "");
    free(text);
}

static size_t element_bytes(const struct lab_sim_access *access)
{
    const char *const digits = access->type + strcspn(access->type, "0123456789");
    const size_t bytes = (size_t)strtoul(digits, NULL, 10) / 8;
    return bytes > 0 && bytes <= access->bytes ? bytes : access->bytes;
}

static void print_value(const struct lab_sim_access *access, size_t at, size_t bytes, FILE *stream)
{
    uint64_t bits = 0;
    float single;
    double wide;
    memcpy(&bits, access->value + at, bytes < sizeof bits ? bytes : sizeof bits);
    memcpy(&single, access->value + at, sizeof single);
    if (strcmp(access->type, "f32") == 0)
        fprintf(stream, " %.6g", (double)single);
    else if (strcmp(access->type, "f64") == 0)
        fprintf(stream, " %.9g", (memcpy(&wide, access->value + at, sizeof wide), wide));
    else if (access->type[0] == 's')
        fprintf(stream, " %" PRId64, (int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    else
        fprintf(stream, " %" PRIu64, bits);
}

static void print_access(const struct lab_sim_access *access, FILE *stream)
{
    const char *const unit = access->is_shared ? "wavefront" : "sector";
    const int lane = __builtin_ctz(access->lanes);
    const size_t bytes = element_bytes(access);
    const bool is_read = strcmp(access->kind, "load") == 0 ||
                         (strcmp(access->kind, "copy") == 0 && !access->is_shared);
    fprintf(stream, "        %s, lane %d: %s[%" PRIu64 "]", access->kind, lane, access->array,
            (access->place[lane] - access->start) / bytes);
    fputs(is_read ? " is" : " becomes", stream);
    for (size_t at = 0; at + bytes <= access->bytes && at + bytes <= sizeof access->value;
         at += bytes)
        print_value(access, at, bytes, stream);
    fprintf(stream, "; %d lanes, %u %s%s\n", __builtin_popcount(access->lanes), access->cost, unit,
            access->cost == 1 ? "" : "s");
}

/* The array that a step accesses first; NULL: unknown. */
static const char *array_of(const struct lab_lines *lines, const struct lab_sim_step *step)
{
    return step->access_count ? lines->accesses[step->first_access].array : NULL;
}

/* How often the warp has been at a line before, up to TURNS. A helper that accesses another array
 * counts as another place. Equal names are one text, so pointers are compared. */
static int turns_of(const struct lab_lines *lines, int at)
{
    const struct lab_sim_step *const step = &lines->steps[at];
    int turns = 0;
    for (int i = 0; i < at && turns < TURNS; i++)
        turns +=
            lines->steps[i].line == step->line && lines->steps[i].file == step->file &&
            (step->more_accesses || array_of(lines, &lines->steps[i]) == array_of(lines, step));
    return turns;
}

static void print_left_out(int count, FILE *stream)
{
    if (count > 0)
        fprintf(stream, "        ... %d more line%s of further iterations\n", count,
                count == 1 ? "" : "s");
}

static bool print_row(const struct lab_row *row, FILE *stream, FILE *keys)
{
    const struct lab_lines *const lines = &row->lines;
    int left_out = 0;
    fprintf(stream, "\n%s, warp %u of block %llu\n", row->name, lines->warp, lines->block);
    for (int i = 0; i < lines->step_count; i++) {
        const struct lab_sim_step *const step = &lines->steps[i];
        if (turns_of(lines, i) == TURNS) {
            left_out++;
            continue;
        }
        print_left_out(left_out, stream);
        left_out = 0;
        print_text(step, stream);
        for (int a = 0; a < step->access_count; a++)
            print_access(&lines->accesses[step->first_access + a], stream);
        if (step->more_accesses)
            fprintf(stream, "        ... and %d more, which were not kept\n", step->more_accesses);
        if (!goes_on(keys))
            return false;
    }
    print_left_out(left_out, stream);
    if (lines->step_count == 0)
        fputs("        it executes nothing: the first launch has no such block, or warp\n", stream);
    return true;
}

void lab_warp_trace_print(const struct lab_result *result, FILE *stream, FILE *keys)
{
    if (keys)
        fputs("\nEnter goes on to the next line, q ends\n", stream);
    for (int i = 0; i < result->row_count; i++)
        if (!print_row(&result->rows[i], stream, keys))
            return;
    lab_printf_wrapped(stream,
                       "\nLines come in the order of the compiled kernel. Of each access one "
                       "lane is shown, and how many sectors of global memory, or "
                       "wavefronts of shared memory, the whole warp's takes.\n");
}
