/**
 * @file gpu_profile.h
 * @brief The GPU that the simulator stands for.
 */
#ifndef SIM_GPU_PROFILE_H
#define SIM_GPU_PROFILE_H

#include "sim/lab_sim.h"

/** The modelled device: the H200, or what LAB_SIM_GPU names. Does not change once the library is
 *  loaded. */
extern struct sim_gpu_profile sim_device;

#endif
