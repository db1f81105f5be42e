/* Memory for tags. It is made for what a kernel may write, kept with the allocation, and cleared
 * before the next launch. Before it is cleared, the launch's footprint takes from it what must be
 * compared with work of other streams. */
#include "global_tags.h"

#include "global_footprint.h"
#include "global_race.h"
#include "order.h"

#include "sim/memory/memory.h"
#include "sim/memory/names.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_ALLOCATIONS = 4096, CLEARED_BYTES = 16 << 20 };

/* The tags of an allocation; kept while the allocation lives. */
struct tagged {
    uint64_t address, serial;
    struct global_tags *tags;
    bool is_used;
    bool is_old; /* the tags are those of the last launch */
};

/* One for the whole process. A launch holds the mutex while it uses the tags. A launch of another
 * thread that finds the mutex held is not checked. */
static struct {
    pthread_mutex_t running;
    struct global_launch launch;
    struct tagged entries[MOST_ALLOCATIONS];
    int count;
    /* The launch that wrote the old tags; program NULL: they are forgotten. */
    struct {
        const struct program *program;
        unsigned grid[3], block[3];
    } last;
} state = {.running = PTHREAD_MUTEX_INITIALIZER};

/* ---- The tags of an allocation ---- */

static size_t bytes_of(const struct global_tags *tags)
{
    return 2 * tags->words * sizeof *tags->writer;
}

void *sim_global_make_once(void *_Atomic *place, size_t bytes)
{
    void *made = atomic_load(place);
    if (made)
        return made;
    void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (atomic_compare_exchange_strong(place, &made, memory))
        return memory;
    munmap(memory, bytes);
    return made;
}

/* Frees what sim_global_make_once() has made, if it was. */
static void free_once(void *_Atomic *place, size_t bytes)
{
    void *const made = atomic_exchange(place, NULL);
    if (made)
        munmap(made, bytes);
}

/* Makes both arrays in one piece of memory. */
static struct global_tags *make_tags(const struct sim_allocation *allocation)
{
    struct global_tags *const tags = malloc(sizeof *tags);
    if (!tags)
        return NULL;
    tags->host = allocation->host;
    tags->words = allocation->size / 4 + 2;
    atomic_init(&tags->strong, NULL);
    atomic_init(&tags->readers, NULL);
    void *_Atomic none = NULL;
    tags->writer = sim_global_make_once(&none, bytes_of(tags));
    if (!tags->writer) {
        free(tags);
        return NULL;
    }
    tags->reader = tags->writer + tags->words;
    return tags;
}

static void free_tags(struct global_tags *tags)
{
    munmap(tags->writer, bytes_of(tags));
    free(tags);
}

/* Clears tags, and gives back only large memory. Pages that are given back must be allocated again,
 * which would cost time in each of hundreds of short launches. */
static void clear_tags(struct global_tags *tags)
{
    if (bytes_of(tags) <= CLEARED_BYTES)
        memset(tags->writer, 0, bytes_of(tags));
    else
        madvise(tags->writer, bytes_of(tags), MADV_DONTNEED);
}

/* The allocation of an entry; NULL: it has been freed. */
static struct sim_allocation *find_living(const struct tagged *entry)
{
    struct sim_allocation *const found = (struct sim_allocation *)sim_memory_find(entry->address);
    return found && found->serial == entry->serial ? found : NULL;
}

static void forget_dead(void)
{
    int kept = 0;
    for (int i = 0; i < state.count; i++) {
        if (find_living(&state.entries[i]))
            state.entries[kept++] = state.entries[i];
        else
            free_tags(state.entries[i].tags);
    }
    state.count = kept;
}

static struct tagged *find_or_make(const struct sim_allocation *allocation)
{
    for (int i = 0; i < state.count; i++)
        if (state.entries[i].serial == allocation->serial)
            return &state.entries[i];
    struct global_tags *const tags = state.count < MOST_ALLOCATIONS ? make_tags(allocation) : NULL;
    if (!tags)
        return NULL;
    struct tagged *const entry = &state.entries[state.count++];
    *entry = (struct tagged){allocation->address, allocation->serial, tags, false, false};
    return entry;
}

static void use(struct sim_allocation *allocation)
{
    struct tagged *const entry = find_or_make(allocation);
    if (!entry)
        return;
    entry->is_used = true;
    atomic_store(&allocation->tags, entry->tags);
}

/* ---- A launch ---- */

static void use_if_symbol(struct sim_allocation *allocation, void *context)
{
    (void)context;
    if (allocation->kind == SIM_MEMORY_SYMBOL)
        use(allocation);
}

static void use_any(struct sim_allocation *allocation, void *context)
{
    (void)context;
    use(allocation);
}

/* A parameter that is part of an index, and no pointer, points into no allocation. */
static bool use_parameters(const struct launch *launch, uint64_t targets)
{
    bool any = false;
    for (int i = 0; i < TARGET_PARAMS; i++) {
        uint64_t address;
        if (!(targets >> i & 1))
            continue;
        memcpy(&address, launch->params + 8 * i, sizeof address);
        struct sim_allocation *const found = (struct sim_allocation *)sim_memory_find(address);
        if (found)
            use(found);
        any = any || found;
    }
    return any;
}

static void clear_old(void)
{
    for (int i = 0; i < state.count; i++) {
        if (state.entries[i].is_old)
            clear_tags(state.entries[i].tags);
        state.entries[i].is_old = false;
    }
}

void sim_global_begin(struct launch *launch)
{
    struct program *const program = launch->request->kernel->program;
    sim_global_forget();
    if (launch->block_count > GLOBAL_MOST_BLOCKS || pthread_mutex_trylock(&state.running) != 0)
        return;
    launch->global = &state.launch;
    sim_flags_begin(launch->block_count);
    forget_dead();
    clear_old();
    if (!program->targets)
        program->targets = sim_find_targets(program);
    const uint64_t targets =
        launch->request->footprint ? TARGET_ANY : program->targets & ~TARGET_KNOWN;
    const bool is_found = use_parameters(launch, targets);
    if (targets & TARGET_ANY || (targets && !is_found && !(targets & TARGET_SYMBOLS))) {
        if (sim_memory_count() <= MOST_ALLOCATIONS)
            sim_memory_each(use_any, NULL);
    } else if (targets & TARGET_SYMBOLS) {
        sim_memory_each(use_if_symbol, NULL);
    }
}

void sim_global_end(struct launch *launch)
{
    if (!launch->global)
        return;
    for (int i = 0; i < state.count; i++) {
        struct tagged *const entry = &state.entries[i];
        struct sim_allocation *const living = find_living(entry);
        if (!entry->is_used)
            continue;
        entry->is_used = false;
        if (living)
            atomic_store(&living->tags, NULL);
        if (living && launch->request->footprint)
            sim_footprint_add_tags(launch->request->footprint, launch->program, living,
                                   entry->tags);
        free_once(&entry->tags->strong, entry->tags->words * sizeof(struct strong_word));
        free_once(&entry->tags->readers, entry->tags->words * sizeof(struct word_readers));
        entry->is_old = true;
    }
    state.last.program = launch->program;
    memcpy(state.last.grid, launch->request->grid, sizeof state.last.grid);
    memcpy(state.last.block, launch->request->block, sizeof state.last.block);
    free_once(&state.launch.released, launch->block_count * sizeof(struct block_release));
    free_once(&state.launch.heads, LIST_HEADS * sizeof(struct list_head));
    atomic_store(&state.launch.time, 0);
    atomic_store(&state.launch.has_narrow, false);
    if (atomic_exchange(&state.launch.has_strong_stores, false)) {
        memset(state.launch.strong_stores, 0, sizeof state.launch.strong_stores);
        memset(state.launch.test_sets, 0, sizeof state.launch.test_sets);
    }
    atomic_store(&state.launch.has_releases, false);
    sim_flags_end();
    launch->global = NULL;
    pthread_mutex_unlock(&state.running);
}

/* ---- Who wrote a word in the last launch ---- */

void sim_global_forget(void)
{
    state.last.program = NULL;
}

static void name_writer(uint64_t tag, char *text, size_t size)
{
    const unsigned *const grid = state.last.grid, *const block = state.last.block;
    const uint64_t number = global_block(tag) - 1;
    const unsigned threads = block[0] * block[1] * block[2];
    const unsigned first = (unsigned)(tag & GLOBAL_SEVERAL_WARPS) * WARP_LANES;
    const unsigned end = first + WARP_LANES < threads ? first + WARP_LANES : threads;
    char place[600];
    sim_name_short_place(state.last.program, global_place(tag), place, sizeof place);
    snprintf(text, size,
             "that value was stored%s at %s by warp %u (threads (%u, %u, %u) to (%u, %u, %u)) of "
             "block (%u, %u, %u)",
             tag & GLOBAL_CHANGED ? " last" : "", place, first / WARP_LANES, first % block[0],
             first / block[0] % block[1], first / block[0] / block[1], (end - 1) % block[0],
             (end - 1) / block[0] % block[1], (end - 1) / block[0] / block[1],
             (unsigned)(number % grid[0]), (unsigned)(number / grid[0] % grid[1]),
             (unsigned)(number / grid[0] / grid[1]));
}

bool sim_global_writer(uint64_t address, char *text, size_t size)
{
    uint64_t tag = 0;
    if (pthread_mutex_trylock(&state.running) != 0)
        return false;
    for (int i = 0; i < state.count && state.last.program; i++) {
        const struct tagged *const entry = &state.entries[i];
        const uint64_t word = (address - entry->address) / 4;
        if (entry->is_old && address >= entry->address && word < entry->tags->words &&
            find_living(entry))
            tag = entry->tags->writer[word];
    }
    const bool is_known = tag != 0 && !is_of_several(tag);
    if (is_known)
        name_writer(tag, text, size);
    pthread_mutex_unlock(&state.running);
    return is_known;
}
