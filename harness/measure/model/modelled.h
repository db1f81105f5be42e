/**
 * @file modelled.h
 * @brief Modelled times of the rows of a run on the simulator.
 */
#ifndef LAB_MODELLED_H
#define LAB_MODELLED_H

#include "measure/model/model.h"
#include "measure/result.h"

/** What the model needs of a row's main kernel; its launches are taken to be all alike. */
struct lab_model_kernel lab_modelled_kernel(const struct lab_kernel_facts *facts,
                                            const struct sim_gpu_profile *gpu);

/** Gives a modelled time to every row whose counters were taken and whose check passed. A row whose
 *  kernels use local memory gets no time but a note. Only for results of the simulator. */
void lab_modelled_rows(struct lab_result *result);

#endif
