/**
 * @file energy.h
 * @brief Energy of a row: measured by a GPU's own counter, and modelled by component, from counts
 * and published energies of an operation.
 */
#ifndef LAB_ENERGY_H
#define LAB_ENERGY_H

#include "measure/counters/counters.h"
#include "measure/result.h"

/** Joules of one launch by component; what the model leaves out is in energy.c. */
struct lab_energy_model {
    double arithmetic, shared, l2, dram;
};

/** Sum of the components. */
double lab_energy_total(const struct lab_energy_model *model);

/**
 * @brief Models the energy of a launch from its counters, from a GPU or from the simulator.
 * @return false if a count that it needs was not taken; nothing is modelled then
 */
bool lab_energy_from_counters(const struct lab_counters *counters, const struct lab_device *device,
                              struct lab_energy_model *model);

/**
 * @brief Measures all rows whose check was ok, each launched again and again for more than a
 * second, by the GPU's total-energy counter (NVML).
 *
 * It is the energy of the whole board, idle power included. Rows get none if the driver or the GPU
 * has no such counter (before Volta).
 * @return cudaSuccess, or the error that ended it
 */
cudaError_t lab_energy_measure(struct lab_problem *problem, cudaStream_t stream,
                               struct lab_result *result);

#endif
