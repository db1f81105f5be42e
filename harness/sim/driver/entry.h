/**
 * @file entry.h
 * @brief The functions of the driver by their names. It includes nothing of CUDA, whose names are
 * macros.
 */
#ifndef SIM_DRIVER_ENTRY_H
#define SIM_DRIVER_ENTRY_H

/** As CUdriverProcAddressQueryResult. */
enum sim_driver_found { SIM_DRIVER_FOUND, SIM_DRIVER_NO_SUCH_NAME, SIM_DRIVER_NEWER };

/**
 * @brief The newest form of a function that is not newer than `version` of CUDA.
 * @param name  without what distinguishes its forms: cuMemAlloc for cuMemAlloc_v2
 * @return NULL: the driver has none, or the simulator has not implemented it.
 */
void (*sim_driver_function(const char *name, int version, enum sim_driver_found *found))(void);

/** Says, on standard error and as the outcome of the last launch, what is not supported. */
void sim_driver_says(const char *text);

#endif
