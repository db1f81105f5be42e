/* What volatile and relaxed accesses have written last, and whose writes the warps of a block have
 * gone by. */
#include "global_message.h"

#include "global_tags.h"

#include "sim/memory/names.h"

#include <string.h>
#include <sys/mman.h>

static const uint32_t plain = UINT32_MAX; /* in place of the count of a strong write */

/* The last strong write of a word. */
struct strong_word {
    _Atomic uint64_t tag;  /* 0: none, or being written */
    _Atomic uint64_t when; /* the last barrier's stretch, above the block's count of such writes;
                              AGAIN if there was one before */
};
#define AGAIN (UINT64_C(1) << 63)

/* The last write of a word; tag 0: unknown. */
struct written {
    uint64_t tag;
    uint32_t barrier, count;
    bool is_first; /* and only one in this launch */
};

/* ---- Blocks ---- */

void sim_message_start(struct global_checks *checks)
{
    checks->strong_count = 0;
    checks->look_count = checks->look_time = 0;
    memset(checks->looks, 0, sizeof checks->looks);
    if (checks->early_count > 0)
        memset(checks->early_data, 0, sizeof checks->early_data);
    checks->early_count = 0;
}

void sim_message_barrier(struct global_checks *checks)
{
    for (int i = 0; i < LOOKS && checks->look_count > 0; i++) {
        struct look *const look = &checks->looks[i];
        look->warps = UINT32_MAX;
        look->fenced = look->fenced ? UINT32_MAX : 0;
    }
}

/* ---- Words ---- */

/* NULL when there is no memory: then nothing is found. */
static struct strong_word *get_words(struct global_tags *tags)
{
    struct strong_word *words = atomic_load(&tags->strong), *none = NULL;
    if (words)
        return words;
    void *const memory = mmap(NULL, tags->words * sizeof *words, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (atomic_compare_exchange_strong(&tags->strong, &none, memory))
        return memory;
    munmap(memory, tags->words * sizeof *words);
    return none;
}

void sim_message_end(struct global_tags *tags)
{
    struct strong_word *const words = atomic_exchange(&tags->strong, NULL);
    if (words)
        munmap(words, tags->words * sizeof *words);
}

void sim_message_write(struct warp *warp, struct global_tags *tags, size_t word, uint64_t mine)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    struct strong_word *const words = get_words(tags);
    if (!words || checks->strong_count == plain - 1)
        return;
    const uint64_t again = atomic_load(&words[word].tag) ? AGAIN : 0;
    atomic_store(&words[word].tag, 0);
    atomic_store(&words[word].when,
                 again | (uint64_t)checks->barrier << 32 | ++checks->strong_count);
    atomic_store(&words[word].tag, mine);
}

/* Of a word that was written plainly, too, nobody knows which came last. */
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
    return (struct written){tag, (uint32_t)((when & ~AGAIN) >> 32), (uint32_t)when,
                            !(when & AGAIN)};
}

static bool is_known(uint64_t tag)
{
    return tag != 0 && tag >> GLOBAL_BLOCK_SHIFT != GLOBAL_SEVERAL_BLOCKS &&
           (tag & GLOBAL_SEVERAL_WARPS) != GLOBAL_SEVERAL_WARPS;
}

uint64_t sim_message_writer(const struct global_tags *tags, size_t word)
{
    const struct strong_word *const words = atomic_load(&tags->strong);
    const uint64_t tag = words ? atomic_load(&words[word].tag) : 0;
    return is_known(tag) ? tag : 0;
}

/* ---- Looks ---- */

/* The entry of that block that this warp has made, else the oldest one. */
static struct look *entry_for(struct global_checks *checks, uint64_t tag, uint32_t mine)
{
    for (int i = 0; i < LOOKS; i++)
        if (checks->looks[i].warps == mine &&
            checks->looks[i].tag >> GLOBAL_BLOCK_SHIFT == tag >> GLOBAL_BLOCK_SHIFT)
            return &checks->looks[i];
    return &checks->looks[checks->look_count++ % LOOKS];
}

static uint32_t stretch_of(uint64_t tag)
{
    return (uint32_t)(tag >> GLOBAL_EPOCH_SHIFT) & ((1 << GLOBAL_EPOCH_BITS) - 1);
}

static bool is_of_one_block(uint64_t a, uint64_t b)
{
    return a >> GLOBAL_BLOCK_SHIFT == b >> GLOBAL_BLOCK_SHIFT;
}

/* Whether one write comes before another one of its block: of its warp, or by a barrier of all. */
static bool is_before(const struct written *one, const struct written *other)
{
    const uint32_t stretch = stretch_of(one->tag);
    if (!is_of_one_block(one->tag, other->tag))
        return false;
    if (stretch < other->barrier)
        return true;
    if ((one->tag ^ other->tag) & GLOBAL_SEVERAL_WARPS)
        return false;
    if (one->count == plain || other->count == plain)
        return stretch <= stretch_of(other->tag);
    return one->count < other->count;
}

static struct written flag_of(const struct look *look)
{
    return (struct written){.tag = look->tag, .barrier = look->barrier, .count = look->count};
}

/* Of what the warp has read before this look. */
static bool find_early(const struct warp *warp, const struct written *flag, struct message *found)
{
    const struct global_checks *const checks = &warp->worker->checks->global;
    for (int i = 0; i < EARLY_DATA && checks->early_count > 0; i++) {
        const struct early_data *const early = &checks->early_data[i];
        const struct written data = {
            .tag = early->tag, .barrier = early->barrier, .count = early->count};
        if (early->tag == 0 || early->warp != warp->index || !is_before(&data, flag))
            continue;
        *found = (struct message){.data = early->tag,
                                  .flag = flag->tag,
                                  .order = MESSAGE_READ_EARLY,
                                  .storage = early->storage,
                                  .read = early->place,
                                  .lane = early->lane};
        return true;
    }
    return false;
}

/* What is written by an atomic operation is a sum, a least value or a flag; swapped in, it is a
 * store. */
static bool is_data(const struct warp *warp, uint64_t tag)
{
    const struct ptx_instruction *const source = sim_find_place(
        warp->worker->launch->program, (uint32_t)(tag >> GLOBAL_PLACE_SHIFT) & GLOBAL_FAR_PLACE);
    return source && (ptx_does(source, PTX_STORES) || ptx_has_part(source, "exch"));
}

/* What the warp knows of a block stays known when it looks at something that was set earlier. */
bool sim_message_look(struct warp *warp, const struct instruction *at,
                      const struct global_tags *tags, size_t word, struct message *early)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    const struct written set = find_written(tags, word);
    const uint32_t mine = UINT32_C(1) << warp->index;
    if ((set.tag || tags->writer[word]) && !(is_known(set.tag) && is_data(warp, set.tag)))
        sim_global_other_look(warp, at);
    if (!is_known(set.tag))
        return false;
    struct look *const look = entry_for(checks, set.tag, mine);
    const struct written before = flag_of(look);
    checks->look_time++;
    if (look->warps == mine && look->fenced & mine && is_before(&set, &before))
        look->time = checks->look_time;
    else
        *look = (struct look){.tag = set.tag,
                              .warps = mine,
                              .place = at->cache,
                              .barrier = set.barrier,
                              .count = set.count,
                              .time = checks->look_time};
    const bool is_early = find_early(warp, &set, early);
    early->look = at->cache;
    return is_early;
}

void sim_message_acquire(struct warp *warp)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    const uint32_t mine = UINT32_C(1) << warp->index;
    for (int i = 0; i < LOOKS && checks->look_count > 0; i++)
        checks->looks[i].fenced |= checks->looks[i].warps & mine;
}

/* Two words of one store are set at once. */
static bool is_of_other_place(const struct written *one, const struct written *other)
{
    return ((one->tag ^ other->tag) >> GLOBAL_PLACE_SHIFT & GLOBAL_FAR_PLACE) != 0;
}

/* Whether a look tells of the data, or where the flag is set first. */
static bool tells_of(const struct look *look, const struct written *data, struct message *found)
{
    const struct written flag = flag_of(look);
    if (is_before(data, &flag))
        found->order = MESSAGE_UNORDERED;
    else if (data->is_first && is_before(&flag, data) && is_of_other_place(&flag, data))
        found->order = MESSAGE_SET_LATE;
    else
        return false;
    found->data = data->tag;
    found->flag = look->tag;
    found->look = look->place;
    return true;
}

bool sim_message_find(const struct warp *warp, const struct global_tags *tags, size_t word,
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

void sim_message_read_early(struct warp *warp, const struct instruction *at, int lane,
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
                                 .tag = data.tag,
                                 .barrier = data.barrier,
                                 .count = data.count,
                                 .warp = warp->index,
                                 .place = at->cache,
                                 .lane = lane};
}

bool sim_message_find_reset(const struct warp *warp, uint64_t tag, uint64_t when,
                            struct message *found)
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
    const struct written flag = flag_of(last);
    *found = (struct message){.data = reset.tag, .flag = last->tag, .look = last->place};
    return is_before(&flag, &reset);
}
