/* The parent makes no CUDA calls, since a child of fork() could not use the runtime after them. It
 * also runs no code of the student's, not even code that runs when a file is loaded. */
#include "exercise/goal_run.h"

#include "base/time.h"
#include "base/status.h"
#include "base/processes.h"
#include "machine/fault.h"
#include "options/options.h"
#include "run/step_file.h"
#include "series/registry.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOTICED_SECONDS = 3 }; /* after that long, says what it waits for */

/* What one process must do. */
struct errand {
    struct lab_isolated *isolated;
    const char *line;                      /* of a test, or only shown during the run */
    const struct lab_exercise_goal *goals; /* NULL: a test */
    int goal_count;
    int (*work)(const void *subject);
    const void *subject;
};

int lab_isolated_open(struct lab_isolated *isolated)
{
    void *memory = mmap(NULL, sizeof *isolated->left, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    isolated->left = memory == MAP_FAILED ? NULL : memory;
    return isolated->left ? LAB_EXIT_OK : lab_complain(LAB_EXIT_MISSING, "out of memory");
}

void lab_isolated_close(struct lab_isolated *isolated)
{
    if (isolated->left)
        munmap(isolated->left, sizeof *isolated->left);
    isolated->left = NULL;
}

/* --- in the process ----------------------------------------------------------------------------*/

/* Makes sure that what a process printed before it broke is seen: writes each line at once. */
static void settle_output(const struct lab_isolated *isolated)
{
    if (isolated->to_standard_error)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Ends the process without running what the student's file has registered to run at exit. */
static int leave(struct lab_isolated *isolated, int status)
{
    isolated->left->status = status;
    isolated->left->ended = true;
    fflush(NULL);
    _exit(status);
}

/* The tests of another problem would say nothing about this one. */
static int check_family(const struct lab_step *step, const char *file, const char *target)
{
    const char *const family = lab_registry_target(target)->family;
    return strcmp(step->family, family) == 0
               ? LAB_EXIT_OK
               : lab_complain(LAB_EXIT_FAILED,
                              "%s solves another problem than the exercise: its last line, "
                              "LAB_EXPORT(%s, ...), must be LAB_EXPORT(%s, ...)",
                              file, step->family, family);
}

static int load(struct lab_isolated *isolated)
{
    const char *target = isolated->context.options->targets[0];
    char why[1024];
    if (isolated->source && !isolated->object)
        return LAB_EXIT_OK; /* the file did not compile */
    if (!isolated->object) {
        const struct lab_step *const step = lab_step_file_load(target, NULL, why, sizeof why);
        return step ? check_family(step, target, target)
                    : lab_complain(LAB_EXIT_MISSING, "%s %s", target, why);
    }
    isolated->context.student = lab_step_file_open(isolated->object, why, sizeof why);
    return isolated->context.student
               ? check_family(isolated->context.student, isolated->source, target)
               : lab_complain(LAB_EXIT_FAILED, "--source %s %s", isolated->source, why);
}

static int run_look(const void *subject)
{
    const struct errand *errand = subject;
    struct lab_isolated *isolated = errand->isolated;
    struct lab_isolated_left *left = isolated->left;
    settle_output(isolated);
    int status = lab_device_open(isolated->context.device->is_sim, &left->device);
    if (status == LAB_EXIT_OK)
        status = lab_device_check_build(&left->device, isolated->built_for,
                                        isolated->context.options->targets[0]);
    return leave(isolated, status == LAB_EXIT_OK ? load(isolated) : status);
}

static int run_line(const void *subject)
{
    const struct errand *errand = subject;
    struct lab_isolated *isolated = errand->isolated;
    struct lab_isolated_left *left = isolated->left;
    settle_output(isolated);
    int status = load(isolated);
    if (status == LAB_EXIT_OK)
        status = errand->goals ? lab_goal_run_goals(&isolated->context, errand->goals,
                                                    errand->goal_count, left->goals)
                               : lab_goal_run_test(&isolated->context, errand->line, &left->check);
    return leave(isolated, status);
}

static int run_work(const void *subject)
{
    const struct errand *errand = subject;
    settle_output(errand->isolated);
    return leave(errand->isolated, errand->work(errand->subject));
}

/* --- outside the process -----------------------------------------------------------------------*/

static void say_waiting(const void *subject, double seconds)
{
    const struct errand *errand = subject;
    if (seconds >= NOTICED_SECONDS && errand->line && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s: %.0f s \033[K", errand->line, seconds);
}

static void clean_up(const void *subject)
{
    const struct errand *errand = subject;
    if (errand->isolated->remove)
        unlink(errand->isolated->remove);
}

static void note(struct lab_check *check, enum lab_check_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void note(struct lab_check *check, enum lab_check_status status, const char *format, ...)
{
    va_list list;
    *check = (struct lab_check){.status = status};
    va_start(list, format);
    vsnprintf(check->message, sizeof check->message, format, list);
    va_end(list);
}

static void note_fault(int number, const struct lab_fault *fault, struct lab_check *check)
{
    *check = (struct lab_check){.status = LAB_CHECK_INTERNAL_ERROR};
    lab_fault_explain(number, fault, check->message, sizeof check->message);
}

/* What ended a process that did not finish its work: if it was no crash, the student's host code,
 * because the harness always ends by leave(). */
static void note_end(const struct lab_isolated *isolated, const struct lab_supervised_end *end,
                     struct lab_check *check)
{
    char limit[512];
    struct lab_fault fault;
    if (lab_host_limit_explain(end->signal, limit, sizeof limit))
        note(check, LAB_CHECK_TIMEOUT, "it %s", limit);
    else if (end->timed_out)
        note(check, LAB_CHECK_TIMEOUT,
             "no end after %.0f s: is there a loop without end in the launch function, or in a "
             "kernel?",
             isolated->seconds);
    else if (end->signal == SIGKILL)
        note(check, LAB_CHECK_CRASHED,
             "its process was killed: does the host code take all memory?");
    else if (end->signal && !(lab_fault_take(&fault) && fault.is_of_kernel_file))
        note_fault(end->signal, fault.signal ? &fault : NULL, check);
    else if (end->signal)
        note(check, LAB_CHECK_CRASHED,
             "the host code crashed (%s): look at the launch function, and at its pointers and "
             "indices%s",
             strsignal(end->signal),
             end->signal == SIGSEGV ? "; the problem's arrays, such as p->a, are device pointers, "
                                      "which the host cannot read"
                                    : "");
    else
        note(check, LAB_CHECK_FORBIDDEN,
             "the host code ended the program with exit(%d); a launch function returns its status "
             "in its place: return cudaGetLastError()",
             end->status);
}

/* Turns the exit status of a process that ended well without a verdict into a verdict. */
static int settle_status(int status, struct lab_check *check)
{
    if (status == LAB_EXIT_USAGE)
        note(check, LAB_CHECK_LAUNCH_ERROR,
             "it asks for more scratch memory than there is: look at the function that says how "
             "many bytes the variant needs");
    else if (status == LAB_EXIT_FAILED)
        note(check, LAB_CHECK_LAUNCH_ERROR, "it could not be tried to its end, see above");
    else
        return status;
    return LAB_EXIT_OK;
}

/* Starts a process and waits for it; `check` says what ended it, LAB_CHECK_OK: it finished. */
static int send(const struct errand *errand, int (*run)(const void *subject),
                struct lab_check *check)
{
    struct lab_isolated *isolated = errand->isolated;
    struct lab_supervised_end end;
    const bool is_timed = !errand->work && !isolated->context.device->is_sim;
    const struct lab_supervised what = {.run = run,
                                        .was_interrupted = clean_up,
                                        .subject = errand,
                                        .seconds = is_timed ? isolated->seconds : 0.0,
                                        .is_waiting = say_waiting};
    *check = (struct lab_check){.status = LAB_CHECK_OK};
    isolated->left->ended = false;
    isolated->left->check = *check;
    memset(isolated->left->goals, 0, sizeof isolated->left->goals);
    if (!lab_supervise_to_end(&what, &end))
        return LAB_EXIT_MISSING;
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (isolated->left->ended)
        return isolated->left->status;
    note_end(isolated, &end, check);
    return LAB_EXIT_OK;
}

int lab_isolated_look(struct lab_isolated *isolated)
{
    struct lab_check check;
    const struct errand errand = {.isolated = isolated};
    int status = send(&errand, run_look, &check);
    if (check.status == LAB_CHECK_INTERNAL_ERROR)
        return lab_complain(LAB_EXIT_MISSING, "%s", check.message);
    return check.status == LAB_CHECK_OK
               ? status
               : lab_complain(LAB_EXIT_FAILED, "the kernel file cannot be loaded: %s",
                              check.message);
}

/* The seed and sizes belong to the lab, so this process reports a mistake in them. */
static void parse_here(const struct lab_isolated *isolated, const char *line)
{
    struct lab_options options;
    struct lab_option_text words;
    int status =
        lab_options_parse_text(isolated->context.options->targets[0], line, &words, &options);
    if (status != LAB_EXIT_OK)
        exit(status);
}

int lab_isolated_test(struct lab_isolated *isolated, const char *line)
{
    struct lab_check check;
    const struct errand errand = {.isolated = isolated, .line = line};
    parse_here(isolated, line);
    int status = send(&errand, run_line, &check);
    if (check.status != LAB_CHECK_OK)
        isolated->left->check = check;
    return settle_status(status, &isolated->left->check);
}

int lab_isolated_goals(struct lab_isolated *isolated, const struct lab_exercise_goal *goals,
                       int count)
{
    struct lab_check check;
    const struct errand errand = {
        .isolated = isolated, .line = goals->options, .goals = goals, .goal_count = count};
    parse_here(isolated, goals->options);
    const int sent = send(&errand, run_line, &check);
    int status = sent;
    for (int i = 0; i < count; i++) {
        if (check.status != LAB_CHECK_OK)
            isolated->left->goals[i].check = check;
        status = settle_status(sent, &isolated->left->goals[i].check);
    }
    return status;
}

int lab_isolated_do(struct lab_isolated *isolated, int (*work)(const void *subject),
                    const void *subject)
{
    struct lab_check check;
    const struct errand errand = {.isolated = isolated, .work = work, .subject = subject};
    int status = send(&errand, run_work, &check);
    return check.status == LAB_CHECK_OK
               ? status
               : lab_complain(check.status == LAB_CHECK_INTERNAL_ERROR ? LAB_EXIT_MISSING
                                                                       : LAB_EXIT_FAILED,
                              "%s", check.message);
}
