/**
 * @file device.h
 * @brief The device that kernels run on: facts for the report, and its peaks.
 */
#ifndef LAB_DEVICE_H
#define LAB_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

/** Facts of the current device. */
struct lab_device {
    struct cudaDeviceProp properties;
    bool is_sim;
    int whole_sms;           /**< of the whole GPU, also if only a slice is simulated */
    char arch[8];            /**< "sm_90" */
    int driver, toolkit;     /**< as CUDA writes versions: 13000 */
    double peak_fp32;        /**< FLOP/s: SMs x FP32 lanes x 2 x highest clock; 0 when unknown */
    double peak_fp64;        /**< the same for FP64 lanes */
    double peak_tensor_fp64; /**< in double with tensor cores: no less */
    double peak_dram;        /**< bytes a second: bus x highest clock, both edges; 0 when unknown */
    double peak_l2;          /**< bytes a second, as measured; 0 when unknown */
    double peak_pipe;        /**< bytes a second: most that L1 and shared memory of all SMs move */
};

/** Fills *device; LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining. */
int lab_device_open(bool is_sim, struct lab_device *device);

/**
 * @brief Whether kernels that are built for a GPU architecture run on this one.
 * @param built   architecture in the makefile: "90"
 * @param target  for the command that builds for this GPU: "step07"
 * @return LAB_EXIT_OK, after a note if kernels are compiled anew when they start; LAB_EXIT_MISSING
 *         after complaining if they cannot run
 */
int lab_device_check_build(const struct lab_device *device, const char *built, const char *target);

/** Whether the device can run a stage that needs `arch`. "80": this and newer ones; "90a": only
 *  this one; "": any.
 */
bool lab_device_runs(const struct lab_device *device, const char *arch);

#endif
