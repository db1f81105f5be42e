/* Child processes. The child gets --under-tool, so that it never starts a child of its own. */
#include "run/child.h"

#include "machine/toolchain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lab_child_find(const char *tool, char path[LAB_PATH_BYTES])
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        int length = (int)strcspn(folders, ":");
        snprintf(path, LAB_PATH_BYTES, "%.*s/%s", length, folders, tool);
        if (length && access(path, X_OK) == 0)
            return 0;
        folders += length + (folders[length] == ':');
    }
    snprintf(path, LAB_PATH_BYTES, "%s/../bin/%s", lab_toolkit_libraries(), tool);
    return access(path, X_OK);
}

void lab_child_add(struct lab_child *child, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (child->count < LAB_CHILD_WORDS &&
        vasprintf(&child->words[child->count], format, arguments) >= 0)
        child->words[++child->count] = NULL;
    va_end(arguments);
}

/* On a GPU the child is this program, which has its libraries, because tools may not follow a
 * program that `run` starts. For the simulator it is `run`, which finds the libraries. */
void lab_child_add_run(struct lab_child *child, const struct lab_options *options, int default_size,
                       const char *runtime)
{
    const struct lab_problem_options *problem = &options->problem;
    char program[LAB_PATH_BYTES];
    lab_build_path(program, strcmp(runtime, "gpu") == 0 ? "lab" : "run");
    lab_child_add(child, "%s", program);
    if (options->command == LAB_COMMAND_COMPARE)
        lab_child_add(child, "compare");
    for (int i = 0; i < options->target_count; i++)
        lab_child_add(child, "%s", options->targets[i]);
    lab_child_add(child, "--runtime=%s", runtime);
    lab_child_add(child, "--under-tool");
    lab_child_add(child, "--default-size=%d", default_size);
    for (int i = 0; i < LAB_LETTERS; i++)
        if (problem->sizes[i])
            lab_child_add(child, "-%c%d", 'a' + i, problem->sizes[i]);
    for (int i = 0; i < problem->given_count; i++)
        lab_child_add(child, problem->given[i].text ? "--%s=%s" : "--%s", problem->given[i].name,
                      problem->given[i].text);
    lab_child_add(child, "--seed=%llu", (unsigned long long)problem->seed);
    if (options->deterministic)
        lab_child_add(child, "--deterministic");
    if (options->study)
        lab_child_add(child, "--study");
    if (options->fast)
        lab_child_add(child, "--fast");
    if (options->variant)
        lab_child_add(child, "--variant=%s", options->variant);
    for (int i = 0; i < options->source_count; i++)
        lab_child_add(child, "--source=%s", options->sources[i]);
    if (options->check_only)
        lab_child_add(child, "--check-only");
}

int lab_child_run(struct lab_child *child, char *text, size_t size)
{
    int status = lab_toolchain_run(child->words, text, size);
    lab_child_free(child);
    return status;
}

void lab_child_free(struct lab_child *child)
{
    for (int i = 0; i < child->count; i++)
        free(child->words[i]);
    *child = (struct lab_child){.count = 0};
}
