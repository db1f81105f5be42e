/* Entry of `lab`, which `run` starts with the libraries of a CUDA runtime: everything that needs
 * one is in here. It is linked to that runtime like any CUDA program. */
#include "base/simulator.h"
#include "base/status.h"
#include "exercise/exercise.h"
#include "families/family.h"
#include "grade/trial.h"
#include "machine/fault.h"
#include "measure/launches/launches.h"
#include "options/options.h"
#include "run/child.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/study.h"
#include "series/registry.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The makefile defines it. */
#ifndef LAB_ARCH
#define LAB_ARCH "0"
#endif

/* A launch function that ends the program, noted like its other calls (measure/launches/calls.c).
 * The definition is here, because only `lab` may define these functions. */
#define ENDS(name)                                                                                 \
    __attribute__((visibility("default"))) _Noreturn void name(int status)                         \
    {                                                                                              \
        lab_calls_leave(#name, __builtin_return_address(0));                                       \
        ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))(status);                                     \
        __builtin_unreachable();                                                                   \
    }

ENDS(exit)
ENDS(_exit)
ENDS(_Exit)
ENDS(quick_exit)

__attribute__((visibility("default"))) _Noreturn void abort(void)
{
    lab_calls_leave("abort", __builtin_return_address(0));
    ((__typeof__(abort) *)dlsym(RTLD_NEXT, "abort"))();
    __builtin_unreachable();
}

/* The same for functions that print, since launch functions print nothing. */
#define PRINTS_BY_LIST(name, standard, parameters, last, call)                                     \
    __attribute__((visibility("default"))) int name parameters                                     \
    {                                                                                              \
        va_list arguments;                                                                         \
        if (standard)                                                                              \
            lab_calls_note_print(#name, __builtin_return_address(0));                              \
        va_start(arguments, last);                                                                 \
        const int count = call;                                                                    \
        va_end(arguments);                                                                         \
        return count;                                                                              \
    }

static bool is_standard(const FILE *file)
{
    return file == stdout || file == stderr;
}

PRINTS_BY_LIST(printf, true, (const char *format, ...), format, vprintf(format, arguments))
PRINTS_BY_LIST(fprintf, is_standard(file), (FILE * file, const char *format, ...), format,
               vfprintf(file, format, arguments))
PRINTS_BY_LIST(__printf_chk, true, (int flag, const char *format, ...), format,
               ((void)flag, vprintf(format, arguments)))
PRINTS_BY_LIST(__fprintf_chk, is_standard(file), (FILE * file, int flag, const char *format, ...),
               format, ((void)flag, vfprintf(file, format, arguments)))

__attribute__((visibility("default"))) int puts(const char *text)
{
    lab_calls_note_print("puts", __builtin_return_address(0));
    return fputs(text, stdout) < 0 || fputc('\n', stdout) == EOF ? EOF : 0;
}

/* The harness itself prints faults, with the row that caused them. --fast changes nothing on a GPU,
 * which has no such checks. */
static void set_simulator(const struct lab_options *options)
{
    if (lab_simulator())
        lab_simulator()->set_quiet(1);
    if (lab_simulator() && options->command == LAB_COMMAND_TRIAL)
        lab_simulator()->set_quoting(0); /* a submission may name any file as its source */
    if (lab_simulator() && options->fast)
        lab_simulator()->set_checks(0);
}

/* Says which GPU cannot be simulated, with the option that named it, if an option did. */
static int refuse_gpu(const struct lab_options *options, const char *error)
{
    static const char gpu[] = "LAB_SIM_GPU", sms[] = "LAB_SIM_SMS";
    if (options->arch && strncmp(error, gpu, sizeof gpu - 1) == 0)
        return lab_complain(LAB_EXIT_USAGE, "--arch%s", error + sizeof gpu - 1);
    if (options->sms && strncmp(error, sms, sizeof sms - 1) == 0)
        return lab_complain(LAB_EXIT_USAGE, "--sms%s", error + sizeof sms - 1);
    return lab_complain(LAB_EXIT_USAGE, "%s", error);
}

/* Checks what can be refused before the device is opened. */
static int prepare(const struct lab_options *options, bool is_sim, struct lab_run_plan *plan)
{
    int status = lab_files_check(options);
    if (status == LAB_EXIT_OK)
        status = lab_run_plan_make(options, is_sim, plan);
    if (status == LAB_EXIT_OK && options->sanitize)
        status = lab_sanitize_check(is_sim);
    if (status == LAB_EXIT_OK && options->with_copies && is_sim)
        status = lab_complain(LAB_EXIT_MISSING, "--with-copies needs a GPU: the simulator's memory "
                                                "is the host's, and nothing is copied");
    if (status == LAB_EXIT_OK && options->clocks && is_sim)
        status = lab_complain(LAB_EXIT_MISSING, "--clocks needs a GPU: a page of the simulator has "
                                                "a model of one block over time");
    return status;
}

static int run_command(const struct lab_options *options, const struct lab_device *device,
                       const struct lab_run_plan *plan)
{
    switch (options->command) {
    case LAB_COMMAND_TRIAL:
        return lab_trial_run(options, device, plan);
    case LAB_COMMAND_SWEEP:
    case LAB_COMMAND_PLAN:
        return lab_study_run(lab_study_of(options), options, device, plan);
    default:
        return options->thorough ? lab_thorough_run(options, device, plan)
                                 : lab_run_and_show(options, device, plan);
    }
}

int main(int argc, char **argv)
{
    struct lab_options options;
    struct lab_run_plan plan;
    struct lab_device device;
    const bool is_sim = lab_simulator() != NULL;
    lab_standard_streams();
    lab_fault_watch(false);
    int status = lab_options_parse(argc, argv, &options);
    if (status != LAB_EXIT_OK)
        return status;
    const char *const error = is_sim ? lab_simulator()->gpu_error() : NULL;
    if (error)
        return refuse_gpu(&options, error);
    if (lab_launches_bind() != 0)
        return lab_complain(LAB_EXIT_MISSING, "libcudart.so.13 lacks a launch entry point; the lab "
                                              "needs CUDA 13: run `make setup`");
    status = prepare(&options, is_sim, &plan);
    set_simulator(&options);
    if (status == LAB_EXIT_OK && options.command == LAB_COMMAND_EXERCISE) /* opens no device */
        return lab_exercise_run(&options, is_sim, LAB_ARCH, &plan);
    if (status == LAB_EXIT_OK)
        status = lab_device_open(is_sim, &device);
    if (status == LAB_EXIT_OK && !options.under_tool)
        status = lab_device_check_build(&device, LAB_ARCH,
                                        options.target_count ? options.targets[0] : "steps");
    if (status != LAB_EXIT_OK)
        return status;
    return plan.beside_solution ? lab_beside_run(&options, &device, &plan)
                                : run_command(&options, &device, &plan);
}
