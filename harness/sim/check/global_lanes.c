/* Which lane wrote or read a word of global memory. The tables are indexed by address; new words
 * replace old words. */
#include "global_race.h"

#include "cause.h"
#include "switchboard.h"
#include "order.h"

#include "sim/machine/lanes.h"
#include "sim/memory/names.h"

#include <stdio.h>
#include <string.h>

static struct lane_word *entry_of(struct lane_word *words, const char *storage)
{
    return &words[(uintptr_t)storage / 4 % GLOBAL_LANE_WORDS];
}

/* Notes which lane accessed each word. A word that several lanes access together gets LANE_SEVERAL.
 * Lanes that write it in one instruction write the same value, or that race is reported elsewhere.
 * Lanes that read it in one turn must all be ordered before its next writer. Accesses belong
 * together if the bits `same` of their tags are equal. */
ALWAYS_INLINE void note_lanes(struct warp *warp, const struct places *places, unsigned bytes,
                              uint64_t tag, struct lane_word *words, uint64_t same)
{
    struct lane_order *const order = &warp->worker->checks->shared.orders[warp->index];
    order->has_accesses = true;
    EACH_ACTIVE(lane, warp->active)
    {
        const char *const storage = place_of(places, lane, bytes);
        for (unsigned i = 0; i < bytes / 4; i++) {
            struct lane_word *const entry = entry_of(words, storage + 4 * i);
            const bool is_again =
                entry->storage == storage + 4 * i && ((entry->tag ^ tag) & same) == 0 &&
                entry->round == order->round && entry->turn == order->turn && entry->lane != lane;
            *entry = (struct lane_word){.storage = storage + 4 * i,
                                        .tag = tag,
                                        .round = order->round,
                                        .turn = (uint8_t)order->turn,
                                        .lane = is_again ? LANE_SEVERAL : (uint8_t)lane};
        }
    }
}

void sim_global_note_lanes(struct warp *warp, const struct places *places, unsigned bytes,
                           uint64_t tag)
{
    note_lanes(warp, places, bytes, tag, warp->worker->checks->global.written, UINT64_MAX);
}

void sim_global_note_readers(struct warp *warp, const struct places *places, unsigned bytes,
                             uint64_t tag)
{
    note_lanes(warp, places, bytes, tag, warp->worker->checks->global.read, GLOBAL_OWN);
}

/* Whether another lane accesses the element by this instruction, too, as far as is known. */
static bool is_shared_by_lanes(const struct warp *warp, const struct instruction *at, int lane,
                               uint64_t address)
{
    const sim_bits64 *const slot = sim_slot(warp, at->a);
    if (sim_is_by_value(warp, at))
        return true;
    EACH_ACTIVE(other, warp->active & ~(UINT32_C(1) << lane))
    if (slot[other] + (uint64_t)at->offset == address)
        return true;
    return false;
}

static void report(struct warp *warp, const struct instruction *at, int lane, const char *verb,
                   const char *earlier, const struct lane_word *word)
{
    char other[80] = "other threads";
    char what[300], place[560];
    const uint64_t address = global_address(warp, at, word->storage);
    if (word->lane < WARP_LANES)
        snprintf(other, sizeof other, "thread (%u, %u, %u)", warp->thread[0][word->lane],
                 warp->thread[1][word->lane], warp->thread[2][word->lane]);
    const uint32_t earlier_place = global_place(word->tag);
    const bool is_update =
        sim_is_update(warp, at, earlier_place) && is_shared_by_lanes(warp, at, lane, address);
    sim_name_global(address, 4, what, sizeof what);
    sim_name_place(warp->worker->launch->program, earlier_place, place, sizeof place);
    sim_fault(warp, at, lane, SIM_RACE, address,
              "race on %s: this %s by thread (%u, %u, %u) and the %s at %s by %s of the same warp "
              "come in any order, as lanes need not run in step; %s%s",
              what, verb, warp->thread[0][lane], warp->thread[1][lane], warp->thread[2][lane],
              earlier, place, other,
              is_update ? "several threads read this element, change it and write it back, as with "
                          "+=, so that changes get lost: add with atomicAdd(), or let one thread "
                          "own each element"
              : sim_is_one_statement(warp, at, earlier_place)
                  ? "if each thread shall have its own element, this line's index leaves out a "
                    "thread coordinate, takes a wrong distance between rows, or goes past the end "
                    "of one; if one shall read what the other wrote, a __syncwarp() between the "
                    "two is missing"
                  : "if these are to be two elements, an index is wrong; if one shall read what "
                    "the other wrote, a __syncwarp() between the two is missing",
              is_update || warp->worker->launch->block_count == 1
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
            const struct lane_word *const written =
                entry_of(checks->global.written, storage + 4 * i);
            const uint64_t writer = tags->writer[(size_t)(storage + 4 * i - tags->host) / 4];
            if (written->storage == storage + 4 * i &&
                ((written->tag ^ writer) & ~GLOBAL_CHANGED) == 0 && written->lane != LANE_SEVERAL &&
                ((writer ^ tag) & GLOBAL_OWN) == 0 && written->round == order->round &&
                !sim_lanes_are_ordered(order, written->turn, written->lane, lane))
                report(warp, at, (int)lane, "read", "write", written);
        }
    }
}

/* Whether another lane, not ordered before this lane, has read the word. If several lanes have read
 * the word, this is unknown once some lanes have met without the others; the result is then no. */
static bool is_read_by_others(const struct lane_order *order, const struct lane_word *read,
                              unsigned lane)
{
    return read->lane == LANE_SEVERAL ? read->turn >= order->full && !order->is_partial
                                      : !sim_lanes_are_ordered(order, read->turn, read->lane, lane);
}

/* The read of a word in this stretch by another lane, which is not ordered before this lane. NULL:
 * there is none. */
static const struct lane_word *reader_of(struct warp *warp, int lane, const char *storage,
                                         uint64_t tag)
{
    struct sim_checks *const checks = warp->worker->checks;
    const struct lane_order *const order = &checks->shared.orders[warp->index];
    const struct lane_word *const read = entry_of(checks->global.read, storage);
    return read->storage == storage && ((read->tag ^ tag) & GLOBAL_OWN) == 0 &&
                   read->round == order->round && is_read_by_others(order, read, (unsigned)lane)
               ? read
               : NULL;
}

void sim_global_add_own(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, uint64_t tag)
{
    const struct lane_word *const read = reader_of(warp, lane, storage, tag);
    if (read && !warp->worker->checks->global.acquired && sim_checks_for(SIM_CHECK_RACE))
        report(warp, at, lane, "atomic access", "read", read);
}

void sim_global_write_own(struct warp *warp, const struct instruction *at,
                          const struct places *places, unsigned bytes, uint64_t tag)
{
    const struct sim_checks *const checks = warp->worker->checks;
    const unsigned words = bytes / 4;
    if (checks->global.acquired || !sim_checks_for(SIM_CHECK_RACE))
        return;
    /* If several lanes write to one place, its old value was kept for one of these lanes. */
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        for (unsigned i = 0; i < words; i++) {
            const struct lane_word *const read = reader_of(warp, (int)lane, storage + 4 * i, tag);
            if (read && memcmp(storage + 4 * i, &checks->global.old[lane * words + i], 4) != 0)
                report(warp, at, (int)lane, "write", "read", read);
        }
    }
}
