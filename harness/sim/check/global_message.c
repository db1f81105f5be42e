/* What volatile and relaxed accesses have written last, and whose writes the warps of a block have
 * gone by. */
#include "global_message.h"

#include "sim/memory/names.h"

#include <string.h>
#include <sys/mman.h>

static const uint32_t plain = UINT32_MAX; /* in place of the count of a strong write */

/* The last strong write of a word. */
struct strong_word {
    _Atomic uint64_t tag;  /* 0: none, or being written */
    _Atomic uint64_t when; /* the last barrier's stretch, above the block's count of such writes */
};

/* The last write of a word; tag 0: unknown. */
struct written {
    uint64_t tag;
    uint32_t barrier, count;
};

/* ---- Blocks ---- */

void sim_message_start(struct global_checks *checks)
{
    checks->strong_count = 0;
    checks->look_count = 0;
    memset(checks->looks, 0, sizeof checks->looks);
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
    atomic_store(&words[word].tag, 0);
    atomic_store(&words[word].when, (uint64_t)checks->barrier << 32 | ++checks->strong_count);
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
    return (struct written){tag, (uint32_t)(when >> 32), (uint32_t)when};
}

static bool is_known(uint64_t tag)
{
    return tag != 0 && tag >> GLOBAL_BLOCK_SHIFT != GLOBAL_SEVERAL_BLOCKS &&
           (tag & GLOBAL_SEVERAL_WARPS) != GLOBAL_SEVERAL_WARPS;
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

void sim_message_look(struct warp *warp, const struct instruction *at,
                      const struct global_tags *tags, size_t word)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    const struct written set = find_written(tags, word);
    if (is_known(set.tag))
        *entry_for(checks, set.tag, UINT32_C(1) << warp->index) =
            (struct look){.tag = set.tag,
                          .warps = UINT32_C(1) << warp->index,
                          .place = at->cache,
                          .barrier = set.barrier,
                          .count = set.count};
}

void sim_message_acquire(struct warp *warp)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    const uint32_t mine = UINT32_C(1) << warp->index;
    for (int i = 0; i < LOOKS && checks->look_count > 0; i++)
        checks->looks[i].fenced |= checks->looks[i].warps & mine;
}

static uint32_t stretch_of(uint64_t tag)
{
    return (uint32_t)(tag >> GLOBAL_EPOCH_SHIFT) & ((1 << GLOBAL_EPOCH_BITS) - 1);
}

/* Whether the data come before the flag in their block: in the warp, or by a barrier of all. */
static bool is_before(const struct written *data, const struct look *flag)
{
    const uint32_t stretch = stretch_of(data->tag);
    if (data->tag >> GLOBAL_BLOCK_SHIFT != flag->tag >> GLOBAL_BLOCK_SHIFT)
        return false;
    if (stretch < flag->barrier)
        return true;
    if ((data->tag ^ flag->tag) & GLOBAL_SEVERAL_WARPS)
        return false;
    if (data->count == plain || flag->count == plain)
        return stretch <= stretch_of(flag->tag);
    return data->count < flag->count;
}

/* What is written by an atomic operation is a sum, a least value or a flag; swapped in, it is a
 * store. */
static bool is_data(const struct warp *warp, uint64_t tag)
{
    const struct ptx_instruction *const source = sim_find_place(
        warp->worker->launch->program, (uint32_t)(tag >> GLOBAL_PLACE_SHIFT) & GLOBAL_FAR_PLACE);
    return source && (strcmp(source->parts[0], "st") == 0 || ptx_has_part(source, "exch"));
}

bool sim_message_find(const struct warp *warp, const struct global_tags *tags, size_t word,
                      struct message *found)
{
    const struct global_checks *const checks = &warp->worker->checks->global;
    if (checks->look_count == 0)
        return false;
    const struct written data = find_written(tags, word);
    if (!is_known(data.tag))
        return false;
    for (int i = 0; i < LOOKS; i++) {
        const struct look *const flag = &checks->looks[i];
        if (!(flag->warps >> warp->index & 1) || !is_before(&data, flag) ||
            !is_data(warp, data.tag))
            continue;
        *found = (struct message){data.tag, flag->tag, flag->place,
                                  (flag->fenced >> warp->index & 1) != 0};
        return true;
    }
    return false;
}
