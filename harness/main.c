/* Entry of `run`: command line, choice of runtime. What needs a CUDA runtime is done by the program
 * beside it, `lab`, started with the libraries of the one that was chosen. */
#include "base/paths.h"
#include "base/standard_streams.h"
#include "base/status.h"
#include "exercise/hint.h"
#include "exercise/watch.h"
#include "grade/grade.h"
#include "machine/doctor.h"
#include "machine/runtime.h"
#include "options/options.h"
#include "options/targets.h"
#include "run/renew.h"
#include "series/list.h"
#include "series/meant.h"
#include "series/registry.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_START = 126, NO_LIBRARY = 127 }; /* as shells and the dynamic linker have it */

/* Only the simulator knows what each line does. */
static void choose_for_lines(struct lab_options *options)
{
    if (!options->lines || options->runtime != LAB_RUNTIME_AUTO)
        return;
    options->runtime = LAB_RUNTIME_SIM;
    if (lab_runtime_probe().state == LAB_GPU_USABLE)
        fputs("run: --lines counts on the simulator, not on the GPU\n", stderr);
}

/* A kernel on a GPU may run on any of its SMs. */
static int choose_sms(int sms, bool is_sim)
{
    char text[16] = "all";
    if (!is_sim)
        return lab_complain(LAB_EXIT_USAGE, "--sms is for the simulator, and a GPU was found; add "
                                            "--runtime sim");
    if (sms != LAB_SMS_ALL)
        snprintf(text, sizeof text, "%d", sms);
    setenv("LAB_SIM_SMS", text, 1);
    return LAB_EXIT_OK;
}

/* The default problem is made for a slice; who has said another one has it. */
static void choose_slice(void)
{
    const char *given = getenv("LAB_SIM_SMS");
    char text[16];
    snprintf(text, sizeof text, "%d", LAB_SLICE_SMS);
    if (!given || !*given)
        setenv("LAB_SIM_SMS", text, 1);
}

/* A signal from outside ends this process, too; a crash is one line. */
static int report_signal(int number, const char *what)
{
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGPIPE) {
        signal(number, SIG_DFL);
        raise(number);
    }
    return lab_complain(LAB_EXIT_FAILED,
                        "%s crashed (%s)%s; look at the host code of the kernel file, such as its "
                        "launch function",
                        what, strsignal(number),
                        number == SIGKILL ? ": was there enough memory?" : "");
}

/* The same command line, in `lab`. Both have the terminal; keys that end programs reach both, and
 * this one waits to hear how the other took it. */
static int start_lab(char **argv, const char *libraries, const char *what)
{
    char program[LAB_PATH_BYTES];
    int status;
    lab_build_path(program, "lab");
    if (access(program, X_OK) != 0)
        return lab_complain(LAB_EXIT_MISSING, "%s is not built; run `make step01`", program);
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(CANNOT_START);
        setenv("LD_LIBRARY_PATH", libraries, 1);
        execv(program, argv);
        _exit(CANNOT_START);
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            child = -1;
    if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_START))
        return lab_complain(LAB_EXIT_MISSING, "%s cannot be started: %s", program, strerror(errno));
    if (WIFSIGNALED(status))
        return report_signal(WTERMSIG(status), what);
    if (WEXITSTATUS(status) == NO_LIBRARY)
        return lab_complain(
            LAB_EXIT_MISSING,
            "a CUDA library cannot be loaded; run `make setup`, then `make step01`");
    return WEXITSTATUS(status);
}

/* `help`, and `help WORD`, whose options come first: as --help says it. */
static int help(int argc, char **argv)
{
    struct lab_options options;
    char *of_grade[] = {"grade", "--help", NULL};
    char *words[] = {argv[0], "--help", argc > 2 ? argv[2] : NULL, NULL};
    if (argc > 3)
        return lab_complain(LAB_EXIT_USAGE, "help is about one target or command at a time");
    if (argc == 3 && strcmp(argv[2], "grade") == 0)
        return lab_grade(2, of_grade);
    if (argc == 3 && !lab_meant_target(argv[2]) &&
        strcmp(lab_registry_nearest(argv[2]), argv[2]) != 0)
        return lab_complain(LAB_EXIT_USAGE, "no target or command '%s'; did you mean '%s'?",
                            argv[2], lab_registry_nearest(argv[2]));
    return lab_options_parse(argc, words, &options);
}

int main(int argc, char **argv)
{
    struct lab_options options;
    char libraries[LAB_PATH_BYTES];
    bool is_sim;
    lab_standard_streams();
    if (argc < 2)
        return lab_list_standing();
    if (strcmp(argv[1], "help") == 0)
        return help(argc, argv);
    if (strcmp(argv[1], "hint") == 0)
        return lab_hint(argc - 1, argv + 1);
    if (strcmp(argv[1], "watch") == 0)
        return lab_watch(argc - 1, argv + 1);
    if (strcmp(argv[1], "grade") == 0)
        return lab_grade(argc - 1, argv + 1);
    int status = lab_options_parse(argc, argv, &options);
    if (status != LAB_EXIT_OK)
        return status;
    if (options.command == LAB_COMMAND_LIST)
        return lab_list();
    if (options.command == LAB_COMMAND_DOCTOR)
        return lab_doctor();
    status = options.under_tool ? LAB_EXIT_OK : lab_renew(&options);
    if (status != LAB_EXIT_OK)
        return status;
    choose_for_lines(&options);
    if (options.arch) {
        setenv("LAB_SIM_GPU", options.arch, 1);
        options.runtime = LAB_RUNTIME_SIM;
    }
    status = lab_runtime_choose(options.runtime, &is_sim);
    if (status == LAB_EXIT_OK && is_sim && !options.sms && lab_targets_take_slice(&options))
        choose_slice();
    if (status == LAB_EXIT_OK && options.sms)
        status = choose_sms(options.sms, is_sim);
    if (status == LAB_EXIT_OK)
        status = lab_runtime_libraries(is_sim, libraries);
    if (status != LAB_EXIT_OK)
        return status;
    return start_lab(argv, libraries,
                     options.source              ? options.source
                     : options.target_count == 1 ? options.targets[0]
                                                 : "the comparison");
}
