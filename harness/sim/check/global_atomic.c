/* Checks of atomic operations on global memory: whether others access plainly what they change, or
 * read a sum that is not complete, and what the operations tell other threads. */
#include "global_strong.h"

#include "global_race.h"
#include "order.h"

#include "sim/machine/grid_barrier.h"
#include "sim/memory/names.h"
#include "sim/memory/warning.h"

#include <string.h>

static bool is_of_block_scope(const struct warp *warp, uint64_t tag)
{
    const struct ptx_instruction *const source =
        sim_find_place(warp->worker->launch->program, global_place(tag));
    return source && ptx_has_part(source, "cta");
}

/* An atomic operation on a word that others have written plainly. If their writes left the value as
 * it was, it is a fault only if the word has changed since, or changes now.
 * @return whether the caller must see if it changes now. */
static bool meet_writer_atomically(struct warp *warp, const struct instruction *at, int lane,
                                   const char *storage, uint64_t writer)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const struct finding finding = {
        .lane = lane, .use = SIM_CHANGES, .earlier = SIM_WRITES, .tag = writer};
    if (!is_foreign(writer, mine) || sim_global_may_be_ordered(warp, writer, mine))
        return false;
    const bool is_same = writer & GLOBAL_SAME;
    const bool was_changed = writer & GLOBAL_CHANGED && (is_same || !is_same_block(writer, mine));
    if (was_changed || !(is_same || is_shared_value(writer, mine)))
        sim_global_fault(warp, at, storage, &finding);
    return true;
}

/* Others have read a word to which an atomic operation now adds floats: they may have seen any part
 * of the sum. Operations that compare, and counters, are often looked at first. */
static void meet_reader(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, uint64_t reader)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const struct finding finding = {
        .lane = lane, .use = SIM_CHANGES, .earlier = SIM_READS, .tag = reader};
    if (sim_adds_floats(warp, at) && !sim_global_may_be_ordered(warp, reader, mine))
        sim_global_fault(warp, at, storage, &finding);
}

/* Another block has changed the same word atomically. One of the two blocks did so for its own
 * threads alone. */
static void meet_narrow(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, uint64_t earlier)
{
    const struct finding finding = {
        .lane = lane, .use = SIM_CHANGES, .earlier = SIM_CHANGES, .tag = earlier};
    if ((at->flags & FLAG_BLOCK || is_of_block_scope(warp, earlier)) &&
        sim_global_is_atomic(warp, earlier) && !sim_global_is_synchronized(warp, earlier))
        sim_global_fault(warp, at, storage, &finding);
}

/* An atomic operation tells other threads how far the warp is, and tells the warp how far other
 * threads are. */
static void announce(struct warp *warp, const struct instruction *at, int lane)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    struct global_launch *const launch = warp->worker->launch->global;
    const bool is_first = lane == __builtin_ctz(warp->active);
    if (launch && is_first && at->flags & FLAG_BLOCK)
        atomic_store(&launch->has_narrow, true);
    if (is_first && at->flags & FLAG_RELEASE)
        sim_global_release(warp, at->flags & FLAG_BLOCK);
    if (is_first && !(at->flags & FLAG_BLOCK) && !sim_adds_floats(warp, at)) {
        sim_global_set(warp);
        if (ptx_does(sim_source(warp, at), PTX_UPDATES)) /* red has no result to look at */
            checks->looked |= UINT32_C(1) << warp->index;
        sim_global_other_look(warp, at);
    }
    sim_global_signal(warp, true);
}

void sim_global_atomic(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, unsigned bytes)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    const struct ptx_instruction *const source = sim_source(warp, at);
    const bool arrives =
        sim_grid_is_counter(warp->worker->launch, global_address(warp, at, storage));
    checks->had_asked = checks->acquired;
    if (arrives)
        sim_global_arrive(warp);
    else
        announce(warp, at, lane);
    checks->meets_same = 0;
    if (tags && checks->tag && bytes >= 4) {
        const uint64_t mine = global_tag_of(warp, at, checks);
        const size_t word = global_word(tags, storage);
        const bool has_narrow = atomic_load(&warp->worker->launch->global->has_narrow);
        if (source->update & (PTX_ADDS | PTX_TOGGLES) && !arrives)
            sim_strong_before_add(warp, at, lane, storage);
        if (at->flags & FLAG_LOOK && !arrives)
            sim_message_look(warp, at, tags, word);
        if (at->flags & FLAG_READ_FOR_UPDATE)
            sim_update_read(warp, at, lane, storage);
        if (at->flags & (FLAG_TEST_SET | FLAG_CLAIM) && source->update & PTX_EXCHANGES)
            sim_test_set(warp, at, lane, storage);
        if (at->flags & FLAG_UPDATE)
            sim_update_by_atomic(warp, at, lane, storage, tags->reader[word]);
        for (unsigned i = 0; i < bytes / 4; i++) {
            if (meet_writer_atomically(warp, at, lane, storage + 4 * i, tags->writer[word + i]))
                checks->meets_same |= UINT32_C(1) << i;
            const uint64_t updated = tags->reader[word + i], joined = join_readers(updated, mine);
            if (is_foreign(updated, mine) && is_of_several(updated) &&
                sim_global_is_atomic(warp, updated))
                sim_check_sum_order(warp, at, lane, global_address(warp, at, storage));
            if (has_narrow && is_foreign(updated, mine) && !is_same_block(updated, mine))
                meet_narrow(warp, at, lane, storage + 4 * i, updated);
            if (is_foreign(updated, mine) && !sim_global_is_atomic(warp, updated))
                meet_reader(warp, at, lane, storage + 4 * i, updated);
            if (((updated ^ mine) & GLOBAL_OWN) == 0 && sim_adds_floats(warp, at))
                sim_global_add_own(warp, at, lane, storage + 4 * i, mine);
            if (updated && !is_same_block(updated, mine) &&
                warp->worker->launch->program->has_flags)
                sim_global_keep_readers(tags, word + i, 1, mine);
            if (joined != updated)
                tags->reader[word + i] = joined;
        }
    }
    checks->is_setting = !arrives && !(at->flags & FLAG_BLOCK) && bytes >= 4 &&
                         !sim_adds_floats(warp, at) && sim_flags_before_atomic(warp);
    if (checks->is_setting)
        memcpy(&checks->old[0], storage, sizeof checks->old[0]);
    if (bytes < 4)
        sim_flags_lose();
    /* An addition of floats is no look at what others did: no thread waits by such a sum. */
    if (!checks->acquired && !arrives && !sim_adds_floats(warp, at))
        checks->acquired = true;
}

static enum sim_flag_change change_of(const struct ptx_instruction *source)
{
    return source->update & PTX_ADDS    ? SIM_FLAG_ADD
           : ptx_has_part(source, "or") ? SIM_FLAG_OR
                                        : SIM_FLAG_SET;
}

void sim_global_atomic_done(struct warp *warp, const struct instruction *at, int lane,
                            const char *storage, unsigned bytes, bool changed, bool counts)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    if (checks->is_setting)
        sim_flags_after_atomic(warp, lane, storage, bytes, checks->old[0],
                               changed ? change_of(sim_source(warp, at)) : SIM_FLAG_STAYS,
                               at->flags & FLAG_LEARNS ||
                                   (!changed && ptx_does(sim_source(warp, at), PTX_UPDATES)));
    checks->is_setting = false;
    /* NVIDIA's own samples let the last block read what others have written right after its count:
     * in programs of others that is no reason to stop. */
    if ((at->flags & FLAG_ACQUIRE || sim_only_warns()) && !(at->flags & FLAG_BLOCK))
        sim_global_acquire(warp);
    if (!tags || !checks->tag || bytes < 4)
        return;
    const uint64_t mine = global_tag_of(warp, at, checks);
    if (changed && counts)
        sim_strong_added(warp, at, lane, storage, mine);
    for (unsigned i = 0; changed && i < bytes / 4; i++)
        sim_message_write(warp, tags, global_word(tags, storage) + i, mine);
    if (changed && sim_source(warp, at)->update & PTX_EXCHANGES && !(at->flags & FLAG_UPDATE))
        sim_strong_note(warp, storage, mine);
    for (unsigned i = 0; i < bytes / 4; i++) {
        uint64_t *const writer = &tags->writer[global_word(tags, storage) + i];
        uint64_t *const reader = &tags->reader[global_word(tags, storage) + i];
        const struct finding finding = {
            .lane = lane, .use = SIM_CHANGES, .earlier = SIM_WRITES, .tag = *writer};
        const bool meets = checks->meets_same >> i & 1;
        if (meets && changed)
            sim_global_fault(warp, at, storage + 4 * i, &finding);
        if (meets && !is_shared_value(*writer, mine))
            sim_global_warn(warp, at, storage + 4 * i, &finding);
        if (changed && *writer & GLOBAL_SAME && is_same_block(*writer, mine))
            *writer |= GLOBAL_CHANGED;
        if (changed && counts)
            *reader |= GLOBAL_CHANGED;
    }
}
