/* The counters of lab_sim.h. */
#include "runtime.h"

#include "../exec/count.h"

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
