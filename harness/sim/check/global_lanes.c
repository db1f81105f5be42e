/* Which lane wrote a word of global memory: a table by address, where new words push out old. */
#include "global_lanes.h"

#include "checks.h"
#include "lane_order.h"

#include "sim/machine/lanes.h"
#include "sim/memory/names.h"

#include <stdio.h>

static struct written_word *entry_of(struct global_checks *checks, const char *storage)
{
    return &checks->written[(uintptr_t)storage / 4 % GLOBAL_WRITTEN];
}

/* Lanes that write one word in one instruction write one value, or the race is told there: each of
 * them may read it. */
static void note(struct written_word *entry, struct written_word word)
{
    const bool is_again = entry->storage == word.storage && entry->tag == word.tag &&
                          entry->round == word.round && entry->turn == word.turn &&
                          entry->lane != word.lane;
    *entry = word;
    if (is_again)
        entry->lane = LANE_SEVERAL;
}

void sim_global_note_lanes(struct warp *warp, const struct places *places, unsigned bytes,
                           uint64_t tag)
{
    struct sim_checks *const checks = warp->worker->checks;
    struct lane_order *const order = &checks->shared.orders[warp->index];
    order->has_accesses = true;
    EACH_ACTIVE(lane, warp->active)
    {
        const char *const storage = place_of(places, lane, bytes);
        for (unsigned i = 0; i < bytes / 4; i++)
            note(entry_of(&checks->global, storage + 4 * i),
                 (struct written_word){.storage = storage + 4 * i,
                                       .tag = tag,
                                       .round = order->round,
                                       .turn = (uint8_t)order->turn,
                                       .lane = (uint8_t)lane});
    }
}

static void report(struct warp *warp, const struct instruction *at, int lane,
                   const struct written_word *written)
{
    char what[300], place[560];
    const uint64_t address =
        (uint64_t)(uintptr_t)written->storage - warp->worker->caches[at->cache].bias;
    sim_name_global(address, 4, what, sizeof what);
    sim_name_place(warp, (uint32_t)(written->tag >> GLOBAL_PLACE_SHIFT) & GLOBAL_FAR_PLACE, place,
                   sizeof place);
    sim_fault(warp, at, lane, SIM_RACE, address,
              "race on %s: this read by thread (%u, %u, %u) and the write at %s by thread (%u, %u, "
              "%u) of the same warp come in any order, as lanes need not run in step; a "
              "__syncwarp() between the two is missing%s",
              what, warp->thread[0][lane], warp->thread[1][lane], warp->thread[2][lane], place,
              warp->thread[0][written->lane], warp->thread[1][written->lane],
              warp->thread[2][written->lane],
              warp->worker->launch->block_count == 1
                  ? ""
                  : ", which orders this warp alone: where other blocks change such elements too, "
                    "it takes a launch for each round");
}

void sim_global_read_own(struct warp *warp, const struct instruction *at,
                         const struct places *places, unsigned bytes, uint64_t tag)
{
    struct sim_checks *const checks = warp->worker->checks;
    const struct lane_order *const order = &checks->shared.orders[warp->index];
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    if (checks->global.acquired || !sim_checks_for(SIM_CHECK_RACE))
        return;
    EACH_ACTIVE(lane, warp->active)
    {
        const char *const storage = place_of(places, lane, bytes);
        for (unsigned i = 0; i < bytes / 4; i++) {
            const struct written_word *const written = entry_of(&checks->global, storage + 4 * i);
            const uint64_t writer = tags->writer[(size_t)(storage + 4 * i - tags->host) / 4];
            if (written->storage == storage + 4 * i && written->tag == writer &&
                written->lane != LANE_SEVERAL && ((writer ^ tag) & GLOBAL_OWN) == 0 &&
                written->round == order->round &&
                !sim_lanes_are_ordered(order, written->turn, written->lane, lane))
                report(warp, at, (int)lane, written);
        }
    }
}
