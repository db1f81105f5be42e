/* What one warp does: the banks and sectors that its lanes access, and what it executes. */
#include "report/terminal.h"

#include "base/files.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- banks and sectors -------------------------------------------------------------------------*/

/* Shared memory: one column for each bank, one row for each wavefront, and in each word the lane
 * that asks for it. A conflict is a column that is deeper than others. Global memory: the lanes of
 * each sector. */

enum {
    BANKS = 32,
    LANES = 32,
    WORDS = 4,
    MOST_PASSES = LANES * WORDS,
    SHOWN_PASSES = 8,
    SECTOR_BYTES = 32,
    MOST_SECTORS = 2 * LANES
};

static bool takes_part(const struct lab_sim_access *access, int lane)
{
    return access->lanes >> lane & 1;
}

/* How many words a lane accesses, at least one. */
static int words_of(const struct lab_sim_access *access, int lane)
{
    return (int)((access->place[lane] + access->bytes - 1) / 4 - access->place[lane] / 4) + 1;
}

static void print_banks(const struct lab_sim_access *access, FILE *stream)
{
    signed char lane_at[MOST_PASSES][BANKS];
    int passes = 0;
    memset(lane_at, -1, sizeof lane_at);
    for (int lane = LANES; lane-- > 0;)
        for (int w = 0; takes_part(access, lane) && w < words_of(access, lane) && w < WORDS; w++) {
            const int pass = access->pass[lane][w];
            lane_at[pass][(access->place[lane] / 4 + (uint64_t)w) % BANKS] = (signed char)lane;
            passes = pass >= passes ? pass + 1 : passes;
        }
    fputs("     bank", stream);
    for (int bank = 0; bank < BANKS; bank++)
        fprintf(stream, "%3d", bank);
    fputc('\n', stream);
    for (int pass = 0; pass < passes && pass < SHOWN_PASSES; pass++) {
        fprintf(stream, "%9d", pass + 1);
        for (int bank = 0; bank < BANKS; bank++)
            if (lane_at[pass][bank] >= 0)
                fprintf(stream, "%3d", lane_at[pass][bank]);
            else
                fputs("  .", stream);
        fputc('\n', stream);
    }
    if (passes > SHOWN_PASSES)
        fprintf(stream, "      ... and %d more\n", passes - SHOWN_PASSES);
}

/* Prints lanes, given as bits: "0-7, 16". */
static void print_lanes(uint32_t lanes, FILE *stream)
{
    const char *separator = "";
    for (int lane = 0; lane < LANES; lane++) {
        int last = lane;
        if (!(lanes >> lane & 1))
            continue;
        while (last + 1 < LANES && lanes >> (last + 1) & 1)
            last++;
        fprintf(stream, last > lane ? "%s%d-%d" : "%s%d", separator, lane, last);
        separator = ", ";
        lane = last;
    }
}

static void print_sectors(const struct lab_sim_access *access, FILE *stream)
{
    uint64_t sectors[MOST_SECTORS];
    uint32_t lanes[MOST_SECTORS];
    int count = 0;
    for (int lane = 0; lane < LANES; lane++) {
        const uint64_t first = access->place[lane] / SECTOR_BYTES;
        const uint64_t last = (access->place[lane] + access->bytes - 1) / SECTOR_BYTES;
        for (uint64_t sector = first; takes_part(access, lane) && sector <= last; sector++) {
            int at = 0;
            while (at < count && sectors[at] != sector)
                at++;
            if (at == MOST_SECTORS)
                continue;
            lanes[at] = (at == count ? 0 : lanes[at]) | 1u << lane;
            sectors[at] = sector;
            count = at == count ? count + 1 : count;
        }
    }
    for (int i = 0; i < count; i++) {
        fprintf(stream, "   byte %8" PRIu64 "  lanes ", sectors[i] * SECTOR_BYTES);
        print_lanes(lanes[i], stream);
        fputc('\n', stream);
    }
}

static void print_access(const struct lab_sim_access *access, FILE *stream)
{
    const char *const unit = access->is_shared ? "wavefront" : "sector";
    const bool is_copy = strcmp(access->kind, "copy") == 0;
    const char *const goes = is_copy ? (access->is_shared ? "to" : "from")
                             : strcmp(access->kind, "load") == 0 ? "from"
                                                                 : "to";
    fprintf(stream, "\n%s %s %s, %u byte%s a lane: %u %s%s\n", access->kind, goes, access->array,
            access->bytes, access->bytes == 1 ? "" : "s", access->cost, unit,
            access->cost == 1 ? "" : "s");
    if (access->is_shared)
        print_banks(access, stream);
    else
        print_sectors(access, stream);
}

static void print_legend(FILE *stream)
{
    lab_printf_wrapped(
        stream, "\nOf shared memory the banks lie across and the wavefronts go down; a figure "
                "is the lane whose word is served there, of several that want the same word "
                "the first. Of global memory each line is a sector of 32 bytes.\n");
}

static bool print_row(const struct lab_row *row, int line, FILE *stream)
{
    bool any = false;
    for (int i = 0; i < row->lines.access_count; i++) {
        const struct lab_sim_access *const access = &row->lines.accesses[i];
        if (access->line != line || access->turn > 0)
            continue;
        if (!any)
            fprintf(stream, "\n%s, line %d, warp %u of block %llu\n", row->name, line,
                    row->lines.warp, row->lines.block);
        any = true;
        print_access(access, stream);
    }
    return any;
}

/* The first line after `line` where the warp accesses memory, in any row; 0: none. */
static int next_line(const struct lab_result *result, int line)
{
    int next = 0;
    for (int r = 0; r < result->row_count; r++)
        for (int i = 0; i < result->rows[r].lines.access_count; i++) {
            const int other = result->rows[r].lines.accesses[i].line;
            if (other > line && (next == 0 || other < next))
                next = other;
        }
    return next;
}

void lab_bank_view_print(const struct lab_result *result, int line, FILE *stream)
{
    bool any = false;
    for (int i = 0; i < result->row_count; i++)
        any |= print_row(&result->rows[i], line, stream);
    if (any) {
        print_legend(stream);
        return;
    }
    int other = next_line(result, 0);
    fprintf(stream,
            other ? "\nat line %d that warp goes to no memory; it does at lines %d"
                  : "\nat line %d that warp goes to no memory, nor anywhere: is there one?",
            line, other);
    while ((other = next_line(result, other)))
        fprintf(stream, ", %d", other);
    fputc('\n', stream);
}

/* --- a trace -----------------------------------------------------------------------------------*/

/* Lines are in the order in which the warp executes them, which the compiler has changed. Below
 * each line are its accesses, each shown by one lane. */

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

static void print_step_access(const struct lab_sim_access *access, FILE *stream)
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

static bool print_trace(const struct lab_row *row, FILE *stream, FILE *keys)
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
            print_step_access(&lines->accesses[step->first_access + a], stream);
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
        if (!print_trace(&result->rows[i], stream, keys))
            return;
    lab_printf_wrapped(stream,
                       "\nLines come in the order of the compiled kernel. Of each access one "
                       "lane is shown, and how many sectors of global memory, or "
                       "wavefronts of shared memory, the whole warp's takes.\n");
}
