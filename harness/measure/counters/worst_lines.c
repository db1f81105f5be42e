/* What makes a line stand out: sectors or wavefronts of its accesses beyond those that their width
 * needs, and the number of its instructions. */
#include "measure/counters/counters.h"

#include <stdio.h>
#include <string.h>

enum { EACH_KIND = 2 };
static const double SECTOR_SHARE = 0.1, CONFLICT_SHARE = 0.1, HOT_SHARE = 0.15, FEW_MORE = 1.5;

double lab_lines_instructions(const struct lab_lines *lines)
{
    double sum = 0.0;
    for (int i = 0; i < lines->count; i++)
        sum += lines->list[i].warp_instructions;
    return sum;
}

/* How much a line wastes, in its own unit; 0: too little to name. */
typedef double waste_fn(const struct lab_line *line);

static double wasted_sectors(const struct lab_line *line)
{
    double wasted = line->global_sectors - line->global_needed;
    return wasted > SECTOR_SHARE * line->global_sectors ? wasted : 0.0;
}

static double wasted_wavefronts(const struct lab_line *line)
{
    return line->shared_conflicts > CONFLICT_SHARE * line->shared_wavefronts
               ? line->shared_conflicts
               : 0.0;
}

/* Explains sectors. A row of neighbouring elements that begins inside a sector touches one sector
 * more than it fills. */
static void explain_sectors(const struct lab_line *line, char *text)
{
    double touched = line->global_sectors / line->global_requests;
    double needed = line->global_needed / line->global_requests;
    if (touched <= needed + 1.0 || touched <= FEW_MORE * needed)
        snprintf(text, LAB_WORST_BYTES,
                 "not aligned: a warp touches %.1f sectors of 32 bytes with each access where %.1f "
                 "would hold what it asks for; its rows begin inside a sector",
                 touched, needed);
    else
        snprintf(text, LAB_WORST_BYTES,
                 "not coalesced: a warp touches %.1f sectors of 32 bytes with each access where "
                 "%.1f would hold what it asks for; neighbouring lanes want neighbouring elements",
                 touched, needed);
}

/* Explains bank conflicts, with the distance of the lanes if it is a power of two of words, or an
 * odd multiple of that. */
static void explain_wavefronts(const struct lab_line *line, char *text)
{
    const double ideal = (line->shared_wavefronts - line->shared_conflicts) / line->shared_requests;
    const double taken = line->shared_wavefronts / line->shared_requests;
    const int apart = (int)(taken + 0.5);
    char distance[120] = "";
    if (ideal < 1.01 && apart > 1 && apart <= 32 && (apart & (apart - 1)) == 0 &&
        taken > 0.99 * apart && taken < 1.01 * apart)
        snprintf(distance, sizeof distance,
                 ", as where they lie %d words apart or an odd multiple of that: rows of an odd "
                 "length spread them",
                 apart);
    snprintf(text, LAB_WORST_BYTES,
             "bank conflicts: each access takes %.1f wavefronts where %.1f would do; lanes of one "
             "warp meet in the same bank at different words%s",
             taken, ideal, distance);
}

static bool chosen(const struct lab_worst_line *worst, int count, int index)
{
    for (int i = 0; i < count; i++)
        if (worst[i].index == index)
            return true;
    return false;
}

/* Explains the waste of a line. If the line uses several arrays, it names the array that wastes
 * most, with its figures. */
static void explain_line(const struct lab_lines *lines, int index, waste_fn *waste,
                         void (*explain)(const struct lab_line *, char *), char *text)
{
    const struct lab_line *line = &lines->list[index];
    const struct lab_operand *most = NULL;
    char reason[LAB_WORST_BYTES];
    for (int i = 0; i < lines->operand_count; i++) {
        const struct lab_operand *operand = &lines->operands[i];
        if (lab_lines_tell_apart(lines, line, operand) && waste(&operand->counts) > 0.0 &&
            (!most || waste(&operand->counts) > waste(&most->counts)))
            most = operand;
    }
    explain(most ? &most->counts : line, reason);
    snprintf(text, LAB_WORST_BYTES, "%.80s%s%.*s", most ? most->name : "", most ? ": " : "",
             LAB_WORST_BYTES - 96, reason);
}

static int add_worst(const struct lab_lines *lines, waste_fn *waste,
                     void (*explain)(const struct lab_line *, char *), struct lab_worst_line *worst,
                     int count)
{
    for (int n = 0; n < EACH_KIND; n++) {
        int most = -1;
        for (int i = 0; i < lines->count; i++)
            if (waste(&lines->list[i]) > 0.0 && !chosen(worst, count, i) &&
                (most < 0 || waste(&lines->list[i]) > waste(&lines->list[most])))
                most = i;
        if (most < 0)
            break;
        worst[count].index = most;
        explain_line(lines, most, waste, explain, worst[count++].reason);
    }
    return count;
}

/* Whether the line multiplies and adds floats: where a product spends its time. */
static bool multiplies_and_adds(const struct lab_lines *lines, const struct lab_line *line)
{
    for (int i = 0; i < lines->opcode_count; i++)
        if (lines->opcodes[i].line == line->line &&
            strncmp(lines->opcodes[i].opcode, "fma.", 4) == 0 &&
            strcmp(lines->opcodes[i].file, line->file) == 0)
            return true;
    return false;
}

int lab_worst_lines(const struct lab_lines *lines, struct lab_worst_line worst[LAB_WORST_LINES])
{
    double all = lab_lines_instructions(lines);
    int hot = 0, count = add_worst(lines, wasted_sectors, explain_sectors, worst, 0);
    count = add_worst(lines, wasted_wavefronts, explain_wavefronts, worst, count);
    for (int i = 1; i < lines->count; i++)
        if (lines->list[i].warp_instructions > lines->list[hot].warp_instructions)
            hot = i;
    if (lines->count == 0 || chosen(worst, count, hot) ||
        lines->list[hot].warp_instructions < HOT_SHARE * all)
        return count;
    const bool is_work = multiplies_and_adds(lines, &lines->list[hot]);
    worst[count].index = hot;
    snprintf(worst[count++].reason, LAB_WORST_BYTES,
             is_work ? "hot, as the line of the multiply-adds should be: %.0f%% of all "
                       "instructions are executed here; what is no multiply-add, such as loads, "
                       "counts if it can leave the inner loop, or serve several elements"
                     : "hot: %.0f%% of all instructions are executed here; what can be moved out "
                       "of the inner loop, or done for several elements at once, counts most",
             100.0 * lines->list[hot].warp_instructions / all);
    return count;
}
