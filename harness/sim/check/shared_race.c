/* What is said when two warps use a word of shared memory with no barrier in between. */
#include "names.h"

/* Says which threads made the earlier access. */
static void name_threads(const struct warp *warp, uint32_t tag, char *text, size_t size)
{
    const uint32_t index = tag & TAG_SEVERAL;
    if (index == TAG_SEVERAL) {
        snprintf(text, size, "threads of several warps");
        return;
    }
    const struct warp *const other = &warp->block->warps[index];
    const int last = other->absent ? __builtin_ctz(other->absent) - 1 : WARP_LANES - 1;
    snprintf(text, size, "one of the threads (%u, %u, %u) to (%u, %u, %u)", other->thread[0][0],
             other->thread[1][0], other->thread[2][0], other->thread[0][last],
             other->thread[1][last], other->thread[2][last]);
}

__attribute__((noreturn)) static void report(struct warp *warp, const struct instruction *at,
                                             int lane, uint64_t offset, const char *verb,
                                             const char *earlier, uint32_t tag)
{
    char what[300], place[560], threads[120];
    sim_name_shared(warp, offset, 4, what, sizeof what);
    sim_name_place(warp, tag >> TAG_WARP_BITS & TAG_FAR_PLACE, place, sizeof place);
    name_threads(warp, tag, threads, sizeof threads);
    sim_fault(warp, at, lane, SIM_RACE, SHARED_WINDOW + offset,
              "race on %s: this %s and the %s at %s by %s come in any order; a __syncthreads() "
              "between the two is missing",
              what, verb, earlier, place, threads);
}

void sim_shared_read_race(struct warp *warp, const struct instruction *at,
                          const struct places *places, unsigned bytes)
{
    const struct sim_checks *const checks = warp->worker->checks;
    const uint32_t mine = tag_of(warp, at, checks);
    EACH_ACTIVE(lane, warp->active)
    {
        const uint32_t offset = shared_offset(warp, places, lane, bytes);
        for (uint32_t word = offset / 4; word < (offset + bytes) / 4; word++)
            if (is_other(checks->writer[word], mine))
                report(warp, at, (int)lane, (uint64_t)word * 4, "read", "write",
                       checks->writer[word]);
    }
    __builtin_unreachable();
}

void sim_shared_write_clash(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes)
{
    struct sim_checks *const checks = warp->worker->checks;
    const uint32_t mine = tag_of(warp, at, checks);
    checks->clash_count = 0;
    EACH_ACTIVE(lane, warp->active)
    {
        const uint32_t offset = shared_offset(warp, places, lane, bytes);
        for (uint32_t word = offset / 4; word < (offset + bytes) / 4; word++) {
            const bool was_write = is_other(checks->writer[word], mine);
            if (!was_write && !is_other(checks->reader[word], mine))
                continue;
            const uint32_t *const storage = (const uint32_t *)warp->block->shared + word;
            checks->clashes[checks->clash_count++] =
                (struct clash){.tag = was_write ? checks->writer[word] : checks->reader[word],
                               .old = *storage,
                               .lane = (uint16_t)lane,
                               .was_write = was_write,
                               .word = storage};
        }
    }
}

/* Writing what is there already is no more than bad style. */
void sim_settle_clashes(struct warp *warp, const struct instruction *at)
{
    struct sim_checks *const checks = warp->worker->checks;
    const int count = checks->clash_count;
    checks->clash_count = 0;
    for (int i = 0; i < count; i++) {
        const struct clash *const clash = &checks->clashes[i];
        if (*clash->word != clash->old)
            report(warp, at, clash->lane,
                   (uint64_t)((const char *)clash->word - warp->block->shared), "write",
                   clash->was_write ? "write" : "read", clash->tag);
    }
}

void sim_check_shared_atomic(struct warp *warp, const struct instruction *at, int lane,
                             uint64_t offset)
{
    const struct sim_checks *const checks = warp->worker->checks;
    const uint32_t tag = checks->writer[offset / 4];
    if (is_other(tag, tag_of(warp, at, checks)))
        report(warp, at, lane, offset, "atomic access", "write", tag);
}
