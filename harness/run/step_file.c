/* From a target or a source file to the variants it exports. Nothing in the file is trusted before
 * the contract's version has been compared. */
#include "run/step_file.h"

#include "measure/result.h"
#include "base/time.h"
#include "base/progress.h"
#include "base/files.h"
#include "families/problem.h"
#include "series/registry.h"
#include "machine/fault.h"
#include "machine/toolchain.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run shows a step's own rows, and those of its parents and the library. */
enum { MESSAGE_BYTES = 16384, NAME_BYTES = 128, MOST_VARIANTS = LAB_MAX_ROWS - 16 };

/* Checks an exported description before anything in it is used; false with a line in `why`. */
static int is_valid(const struct lab_step *step, char *why, size_t size)
{
    if (step->abi != LAB_ABI) {
        snprintf(why, size, "was built for version %d of common/step.h, this is %d; build it again",
                 step->abi, LAB_ABI);
        return 0;
    }
    if (!lab_family_find(step->family)) {
        snprintf(why, size, "exports variants of an unknown family, %.64s", step->family);
        return 0;
    }
    if (step->problem_bytes != lab_family_find(step->family)->problem_bytes) {
        snprintf(why, size, "was built with another families/%s.h; build it again", step->family);
        return 0;
    }
    if (step->variant_count < 1 || step->variant_count > MOST_VARIANTS) {
        snprintf(why, size, "exports %d variants; 1 to %d are allowed", step->variant_count,
                 MOST_VARIANTS);
        return 0;
    }
    for (int i = 0; i < step->variant_count; i++)
        if (!step->variants[i].name || !step->variants[i].launch) {
            snprintf(why, size, "exports variant %d without a name or a launch function", i + 1);
            return 0;
        }
    for (int i = 0; i < step->variant_count; i++)
        for (int other = 0; other < i; other++)
            if (strcmp(step->variants[i].name, step->variants[other].name) == 0) {
                snprintf(why, size,
                         "exports variants %d and %d of one name, %.64s; give one another",
                         other + 1, i + 1, step->variants[i].name);
                return 0;
            }
    return 1;
}

bool lab_step_file_is_object(const char *source)
{
    const size_t length = strlen(source);
    return strstr(source, ".so:") || (length > 3 && strcmp(source + length - 3, ".so") == 0);
}

const struct lab_step *lab_step_file_open(const char *object, char *why, size_t size)
{
    const char *name = strstr(object, ".so:");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", name ? (int)(name + 3 - object) : PATH_MAX, object);
    lab_fault_set_loading(true);
    lab_host_limit_begin();
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    lab_host_limit_end();
    lab_fault_set_loading(false);
    if (!handle) {
        snprintf(why, size, "cannot be loaded: %s; if the build was broken off, remove the file",
                 dlerror());
        return NULL;
    }
    const struct lab_step *step = dlsym(handle, name ? name + 4 : LAB_STEP_SYMBOL);
    lab_fault_add_kernel_file(step);
    if (!step && name)
        snprintf(why, size, "has no kernel of the name %.128s; `nm -D %.256s` lists what it has",
                 name + 4, path);
    else if (!step)
        snprintf(why, size,
                 "exports no variant: it must end in LAB_EXPORT(gemm, {\"name\", launch}) or "
                 "that of another family, see common/step.h");
    else if (is_valid(step, why, size))
        return step;
    dlclose(handle);
    return NULL;
}

const struct lab_step *lab_step_file_load(const char *target, const struct lab_stage *stage,
                                          char *why, size_t size)
{
    char path[LAB_PATH_BYTES], object[64];
    int count;
    lab_registry_object(target, stage ? stage : lab_registry_stages(target, &count), object,
                        sizeof object);
    lab_build_path(path, "%s", object);
    if (access(path, R_OK) != 0) {
        snprintf(why, size, "is not built; run `make %s`", target);
        return NULL;
    }
    return lab_step_file_open(path, why, size);
}

int lab_step_file_source(const char *source, const struct lab_step **step, struct lab_check *check)
{
    static char messages[MESSAGE_BYTES]; /* the compiler may say a lot */
    char object[PATH_MAX + NAME_BYTES], path[PATH_MAX], why[1024];
    const char *name = strstr(source, ".so:");
    bool built = !lab_step_file_is_object(source);
    if (built) {
        struct lab_progress_line progress;
        lab_progress_begin(&progress, false, "building %s", source);
        int status = lab_toolchain_compile(source, NULL, object, messages, sizeof messages);
        lab_progress_end(&progress);
        if (status == LAB_EXIT_FAILED) {
            check->status = LAB_CHECK_BUILD_ERROR;
            fprintf(stderr, "%s%s", messages, strlen(messages) ? "" : "nvcc failed\n");
            snprintf(check->message, sizeof check->message, "%s", messages);
        }
        if (status != LAB_EXIT_OK)
            return status;
    } else {
        const char *reason;
        snprintf(path, sizeof path, "%.*s", name ? (int)(name + 3 - source) : PATH_MAX, source);
        FILE *file = lab_open_text(path, &reason); /* the dynamic linker would wait for a pipe */
        if (!file || !realpath(path, object))
            return lab_complain(LAB_EXIT_USAGE, "--source %s: %s", source,
                                file ? strerror(errno) : reason);
        fclose(file);
        snprintf(object + strlen(object), NAME_BYTES, "%s", name ? name + 3 : "");
    }
    *step = lab_step_file_open(object, why, sizeof why);
    if (built)
        unlink(object); /* it stays mapped */
    if (*step)
        return LAB_EXIT_OK;
    check->status = LAB_CHECK_BUILD_ERROR;
    snprintf(check->message, sizeof check->message, "%.256s %.700s", source, why);
    return lab_complain(LAB_EXIT_FAILED, "--source %s %s", source, why);
}
