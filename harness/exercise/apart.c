/* The parent makes no call of a CUDA runtime, which would be of no use to a child behind fork(),
 * and runs nothing of the student's, not even what runs when a file is loaded. */
#include "exercise/apart.h"

#include "base/host_limit.h"
#include "base/status.h"
#include "base/supervision.h"
#include "options/line.h"
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
    struct lab_apart *apart;
    const char *line;                     /* a test's, or of what is shown while it runs */
    const struct lab_exercise_goal *goal; /* NULL: a test */
    int (*work)(const void *subject);
    const void *subject;
};

int lab_apart_open(struct lab_apart *apart)
{
    void *memory =
        mmap(NULL, sizeof *apart->left, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    apart->left = memory == MAP_FAILED ? NULL : memory;
    return apart->left ? LAB_EXIT_OK : lab_complain(LAB_EXIT_MISSING, "out of memory");
}

void lab_apart_close(struct lab_apart *apart)
{
    if (apart->left)
        munmap(apart->left, sizeof *apart->left);
    apart->left = NULL;
}

/* --- in the process ----------------------------------------------------------------------------*/

/* What it printed before it broke is to be seen: a line at a time, wherever it goes. */
static void settle_output(const struct lab_apart *apart)
{
    if (apart->to_standard_error)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Nothing that the student's file left behind is run any more. */
static int leave(struct lab_apart *apart, int status)
{
    apart->left->status = status;
    apart->left->ended = true;
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

static int load(struct lab_apart *apart)
{
    const char *target = apart->context.options->targets[0];
    char why[1024];
    if (apart->source && !apart->object)
        return LAB_EXIT_OK; /* it did not compile */
    if (!apart->object) {
        const struct lab_step *const step = lab_step_file_load(target, NULL, why, sizeof why);
        return step ? check_family(step, target, target)
                    : lab_complain(LAB_EXIT_MISSING, "%s %s", target, why);
    }
    apart->context.student = lab_step_file_open(apart->object, why, sizeof why);
    return apart->context.student
               ? check_family(apart->context.student, apart->source, target)
               : lab_complain(LAB_EXIT_FAILED, "--source %s %s", apart->source, why);
}

static int run_look(const void *subject)
{
    const struct errand *errand = subject;
    struct lab_apart *apart = errand->apart;
    struct lab_apart_left *left = apart->left;
    settle_output(apart);
    int status = lab_device_open(apart->context.device->is_sim, &left->device);
    if (status == LAB_EXIT_OK)
        status = lab_device_check_build(&left->device, apart->built_for,
                                        apart->context.options->targets[0]);
    return leave(apart, status == LAB_EXIT_OK ? load(apart) : status);
}

static int run_line(const void *subject)
{
    const struct errand *errand = subject;
    struct lab_apart *apart = errand->apart;
    struct lab_apart_left *left = apart->left;
    settle_output(apart);
    int status = load(apart);
    if (status == LAB_EXIT_OK)
        status = errand->goal ? lab_line_goal(&apart->context, errand->goal, &left->goal)
                              : lab_line_test(&apart->context, errand->line, &left->check);
    return leave(apart, status);
}

static int run_work(const void *subject)
{
    const struct errand *errand = subject;
    settle_output(errand->apart);
    return leave(errand->apart, errand->work(errand->subject));
}

/* --- beside it ---------------------------------------------------------------------------------*/

static void say_waiting(const void *subject, double seconds)
{
    const struct errand *errand = subject;
    if (seconds >= NOTICED_SECONDS && errand->line && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s: %.0f s; after %.0f it counts as endless \033[K", errand->line,
                seconds, errand->apart->seconds);
}

static void clean_up(const void *subject)
{
    const struct errand *errand = subject;
    if (errand->apart->remove)
        unlink(errand->apart->remove);
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
static void note_end(const struct lab_apart *apart, const struct lab_supervised_end *end,
                     struct lab_check *check)
{
    char limit[512];
    if (lab_host_limit_explain(end->signal, limit, sizeof limit))
        note(check, LAB_CHECK_TIMEOUT, "it %s", limit);
    else if (end->timed_out)
        note(check, LAB_CHECK_TIMEOUT,
             "no end after %.0f s: is there a loop without end in the launch function%s?",
             apart->seconds, apart->context.device->is_sim ? "" : ", or in a kernel");
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

/* Of a process that ended well and has no verdict: what it said of the student's is one. */
static int settle_status(int status, struct lab_check *check)
{
    if (status == LAB_EXIT_USAGE)
        note(check, LAB_CHECK_LAUNCH_ERROR,
             "it asks for more scratch memory than there is: look at the function that says how "
             "many bytes the row needs");
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
    struct lab_apart *apart = errand->apart;
    struct lab_supervised_end end;
    const struct lab_supervised what = {.run = run,
                                        .was_interrupted = clean_up,
                                        .subject = errand,
                                        .seconds = errand->work ? 0.0 : apart->seconds,
                                        .is_waiting = say_waiting};
    *check = (struct lab_check){.status = LAB_CHECK_OK};
    apart->left->ended = false;
    apart->left->check = *check;
    apart->left->goal = (struct lab_goal_outcome){.met = false};
    if (!lab_supervise_to_end(&what, &end))
        return LAB_EXIT_MISSING;
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (apart->left->ended)
        return apart->left->status;
    note_end(apart, &end, check);
    return LAB_EXIT_OK;
}

int lab_apart_look(struct lab_apart *apart)
{
    struct lab_check check;
    const struct errand errand = {.apart = apart};
    int status = send(&errand, run_look, &check);
    return check.status == LAB_CHECK_OK
               ? status
               : lab_complain(LAB_EXIT_FAILED, "the kernel file cannot be loaded: %s",
                              check.message);
}

/* The seed and sizes are the lab's own: what is wrong in them is told by this process. */
static void parse_here(const struct lab_apart *apart, const char *line)
{
    struct lab_options options;
    struct lab_options_line words;
    int status = lab_options_parse_line(apart->context.options->targets[0], line, &words, &options);
    if (status != LAB_EXIT_OK)
        exit(status);
}

int lab_apart_test(struct lab_apart *apart, const char *line)
{
    struct lab_check check;
    const struct errand errand = {.apart = apart, .line = line};
    parse_here(apart, line);
    int status = send(&errand, run_line, &check);
    if (check.status != LAB_CHECK_OK)
        apart->left->check = check;
    return settle_status(status, &apart->left->check);
}

int lab_apart_goal(struct lab_apart *apart, const struct lab_exercise_goal *goal)
{
    struct lab_check check;
    const struct errand errand = {.apart = apart, .line = goal->options, .goal = goal};
    parse_here(apart, goal->options);
    int status = send(&errand, run_line, &check);
    if (check.status != LAB_CHECK_OK)
        apart->left->goal.check = check;
    return settle_status(status, &apart->left->goal.check);
}

int lab_apart_do(struct lab_apart *apart, int (*work)(const void *subject), const void *subject)
{
    struct lab_check check;
    const struct errand errand = {.apart = apart, .work = work, .subject = subject};
    int status = send(&errand, run_work, &check);
    return check.status == LAB_CHECK_OK ? status
                                        : lab_complain(LAB_EXIT_FAILED, "%s", check.message);
}
