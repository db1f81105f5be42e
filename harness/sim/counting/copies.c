/* How far asynchronous copies run ahead: how many instructions a warp executes between a copy and
 * the wait that completes its group. This is counted while the kernel runs, since the PTX does not
 * say which group a wait completes. No wait is counted for a group that read nothing. */
#include "count.h"

#include "sim/machine/lanes.h"

#include <stdlib.h>
#include <string.h>

/* The most groups kept for a warp: groups that read something, are committed and not waited for.
 * Older groups are forgotten. */
enum { MOST_GROUPS = 64 };

struct copy_group {
    uint32_t lanes;              /* that have not waited for it */
    uint32_t number[WARP_LANES]; /* of the group among each lane's groups */
    uint64_t latest;             /* instructions executed before its last copy */
    uint64_t bytes, started;     /* that it reads; for each byte, instructions before its copy */
};

struct warp_ahead {
    uint64_t before;           /* instructions executed before this segment */
    struct segment segment;    /* that the warp executes */
    uint32_t next[WARP_LANES]; /* number of the group that each lane commits next */
    struct copy_group open;    /* not committed */
    int count;
    struct copy_group groups[MOST_GROUPS];
};

struct copies_ahead {
    struct counted_copies sum;
    struct warp_ahead warps[MAX_BLOCK_WARPS];
};

struct copies_ahead *sim_copies_create(void)
{
    return calloc(1, sizeof(struct copies_ahead));
}

void sim_copies_end_block(struct copies_ahead *copies)
{
    for (int w = 0; w < MAX_BLOCK_WARPS; w++) {
        struct warp_ahead *const warp = &copies->warps[w];
        warp->count = 0;
        warp->open.bytes = warp->open.started = 0;
    }
}

const struct counted_copies *sim_copies_sum(const struct copies_ahead *copies)
{
    return &copies->sum;
}

void sim_copies_segment(struct copies_ahead *copies, const struct warp *warp,
                        const struct segment *segment)
{
    struct warp_ahead *const mine = &copies->warps[warp->index];
    mine->before += (uint64_t)mine->segment.count;
    mine->segment = *segment;
}

/* Instructions executed before `at`. After a call, `segment` is still the callee's last one. */
static uint64_t executed_before(const struct warp_ahead *warp, const struct instruction *at)
{
    const int inside = (int)at->source - warp->segment.first;
    const int most = warp->segment.count;
    return warp->before + (uint64_t)(inside < 0 || inside > most ? most : inside);
}

void sim_copies_start(struct copies_ahead *copies, const struct warp *warp,
                      const struct instruction *at, uint64_t bytes)
{
    struct warp_ahead *const mine = &copies->warps[warp->index];
    const uint64_t place = executed_before(mine, at);
    if (bytes == 0)
        return;
    mine->open.latest = place;
    mine->open.bytes += bytes;
    mine->open.started += bytes * place;
}

void sim_copies_commit(struct copies_ahead *copies, const struct warp *warp)
{
    struct warp_ahead *const mine = &copies->warps[warp->index];
    if (mine->open.bytes > 0) {
        if (mine->count == MOST_GROUPS)
            memmove(mine->groups, mine->groups + 1, (size_t)--mine->count * sizeof *mine->groups);
        struct copy_group *const group = &mine->groups[mine->count++];
        *group = mine->open;
        group->lanes = warp->active;
        for (int lane = 0; lane < WARP_LANES; lane++)
            group->number[lane] = mine->next[lane];
        mine->open.bytes = mine->open.started = 0;
    }
    EACH_ACTIVE(lane, warp->active) mine->next[lane]++;
}

/* The lanes for which a wait for all but the latest `latest` groups completes this group. */
static uint32_t completed_lanes(const struct warp_ahead *warp, const struct copy_group *group,
                                uint32_t active, uint32_t latest)
{
    uint32_t lanes = 0;
    EACH_ACTIVE(lane, active & group->lanes)
    if (warp->next[lane] - group->number[lane] > latest)
        lanes |= 1u << lane;
    return lanes;
}

void sim_copies_wait(struct copies_ahead *copies, const struct warp *warp,
                     const struct instruction *at, uint32_t latest)
{
    struct warp_ahead *const mine = &copies->warps[warp->index];
    const uint64_t now = executed_before(mine, at);
    uint64_t last = 0;
    int kept = 0;
    bool stops = false;
    for (int i = 0; i < mine->count; i++) {
        struct copy_group *const group = &mine->groups[i];
        const uint32_t completed = completed_lanes(mine, group, warp->active, latest);
        if (completed && group->bytes > 0) {
            stops = true;
            last = group->latest > last ? group->latest : last;
            copies->sum.bytes += group->bytes;
            copies->sum.bytes_ahead += group->bytes * now - group->started;
            group->bytes = 0; /* lanes that wait later do not count it again */
        }
        group->lanes &= ~completed;
        if (group->lanes)
            mine->groups[kept++] = *group;
    }
    mine->count = kept;
    copies->sum.waits += stops;
    copies->sum.ahead += stops ? now - last : 0;
}

void sim_copies_wait_all(struct copies_ahead *copies, const struct warp *warp,
                         const struct instruction *at)
{
    sim_copies_commit(copies, warp);
    sim_copies_wait(copies, warp, at, 0);
}
