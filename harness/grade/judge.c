/* The parent of a submission's processes, and the owner of its verdict. Data flows one way: file,
 * object, trial, outcome. */
#include "grade/judge.h"

#include "exercise/todo.h"
#include "grade/folders.h"
#include "grade/sandbox/sandbox.h"
#include "grade/timer/timer.h"
#include "grade/outcome/outcome.h"
#include "base/time.h"
#include "base/text.h"
#include "base/status.h"
#include "machine/runtime.h"
#include "options/family.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_REPORT = 4 << 20, MOST_OUTPUT = 1 << 20 };

static bool refuse(struct lab_outcome *outcome, enum lab_check_status status, const char *message)
{
    outcome->status = status;
    snprintf(outcome->message, sizeof outcome->message, "%s", message);
    return false;
}

/* --- the file ----------------------------------------------------------------------------------*/

/* Makes the submission's folder, and its only file so far, the account's. */
static bool hand_over(const struct lab_account *account, const char *folder, int file)
{
    return !account->user || (chown(folder, account->user, account->group) == 0 &&
                              fchown(file, account->user, account->group) == 0);
}

static bool write_source(const struct lab_judge *judge, const struct lab_source *source,
                         const char *folder, struct lab_outcome *outcome)
{
    char path[LAB_PATH_BYTES];
    size_t put = 0;
    ssize_t more = 1;
    if (source->status != LAB_CHECK_OK)
        return refuse(outcome, source->status, source->message);
    snprintf(path, sizeof path, "%.4000s/kernel.cu", folder);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (file >= 0 && more > 0 && put < source->size) {
        more = write(file, source->bytes + put, source->size - put);
        put += more > 0 ? (size_t)more : 0;
    }
    const bool theirs = file >= 0 && hand_over(&judge->account, folder, file);
    if (file >= 0 && close(file) == 0 && theirs && put == source->size)
        return true;
    return refuse(outcome, LAB_CHECK_NOT_RUN, strerror(errno));
}

/* --- the object --------------------------------------------------------------------------------*/

static bool look_at_object(const struct lab_judge *judge, const char *folder,
                           struct lab_outcome *outcome)
{
    char path[LAB_PATH_BYTES], why[512];
    struct lab_object object;
    snprintf(path, sizeof path, "%.4000s/kernel.d", folder);
    if (lab_exercise_includes(judge->exercise, path, why, sizeof why))
        return refuse(outcome, LAB_CHECK_FORBIDDEN, why);
    snprintf(path, sizeof path, "%.4000s/kernel.o", folder);
    bool good = lab_object_open(&object, path, why, sizeof why);
    if (!good)
        refuse(outcome, LAB_CHECK_BUILD_ERROR, why);
    else if (!lab_object_allowed(&object, why, sizeof why))
        good = refuse(outcome, LAB_CHECK_FORBIDDEN, why);
    outcome->prints = good && lab_object_prints(&object);
    lab_object_close(&object);
    return good;
}

/* Compiles a submission. If the disk is full, that is no verdict: the student can do nothing about
 * it. */
static bool compile(const struct lab_judge *judge, const char *folder, struct lab_outcome *outcome)
{
    const struct lab_build_terms terms = {.isolate = judge->isolate,
                                          .account = judge->account,
                                          .seconds = judge->settings.compile_seconds};
    if (lab_build_object(&terms, folder, outcome) && look_at_object(judge, folder, outcome) &&
        lab_build_shared(&terms, folder, outcome))
        return true;
    int error = lab_folders_try(folder, 1 << 20);
    return error ? refuse(outcome, LAB_CHECK_NOT_RUN, strerror(error)) : false;
}

/* --- the trial ---------------------------------------------------------------------------------*/

/* Lists all tests before the trial, as not run. */
static void list_tests(const struct lab_plan *plan, struct lab_outcome *outcome)
{
    outcome->test_count = plan->count;
    for (int i = 0; i < plan->count; i++) {
        struct lab_outcome_test *test = &outcome->tests[i];
        *test = (struct lab_outcome_test){.visible = plan->items[i].visible,
                                          .is_goal = plan->items[i].is_goal,
                                          .scored = plan->items[i].scored,
                                          .status = LAB_CHECK_NOT_RUN};
        snprintf(test->name, sizeof test->name, "%s", plan->items[i].name);
        snprintf(test->options, sizeof test->options, "%s", plan->items[i].options);
    }
}

static void note_report(const struct lab_plan_report *report, struct lab_outcome *outcome,
                        int *begun)
{
    if (report->item < 0) {
        refuse(outcome, report->status, report->message);
        return;
    }
    if (report->item >= outcome->test_count)
        return;
    *begun = report->item;
    struct lab_outcome_test *test = &outcome->tests[report->item];
    test->status = report->status;
    test->passed = report->status == LAB_CHECK_OK && (!test->is_goal || report->met);
    test->got = report->got;
    test->solution = report->solution;
    test->speed = report->speed;
    snprintf(test->message, sizeof test->message, "%s", report->message);
}

/* Reads the trial's reports; returns the item that the trial had begun last, -1 for none. */
static int read_reports(char *text, struct lab_outcome *outcome)
{
    int begun = -1;
    struct lab_plan_report report;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (lab_plan_hear(line, &report))
            note_report(&report, outcome, &begun);
    return begun;
}

/* The last line of what the trial itself said. */
static const char *last_complaint(char *output)
{
    const char *last = "the trial gives no reason";
    for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "run: ", strlen("run: ")) == 0)
            last = line + strlen("run: ");
    return last;
}

/* Judges a trial that did not come to its end by the item that it had begun last. */
static void judge_end(const struct lab_confined *how, int begun, struct lab_outcome *outcome)
{
    /* a usage error: the problem refuses it, such as too much scratch memory */
    enum lab_check_status status = how->timed_out                    ? LAB_CHECK_TIMEOUT
                                   : how->status == LAB_EXIT_USAGE   ? LAB_CHECK_LAUNCH_ERROR
                                   : how->status == LAB_EXIT_MISSING ? LAB_CHECK_INTERNAL_ERROR
                                                                     : LAB_CHECK_CRASHED;
    char message[512];
    if (outcome->status != LAB_CHECK_OK || (how->started && how->status == 0 && !how->timed_out))
        return;
    if (!how->started) {
        refuse(outcome, LAB_CHECK_NOT_RUN, "its trial cannot be started");
        return;
    }
    if (how->timed_out)
        snprintf(message, sizeof message, "takes longer than its limit, trial_seconds");
    else if (how->status == LAB_EXIT_USAGE)
        snprintf(message, sizeof message, "%.*s", (int)strcspn(how->output, "\n"), how->output);
    else if (how->status == LAB_EXIT_MISSING)
        snprintf(message, sizeof message, "%s", last_complaint(how->output));
    else
        snprintf(message, sizeof message, "its trial broke off (%s %d): %.*s",
                 how->signal ? "signal" : "status", how->signal ? how->signal : how->status,
                 (int)strcspn(how->output, "\n"), how->output);
    if (begun >= 0 && outcome->tests[begun].status == LAB_CHECK_NOT_RUN) {
        outcome->tests[begun].status = status;
        snprintf(outcome->tests[begun].message, sizeof outcome->tests[begun].message, "%.500s",
                 message);
    } else {
        refuse(outcome, status, message);
    }
}

static bool has_failed(const struct lab_outcome_test *test)
{
    return test->status != LAB_CHECK_OK && test->status != LAB_CHECK_NOT_RUN &&
           !lab_check_status_is_open(test->status);
}

/* A goal that is missed at its other sizes is missed: the idea is to serve all. After a guard that
 * is missed none is measured there. */
static void drop_goals_missed_again(const struct lab_plan *plan, struct lab_outcome *outcome)
{
    for (int i = 0; i < plan->count; i++)
        if (lab_exercise_goal_guards(&plan->items[i].goal) && !plan->items[i].again &&
            !outcome->tests[i].passed)
            return;
    for (int i = 0; i < plan->count; i++) {
        const struct lab_outcome_test *const again = &outcome->tests[i];
        struct lab_outcome_test *const first = &outcome->tests[plan->items[i].again];
        if (!plan->items[i].again || again->passed || !first->passed)
            continue;
        first->passed = false;
        first->status = again->status;
        snprintf(first->message, sizeof first->message, "is missed at other sizes, see below");
    }
}

/* A kernel that is wrong at a goal's size reaches no goal, as one that is wrong at a test's. */
static void drop_goals_of_wrong(struct lab_outcome *outcome)
{
    bool is_wrong = false;
    for (int i = 0; i < outcome->test_count; i++)
        is_wrong = is_wrong || (outcome->tests[i].is_goal && has_failed(&outcome->tests[i]));
    for (int i = 0; i < outcome->test_count && is_wrong; i++)
        if (outcome->tests[i].is_goal && outcome->tests[i].passed) {
            outcome->tests[i].passed = false;
            snprintf(outcome->tests[i].message, sizeof outcome->tests[i].message,
                     "does not count for a kernel that is wrong at another goal's sizes");
        }
}

/* Takes the verdict of the first test that failed. If none failed, but one has no verdict, there is
 * none. */
static void sum_up(struct lab_outcome *outcome)
{
    const struct lab_outcome_test *decides = lab_outcome_unknown(outcome);
    for (int i = outcome->test_count - 1; i >= 0; i--)
        if (has_failed(&outcome->tests[i]))
            decides = &outcome->tests[i];
    if (outcome->status != LAB_CHECK_OK || !decides)
        return;
    outcome->status = decides->status;
    snprintf(outcome->message, sizeof outcome->message, "%.240s: %.700s", decides->name,
             decides->message);
}

/* Notes the solution's figures, which were taken of the same problems. */
static void note_known(const struct lab_outcome *solution, struct lab_plan *plan)
{
    for (int i = 0; solution && i < plan->count && i < solution->test_count; i++) {
        plan->items[i].goal.is_known = plan->items[i].is_goal && !plan->items[i].timed;
        plan->items[i].goal.known = solution->tests[i].solution;
    }
}

static bool make_plan(const struct lab_judge *judge, const char *path, struct lab_plan *plan,
                      struct lab_outcome *outcome)
{
    plan->isolate = judge->isolate;
    plan->account = judge->account;
    plan->launch_seconds = judge->settings.launch_seconds;
    plan->speed_share = judge->settings.speed_share;
    plan->timing = judge->timing;
    plan->times = false;
    if (lab_plan_make(judge->exercise, judge->settings.secret, plan) != LAB_EXIT_OK)
        return refuse(outcome, LAB_CHECK_NOT_RUN, "the plan of the tests cannot be made");
    note_known(judge->solution, plan);
    if (!lab_plan_write(plan, path))
        return refuse(outcome, LAB_CHECK_NOT_RUN, "the plan of the tests cannot be written");
    list_tests(plan, outcome);
    return true;
}

/* Runs the plan in one process and reads its reports; returns the item that it had begun last. */
static int run_plan(const struct lab_judge *judge, const char *folder, const struct lab_plan *plan,
                    struct lab_outcome *outcome, struct lab_confined *how)
{
    char libraries[LAB_PATH_BYTES], environment_libraries[LAB_PATH_BYTES + 32];
    char environment_sms[32]; /* like `run` for an exercise */
    const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LAB_SIM_BUDGET=16",
                                       environment_libraries, environment_sms, NULL};
    char program[LAB_PATH_BYTES], target[32], object[LAB_PATH_BYTES];
    char path[LAB_PATH_BYTES];
    bool on_gpu = plan->times && !plan->timing.rehearsal;
    const struct lab_settings *settings = &judge->settings;
    snprintf(path, sizeof path, "%.4000s/plan", folder);
    lab_build_path(program, "lab");
    if (lab_runtime_libraries(!on_gpu, libraries) != LAB_EXIT_OK)
        libraries[0] = '\0'; /* the program then does not start, and says why */
    snprintf(environment_libraries, sizeof environment_libraries, "LD_LIBRARY_PATH=%s", libraries);
    if (on_gpu)
        setenv("LD_LIBRARY_PATH", libraries, 1);
    snprintf(environment_sms, sizeof environment_sms, "LAB_SIM_SMS=%d", LAB_SLICE_SMS);
    snprintf(target, sizeof target, "exercise%s", judge->entry->number);
    snprintf(object, sizeof object, "%.4000s/kernel.o", folder);
    struct lab_confine what = {
        .words = {program, target, "--source", object, "--plan", path, "--runtime",
                  on_gpu ? "gpu" : "sim"},
        .environment =
            on_gpu ? (const char *const *)environ : environment, /* only the lab's code */
        .gpu = on_gpu,
        .seconds = plan->times ? settings->gpu_seconds : settings->trial_seconds,
        /* a driver reserves more addresses than there is memory */
        .memory_bytes = on_gpu ? 0 : (size_t)(settings->memory_mb * 1048576.0),
        .file_bytes = on_gpu ? (size_t)64 << 20 : 0,
        .output_bytes = MOST_OUTPUT,
        .result_bytes = MOST_REPORT};
    lab_confine_run(&what, how);
    return read_reports(how->result, outcome);
}

static bool any_timed(const struct lab_plan *plan)
{
    for (int i = 0; i < plan->count; i++)
        if (plan->items[i].timed)
            return true;
    return false;
}

/* Notes why timed items were not run, if this machine could not: that is no verdict. */
static void excuse(const struct lab_confined *how, const struct lab_plan *plan,
                   struct lab_outcome *outcome)
{
    for (int i = 0; i < plan->count; i++) {
        struct lab_outcome_test *test = &outcome->tests[i];
        if (plan->items[i].timed && test->status == LAB_CHECK_NOT_RUN)
            snprintf(test->message, sizeof test->message, "not timed: %.*s",
                     (int)strcspn(how->output, "\n"), how->output);
    }
}

/* Times a submission that is right, with no other job on the device. */
static void time_it(const struct lab_judge *judge, const char *folder, struct lab_plan *plan,
                    struct lab_outcome *outcome)
{
    char path[LAB_PATH_BYTES];
    struct lab_confined how;
    snprintf(path, sizeof path, "%.4000s/plan", folder);
    plan->times = true;
    if (!lab_plan_write(plan, path)) {
        refuse(outcome, LAB_CHECK_NOT_RUN, "the plan of the tests cannot be written");
        return;
    }
    int lock = lab_gpu_lock(judge->lock);
    int begun = run_plan(judge, folder, plan, outcome, &how);
    lab_gpu_unlock(lock);
    if (how.started && how.status == LAB_EXIT_MISSING && !how.timed_out)
        excuse(&how, plan, outcome);
    else
        judge_end(&how, begun, outcome);
    sum_up(outcome);
    lab_confined_free(&how);
}

static void hold_trial(const struct lab_judge *judge, const char *folder,
                       struct lab_outcome *outcome)
{
    static struct lab_plan plan; /* large, and one at a time */
    char path[LAB_PATH_BYTES];
    struct lab_confined how;
    snprintf(path, sizeof path, "%.4000s/plan", folder);
    if (!make_plan(judge, path, &plan, outcome))
        return;
    int begun = run_plan(judge, folder, &plan, outcome, &how);
    judge_end(&how, begun, outcome);
    drop_goals_missed_again(&plan, outcome);
    drop_goals_of_wrong(outcome);
    sum_up(outcome);
    lab_confined_free(&how);
    if (outcome->status == LAB_CHECK_OK && any_timed(&plan))
        time_it(judge, folder, &plan, outcome);
}

/* --- the whole ---------------------------------------------------------------------------------*/

/* Cleans a text that a submission may have influenced: removes what cannot be shown, and the folder
 * in which it was tried, RUN/ONE of the folder above. Line information names the one in which the
 * file was compiled, which was an earlier trial's if that object was kept. */
static void clean(char *text, size_t size, bool lines, const char *folder)
{
    char copy[LAB_OUTCOME_COMPILER], above[LAB_PATH_BYTES], *found;
    snprintf(above, sizeof above, "%s", folder);
    *strrchr(above, '/') = '\0';
    *(strrchr(above, '/') + 1) = '\0';
    const char *const names[] = {above, lab_shown_path(above)}; /* of compiler and lab */
    snprintf(copy, sizeof copy, "%s", text);
    for (int i = 0; i < 2; i++)
        while ((found = strstr(copy, names[i]))) {
            const char *end = found + strlen(names[i]);
            for (int component = 0; component < 2; component++) {
                end += strcspn(end, "/ \n");
                end += *end == '/';
            }
            memmove(found, end, strlen(end) + 1);
        }
    lab_printable(copy, lines, text, size);
}

static void clean_texts(struct lab_outcome *outcome, const char *folder)
{
    clean(outcome->message, sizeof outcome->message, false, folder);
    clean(outcome->compiler, sizeof outcome->compiler, true, folder);
    for (int i = 0; i < outcome->test_count; i++)
        clean(outcome->tests[i].message, sizeof outcome->tests[i].message, false, folder);
}

static void clear(const char *folder)
{
    static const char *const names[] = {"kernel.cu", "kernel.o", "kernel.o.so", "plan"};
    char path[LAB_PATH_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%.4000s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* An exercise as it was given may pass tests, and is worth nothing. */
static bool look_at_source(const struct lab_judge *judge, const struct lab_source *source,
                           struct lab_outcome *outcome)
{
    FILE *const file = source->size ? fmemopen(source->bytes, source->size, "r") : NULL;
    const bool is_untouched = file && judge->given && lab_todo_is_untouched(judge->entry, file);
    if (file)
        fclose(file);
    return !is_untouched || refuse(outcome, LAB_CHECK_UNCHANGED,
                                   "nothing is filled in: the file is as it was given");
}

/* Notes the file's SHA-256, which tells afterwards what was graded. */
static void note_hash(const char *folder, struct lab_outcome *outcome)
{
    char command[LAB_PATH_BYTES + 64], line[sizeof outcome->sha256] = "";
    snprintf(command, sizeof command, "sha256sum '%.4000s/kernel.cu' 2> /dev/null", folder);
    FILE *const pipe = strchr(folder, '\'') ? NULL : popen(command, "r");
    if (pipe && fgets(line, sizeof line, pipe) && strlen(line) == sizeof line - 1)
        memcpy(outcome->sha256, line, sizeof line);
    if (pipe)
        pclose(pipe);
}

bool lab_judge_build(const struct lab_judge *judge, const struct lab_source *source,
                     const char *folder, struct lab_outcome *outcome)
{
    return write_source(judge, source, folder, outcome) && compile(judge, folder, outcome);
}

/* Takes the outcome of a file that is the same program, if one is kept. Nothing in it tells whose
 * it was. */
static bool take_equal(const struct lab_judge *judge, struct lab_outcome *outcome)
{
    static struct lab_outcome kept; /* large, and one at a time */
    const struct lab_judge_equal *const equal = judge->equal;
    if (!equal || !lab_outcome_load_of(&kept, equal->plain.bytes, equal->plain.size, equal->path) ||
        !lab_outcome_is_right(&kept))
        return false;
    memcpy(kept.student, outcome->student, sizeof kept.student);
    memcpy(kept.file, outcome->file, sizeof kept.file);
    memset(kept.sha256, 0, sizeof kept.sha256);
    kept.is_equal = true;
    *outcome = kept;
    return true;
}

/* Keeps it for files that are the same program. If it cannot be kept, they are judged. */
static void leave_for_equals(const struct lab_judge *judge, const struct lab_outcome *outcome)
{
    const struct lab_judge_equal *const equal = judge->equal;
    if (equal && !outcome->is_equal && lab_outcome_is_right(outcome))
        lab_outcome_save_of(outcome, equal->plain.bytes, equal->plain.size, equal->path);
}

void lab_judge(const struct lab_judge *judge, const struct lab_submission *submission,
               const struct lab_source *source, struct lab_outcome *outcome)
{
    char folder[LAB_PATH_BYTES];
    const double start = lab_clock_seconds();
    *outcome = (struct lab_outcome){.status = LAB_CHECK_OK, .isolated = judge->isolate};
    snprintf(outcome->student, sizeof outcome->student, "%s", submission->student);
    lab_printable(submission->path, false, outcome->file, sizeof outcome->file);
    snprintf(folder, sizeof folder, "%.4000s/one-XXXXXX", judge->folder);
    if (!mkdtemp(folder))
        refuse(outcome, LAB_CHECK_NOT_RUN, strerror(errno));
    else if (look_at_source(judge, source, outcome) &&
             write_source(judge, source, folder, outcome) && !take_equal(judge, outcome) &&
             compile(judge, folder, outcome))
        hold_trial(judge, folder, outcome);
    note_hash(folder, outcome);
    clear(folder);
    clean_texts(outcome, folder);
    lab_outcome_score(outcome, judge->given, &judge->settings);
    outcome->seconds = lab_clock_seconds() - start;
    leave_for_equals(judge, outcome);
}
