/* NVRTC: every call goes to the library of that name that the program would have without the
 * simulator; but it compiles for compute_90 where sm_90 is asked for, and its PTX takes the place
 * of the machine code, which the simulator does not run. The types are plain ones, since a machine
 * need not have NVRTC's header. */
#include "driver.h"
#include "original.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *program;

enum { FAILED = 11 }; /* NVRTC_ERROR_INTERNAL_ERROR */

/* The library's function; NULL: there is none. */
static void *function_of(const char *name)
{
    static void *library;
    static bool is_looked_for;
    if (!is_looked_for)
        library = sim_driver_original("libnvrtc.so.13");
    is_looked_for = true;
    return library ? dlsym(library, name) : NULL;
}

#define CALL(name, types, ...)                                                                     \
    int(*const function) types = (int(*) types)function_of(name);                                  \
    return function ? function(__VA_ARGS__) : FAILED
#define FORWARD_1(name, A)                                                                         \
    int name(A a);                                                                                 \
    int name(A a)                                                                                  \
    {                                                                                              \
        CALL(#name, (A), a);                                                                       \
    }
#define FORWARD_2(name, A, B)                                                                      \
    int name(A a, B b);                                                                            \
    int name(A a, B b)                                                                             \
    {                                                                                              \
        CALL(#name, (A, B), a, b);                                                                 \
    }
#define FORWARD_3(name, A, B, C)                                                                   \
    int name(A a, B b, C c);                                                                       \
    int name(A a, B b, C c)                                                                        \
    {                                                                                              \
        CALL(#name, (A, B, C), a, b, c);                                                           \
    }

#pragma GCC visibility push(default)

FORWARD_1(nvrtcGetNumSupportedArchs, int *)
FORWARD_1(nvrtcGetSupportedArchs, int *)
FORWARD_1(nvrtcDestroyProgram, program *)
FORWARD_1(nvrtcGetPCHHeapSize, size_t *)
FORWARD_1(nvrtcSetPCHHeapSize, size_t)
FORWARD_1(nvrtcGetPCHCreateStatus, program)
FORWARD_2(nvrtcVersion, int *, int *)
FORWARD_2(nvrtcGetPTXSize, program, size_t *)
FORWARD_2(nvrtcGetPTX, program, char *)
FORWARD_2(nvrtcGetLTOIRSize, program, size_t *)
FORWARD_2(nvrtcGetLTOIR, program, char *)
FORWARD_2(nvrtcGetOptiXIRSize, program, size_t *)
FORWARD_2(nvrtcGetOptiXIR, program, char *)
FORWARD_2(nvrtcGetProgramLogSize, program, size_t *)
FORWARD_2(nvrtcGetProgramLog, program, char *)
FORWARD_2(nvrtcAddNameExpression, program, const char *)
FORWARD_2(nvrtcGetPCHHeapSizeRequired, program, size_t *)
FORWARD_3(nvrtcGetLoweredName, program, const char *, const char **)
FORWARD_3(nvrtcSetFlowCallback, program, void *, void *)

const char *nvrtcGetErrorString(int result);
const char *nvrtcGetErrorString(int result)
{
    const char *(*const function)(int) =
        (const char *(*)(int))(result == FAILED ? NULL : function_of("nvrtcGetErrorString"));
    return function ? function(result) : "NVRTC_ERROR_INTERNAL_ERROR";
}

int nvrtcCreateProgram(program *made, const char *text, const char *name, int count,
                       const char *const *headers, const char *const *names);
int nvrtcCreateProgram(program *made, const char *text, const char *name, int count,
                       const char *const *headers, const char *const *names)
{
    CALL("nvrtcCreateProgram",
         (program *, const char *, const char *, int, const char *const *, const char *const *),
         made, text, name, count, headers, names);
}

int nvrtcCompileProgram(program compiled, int count, const char *const *options);
int nvrtcCompileProgram(program compiled, int count, const char *const *options)
{
    int (*const function)(program, int, const char *const *) =
        (int (*)(program, int, const char *const *))function_of("nvrtcCompileProgram");
    const char **const own = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof *own);
    char virtual[64];
    if (!function || !own) {
        free(own);
        return FAILED;
    }
    for (int i = 0; i < count; i++) {
        const char *const equals = options[i] ? strchr(options[i], '=') : NULL;
        const char *const value = equals ? equals + 1 : options[i];
        const bool is_of_option = equals && (strncmp(options[i], "-arch=", 6) == 0 ||
                                             strncmp(options[i], "--gpu-arch", 10) == 0);
        own[i] = options[i];
        if (!value || strncmp(value, "sm_", 3) != 0 || (equals && !is_of_option))
            continue;
        snprintf(virtual, sizeof virtual, "%.*scompute_%.8s", (int)(value - options[i]), options[i],
                 value + 3);
        own[i] = virtual;
    }
    const int result = function(compiled, count, own);
    free(own);
    return result;
}

int nvrtcGetCUBINSize(program compiled, size_t *size);
int nvrtcGetCUBINSize(program compiled, size_t *size)
{
    return nvrtcGetPTXSize(compiled, size);
}

int nvrtcGetCUBIN(program compiled, char *image);
int nvrtcGetCUBIN(program compiled, char *image)
{
    return nvrtcGetPTX(compiled, image);
}

#pragma GCC visibility pop
