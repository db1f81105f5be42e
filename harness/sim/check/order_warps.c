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

/* A read of a unit, or an atomic operation on it, since its last write: its time, above its place.
 */
struct use {
    uint32_t access;
    uint16_t clock; /* whose */
    bool is_atomic;
};

/* A word, or a smaller unit of shared memory. */
struct cell {
    const char *storage; /* of global memory */
    uint32_t
        block; /* number of the block that used it; a cell of an earlier block counts as empty */
    uint32_t writer;
    unsigned writer_clock;
    unsigned count, capacity;
    struct use *uses;
};

enum cell_use { USE_READ, USE_WRITE, USE_ATOMIC };
static const char *const use_names[] = {"read", "write", "atomic access"};

/* An earlier access that is not ordered before the current one; access 0: none. */
struct unordered {
    const char *storage;
    uint32_t access;
    unsigned clock;
    int lane;
    enum cell_use use;
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

/* Of a warp's bulk copies, or of its wgmma: when the last one was done, and when those of its last
 * groups were. */
struct groups {
    uint32_t last, done[MOST_GROUPS];
    unsigned count;
};

/* The last access of a clock to the shared memory of another block. */
struct touch {
    struct warp *warp; /* NULL: none */
    const struct function *function;
    const struct instruction *at;
    uint32_t time;
    int lane;
};

/* A word of shared memory that was last set by a volatile, relaxed or atomic access: what comes
 * before that, for each clock. */
struct flag {
    uint32_t block; /* as in struct cell */
    uint32_t value;
    uint32_t *brought;
};

struct warp_clocks {
    unsigned blocks, count; /* of the cluster; of clocks */
    uint32_t block;         /* counts blocks */
    uint32_t time;          /* 0: not followed any more */
    /* known[w * count + u]: what u did before this time comes before what w does now. */
    uint32_t *known, *at_fence; /* and what w knew at its last fence, in a cluster */
    uint32_t *released, *heard; /* at its last fence for the block, or barrier; and what flags that
                                   it has read tell, until its next fence */
    uint32_t global_order;      /* up to this time accesses to global memory count as ordered */
    bool has_looked;            /* a warp of the block has looked at a flag */
    struct flag *flags;         /* by rank and unit */
    unsigned
        engine;     /* of this block's clocks the one whose accesses these are; 0: the warp's own */
    bool reads_all; /* the engine needs no fence for what ordinary stores have written */
    uint32_t waited[MOST_CLOCKS];    /* when warps first waited for the previous kernel; 0: never */
    uint32_t fenced[2][MOST_CLOCKS]; /* when warps last had a fence for the engines, for what they
                                        wrote in global, in shared memory */
    struct groups copies[MOST_CLOCKS], products[MOST_CLOCKS]; /* by warps' clocks */
    uint32_t *brought; /* what the warps that came to a barrier knew, by rank and barrier */
    struct meeting meetings[MAX_CLUSTER_BLOCKS][BARRIER_COUNT];
    uint32_t cluster_brought[MOST_CLOCKS], cluster_released[MOST_CLOCKS]; /* of barrier.cluster */
    struct touch *touches;                                                /* by rank and clock */
    unsigned shift;
    size_t units;
    struct cell *shared, *global; /* by rank and unit */
    int write_count;
    struct write writes[MOST_WRITES];
};

struct warp_clocks *sim_clocks_create(size_t shared_bytes, unsigned shift, unsigned blocks)
{
    struct warp_clocks *const clocks = calloc(1, sizeof *clocks);
    if (!clocks)
        return NULL;
    clocks->blocks = blocks;
    clocks->count = blocks * BLOCK_CLOCKS;
    clocks->shift = shift;
    clocks->units = (shared_bytes >> shift) + 1;
    clocks->known = calloc((size_t)clocks->count * clocks->count, sizeof *clocks->known);
    clocks->at_fence = calloc((size_t)clocks->count * clocks->count, sizeof *clocks->at_fence);
    clocks->released = calloc((size_t)clocks->count * clocks->count, sizeof *clocks->released);
    clocks->heard = calloc((size_t)clocks->count * clocks->count, sizeof *clocks->heard);
    clocks->flags = calloc(blocks * clocks->units, sizeof *clocks->flags);
    clocks->brought = calloc((size_t)blocks * BARRIER_COUNT * clocks->count, sizeof(uint32_t));
    clocks->touches = calloc((size_t)blocks * clocks->count, sizeof *clocks->touches);
    clocks->shared = calloc(blocks * clocks->units, sizeof *clocks->shared);
    clocks->global = calloc(GLOBAL_CELLS, sizeof *clocks->global);
    if (clocks->known && clocks->at_fence && clocks->released && clocks->heard && clocks->flags &&
        clocks->brought && clocks->touches && clocks->shared && clocks->global)
        return clocks;
    sim_clocks_free(clocks);
    return NULL;
}

static void free_cells(struct cell *cells, size_t count)
{
    for (size_t i = 0; cells && i < count; i++)
        free(cells[i].uses);
    free(cells);
}

void sim_clocks_free(struct warp_clocks *clocks)
{
    if (!clocks)
        return;
    for (size_t i = 0; clocks->flags && i < clocks->blocks * clocks->units; i++)
        free(clocks->flags[i].brought);
    free(clocks->flags);
    free_cells(clocks->shared, clocks->blocks * clocks->units);
    free_cells(clocks->global, GLOBAL_CELLS);
    free(clocks->touches);
    free(clocks->brought);
    free(clocks->at_fence);
    free(clocks->released);
    free(clocks->heard);
    free(clocks->known);
    free(clocks);
}

/* ---- Time ---- */

void sim_clocks_start(struct warp_clocks *clocks)
{
    const size_t count = clocks->count;
    clocks->block++;
    clocks->time = 1;
    clocks->write_count = 0;
    memset(clocks->known, 0, count * count * sizeof *clocks->known);
    memset(clocks->at_fence, 0, count * count * sizeof *clocks->at_fence);
    memset(clocks->released, 0, count * count * sizeof *clocks->released);
    memset(clocks->heard, 0, count * count * sizeof *clocks->heard);
    clocks->global_order = 0;
    clocks->has_looked = false;
    memset(clocks->brought, 0, clocks->blocks * BARRIER_COUNT * count * sizeof *clocks->brought);
    memset(clocks->touches, 0, clocks->blocks * count * sizeof *clocks->touches);
    memset(clocks->meetings, 0, clocks->blocks * sizeof clocks->meetings[0]);
    memset(clocks->cluster_brought, 0, sizeof clocks->cluster_brought);
    memset(clocks->waited, 0, sizeof clocks->waited);
    memset(clocks->fenced, 0, sizeof clocks->fenced);
    memset(clocks->copies, 0, count * sizeof clocks->copies[0]);
    memset(clocks->products, 0, count * sizeof clocks->products[0]);
    clocks->engine = 0;
}

static struct warp_clocks *clocks_of(const struct warp *warp)
{
    return warp->worker->checks->clocks;
}

/* The clock of a warp, and what it knows of all clocks. */
static unsigned clock_of(const struct warp *warp)
{
    return warp->worker->rank * BLOCK_CLOCKS + warp->index;
}

static uint32_t *known_by(struct warp_clocks *clocks, unsigned clock)
{
    return clocks->known + (size_t)clock * clocks->count;
}

static uint32_t *brought_to(struct warp_clocks *clocks, unsigned rank, unsigned barrier)
{
    return clocks->brought + ((size_t)rank * BARRIER_COUNT + barrier) * clocks->count;
}

/* Who accesses memory now. */
static unsigned self(const struct warp *warp)
{
    const unsigned engine = clocks_of(warp)->engine;
    return engine ? warp->worker->rank * BLOCK_CLOCKS + engine : clock_of(warp);
}

/* Whose writes and atomic operations these are: those of groups of copies have their own clock. */
static unsigned writer_of(const struct warp *warp)
{
    const bool is_of_group = clocks_of(warp)->engine == CLOCK_GROUPS;
    return self(warp) + (is_of_group ? CLOCK_WRITTEN - CLOCK_GROUPS : 0);
}

static bool is_copy(unsigned clock)
{
    const unsigned index = clock % BLOCK_CLOCKS;
    return index >= CLOCK_COPIES && index <= CLOCK_WRITTEN;
}

static void tick(struct warp_clocks *clocks)
{
    if (clocks->time)
        clocks->time = clocks->time < LAST_TIME ? clocks->time + 1 : 0;
}

static void learn(struct warp_clocks *clocks, uint32_t *known, const uint32_t *brought)
{
    for (unsigned i = 0; i < clocks->count; i++)
        known[i] = known[i] > brought[i] ? known[i] : brought[i];
}

/* ---- Flags in shared memory ---- */

/* A row of one of the matrices of what warps know. */
static uint32_t *of_warp(const struct warp *warp, uint32_t *matrix)
{
    return matrix + (size_t)clock_of(warp) * clocks_of(warp)->count;
}

static void acquire(struct warp *warp)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    if (clocks->has_looked)
        learn(clocks, of_warp(warp, clocks->known), of_warp(warp, clocks->heard));
}

/* What a flag tells that the warp sets from now on: a fence or a barrier is before it. */
static void keep_for_flags(struct warp *warp)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    uint32_t *const kept = of_warp(warp, clocks->released);
    tick(clocks);
    memcpy(kept, of_warp(warp, clocks->known), clocks->count * sizeof *kept);
    kept[clock_of(warp)] = clocks->time;
}

void sim_clocks_acquire(struct warp *warp, bool is_followed)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    acquire(warp);
    if (is_followed)
        return;
    tick(clocks);
    for (size_t i = 0; i < (size_t)clocks->count * clocks->count; i++)
        clocks->known[i] = clocks->time;
}

void sim_clocks_fence(struct warp *warp)
{
    keep_for_flags(warp);
}

void sim_clocks_order_global(struct warp_clocks *clocks)
{
    tick(clocks);
    clocks->global_order = clocks->time;
}

uint32_t sim_clocks_time(const struct warp *warp)
{
    return clocks_of(warp)->time;
}

bool sim_clocks_is_after(const struct warp *warp, unsigned other, uint32_t time)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const unsigned clock = warp->worker->rank * BLOCK_CLOCKS + other;
    return !clocks->time || known_by(clocks, clock_of(warp))[clock] > time;
}

static struct flag *flag_of(const struct warp *warp, const char *storage)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    struct flag *const flag =
        &clocks->flags[warp->worker->rank * clocks->units +
                       ((size_t)(storage - warp->block->shared) >> clocks->shift)];
    if (!flag->brought)
        flag->brought = calloc(clocks->count, sizeof *flag->brought);
    if (flag->brought && flag->block != clocks->block) {
        memset(flag->brought, 0, clocks->count * sizeof *flag->brought);
        flag->block = clocks->block;
        flag->value = ~UINT32_C(0);
    }
    return flag->brought ? flag : NULL;
}

void sim_clocks_look(struct warp *warp, const char *storage)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const struct flag *const flag = flag_of(warp, storage);
    clocks->has_looked = true;
    if (flag)
        learn(clocks, of_warp(warp, clocks->heard), flag->brought);
    else /* memory has run out: the block is checked no more */
        clocks->time = 0;
}

void sim_clocks_set(struct warp *warp, const struct instruction *at, const char *storage,
                    unsigned bytes, bool is_atomic)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    struct flag *const flag = flag_of(warp, storage);
    if (!flag)
        return;
    if (at->flags & FLAG_RELEASE)
        keep_for_flags(warp);
    const uint32_t *const tells = of_warp(warp, clocks->released);
    uint32_t value = 0;
    memcpy(&value, storage, bytes < sizeof value ? bytes : sizeof value);
    const bool is_same = !is_atomic && value == flag->value;
    for (unsigned i = 0; i < clocks->count; i++) {
        uint32_t *const brought = &flag->brought[i];
        const bool is_more = tells[i] > *brought;
        if (is_atomic ? is_more : is_same ? !is_more : true)
            *brought = tells[i];
    }
    flag->value = value;
}

/* Whether other warps have met at the barrier that a warp comes to, and nothing makes this warp
 * come after them. This warp might then come first and let some of them go too early. */
static bool may_come_first(const struct warp *warp, const struct meeting *meeting)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    if (!clocks->time || !meeting->last || meeting->last >> warp->index & 1)
        return false;
    EACH_ACTIVE(other, meeting->last)
    if (known_by(clocks, clock_of(warp))[warp->worker->rank * BLOCK_CLOCKS + other] > meeting->time)
        return false;
    return true;
}

void sim_clocks_arrive(struct warp *warp, const struct instruction *at, unsigned barrier)
{
    struct meeting *const meeting = &clocks_of(warp)->meetings[warp->worker->rank][barrier];
    if (may_come_first(warp, meeting) && sim_checks_for(SIM_CHECK_RACE))
        sim_fault(warp, at, __builtin_ctz(warp->active), SIM_RACE, 0,
                  "race at barrier %u: warp %u comes to it, and warp %u with others has met there "
                  "before; nothing makes the one come after the others, so that warps of the one "
                  "group may let those of the other go: give each group a barrier of its own",
                  barrier, warp->index, (unsigned)__builtin_ctz(meeting->last));
    acquire(warp);
    sim_clocks_release(warp, brought_to(clocks_of(warp), warp->worker->rank, barrier));
    meeting->coming |= UINT32_C(1) << warp->index;
}

void sim_clocks_release(struct warp *warp, uint32_t *brought)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    tick(clocks);
    learn(clocks, brought, known_by(clocks, clock_of(warp)));
    brought[clock_of(warp)] = clocks->time;
}

void sim_clocks_learn(struct warp *warp, const uint32_t *brought)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    learn(clocks, known_by(clocks, clock_of(warp)), brought);
}

/* At a barrier of the whole block, or of the cluster, warps that have ended count as arrived. */
static void bring_ended(const struct warp_clocks *clocks, const struct block *block,
                        uint32_t *brought)
{
    for (unsigned i = 0; i < block->warp_count; i++)
        if (block->warps[i].state == WARP_EXITED)
            brought[clock_of(&block->warps[i])] = clocks->time;
}

void sim_clocks_open(struct block *block, unsigned barrier, uint32_t waiting, bool takes_all)
{
    struct warp_clocks *const clocks = clocks_of(&block->warps[0]);
    const unsigned rank = block->warps[0].worker->rank;
    uint32_t *const brought = brought_to(clocks, rank, barrier);
    if (takes_all)
        bring_ended(clocks, block, brought);
    EACH_ACTIVE(index, waiting)
    {
        sim_clocks_learn(&block->warps[index], brought);
        keep_for_flags(&block->warps[index]);
    }
    memset(brought, 0, clocks->count * sizeof *brought);
    struct meeting *const meeting = &clocks->meetings[rank][barrier];
    *meeting = (struct meeting){.last = takes_all ? 0 : meeting->coming, .time = clocks->time};
}

void sim_clocks_note_wait(struct warp *warp)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    if (!clocks->waited[clock_of(warp)])
        clocks->waited[clock_of(warp)] = clocks->time;
}

bool sim_clocks_know_wait(const struct warp *warp)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const uint32_t *const known = known_by(clocks, clock_of(warp));
    for (unsigned i = 0; i < clocks->count && clocks->time; i++)
        if (clocks->waited[i] && known[i] > clocks->waited[i])
            return true;
    return clocks->time == 0;
}

/* ---- Clusters ---- */

void sim_clocks_cluster_fence(struct warp *warp)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const unsigned w = clock_of(warp);
    uint32_t *const kept = clocks->at_fence + (size_t)w * clocks->count;
    if (!warp->worker->cluster)
        return;
    tick(clocks);
    memcpy(kept, known_by(clocks, w), clocks->count * sizeof *kept);
    kept[w] = clocks->time;
}

void sim_clocks_cluster_arrive(struct warp *warp, bool is_relaxed)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    if (!is_relaxed)
        sim_clocks_release(warp, clocks->cluster_brought);
    else
        learn(clocks, clocks->cluster_brought,
              clocks->at_fence + (size_t)clock_of(warp) * clocks->count);
}

void sim_clocks_cluster_open(struct cluster *cluster)
{
    struct warp_clocks *const clocks = cluster->members[0]->checks->clocks;
    for (unsigned rank = 0; rank < cluster->size; rank++)
        bring_ended(clocks, &cluster->members[rank]->block, clocks->cluster_brought);
    memcpy(clocks->cluster_released, clocks->cluster_brought, sizeof clocks->cluster_released);
    memset(clocks->cluster_brought, 0, sizeof clocks->cluster_brought);
}

/* All blocks have begun, whether or not they have released anything: time 1 is before all accesses.
 */
void sim_clocks_cluster_wait(struct warp *warp)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    uint32_t *const known = known_by(clocks, clock_of(warp));
    sim_clocks_learn(warp, clocks->cluster_released);
    for (unsigned i = 0; i < clocks->count; i++)
        known[i] = known[i] > 0 ? known[i] : 1;
}

/* Whether a warp comes after anything that the block of a rank has done. */
static bool has_begun(struct warp_clocks *clocks, unsigned clock, unsigned rank)
{
    const uint32_t *const known = known_by(clocks, clock) + (size_t)rank * BLOCK_CLOCKS;
    for (unsigned i = 0; i < BLOCK_CLOCKS; i++)
        if (known[i] > 0)
            return true;
    return false;
}

void sim_clocks_touch(struct warp *warp, const struct instruction *at, int lane,
                      const struct worker *owner)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const bool is_other = owner != warp->worker;
    if ((!is_other && !is_copy(clocks->engine)) || !clocks->time)
        return;
    if (is_other && !has_begun(clocks, self(warp), owner->rank) && sim_checks_for(SIM_CHECK_RACE))
        sim_fault(warp, at, lane, SIM_RACE, 0,
                  "this access to the shared memory of the block with rank %u comes in any order "
                  "with the begin of that block, which may not have begun: a barrier of the "
                  "cluster (cluster.sync()) belongs before the first access to another block's "
                  "shared memory, and after what that block writes there",
                  owner->rank);
    clocks->touches[owner->rank * clocks->count + self(warp)] =
        (struct touch){warp, warp->function, at, clocks->time, lane};
}

void sim_clocks_block_ends(struct worker *worker)
{
    struct warp_clocks *const clocks = worker->checks->clocks;
    const struct touch *const touches = clocks->touches + worker->rank * clocks->count;
    for (unsigned clock = 0; clock < clocks->count && clocks->time; clock++) {
        const struct touch *const touch = &touches[clock];
        uint32_t known = 0;
        for (unsigned i = 0; i < worker->block.warp_count; i++) {
            const uint32_t one = known_by(clocks, clock_of(&worker->block.warps[i]))[clock];
            known = known > one ? known : one;
        }
        if (!touch->warp || touch->time < known || !sim_checks_for(SIM_CHECK_RACE))
            continue;
        touch->warp->function = touch->function;
        if (touch->warp->worker == worker)
            sim_fault(touch->warp, touch->at, touch->lane, SIM_RACE, 0,
                      "this bulk copy goes on in shared memory while its block ends, and shared "
                      "memory ends with its block: before the kernel ends, there must be a wait "
                      "for the phase of its barrier (mbarrier.try_wait) or for its group "
                      "(cp.async.bulk.wait_group)");
        sim_fault(touch->warp, touch->at, touch->lane, SIM_RACE, 0,
                  "this access to the shared memory of the block with rank %u and the end of that "
                  "block come in any order, and shared memory ends with its block: a barrier of "
                  "the cluster (cluster.sync()) belongs between the last access to another "
                  "block's shared memory and the end of the kernel",
                  worker->rank);
    }
}

/* ---- Bulk copies and wgmma ---- */

/* The clock of the wgmma of a warp's group. */
static unsigned products_of(const struct warp *warp)
{
    return warp->worker->rank * BLOCK_CLOCKS + CLOCK_PRODUCTS + warp->index / GROUP_WARPS;
}

void sim_clocks_begin_copy(struct warp *warp, bool reads_all, uint64_t barrier)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const unsigned w = clock_of(warp);
    clocks->engine = barrier ? CLOCK_COPIES + (unsigned)(barrier / 8 % COPY_CLOCKS) : CLOCK_GROUPS;
    clocks->reads_all = reads_all;
    tick(clocks);
    memcpy(known_by(clocks, self(warp)), known_by(clocks, w), clocks->count * sizeof(uint32_t));
    known_by(clocks, self(warp))[w] = clocks->time;
}

void sim_clocks_end_copy(struct warp *warp, uint32_t *brought)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    tick(clocks);
    if (brought) {
        learn(clocks, brought, known_by(clocks, self(warp)));
        brought[self(warp)] = clocks->time;
    } else {
        clocks->copies[clock_of(warp)].last = clocks->time;
    }
    clocks->engine = 0;
}

/* The clock of the first warp of a warp's group. */
static unsigned first_of_group(const struct warp *warp)
{
    return clock_of(warp) - warp->index % GROUP_WARPS;
}

/* The products may begin when any of the four warps comes, so they come after what all four know.
 */
void sim_clocks_begin_products(struct warp *warp)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const unsigned first = first_of_group(warp);
    uint32_t *const known = known_by(clocks, products_of(warp));
    tick(clocks);
    for (unsigned by = 0; by < clocks->count; by++) {
        known[by] = clocks->time;
        for (unsigned w = first; w < first + GROUP_WARPS; w++)
            if (w != by && known_by(clocks, w)[by] < known[by])
                known[by] = known_by(clocks, w)[by];
    }
    clocks->engine = products_of(warp) % BLOCK_CLOCKS;
    clocks->reads_all = false;
}

void sim_clocks_end_products(struct warp *warp)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const unsigned first = first_of_group(warp);
    tick(clocks);
    clocks->engine = 0;
    for (unsigned w = first; w < first + GROUP_WARPS; w++)
        clocks->products[w].last = clocks->time;
}

static void commit(struct groups *groups)
{
    groups->done[groups->count++ % MOST_GROUPS] = groups->last;
}

static void wait(const struct groups *groups, unsigned latest, uint32_t *known)
{
    if (groups->count <= latest || latest >= MOST_GROUPS)
        return;
    const uint32_t done = groups->done[(groups->count - 1 - latest) % MOST_GROUPS];
    *known = *known > done ? *known : done;
}

void sim_clocks_commit_copies(struct warp *warp)
{
    commit(&clocks_of(warp)->copies[clock_of(warp)]);
}

void sim_clocks_wait_copies(struct warp *warp, unsigned latest, bool reads_only)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const unsigned w = clock_of(warp);
    uint32_t *const known = known_by(clocks, w) + warp->worker->rank * BLOCK_CLOCKS;
    wait(&clocks->copies[w], latest, &known[CLOCK_GROUPS]);
    if (!reads_only)
        wait(&clocks->copies[w], latest, &known[CLOCK_WRITTEN]);
}

void sim_clocks_commit_products(struct warp *warp)
{
    commit(&clocks_of(warp)->products[clock_of(warp)]);
}

void sim_clocks_wait_products(struct warp *warp, unsigned latest)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const unsigned w = clock_of(warp);
    wait(&clocks->products[w], latest, &known_by(clocks, w)[products_of(warp)]);
}

void sim_clocks_proxy_fence(struct warp *warp, bool is_shared, bool is_global)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    tick(clocks);
    if (is_global)
        clocks->fenced[0][clock_of(warp)] = clocks->time;
    if (is_shared)
        clocks->fenced[1][clock_of(warp)] = clocks->time;
}

/* Copies are in no order among each other; all accesses of one copy have one time. */
static bool is_ordered(struct warp_clocks *clocks, uint32_t access, unsigned by, unsigned clock)
{
    const uint32_t time = access >> PLACE_BITS;
    return access == 0 || time < known_by(clocks, clock)[by] ||
           (by == clock && (!is_copy(clock) || time == clocks->time));
}

/* ---- Cells ---- */

/* The worker of the block whose shared memory it is; NULL: it is global memory. */
static struct worker *owner_of(const struct warp *warp, const char *storage)
{
    const struct worker *const own = warp->worker;
    const size_t bytes = own->launch->shared_bytes;
    struct worker *const leader = sim_leader(warp->worker);
    if (storage >= own->block.shared && storage < own->block.shared + bytes)
        return warp->worker;
    for (unsigned rank = 0; rank < sim_member_count(leader); rank++) {
        struct worker *const member = sim_member(leader, rank);
        if (storage >= member->block.shared && storage < member->block.shared + bytes)
            return member;
    }
    return NULL;
}

static unsigned unit_bytes(const struct warp *warp, const char *storage)
{
    return owner_of(warp, storage) ? 1u << clocks_of(warp)->shift : 4;
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
    struct warp_clocks *const clocks = clocks_of(warp);
    if (!clocks->time)
        return NULL;
    const struct worker *const owner = owner_of(warp, storage);
    struct cell *const cell =
        owner ? &clocks->shared[owner->rank * clocks->units +
                                ((size_t)(storage - owner->block.shared) >> clocks->shift)]
              : global_cell(clocks, storage);
    if (cell && cell->block != clocks->block) {
        cell->storage = storage;
        cell->block = clocks->block;
        cell->writer = cell->count = 0;
    }
    return cell;
}

/* Notes a read or an atomic operation. Those of the same kind that come before it need not be
 * kept: what comes after this one comes after them. */
static void note_use(struct warp_clocks *clocks, struct cell *cell, struct use use, unsigned me)
{
    unsigned count = 0;
    for (unsigned i = 0; i < cell->count; i++) {
        const struct use old = cell->uses[i];
        if (old.is_atomic != use.is_atomic ||
            (old.clock != use.clock && !is_ordered(clocks, old.access, old.clock, me)))
            cell->uses[count++] = old;
    }
    if (count == cell->capacity) {
        const unsigned capacity = count ? 2 * count : 2;
        struct use *const grown = realloc(cell->uses, capacity * sizeof *grown);
        if (!grown) { /* memory has run out: the use is not checked */
            cell->count = count;
            return;
        }
        cell->uses = grown;
        cell->capacity = capacity;
    }
    cell->uses[count] = use;
    cell->count = count + 1;
}

static uint32_t access_now(const struct warp_clocks *clocks, const struct instruction *at)
{
    return clocks->time << PLACE_BITS | (at->cache < MOST_PLACES ? at->cache : MOST_PLACES);
}

/* ---- What is said ---- */

static void name_actor(const struct warp_clocks *clocks, unsigned clock, char *text, size_t size)
{
    const unsigned index = clock % BLOCK_CLOCKS, rank = clock / BLOCK_CLOCKS;
    const unsigned first = (index - CLOCK_PRODUCTS) * GROUP_WARPS;
    char of[40] = "";
    if (clocks->blocks > 1)
        snprintf(of, sizeof of, " of the block with rank %u", rank);
    if (is_copy(clock))
        snprintf(text, size, "a bulk copy%s", of);
    else if (index >= CLOCK_PRODUCTS)
        snprintf(text, size, "a wgmma of warps %u to %u%s", first, first + GROUP_WARPS - 1, of);
    else
        snprintf(text, size, "warp %u%s", index, of);
}

/* Names a place in memory, and gives its address. */
static uint64_t name_storage(const struct warp *warp, const struct instruction *at,
                             const char *storage, char *text, size_t size)
{
    const struct worker *const owner = owner_of(warp, storage);
    const unsigned bytes = sim_element_bytes(sim_source(warp, at));
    if (!owner) {
        sim_name_global(global_address(warp, at, storage), 4, text, size);
        return global_address(warp, at, storage);
    }
    uint64_t offset = (uint64_t)(storage - owner->block.shared);
    if (owner != warp->worker)
        offset |= (uint64_t)(owner->rank + 1) << CLUSTER_SHIFT;
    sim_name_shared(warp, offset, bytes, text, size);
    return SHARED_WINDOW + offset;
}

static void report(struct warp *warp, const struct instruction *at,
                   const struct unordered *unordered, const char *verb)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    char what[360], place[560], one[60], other[60], advice[480];
    const uint64_t address = name_storage(warp, at, unordered->storage, what, sizeof what);
    const char *const earlier = use_names[unordered->use];
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_place(warp->worker->launch->program, unordered->access & MOST_PLACES, place,
                   sizeof place);
    const bool has_heard =
        of_warp(warp, clocks->heard)[unordered->clock] > unordered->access >> PLACE_BITS;
    name_actor(clocks, self(warp), one, sizeof one);
    name_actor(clocks, unordered->clock, other, sizeof other);
    if (unordered->clock % BLOCK_CLOCKS >= CLOCK_PRODUCTS)
        snprintf(advice, sizeof advice,
                 "wgmma goes on while its warps do: what it reads may be written when "
                 "wgmma.commit_group and a wgmma.wait_group that covers it have come after it, and "
                 "a barrier after the wait has told the one who writes");
    else if (unordered->clock % BLOCK_CLOCKS == CLOCK_WRITTEN)
        snprintf(advice, sizeof advice,
                 "a copy goes on while its thread does: what it brings may be used after a wait "
                 "for its group by the thread that has copied (cp.async.bulk.wait_group without "
                 ".read, which waits only until the source has been read), and a barrier after it");
    else if (is_copy(self(warp)) || is_copy(unordered->clock))
        snprintf(advice, sizeof advice,
                 "a copy goes on while its thread does: what it brings may be used, and what it "
                 "reads may be written, after a wait for the phase of its barrier "
                 "(mbarrier.try_wait) or for its group (cp.async.bulk.wait_group)%s%s",
                 is_copy(unordered->clock) && is_copy(self(warp)) && strcmp(verb, "write") == 0 &&
                         strcmp(earlier, "write") == 0
                     ? "; or are the two to go to different places, such as a stage each?"
                     : "",
                 is_copy(unordered->clock) && strcmp(earlier, "write") == 0
                     ? "; a phase whose expect_tx was told of fewer bytes than all its copies "
                       "bring ends before they are there"
                     : "");
    else if (self(warp) / BLOCK_CLOCKS != unordered->clock / BLOCK_CLOCKS)
        snprintf(advice, sizeof advice,
                 "a barrier of the cluster (cluster.sync()) belongs between the two, since "
                 "__syncthreads() is for the threads of one block");
    else if (warp->block->mbarrier_count > 0)
        snprintf(advice, sizeof advice,
                 "before this %s, %s must wait for the phase of a barrier (mbarrier.try_wait, "
                 "__syncthreads()) at which %s arrives after its %s",
                 verb, one, other, earlier);
    else if (clocks->blocks > 1)
        snprintf(advice, sizeof advice, "a __syncthreads() or cluster.sync() is missing between");
    else if (clocks->has_looked)
        snprintf(advice, sizeof advice,
                 has_heard ? "%s has read a flag that tells of it; another __threadfence_block() "
                             "is missing, one after the look at it"
                           : "before this %s %s must wait for a flag that %s sets after its %s (a "
                             "__threadfence_block() must stand before the flag is set, and another "
                             "one after the look at it), or a __syncthreads() is missing",
                 has_heard ? one : verb, one, other, earlier);
    else
        snprintf(advice, sizeof advice,
                 "bar.arrive counts and goes on without waiting, and a barrier with a number of "
                 "threads orders only those who come to it: before this %s %s must wait "
                 "(bar.sync, __syncthreads()) at a barrier to which %s comes after its %s",
                 verb, one, other, earlier);
    sim_fault(warp, at, unordered->lane, SIM_RACE, address,
              "race on %s: this %s by %s and the %s at %s by %s come in any order: %s "
              "makes %s wait for what %s did there; %s",
              what, verb, one, earlier, place, other, clocks->has_looked ? "nothing" : "no barrier",
              one, other, advice);
}

/* The copy engine and wgmma need not see what ordinary stores have written. */
static void report_no_fence(struct warp *warp, const struct instruction *at, int lane,
                            const char *storage, const struct cell *cell)
{
    char what[360], place[560], writer[60];
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    const uint64_t address = name_storage(warp, at, storage, what, sizeof what);
    sim_name_place(warp->worker->launch->program, cell->writer & MOST_PLACES, place, sizeof place);
    name_actor(clocks_of(warp), cell->writer_clock, writer, sizeof writer);
    const bool is_by_copy = is_copy(self(warp));
    sim_fault(warp, at, lane, SIM_RACE, address,
              "race on %s: this %s reads what the write at %s by %s has put there, and no "
              "fence.proxy.async by that warp%s is between the two; each thread that writes must "
              "execute the fence after its writes, before the barrier that lets the %s start",
              what, is_by_copy ? "bulk copy" : "wgmma", place, writer,
              owner_of(warp, storage) ? "" : " for global memory (with .global, or no state space)",
              is_by_copy ? "copy" : "wgmma");
}

/* ---- Accesses ---- */

/* The first access of a unit that is not ordered before an access of this kind now. */
static struct unordered find_unordered(const struct warp *warp, const struct cell *cell,
                                       bool is_shared, enum cell_use now)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const unsigned me = self(warp);
    const uint32_t from = (is_shared ? 0 : clocks->global_order) << PLACE_BITS;
    if (cell->writer >= from && !is_ordered(clocks, cell->writer, cell->writer_clock, me))
        return (struct unordered){
            .access = cell->writer, .clock = cell->writer_clock, .use = USE_WRITE};
    for (unsigned i = 0; i < cell->count; i++) {
        const struct use use = cell->uses[i];
        if ((now == USE_WRITE || use.is_atomic != (now == USE_ATOMIC)) && use.access >= from &&
            !is_ordered(clocks, use.access, use.clock, me))
            return (struct unordered){.access = use.access,
                                      .clock = use.clock,
                                      .use = use.is_atomic ? USE_ATOMIC : USE_READ};
    }
    return (struct unordered){.access = 0};
}

/* A read or an atomic access of a lane. */
static void use_lane(struct warp *warp, const struct instruction *at, int lane, const char *storage,
                     unsigned bytes, enum cell_use now)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const struct worker *const owner = owner_of(warp, storage);
    const unsigned unit = unit_bytes(warp, storage);
    if (owner)
        sim_clocks_touch(warp, at, lane, owner);
    for (const char *word = storage; word < storage + bytes; word += unit) {
        struct cell *const cell = cell_of(warp, word);
        if (!cell)
            return;
        struct unordered unordered = find_unordered(warp, cell, owner != NULL, now);
        unordered.storage = word;
        unordered.lane = lane;
        if (unordered.access)
            report(warp, at, &unordered, use_names[now]);
        if (clocks->engine && !clocks->reads_all && cell->writer &&
            cell->writer_clock % BLOCK_CLOCKS < CLOCK_COPIES &&
            cell->writer >> PLACE_BITS >= clocks->fenced[owner != NULL][cell->writer_clock])
            report_no_fence(warp, at, lane, word, cell);
        note_use(clocks, cell,
                 (struct use){access_now(clocks, at),
                              (uint16_t)(now == USE_ATOMIC ? writer_of(warp) : self(warp)),
                              now == USE_ATOMIC},
                 self(warp));
    }
}

static void store_lane(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, unsigned bytes)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const struct worker *const owner = owner_of(warp, storage);
    const unsigned unit = unit_bytes(warp, storage);
    if (owner)
        sim_clocks_touch(warp, at, lane, owner);
    for (const char *word = storage; word < storage + bytes; word += unit) {
        struct cell *const cell = cell_of(warp, word);
        if (!cell || clocks->write_count == MOST_WRITES)
            return;
        struct write *const write = &clocks->writes[clocks->write_count++];
        *write = (struct write){.unordered = find_unordered(warp, cell, owner != NULL, USE_WRITE),
                                .cell = cell};
        write->unordered.storage = word;
        write->unordered.lane = lane;
        memcpy(&write->old, word, unit);
    }
}

/* In global memory, a write that leaves the value as it was does not count. */
void sim_clocks_stored(struct warp *warp, const struct instruction *at)
{
    struct warp_clocks *const clocks = clocks_of(warp);
    const int count = clocks->write_count;
    clocks->write_count = 0;
    for (int i = 0; i < count; i++) {
        const struct write *const write = &clocks->writes[i];
        const char *const storage = write->unordered.storage;
        const bool has_changed = memcmp(storage, &write->old, unit_bytes(warp, storage)) != 0;
        if (has_changed && write->unordered.access)
            report(warp, at, &write->unordered, "write");
        if (!has_changed && !owner_of(warp, storage))
            continue;
        write->cell->writer = access_now(clocks, at);
        write->cell->writer_clock = writer_of(warp);
        write->cell->count = 0;
    }
}

void sim_clocks_atomic(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, unsigned bytes)
{
    use_lane(warp, at, lane, storage, bytes, USE_ATOMIC);
}

void sim_clocks_load(struct warp *warp, const struct instruction *at, const struct places *places,
                     unsigned bytes)
{
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    use_lane(warp, at, (int)lane, place_of(places, lane, bytes), bytes, USE_READ);
}

void sim_clocks_store(struct warp *warp, const struct instruction *at, const struct places *places,
                      unsigned bytes)
{
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    store_lane(warp, at, (int)lane, place_of(places, lane, bytes), bytes);
}
