/**
 * @file nvml.h
 * @brief The GPU as NVML knows it: clocks, power and energy; and energy modelled from counts.
 */
#ifndef LAB_NVML_H
#define LAB_NVML_H

#include "measure/counters/counters.h"
#include "measure/result.h"

/* --- clocks and power --------------------------------------------------------------------------*/

/** Notes the present clocks and power; leaves zeros if NVML does not tell them. */
void lab_clocks_note(struct lab_conditions *conditions);

/* --- energy ------------------------------------------------------------------------------------*/

/** Joules of one launch by component; what the model leaves out is in nvml.c. */
struct lab_energy_model {
    double arithmetic, shared, l2, dram;
};

/** Sum of the components. */
double lab_energy_total(const struct lab_energy_model *model);

/**
 * @brief Models the energy of a launch from its counters, from a GPU or from the simulator.
 * @return false if a count that it needs was not taken, or if the row uses tensor cores, of whose
 *         energy nothing is known; nothing is modelled then
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
