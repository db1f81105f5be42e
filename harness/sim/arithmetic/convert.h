/**
 * @file convert.h
 * @brief What convert.c (fast conversions) and convert_any.c (all others) share.
 */
#ifndef SIM_ARITHMETIC_CONVERT_H
#define SIM_ARITHMETIC_CONVERT_H

#include "rounding.h"

/** The parts of a cvt. */
struct convert_text {
    enum ptx_type to, from;
    enum rounding rounding;
    bool is_integral; /**< .rni and the like */
    bool ftz, sat, relu;
};

/** Makes the data of sim_run_conversion(); refuses a conversion that it cannot do. */
const void *sim_new_conversion(struct decoder *decoder, const struct ptx_instruction *source,
                               const struct convert_text *text, char from, char to, bool is_short);

/** Converts lane by lane. */
const struct instruction *sim_run_conversion(struct warp *warp, const struct instruction *at);

/** cvt.rn.f16x2.f32 d, a, b and the like: a goes into the upper half. */
void sim_decode_pair_conversion(struct decoder *decoder, const struct ptx_instruction *source,
                                const struct convert_text *text);

#endif
