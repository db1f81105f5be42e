/**
 * @file renew.h
 * @brief Before a run: what was changed since it was built is built again.
 */
#ifndef LAB_RUN_RENEW_H
#define LAB_RUN_RENEW_H

#include "options/options.h"

/**
 * @brief Has make build what is older than its kernel file, of all targets, and says so.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED after showing what the compiler says; LAB_EXIT_MISSING after
 *         complaining where nothing can be built
 */
int lab_renew(const struct lab_options *options);

#endif
