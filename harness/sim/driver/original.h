/**
 * @file original.h
 * @brief Libraries of CUDA's compilers, which the simulator takes the names of and calls.
 */
#ifndef SIM_DRIVER_ORIGINAL_H
#define SIM_DRIVER_ORIGINAL_H

/** Opens the library of that name which the program would have without the simulator.
 *  @return NULL: there is none, which is reported. */
void *sim_driver_original(const char *name);

#endif
