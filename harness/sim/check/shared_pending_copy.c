/* The asynchronous copies of a block, warp by warp, until their threads wait for them. */
#include "shared_race.h"

#include "switchboard.h"

#include "sim/machine/lanes.h"
#include "sim/memory/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pending_copy {
    uint64_t source;
    uint32_t offset;
    uint32_t group; /* its number among the groups of its lane */
    uint32_t place; /* as the field of a tag */
    uint8_t lane, bytes, source_bytes;
};

struct warp_copies {
    uint32_t groups[WARP_LANES];        /* committed so far */
    uint32_t waited[WARP_LANES];        /* committed when the lane last waited */
    uint32_t before[WARP_LANES];        /* committed at the wait before that */
    const struct ptx_instruction *wait; /* the last wait; NULL: none */
    uint32_t left;                      /* groups that the last wait leaves pending */
    const struct ptx_instruction *wait_before;
    int count, capacity;
    struct pending_copy *list;
};

enum { SOURCE_BITS = 1 << 16 };

struct pending_copies {
    bool any;
    /* Bits for words of global memory that copies read; distant words share bits. */
    uint64_t sources[SOURCE_BITS / 64];
    struct warp_copies warps[MAX_BLOCK_WARPS];
};

struct pending_copies *sim_pending_create(void)
{
    return calloc(1, sizeof(struct pending_copies));
}

void sim_pending_free(struct pending_copies *copies)
{
    if (!copies)
        return;
    for (int i = 0; i < MAX_BLOCK_WARPS; i++)
        free(copies->warps[i].list);
    free(copies);
}

static void set_tags(struct shared_tags *tags, const struct pending_copy *copy, uint32_t tag)
{
    const size_t first = copy->offset >> tags->shift;
    for (size_t i = first; i < first + (copy->bytes >> tags->shift); i++) {
        tags->writer[i] = tag;
        tags->writer_lane[i] = copy->lane;
    }
}

void sim_pending_clear(struct shared_tags *tags)
{
    struct pending_copies *const copies = tags->pending;
    if (!copies->any)
        return;
    copies->any = false;
    tags->on_their_way = 0;
    memset(copies->sources, 0, sizeof copies->sources);
    for (int w = 0; w < MAX_BLOCK_WARPS; w++) {
        struct warp_copies *const of_warp = &copies->warps[w];
        for (int i = 0; i < of_warp->count; i++)
            set_tags(tags, &of_warp->list[i], 0);
        of_warp->count = 0;
        of_warp->wait = of_warp->wait_before = NULL;
        memset(of_warp->groups, 0, sizeof of_warp->groups);
        memset(of_warp->waited, 0, sizeof of_warp->waited);
        memset(of_warp->before, 0, sizeof of_warp->before);
    }
}

/* The 64 bits that the bit of a word is among. */
static uint64_t *bits_of_source(struct pending_copies *copies, uint64_t address)
{
    return &copies->sources[address / 4 % SOURCE_BITS / 64];
}

static uint32_t pending_tag(const struct pending_copy *copy, unsigned warp)
{
    return (uint32_t)TAG_PENDING_EPOCH << TAG_EPOCH_SHIFT | copy->place | warp;
}

void sim_pending_mark(struct shared_tags *tags)
{
    for (unsigned w = 0; w < MAX_BLOCK_WARPS; w++)
        for (int i = 0; i < tags->pending->warps[w].count; i++)
            set_tags(tags, &tags->pending->warps[w].list[i],
                     pending_tag(&tags->pending->warps[w].list[i], w));
}

static struct warp_copies *copies_of(struct warp *warp)
{
    return &warp->worker->checks->shared.pending->warps[warp->index];
}

void sim_pending_start(struct warp *warp, const struct instruction *at, int lane,
                       struct copied copied)
{
    struct shared_tags *const tags = &warp->worker->checks->shared;
    struct warp_copies *const copies = copies_of(warp);
    if (copies->count == copies->capacity) {
        const int larger = copies->capacity ? 2 * copies->capacity : 256;
        struct pending_copy *const moved =
            realloc(copies->list, (size_t)larger * sizeof *copies->list);
        if (!moved)
            return; /* the copy is not watched */
        copies->list = moved;
        copies->capacity = larger;
    }
    struct pending_copy *const copy = &copies->list[copies->count++];
    *copy = (struct pending_copy){.source = copied.source,
                                  .offset = copied.offset,
                                  .group = copies->groups[lane],
                                  .place = place_field(at),
                                  .lane = (uint8_t)lane,
                                  .bytes = (uint8_t)copied.bytes,
                                  .source_bytes = (uint8_t)copied.source_bytes};
    tags->pending->any = true;
    tags->on_their_way++;
    /* A copy is aligned, so that the bits of its words are neighbours. */
    const uint64_t words = (UINT64_C(1) << (copied.source_bytes + 3) / 4) - 1;
    *bits_of_source(tags->pending, copied.source) |= words << copied.source / 4 % 64;
    set_tags(tags, copy, pending_tag(copy, warp->index));
}

void sim_pending_commit(struct warp *warp)
{
    struct warp_copies *const copies = copies_of(warp);
    EACH_ACTIVE(lane, warp->active) copies->groups[lane]++;
    warp->worker->checks->shared.pending->any = true;
}

/* Lets copies of the active lanes, of groups before the lane's `end`, count as written now. */
static void finish(struct warp *warp, const struct instruction *at, const uint32_t *end,
                   uint32_t left)
{
    struct shared_tags *const tags = &warp->worker->checks->shared;
    struct warp_copies *const copies = copies_of(warp);
    struct lane_order *const order = &tags->orders[warp->index];
    const uint32_t now = tag_floor(tags) | order->turn << TAG_TURN_SHIFT | warp->index;
    int kept = 0;
    tags->pending->any = true;
    copies->wait_before = copies->wait;
    copies->wait = sim_source(warp, at);
    copies->left = left;
    EACH_ACTIVE(lane, warp->active)
    {
        copies->before[lane] = copies->waited[lane];
        copies->waited[lane] = copies->groups[lane];
    }
    for (int i = 0; i < copies->count; i++) {
        const struct pending_copy copy = copies->list[i];
        if ((warp->active >> copy.lane & 1) && copy.group < end[copy.lane])
            set_tags(tags, &copy, now | copy.place);
        else
            copies->list[kept++] = copy;
    }
    order->has_accesses = order->has_accesses || kept < copies->count;
    tags->on_their_way -= (unsigned)(copies->count - kept);
    copies->count = kept;
    if (tags->on_their_way == 0)
        memset(tags->pending->sources, 0, sizeof tags->pending->sources);
}

void sim_pending_wait(struct warp *warp, const struct instruction *at, uint32_t latest)
{
    const uint32_t *const groups = copies_of(warp)->groups;
    uint32_t end[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        end[lane] = groups[lane] > latest ? groups[lane] - latest : 0;
    finish(warp, at, end, latest);
}

void sim_pending_wait_all(struct warp *warp, const struct instruction *at)
{
    uint32_t end[WARP_LANES];
    memset(end, 0xff, sizeof end);
    finish(warp, at, end, 0);
}

/* A pending copy of the block that reads a word; NULL: none. */
static const struct pending_copy *reader_of(const struct warp *warp, uint64_t address,
                                            unsigned *index)
{
    struct pending_copies *const copies = warp->worker->checks->shared.pending;
    if (!(*bits_of_source(copies, address) >> address / 4 % 64 & 1))
        return NULL;
    for (*index = 0; *index < warp->block->warp_count; ++*index)
        for (int i = 0; i < copies->warps[*index].count; i++) {
            const struct pending_copy *const copy = &copies->warps[*index].list[i];
            if (copy->source < address + 4 && address < copy->source + copy->source_bytes)
                return copy;
        }
    return NULL;
}

static void report_written(struct warp *warp, const struct instruction *at, int lane,
                           uint64_t address, const struct pending_copy *copy, unsigned index)
{
    char what[300], place[560];
    const struct warp *const by = &warp->block->warps[index];
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_global(address, 4, what, sizeof what);
    sim_name_place(warp->worker->launch->program, copy->place >> TAG_WARP_BITS, place,
                   sizeof place);
    sim_fault(warp, at, lane, SIM_RACE, address,
              "race on %s: this write changes what the asynchronous copy at %s by thread (%u, %u, "
              "%u) reads, which has not been waited for: it may read what is there now, or what "
              "was there; that thread must wait for it first (__pipeline_wait_prior(), "
              "cp.async.wait_group)%s",
              what, place, by->thread[0][copy->lane], by->thread[1][copy->lane],
              by->thread[2][copy->lane],
              by == warp && copy->lane == lane ? ""
                                               : ", and a __syncthreads() must follow the wait");
}

void sim_pending_source_written(struct warp *warp, const struct instruction *at,
                                const struct places *places, unsigned bytes, const uint32_t *old)
{
    /* If several lanes write to one place, its old value was kept for one of these lanes. */
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        for (unsigned i = 0; i < bytes / 4; i++) {
            const uint64_t address = global_address(warp, at, storage + 4 * i);
            unsigned index;
            const struct pending_copy *const copy =
                memcmp(storage + 4 * i, &old[lane * (bytes / 4) + i], 4) != 0
                    ? reader_of(warp, address, &index)
                    : NULL;
            if (copy)
                report_written(warp, at, (int)lane, address, copy, index);
        }
    }
}

/* Whether two waits are the same wait in two iterations of a loop, which may be unrolled. */
static bool is_one_wait(const struct ptx_instruction *one, const struct ptx_instruction *other)
{
    return one && other && (one == other || (one->line && one->line == other->line));
}

struct pending_state sim_pending_state(const struct shared_tags *tags, unsigned warp, unsigned lane,
                                       uint32_t offset)
{
    const struct warp_copies *const copies = &tags->pending->warps[warp];
    for (int i = copies->count; i-- > 0;) {
        const struct pending_copy *const copy = &copies->list[i];
        const uint32_t waited = copies->waited[copy->lane];
        if (copy->lane == lane && copy->offset <= offset && offset < copy->offset + copy->bytes)
            return (struct pending_state){.is_committed = copy->group < copies->groups[copy->lane],
                                          .is_behind_wait = copy->group >= waited,
                                          .is_behind_none =
                                              is_one_wait(copies->wait, copies->wait_before) &&
                                              waited == copies->before[copy->lane],
                                          .wait = copies->wait,
                                          .committed = waited,
                                          .left = copies->left,
                                          .later = waited - copy->group - 1};
    }
    return (struct pending_state){.is_committed = true};
}
