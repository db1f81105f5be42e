/**
 * @file kernel_facts.h
 * @brief Registers, shared memory, launch shape and theoretical occupancy of what was launched.
 */
#ifndef LAB_KERNEL_FACTS_H
#define LAB_KERNEL_FACTS_H

#include "measure/result.h"

/** Facts of the largest launch recorded since lab_launches_reset(); `known` is false when there
 *  was none or the runtime does not tell. */
void lab_kernel_facts_read(const struct lab_device *device, struct lab_kernel_facts *facts);

/** Facts of the i-th launch recorded since then, alone. */
void lab_kernel_facts_of_launch(const struct lab_device *device, int i,
                                struct lab_kernel_facts *facts);

#endif
