/**
 * @file parts.h
 * @brief The launches of a row one by one. Kernels that follow each other share no time: while one
 * waits for memory, the next one's arithmetic does not run. So a row of several is modelled launch
 * by launch, which its counters as a whole do not allow, and launches of several streams beside
 * each other.
 */
#ifndef LAB_PARTS_H
#define LAB_PARTS_H

#include "measure/counters.h"
#include "measure/device.h"
#include "measure/kernel_facts.h"
#include "sim/lab_sim.h"

/** One launch of a row, on the simulator. */
struct lab_part {
    struct lab_counters counters; /**< its own sums; no ratios */
    struct lab_kernel_facts kernel;
    struct lab_sim_order order; /**< among the work of all streams */
};

/** All of them. */
struct lab_parts {
    struct lab_part *list;
    int count;
};

/** To be called behind each launch, from none on: adds a part, as far as the launch recorder keeps
 *  them. */
void lab_parts_add(struct lab_parts *parts);

/** No further launches; facts and counters of each part are its own after this. */
void lab_parts_end(struct lab_parts *parts, const struct lab_device *device);

/** Whether a launch comes behind an earlier one, on a GPU too: streams and events make it wait. */
bool lab_part_follows(const struct lab_part *part, const struct lab_part *earlier);

/** Frees the list. */
void lab_parts_free(struct lab_parts *parts);

#endif
