/* Where the libraries of CUDA's compilers are that the simulator stands in front of. */
#include "original.h"

#include "sim/lab_sim.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens the library in a folder, unless it is this one. From a wheel's folder its second library
 * is found only if it is open already. */
static void *open_in(const char *folder, const char *name)
{
    char path[PATH_MAX], found[PATH_MAX], own[PATH_MAX];
    Dl_info self;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!realpath(path, found) || !dladdr((void *)open_in, &self) || !realpath(self.dli_fname, own))
        return NULL;
    if (strcmp(found, own) == 0 || strstr(found, "/libcudart.so"))
        return NULL;
    glob_t others;
    snprintf(path, sizeof path, "%s/%.*s-builtins.so.*", folder, (int)strcspn(name, "."), name);
    if (glob(path, 0, NULL, &others) == 0)
        dlopen(others.gl_pathv[0], RTLD_NOW);
    globfree(&others);
    return dlopen(found, RTLD_NOW);
}

/* The folders in which the dynamic linker looks for the program's libraries, then a toolkit's. */
static void *open_library(const char *name)
{
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"}, *const libraries[] = {"lib64",
                                                                                         "lib"};
    void *library = NULL;
    Dl_serinfo size, *paths = NULL;
    void *const main_program = dlopen(NULL, RTLD_LAZY);
    if (main_program && dlinfo(main_program, RTLD_DI_SERINFOSIZE, &size) == 0 &&
        (paths = malloc(size.dls_size))) {
        *paths = size;
        if (dlinfo(main_program, RTLD_DI_SERINFO, paths) == 0)
            for (unsigned i = 0; i < paths->dls_cnt && !library; i++)
                library = open_in(paths->dls_serpath[i].dls_name, name);
    }
    free(paths);
    for (int i = 0; i < 4 && !library; i++) {
        char folder[PATH_MAX];
        const char *const home = getenv(homes[i / 2]);
        snprintf(folder, sizeof folder, "%s/%s", home ? home : "/usr/local/cuda", libraries[i % 2]);
        library = open_in(folder, name);
    }
    return library;
}

void *sim_driver_original(const char *name)
{
    void *const library = open_library(name);
    char text[256];
    snprintf(text, sizeof text,
             "the library itself was not found: name the folder of %s in LD_LIBRARY_PATH", name);
    if (!library)
        lab_sim_report(name, text);
    return library;
}
