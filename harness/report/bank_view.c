/* Shared memory: one column for each bank, one row for each wavefront, and in each word the lane
 * that asks for it. A conflict is a column that is deeper than others. Global memory: the lanes of
 * each sector. */
#include "report/bank_view.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

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
