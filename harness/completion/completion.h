/**
 * @file completion.h
 * @brief `run completion SHELL`: a script that makes a shell complete the words of `run`.
 */
#ifndef LAB_COMPLETION_H
#define LAB_COMPLETION_H

/** Prints the script for bash, zsh or fish: a table of all words, then the shell's own part from
 *  run.SHELL beside this file. Returns an exit status. `argv[0]` is "completion". */
int lab_completion(int argc, char **argv);

#endif
