/* Names the line that costs most, with the first access of one warp there: a student can change
 * where the warp's lanes lie. */
#include "exercise/goal_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, BANKS = 32, WORD_BYTES = 4, TOLD_ELEMENTS = 3 };

static const double MOST = 0.1;   /* share of the counter that a line must have to be named */
static const double WASTED = 1.1; /* times what the access needs */

enum figure { CONFLICTS, WAVEFRONTS, SECTORS, REQUESTS };

/* What a counter counts: accesses of one kind to one memory. */
struct counted {
    enum figure figure;
    bool is_shared;
    const char *kind; /* as in struct lab_sim_access */
};

static bool read_counter(const char *counter, struct counted *counted)
{
    static const struct {
        const char *part;
        enum figure figure;
    } figures[] = {{"bank_conflicts", CONFLICTS},
                   {"_wavefronts_", WAVEFRONTS},
                   {"_t_sectors_", SECTORS},
                   {"_t_requests_", REQUESTS},
                   {"_inst_executed_op_global_", REQUESTS}};
    static const struct {
        const char *end, *kind;
    } kinds[] = {{"_ld.sum", "load"}, {"_st.sum", "store"}, {"_atom.sum", "atomic"}};
    bool has_figure = false, has_kind = false;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!has_figure && strstr(counter, figures[i].part)) {
            counted->figure = figures[i].figure;
            has_figure = true;
        }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!has_kind && strstr(counter, kinds[i].end)) {
            counted->kind = kinds[i].kind;
            has_kind = true;
        }
    counted->is_shared = strstr(counter, "_shared_") != NULL;
    return has_figure && has_kind;
}

/* The cost, in the whole launch, of all accesses on the line of `access` to its array. */
static const struct lab_line *counts_of(const struct lab_lines *lines,
                                        const struct lab_sim_access *access)
{
    for (int i = 0; i < lines->operand_count; i++) {
        const struct lab_operand *const operand = &lines->operands[i];
        if (operand->counts.line == access->line &&
            strcmp(operand->counts.file, access->file) == 0 &&
            strcmp(operand->name, access->array) == 0 &&
            (operand->counts.shared_requests > 0.0) == (access->is_shared != 0))
            return &operand->counts;
    }
    return NULL;
}

static double figure_of(const struct lab_line *line, enum figure figure)
{
    return figure == CONFLICTS    ? line->shared_conflicts
           : figure == WAVEFRONTS ? line->shared_wavefronts
           : figure == SECTORS    ? line->global_sectors
                                  : line->global_requests;
}

static bool is_counted(const struct lab_sim_access *access, const struct counted *counted)
{
    return access->turn == 0 && (access->is_shared != 0) == counted->is_shared &&
           strcmp(access->kind, counted->kind) == 0;
}

static const struct lab_sim_access *find_most(const struct lab_lines *lines,
                                              const struct counted *counted, double least)
{
    const struct lab_sim_access *most = NULL;
    for (int i = 0; i < lines->access_count; i++) {
        const struct lab_sim_access *const access = &lines->accesses[i];
        const struct lab_line *const line =
            is_counted(access, counted) ? counts_of(lines, access) : NULL;
        if (line && figure_of(line, counted->figure) > least) {
            least = figure_of(line, counted->figure);
            most = access;
        }
    }
    return most;
}

/* Bytes of a lane in the solution's widest access of the kind to the array. */
static unsigned widest_of(const struct lab_lines *lines, const struct counted *counted,
                          const char *array)
{
    unsigned widest = 0;
    for (int i = 0; i < lines->access_count; i++)
        if (is_counted(&lines->accesses[i], counted) &&
            strcmp(lines->accesses[i].array, array) == 0 && lines->accesses[i].bytes > widest)
            widest = lines->accesses[i].bytes;
    return widest;
}

/* Sectors in place of the one that would hold the bytes, on the line of an access; 0: none. */
static double waste_of(const struct lab_lines *lines, const struct lab_sim_access *access)
{
    const struct lab_line *const line = counts_of(lines, access);
    return line && line->global_needed > 0.0 ? line->global_sectors / line->global_needed : 0.0;
}

/* The same on the solution's most wasteful line of the kind: as much is no cause of a missed goal.
 */
static double most_waste_of(const struct lab_lines *lines, const struct counted *counted,
                            const char *array)
{
    double most = 0.0;
    for (int i = 0; i < lines->access_count; i++) {
        const struct lab_sim_access *const access = &lines->accesses[i];
        const bool is_alike = is_counted(access, counted) && strcmp(access->array, array) == 0;
        const double waste = is_alike ? waste_of(lines, access) : 0.0;
        most = waste > most ? waste : most;
    }
    return most;
}

/* --- lanes -------------------------------------------------------------------------------------*/

static bool takes_part(const struct lab_sim_access *access, int lane)
{
    return access->lanes >> lane & 1;
}

/* The most frequent distance in words between neighbouring lanes that ask for different words. 0:
 * there are no such lanes, or no distance has more than half of the pairs. */
static long long words_apart(const struct lab_sim_access *access)
{
    long long apart[LANES], best = 0;
    int pairs = 0, best_count = 0;
    for (int lane = 1; lane < LANES; lane++) {
        const long long words =
            (long long)(access->place[lane] - access->place[lane - 1]) / WORD_BYTES;
        if (takes_part(access, lane) && takes_part(access, lane - 1) && words != 0)
            apart[pairs++] = words;
    }
    for (int i = 0; i < pairs; i++) {
        int count = 0;
        for (int j = 0; j < pairs; j++)
            count += apart[j] == apart[i];
        if (count > best_count) {
            best_count = count;
            best = apart[i];
        }
    }
    return 2 * best_count > pairs ? llabs(best) : 0;
}

/* Finds the bank with the most different words of lanes that are served together: all, and of
 * accesses of 8 or 16 bytes a half or a quarter of the warp. `lanes` receives the first lane of
 * each word. The number of words, which is the number of wavefronts. */
static int lanes_of_one_bank(const struct lab_sim_access *access, int lanes[LANES])
{
    const int together =
        access->bytes > WORD_BYTES ? LANES * WORD_BYTES / (int)access->bytes : LANES;
    int most = 0;
    for (int i = 0; i < BANKS * LANES / together; i++) {
        const int bank = i % BANKS, first = i / BANKS * together;
        int found[LANES], count = 0;
        for (int lane = first; lane < first + together; lane++) {
            bool is_new = takes_part(access, lane) &&
                          access->place[lane] / WORD_BYTES % BANKS == (uint64_t)bank;
            for (int f = 0; f < count && is_new; f++)
                is_new = access->place[lane] / WORD_BYTES != access->place[found[f]] / WORD_BYTES;
            if (is_new)
                found[count++] = lane;
        }
        if (count > most) {
            most = count;
            memcpy(lanes, found, sizeof found);
        }
    }
    return most;
}

/* An access of a vector has several elements beside each other. */
static unsigned element_bytes(const struct lab_sim_access *access)
{
    const unsigned bits = *access->type ? (unsigned)atoi(access->type + 1) : 0;
    return bits >= 8 && bits / 8 < access->bytes ? bits / 8 : access->bytes;
}

/* ": neighbouring lanes lie 32 words apart, and elements 0, 32, 64, ... share a bank" */
static void put_banks(const struct lab_sim_access *access, char *text, size_t size)
{
    int lanes[LANES];
    /* ldmatrix counts in 16 bits, whatever the array has. */
    const bool is_matrix = access->bytes == 16 && strcmp(access->type, "b16") == 0;
    const char *const units = is_matrix ? "bytes" : "elements";
    const unsigned unit = is_matrix ? 1 : element_bytes(access);
    const long long apart = words_apart(access);
    const int count = lanes_of_one_bank(access, lanes);
    size_t used = 0;
    text[0] = '\0';
    if (apart > 1)
        used = (size_t)snprintf(text, size, ": neighbouring lanes lie %lld words apart", apart);
    if (count < 2)
        return;
    used += (size_t)snprintf(text + used, size - used, "%s %s", apart > 1 ? ", and" : ":", units);
    for (int i = 0; i < count && i < TOLD_ELEMENTS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s %" PRIu64, i ? "," : "",
                                 (access->place[lanes[i]] - access->start) / unit);
    if (used < size)
        snprintf(text + used, size - used, "%s share a bank", count > TOLD_ELEMENTS ? ", ..." : "");
}

static int words_of(const struct lab_sim_access *access)
{
    int count = 0;
    for (int lane = 0; lane < LANES; lane++) {
        bool is_new = takes_part(access, lane);
        for (int other = 0; other < lane && is_new; other++)
            is_new = !takes_part(access, other) || access->place[other] != access->place[lane];
        count += is_new;
    }
    return count;
}

/* --- sentences ---------------------------------------------------------------------------------*/

/* "at line 12", and of which file if it is no kernel file */
static void put_line(const struct lab_sim_access *access, char *text, size_t size)
{
    const char *const slash = strrchr(access->file, '/');
    const char *const name = slash ? slash + 1 : access->file;
    const size_t length = strlen(name);
    const bool is_header = length > 2 && strcmp(name + length - 2, ".h") == 0;
    snprintf(text, size, "at line %d%s%s", access->line, is_header ? " of " : "",
             is_header ? name : "");
}

static const char *verb_of(const struct lab_sim_access *access)
{
    return strcmp(access->kind, "load") == 0    ? "read of"
           : strcmp(access->kind, "store") == 0 ? "write to"
                                                : "atomic operation on";
}

static bool is_wasteful(const struct lab_sim_access *access, const struct lab_line *line)
{
    const double needed = strcmp(access->kind, "atomic") == 0
                              ? line->shared_requests
                              : line->shared_wavefronts - line->shared_conflicts;
    return line->shared_wavefronts > WASTED * needed;
}

/* Lanes that add to one word are served one after another, like lanes that meet in a bank. */
static void put_wavefronts(const struct lab_sim_access *access, const struct lab_line *line,
                           char *text, size_t size)
{
    const double taken = line->shared_wavefronts / line->shared_requests;
    const double ideal = (line->shared_wavefronts - line->shared_conflicts) / line->shared_requests;
    const bool is_atomic = strcmp(access->kind, "atomic") == 0;
    const int lanes = __builtin_popcount(access->lanes), words = words_of(access);
    char banks[160], where[80];
    put_line(access, where, sizeof where);
    put_banks(access, banks, sizeof banks);
    if (is_atomic && words < lanes) {
        const int in_one_bank = lanes_of_one_bank(access, (int[LANES]){0});
        snprintf(banks, sizeof banks, ": %d lanes add to %d word%s%s", lanes, words,
                 words == 1 ? "" : "s",
                 words > 1 && words == in_one_bank ? ", all of one bank" : "");
    }
    snprintf(text, size, "%s each %s %s takes %.3g wavefronts where %.3g would do%s", where,
             verb_of(access), access->array, taken, is_atomic ? 1.0 : ideal, banks);
}

static void put_sectors(const struct lab_sim_access *access, const struct lab_line *line,
                        char *text, size_t size)
{
    const double touched = line->global_sectors / line->global_requests;
    const double needed = line->global_needed / line->global_requests;
    char where[80];
    put_line(access, where, sizeof where);
    if (touched > WASTED * needed)
        snprintf(text, size,
                 "%s each %s %s touches %.3g sectors where %.3g would hold what it asks for", where,
                 verb_of(access), access->array, touched, needed);
}

/* If few lanes take part, or each reads few bytes, the same bytes need more requests. */
static void put_narrow(const struct lab_sim_access *access, unsigned widest, char *text,
                       size_t size)
{
    const int lanes = __builtin_popcount(access->lanes);
    char few[48] = "", where[80];
    put_line(access, where, sizeof where);
    if (lanes < LANES)
        snprintf(few, sizeof few, ", and %d of 32 lanes take%s part", lanes, lanes == 1 ? "s" : "");
    snprintf(text, size, "%s a lane's %s %s is of %u bytes, the solution's of %u%s", where,
             verb_of(access), access->array, access->bytes, widest, few);
}

/* How far copies run ahead does not depend on their start alone: the wait limits it. */
static void put_wait(const struct lab_lines *lines, char *text, size_t size)
{
    const struct lab_sim_opcode *most = NULL;
    for (int i = 0; i < lines->opcode_count; i++)
        if (strncmp(lines->opcodes[i].opcode, "cp.async.wait_", 14) == 0 &&
            (!most || lines->opcodes[i].warp_instructions > most->warp_instructions))
            most = &lines->opcodes[i];
    if (most)
        snprintf(text, size,
                 "the wait at line %d decides how far: __pipeline_wait_prior(1) leaves the newest "
                 "group of copies on its way, and (0) leaves none",
                 most->line);
}

void lab_costly_line_write(const struct lab_row *row, const struct lab_row *solution,
                           const char *counter, char text[LAB_COSTLY_LINE_BYTES])
{
    struct counted counted = {.kind = ""};
    double all = 0.0;
    text[0] = '\0';
    if (strstr(counter, "_ahead_of_wait_ldgsts"))
        put_wait(&row->lines, text, LAB_COSTLY_LINE_BYTES);
    if (!read_counter(counter, &counted) || (!lab_counters_get(&row->counters, counter, &all) &&
                                             !lab_counters_get(&row->simulated, counter, &all)))
        return;
    /* For shared memory, the line that wastes most comes first: other lines cost what they must. */
    const struct counted waste = {CONFLICTS, counted.is_shared, counted.kind};
    const struct lab_sim_access *access =
        counted.is_shared ? find_most(&row->lines, &waste, MOST / 2.0 * all) : NULL;
    if (!access)
        access = find_most(&row->lines, &counted, MOST * all);
    if (!access)
        return;
    const struct lab_line *const line = counts_of(&row->lines, access);
    const unsigned widest = widest_of(&solution->lines, &counted, access->array);
    if (counted.is_shared && is_wasteful(access, line))
        put_wavefronts(access, line, text, LAB_COSTLY_LINE_BYTES);
    else if (counted.figure == SECTORS &&
             waste_of(&row->lines, access) >
                 most_waste_of(&solution->lines, &counted, access->array))
        put_sectors(access, line, text, LAB_COSTLY_LINE_BYTES);
    else if (counted.figure != SECTORS && access->bytes < widest)
        put_narrow(access, widest, text, LAB_COSTLY_LINE_BYTES);
}
