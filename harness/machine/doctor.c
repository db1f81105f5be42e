/* `run doctor`: looks for compilers, toolkit, GPU, profiler and the simulator's needs. */
#include "machine/toolchain.h"

#include "base/files.h"
#include "machine/runtime.h"
#include "base/status.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void found(const char *what, const char *where)
{
    printf("  ok       %-22s %s\n", what, where);
}

static void missing(const char *what, const char *how)
{
    printf("  missing  %-22s %s\n", what, how);
}

/* Reports what a machine can do without. */
static void not_needed(const char *what, const char *why)
{
    printf("  -        %-22s %s\n", what, why);
}

/* First line that a command prints; false when it cannot be run or fails. */
static bool first_line(const char *command, char *line, int size)
{
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return false;
    bool any = fgets(line, size, pipe) != NULL;
    char rest[256];
    while (fgets(rest, sizeof rest, pipe)) {
    }
    line[any ? strcspn(line, "\n") : 0] = '\0';
    return pclose(pipe) == 0 && any;
}

/* Reports the first line that a command prints, or by `otherwise` why there is none. */
static bool report_command(const char *what, const char *command,
                           void (*otherwise)(const char *what, const char *why), const char *why)
{
    char line[256];
    const bool there = first_line(command, line, sizeof line);
    (there ? found : otherwise)(what, there ? line : why);
    return there;
}

/* Reports a tool that only a machine with a GPU needs. */
static void report_tool(bool has_gpu, const char *what, const char *command, const char *how)
{
    report_command(what, command, has_gpu ? missing : not_needed,
                   has_gpu ? how : "for a GPU: the simulator counts and checks");
}

static bool report_nvcc(void)
{
    char nvcc[LAB_PATH_BYTES], command[LAB_PATH_BYTES + 64];
    if (lab_toolchain_nvcc(nvcc) != 0) {
        missing("nvcc", "`make setup` installs the CUDA 13 toolkit into build/toolkit");
        return false;
    }
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null | tail -n 1", nvcc);
    return report_command("nvcc", command, missing, "`make setup`, or make NVCC=/path/to/nvcc");
}

static bool report_gpu(void)
{
    char text[512];
    struct lab_gpu gpu = lab_runtime_probe();
    if (gpu.state != LAB_GPU_USABLE) {
        lab_runtime_explain(&gpu, text, sizeof text);
        if (gpu.state == LAB_GPU_OLD_DRIVER)
            missing("GPU", text);
        else
            not_needed("GPU", "no GPU: the simulator is used");
        return false;
    }
    const char *query =
        "nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader"
        " 2>/dev/null";
    found("GPU", first_line(query, text, sizeof text) ? text : "found by the driver");
    snprintf(text, sizeof text, "supports CUDA %d.%d", gpu.driver_version / 1000,
             gpu.driver_version % 1000 / 10);
    found("driver", text);
    return true;
}

static bool report_simulator(void)
{
    char path[LAB_PATH_BYTES];
    lab_build_path(path, "sim/libcudart.so.13");
    const bool built = lab_runtime_has_simulator();
    if (built)
        found("simulator", path);
    else
        missing("simulator", "`make setup sim`");
    void *blas = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (blas)
        found("OpenBLAS", "reference on the simulator");
    else
        missing("OpenBLAS", "reference on the simulator: `make setup` (libopenblas0)");
    if (blas)
        dlclose(blas);
    return built && blas;
}

/* Reports what this machine runs, and what the lab was tried on. */
static void report_systems(void)
{
    report_command("system",
                   "{ . /etc/os-release && echo \"$PRETTY_NAME, $(uname -m)\"; } 2>/dev/null",
                   missing, "/etc/os-release does not say");
    printf("the lab was tried on\n");
#define LAB_SYSTEM(name, suite, compiler, what)                                                    \
    printf("  %s on x86_64 with %s: %s; at every change\n", name, compiler, what);
#define LAB_TRIED(name, when, what) printf("  %s: %s; %s\n", name, what, when);
#include "setup/systems.def"
#undef LAB_TRIED
#undef LAB_SYSTEM
}

int lab_doctor(void)
{
    printf("needed to build steps\n");
    bool compiler =
        report_command("C compiler", "cc --version 2>/dev/null", missing, "`make setup` (gcc)");
    bool nvcc = report_nvcc();
    printf("needed to run them: one of the two\n");
    bool gpu = report_gpu();
    bool simulator = report_simulator();
    printf("for more\n");
    report_tool(gpu, "Nsight Compute", "ncu --version 2>/dev/null | tail -n 1",
                "hardware counters on a GPU: comes with the full CUDA toolkit");
    report_tool(gpu, "compute-sanitizer", "compute-sanitizer --version 2>/dev/null | tail -n 1",
                "memory checks on a GPU: comes with the full CUDA toolkit");
    report_command("gnuplot", "gnuplot --version 2>/dev/null", not_needed,
                   "for the SVGs of `run sweep`; its tables and text need none");
    report_command("Doxygen", "doxygen --version 2>/dev/null", missing,
                   "the pages: `make setup docs`");
    report_command("clang-format 14",
                   "{ clang-format-14 --version || clang-format --version; } 2>/dev/null"
                   " | grep 'version 14'",
                   missing, "`make setup format`");
    report_systems();
    if (compiler && nvcc && (gpu || simulator))
        return LAB_EXIT_OK;
    printf("steps cannot be built and run here yet: see what is missing above\n");
    return LAB_EXIT_MISSING;
}
