/**
 * @file plan.h
 * @brief `run plan`: what each design of a time step will take, predicted before it is run.
 */
#ifndef LAB_FAMILIES_MD_STUDY_PLAN_H
#define LAB_FAMILIES_MD_STUDY_PLAN_H

#include "run/study.h"

/**
 * @brief The part of their work that is left when these kernels are merged, so that each value
 * of a particle is read and written once: 18/24 for "56". K1, which works on pairs, is left
 * out.
 */
double md_merged_part(const char *kernels);

/** The plan as a study: signatures, predictions from them alone, then the measurement. */
extern const struct lab_study lab_md_plan;

#endif
