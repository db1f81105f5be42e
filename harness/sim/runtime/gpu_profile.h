/**
 * @file gpu_profile.h
 * @brief The GPU that the simulator simulates.
 */
#ifndef SIM_GPU_PROFILE_H
#define SIM_GPU_PROFILE_H

#include "sim/lab_sim.h"

/** The modelled device: the H200, or the GPU that LAB_SIM_GPU names. It does not change once the
 *  library is loaded. */
extern struct sim_gpu_profile sim_device;

#endif
