/* Lanes of one store instruction that write to the same place. */
#include "check.h"

#include "shared_race.h"
#include "switchboard.h"

#include "sim/memory/names.h"
#include "sim/memory/warning.h"

#include <string.h>

/* Collects the address at which each active lane writes, with the window of its space. */
static void collect(const struct warp *warp, const struct instruction *at,
                    const struct places *places, unsigned bytes, uint64_t *address)
{
    memset(address, 0, WARP_LANES * sizeof *address);
    EACH_ACTIVE(lane, warp->active)
    address[lane] = places->pattern == PATTERN_SLOW
                        ? slow_address(places, lane)
                        : sim_lane_address(warp, at, places, place_of(places, lane, bytes));
}

/* Whether no two lanes have the same address, by hashes of the addresses. True is certain. */
static bool all_differ(const uint64_t *address, uint32_t lanes)
{
    uint64_t seen[16] = {0};
    EACH_ACTIVE(lane, lanes)
    {
        const uint64_t hash = address[lane] * UINT64_C(0x9e3779b97f4a7c15) >> 54;
        if (seen[hash / 64] >> hash % 64 & 1)
            return false;
        seen[hash / 64] |= UINT64_C(1) << hash % 64;
    }
    return true;
}

static uint32_t lanes_at(const uint64_t *address, uint32_t lanes, uint64_t wanted)
{
    uint32_t same = 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        same |= (uint32_t)(address[lane] == wanted) << lane;
    return same & lanes;
}

static void report(struct warp *warp, const struct instruction *at, unsigned lane, unsigned other,
                   uint64_t address)
{
    char what[300], cause[500] = "an index that must differ between threads does not, or a sum "
                                 "needs an atomic operation";
    const unsigned bytes = sim_element_bytes(sim_source(warp, at));
    struct overrun overrun;
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    if (sim_find_overrun_of_warp(warp, at, address, bytes, &overrun))
        sim_say_overrun_of(warp, &overrun, cause, sizeof cause);
    else if ((address & WINDOW_MASK) == SHARED_WINDOW)
        sim_say_short_row(&(struct row_writer){warp, at, lane},
                          &(struct row_writer){warp, at, other}, cause, sizeof cause);
    sim_name_memory(warp, address, bytes, what, sizeof what);
    sim_fault(warp, at, (int)other, SIM_RACE, address,
              "race on %s: in this one instruction thread (%u, %u, %u) and thread (%u, %u, %u) of "
              "the same warp write different values to it, and which one stays is chance; %s",
              what, warp->thread[0][lane], warp->thread[1][lane], warp->thread[2][lane],
              warp->thread[0][other], warp->thread[1][other], warp->thread[2][other], cause);
}

static void warn(struct warp *warp, const struct instruction *at, unsigned lane, unsigned other,
                 uint64_t address)
{
    char what[300];
    if (!sim_checks_for(SIM_CHECK_RACE) || !sim_warning_is_new(warp, at, 0))
        return;
    sim_name_memory(warp, address, sim_element_bytes(sim_source(warp, at)), what, sizeof what);
    sim_warn(
        warp, at, SIM_RACE,
        "thread (%u, %u, %u) and thread (%u, %u, %u) of one warp write the same value to %s in "
        "one instruction; one of them would do",
        warp->thread[0][lane], warp->thread[1][lane], warp->thread[2][lane], warp->thread[0][other],
        warp->thread[1][other], warp->thread[2][other], what);
}

/* All lanes wrote the same value, so each of these lanes may read it without order. */
static void forget_writers(const struct warp *warp, uint64_t address, unsigned bytes)
{
    const struct shared_tags *const tags = &warp->worker->checks->shared;
    if ((address & WINDOW_MASK) != SHARED_WINDOW || sim_is_in_cluster(address))
        return;
    memset(tags->writer_lane + ((address - SHARED_WINDOW) >> tags->shift), LANE_NONE,
           bytes >> tags->shift);
}

/* Most values are words, for which a call would take longer than the comparison. */
static bool differ(const char *one, const char *other, unsigned bytes)
{
    return bytes == 4 ? memcmp(one, other, 4) != 0 : memcmp(one, other, bytes) != 0;
}

void sim_check_one_store(struct warp *warp, const struct instruction *at,
                         const struct places *places, const void *value, unsigned stride,
                         unsigned bytes)
{
    uint64_t address[WARP_LANES];
    collect(warp, at, places, bytes, address);
    if (all_differ(address, warp->active))
        return;
    const char *const values = value;
    int first_same = -1, second_same = -1;
    for (uint32_t rest = warp->active, same; rest; rest &= ~same) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        same = lanes_at(address, rest, address[lane]);
        const uint32_t others = same & (same - 1);
        if (!others || (address[lane] & WINDOW_MASK) == LOCAL_WINDOW)
            continue;
        EACH_ACTIVE(other, others)
        if (differ(values + lane * stride, values + other * stride, bytes))
            report(warp, at, lane, other, address[lane]);
        forget_writers(warp, address[lane], bytes);
        if (first_same < 0)
            first_same = (int)lane, second_same = __builtin_ctz(others);
    }
    if (first_same >= 0)
        warn(warp, at, (unsigned)first_same, (unsigned)second_same, address[first_same]);
}

void sim_check_one_update(struct warp *warp, const struct instruction *at,
                          const struct places *places, unsigned bytes)
{
    uint64_t address[WARP_LANES];
    collect(warp, at, places, bytes, address);
    if (all_differ(address, warp->active))
        return;
    EACH_ACTIVE(lane, warp->active)
    {
        const uint32_t others = lanes_at(address, warp->active & ((1u << lane) - 1), address[lane]);
        const unsigned other = others ? (unsigned)__builtin_ctz(others) : lane;
        char what[300];
        if (!others || !sim_checks_for(SIM_CHECK_RACE))
            continue;
        sim_name_memory(warp, address[lane], sim_element_bytes(sim_source(warp, at)), what,
                        sizeof what);
        sim_fault(warp, at, (int)lane, SIM_RACE, address[lane],
                  "race on %s: it is written by threads (%u, %u, %u) and (%u, %u, %u) of one warp; "
                  "several lanes of the warp read this element, change it and write it back in one "
                  "instruction, so that one change of them is left: add with atomicAdd(), or let "
                  "one lane own each element",
                  what, warp->thread[0][other], warp->thread[1][other], warp->thread[2][other],
                  warp->thread[0][lane], warp->thread[1][lane], warp->thread[2][lane]);
    }
}
