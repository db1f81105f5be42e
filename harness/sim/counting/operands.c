/* The accesses of each source line by array: a line such as a[i] * b[j] has two operands, whose
 * costs may be very different. The compiler gives only the line of an instruction; its addresses
 * show which array it accessed. */
#include "count.h"

#include "sim/memory/memory.h"
#include "sim/memory/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 200 };

static struct {
    struct lab_sim_operand *list;
    int count, capacity;
} state;

void sim_count_forget_operands(void)
{
    state.count = 0;
}

static void name_shared(const struct program *program, uint64_t lowest, uint64_t highest,
                        char name[NAME_BYTES])
{
    const uint64_t first = lowest & ~WINDOW_MASK, last = highest & ~WINDOW_MASK;
    for (int i = 0; i < program->shared_count; i++) {
        const struct shared_variable *const variable = &program->shared[i];
        if (first < variable->offset || last >= variable->offset + variable->ptx->size)
            continue;
        sim_short_name(variable->ptx->name, name, NAME_BYTES);
        return;
    }
    const bool is_dynamic = first >= program->dynamic_shared;
    snprintf(name, NAME_BYTES, "%s", is_dynamic ? "dynamic shared memory" : "several arrays");
}

static void name_global(uint64_t lowest, uint64_t highest, char name[NAME_BYTES])
{
    const struct sim_allocation *const found = sim_memory_find(lowest);
    if (!found || sim_memory_find(highest) != found)
        snprintf(name, NAME_BYTES, "several arrays");
    else if (found->name)
        snprintf(name, NAME_BYTES, "%s", found->name);
    else
        snprintf(name, NAME_BYTES, "allocation %" PRIu64 " of %" PRIu64 " bytes", found->serial,
                 found->end - found->first);
}

const char *sim_count_array_name(const struct program *program, enum counted_space space,
                                 uint64_t lowest, uint64_t highest)
{
    char name[NAME_BYTES];
    if (space == COUNTED_GLOBAL)
        name_global(lowest, highest, name);
    else
        name_shared(program, lowest, highest, name);
    return sim_count_intern(name);
}

/* The operand's counts; NULL where there is no memory or no line. */
static struct lab_sim_line *counts_of(const struct ptx_instruction *source, const char *name)
{
    const char *const file = source->file && source->line ? sim_count_intern(source->file) : NULL;
    if (!file || !name)
        return NULL;
    for (int i = state.count; i-- > 0;)
        if (state.list[i].counts.line == source->line && state.list[i].counts.file == file &&
            state.list[i].name == name)
            return &state.list[i].counts;
    if (state.count == state.capacity) {
        const int larger = state.capacity ? 2 * state.capacity : 64;
        struct lab_sim_operand *const moved =
            realloc(state.list, (size_t)larger * sizeof *state.list);
        if (!moved)
            return NULL;
        state.list = moved;
        state.capacity = larger;
    }
    state.list[state.count] =
        (struct lab_sim_operand){.name = name, .counts = {.file = file, .line = source->line}};
    return &state.list[state.count++].counts;
}

void sim_count_add_operand(const struct program *program, const struct access_plan *plan,
                           enum counted_space space, const struct access_total *total)
{
    struct lab_sim_line *const counts =
        space == COUNTED_LOCAL
            ? NULL
            : counts_of(plan->source,
                        sim_count_array_name(program, space, total->lowest, total->highest));
    if (!counts)
        return;
    if (space == COUNTED_GLOBAL) {
        counts->global_requests += (double)total->requests;
        counts->global_sectors += (double)total->sectors;
        counts->global_needed += (double)total->needed;
    } else {
        counts->shared_requests += (double)total->requests;
        counts->shared_wavefronts += (double)total->wavefronts;
        counts->shared_conflicts += (double)total->conflicts;
    }
}

static int compare(const void *a, const void *b)
{
    const struct lab_sim_operand *const first = a, *const second = b;
    const int files = strcmp(first->counts.file, second->counts.file);
    if (files || first->counts.line != second->counts.line)
        return files ? files : first->counts.line - second->counts.line;
    return strcmp(first->name, second->name);
}

int sim_count_operands(const struct lab_sim_operand **list)
{
    if (state.count)
        qsort(state.list, (size_t)state.count, sizeof *state.list, compare);
    *list = state.list;
    return state.count;
}
