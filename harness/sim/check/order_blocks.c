/* Whether accesses of two blocks are ordered, by PTX's memory model, and if not, what is missing.
 */
#include "order.h"

#include "cause.h"

#include "sim/memory/names.h"

bool sim_global_is_atomic(const struct warp *warp, uint64_t tag)
{
    const struct ptx_instruction *const source =
        sim_find_place(warp->worker->launch->program, global_place(tag));
    return source && ptx_does(source, PTX_ATOMIC);
}

/* The releases of the block of an earlier access; NULL: no block has any, or the tag is of several
 * blocks. */
static struct block_release *release_of(const struct warp *warp, uint64_t earlier)
{
    struct block_release *const released = atomic_load(&warp->worker->launch->global->released);
    return released && global_block(earlier) != GLOBAL_SEVERAL_BLOCKS
               ? &released[global_block(earlier) - 1]
               : NULL;
}

/* Whether no other block can have learned of the earlier access: since the barrier before it, only
 * other warps of its block have signalled, and they did not wait for this one. Unknown in kernels
 * with barriers that not all warps of the block wait at. */
static bool lacks_barrier(const struct warp *warp, uint64_t earlier)
{
    struct block_release *const release = release_of(warp, earlier);
    if (!release || warp->worker->checks->clocks)
        return false;
    const uint32_t closed =
        atomic_load(&release->closed); /* is read before `signals`, see sim_global_signal() */
    const uint64_t signals = atomic_load(&release->signals);
    const uint32_t stretch = global_stretch(earlier);
    return signals & SIGNALS_OTHERS &&
           stretch >= (uint32_t)(signals >> 32 & ~(SIGNALS_OTHERS >> 32)) &&
           (closed == 0 || stretch < closed) && !is_of_several(earlier) &&
           !(signals >> (earlier & GLOBAL_SEVERAL_WARPS) & 1);
}

bool sim_global_is_before_grid_barrier(const struct warp *warp, uint64_t earlier)
{
    const uint32_t waits = warp->block->grid_waits;
    const struct block_release *const release = release_of(warp, earlier);
    return waits > 0 &&
           (!release ||
            global_stretch(earlier) < atomic_load(&release->arrived[(waits - 1) % GRID_ARRIVALS]));
}

bool sim_global_is_released(const struct warp *warp, uint64_t earlier)
{
    struct block_release *const release = release_of(warp, earlier);
    return !release || atomic_load(&release->fenced) >= global_stretch(earlier);
}

/* Whether the warp has seen what the other block set after a fence, and has then executed a fence
 * itself. This is also true if the release that it saw may have been forgotten, or is being
 * written. */
static bool has_acquired(const struct warp *warp, uint64_t earlier)
{
    struct block_release *const release = release_of(warp, earlier);
    const uint64_t until = warp->worker->checks->global.acquired_at[warp->index];
    if (!release || until == 0)
        return until != 0;
    const uint32_t count = atomic_load(&release->release_count), stretch = global_stretch(earlier);
    uint32_t earliest = UINT32_MAX;
    for (uint32_t i = 0; i < RELEASES && i < count; i++) {
        const uint64_t one = atomic_load(&release->releases[i]);
        const uint32_t fenced = (uint32_t)(one >> RELEASE_TIME_BITS);
        const uint64_t time = one & ((UINT64_C(1) << RELEASE_TIME_BITS) - 1);
        earliest = fenced < earliest ? fenced : earliest;
        if (fenced >= stretch && time < until)
            return true;
    }
    return atomic_load(&release->release_count) != count ||
           (count > RELEASES && earliest >= stretch);
}

/* The time of the block's first release after a fence that ended the stretch; UINT64_MAX:
 * unknown. */
static uint64_t time_of_release(struct block_release *release, uint32_t stretch)
{
    const uint32_t count = atomic_load(&release->release_count);
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < count && count <= RELEASES; i++) {
        const uint64_t one = atomic_load(&release->releases[i]);
        const uint64_t time = one & ((UINT64_C(1) << RELEASE_TIME_BITS) - 1);
        if ((uint32_t)(one >> RELEASE_TIME_BITS) >= stretch && time < first)
            first = time;
    }
    return first;
}

/* Whether the warp has learned of the access only by flags of third blocks, none of which had
 * acquired the access before it set its flag. */
static bool lacks_relay(const struct warp *warp, uint64_t earlier)
{
    const struct global_checks *const checks = &warp->worker->checks->global;
    struct block_release *const release = release_of(warp, earlier);
    const uint64_t time = release ? time_of_release(release, global_stretch(earlier)) : UINT64_MAX;
    bool any = false;
    if (time == UINT64_MAX || checks->other_acquired > time || warp->block->grid_waits > 0 ||
        checks->look_count > LOOKS)
        return false;
    for (uint32_t i = 0; i < checks->look_count; i++) {
        const uint64_t flag = checks->looks[i].flag.tag;
        if (!(checks->looks[i].warps >> warp->index & 1) || sim_global_is_atomic(warp, flag))
            continue;
        if (is_same_block(flag, earlier) || atomic_load(&release_of(warp, flag)->acquired) > time)
            return false;
        any = true;
    }
    return any;
}

/* Accesses of the blocks of one cluster: the clocks of its warps say what orders them. */
static bool is_of_cluster(const struct warp *warp, uint64_t earlier)
{
    const uint64_t block = global_block(earlier), size = warp->worker->launch->cluster_size;
    return size > 1 && warp->worker->checks->clocks && block != GLOBAL_SEVERAL_BLOCKS &&
           (block - 1) / size == warp->worker->block_number / size;
}

bool sim_global_is_synchronized(const struct warp *warp, uint64_t earlier)
{
    if (is_of_cluster(warp, earlier))
        return true;
    const bool has_waited = warp->block->grid_waits > 0;
    return sim_global_is_before_grid_barrier(warp, earlier) ||
           (atomic_load(&warp->worker->launch->global->has_releases) &&
            sim_global_is_released(warp, earlier) && !lacks_barrier(warp, earlier) &&
            (has_waited || (has_acquired(warp, earlier) && !lacks_relay(warp, earlier) &&
                            sim_flags_tell(warp, earlier))));
}

bool sim_global_may_be_ordered(const struct warp *warp, uint64_t earlier, uint64_t mine)
{
    return (!is_same_block(earlier, mine) && sim_global_is_synchronized(warp, earlier)) ||
           (warp->worker->checks->global.acquired && sim_global_is_atomic(warp, earlier));
}

bool sim_global_has_heard(const struct warp *warp, uint64_t earlier)
{
    return sim_global_is_before_grid_barrier(warp, earlier) ||
           (warp->worker->checks->global.had_asked &&
            atomic_load(&warp->worker->launch->global->has_releases) &&
            sim_global_is_released(warp, earlier));
}

/* How far the other block has come when this one reads is chance, and the question is the same. */
#define LEAVES_OUT                                                                                 \
    "does the wait leave a block out, end too soon, or at what an earlier round has set?"

const char *sim_global_missing_half(const struct warp *warp, uint64_t earlier)
{
    const struct global_checks *const checks = &warp->worker->checks->global;
    struct block_release *const released = atomic_load(&warp->worker->launch->global->released);
    struct block_release *const release = release_of(warp, earlier);
    const uint64_t ours = checks->tag >> GLOBAL_BLOCK_SHIFT;
    if (!checks->acquired)
        return NULL;
    if (lacks_barrier(warp, earlier))
        return "the other block tells how far it is by another warp, which has not waited for this "
               "one: a __threadfence() orders the accesses of its own thread alone; a "
               "__syncthreads() belongs after it, before the count or the flag";
    if (release && atomic_load(&release->fenced_inside) >= global_stretch(earlier) &&
        (atomic_load(&release->fenced) < global_stretch(earlier) ||
         checks->acquired_at[warp->index]))
        return "the other block's fence is for its own threads alone: a fence of block scope "
               "(__threadfence_block(), .cta) does not reach another block; use __threadfence()";
    if (atomic_load(&warp->worker->launch->global->has_releases) && release &&
        atomic_load(&release->release_count) > 0 &&
        atomic_load(&release->fenced) < global_stretch(earlier))
        return "the other block, which has set flags before, has come to no __threadfence() since: "
               "does this block's wait leave it out, or end at what an earlier round has set? If "
               "it "
               "sets a flag next, does its __threadfence() stand between the two?";
    if (!atomic_load(&warp->worker->launch->global->has_releases))
        return "a flag or counter orders only what a __threadfence() stands between: the writing "
               "block needs one before it sets the flag, and the reading block one after it has "
               "seen the flag";
    if (release && atomic_load(&release->fenced) < global_stretch(earlier))
        return "the other block has come to no __threadfence() since: " LEAVES_OUT " if not, a "
               "flag or counter orders only what a __threadfence() stands between: the writing "
               "block needs one before it sets the flag, and the reading block one after it has "
               "seen the flag";
    if ((!checks->looked || (release && atomic_load(&release->release_count) == 0)) &&
        sim_has_block_scope(warp))
        return "the flag or counter is set or read for the block alone: an atomic operation or "
               "access of block scope (atomicAdd_block(), cuda::thread_scope_block, .cta) tells "
               "another block nothing; use the scope of the device";
    if (sim_global_latest_acquired(checks) > checks->acquired_at[warp->index])
        return "another warp of the block has looked at the flag or counter, and this one has not "
               "waited for it: a __syncthreads() belongs after the look and its __threadfence()";
    if (!checks->acquired_at[warp->index] || sim_flags_told_unacquired(warp, earlier))
        return released && ours && atomic_load(&released[ours - 1].fenced_inside)
                   ? "the fence after the look at the flag is for the block alone: a fence of "
                     "block scope (__threadfence_block(), .cta) does not reach another block; use "
                     "__threadfence()"
                   : "the reading block needs a __threadfence() after it has seen the flag or "
                     "counter: a volatile read or an atomic operation acquires nothing by itself, "
                     "so that what is read after it may come from before, out of the L1 cache";
    if (lacks_relay(warp, earlier))
        return "this block has seen the flag of a third one, which has seen the other one's flag, "
               "but with no acquire: a __threadfence() or an acquire belongs after each look in "
               "such a chain, also where the block itself reads nothing";
    if (has_acquired(warp, earlier))
        return "no flag or counter that this block has waited for tells that the other block has "
               "come so far: " LEAVES_OUT;
    return "the other block's __threadfence() stands after the flag or counter that it sets, or "
           "this block has looked before that fence: " LEAVES_OUT " if not, the "
           "fence belongs between the data and the flag, and a barrier behind it where one thread "
           "sets the flag for others";
}
