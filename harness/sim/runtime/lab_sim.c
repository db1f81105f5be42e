/* What lab_sim.h offers beyond CUDA: checks of memory, and counters. */
#include "runtime.h"

#include "sim/check/global_tags.h"
#include "sim/check/switchboard.h"
#include "sim/memory/warning.h"
#include "sim/counting/count.h"
#include "sim/counting/executed.h"
#include "sim/launch/worker.h"
#include "sim/launch/launch.h"
#include "sim/memory/memory.h"

#include <stdlib.h>

#include <string.h>

/* ---- checks ---------------------------------------------------------------------------------- */

int lab_sim_guard(const void *device_pointer, size_t size, const char *name)
{
    return sim_memory_guard((uint64_t)device_pointer, size, name);
}

int lab_sim_rows(const void *device_pointer, size_t element, size_t row, size_t columns)
{
    return sim_memory_set_rows((uint64_t)device_pointer, element, row, columns);
}

int lab_sim_protect(const void *device_pointer)
{
    return sim_memory_protect((uint64_t)device_pointer);
}

void *lab_sim_memory_host(const void *device_pointer, size_t size)
{
    uint64_t address = (uint64_t)device_pointer;
    const struct sim_allocation *found = sim_memory_find(address);
    bool inside =
        found && address >= found->first && address <= found->end && size <= found->end - address;
    return inside ? found->host + (address - found->address) : NULL;
}

int lab_sim_mark_unwritten(const void *device_pointer, size_t size)
{
    return sim_memory_mark_unwritten((uint64_t)device_pointer, size);
}

void lab_sim_mark_written(const void *device_pointer, size_t size)
{
    sim_memory_mark_written((uint64_t)device_pointer, size);
}

int lab_sim_writer(const void *device_pointer, char *text, size_t size)
{
    return sim_global_writer((uint64_t)device_pointer, text, size);
}

size_t lab_sim_heap_used(void)
{
    return sim_heap_used();
}

void lab_sim_set_budget(uint64_t block, uint64_t launch)
{
    sim_budget_set(block, launch);
}

int lab_sim_set_checks(int on)
{
    const unsigned before = sim_checks_wanted();
    sim_checks_set(on < 0 ? (unsigned)-on : on ? SIM_CHECK_ALL : 0);
    return before == SIM_CHECK_ALL ? 1 : -(int)before;
}

void lab_sim_check_sums(int on)
{
    const unsigned others = sim_checks_wanted() & SIM_CHECK_ALL;
    sim_checks_set(others && on ? others | SIM_CHECK_SUMS : others);
}

int lab_sim_reverse_blocks(int on)
{
    const int count = (int)sim_turn_count();
    sim_turn_set(on != 0);
    return count;
}

void lab_sim_share_draws(int on)
{
    sim_turn_share(on != 0);
}

int lab_sim_checks_for(const char *check)
{
    const unsigned wanted = sim_check_named(check, strlen(check));
    return wanted != 0 && (sim_checks_wanted() & wanted) == wanted;
}

/* No lock: a launch holds it while it runs. */
void lab_sim_progress(uint64_t *begun, uint64_t *all)
{
    sim_turn_progress(begun, all);
}

/* ---- counters -------------------------------------------------------------------------------- */

void lab_sim_set_counting(int on)
{
    sim_enter_always();
    sim_count_set(on != 0);
    sim_leave(cudaSuccess);
}

int lab_sim_counters(const struct lab_sim_counter **list)
{
    sim_enter_always();
    const int count = sim_count_counters(list);
    sim_leave(cudaSuccess);
    return count;
}

int lab_sim_lines(const struct lab_sim_line **list)
{
    sim_enter_always();
    const int count = sim_count_lines(list);
    sim_leave(cudaSuccess);
    return count;
}

int lab_sim_opcodes(const struct lab_sim_opcode **list)
{
    sim_enter_always();
    const int count = sim_count_opcodes(list);
    sim_leave(cudaSuccess);
    return count;
}

int lab_sim_operands(const struct lab_sim_operand **list)
{
    sim_enter_always();
    const int count = sim_count_operands(list);
    sim_leave(cudaSuccess);
    return count;
}

void lab_sim_share_warnings(void)
{
    sim_warnings_share();
}

int lab_sim_warning_again(int i, const char **place)
{
    return sim_warnings_again(i, place);
}

void lab_sim_watch(int on, uint64_t block, unsigned warp)
{
    sim_enter_always();
    sim_watch_set(on != 0, block, warp);
    sim_leave(cudaSuccess);
}

int lab_sim_accesses(const struct lab_sim_access **list)
{
    sim_enter_always();
    const int count = sim_watch_list(list);
    sim_leave(cudaSuccess);
    return count;
}

int lab_sim_steps(const struct lab_sim_step **list)
{
    sim_enter_always();
    const int count = sim_executed_steps(list);
    sim_leave(cudaSuccess);
    return count;
}

const struct lab_sim_timeline *lab_sim_timeline(void)
{
    sim_enter_always();
    const struct lab_sim_timeline *const timeline = sim_executed_timeline();
    sim_leave(cudaSuccess);
    return timeline;
}
