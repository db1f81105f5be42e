/**
 * @file sim_fixture.h
 * @brief Runs short pieces of PTX on the simulator and gives back what each lane computed.
 */
#ifndef LAB_TESTS_SIM_FIXTURE_H
#define LAB_TESTS_SIM_FIXTURE_H

#include "sim/launch/launch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIXTURE_OUTPUTS = 4096 };

/** A launch of the kernel `test(.param .u64 out, .param .u64 in)`. */
struct fixture {
    const char *module;       /**< text before the kernel: functions, variables; may be NULL */
    const char *declarations; /**< at the start of the body; may be NULL */
    const char *body;         /**< registers as below; ends by falling off its end */
    const uint64_t *in;       /**< copied to the device; may be NULL */
    size_t in_count;
    bool in_protected;    /**< kernels may only read it */
    unsigned grid, block; /**< 0: 1 and 32 */
    unsigned rows;        /**< of threads, in a block; 0: 1 */
    size_t dynamic_shared;
    unsigned workers;                  /**< 0: all */
    unsigned resident;                 /**< blocks that the device runs at a time; 0: any number */
    const struct sim_gpu_profile *gpu; /**< for a timeline; may be NULL */
    int registers;                     /**< of a thread, for counting; 0: not known */
};

/** What came back: `out` holds FIXTURE_OUTPUTS values, 0xdeadbeef where nothing was written. */
struct fixture_result {
    struct sim_outcome outcome;
    uint64_t out[FIXTURE_OUTPUTS];
};

/**
 * Runs a body. It finds in
 *   %tid (as %r1), the number of the thread in the grid (%r2), addresses of out and in (%rd1,
 * %rd2), the address of out[thread in the grid] (%rd3); and may use %p0-%p19, %h0-%h19 (16 bits),
 * %r0-%r99, %f0-%f29, %rd0-%rd59, %fd0-%fd19. Fails the test when the text is not accepted. Launch
 * errors are in the result's outcome.
 */
void sim_fixture_run(const struct fixture *fixture, struct fixture_result *result);

/**
 * Value of a register after `body`, for operands a, b, c: %ra %rb %rc (low 32 bits), %ha %hb %hc,
 * %fa %fb %fc, %da %db %dc (f64), %la %lb %lc (64 bits), %pa %pb %pc (lowest bit). The register to
 * set is named by its kind: %r (kind 'w'), %h ('h'), %f ('f'), %l ('l'), %d ('d'), %p ('p').
 *
 * Runs with all lanes active and with some; fails the test unless all active lanes agree, the
 * others keep their values, and the launch succeeds.
 */
uint64_t sim_fixture_value(char kind, const char *body, uint64_t a, uint64_t b, uint64_t c);

/** Bits of floating-point values and back. */
uint32_t sim_fixture_bits32(float value);
uint64_t sim_fixture_bits64(double value);
float sim_fixture_float(uint64_t bits);
double sim_fixture_double(uint64_t bits);

#endif
