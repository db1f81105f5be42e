/* What the flags and counters that a block has read tell it of other blocks.
 *
 * That a release came before an acquire in this run is not enough: the block must have read a word
 * that the releasing block set, or that others set who had learned of it. So each word that is set
 * keeps its last values, and with each of them a clock: for each block, the last stretch that
 * whoever reads the value comes after. Where a read goes into one comparison, any earlier value
 * with the same answer might have been read, and only what that value tells is learned.
 *
 * Within a block all warps learn what one learns; order_blocks.c asks for barriers and fences. */
#include "order.h"

#include "global_tags.h"

#include "sim/decoding/flags.h"
#include "sim/memory/warning.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BLOCKS = 2048,
    MOST_FLAGS = 4096,
    SLOTS = 2 * MOST_FLAGS,
    VALUES = 64, /* that a word keeps */
    MOST_CLOCK_BYTES = 64 << 20,
    MOST_READS = WARP_LANES * 4
};

/* A value that a word had, and what it is more than the one before: a sum, bits. */
struct flag_value {
    uint32_t value, more;
    enum sim_flag_change change;
    bool is_known;           /* not while it is being stored, nor where it is wider than a word */
    uint32_t block, stretch; /* who set it, and what it has published of itself */
    uint32_t *clock;         /* by block; NULL: it tells nothing */
    uint32_t *own;           /* what it tells without those before it; behind `clock` */
};

struct flag {
    const char *storage;
    uint32_t count; /* of all its values; the last VALUES are kept */
    struct flag_value values[VALUES];
};

/* A word that the current instruction reads. */
struct flag_read {
    const char *storage;
    unsigned lane;
    int64_t number; /* of the value that it has read; -1: to be found by the value */
    bool is_whole;  /* 32 bits, whose value is in the register */
};

/* What the block of a worker knows. */
struct block_flags {
    uint32_t blocks;        /* that the clocks have room for */
    bool knows, has_fenced; /* something; before the last fence */
    /* Clocks: now; at the last fence or release; at the last fence or acquire, by which alone what
     * it knows orders what follows. */
    uint32_t *known, *fenced, *acquired;
    uint32_t seen[MOST_FLAGS]; /* how many values of each flag cannot be read any more */
    struct flag_read reads[MOST_READS];
    int read_count;
};

/* Of the launch that has tags. The lock is held while an atomic operation is made. */
static struct {
    pthread_mutex_t lock;
    _Atomic bool is_off; /* something is not followed, so that every release counts */
    uint32_t blocks;
    _Atomic int count;
    size_t clock_bytes;
    uint16_t slots[SLOTS]; /* 1 + number of a flag */
    struct flag *flags[MOST_FLAGS];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .is_off = true};

void sim_flags_begin(uint64_t blocks)
{
    state.blocks = (uint32_t)blocks;
    atomic_store(&state.is_off, blocks > MOST_BLOCKS);
}

void sim_flags_end(void)
{
    for (int i = 0; i < state.count; i++) {
        struct flag *const flag = state.flags[i];
        for (uint32_t j = 0; j < VALUES && j < flag->count; j++)
            free(flag->values[j].clock);
        free(flag);
    }
    if (state.count > 0)
        memset(state.slots, 0, sizeof state.slots);
    atomic_store(&state.count, 0);
    state.clock_bytes = 0;
    atomic_store(&state.is_off, true);
}

/* NULL: nothing is followed. */
static struct block_flags *flags_of(const struct worker *worker)
{
    struct global_checks *const checks = &worker->checks->global;
    if (atomic_load_explicit(&state.is_off, memory_order_relaxed) || !worker->launch->global)
        return NULL;
    if (checks->flags && checks->flags->blocks < state.blocks) { /* of a smaller grid */
        free(checks->flags);
        checks->flags = NULL;
    }
    if (!checks->flags) {
        checks->flags = calloc(1, sizeof *checks->flags + 3 * sizeof(uint32_t) * state.blocks);
        if (!checks->flags) {
            atomic_store(&state.is_off, true);
            return NULL;
        }
        checks->flags->blocks = state.blocks;
        checks->flags->known = (uint32_t *)(checks->flags + 1);
        checks->flags->fenced = checks->flags->known + state.blocks;
        checks->flags->acquired = checks->flags->fenced + state.blocks;
    }
    return checks->flags;
}

/* Without any fence nothing is released. */
static bool may_tell(const struct warp *warp)
{
    const struct global_launch *const global = warp->worker->launch->global;
    return global && atomic_load(&global->has_releases);
}

void sim_flags_start_block(struct worker *worker)
{
    struct block_flags *const own = worker->checks->global.flags;
    if (!own)
        return;
    if (own->knows)
        memset(own->known, 0, 3 * sizeof(uint32_t) * own->blocks);
    own->knows = own->has_fenced = false;
    own->read_count = 0;
    memset(own->seen, 0, sizeof own->seen);
}

void sim_flags_fence(struct warp *warp)
{
    struct block_flags *const own = flags_of(warp->worker);
    if (!own || !own->knows)
        return;
    memcpy(own->fenced, own->known, own->blocks * sizeof *own->known);
    own->has_fenced = true;
}

void sim_flags_acquire(struct warp *warp)
{
    struct block_flags *const own = flags_of(warp->worker);
    if (own && own->knows)
        memcpy(own->acquired, own->known, own->blocks * sizeof *own->known);
}

/* ---- The words; the lock is held ---- */

static int find(const char *storage, bool makes)
{
    size_t slot = (uintptr_t)storage / 4 * 2654435761u % SLOTS;
    for (; state.slots[slot]; slot = (slot + 1) % SLOTS)
        if (state.flags[state.slots[slot] - 1]->storage == storage)
            return state.slots[slot] - 1;
    if (!makes)
        return -1;
    struct flag *const flag = state.count < MOST_FLAGS ? calloc(1, sizeof *flag) : NULL;
    if (!flag) {
        atomic_store(&state.is_off, true);
        return -1;
    }
    flag->storage = storage;
    state.flags[state.count] = flag;
    state.slots[slot] = (uint16_t)(state.count + 1);
    return state.count++;
}

static void join(uint32_t *to, const uint32_t *from)
{
    for (uint32_t i = 0; from && i < state.blocks; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

static struct flag_value *value_of(struct flag *flag, uint32_t number)
{
    return &flag->values[number % VALUES];
}

/* What a word was before the first value that is followed. By this nobody learns anything, and who
 * waits for what it meets already, such as a mark that the work has begun, learns as little. Ones
 * alone may be what nothing has written, which is said where it is read. */
static void note_before(struct flag *flag, uint32_t value, bool is_known)
{
    if (flag->count == 0)
        flag->values[flag->count++] =
            (struct flag_value){.value = value, .is_known = is_known && value != UINT32_MAX};
}

/* The place for one more value, with a clock if it or the one before it, where it goes on from
 * that, tells something. */
static struct flag_value *push(const struct worker *worker, const struct block_flags *own,
                               struct flag *flag, bool goes_on)
{
    const uint32_t me = (uint32_t)worker->block_number, stretch = sim_global_fenced(worker);
    const uint32_t *const before =
        goes_on && flag->count > 0 ? value_of(flag, flag->count - 1)->clock : NULL;
    struct flag_value *const next = value_of(flag, flag->count);
    uint32_t *clock = flag->count >= VALUES ? next->clock : NULL;
    if (!clock && (before || stretch || own->has_fenced)) {
        state.clock_bytes += 2 * state.blocks * sizeof *clock;
        clock =
            state.clock_bytes > MOST_CLOCK_BYTES ? NULL : malloc(2 * state.blocks * sizeof *clock);
        if (!clock) {
            atomic_store(&state.is_off, true);
            return NULL;
        }
    }
    if (clock) {
        uint32_t *const alone = clock + state.blocks;
        memset(alone, 0, state.blocks * sizeof *alone);
        join(alone, own->has_fenced ? own->fenced : NULL);
        alone[me] = alone[me] > stretch ? alone[me] : stretch;
        memcpy(clock, alone, state.blocks * sizeof *clock);
        join(clock, before);
    }
    *next = (struct flag_value){.block = me,
                                .stretch = stretch,
                                .clock = clock,
                                .own = clock ? clock + state.blocks : NULL};
    flag->count++;
    return next;
}

/* ---- Setting ---- */

static bool has_news(const struct worker *worker, const struct block_flags *own)
{
    return own->has_fenced || sim_global_fenced(worker) > 0;
}

void sim_flags_store(struct warp *warp, const char *storage, const uint32_t *value)
{
    struct block_flags *const own = may_tell(warp) ? flags_of(warp->worker) : NULL;
    if (!own)
        return;
    pthread_mutex_lock(&state.lock);
    const int number = find(storage, has_news(warp->worker, own));
    uint32_t before;
    memcpy(&before, storage, sizeof before);
    if (number >= 0)
        note_before(state.flags[number], before, true);
    struct flag_value *const next =
        number < 0 ? NULL : push(warp->worker, own, state.flags[number], false);
    if (next && value) {
        next->value = *value;
        next->is_known = true;
    }
    if (next)
        own->seen[number] = state.flags[number]->count - 1;
    pthread_mutex_unlock(&state.lock);
}

bool sim_flags_before_atomic(struct warp *warp)
{
    if (!may_tell(warp) || !flags_of(warp->worker))
        return false;
    pthread_mutex_lock(&state.lock);
    return true;
}

void sim_flags_after_atomic(struct warp *warp, int lane, const char *storage, unsigned bytes,
                            uint32_t old, enum sim_flag_change change, bool looks)
{
    const bool changed = change != SIM_FLAG_STAYS;
    struct block_flags *const own = warp->worker->checks->global.flags;
    for (unsigned i = 0; i < bytes / 4; i++, storage += 4) {
        const int number = find(storage, changed && has_news(warp->worker, own));
        struct flag *const flag = number < 0 ? NULL : state.flags[number];
        if (!flag)
            continue;
        if (looks && flag->count > 0 && own->read_count < MOST_READS)
            own->reads[own->read_count++] =
                (struct flag_read){storage, (unsigned)lane, flag->count - 1, bytes == 4};
        if (changed)
            note_before(flag, old, bytes == 4);
        struct flag_value *const next = changed ? push(warp->worker, own, flag, true) : NULL;
        if (next) {
            memcpy(&next->value, storage, sizeof next->value);
            next->is_known = true;
            next->change = bytes == 4 ? change : SIM_FLAG_SET;
            next->more = change == SIM_FLAG_OR ? next->value & ~old : next->value - old;
        }
    }
    pthread_mutex_unlock(&state.lock);
}

/* ---- Reading ---- */

void sim_flags_load(struct warp *warp, int lane, const char *storage, unsigned bytes)
{
    struct block_flags *const own = atomic_load(&state.count) ? flags_of(warp->worker) : NULL;
    for (unsigned i = 0; own && i < bytes / 4; i++)
        if (own->read_count < MOST_READS)
            own->reads[own->read_count++] =
                (struct flag_read){storage + 4 * i, (unsigned)lane, -1, bytes == 4};
}

/* The number of the last value that is the one that was read; without a match the first that is
 * kept, or -1 if that is the first of all: the word had the value before. */
static int64_t match(struct flag *flag, const struct block_flags *own, int number, uint32_t value)
{
    const int64_t last = (int64_t)flag->count - 1;
    const int64_t first = last >= VALUES ? last - VALUES + 1 : 0;
    for (int64_t i = last; i >= first && i >= own->seen[number]; i--)
        if (!value_of(flag, (uint32_t)i)->is_known || value_of(flag, (uint32_t)i)->value == value)
            return i;
    return first == 0 && own->seen[number] == 0 ? -1
           : first > own->seen[number]          ? first
                                                : own->seen[number];
}

/* Goes back from the value that was read to the first of those with the same answer. The block
 * cannot have read a value before one that it knows to have been set. */
static int64_t first_alike(const struct warp *warp, const struct sim_flag_test *test,
                           struct flag *flag, const struct block_flags *own,
                           const struct flag_read *read, int number, int64_t from)
{
    const int64_t last = (int64_t)flag->count - 1, floor = own->seen[number];
    const int64_t first = last >= VALUES ? last - VALUES + 1 : 0;
    const struct flag_value *at = value_of(flag, (uint32_t)from);
    if (!at->is_known)
        return from;
    const bool answer = sim_flag_answer(test, warp, read->lane, at->value);
    while (from > first && from > floor) {
        if (at->block == warp->worker->block_number || own->known[at->block] >= at->stretch)
            break;
        const struct flag_value *const before = value_of(flag, (uint32_t)from - 1);
        if (!before->is_known || sim_flag_answer(test, warp, read->lane, before->value) != answer)
            break;
        at = before;
        from--;
    }
    return from;
}

/* Additions come in any order, and so do bits. Of these, up to the value that was read, learns from
 * each without which, and without those that come after it, the answer would be another one.
 * @return the number of the last value before them; -1: there is none. */
static int64_t learn_by_sum(const struct warp *warp, const struct sim_flag_test *test,
                            struct flag *flag, struct block_flags *own,
                            const struct flag_read *read, int64_t at)
{
    const enum sim_flag_change change = value_of(flag, (uint32_t)at)->change;
    const uint32_t value = value_of(flag, (uint32_t)at)->value;
    const int64_t oldest = (int64_t)flag->count > VALUES ? (int64_t)flag->count - VALUES : 0;
    const bool answer = sim_flag_answer(test, warp, read->lane, value);
    bool tells[VALUES];
    int64_t first = at;
    while (first > oldest && value_of(flag, (uint32_t)first - 1)->change == change)
        first--;
    for (int64_t i = first; i <= at; i++) {
        const struct flag_value *const one = value_of(flag, (uint32_t)i);
        uint32_t without = value;
        for (int64_t j = i; j <= at; j++) {
            const struct flag_value *const other = value_of(flag, (uint32_t)j);
            if (j == i || (other->own && other->own[one->block] >= one->stretch))
                without = change == SIM_FLAG_OR ? without & ~other->more : without - other->more;
        }
        tells[i - first] =
            one->own && (sim_flag_answer(test, warp, read->lane, without) != answer ||
                         one->block == warp->worker->block_number);
    }
    for (int64_t i = first; i <= at; i++)
        if (tells[i - first]) {
            join(own->known, value_of(flag, (uint32_t)i)->own);
            own->knows = true;
        }
    return first - 1;
}

static void learn(struct warp *warp, const struct sim_flag_test *test, struct block_flags *own,
                  const struct flag_read *read, const uint32_t *values)
{
    const int number = find(read->storage, false);
    struct flag *const flag = number < 0 ? NULL : state.flags[number];
    if (!flag || flag->count == 0)
        return;
    int64_t at = read->number >= 0          ? read->number
                 : read->is_whole && values ? match(flag, own, number, values[read->lane])
                                            : (int64_t)flag->count - 1;
    if (at < 0)
        return;
    if (at + VALUES < flag->count) /* others have gone on since */
        at = (int64_t)flag->count - VALUES;
    const bool is_asked = test && read->is_whole && warp->block->grid_waits == 0;
    const enum sim_flag_change change = value_of(flag, (uint32_t)at)->change;
    if (is_asked && (change == SIM_FLAG_ADD || change == SIM_FLAG_OR)) {
        at = learn_by_sum(warp, test, flag, own, read, at);
        if (at < 0)
            return;
        if (at + VALUES < flag->count) /* dropped: all that is before it counts */
            at++;
    } else if (is_asked)
        at = first_alike(warp, test, flag, own, read, number, at);
    own->seen[number] = at > own->seen[number] ? (uint32_t)at : own->seen[number];
    if (value_of(flag, (uint32_t)at)->clock) {
        join(own->known, value_of(flag, (uint32_t)at)->clock);
        own->knows = true;
    }
}

void sim_flags_learn(struct warp *warp, const struct sim_flag_test *test, const uint32_t *values)
{
    struct block_flags *const own = warp->worker->checks->global.flags;
    if (!own || own->read_count == 0)
        return;
    pthread_mutex_lock(&state.lock);
    for (int i = 0; i < own->read_count; i++)
        learn(warp, test, own, &own->reads[i], values);
    pthread_mutex_unlock(&state.lock);
    own->read_count = 0;
}

void sim_flags_pass_over(struct warp *warp)
{
    struct block_flags *const own = warp->worker->checks->global.flags;
    if (own)
        own->read_count = 0;
}

bool sim_flags_tell(const struct warp *warp, uint64_t earlier)
{
    const struct block_flags *const own = flags_of(warp->worker);
    const uint64_t block = global_block(earlier);
    if (!own || block == GLOBAL_SEVERAL_BLOCKS)
        return true;
    /* Where an atomic operation acquires, it does so before it is known what it told. */
    const uint32_t *const told = sim_only_warns() ? own->known : own->acquired;
    return told[block - 1] >= global_stretch(earlier);
}

bool sim_flags_told_unacquired(const struct warp *warp, uint64_t earlier)
{
    const struct block_flags *const own = flags_of(warp->worker);
    return own && !sim_flags_tell(warp, earlier) &&
           own->known[global_block(earlier) - 1] >= global_stretch(earlier);
}

void sim_flags_lose(void)
{
    atomic_store(&state.is_off, true);
}
