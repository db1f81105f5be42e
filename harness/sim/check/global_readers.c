/* Of a word that several blocks have read, two of its readers. Its tag then names no block, so that
 * the block that writes it might have waited for one reader and not for another; and the writer may
 * be one of the readers. Kept only where flags may order blocks: elsewhere any other block's read
 * is a race. */
#include "global_race.h"

#include "global_tags.h"
#include "order.h"

static uint64_t rank_of(size_t word, uint64_t tag)
{
    return (word + (global_block(tag) << 32)) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
}

/* Each word keeps other readers than its neighbours, so that of many words some keep the reader
 * that was not waited for. */
static void keep(struct word_readers *kept, size_t word, uint64_t mine)
{
    for (int i = 0; i < 2; i++)
        if (is_same_block(kept->tags[i], mine)) {
            kept->tags[i] = join_readers(kept->tags[i], mine);
            return;
        }
    const int last = rank_of(word, kept->tags[1]) > rank_of(word, kept->tags[0]);
    if (rank_of(word, mine) < rank_of(word, kept->tags[last]))
        kept->tags[last] = mine;
}

void sim_global_keep_readers(struct global_tags *tags, size_t word, unsigned count, uint64_t mine)
{
    struct word_readers *const readers =
        sim_global_make_once(&tags->readers, tags->words * sizeof *readers);
    for (unsigned i = 0; readers && i < count; i++) {
        const uint64_t tag = tags->reader[word + i];
        if (!tag || is_same_block(tag, mine))
            continue;
        if (global_block(tag) != GLOBAL_SEVERAL_BLOCKS)
            readers[word + i] = (struct word_readers){{tag, mine}};
        else
            keep(&readers[word + i], word + i, mine);
    }
}

uint64_t sim_global_reader(const struct warp *warp, struct global_tags *tags, size_t word,
                           uint64_t mine)
{
    const struct word_readers *const readers = atomic_load(&tags->readers);
    const uint64_t tag = tags->reader[word];
    if (global_block(tag) != GLOBAL_SEVERAL_BLOCKS || !readers)
        return tag;
    for (int i = 0; i < 2; i++) {
        const uint64_t one = readers[word].tags[i];
        if (is_foreign(one, mine) && !sim_global_may_be_ordered(warp, one, mine))
            return one | (tag & GLOBAL_CHANGED);
    }
    return tag;
}
