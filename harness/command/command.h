/**
 * @file command.h
 * @brief What lab.so offers to `run`: the commands that need a CUDA runtime.
 */
#ifndef LAB_COMMAND_H
#define LAB_COMMAND_H

#include "options.h"
#include "runtime.h"

/** Type of the one symbol that `run` takes from lab.so; returns an exit status. */
typedef int lab_command_fn(const struct lab_options *options, const struct lab_runtime *runtime);

/** Name of that symbol. */
#define LAB_COMMAND_SYMBOL "lab_command"

#endif
