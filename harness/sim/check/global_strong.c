/* Checks of volatile, relaxed and ordered accesses of global memory. */
#include "global_strong.h"

#include "cause.h"
#include "global_race.h"
#include "order.h"
#include "switchboard.h"
#include "worker_checks.h"

#include "sim/memory/names.h"

/* ---- Stores of what others add to ---- */

static uint64_t last_store(const struct warp *warp, const char *storage, uint64_t *when)
{
    return sim_store_last(warp->worker->launch->global->strong_stores, storage, when);
}

void sim_test_set(struct warp *warp, const struct instruction *at, int lane, const char *storage)
{
    struct strong_store *const sets = warp->worker->launch->global->test_sets;
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    uint64_t when;
    const uint64_t earlier = sim_store_last(sets, storage, &when);
    if (earlier && !(at->flags & FLAG_UPDATE) && global_place(earlier) == global_place(mine))
        sim_taken_twice(warp, at, lane, storage, earlier);
    sim_store_note(warp, sets, storage, mine);
}

void sim_global_strong_store(struct warp *warp, const struct instruction *at,
                             const struct places *places, unsigned bytes)
{
    struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    if (!tags || !warp->worker->checks->global.tag)
        return;
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        const uint64_t adder = tags->reader[global_word(tags, storage)];
        uint64_t when;
        const uint64_t writer = last_store(warp, storage, &when);
        const struct finding finding = {.lane = (int)lane,
                                        .use = SIM_WRITES,
                                        .earlier = SIM_CHANGES,
                                        .tag = adder,
                                        .is_strong = true};
        if (at->flags & FLAG_UPDATE && writer)
            sim_lost_update(warp, at, (int)lane, storage, writer);
        if (at->flags & (FLAG_TEST_SET | FLAG_CLAIM))
            sim_test_set(warp, at, (int)lane, storage);
        if (adder & GLOBAL_CHANGED && is_foreign(adder, mine) && !is_same_block(adder, mine) &&
            sim_global_is_atomic(warp, adder) && !sim_global_may_be_ordered(warp, adder, mine))
            sim_global_fault(warp, at, storage, &finding);
        for (unsigned i = 0; i < bytes / 4; i++)
            sim_message_write(warp, tags, global_word(tags, storage) + i, mine);
        sim_strong_note(warp, storage, mine);
    }
}

void sim_global_strong_tell(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes)
{
    const uint32_t *const values = sim_slot(warp, at->d); /* where FLAG_WHOLE says so */
    if (at->flags & FLAG_BLOCK)
        return;
    if (bytes < 4 || !warp->worker->caches[at->cache].tags || !warp->worker->checks->global.tag)
        sim_flags_lose();
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    for (unsigned i = 0; i < bytes / 4; i++)
        sim_flags_store(warp, place_of(places, lane, bytes) + 4 * i,
                        at->flags & FLAG_WHOLE ? &values[lane] : NULL);
}

void sim_strong_before_add(struct warp *warp, const struct instruction *at, int lane,
                           const char *storage)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    checks->stored = last_store(warp, storage, &checks->stored_when);
    if (checks->stored && sim_source(warp, at)->update & PTX_ADDS)
        sim_message_reset(warp, at, lane, storage, checks->stored, checks->stored_when);
}

void sim_strong_added(struct warp *warp, const struct instruction *at, int lane,
                      const char *storage, uint64_t mine)
{
    uint64_t when;
    if (!atomic_load(&warp->worker->launch->global->has_strong_stores))
        return;
    const uint64_t writer = last_store(warp, storage, &when);
    const struct finding finding = {
        .lane = lane, .use = SIM_CHANGES, .earlier = SIM_WRITES, .tag = writer, .is_strong = true};
    /* A store that has come meanwhile may be of a block that has counted this addition. */
    const bool came_before = writer == warp->worker->checks->global.stored &&
                             when == warp->worker->checks->global.stored_when;
    if (writer && came_before && !is_same_block(writer, mine) &&
        !sim_global_has_heard(warp, writer))
        sim_global_fault(warp, at, storage, &finding);
}

/* ---- Halves of a word ---- */

/* The bytes of one element of an access, by its number in the allocation cache; 0: unknown. */
static unsigned element_bytes(const struct warp *warp, uint32_t cache)
{
    const struct program *const program = warp->worker->launch->program;
    return program->element_bytes && cache < program->cache_count ? program->element_bytes[cache]
                                                                  : 0;
}

static bool loads_word(const struct ptx_instruction *source)
{
    return ptx_does(source, PTX_LOADS) && source->operand_count > 1 &&
           ptx_type_size(ptx_part_type(source->parts[source->part_count - 1])) == 4;
}

/* Whether some instruction reads the other half of a pair of words by itself. */
static bool reads_other_half(const struct ptx_function *function, int instruction)
{
    const struct ptx_operand *const one = &function->instructions[instruction].operands[1];
    for (int i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *const other = &function->instructions[i];
        const int64_t apart = loads_word(other) ? other->operands[1].offset - one->offset : 0;
        if ((apart == 4 || apart == -4) && other->operands[1].reg == one->reg)
            return true;
    }
    return false;
}

/* The bytes of one element of the store that last set a word; 0: unknown. */
static unsigned size_of_write(const struct warp *warp, uint64_t writer)
{
    return writer ? element_bytes(warp, global_place(writer)) : 0;
}

/* Faults if a value of 8 bytes is written at once and read in halves, or the other way round. One
 * half may then be old. `size` is that of an element that is read. */
static void meet_halves(struct warp *warp, const struct instruction *at, int lane,
                        const char *storage, const struct global_tags *tags, unsigned size)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const size_t word = global_word(tags, storage);
    const uint64_t writer = sim_message_writer(tags, word);
    const unsigned written = size_of_write(warp, writer);
    const struct finding finding = {
        .lane = lane, .use = SIM_READS, .earlier = SIM_WRITES, .tag = writer};
    char what[300], both[800];
    if (!(size == 4 && written == 8 &&
          sim_answer(warp, at, QUESTION_READS_OTHER_HALF, reads_other_half)) &&
        !(size == 8 && written == 4 &&
          size_of_write(warp, sim_message_writer(tags, word + 1)) == 4))
        return;
    if (is_same_block(writer, mine) || sim_global_is_synchronized(warp, writer) ||
        !sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_global(global_address(warp, at, storage), 8, what, sizeof what);
    sim_global_describe(warp, &finding, both, sizeof both);
    sim_fault(warp, at, lane, SIM_RACE, global_address(warp, at, storage),
              "race on %s: %s come in any order, and one has the 8 bytes at once, the other in two "
              "halves, of which one may be old: write and read them in one access, as an unsigned "
              "long long",
              what, both);
}

void sim_global_strong_load(struct warp *warp, const struct instruction *at,
                            const struct places *places, unsigned bytes)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    const unsigned size = element_bytes(warp, at->cache);
    if (!tags || !warp->worker->checks->global.tag ||
        !warp->worker->launch->program->reads_messages || at == warp->block->grid_read)
        return;
    EACH_ACTIVE(lane, lanes_that_count(warp, places))
    {
        const char *const storage = place_of(places, lane, bytes);
        if (!(at->flags & FLAG_BLOCK))
            sim_flags_load(warp, (int)lane, storage, bytes);
        if (size == 4 || size == 8)
            meet_halves(warp, at, (int)lane, storage, tags, size);
        for (unsigned i = 0; i < bytes / 4; i++)
            sim_message_read(warp, at, (int)lane, storage + 4 * i, tags);
    }
}

/* ---- All ---- */

void sim_global_strong(struct warp *warp, const struct instruction *at, bool is_store)
{
    if (at == warp->block->grid_read) /* the barrier of the grid is handled by order_blocks.c */
        return;
    warp->worker->checks->global.acquired = true;
    if (!is_store)
        sim_checks_look(warp, SIM_LOOK_GLOBAL, at->flags & FLAG_BLOCK);
    if (!is_store && !(at->flags & FLAG_LOOK))
        sim_global_other_look(warp, at);
    if (at->flags & FLAG_RELEASE)
        sim_global_release(warp, at->flags & FLAG_BLOCK);
    if (is_store && !(at->flags & FLAG_BLOCK))
        sim_global_set(warp);
    else if (!(at->flags & FLAG_BLOCK))
        warp->worker->checks->global.looked |= UINT32_C(1) << warp->index;
    sim_global_signal(warp, true);
}
