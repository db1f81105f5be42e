/**
 * @file arithmetic.h
 * @brief Opcodes that compute: tables for the decoder.
 */
#ifndef SIM_ARITHMETIC_ARITHMETIC_H
#define SIM_ARITHMETIC_ARITHMETIC_H

#include "sim/decoding/decode.h"
#include "sim/machine/warp.h"

extern const struct rule sim_integer_rules[], sim_bit_rules[], sim_wide_rules[],
    sim_compare_rules[], sim_video_rules[];
extern const struct family sim_move_families[], sim_compare_families[], sim_float_families[],
    sim_approximate_families[], sim_convert_families[], sim_logic_families[];

/* ---- Copies of whole slots; conversions that change nothing use them, too ---- */

/** d = a. */
const struct instruction *sim_run_move32(struct warp *warp, const struct instruction *at);
const struct instruction *sim_run_move64(struct warp *warp, const struct instruction *at);

#endif
