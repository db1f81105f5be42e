/* Which volatile and relaxed accesses have written each word last, and which of these writes the
 * warps of a block rely on as flags. */
#include "global_strong.h"

#include "global_race.h"
#include "global_tags.h"
#include "order.h"

#include "sim/memory/names.h"

#include <stdio.h>
#include <string.h>

static const uint32_t plain = UINT32_MAX; /* in place of the count of a strong write */

static bool reads_messages(const struct warp *warp)
{
    return warp->worker->launch->program->reads_messages;
}

/* ---- Words ---- */

void sim_message_write(struct warp *warp, struct global_tags *tags, size_t word, uint64_t mine)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    struct strong_word *const words =
        reads_messages(warp) ? sim_global_make_once(&tags->strong, tags->words * sizeof *words)
                             : NULL;
    if (!words || checks->strong_count == plain - 1)
        return;
    const uint64_t again = atomic_load(&words[word].tag) ? STRONG_AGAIN : 0;
    /* Who sees one of these stores must see those before it, and more is not needed. */
    atomic_store_explicit(&words[word].tag, 0, memory_order_release);
    atomic_store_explicit(&words[word].when,
                          again | (uint64_t)checks->barrier << 32 | ++checks->strong_count,
                          memory_order_release);
    atomic_store_explicit(&words[word].tag, mine, memory_order_release);
}

/* The last write of a word; tag 0: unknown, as for a word with both strong and plain writes. */
static struct written find_written(const struct global_tags *tags, size_t word)
{
    const struct strong_word *const words = atomic_load(&tags->strong);
    const uint64_t other = tags->writer[word];
    const uint64_t tag = words ? atomic_load(&words[word].tag) : 0;
    if (tag == 0)
        return (struct written){.tag = other & GLOBAL_SAME ? 0 : other, .count = plain};
    const uint64_t when = atomic_load(&words[word].when);
    if (other != 0 || atomic_load(&words[word].tag) != tag)
        return (struct written){.tag = 0};
    return (struct written){tag, (uint32_t)((when & ~STRONG_AGAIN) >> 32), (uint32_t)when,
                            !(when & STRONG_AGAIN)};
}

static bool is_known(uint64_t tag)
{
    return tag != 0 && !is_of_several(tag);
}

uint64_t sim_message_writer(const struct global_tags *tags, size_t word)
{
    const struct strong_word *const words = atomic_load(&tags->strong);
    const uint64_t tag = words ? atomic_load(&words[word].tag) : 0;
    return is_known(tag) ? tag : 0;
}

/* ---- Looks ---- */

/* This warp's entry for the block of the tag; if there is none, the oldest entry. */
static struct look *entry_for(struct global_checks *checks, uint64_t tag, uint32_t mine)
{
    for (int i = 0; i < LOOKS; i++)
        if (checks->looks[i].warps == mine && is_same_block(checks->looks[i].flag.tag, tag))
            return &checks->looks[i];
    return &checks->looks[checks->look_count++ % LOOKS];
}

/* Whether one write comes before another write of the same block: one warp made both writes, or a
 * barrier of the block is between them. */
static bool is_before(const struct written *one, const struct written *other)
{
    const uint32_t stretch = global_stretch(one->tag);
    if (!is_same_block(one->tag, other->tag))
        return false;
    if (stretch < other->barrier)
        return true;
    if ((one->tag ^ other->tag) & GLOBAL_SEVERAL_WARPS)
        return false;
    if (one->count == plain || other->count == plain)
        return stretch <= global_stretch(other->tag);
    return one->count < other->count;
}

/* Finds data that the warp read before this look at the flag, and that were written before the
 * flag. */
static bool find_early(const struct warp *warp, const struct written *flag, struct message *found)
{
    const struct global_checks *const checks = &warp->worker->checks->global;
    for (int i = 0; i < EARLY_DATA && checks->early_count > 0; i++) {
        const struct early_data *const early = &checks->early_data[i];
        if (early->data.tag == 0 || early->warp != warp->index || !is_before(&early->data, flag))
            continue;
        *found = (struct message){.data = early->data.tag,
                                  .flag = flag->tag,
                                  .order = MESSAGE_READ_EARLY,
                                  .storage = early->storage,
                                  .read = early->place,
                                  .lane = early->lane};
        return true;
    }
    return false;
}

/* Whether the write of a tag counts as data. A sum, a minimum or a flag that an atomic operation
 * writes does not count. An exchange counts as a store. */
static bool is_data(const struct warp *warp, uint64_t tag)
{
    const struct ptx_instruction *const source =
        sim_find_place(warp->worker->launch->program, global_place(tag));
    return source && (ptx_does(source, PTX_STORES) || source->update & PTX_EXCHANGES);
}

/* Notes a look at a word. If the warp has already acquired a later write of the same block, the
 * entry of that write stays. */
static bool look_at(struct warp *warp, const struct instruction *at, const struct global_tags *tags,
                    size_t word, struct message *early)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    const struct written set = find_written(tags, word);
    const uint32_t mine = UINT32_C(1) << warp->index;
    if ((set.tag || tags->writer[word]) && !(is_known(set.tag) && is_data(warp, set.tag)))
        sim_global_other_look(warp, at);
    if (!is_known(set.tag))
        return false;
    struct look *const look = entry_for(checks, set.tag, mine);
    checks->look_time++;
    if (look->warps == mine && look->fenced & mine && is_before(&set, &look->flag))
        look->time = checks->look_time;
    else
        *look = (struct look){
            .flag = set, .warps = mine, .place = at->cache, .time = checks->look_time};
    const bool is_early = find_early(warp, &set, early);
    early->look = at->cache;
    return is_early;
}

/* Whether the flag of a look announces the data, or is set before them by mistake. */
static bool tells_of(const struct look *look, const struct written *data, struct message *found)
{
    if (is_before(data, &look->flag))
        found->order = MESSAGE_UNORDERED;
    else if (data->is_first && is_before(&look->flag, data) &&
             global_place(look->flag.tag) !=
                 global_place(data->tag)) /* one instruction sets both words */
        found->order = MESSAGE_SET_LATE;
    else
        return false;
    found->data = data->tag;
    found->flag = look->flag.tag;
    found->look = look->place;
    return true;
}

static bool find_message(const struct warp *warp, const struct global_tags *tags, size_t word,
                         struct message *found)
{
    const struct global_checks *const checks = &warp->worker->checks->global;
    bool is_found = false;
    if (checks->look_count == 0)
        return false;
    const struct written data = find_written(tags, word);
    if (!is_known(data.tag) || !is_data(warp, data.tag))
        return false;
    for (int i = 0; i < LOOKS; i++) {
        const struct look *const look = &checks->looks[i];
        struct message one = {.is_acquired = (look->fenced >> warp->index & 1) != 0};
        if (!(look->warps >> warp->index & 1) || !tells_of(look, &data, &one))
            continue;
        if (!is_found || one.order == MESSAGE_UNORDERED)
            *found = one;
        is_found = true;
    }
    return is_found;
}

static void read_early(struct warp *warp, const struct instruction *at, int lane,
                       const struct global_tags *tags, size_t word)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    const struct written data = find_written(tags, word);
    struct early_data *early = NULL;
    for (int i = 0; i < EARLY_DATA && !early; i++)
        if (checks->early_data[i].place == at->cache && checks->early_data[i].warp == warp->index)
            early = &checks->early_data[i];
    if (!is_known(data.tag) || !is_data(warp, data.tag))
        return;
    if (!early)
        early = &checks->early_data[checks->early_count++ % EARLY_DATA];
    *early = (struct early_data){.storage = tags->host + 4 * word,
                                 .data = data,
                                 .warp = warp->index,
                                 .place = at->cache,
                                 .lane = lane};
}

static bool find_reset(const struct warp *warp, uint64_t tag, uint64_t when, struct message *found)
{
    const struct global_checks *const checks = &warp->worker->checks->global;
    const struct written reset = {tag, (uint32_t)(when >> 32), (uint32_t)when, false};
    const struct look *last = NULL;
    for (int i = 0; i < LOOKS && checks->look_count > 0; i++)
        if (checks->looks[i].warps >> warp->index & 1 &&
            (!last || checks->looks[i].time > last->time))
            last = &checks->looks[i];
    if (!last || !is_known(reset.tag))
        return false;
    *found = (struct message){.data = reset.tag, .flag = last->flag.tag, .look = last->place};
    return is_before(&last->flag, &reset);
}

/* ---- What is said ---- */

/* Whether a fence follows the warp's last look at this place. Blocks that add to one counter tell
 * of each other's data: the last look counts, whichever block's addition it saw. */
static bool is_last_acquired(const struct warp *warp, uint32_t place)
{
    const struct global_checks *const checks = &warp->worker->checks->global;
    const struct look *last = NULL;
    for (int i = 0; i < LOOKS; i++)
        if (checks->looks[i].place == place && checks->looks[i].warps >> warp->index & 1 &&
            (!last || checks->looks[i].time > last->time))
            last = &checks->looks[i];
    return !last || last->fenced >> warp->index & 1;
}

/* Writes what is missing between data and their flag, or what must be moved. */
static void say_order(const struct warp *warp, const struct message *message, char *text,
                      size_t size)
{
    const struct program *const program = warp->worker->launch->program;
    const bool is_here = is_same_block(message->data, warp->worker->checks->global.tag);
    const bool lacks_release = is_here ||
                               !atomic_load(&warp->worker->launch->global->has_releases) ||
                               !sim_global_is_released(warp, message->data);
    const bool is_counter = !is_data(warp, message->flag);
    const bool lacks_acquire =
        !message->is_acquired || (is_counter && !is_last_acquired(warp, message->look));
    const char *const half = sim_global_missing_half(warp, message->data);
    /* another block's addition to a counter may tell of a later one of the writer's */
    const bool is_late = message->order == MESSAGE_SET_LATE && (lacks_release || !is_counter);
    char flag[560], look[560];
    sim_name_short_place(program, global_place(message->flag), flag, sizeof flag);
    sim_name_short_place(program, message->look, look, sizeof look);
    if (is_late)
        snprintf(text, size,
                 "the reader goes by a flag or counter that is set at %s, before that write, and "
                 "read at %s: first the data, then a __threadfence(), then the flag",
                 flag, look);
    else if (message->order == MESSAGE_READ_EARLY)
        snprintf(text, size,
                 "the value is read before the flag or counter that tells of it, which is set at "
                 "%s and read at %s, so that it may be an old one: first wait for the flag, then a "
                 "__threadfence(), then read the data",
                 flag, look);
    else
        snprintf(text, size,
                 "the reader goes by a flag or counter that is set at %s and read at %s, but "
                 "volatile, relaxed and atomic accesses to other words are in no order with "
                 "that%s%s%s%s",
                 flag, look,
                 lacks_release ? "; between the write and the setting of the flag, a "
                                 "__threadfence() or a release (st.release, memory_order_release) "
                                 "is missing"
                               : "",
                 lacks_acquire ? "; between the look at the flag and this read, a __threadfence() "
                                 "or an acquire (ld.acquire, memory_order_acquire) is missing"
                               : "",
                 lacks_release || lacks_acquire || !half ? "" : "; ",
                 lacks_release || lacks_acquire || !half ? "" : half);
}

/* Reports the read of the data of `message`. If the data were read before the look, `message` has
 * the read, and `at` is the look. */
static void report(struct warp *warp, const struct instruction *at, int lane, const char *storage,
                   const struct message *message)
{
    char order[1200];
    const struct finding finding = {.lane = lane,
                                    .use = SIM_READS,
                                    .earlier = SIM_WRITES,
                                    .tag = message->data,
                                    .place =
                                        message->order == MESSAGE_READ_EARLY ? message->read : 0,
                                    .cause = order};
    say_order(warp, message, order, sizeof order);
    sim_global_fault(warp, at, storage, &finding);
}

void sim_message_look(struct warp *warp, const struct instruction *at,
                      const struct global_tags *tags, size_t word)
{
    struct message early;
    if (reads_messages(warp) && look_at(warp, at, tags, word, &early) &&
        is_foreign(early.data, global_tag_of(warp, at, &warp->worker->checks->global)))
        report(warp, at, early.lane, early.storage, &early);
}

void sim_message_read(struct warp *warp, const struct instruction *at, int lane,
                      const char *storage, const struct global_tags *tags)
{
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    const size_t word = global_word(tags, storage);
    struct message message;
    if (at->flags & FLAG_SUCCESSOR)
        warp->worker->checks->global.successors[warp->index].at = NULL;
    if (at->flags & FLAG_LOOK)
        sim_message_look(warp, at, tags, word);
    else if (find_message(warp, tags, word, &message)) {
        if (!is_foreign(message.data, mine) ||
            (!is_same_block(message.data, mine) && sim_global_is_synchronized(warp, message.data)))
            return;
        if (at->flags & FLAG_SUCCESSOR)
            warp->worker->checks->global.successors[warp->index] =
                (struct successor_read){at, storage, lane, message};
        else
            report(warp, at, lane, storage, &message);
    } else if (at->flags & FLAG_EARLY) {
        read_early(warp, at, lane, tags, word);
    }
}

void sim_message_popped(struct warp *warp, int lane)
{
    const struct successor_read *const read = &warp->worker->checks->global.successors[warp->index];
    if (read->at && read->lane == lane)
        report(warp, read->at, lane, read->storage, &read->message);
}

void sim_message_reset(struct warp *warp, const struct instruction *at, int lane,
                       const char *storage, uint64_t tag, uint64_t when)
{
    const struct program *const program = warp->worker->launch->program;
    struct message message;
    char flag[560], look[560], cause[1400];
    if (!find_reset(warp, tag, when, &message) ||
        is_same_block(tag, warp->worker->checks->global.tag) ||
        sim_global_is_before_grid_barrier(warp, tag))
        return;
    sim_name_short_place(program, global_place(message.flag), flag, sizeof flag);
    sim_name_short_place(program, message.look, look, sizeof look);
    snprintf(cause, sizeof cause,
             "the flag that lets others go on is set at %s and read at %s, and the write, which "
             "takes away what they add, stands after it: set the counter back first, then a "
             "__threadfence(), then the flag",
             flag, look);
    sim_global_fault(
        warp, at, storage,
        &(struct finding){
            .lane = lane, .use = SIM_CHANGES, .earlier = SIM_WRITES, .tag = tag, .cause = cause});
}
