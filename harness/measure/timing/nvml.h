/**
 * @file nvml.h
 * @brief The GPU as NVML knows it: clocks, power and energy.
 */
#ifndef LAB_NVML_H
#define LAB_NVML_H

/**
 * @brief Loads NVML by name, because it comes with the driver, and finds the current device there.
 * @param device  receives NVML's handle of it
 * @return the library, for dlsym(): it is never closed; NULL: NVML is not there
 */
void *lab_nvml_open(void **device);

#endif
