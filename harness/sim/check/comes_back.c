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

static struct popped *find(struct list_head *head, uint64_t value)
{
    for (unsigned i = 0; i < head->popped_count && i < LIST_POPPED; i++)
        if (head->popped[i].value == value)
            return &head->popped[i];
    return NULL;
}

static bool has_popped(const struct list_head *head, uint64_t block)
{
    for (unsigned i = 0; i < head->popper_count && i < LIST_POPPERS; i++)
        if (head->poppers[i] == block)
            return true;
    return false;
}

/* What was popped twice has come back between the two. A push that was seen after a pop of the same
 * value may have come before it: workers tell of what they did a little later. */
static void note_return(struct list_head *head, const struct popped *popped)
{
    if (popped->times > 1 && popped->pusher)
        head->pusher = popped->pusher;
}

static void push(struct list_head *head, uint64_t value, uint64_t mine)
{
    struct popped *const popped = find(head, value);
    if (popped) {
        popped->pusher = mine;
        note_return(head, popped);
    }
}

/* The tag of another block's push that this block's pop may have met; 0: none. */
static uint64_t pop(struct list_head *head, uint64_t value, uint64_t mine)
{
    const uint64_t block = global_block(mine);
    const bool is_first = !has_popped(head, block);
    if (is_first)
        head->poppers[head->popper_count++ % LIST_POPPERS] = block;
    struct popped *popped = find(head, value);
    if (!popped) {
        popped = &head->popped[head->popped_count++ % LIST_POPPED];
        *popped = (struct popped){.value = value};
    }
    popped->times++;
    note_return(head, popped);
    return is_first && head->pusher && !is_same_block(head->pusher, mine) ? head->pusher : 0;
}

void sim_head_swapped(struct warp *warp, const struct instruction *at, int lane,
                      const char *storage, uint64_t old, uint64_t fresh, bool pops)
{
    const struct global_tags *const tags = warp->worker->caches[at->cache].tags;
    struct global_launch *const launch = warp->worker->launch->global;
    const uint64_t mine = global_tag_of(warp, at, &warp->worker->checks->global);
    struct finding finding = {.lane = lane, .use = SIM_CHANGES, .earlier = SIM_CHANGES};
    if (pops)
        sim_message_popped(warp, lane);
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
    else if (head)
        push(head, fresh, mine);
    pthread_mutex_unlock(&lock);
    finding.cause =
        "between a thread's look at this element and its compare-and-swap, another block may take "
        "what the element names and put it back, with another successor: the swap then succeeds "
        "and puts in the old one (ABA). Make the element 64 bits wide, with a count of its changes "
        "in the upper half, so that no value comes back";
    if (finding.tag)
        sim_global_fault(warp, at, storage, &finding);
}
