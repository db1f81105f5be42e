/* The parent makes no call of a CUDA runtime, which would be of no use to a child behind fork(),
 * and runs nothing of the student's, not even what runs when a file is loaded. */
#include "exercise/isolated.h"

#include "base/host_limit.h"
#include "base/status.h"
#include "base/supervision.h"
#include "options/option_text.h"
#include "run/step_file.h"
#include "series/registry.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOTICED_SECONDS = 3 }; /* who waits that long is told what for */

/* What one process is to do. */
struct errand {
    struct lab_isolated *isolated;
    const char *line;                     /* a test's, or of what is shown while it runs */
    const struct lab_exercise_goal *goal; /* NULL: a test */
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

/* What it printed before it broke is to be seen: a line at a time, wherever it goes. */
static void settle_output(const struct lab_isolated *isolated)
{
    if (isolated->to_standard_error)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Nothing that the student's file left behind is run any more. */
static int leave(struct lab_isolated *isolated, int status)
{
    isolated->left->status = status;
    isolated->left->ended = true;
    fflush(NULL);
    _exit(status);
}

/* What another problem's tests say would say nothing of this one. */
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
        return LAB_EXIT_OK; /* it did not compile */
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
        status = errand->goal ? lab_goal_run_goal(&isolated->context, errand->goal, &left->goal)
                              : lab_goal_run_test(&isolated->context, errand->line, &left->check);
    return leave(isolated, status);
}

static int run_work(const void *subject)
{
    const struct errand *errand = subject;
    settle_output(errand->isolated);
    return leave(errand->isolated, errand->work(errand->subject));
}

/* --- beside it ---------------------------------------------------------------------------------*/

static void say_waiting(const void *subject, double seconds)
{
    const struct errand *errand = subject;
    if (seconds >= NOTICED_SECONDS && errand->line && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s: %.0f s; after %.0f it counts as endless \033[K", errand->line,
                seconds, errand->isolated->seconds);
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

/* A process that did not come to the end of its work was ended by the student's host code: the
 * harness leaves by leave() alone. */
static void note_end(const struct lab_isolated *isolated, const struct lab_supervised_end *end,
                     struct lab_check *check)
{
    char limit[512];
    if (lab_host_limit_explain(end->signal, limit, sizeof limit))
        note(check, LAB_CHECK_TIMEOUT, "it %s", limit);
    else if (end->timed_out)
        note(check, LAB_CHECK_TIMEOUT,
             "no end after %.0f s: is there a loop without end in the launch function%s?",
             isolated->seconds, isolated->context.device->is_sim ? "" : ", or in a kernel");
    else if (end->signal == SIGKILL)
        note(check, LAB_CHECK_CRASHED,
             "its process was killed: does the host code take all memory?");
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

/* Makes a verdict of the exit status of a process that ended well but left none. */
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

/* Sends a process on its way; `check` is of what ended it, LAB_CHECK_OK otherwise. */
static int send(const struct errand *errand, int (*run)(const void *subject),
                struct lab_check *check)
{
    struct lab_isolated *isolated = errand->isolated;
    struct lab_supervised_end end;
    const struct lab_supervised what = {.run = run,
                                        .was_interrupted = clean_up,
                                        .subject = errand,
                                        .seconds = errand->work ? 0.0 : isolated->seconds,
                                        .is_waiting = say_waiting};
    *check = (struct lab_check){.status = LAB_CHECK_OK};
    isolated->left->ended = false;
    isolated->left->check = *check;
    isolated->left->goal = (struct lab_goal_outcome){.met = false};
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
    return check.status == LAB_CHECK_OK
               ? status
               : lab_complain(LAB_EXIT_FAILED, "the kernel file cannot be loaded: %s",
                              check.message);
}

/* The seed and sizes are the lab's own: what is wrong in them is told by this process. */
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

int lab_isolated_goal(struct lab_isolated *isolated, const struct lab_exercise_goal *goal)
{
    struct lab_check check;
    const struct errand errand = {.isolated = isolated, .line = goal->options, .goal = goal};
    parse_here(isolated, goal->options);
    int status = send(&errand, run_line, &check);
    if (check.status != LAB_CHECK_OK)
        isolated->left->goal.check = check;
    return settle_status(status, &isolated->left->goal.check);
}

int lab_isolated_do(struct lab_isolated *isolated, int (*work)(const void *subject),
                    const void *subject)
{
    struct lab_check check;
    const struct errand errand = {.isolated = isolated, .work = work, .subject = subject};
    int status = send(&errand, run_work, &check);
    return check.status == LAB_CHECK_OK ? status
                                        : lab_complain(LAB_EXIT_FAILED, "%s", check.message);
}
