/**
 * @file cause.h
 * @brief Finds the cause of a race in the code around the two accesses.
 */
#ifndef SIM_CHECK_CAUSE_H
#define SIM_CHECK_CAUSE_H

#include "sim/machine/warp.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** Whether one of the two accesses reads a value and the other writes it back changed, as `x += y`
 *  does. `place` is the place of the earlier access. */
bool sim_is_update(const struct warp *warp, const struct instruction *at, uint32_t place);

/** Whether an access's address comes of a value in memory, such as a key, and not of indices alone.
 */
bool sim_is_by_value(const struct warp *warp, const struct instruction *at);

/** Whether one line does both accesses, because it changes elements in place. If two threads use
 *  the same element in such a line, a wrong index is more likely than a missing barrier. */
bool sim_is_one_statement(const struct warp *warp, const struct instruction *at, uint32_t place);

/** Whether the kernel reads once and then has an endless loop without accesses. Compilers turn a
 *  wait for a plain variable into this. */
bool sim_waits_for_plain(const struct warp *warp, const struct instruction *at, uint32_t place);

/** Whether an instruction belongs to such a loop. */
bool sim_is_in_empty_loop(const struct warp *warp, const struct instruction *at);

/** Whether an earlier access was an asynchronous copy. */
bool sim_is_copy(const struct warp *warp, uint32_t place);

/** Whether a short loop in the kernel looks at a volatile variable, with no barrier. */
bool sim_waits_for_flag(const struct warp *warp);

/** Whether the kernel sleeps, which orders nothing. */
bool sim_sleeps(const struct warp *warp);

/** Whether the kernel has atomic operations or strong accesses for the block alone (.cta). */
bool sim_has_block_scope(const struct warp *warp);

/** Writes where warps of the block have met at barriers of different lines; false: nowhere. */
bool sim_say_unlike_barriers(const struct warp *warp, char *text, size_t size);

/* What checks ask about an instruction, where the answer takes a look through its whole function:
 * found at the first execution that needs it, and kept with the program. */

/** The questions, by the bit that says that the answer is known. The next bit is the answer. */
enum question { QUESTION_IS_ONLY_MOVED = 0, QUESTION_READS_OTHER_HALF = 2 };

/** Answers a question by an index of the function's instructions. */
typedef bool find_answer(const struct ptx_function *function, int instruction);

/** The kept answer to a question about an instruction that accesses memory. Two workers that both
 *  find it find the same. */
static inline bool sim_answer(const struct warp *warp, const struct instruction *at,
                              enum question question, find_answer *find)
{
    _Atomic uint8_t *const answers = warp->worker->launch->program->answers;
    if (!answers || at->cache == 0)
        return find(warp->function->ptx, (int)at->source);
    const unsigned known = atomic_load_explicit(&answers[at->cache], memory_order_relaxed);
    if (known >> question & 1)
        return known >> question & 2;
    const bool answer = find(warp->function->ptx, (int)at->source);
    atomic_fetch_or_explicit(&answers[at->cache], (uint8_t)((answer ? 3 : 1) << question),
                             memory_order_relaxed);
    return answer;
}

#endif
