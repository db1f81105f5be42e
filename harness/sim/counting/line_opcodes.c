/* The PTX opcodes that the compiler made of each source line, and how often warps executed them. */
#include "count.h"

#include <stdlib.h>
#include <string.h>

static struct {
    struct lab_sim_opcode *list;
    int count, capacity;
} state;

void sim_count_forget_opcodes(void)
{
    state.count = 0;
}

/* NULL where there is no memory or no line. */
static struct lab_sim_opcode *entry_of(const struct ptx_instruction *source)
{
    const char *const file = source->file && source->line ? sim_count_intern(source->file) : NULL;
    if (!file)
        return NULL;
    for (int i = state.count; i-- > 0;)
        if (state.list[i].line == source->line && state.list[i].file == file &&
            strcmp(state.list[i].opcode, source->opcode) == 0)
            return &state.list[i];
    if (state.count == state.capacity) {
        const int larger = state.capacity ? 2 * state.capacity : 256;
        struct lab_sim_opcode *const moved =
            realloc(state.list, (size_t)larger * sizeof *state.list);
        if (!moved)
            return NULL;
        state.list = moved;
        state.capacity = larger;
    }
    const char *const opcode = sim_count_intern(source->opcode);
    if (!opcode)
        return NULL;
    state.list[state.count] =
        (struct lab_sim_opcode){.file = file, .line = source->line, .opcode = opcode};
    return &state.list[state.count++];
}

void sim_count_add_opcode(const struct ptx_instruction *source, uint64_t warps)
{
    struct lab_sim_opcode *const entry = entry_of(source);
    if (entry)
        entry->warp_instructions += (double)warps;
}

/* Orders by line; within a line, the most executed opcode comes first. */
static int compare(const void *a, const void *b)
{
    const struct lab_sim_opcode *const first = a, *const second = b;
    const int files = strcmp(first->file, second->file);
    if (files || first->line != second->line)
        return files ? files : first->line - second->line;
    if (first->warp_instructions != second->warp_instructions)
        return first->warp_instructions < second->warp_instructions ? 1 : -1;
    return strcmp(first->opcode, second->opcode);
}

int sim_count_opcodes(const struct lab_sim_opcode **list)
{
    if (state.count)
        qsort(state.list, (size_t)state.count, sizeof *state.list, compare);
    *list = state.list;
    return state.count;
}
