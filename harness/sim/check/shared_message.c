/* Messages in shared memory by volatile stores: a flag that a warp sets before the data that it
 * tells of, or without the fences that order the two. As in message_passing.c, only a thread that
 * waits for the flag, or branches on it, relies on the data; and the data are written once, so that
 * the flag may not be of a round before.
 */
#include "shared_race.h"

#include "order.h"
#include "switchboard.h"

#include "sim/memory/names.h"

static size_t word_of(const struct warp *warp, const struct places *places, unsigned lane,
                      unsigned bytes)
{
    return (size_t)((const char *)place_of(places, lane, bytes) - warp->block->shared) / 4;
}

static bool is_current(const struct warp *warp, const struct shared_word *word)
{
    return word->block == warp->worker->checks->shared.block_count;
}

void sim_shared_message_write(struct warp *warp, const struct instruction *at,
                              const struct places *places, unsigned bytes)
{
    struct sim_checks *const checks = warp->worker->checks;
    struct shared_tags *const tags = &checks->shared;
    const uint32_t count = ++tags->strong_count;
    EACH_ACTIVE(lane, warp->active)
    {
        struct shared_word *const word = &tags->words[word_of(warp, places, lane, bytes)];
        *word = (struct shared_word){.block = tags->block_count,
                                     .barrier = checks->global.barrier,
                                     .count = count,
                                     .place = at->cache,
                                     .time = checks->clocks ? sim_clocks_time(warp) : 0,
                                     .warp = (uint8_t)warp->index,
                                     .is_first = !is_current(warp, word)};
    }
}

static void report(struct warp *warp, const struct instruction *at, int lane, size_t word,
                   const struct shared_look *look)
{
    const struct program *const program = warp->worker->launch->program;
    const struct shared_word *const data = &warp->worker->checks->shared.words[word];
    char what[300], place[560], set[560], looked[560];
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_shared(warp, (uint32_t)word * 4, sim_element_bytes(sim_source(warp, at)), what,
                    sizeof what);
    sim_name_place(program, data->place, place, sizeof place);
    sim_name_short_place(program, look->flag.place, set, sizeof set);
    sim_name_short_place(program, look->place, looked, sizeof looked);
    sim_fault(warp, at, lane, SIM_RACE, SHARED_WINDOW + word * 4,
              "race on %s: this read and the write at %s by warp %u come in any order; the reader "
              "goes by a flag that is set at %s, %s, and read at %s: first the "
              "data, then a __threadfence_block(), then the flag; and a __threadfence_block() "
              "behind the wait",
              what, place, data->warp, set,
              look->flag.count < data->count ? "before that write"
                                             : "after that write, and no two fences order them",
              looked);
}

void sim_shared_message_read(struct warp *warp, const struct instruction *at,
                             const struct places *places, unsigned bytes)
{
    struct sim_checks *const checks = warp->worker->checks;
    struct shared_tags *const tags = &checks->shared;
    struct shared_look *const look = &tags->looks[warp->index];
    if (!checks->global.tag)
        return;
    EACH_ACTIVE(lane, warp->active)
    {
        const size_t place = word_of(warp, places, lane, bytes);
        const struct shared_word *const word = &tags->words[place];
        if (!is_current(warp, word) || word->warp == warp->index)
            continue;
        if (at->flags & FLAG_LOOK)
            *look = (struct shared_look){*word, at->cache};
        else if (is_current(warp, &look->flag) && look->flag.warp == word->warp &&
                 look->flag.barrier == checks->global.barrier && word->is_first &&
                 look->flag.place != word->place &&
                 (checks->clocks ? !sim_clocks_is_after(warp, word->warp, word->time)
                                 : look->flag.count < word->count))
            report(warp, at, (int)lane, place, look);
    }
}
