/* Who stored last to a word, of the words that few threads store to: a table that forgets. */
#include "global_strong.h"

#include "worker_checks.h"

static struct strong_store *entry_of(struct strong_store *stores, const char *storage)
{
    return &stores[(uintptr_t)storage / 4 % STRONG_STORES];
}

uint64_t sim_store_last(struct strong_store *stores, const char *storage, uint64_t *when)
{
    struct strong_store *const store = entry_of(stores, storage);
    const bool is_here = atomic_load(&store->storage) == storage;
    const uint64_t tag = atomic_load(&store->tag);
    *when = atomic_load(&store->when);
    return is_here && atomic_load(&store->storage) == storage ? tag : 0;
}

void sim_store_note(struct warp *warp, struct strong_store *stores, const char *storage,
                    uint64_t tag)
{
    const struct global_checks *const checks = &warp->worker->checks->global;
    struct strong_store *const store = entry_of(stores, storage);
    static const char being_written;
    const char *before = atomic_load(&store->storage);
    /* Of two host threads one gives up, or the one's tag might stand beside the other's word. */
    if (before == &being_written ||
        !atomic_compare_exchange_strong(&store->storage, &before, &being_written))
        return;
    /* Who sees one of these stores must see those before it, and more is not needed. */
    atomic_store_explicit(&store->tag, tag, memory_order_release);
    atomic_store_explicit(&store->when, (uint64_t)checks->barrier << 32 | checks->strong_count,
                          memory_order_release);
    atomic_store_explicit(&store->storage, storage, memory_order_release);
    atomic_store_explicit(&warp->worker->launch->global->has_strong_stores, true,
                          memory_order_release);
}

void sim_strong_note(struct warp *warp, const char *storage, uint64_t tag)
{
    sim_store_note(warp, warp->worker->launch->global->strong_stores, storage, tag);
}

uint64_t sim_last_set(const struct warp *warp, const char *storage)
{
    uint64_t when;
    return sim_store_last(warp->worker->launch->global->test_sets, storage, &when);
}
