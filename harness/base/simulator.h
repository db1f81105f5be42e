/**
 * @file simulator.h
 * @brief The simulator's functions beyond CUDA, if the simulator runs the kernels.
 */
#ifndef LAB_SIMULATOR_H
#define LAB_SIMULATOR_H

#include "sim/lab_sim.h"

/** The functions that the harness calls; lab_sim.h describes each as lab_sim_NAME. */
#define LAB_SIMULATOR_FUNCTIONS(DO)                                                                \
    DO(last_outcome)                                                                               \
    DO(set_quiet)                                                                                  \
    DO(set_quoting)                                                                                \
    DO(guard)                                                                                      \
    DO(rows)                                                                                       \
    DO(protect)                                                                                    \
    DO(mark_unwritten)                                                                             \
    DO(set_checks)                                                                                 \
    DO(checks_for)                                                                                 \
    DO(check_sums)                                                                                 \
    DO(reverse_blocks)                                                                             \
    DO(share_draws)                                                                                \
    DO(streams_begin)                                                                              \
    DO(streams_end)                                                                                \
    DO(last_order)                                                                                 \
    DO(share_warnings)                                                                             \
    DO(warning_again)                                                                              \
    DO(writer)                                                                                     \
    DO(heap_used)                                                                                  \
    DO(set_budget)                                                                                 \
    DO(memory_host)                                                                                \
    DO(get_totals)                                                                                 \
    DO(set_counting)                                                                               \
    DO(counters)                                                                                   \
    DO(lines)                                                                                      \
    DO(opcodes)                                                                                    \
    DO(operands)                                                                                   \
    DO(watch)                                                                                      \
    DO(accesses)                                                                                   \
    DO(steps)                                                                                      \
    DO(timeline)                                                                                   \
    DO(progress)                                                                                   \
    DO(declared_local)                                                                             \
    DO(reads_coordinate)                                                                           \
    DO(gpu_error)                                                                                  \
    DO(gpu)

struct lab_simulator {
#define LAB_SIMULATOR_MEMBER(name) __typeof__(lab_sim_##name) *name;
    LAB_SIMULATOR_FUNCTIONS(LAB_SIMULATOR_MEMBER)
#undef LAB_SIMULATOR_MEMBER
};

/** NULL on a GPU. Ends the program if the simulator lacks one of the functions. */
const struct lab_simulator *lab_simulator(void);

#endif
