/* Which earlier accesses a plain read or write of global memory clashes with, and whether the write
 * changes the value. */
#include "global_race.h"

#include "order.h"

#include "sim/memory/names.h"

#include <string.h>

/* ---- Reads ---- */

/* A read of a word that clashes with the word's writer. */
static void meet_writer(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, uint64_t writer)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const struct finding finding = {
        .lane = lane, .use = SIM_READS, .earlier = SIM_WRITES, .tag = writer};
    if (!is_foreign(writer, mine) || is_shared_value(writer, mine) ||
        sim_global_may_be_ordered(warp, writer, mine))
        return;
    if (!(writer & GLOBAL_SAME))
        sim_global_fault(warp, at, storage, &finding);
    sim_global_warn(warp, at, storage, &finding);
}

void sim_global_read_clash(struct warp *warp, const struct instruction *at,
                           const struct places *places, unsigned bytes)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    uint64_t met = 0; /* the writer that this read has met last, and need not meet again */
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        const size_t word = global_word(tags, storage);
        for (unsigned i = 0; i < bytes / 4; i++)
            if (tags->writer[word + i] != met) {
                met = tags->writer[word + i];
                meet_writer(warp, at, (int)lane, storage + 4 * i, met);
            }
    }
}

/* Barriers do not help: the read-only cache may still hold the old value. */
static void meet_constant(struct warp *warp, const struct instruction *at, int lane,
                          const char *storage, uint64_t writer)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    char what[300], place[600];
    if (!mine || !writer || writer & GLOBAL_SAME || is_shared_value(writer, mine))
        return;
    sim_name_global(global_address(warp, at, storage), 4, what, sizeof what);
    sim_name_place(warp->worker->launch->program, global_place(writer), place, sizeof place);
    sim_fault(
        warp, at, lane, SIM_RACE, global_address(warp, at, storage),
        "race on %s: this read goes through the read-only cache (__ldg(), or a pointer that is "
        "const and __restrict__), and the write at %s is of the same launch; the cache need "
        "not see it, with or without a barrier between the two; are what it reads and what it "
        "writes to be two arrays, which are exchanged between launches?",
        what, place);
}

void sim_global_constant_read(struct warp *warp, const struct instruction *at,
                              const struct places *places, unsigned bytes)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    if (!warp->worker->checks->global.tag)
        return;
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        for (unsigned i = 0; i < bytes / 4; i++)
            meet_constant(warp, at, (int)lane, storage + 4 * i,
                          tags->writer[global_word(tags, storage) + i]);
    }
}

/* ---- Writes ---- */

void sim_global_write_clash(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes)
{
    struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    struct global_checks *const checks = &warp->worker->checks->global;
    const uint64_t mine = global_tag_of(warp, at, checks);
    const unsigned count = piece_words(warp, places, bytes);
    EACH_ACTIVE(lane, global_pieces(warp, places))
    {
        const size_t word = global_word(tags, place_of(places, lane, bytes));
        struct global_clash *const before = checks->before + lane * (bytes / 4);
        for (unsigned i = 0; i < count; i++)
            before[i] = (struct global_clash){tags->writer[word + i],
                                              sim_global_reader(warp, tags, word + i, mine)};
    }
}

/* The tag of a word that two warps or blocks have written with the same value. */
static uint64_t join_writers(uint64_t writer, uint64_t mine)
{
    const uint64_t rest = (mine & (uint64_t)GLOBAL_FAR_PLACE << GLOBAL_PLACE_SHIFT) |
                          (writer & (GLOBAL_SAME | GLOBAL_CHANGED)) | GLOBAL_SEVERAL_WARPS;
    if (is_same_block(writer, mine))
        return rest | (mine >> GLOBAL_EPOCH_SHIFT << GLOBAL_EPOCH_SHIFT);
    return rest | (uint64_t)GLOBAL_SEVERAL_BLOCKS << GLOBAL_BLOCK_SHIFT;
}

/* Whether a store that changes nothing now would have met another value if it had come earlier. */
static bool depends_on_order(const struct finding *finding, uint64_t mine)
{
    const bool was_changed = finding->tag & GLOBAL_CHANGED;
    return was_changed && (finding->earlier == SIM_WRITES ? !is_same_block(finding->tag, mine)
                                                          : finding->earlier == SIM_CHANGES);
}

/* The writer's tag after another write of the word. It keeps what the same block has done to the
 * word before. */
static uint64_t take_over(uint64_t writer, uint64_t mine, bool stayed, bool several)
{
    const bool is_ours = writer != 0 && is_same_block(writer, mine);
    const bool was_changed = writer & GLOBAL_CHANGED && !(writer & GLOBAL_SAME);
    const bool changes = !stayed && is_changed_again(writer, mine, several);
    const uint64_t changed = changes || (is_ours && was_changed) ? GLOBAL_CHANGED : 0;
    return mine | changed | (stayed && (writer == 0 || writer & GLOBAL_SAME) ? GLOBAL_SAME : 0);
}

/* What settle_word() has found for the last word of a store. Most words of a store meet the same.
 */
struct settled {
    struct global_clash before;
    bool stayed;
    uint64_t tag; /* 0: none yet */
};

/* Checks a write of a word against the word's tags before. @return the tag of the new writer. */
static uint64_t settle_word(struct warp *warp, const struct instruction *at, int lane,
                            const char *storage, const struct global_clash *before, bool stayed,
                            bool several)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const uint64_t writer = before->writer, reader = before->reader;
    const bool meets_writer =
        is_foreign(writer, mine) && !sim_global_may_be_ordered(warp, writer, mine);
    const bool meets_reader =
        is_foreign(reader, mine) && !sim_global_may_be_ordered(warp, reader, mine);
    const bool was_atomic = !meets_writer && meets_reader && sim_global_is_atomic(warp, reader);
    const struct finding finding = {.lane = lane,
                                    .use = SIM_WRITES,
                                    .earlier = meets_writer ? SIM_WRITES
                                               : was_atomic ? SIM_CHANGES
                                                            : SIM_READS,
                                    .tag = meets_writer ? writer : reader,
                                    .stayed = stayed};
    if ((meets_writer || meets_reader) && (!stayed || depends_on_order(&finding, mine)))
        sim_global_fault(warp, at, storage, &finding);
    if (meets_writer || meets_reader)
        sim_global_warn(warp, at, storage, &finding);
    if (meets_writer)
        return join_writers(writer, mine);
    return take_over(writer, mine, stayed, several);
}

/* Settles a row at once whose words all met the same and stayed. Tags that stay are not written, so
 * that host threads do not take their cache lines from each other. @return false: they did not. */
static bool settle_row(struct warp *warp, const struct instruction *at, const struct places *places,
                       unsigned bytes)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    const struct global_checks *const checks = &warp->worker->checks->global;
    const struct global_clash *const before = checks->before;
    const uint64_t mine = global_tag_of(warp, at, checks);
    const unsigned count = bytes / 4 * WARP_LANES;
    if (!is_row(warp, places) || memcmp(places->base, checks->old, (size_t)count * 4) != 0)
        return false;
    uint64_t *const writer = tags->writer + global_word(tags, places->base);
    const uint64_t first = writer[0];
    uint64_t differs = 0, changes = 0;
    if (checks->clashes)
        for (unsigned i = 0; i < count; i++)
            differs |=
                (before[i].writer ^ before[0].writer) | (before[i].reader ^ before[0].reader);
    else
        for (unsigned i = 0; i < count; i++)
            differs |= writer[i] ^ first;
    if (differs)
        return false;
    const struct global_clash none = {is_foreign(first, mine) ? 0 : first, 0};
    const uint64_t tag =
        settle_word(warp, at, 0, places->base, checks->clashes ? before : &none, true, false);
    for (unsigned i = 0; i < count; i++)
        changes |= writer[i] ^ tag;
    for (unsigned i = 0; changes && i < count; i++)
        writer[i] = tag;
    return true;
}

void sim_global_settle(struct warp *warp, const struct instruction *at, const struct places *places,
                       unsigned bytes)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    struct global_checks *const checks = &warp->worker->checks->global;
    const uint64_t mine = global_tag_of(warp, at, checks);
    const unsigned words = bytes / 4;
    const bool several = has_several_pieces(warp, places);
    struct settled last = {.tag = 0};
    if (settle_row(warp, at, places, bytes))
        return;
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        const size_t word = global_word(tags, storage);
        for (unsigned i = 0; i < words; i++) {
            const uint64_t writer = tags->writer[word + i];
            /* Nothing clashed before the store, so another thread's tag came during the store. */
            const struct global_clash none = {is_foreign(writer, mine) ? 0 : writer, 0};
            const bool stayed =
                memcmp(storage + 4 * i, &checks->old[lane * words + i], sizeof(uint32_t)) == 0;
            const struct global_clash *const before =
                checks->clashes ? &checks->before[lane * words + i] : &none;
            if (!last.tag || before->writer != last.before.writer ||
                before->reader != last.before.reader || stayed != last.stayed)
                last = (struct settled){
                    *before, stayed,
                    settle_word(warp, at, (int)lane, storage + 4 * i, before, stayed, several)};
            tags->writer[word + i] = last.tag;
            if (!stayed && tags->reader[word + i])
                tags->reader[word + i] = 0;
        }
    }
}
