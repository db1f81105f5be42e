/* An old build never runs silently, and what is not built yet is built without being asked for.
 * make knows how to build; it is asked only for the objects that run, not for this program. */
#include "run/step_file.h"

#include "base/text.h"
#include "base/progress.h"
#include "base/files.h"
#include "base/status.h"
#include "machine/toolchain.h"
#include "options/family.h"
#include "options/options.h"
#include "run/child.h"
#include "series/outdated.h"
#include "series/registry.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 16384 };

/* Finds what is outdated of another step, if a study takes rows of that step. */
static void find_other_target(const char *target, struct lab_outdated *outdated)
{
    const char *family = lab_registry_target(target)->family;
    const char *other = lab_family_options_find(family)->study_target;
    if (other)
        lab_outdated_find(other, outdated);
}

/* Finds outdated objects of what the options name. An exercise needs its solution, too, since both
 * are compared. */
static void find(const struct lab_options *options, struct lab_outdated *outdated)
{
    const struct lab_stage *study = lab_targets_study(options);
    *outdated = (struct lab_outdated){.count = 0};
    for (; study; study = lab_registry_study_next(study))
        lab_outdated_find_kernels(options->targets[0], study, outdated);
    if (options->command == LAB_COMMAND_SWEEP)
        find_other_target(options->targets[0], outdated);
    for (int i = 0; i < options->target_count; i++) {
        const struct lab_registry_entry *const entry = lab_registry_target(options->targets[i]);
        const bool is_left_out = lab_registry_is_handout() && entry->solution &&
                                 strcmp(options->targets[i], entry->solution) == 0;
        if (!is_left_out && (!options->source || options->command == LAB_COMMAND_COMPARE))
            lab_outdated_find(options->targets[i], outdated);
        if (options->command == LAB_COMMAND_EXERCISE && !lab_registry_is_handout())
            lab_outdated_find(entry->solution, outdated);
    }
}

/* Drops make's lines on which recipe failed and where. Mending a kernel file needs only the output
 * of the recipe, which comes before them. */
static void drop_failed_recipes(char *text)
{
    static const char begin[] = "make: *** [";
    for (char *line = text, *next; *line; line = next) {
        next = strchrnul(line, '\n');
        next += *next == '\n';
        if (strncmp(line, begin, strlen(begin)) == 0 && line > text) {
            memmove(line, next, strlen(next) + 1);
            next = line;
        }
    }
}

int lab_rebuild_make(const char *const words[], int count, char *text, size_t size)
{
    char make[LAB_PATH_BYTES], root[LAB_PATH_BYTES];
    struct lab_child child = {.count = 0};
    if (lab_child_find("make", make) != 0) {
        snprintf(text, size, "there is no make on this machine\n");
        return -1;
    }
    lab_root(root);
    lab_child_add(&child, "%s", make);
    lab_child_add(&child, "--no-print-directory");
    lab_child_add(&child, "-C%s", root);
    lab_child_add(&child, "BUILD=" LAB_BUILD);
    for (int i = 0; i < count; i++)
        lab_child_add(&child, "%s", words[i]);
    unsetenv("MAKEFLAGS"); /* set by a make that runs this program */
    unsetenv("MAKELEVEL");
    int status = lab_child_run(&child, text, size);
    if (status == 0) {
        lab_compiler_keep_messages(text);
    } else {
        lab_compiler_gather(text);
        drop_failed_recipes(text);
    }
    lab_compiler_explain(text, size);
    return status;
}

/* What is wrong with a build, in words. */
static const char *const found_words[] = {[LAB_OUTDATED_CHANGED] = "was changed",
                                          [LAB_OUTDATED_UNBUILT] = "was not built",
                                          [LAB_OUTDATED_GONE] = "is gone",
                                          [LAB_OUTDATED_CUT] =
                                              "was built into a file that is empty or cut off"};

static int refuse(const struct lab_options *options, const struct lab_outdated *outdated)
{
    const char *const target = lab_targets_study(options) ? "studies" : options->targets[0];
    if (outdated->why == LAB_OUTDATED_UNBUILT)
        return lab_complain(LAB_EXIT_MISSING, "%s is not built; run `make %s`", outdated->source,
                            target);
    if (outdated->why == LAB_OUTDATED_CUT)
        return lab_complain(
            LAB_EXIT_MISSING,
            "%s %s, and cannot be built from here; remove " LAB_BUILD "/%s and run `make %s`",
            outdated->source, found_words[outdated->why], outdated->objects[0], target);
    return lab_complain(LAB_EXIT_MISSING,
                        "%s %s after it was built, and cannot be built from here; run "
                        "`make %s`",
                        outdated->source, found_words[outdated->why], target);
}

static int build(const struct lab_outdated *outdated, char *text, size_t size)
{
    char objects[LAB_OUTDATED_MOST][LAB_OUTDATED_BYTES + sizeof LAB_BUILD];
    const char *words[LAB_OUTDATED_MOST] = {NULL};
    char path[LAB_PATH_BYTES];
    struct lab_progress_line progress;
    for (int i = 0; i < outdated->count; i++) {
        snprintf(objects[i], sizeof objects[i], LAB_BUILD "/%s", outdated->objects[i]);
        words[i] = objects[i];
        lab_build_path(path, "%s", outdated->objects[i]);
        if (outdated->is_cut[i])
            unlink(path); /* its time is new, so make would keep it */
    }
    lab_progress_begin(&progress, false, "building %s", outdated->objects[0]);
    const int status = lab_rebuild_make(words, outdated->count, text, size);
    lab_progress_end(&progress);
    return status;
}

int lab_rebuild(const struct lab_options *options)
{
    struct lab_outdated outdated;
    char make[LAB_PATH_BYTES], nvcc[LAB_PATH_BYTES], path[LAB_PATH_BYTES], text[MESSAGE_BYTES];
    find(options, &outdated);
    if (!outdated.count)
        return LAB_EXIT_OK;
    lab_build_path(path, "%s", "");
    if (access(path, W_OK) != 0 || lab_child_find("make", make) != 0 || lab_toolchain_nvcc(nvcc))
        return refuse(options, &outdated);
    lab_build_path(path, "flags.stamp");
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    if (lock >= 0)
        flock(lock, LOCK_EX); /* another run may be building it */
    find(options, &outdated);
    const int status = outdated.count ? build(&outdated, text, sizeof text) : 0;
    if (lock >= 0)
        close(lock);
    if (status != 0) {
        fputs(text, stderr);
        return lab_complain(LAB_EXIT_FAILED, "%s %s, and could not be built: see above",
                            outdated.source, found_words[outdated.why]);
    }
    if (outdated.count)
        fprintf(stderr, "run: %s %s: %s\n", outdated.source, found_words[outdated.why],
                outdated.why == LAB_OUTDATED_UNBUILT ? "built now"
                : outdated.why == LAB_OUTDATED_GONE  ? "written anew as it was given, and built"
                                                     : "built again");
    if (outdated.count)
        fputs(text, stderr);
    return LAB_EXIT_OK;
}
