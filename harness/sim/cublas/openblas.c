/* Loads OpenBLAS when the first BLAS function is called. */
#include "handle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;
static struct sim_blas_float for_float;
static struct sim_blas_double for_double;

static void *open_library(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};
    void *library = NULL;
    for (int i = 0; i < 2 && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        sim_cublas_report("OpenBLAS is needed and was not found (%s); install it: "
                          "apt-get install libopenblas0-pthread",
                          dlerror());
    return library;
}

/* Finds cblas_<letter><name>. */
static bool find(void *library, char letter, const char *name, void **function)
{
    char symbol[32];
    snprintf(symbol, sizeof symbol, "cblas_%c%s", letter, name);
    *function = dlsym(library, symbol);
    if (!*function)
        sim_cublas_report("this OpenBLAS has no %s", symbol);
    return *function != NULL;
}

static void load(void)
{
    /* Idle threads of OpenBLAS spin for this time after a call, on cores that simulate kernels. */
    setenv("OPENBLAS_THREAD_TIMEOUT", "18", 0);
    void *library = open_library();
    if (!library)
        return;
    bool good = true;
#define FIND(name)                                                                                 \
    good = good && find(library, 's', #name, (void **)&for_float.name) &&                          \
           find(library, 'd', #name, (void **)&for_double.name)
    FIND(gemm);
    FIND(symm);
    FIND(trmm);
    FIND(trsm);
    FIND(syrk);
    FIND(syr2k);
    FIND(gemv);
    FIND(ger);
    FIND(axpy);
    FIND(copy);
    FIND(swap);
    FIND(dot);
    FIND(nrm2);
    FIND(asum);
#undef FIND
    loaded = good;
}

const struct sim_blas_float *sim_openblas_float(void)
{
    pthread_once(&once, load);
    return loaded ? &for_float : NULL;
}

const struct sim_blas_double *sim_openblas_double(void)
{
    pthread_once(&once, load);
    return loaded ? &for_double : NULL;
}
