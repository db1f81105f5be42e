/* The replay: a small model of time, which only decides whose request comes first. Each warp makes
 * its requests in order, four at a time, and waits for them and at barriers. An SM issues at its
 * rate. Its L1 takes a cycle for a request and a cycle for each of the request's lines. Among the
 * warps that are ready, the warp of the oldest block goes first. The first blocks go to the SMs in
 * turn, a later block to the place of a block that ended. The replay depends only on the recorded
 * requests, not on clocks or threads. */
#include "cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    L1_WAYS = 16,
    RING = 1 << 13, /* cycles that the queue looks ahead */
    IN_FLIGHT = 4,  /* loads that a warp has on their way: nvcc unrolls loops by four */
    BACKLOG = 256   /* blocks that may wait for a replay that is slower than the simulator */
};
static const uint64_t MOST_BLOCKS = UINT64_C(1) << 24;
static const size_t MOST_BYTES = (size_t)3 << 30;

struct replayed_warp {
    const uint64_t *next, *end;
    double done; /* when everything it asked for has arrived */
    int in_flight;
    bool waits; /* at a barrier */
};

/* An entry of the queue: a warp, or an SM that becomes free for the warps that wait for it. */
struct event {
    double at;
    int link; /* the next event of the cycle; -1: none */
};

/* A place for a resident block. */
struct slot {
    struct trace_block *block;
    uint64_t number;
    unsigned live, arrived;
    uint32_t ready; /* warps that wait for the SM */
};

struct sm {
    struct cache l1;
    double free_at;
    bool is_awaited; /* the queue holds it */
};

struct replay {
    struct cache_machine machine;
    struct cache_counts counts;
    const struct trace_patterns *patterns;
    struct l2 *l2;
    struct sm *sms;
    struct slot *slots; /* slot i is on SM i % sm_count */
    struct replayed_warp *warps;
    struct event *events; /* of warps, then of SMs */
    int slot_count, warp_count;
    unsigned warps_per_block;
    int *free_slots; /* a queue */
    int free_first, free_count;
    int heads[RING], tails[RING];
    uint64_t cycle, queued;
    uint64_t block_count, next_block;
    struct trace_block *_Atomic *blocks; /* recorded but not started, by number */
    _Atomic uint64_t added, started;
    _Atomic size_t bytes;
    _Atomic bool has_failed;
    pthread_mutex_t running;
};

/* ---- The queue ---- */

static void enqueue(struct replay *replay, int event, double at)
{
    uint64_t cycle = (uint64_t)at + (at > (double)(uint64_t)at);
    replay->events[event].at = at;
    replay->events[event].link = -1;
    if (cycle < replay->cycle)
        cycle = replay->cycle;
    if (cycle >= replay->cycle + RING)
        cycle = replay->cycle + RING - 1; /* then it is queued again */
    int *const tail = &replay->tails[cycle % RING];
    if (*tail < 0)
        replay->heads[cycle % RING] = event;
    else
        replay->events[*tail].link = event;
    *tail = event;
    replay->queued++;
}

static int dequeue(struct replay *replay)
{
    for (;;) {
        int *const head = &replay->heads[replay->cycle % RING];
        const int event = *head;
        if (event < 0) {
            replay->cycle++;
            continue;
        }
        *head = replay->events[event].link;
        if (*head < 0)
            replay->tails[replay->cycle % RING] = -1;
        replay->queued--;
        if (replay->events[event].at <= (double)replay->cycle)
            return event;
        enqueue(replay, event, replay->events[event].at);
    }
}

/* ---- Requests ---- */

static double load_line(struct replay *replay, int sm, uint64_t line, unsigned sectors,
                        bool past_l1, double now)
{
    const double latency = now + replay->machine.l1_latency;
    unsigned evicted;
    if (past_l1)
        return sim_l2_read(replay->l2, sm, line, sectors, now);
    struct cache_line *const there = sim_cache_place(&replay->sms[sm].l1, line, &evicted);
    const unsigned missing = sectors & ~there->valid;
    const unsigned hits = (unsigned)__builtin_popcount(sectors & there->valid);
    replay->counts.l1_hits += hits;
    replay->counts.l1_under_way += there->ready > latency ? hits : 0;
    if (missing) {
        const double arrives = sim_l2_read(replay->l2, sm, line, missing, now);
        there->valid |= (uint8_t)missing;
        there->ready = arrives > there->ready ? arrives : there->ready;
    }
    return there->ready > latency ? there->ready : latency;
}

/* Stores go through to L2. A line that L1 holds counts as a hit, whichever sectors are valid. */
static double store_line(struct replay *replay, int sm, uint64_t line, unsigned sectors, double now)
{
    struct cache *const l1 = &replay->sms[sm].l1;
    unsigned evicted;
    if (sim_cache_find(l1, line))
        replay->counts.l1_hits += (unsigned)__builtin_popcount(sectors);
    else
        sim_cache_place(l1, line, &evicted);
    sim_l2_write(replay->l2, sm, line, sectors, now);
    return now;
}

/* @return when a line of a request is done */
static double line_done(struct replay *replay, int sm, enum trace_kind kind, uint64_t line,
                        unsigned sectors, double now)
{
    if (kind == TRACE_BULK_STORE) {
        sim_l2_write(replay->l2, sm, line, sectors, now);
        return now;
    }
    if (kind == TRACE_BULK)
        return sim_l2_read(replay->l2, sm, line, sectors, now);
    replay->counts.l1_sectors += (unsigned)__builtin_popcount(sectors);
    if (kind == TRACE_STORE)
        return store_line(replay, sm, line, sectors, now);
    if (kind == TRACE_ATOMIC)
        return sim_l2_atomic(replay->l2, sm, line, sectors, now);
    return load_line(replay, sm, line, sectors, kind == TRACE_LOAD_PAST_L1, now);
}

/* @return when the request is done */
static double request(struct replay *replay, int sm, uint64_t word, double now)
{
    const struct trace_pattern *const pattern = sim_trace_pattern(replay->patterns, word);
    const enum trace_kind kind = sim_trace_kind(word);
    double done = now;
    for (unsigned i = 0; i < pattern->count; i++) {
        const uint64_t line = sim_trace_first_line(word) + (uint64_t)pattern->lines[i].distance;
        const unsigned sectors = pattern->lines[i].sectors;
        const double one = line_done(replay, sm, kind, line, sectors, now + i);
        done = one > done ? one : done;
    }
    return done;
}

/* ---- Warps and blocks ---- */

static void start_block(struct replay *replay, int index, uint64_t number, double now)
{
    struct slot *const slot = &replay->slots[index];
    struct trace_block *const block = replay->blocks[number];
    replay->blocks[number] = NULL;
    atomic_fetch_add(&replay->started, 1);
    *slot = (struct slot){.block = block, .number = number, .live = block->warps};
    for (unsigned i = 0; i < block->warps; i++) {
        const int warp = index * (int)replay->warps_per_block + (int)i;
        replay->warps[warp] = (struct replayed_warp){.next = block->words + block->first[i],
                                                     .end = block->words + block->first[i + 1]};
        enqueue(replay, warp, now);
    }
}

static void open_barrier(struct replay *replay, int index, double now)
{
    struct slot *const slot = &replay->slots[index];
    if (slot->arrived == 0 || slot->arrived < slot->live)
        return;
    slot->arrived = 0;
    for (unsigned i = 0; i < slot->block->warps; i++) {
        const int warp = index * (int)replay->warps_per_block + (int)i;
        if (!replay->warps[warp].waits)
            continue;
        replay->warps[warp].waits = false;
        enqueue(replay, warp, now);
    }
}

static size_t size_of(const struct trace_block *block)
{
    return sizeof *block + block->first[block->warps] * sizeof block->words[0];
}

static void end_warp(struct replay *replay, int index, double now)
{
    struct slot *const slot = &replay->slots[index];
    if (--slot->live > 0) {
        open_barrier(replay, index, now);
        return;
    }
    atomic_fetch_sub(&replay->bytes, size_of(slot->block));
    free(slot->block);
    slot->block = NULL;
    replay->free_slots[(replay->free_first + replay->free_count++) % replay->slot_count] = index;
}

static double service(const struct replay *replay, int index, uint64_t word)
{
    const double issue = replay->slots[index].block->gap / replay->machine.issue_rate;
    const double lookups = 1.0 + sim_trace_pattern(replay->patterns, word)->count;
    return issue > lookups ? issue : lookups;
}

static void make_request(struct replay *replay, int warp, double now)
{
    struct replayed_warp *const mine = &replay->warps[warp];
    const int index = warp / (int)replay->warps_per_block;
    const int sm = index % replay->machine.sm_count;
    replay->sms[sm].free_at = now + service(replay, index, *mine->next);
    const double done = request(replay, sm, *mine->next++, now);
    mine->done = done > mine->done ? done : mine->done;
    if (++mine->in_flight < IN_FLIGHT && mine->next < mine->end &&
        sim_trace_kind(*mine->next) != TRACE_BARRIER) {
        enqueue(replay, warp, now);
        return;
    }
    enqueue(replay, warp, mine->done + mine->in_flight * replay->slots[index].block->gap);
    mine->in_flight = 0;
}

/* Chooses the first waiting warp of the oldest block of an SM; -1: none waits. */
static int choose(struct replay *replay, int sm)
{
    const int count = replay->machine.blocks_per_sm;
    struct slot *best = NULL;
    int best_index = -1;
    for (int i = 0; i < count; i++) {
        const int index = sm + i * replay->machine.sm_count;
        struct slot *const slot = &replay->slots[index];
        if (slot->ready && (!best || slot->number < best->number)) {
            best = slot;
            best_index = index;
        }
    }
    if (!best)
        return -1;
    const int warp = __builtin_ctz(best->ready);
    best->ready &= best->ready - 1;
    return best_index * (int)replay->warps_per_block + warp;
}

static void wait_for_sm(struct replay *replay, int sm)
{
    if (replay->sms[sm].is_awaited)
        return;
    replay->sms[sm].is_awaited = true;
    enqueue(replay, replay->warp_count + sm, replay->sms[sm].free_at);
}

static void run_sm(struct replay *replay, int sm, double now)
{
    replay->sms[sm].is_awaited = false;
    const int warp = choose(replay, sm);
    if (warp < 0)
        return;
    make_request(replay, warp, now);
    wait_for_sm(replay, sm);
}

static void run_warp(struct replay *replay, int warp, double now)
{
    struct replayed_warp *const mine = &replay->warps[warp];
    const int index = warp / (int)replay->warps_per_block;
    if (mine->next == mine->end) {
        end_warp(replay, index, now);
    } else if (sim_trace_kind(*mine->next) == TRACE_BARRIER) {
        mine->next++;
        mine->waits = true;
        replay->slots[index].arrived++;
        open_barrier(replay, index, now);
    } else {
        replay->slots[index].ready |= UINT32_C(1) << warp % (int)replay->warps_per_block;
        wait_for_sm(replay, index % replay->machine.sm_count);
    }
}

/* Replays until it needs a block that has not been recorded yet. */
static void run(struct replay *replay)
{
    while (!atomic_load(&replay->has_failed)) {
        while (replay->free_count > 0 && replay->next_block < replay->block_count) {
            if (!atomic_load(&replay->blocks[replay->next_block]))
                return;
            const int slot = replay->free_slots[replay->free_first];
            replay->free_first = (replay->free_first + 1) % replay->slot_count;
            replay->free_count--;
            start_block(replay, slot, replay->next_block++, (double)replay->cycle);
        }
        if (replay->queued == 0)
            return;
        const int event = dequeue(replay);
        if (event < replay->warp_count)
            run_warp(replay, event, (double)replay->cycle);
        else
            run_sm(replay, event - replay->warp_count, (double)replay->cycle);
    }
}

/* ---- From outside ---- */

static void free_replay(struct replay *replay)
{
    for (uint64_t i = replay->next_block; replay->blocks && i < replay->block_count; i++)
        free(replay->blocks[i]);
    for (int i = 0; replay->slots && i < replay->slot_count; i++)
        free(replay->slots[i].block);
    for (int i = 0; replay->sms && i < replay->machine.sm_count; i++)
        sim_cache_free(&replay->sms[i].l1);
    sim_l2_free(replay->l2);
    pthread_mutex_destroy(&replay->running);
    free(replay->sms);
    free(replay->slots);
    free(replay->warps);
    free(replay->events);
    free(replay->free_slots);
    free((void *)replay->blocks);
    free(replay);
}

static bool allocate(struct replay *replay)
{
    const struct cache_machine *const machine = &replay->machine;
    const size_t slots = (size_t)replay->slot_count;
    replay->sms = calloc((size_t)machine->sm_count, sizeof *replay->sms);
    replay->slots = calloc(slots, sizeof *replay->slots);
    replay->warps = calloc((size_t)replay->warp_count, sizeof *replay->warps);
    replay->events =
        calloc((size_t)(replay->warp_count + machine->sm_count), sizeof *replay->events);
    replay->free_slots = calloc(slots, sizeof *replay->free_slots);
    replay->blocks = calloc(replay->block_count, sizeof *replay->blocks);
    replay->l2 = sim_l2_create(machine, &replay->counts);
    bool good = replay->sms && replay->slots && replay->warps && replay->events &&
                replay->free_slots && replay->blocks && replay->l2;
    for (int i = 0; good && i < machine->sm_count; i++)
        good = sim_cache_create(&replay->sms[i].l1, machine->l1_bytes, L1_WAYS);
    return good;
}

struct replay *sim_replay_create(const struct cache_machine *machine, uint64_t block_count,
                                 unsigned warps, const struct trace_patterns *patterns)
{
    struct replay *const replay = block_count <= MOST_BLOCKS ? calloc(1, sizeof *replay) : NULL;
    if (!replay)
        return NULL;
    replay->machine = *machine;
    replay->patterns = patterns;
    replay->block_count = block_count;
    replay->warps_per_block = warps;
    replay->slot_count = machine->sm_count * machine->blocks_per_sm;
    replay->warp_count = replay->slot_count * (int)warps;
    pthread_mutex_init(&replay->running, NULL);
    if (!allocate(replay)) {
        free_replay(replay);
        return NULL;
    }
    for (int i = 0; i < RING; i++)
        replay->heads[i] = replay->tails[i] = -1;
    for (int i = 0; i < replay->slot_count; i++)
        replay->free_slots[i] = i;
    replay->free_count = replay->slot_count;
    return replay;
}

void sim_replay_add(struct replay *replay, uint64_t number, struct trace_block *block)
{
    if (!block || atomic_fetch_add(&replay->bytes, size_of(block)) > MOST_BYTES)
        atomic_store(&replay->has_failed, true);
    if (!block)
        return;
    atomic_store(&replay->blocks[number], block);
    const uint64_t added = atomic_fetch_add(&replay->added, 1) + 1;
    const uint64_t resident = (uint64_t)replay->slot_count + BACKLOG;
    if (added > atomic_load(&replay->started) + resident)
        pthread_mutex_lock(&replay->running);
    else if (pthread_mutex_trylock(&replay->running) != 0)
        return;
    run(replay);
    pthread_mutex_unlock(&replay->running);
}

bool sim_replay_finish(struct replay *replay, struct cache_counts *counts)
{
    run(replay);
    const bool good =
        !atomic_load(&replay->has_failed) && atomic_load(&replay->started) == replay->block_count;
    *counts = replay->counts;
    free_replay(replay);
    return good;
}
