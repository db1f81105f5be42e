/* The checks of an access, in order. They are compiled once for each number of bytes that a lane
 * accesses, and once for a single lane. Handlers of loads and stores call them through tables. */
#include "check.h"
#include "global_race.h"
#include "global_strong.h"
#include "order.h"
#include "shared_race.h"

/* The tags of the global memory that is accessed; NULL: they are not needed. */
ALWAYS_INLINE struct global_tags *tags_of(struct warp *warp, const struct instruction *at,
                                          const struct places *places, unsigned bytes)
{
    if (places->is_shared || bytes < 4 || at->flags & FLAG_STRONG)
        return NULL;
    return warp->worker->caches[at->cache].tags;
}

/* Flags that are read, or were set, in the block's shared memory, where they are followed. */
ALWAYS_INLINE void look_there(struct warp *warp, const struct places *places, unsigned bytes)
{
    if (warp->worker->checks->clocks)
        EACH_ACTIVE(lane, warp->active)
    sim_clocks_look(warp, place_of(places, lane, bytes));
}

ALWAYS_INLINE void set_there(struct warp *warp, const struct instruction *at,
                             const struct places *places, unsigned bytes)
{
    if (warp->worker->checks->clocks && places->is_shared && at->flags & FLAG_STRONG)
        EACH_ACTIVE(lane, warp->active)
    sim_clocks_set(warp, at, place_of(places, lane, bytes), bytes, false);
}

/* Checks a strong access, which tells other threads something; in shared memory it tells threads of
 * its block only. */
ALWAYS_INLINE void meet_others(struct warp *warp, const struct instruction *at,
                               const struct places *places, unsigned bytes, bool is_store)
{
    if (at->flags & FLAG_READ_FOR_UPDATE && !places->is_shared)
        sim_update_reads(warp, at, places, bytes);
    if (!(at->flags & FLAG_STRONG))
        return;
    sim_hold_up();
    if (at->flags & FLAG_COMPUTED)
        sim_check_one_update(warp, at, places, bytes);
    if (is_store && places->is_shared)
        sim_update_shared(warp, at, places, bytes);
    if (is_store && !places->is_shared && bytes >= 4)
        sim_global_strong_store(warp, at, places, bytes);
    if (!is_store && !places->is_shared && bytes >= 4)
        sim_global_strong_load(warp, at, places, bytes);
    if (places->is_shared && !is_store) {
        sim_shared_message_read(warp, at, places, bytes);
        sim_checks_look(warp, SIM_LOOK_OWN_SHARED, true);
        look_there(warp, places, bytes);
    }
    if (places->is_shared && is_store)
        sim_shared_message_write(warp, at, places, bytes);
    if (places->is_shared)
        sim_global_signal(warp, false);
    else
        sim_global_strong(warp, at, is_store);
    if (is_store && !places->is_shared)
        sim_global_strong_tell(warp, at, places, bytes);
    sim_hold_up();
}

/* Whether an access must be checked by the clocks of warps. */
ALWAYS_INLINE bool has_clocks(struct warp *warp, const struct instruction *at,
                              const struct places *places, unsigned bytes)
{
    return __builtin_expect(warp->worker->checks->clocks != NULL, 0) &&
           !(at->flags & FLAG_STRONG) &&
           (places->is_shared || tags_of(warp, at, places, bytes) != NULL);
}

/* Checks a load of the active lanes; `has_ones` if a word that is read may consist of ones. */
ALWAYS_INLINE void load(struct warp *warp, const struct instruction *at,
                        const struct places *places, unsigned bytes, bool has_ones)
{
    if (places->pattern == PATTERN_SLOW)
        return; /* such an access is checked lane by lane */
    if (has_ones)
        sim_check_unwritten(warp, at, places, bytes);
    if (sim_is_early(warp) && !places->is_shared)
        sim_early_warp(warp, at, places, bytes, SIM_READS);
    meet_others(warp, at, places, bytes, false);
    if (has_clocks(warp, at, places, bytes))
        sim_clocks_load(warp, at, places, bytes);
    if (places->is_shared && !(at->flags & FLAG_STRONG))
        check_shared_read(warp, &warp->worker->checks->shared, at, places, bytes);
    struct global_tags *const tags = tags_of(warp, at, places, bytes);
    if (tags && at->flags & FLAG_CONSTANT)
        sim_global_constant_read(warp, at, places, bytes);
    if (tags)
        check_global_read(warp, at, places, bytes, tags, &warp->worker->checks->global);
}

/* Checks before a store. */
ALWAYS_INLINE void store(struct warp *warp, const struct instruction *at,
                         const struct places *places, unsigned bytes, bool has_ones)
{
    (void)has_ones;
    if (places->pattern == PATTERN_SLOW)
        return;
    if (sim_is_early(warp) && !places->is_shared)
        sim_early_warp(warp, at, places, bytes, SIM_WRITES);
    meet_others(warp, at, places, bytes, true);
    if (has_clocks(warp, at, places, bytes))
        sim_clocks_store(warp, at, places, bytes);
    if (places->is_shared && !(at->flags & FLAG_STRONG))
        check_shared_write(warp, &warp->worker->checks->shared, at, places, bytes);
    const struct global_tags *const tags = tags_of(warp, at, places, bytes);
    if (tags)
        check_global_write(warp, at, places, bytes, tags, &warp->worker->checks->global);
}

/* Checks after a store. */
ALWAYS_INLINE void stored(struct warp *warp, const struct instruction *at,
                          const struct places *places, unsigned bytes, bool has_ones)
{
    if (places->pattern == PATTERN_SLOW)
        return;
    if (has_ones)
        sim_note_written(warp, at, places, bytes);
    if (has_clocks(warp, at, places, bytes))
        sim_clocks_stored(warp, at);
    set_there(warp, at, places, bytes);
    if (warp->worker->checks->shared.clash_count > 0)
        sim_settle_clashes(warp, at);
    const struct global_tags *const tags = tags_of(warp, at, places, bytes);
    if (tags)
        check_global_stored(warp, at, places, bytes, tags, &warp->worker->checks->global);
}

/* As the number of bytes is a constant, loops over lanes and words become straight code. */
#define DEFINE_CHECK(when, bytes)                                                                  \
    static void when##_##bytes(struct warp *warp, const struct instruction *at,                    \
                               const struct places *places, bool has_ones)                         \
    {                                                                                              \
        when(warp, at, places, bytes, has_ones);                                                   \
    }
#define DEFINE_CHECKS(bytes)                                                                       \
    DEFINE_CHECK(load, bytes)                                                                      \
    DEFINE_CHECK(store, bytes)                                                                     \
    DEFINE_CHECK(stored, bytes)
DEFINE_CHECKS(1)
DEFINE_CHECKS(2)
DEFINE_CHECKS(4)
DEFINE_CHECKS(8)
DEFINE_CHECKS(16)
DEFINE_CHECKS(32)

#define BY_BYTES(when)                                                                             \
    {                                                                                              \
        when##_1, when##_2, when##_4, when##_8, when##_16, when##_32                               \
    }
check_access *const sim_load_checks[CHECKED_SIZES] = BY_BYTES(load);
check_access *const sim_store_checks[CHECKED_SIZES] = BY_BYTES(store);
check_access *const sim_stored_checks[CHECKED_SIZES] = BY_BYTES(stored);

/* ---- A single lane ---- */

typedef void check(struct warp *warp, const struct instruction *at, const struct places *places,
                   unsigned bytes, bool has_ones);

static void check_alone(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                        const char *storage, unsigned bytes, check *run)
{
    const uint32_t active = warp->active;
    const uint64_t window = address & WINDOW_MASK;
    struct places places;
    places.pattern = PATTERN_SAME;
    places.is_shared = window == SHARED_WINDOW;
    places.base = (char *)storage;
    if (window != 0 && window != SHARED_WINDOW)
        return;
    warp->active = UINT32_C(1) << lane;
    run(warp, at, &places, bytes, true);
    warp->active = active;
}

/* Shared memory of another block of the cluster: only clocks follow its uses. */
static bool is_followed_there(struct warp *warp, const struct instruction *at, int lane,
                              uint64_t address)
{
    if (!warp->worker->checks->clocks)
        return false;
    sim_clocks_touch(warp, at, lane, sim_shared_owner(warp, address));
    return !(at->flags & FLAG_STRONG);
}

static void load_there(struct warp *warp, const struct instruction *at, const struct places *places,
                       unsigned bytes, bool has_ones)
{
    (void)has_ones;
    sim_clocks_load(warp, at, places, bytes);
}

static void store_there(struct warp *warp, const struct instruction *at,
                        const struct places *places, unsigned bytes, bool has_ones)
{
    (void)has_ones;
    sim_clocks_store(warp, at, places, bytes);
}

void sim_check_lane_load(struct warp *warp, const struct instruction *at, int lane,
                         uint64_t address, const char *storage, unsigned bytes)
{
    if (sim_is_in_cluster(address)) {
        const bool is_followed = is_followed_there(warp, at, lane, address);
        sim_check_lane_unwritten(warp, at, lane, address, storage, bytes);
        if (is_followed)
            check_alone(warp, at, lane, address, storage, bytes, load_there);
        else
            sim_checks_look(warp, SIM_LOOK_OTHER_SHARED, true);
        return;
    }
    check_alone(warp, at, lane, address, storage, bytes, load);
}

void sim_check_lane_store(struct warp *warp, const struct instruction *at, int lane,
                          uint64_t address, const char *storage, unsigned bytes)
{
    if (sim_is_in_cluster(address)) {
        if (is_followed_there(warp, at, lane, address))
            check_alone(warp, at, lane, address, storage, bytes, store_there);
        return;
    }
    check_alone(warp, at, lane, address, storage, bytes, store);
}

void sim_check_lane_stored(struct warp *warp, const struct instruction *at, int lane,
                           uint64_t address, const char *storage, unsigned bytes)
{
    if (sim_is_in_cluster(address)) {
        sim_note_lane_written(warp, address, storage, bytes);
        if (is_followed_there(warp, at, lane, address))
            sim_clocks_stored(warp, at);
        return;
    }
    check_alone(warp, at, lane, address, storage, bytes, stored);
}
