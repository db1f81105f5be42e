/**
 * @file per_launch.h
 * @brief The launches of a row one by one. Kernels that follow each other do not overlap: while one
 * waits for memory, the next one's arithmetic does not run. So a row of several kernels is modelled
 * launch by launch, not from its counters as a whole, and launches of several streams are modelled
 * beside each other.
 */
#ifndef LAB_PER_LAUNCH_H
#define LAB_PER_LAUNCH_H

#include "measure/counters/counters.h"
#include "machine/device.h"
#include "measure/launches/kernel_facts.h"
#include "sim/lab_sim.h"

/** One launch of a row, on the simulator. */
struct lab_one_launch {
    struct lab_counters counters; /**< its own sums; no ratios */
    struct lab_kernel_facts kernel;
    struct lab_sim_order order; /**< among the work of all streams */
};

/** All of them. */
struct lab_per_launch {
    struct lab_one_launch *list;
    int count;
};

/** To be called after each launch, from the first on: adds the launch, if the launch recorder keeps
 * it. */
void lab_per_launch_add(struct lab_per_launch *launches);

/** After the last launch: gives each launch its own facts and counters. */
void lab_per_launch_end(struct lab_per_launch *launches, const struct lab_device *device);

/** Whether streams and events make a launch wait for an earlier one, also on a GPU. */
bool lab_launch_follows(const struct lab_one_launch *launch, const struct lab_one_launch *earlier);

/** Frees the list. */
void lab_per_launch_free(struct lab_per_launch *launches);

#endif
