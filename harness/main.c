/* Entry of `run`: reads the command line and chooses the runtime. Work that needs a CUDA runtime is
 * done by `lab`, the program beside it, which is started with the libraries of that runtime. */
#include "base/time.h"
#include "base/json_writer.h"
#include "base/files.h"
#include "base/status.h"
#include "base/processes.h"
#include "completion/completion.h"
#include "base/text.h"
#include "exec/exec.h"
#include "exercise/exercise.h"
#include "grade/grade.h"
#include "machine/toolchain.h"
#include "machine/fault.h"
#include "machine/runtime.h"
#include "options/family.h"
#include "options/options.h"
#include "run/step_file.h"
#include "series/list.h"
#include "series/registry.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CONTRIBUTING.md says how a release is made. */
static const char VERSION[] = "GPU kernel lab 1.0.0";

enum { NO_LIBRARY = 127 }; /* exit status of the dynamic linker */

/* Only the simulator knows what each line does, and can be another GPU than the machine's. */
static enum lab_runtime_choice runtime_of(const struct lab_options *options)
{
    const bool is_beside_recorded = lab_registry_is_handout() && options->target_count &&
                                    lab_registry_exercise(options->targets[0]) &&
                                    options->runtime == LAB_RUNTIME_AUTO;
    if (is_beside_recorded)
        return LAB_RUNTIME_SIM; /* where the solution's figures are of */
    if (!options->lines || options->runtime != LAB_RUNTIME_AUTO)
        return options->arch ? LAB_RUNTIME_SIM : options->runtime;
    if (lab_runtime_probe().state == LAB_GPU_USABLE)
        fprintf(stderr, "run: %s counts on the simulator, not on the GPU\n",
                lab_options_lines(options));
    return LAB_RUNTIME_SIM;
}

/* Sets which GPU the simulator is, for `lab` and all that it starts. The default problem is made
 * for a slice, unless the environment names another. On a GPU --sms is refused, since a kernel may
 * run on any SM. */
static int describe_simulated(const struct lab_options *options, bool is_sim)
{
    const char *given = getenv("LAB_SIM_SMS");
    char sms[16] = "all";
    if (options->sms && !is_sim)
        return lab_complain(LAB_EXIT_USAGE, "--sms is for the simulator, and a GPU was found; add "
                                            "--runtime sim");
    if (options->arch)
        setenv("LAB_SIM_GPU", options->arch, 1);
    if (options->sms != LAB_SMS_ALL)
        snprintf(sms, sizeof sms, "%d", options->sms ? options->sms : LAB_SLICE_SMS);
    if (options->sms || (is_sim && !(given && *given) && lab_targets_take_slice(options)))
        setenv("LAB_SIM_SMS", sms, 1);
    return LAB_EXIT_OK;
}

/* Writes what is known without a runtime, for a run that left no JSON. */
static void write_end(const struct lab_options *options, enum lab_check_status status,
                      const char *message)
{
    struct lab_new_file file = {.stream = stdout};
    const bool is_stdout = options->json && strcmp(options->json, "-") == 0;
    if (!options->json || (!is_stdout && !lab_new_file_begin(&file, options->json)))
        return;
    struct lab_json_writer w = {.stream = file.stream, .first = true};
    lab_json_begin(&w, NULL, '{');
    lab_json_integer(&w, "schema", 1);
    lab_json_string(&w, "target", options->target_count == 1 ? options->targets[0] : "compare");
    lab_json_string(&w, "status", lab_check_status_name(status));
    lab_json_string(&w, "message", message);
    lab_json_end(&w, '}');
    fputc('\n', w.stream);
    if (!is_stdout)
        lab_new_file_end(&file);
}

/* Ends this process too if the reader of its output has gone; reports a crash in one line. */
static int report_signal(int number, const struct lab_options *options)
{
    char message[LAB_PATH_BYTES + 512];
    const char *const what = options->source              ? options->source
                             : options->target_count == 1 ? options->targets[0]
                                                          : "the comparison";
    if (number == SIGPIPE) {
        signal(number, SIG_DFL);
        raise(number);
    }
    char limit[512];
    struct lab_fault fault;
    const bool is_noted = lab_fault_take(&fault);
    enum lab_check_status status = LAB_CHECK_CRASHED;
    if (lab_host_limit_explain(number, limit, sizeof limit)) {
        snprintf(message, sizeof message, "%s %s", what, limit);
        status = LAB_CHECK_TIMEOUT;
    } else if (number == SIGKILL || (is_noted && fault.is_of_kernel_file)) {
        snprintf(message, sizeof message,
                 "%s crashed (%s)%s; look at the host code of the kernel file, such as its launch "
                 "function%s",
                 what, strsignal(number), number == SIGKILL ? ": was there enough memory?" : "",
                 number == SIGSEGV ? ": the problem's arrays, such as p->a, are device pointers, "
                                     "which the host cannot read"
                                   : "");
    } else {
        lab_fault_explain(number, is_noted ? &fault : NULL, message, sizeof message);
        status = LAB_CHECK_INTERNAL_ERROR;
    }
    write_end(options, status, message);
    return lab_complain(status == LAB_CHECK_INTERNAL_ERROR ? LAB_EXIT_MISSING : LAB_EXIT_FAILED,
                        "%s", message);
}

/* What to run. */
struct work {
    char **argv;
    const struct lab_options *options;
    char folder[LAB_PATH_BYTES]; /* scratch folder of the run; "": none */
};

/* Replaces this process by `lab` with the same command line. */
static int become_lab(char **argv, const char *libraries)
{
    char program[LAB_PATH_BYTES];
    lab_build_path(program, "lab");
    if (access(program, X_OK) != 0)
        return lab_complain(LAB_EXIT_MISSING, "%s is not built; run `make setup step01`", program);
    setenv("LD_LIBRARY_PATH", libraries, 1);
    fflush(NULL);
    execv(program, argv);
    return lab_complain(LAB_EXIT_MISSING, "%s cannot be started: %s", program, strerror(errno));
}

static int prepare_and_run(const void *subject)
{
    const struct work *work = subject;
    const struct lab_options *options = work->options;
    char libraries[LAB_PATH_BYTES];
    bool is_sim;
    int status = options->under_tool ? LAB_EXIT_OK : lab_rebuild(options);
    if (status != LAB_EXIT_OK)
        return status;
    status = lab_runtime_choose(runtime_of(options), &is_sim);
    if (status == LAB_EXIT_OK)
        status = describe_simulated(options, is_sim);
    if (status == LAB_EXIT_OK)
        status = lab_runtime_libraries(is_sim, libraries);
    return status == LAB_EXIT_OK ? become_lab(work->argv, libraries) : status;
}

/* Cleans up when an interrupt has ended all processes. */
static void clear(const void *subject)
{
    const struct work *work = subject;
    lab_scratch_remove(work->folder);
}

/* Runs the work in a child, which has the terminal, too. This process waits, so that an interrupt
 * leaves no process and no file. */
static int run_and_wait(char **argv, const struct lab_options *options)
{
    struct work work = {.argv = argv, .options = options};
    struct lab_supervised_end end;
    lab_scratch_begin(work.folder);
    lab_fault_open();
    const struct lab_supervised supervised = {
        .run = prepare_and_run, .was_interrupted = clear, .subject = &work};
    const bool ran = lab_supervise_to_end(&supervised, &end);
    lab_scratch_remove(work.folder);
    if (!ran)
        return LAB_EXIT_MISSING;
    if (end.signal)
        return report_signal(end.signal, options);
    if (end.status == NO_LIBRARY)
        return lab_complain(LAB_EXIT_MISSING,
                            "a CUDA library cannot be loaded; run `make setup step01`");
    return end.status;
}

/* `help` and `help WORD` are --help and --help WORD, where the options of WORD come first. */
static int help(int argc, char **argv)
{
    struct lab_options options;
    char *of_own[] = {"", "--help", NULL}; /* for commands with a command line of their own */
    char *words[] = {argv[0], "--help", argc > 2 ? argv[2] : NULL, NULL};
    if (argc > 3)
        return lab_complain(LAB_EXIT_USAGE, "help is about one target or command at a time");
    if (argc == 3 && strcmp(argv[2], "grade") == 0)
        return lab_grade(2, of_own);
    if (argc == 3 && strcmp(argv[2], "exec") == 0)
        return lab_exec(2, of_own);
    if (argc == 3 && !lab_target_name(argv[2]) && !lab_registry_knows(argv[2]))
        return lab_complain(LAB_EXIT_USAGE, "no target or command '%s'%s", argv[2],
                            lab_registry_suggest(argv[2], ""));
    return lab_options_parse(argc, words, &options);
}

/* argp knows --help alone, and commands that it does not parse know neither. */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-h") == 0)
            argv[i] = "--help";
    return argc == 3 && strcmp(argv[2], "--help") == 0 &&
           (strcmp(argv[1], "hint") == 0 || strcmp(argv[1], "watch") == 0);
}

int main(int argc, char **argv)
{
    struct lab_options options;
    char *about_command[] = {argv[0], "help", argc > 1 ? argv[1] : NULL, NULL};
    lab_standard_streams();
    lab_fault_watch(true);
    argp_program_version = VERSION;
    if (argc < 2)
        return lab_list_standing();
    if (strcmp(argv[1], "exec") == 0) /* whose program may have an option -h */
        return lab_exec(argc - 1, argv + 1);
    if (asks_for_help(argc, argv))
        return help(3, about_command);
    if (strcmp(argv[1], "help") == 0)
        return help(argc, argv);
    if (strcmp(argv[1], "completion") == 0)
        return lab_completion(argc - 1, argv + 1);
    if (strcmp(argv[1], "hint") == 0)
        return lab_hint(argc - 1, argv + 1);
    if (strcmp(argv[1], "watch") == 0)
        return lab_watch(argc - 1, argv + 1);
    if (lab_course_is_meant(argc, argv))
        return lab_course(argc, argv);
    if (strcmp(argv[1], "grade") == 0)
        return lab_grade(argc - 1, argv + 1);
    int status = lab_options_parse(argc, argv, &options);
    if (status != LAB_EXIT_OK)
        return status;
    if (options.command == LAB_COMMAND_RUN && !options.target_count) {
        lab_wrap_to(options.fit_columns);
        return lab_list_standing();
    }
    if (options.command == LAB_COMMAND_LIST)
        return lab_list(options.targets, options.target_count);
    if (options.command == LAB_COMMAND_DOCTOR)
        return lab_doctor();
    return run_and_wait(argv, &options);
}
