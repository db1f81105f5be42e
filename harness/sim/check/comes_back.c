/* Lists from which blocks pop by compare-and-swap: the first element may go and come back between a
 * block's look and its swap (ABA), with another successor than the one that the block puts in.
 *
 * What counts is that it may come back, and not whether it did so between the two: a block that has
 * popped nothing yet comes when another block has put back what had been popped. Where a count of
 * changes is part of the word, no value of the word comes back. */
#include "global_strong.h"

#include "global_race.h"
#include "global_tags.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that is kept of lists */

static struct list_head *head_at(struct list_head *heads, const char *storage, bool makes)
{
    for (int i = 0; i < LIST_HEADS; i++) {
        if (heads[i].storage == storage)
            return &heads[i];
        if (!heads[i].storage) {
            heads[i].storage = makes ? storage : NULL;
            return makes ? &heads[i] : NULL;
        }
    }
    return NULL;
}

static bool holds(const uint64_t *list, unsigned count, unsigned room, uint64_t value)
{
    for (unsigned i = 0; i < count && i < room; i++)
        if (list[i] == value)
            return true;
    return false;
}

/* The tag of another block's push that this block's pop may have met; 0: none. */
static uint64_t pop(struct list_head *head, uint64_t value, uint64_t mine)
{
    const uint64_t block = global_block(mine);
    const bool is_first = !holds(head->poppers, head->popper_count, LIST_POPPERS, block);
    if (is_first)
        head->poppers[head->popper_count++ % LIST_POPPERS] = block;
    if (!holds(head->popped, head->popped_count, LIST_POPPED, value))
        head->popped[head->popped_count++ % LIST_POPPED] = value;
    return is_first && head->pusher && !is_same_block(head->pusher, mine) ? head->pusher : 0;
}

void sim_head_swapped(struct warp *warp, const struct instruction *at, int lane,
                      const char *storage, uint64_t old, uint64_t fresh, bool pops)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    struct global_launch *const launch = warp->worker->launch->global;
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    struct finding finding = {.lane = lane, .use = SIM_CHANGES, .earlier = SIM_CHANGES};
    if (!tags || !warp->worker->checks->global.tag || (!pops && !atomic_load(&launch->heads)))
        return;
    struct list_head *const heads =
        sim_global_make_once(&launch->heads, LIST_HEADS * sizeof *heads);
    if (!heads)
        return;
    pthread_mutex_lock(&lock);
    struct list_head *const head = head_at(heads, storage, pops);
    if (head && pops)
        finding.tag = pop(head, old, mine);
    else if (head && holds(head->popped, head->popped_count, LIST_POPPED, fresh))
        head->pusher = mine;
    pthread_mutex_unlock(&lock);
    finding.cause =
        "between a thread's look at this element and its compare-and-swap, another block may take "
        "what the element names and put it back, with another successor: the swap then succeeds "
        "and puts in the old one (ABA). Make the element 64 bits wide, with a count of its changes "
        "in the upper half, so that no value comes back";
    if (finding.tag)
        sim_global_fault(warp, at, storage, &finding);
}
