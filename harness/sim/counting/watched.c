/* Keeps the accesses of one watched warp: the addresses of its lanes, which the counters only sum
 * up. Of an access that is repeated often, only the first few are kept. One launch runs at a time,
 * and one worker has the block, so that no lock is needed. */
#include "count.h"

#include "sim/memory/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TURNS = 16 };

static struct {
    bool is_on;
    uint64_t block;
    unsigned warp;
    struct lab_sim_access *list;
    int count, capacity;
    int valued;          /* accesses at the start of the list whose values are known */
    uint64_t address[2]; /* of the first lane of each access after these */
} state;

void sim_watch_set(bool on, uint64_t block, unsigned warp)
{
    state.is_on = on;
    state.block = block;
    state.warp = warp;
}

void sim_watch_forget(void)
{
    state.count = state.valued = 0;
}

bool sim_watch_is_on(void)
{
    return state.is_on;
}

unsigned sim_watched_warp(void)
{
    return state.warp;
}

bool sim_watches_block(const struct warp *warp)
{
    return state.is_on && warp->worker->block_number == state.block;
}

bool sim_watches(const struct warp *warp)
{
    return warp->index == state.warp && sim_watches_block(warp);
}

static struct lab_sim_access *add(void)
{
    if (state.count == state.capacity) {
        const int larger = state.capacity ? 2 * state.capacity : 64;
        struct lab_sim_access *const moved =
            realloc(state.list, (size_t)larger * sizeof *state.list);
        if (!moved)
            return NULL;
        state.list = moved;
        state.capacity = larger;
    }
    return &state.list[state.count++];
}

/* How often the line has accessed the array before. Names are interned, so pointers compare. */
static unsigned turns_of(const struct lab_sim_access *access)
{
    unsigned turns = 0;
    for (int i = 0; i < state.count; i++) {
        const struct lab_sim_access *const earlier = &state.list[i];
        turns += earlier->line == access->line && earlier->file == access->file &&
                 earlier->array == access->array && earlier->kind == access->kind &&
                 earlier->is_shared == access->is_shared;
    }
    return turns;
}

/* Where the array in shared memory that holds an offset starts. */
static uint64_t shared_start(const struct program *program, uint64_t offset)
{
    for (int i = 0; i < program->shared_count; i++) {
        const struct shared_variable *const variable = &program->shared[i];
        if (offset >= variable->offset && offset < variable->offset + variable->ptx->size)
            return variable->offset;
    }
    return offset >= program->dynamic_shared ? program->dynamic_shared : 0;
}

/* The type that an opcode ends in. */
static const char *type_of(const struct ptx_instruction *source)
{
    for (int i = source->part_count; i-- > 1;)
        if (ptx_part_type(source->parts[i]) != PTX_NONE)
            return source->parts[i];
    return "";
}

int sim_watch_access(const struct warp *warp, const struct access_plan *plan,
                     enum counted_space space, const uint64_t *address, uint32_t lanes,
                     unsigned cost)
{
    static const char *const kinds[] = {
        [COUNTED_LOAD] = "load",        [COUNTED_STORE] = "store", [COUNTED_ATOMIC] = "atomic",
        [COUNTED_REDUCTION] = "atomic", [COUNTED_COPY] = "copy",   [COUNTED_COPY_BYPASS] = "copy"};
    const struct ptx_instruction *const source = plan->source;
    if (!source->file || !source->line)
        return -1;
    struct lab_sim_access access = {.file = sim_count_intern(source->file),
                                    .line = source->line,
                                    .kind = kinds[plan->kind],
                                    .is_shared = space == COUNTED_SHARED,
                                    .bytes = plan->merged_bytes,
                                    .lanes = lanes,
                                    .cost = cost};
    uint64_t lowest = UINT64_MAX, highest = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        const bool takes_part = lanes >> lane & 1;
        lowest = takes_part && address[lane] < lowest ? address[lane] : lowest;
        highest = takes_part && address[lane] > highest ? address[lane] : highest;
    }
    const struct sim_allocation *const array = access.is_shared ? NULL : sim_memory_find(lowest);
    const uint64_t start = array ? array->first : lowest & WINDOW_MASK;
    for (int lane = 0; lane < WARP_LANES; lane++)
        access.place[lane] = lanes >> lane & 1 ? address[lane] - start : 0;
    access.array = sim_count_array_name(warp->worker->launch->program, space, lowest, highest);
    if (access.is_shared)
        access.start = shared_start(warp->worker->launch->program, lowest & ~WINDOW_MASK);
    access.turn = turns_of(&access);
    if (access.is_shared)
        sim_place_in_wavefronts(plan->kind, address, lanes, access.bytes, access.pass);
    struct lab_sim_access *const kept =
        access.turn < MOST_TURNS && access.file && access.array ? add() : NULL;
    if (!kept)
        return -1;
    access.type = sim_count_intern(type_of(source));
    *kept = access;
    if (state.count - state.valued <= 2)
        state.address[state.count - state.valued - 1] = address[__builtin_ctz(lanes)];
    return state.count - 1;
}

void sim_watch_values(const struct warp *warp)
{
    for (int i = state.valued; i < state.count && i < state.valued + 2; i++) {
        struct lab_sim_access *const access = &state.list[i];
        const uint64_t address = state.address[i - state.valued];
        const size_t bytes =
            access->bytes < sizeof access->value ? access->bytes : sizeof access->value;
        const size_t at = address & ~WINDOW_MASK;
        const char *from = NULL;
        if (!access->is_shared)
            from = sim_memory_host(address, bytes);
        else if (at + bytes <= warp->worker->launch->shared_bytes)
            from = warp->block->shared + at;
        if (from)
            memcpy(access->value, from, bytes);
    }
    state.valued = state.count;
}

int sim_watch_list(const struct lab_sim_access **list)
{
    *list = state.list;
    return state.count;
}
