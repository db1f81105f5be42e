/* Clocks of the warps of a block. Each arrival at a barrier advances the time, and an access keeps
 * its time. The access is ordered before what another warp does after that warp has waited for a
 * later arrival of the accessing warp, directly or through other warps. */
#include "order.h"

#include "switchboard.h"

#include "sim/memory/names.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACE_BITS = 12,
    MOST_PLACES = (1 << PLACE_BITS) - 1,
    LAST_TIME = (1 << (32 - PLACE_BITS)) - 1, /* after this time a block is no longer checked */
    GLOBAL_CELLS = 1 << 16,
    MOST_PROBES = 16,
    MOST_WRITES = ACCESS_UNITS,
    MOST_GROUPS = 64
};

/* A word, or a smaller unit of shared memory. An access is kept as its time, above its place; 0:
 * none. */
struct cell {
    const char *storage; /* of global memory */
    uint32_t
        block; /* number of the block that used it; a cell of an earlier block counts as empty */
    uint32_t writer;
    unsigned writer_warp;
    uint32_t readers[CLOCKS]; /* by warp, since the last write */
};

/* An earlier access that is not ordered before the current one; access 0: none. */
struct unordered {
    const char *storage;
    uint32_t access;
    unsigned warp;
    int lane;
    bool was_write;
};

/* A unit that the current store writes. */
struct write {
    struct unordered unordered;
    struct cell *cell;
    uint32_t old;
};

/* For a barrier of some warps: bits of the warps that have come to it, bits of the warps that it
 * last let go, and the time when it let these go. */
struct meeting {
    uint32_t coming, last, time;
};

struct warp_clocks {
    uint32_t block; /* counts blocks */
    uint32_t time;  /* 0: not followed any more */
    /* known[w][u]: what warp u did before this time comes before what warp w does now. */
    uint32_t known[CLOCKS][CLOCKS];
    bool is_copying;                  /* accesses are the copy engine's, not the warp's */
    uint32_t fenced[MAX_BLOCK_WARPS]; /* when warps last had a fence for the copy engine */
    /* Of bulk copies: when a warp's last one was done, and when those of its last groups were. */
    uint32_t copied[MAX_BLOCK_WARPS], groups[MAX_BLOCK_WARPS][MOST_GROUPS];
    unsigned group_count[MAX_BLOCK_WARPS];
    uint32_t brought[BARRIER_COUNT][CLOCKS]; /* what the warps that came to a barrier knew */
    struct meeting meetings[BARRIER_COUNT];
    unsigned shift;
    struct cell *shared, *global;
    int write_count;
    struct write writes[MOST_WRITES];
};

struct warp_clocks *sim_clocks_create(size_t shared_bytes, unsigned shift)
{
    struct warp_clocks *const clocks = calloc(1, sizeof *clocks);
    if (!clocks)
        return NULL;
    clocks->shift = shift;
    clocks->shared = calloc((shared_bytes >> shift) + 1, sizeof *clocks->shared);
    clocks->global = calloc(GLOBAL_CELLS, sizeof *clocks->global);
    if (clocks->shared && clocks->global)
        return clocks;
    sim_clocks_free(clocks);
    return NULL;
}

void sim_clocks_free(struct warp_clocks *clocks)
{
    if (!clocks)
        return;
    free(clocks->shared);
    free(clocks->global);
    free(clocks);
}

/* ---- Time ---- */

void sim_clocks_start(struct warp_clocks *clocks)
{
    clocks->block++;
    clocks->time = 1;
    clocks->write_count = 0;
    memset(clocks->known, 0, sizeof clocks->known);
    memset(clocks->brought, 0, sizeof clocks->brought);
    memset(clocks->meetings, 0, sizeof clocks->meetings);
    memset(clocks->fenced, 0, sizeof clocks->fenced);
    memset(clocks->group_count, 0, sizeof clocks->group_count);
    memset(clocks->copied, 0, sizeof clocks->copied);
    clocks->is_copying = false;
}

static void tick(struct warp_clocks *clocks)
{
    if (clocks->time)
        clocks->time = clocks->time < LAST_TIME ? clocks->time + 1 : 0;
}

static void learn(uint32_t *known, const uint32_t *brought)
{
    for (int i = 0; i < CLOCKS; i++)
        known[i] = known[i] > brought[i] ? known[i] : brought[i];
}

/* Whether other warps have met at the barrier that a warp comes to, and nothing makes this warp
 * come after them. This warp might then come first and let some of them go too early. */
static bool may_come_first(const struct warp *warp, unsigned barrier)
{
    const struct warp_clocks *const clocks = warp->worker->checks->clocks;
    const struct meeting *const meeting = &clocks->meetings[barrier];
    if (!clocks->time || !meeting->last || meeting->last >> warp->index & 1)
        return false;
    EACH_ACTIVE(other, meeting->last)
    if (clocks->known[warp->index][other] > meeting->time)
        return false;
    return true;
}

void sim_clocks_arrive(struct warp *warp, const struct instruction *at, unsigned barrier)
{
    struct warp_clocks *const clocks = warp->worker->checks->clocks;
    if (may_come_first(warp, barrier) && sim_checks_for(SIM_CHECK_RACE))
        sim_fault(warp, at, __builtin_ctz(warp->active), SIM_RACE, 0,
                  "race at barrier %u: warp %u comes to it, and warp %u with others has met there "
                  "before; nothing makes the one come after the others, so that warps of the one "
                  "group may let those of the other go: give each group a barrier of its own",
                  barrier, warp->index, (unsigned)__builtin_ctz(clocks->meetings[barrier].last));
    tick(clocks);
    learn(clocks->brought[barrier], clocks->known[warp->index]);
    clocks->brought[barrier][warp->index] = clocks->time;
    clocks->meetings[barrier].coming |= UINT32_C(1) << warp->index;
}

void sim_clocks_release(struct warp *warp, uint32_t brought[CLOCKS])
{
    struct warp_clocks *const clocks = warp->worker->checks->clocks;
    tick(clocks);
    learn(brought, clocks->known[warp->index]);
    brought[warp->index] = clocks->time;
}

void sim_clocks_learn(struct warp *warp, const uint32_t brought[CLOCKS])
{
    learn(warp->worker->checks->clocks->known[warp->index], brought);
}

/* At a barrier of the whole block, warps that have ended count as arrived. */
void sim_clocks_open(struct block *block, unsigned barrier, uint32_t waiting, bool takes_all)
{
    struct warp_clocks *const clocks = block->warps[0].worker->checks->clocks;
    uint32_t *const brought = clocks->brought[barrier];
    for (unsigned i = 0; takes_all && i < block->warp_count; i++)
        if (block->warps[i].state == WARP_EXITED)
            brought[i] = clocks->time;
    EACH_ACTIVE(index, waiting) learn(clocks->known[index], brought);
    memset(brought, 0, sizeof clocks->brought[barrier]);
    struct meeting *const meeting = &clocks->meetings[barrier];
    *meeting = (struct meeting){.last = takes_all ? 0 : meeting->coming, .time = clocks->time};
}

void sim_clocks_fence(struct warp_clocks *clocks)
{
    tick(clocks);
    for (int w = 0; w < CLOCKS; w++)
        for (int u = 0; u < CLOCKS; u++)
            clocks->known[w][u] = clocks->time;
}

/* ---- Bulk copies ---- */

void sim_clocks_begin_copy(struct warp *warp)
{
    struct warp_clocks *const clocks = warp->worker->checks->clocks;
    tick(clocks);
    memcpy(clocks->known[CLOCK_COPIES], clocks->known[warp->index], sizeof clocks->known[0]);
    clocks->known[CLOCK_COPIES][warp->index] = clocks->time;
    clocks->is_copying = true;
}

void sim_clocks_end_copy(struct warp *warp, uint32_t *brought)
{
    struct warp_clocks *const clocks = warp->worker->checks->clocks;
    tick(clocks);
    clocks->is_copying = false;
    if (brought) {
        learn(brought, clocks->known[CLOCK_COPIES]);
        brought[CLOCK_COPIES] = clocks->time;
    } else {
        clocks->copied[warp->index] = clocks->time;
    }
}

void sim_clocks_commit_copies(struct warp *warp)
{
    struct warp_clocks *const clocks = warp->worker->checks->clocks;
    const unsigned w = warp->index;
    clocks->groups[w][clocks->group_count[w]++ % MOST_GROUPS] = clocks->copied[w];
}

void sim_clocks_wait_copies(struct warp *warp, unsigned latest)
{
    struct warp_clocks *const clocks = warp->worker->checks->clocks;
    const unsigned count = clocks->group_count[warp->index];
    uint32_t *const known = &clocks->known[warp->index][CLOCK_COPIES];
    if (count <= latest || latest >= MOST_GROUPS)
        return;
    const uint32_t done = clocks->groups[warp->index][(count - 1 - latest) % MOST_GROUPS];
    *known = *known > done ? *known : done;
}

void sim_clocks_proxy_fence(struct warp *warp)
{
    struct warp_clocks *const clocks = warp->worker->checks->clocks;
    tick(clocks);
    clocks->fenced[warp->index] = clocks->time;
}

/* Who accesses memory now. */
static unsigned self(const struct warp *warp)
{
    return warp->worker->checks->clocks->is_copying ? CLOCK_COPIES : warp->index;
}

static bool is_ordered(const struct warp_clocks *clocks, uint32_t access, unsigned by,
                       unsigned warp)
{
    return access == 0 || by == warp || access >> PLACE_BITS < clocks->known[warp][by];
}

/* ---- Cells ---- */

static bool is_shared(const struct warp *warp, const char *storage)
{
    return storage >= warp->block->shared &&
           storage < warp->block->shared + warp->worker->launch->shared_bytes;
}

static unsigned unit_bytes(const struct warp *warp, const char *storage)
{
    return is_shared(warp, storage) ? 1u << warp->worker->checks->clocks->shift : 4;
}

static struct cell *global_cell(struct warp_clocks *clocks, const char *storage)
{
    const uint64_t hash = (uint64_t)(uintptr_t)storage / 4 * UINT64_C(0x9e3779b97f4a7c15) >> 48;
    for (size_t i = 0; i < MOST_PROBES; i++) {
        struct cell *const cell = &clocks->global[(hash + i) % GLOBAL_CELLS];
        if (cell->block != clocks->block || cell->storage == storage)
            return cell;
    }
    return NULL;
}

/* The cell of a word; NULL: the word is not checked. */
static struct cell *cell_of(const struct warp *warp, const char *storage)
{
    struct warp_clocks *const clocks = warp->worker->checks->clocks;
    if (!clocks->time)
        return NULL;
    struct cell *const cell =
        is_shared(warp, storage)
            ? &clocks->shared[(size_t)(storage - warp->block->shared) >> clocks->shift]
            : global_cell(clocks, storage);
    if (cell && cell->block != clocks->block)
        *cell = (struct cell){.storage = storage, .block = clocks->block};
    return cell;
}

static uint32_t access_now(const struct warp_clocks *clocks, const struct instruction *at)
{
    return clocks->time << PLACE_BITS | (at->cache < MOST_PLACES ? at->cache : MOST_PLACES);
}

/* ---- What is said ---- */

static void name_actor(unsigned clock, char *text, size_t size)
{
    if (clock == CLOCK_COPIES)
        snprintf(text, size, "a bulk copy");
    else
        snprintf(text, size, "warp %u", clock);
}

static void report(struct warp *warp, const struct instruction *at,
                   const struct unordered *unordered, const char *verb)
{
    char what[300], place[560];
    const char *const storage = unordered->storage;
    const bool shared = is_shared(warp, storage);
    const uint64_t address =
        shared ? (uint64_t)(storage - warp->block->shared) : global_address(warp, at, storage);
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    if (shared)
        sim_name_shared(warp, address, sim_element_bytes(sim_source(warp, at)), what, sizeof what);
    else
        sim_name_global(address, 4, what, sizeof what);
    sim_name_place(warp->worker->launch->program, unordered->access & MOST_PLACES, place,
                   sizeof place);
    char one[40], other[40], advice[400];
    const char *const earlier = unordered->was_write ? "write" : "read";
    name_actor(self(warp), one, sizeof one);
    name_actor(unordered->warp, other, sizeof other);
    if (self(warp) == CLOCK_COPIES || unordered->warp == CLOCK_COPIES)
        snprintf(advice, sizeof advice,
                 "a copy goes on while its thread does: what it brings may be used, and what it "
                 "reads may be written, after a wait for the phase of its barrier "
                 "(mbarrier.try_wait) or for its group (cp.async.bulk.wait_group)");
    else if (warp->block->mbarrier_count > 0)
        snprintf(advice, sizeof advice,
                 "before this %s, %s must wait for the phase of a barrier (mbarrier.try_wait, "
                 "__syncthreads()) at which %s arrives after its %s",
                 verb, one, other, earlier);
    else
        snprintf(advice, sizeof advice,
                 "bar.arrive counts and goes on without waiting, and a barrier with a number of "
                 "threads orders only those who come to it: before this %s %s must wait "
                 "(bar.sync, __syncthreads()) at a barrier to which %s comes after its %s",
                 verb, one, other, earlier);
    sim_fault(warp, at, unordered->lane, SIM_RACE, address + (shared ? SHARED_WINDOW : 0),
              "race on %s: this %s by %s and the %s at %s by %s come in any order: no barrier "
              "makes %s wait for what %s did there; %s",
              what, verb, one, earlier, place, other, one, other, advice);
}

/* The copy engine need not see what ordinary stores have written. */
static void report_no_fence(struct warp *warp, const struct instruction *at, int lane,
                            const char *storage, const struct cell *cell)
{
    char what[300], place[560];
    const uint64_t offset = (uint64_t)(storage - warp->block->shared);
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_shared(warp, offset, sim_element_bytes(sim_source(warp, at)), what, sizeof what);
    sim_name_place(warp->worker->launch->program, cell->writer & MOST_PLACES, place, sizeof place);
    sim_fault(warp, at, lane, SIM_RACE, SHARED_WINDOW + offset,
              "race on %s: this bulk copy reads what the write at %s by warp %u has put there, and "
              "no fence.proxy.async by that warp is between the two; each thread that writes must "
              "execute the fence after its writes, before the barrier that lets the copy start",
              what, place, cell->writer_warp);
}

/* ---- Accesses ---- */

static void load_lane(struct warp *warp, const struct instruction *at, int lane,
                      const char *storage, unsigned bytes)
{
    struct warp_clocks *const clocks = warp->worker->checks->clocks;
    const unsigned unit = unit_bytes(warp, storage);
    for (const char *word = storage; word < storage + bytes; word += unit) {
        struct cell *const cell = cell_of(warp, word);
        if (!cell)
            return;
        if (!is_ordered(clocks, cell->writer, cell->writer_warp, self(warp))) {
            const struct unordered unordered = {word, cell->writer, cell->writer_warp, lane, true};
            report(warp, at, &unordered, "read");
        }
        if (clocks->is_copying && is_shared(warp, word) && cell->writer &&
            cell->writer_warp != CLOCK_COPIES &&
            cell->writer >> PLACE_BITS >= clocks->fenced[cell->writer_warp])
            report_no_fence(warp, at, lane, word, cell);
        cell->readers[self(warp)] = access_now(clocks, at);
    }
}

/* The first access of a unit that is not ordered before the warp's write. */
static struct unordered find_unordered(const struct warp *warp, const struct cell *cell)
{
    const struct warp_clocks *const clocks = warp->worker->checks->clocks;
    if (!is_ordered(clocks, cell->writer, cell->writer_warp, self(warp)))
        return (struct unordered){
            .access = cell->writer, .warp = cell->writer_warp, .was_write = true};
    for (unsigned by = 0; by < CLOCKS; by++)
        if (!is_ordered(clocks, cell->readers[by], by, self(warp)))
            return (struct unordered){.access = cell->readers[by], .warp = by};
    return (struct unordered){.access = 0};
}

static void store_lane(struct warp *warp, int lane, const char *storage, unsigned bytes)
{
    struct warp_clocks *const clocks = warp->worker->checks->clocks;
    const unsigned unit = unit_bytes(warp, storage);
    for (const char *word = storage; word < storage + bytes; word += unit) {
        struct cell *const cell = cell_of(warp, word);
        if (!cell || clocks->write_count == MOST_WRITES)
            return;
        struct write *const write = &clocks->writes[clocks->write_count++];
        *write = (struct write){.unordered = find_unordered(warp, cell), .cell = cell};
        write->unordered.storage = word;
        write->unordered.lane = lane;
        memcpy(&write->old, word, unit);
    }
}

/* In global memory, a write that leaves the value as it was does not count. */
void sim_clocks_stored(struct warp *warp, const struct instruction *at)
{
    struct warp_clocks *const clocks = warp->worker->checks->clocks;
    const int count = clocks->write_count;
    clocks->write_count = 0;
    for (int i = 0; i < count; i++) {
        const struct write *const write = &clocks->writes[i];
        const char *const storage = write->unordered.storage;
        const bool has_changed = memcmp(storage, &write->old, unit_bytes(warp, storage)) != 0;
        if (has_changed && write->unordered.access)
            report(warp, at, &write->unordered, "write");
        if (!has_changed && !is_shared(warp, storage))
            continue;
        write->cell->writer = access_now(clocks, at);
        write->cell->writer_warp = self(warp);
        memset(write->cell->readers, 0, sizeof write->cell->readers);
    }
}

void sim_clocks_load(struct warp *warp, const struct instruction *at, const struct places *places,
                     unsigned bytes)
{
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    load_lane(warp, at, (int)lane, place_of(places, lane, bytes), bytes);
}

void sim_clocks_store(struct warp *warp, const struct places *places, unsigned bytes)
{
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    store_lane(warp, (int)lane, place_of(places, lane, bytes), bytes);
}
