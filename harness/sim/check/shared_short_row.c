/* If rows are too short, the end of one overlaps the start of the next. Consecutive threads store
 * along a row or down a column: a row ends where their addresses jump. */
#include "shared_race.h"

#include "sim/memory/names.h"

#include <stdio.h>
#include <stdlib.h>

/* Consecutive lanes with the same distance between their addresses; the writer is one of them. */
struct run {
    int64_t first, distance;
    int length, position;
    bool is_whole; /* it does not continue a run of the previous warp */
};

/* A row shorter than LEAST_ROW is taken for an index that is wrong in another way. */
enum { LEAST_ROW = 4, MOST_BYTES = 16 };

static int64_t address_of(const struct row_writer *writer, int lane)
{
    const int reg = sim_source(writer->warp, writer->at)->operands[0].reg;
    const void *const slot = sim_slot(writer->warp, writer->at->a);
    return writer->at->offset +
           (ptx_type_size(writer->warp->function->ptx->registers[reg].type) == 8
                ? ((const int64_t *)slot)[lane]
                : ((const int32_t *)slot)[lane]);
}

static bool follows(const struct row_writer *writer, int lane, int64_t distance)
{
    return lane > 0 && lane < WARP_LANES && !(writer->warp->absent >> lane & 1) &&
           address_of(writer, lane) - address_of(writer, lane - 1) == distance;
}

static struct run run_of(const struct row_writer *writer)
{
    const unsigned width = writer->warp->worker->launch->request->block[0];
    const int64_t distance = address_of(writer, 1) - address_of(writer, 0);
    int first = (int)writer->lane, end = first + 1;
    while (follows(writer, first, distance))
        first--;
    while (follows(writer, end, distance))
        end++;
    return (struct run){.first = address_of(writer, first),
                        .distance = distance,
                        .length = end - first,
                        .position = (int)writer->lane - first,
                        .is_whole = first > 0 || (writer->warp->thread[0][first] == 0 &&
                                                  (unsigned)(end - first) <= width)};
}

static bool is_store(const struct row_writer *writer)
{
    return !ptx_does(sim_source(writer->warp, writer->at), PTX_LOADS);
}

/* Whether the runs of two instructions, such as s[i] and s[i + 16], meet only because of the
 * constant offsets in the instructions. One run then continues the other run, although there are
 * no rows. */
static bool meet_by_offset(const struct row_writer *one, const struct row_writer *other,
                           const struct run *a, const struct run *b)
{
    const int64_t apart = llabs((a->first - one->at->offset) - (b->first - other->at->offset));
    return one->at != other->at && (apart == 0 || apart >= a->length * a->distance);
}

static bool is_one_line(const struct row_writer *one, const struct row_writer *other)
{
    const struct ptx_instruction *const a = sim_source(one->warp, one->at);
    const struct ptx_instruction *const b = sim_source(other->warp, other->at);
    return (a == b || (a->line && a->line == b->line && a->file == b->file)) &&
           a->operand_count > 0 && b->operand_count > 0 && a->operands[0].reg >= 0 &&
           b->operands[0].reg >= 0;
}

/* Whether all runs of the warp begin a multiple of `row` apart, as rows do. */
static bool are_rows(const struct row_writer *writer, const struct run *run, int64_t row)
{
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (!(writer->warp->absent >> lane & 1) && !follows(writer, lane, run->distance) &&
            (address_of(writer, lane) - run->first) % row != 0)
            return false;
    return true;
}

bool sim_say_short_row(const struct row_writer *one, const struct row_writer *other, char *text,
                       size_t size)
{
    if (!is_store(one) || !is_store(other) || !is_one_line(one, other))
        return false;
    const struct run a = run_of(one);
    const struct run b = run_of(other);
    const int64_t bytes = (int64_t)sim_element_bytes(sim_source(one->warp, one->at));
    const bool is_along = a.distance <= MOST_BYTES; /* along a row, vector after vector */
    const int64_t row = is_along ? llabs(a.first - b.first) : a.distance;
    char length[48] = "are shorter than", indexed[32] = "what is";
    const bool is_same = a.first + a.position * a.distance == b.first + b.position * b.distance;
    /* The registers of the other store have changed since, for example in an unrolled loop. */
    const bool is_changed = !is_same && one->at != other->at && one->warp == other->warp;
    if (is_changed && !is_along && a.distance > 0 && one->lane != other->lane) {
        snprintf(text, size,
                 "threads beside each other write %lld elements apart: is that the length of a "
                 "row, and is more indexed in it? Then make the last dimension of the array "
                 "larger. Else values of a thread overlap those of another",
                 (long long)(row / bytes));
        return true;
    }
    if (!is_same || meet_by_offset(one, other, &a, &b) || a.position == b.position ||
        a.distance != b.distance || a.distance <= 0 || row < LEAST_ROW * bytes ||
        (is_along && !are_rows(one, &a, row)))
        return false;
    if (!is_along) {
        snprintf(length, sizeof length, "begin %lld elements apart and", (long long)(row / bytes));
        snprintf(indexed, sizeof indexed, "more are");
    } else if (a.is_whole && b.is_whole && a.length == b.length) {
        snprintf(length, sizeof length, "begin %lld elements apart and", (long long)(row / bytes));
        snprintf(indexed, sizeof indexed, "%lld are", (long long)(a.length * a.distance / bytes));
    }
    snprintf(text, size,
             "two elements of different rows fall on this address, since rows %s %s indexed in "
             "each: make the last dimension of the array larger, or index less of it",
             length, indexed);
    return true;
}
