/* Entry of `run`: command line, choice of runtime, then the command itself. */
#include "command/command.h"
#include "doctor.h"
#include "grade/grade.h"
#include "grade/hint.h"
#include "grade/watch.h"
#include "list.h"
#include "options.h"
#include "runtime.h"
#include "sim/lab_sim.h"
#include "stale.h"
#include "status.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only the simulator knows what each line does. */
static void choose_for_lines(struct lab_options *options)
{
    if (!options->lines || options->runtime != LAB_RUNTIME_AUTO)
        return;
    options->runtime = LAB_RUNTIME_SIM;
    if (lab_runtime_probe().state == LAB_GPU_USABLE)
        fputs("run: --lines counts on the simulator, not on the GPU\n", stderr);
}

/* The simulator reads the profile when it is loaded, and knows which there are. */
static int check_gpu_profile(const struct lab_options *options, const struct lab_runtime *runtime)
{
    __typeof__(lab_sim_gpu_error) *error = dlsym(runtime->cudart, "lab_sim_gpu_error");
    if (!runtime->is_sim || !error || !error())
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_USAGE, "%s: %s", options->arch ? "--arch" : "LAB_SIM_GPU",
                        error());
}

int main(int argc, char **argv)
{
    struct lab_options options;
    struct lab_runtime runtime;
    if (argc > 1 && strcmp(argv[1], "hint") == 0)
        return lab_hint(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "watch") == 0)
        return lab_watch(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "grade") == 0)
        return lab_grade(argc - 1, argv + 1);
    int status = lab_options_parse(argc, argv, &options);
    if (status != LAB_EXIT_OK)
        return status;
    if (options.command == LAB_COMMAND_LIST)
        return lab_list();
    if (options.command == LAB_COMMAND_DOCTOR)
        return lab_doctor();
    for (int i = 0; i < options.target_count && !options.under_tool && !options.plan; i++)
        if (!options.source)
            lab_stale_note(options.targets[i]);
    choose_for_lines(&options);
    if (options.arch) {
        setenv("LAB_SIM_GPU", options.arch, 1);
        options.runtime = LAB_RUNTIME_SIM;
    }
    status = lab_runtime_load(options.runtime, &runtime);
    if (status == LAB_EXIT_OK)
        status = check_gpu_profile(&options, &runtime);
    if (status != LAB_EXIT_OK)
        return status;
    lab_command_fn *command = (lab_command_fn *)dlsym(runtime.lab, LAB_COMMAND_SYMBOL);
    if (!command)
        return lab_complain(LAB_EXIT_MISSING, "build/lab.so is not this program's; run `make`");
    return command(&options, &runtime);
}
