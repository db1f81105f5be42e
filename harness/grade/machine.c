/* What this machine has for grading: protection from submissions, and the GPU that they are timed
 * on. */
#include "grade/machine.h"

#include "base/files.h"
#include "base/status.h"
#include "grade/sandbox/sandbox.h"
#include "grade/timer/timer.h"
#include "machine/runtime.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- protection --------------------------------------------------------------------------------*/

/* Tries which protection is there: bubblewrap, a filter of system calls, limits. Refuses to grade
 * with too little for the user who grades. */

/* The recorder makes a system call that a submission may not make. */
static bool is_filtered(bool isolate, const struct lab_account *account)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    char recorder[LAB_PATH_BYTES];
    struct lab_confined how;
    struct lab_confine what = {.words = {recorder, "probe"},
                               .environment = environment,
                               .isolate = isolate,
                               .account = *account,
                               .seconds = 10.0,
                               .file_bytes = 1 << 20,
                               .output_bytes = 4096};
    lab_build_path(recorder, "recorder");
    lab_confine_bind(&what, recorder, false);
    lab_confine_run(&what, &how);
    bool filtered = how.signal == SIGSYS;
    lab_confined_free(&how);
    return filtered;
}

/* Without bubblewrap a compiler can read what its user may read, which for root is everything;
 * without a filter, so can a submission. */
static int check_rest(const struct lab_isolation_terms *terms, bool filtered, const char *why)
{
    bool asked = strcmp(terms->which, "none") == 0;
    if (terms->force)
        return LAB_EXIT_OK;
    if (geteuid() == 0)
        return lab_complain(
            asked ? LAB_EXIT_USAGE : LAB_EXIT_MISSING,
            "root does not grade without bubblewrap (%s): what a compiler may read, its messages "
            "may "
            "show; install it by `make setup course`, grade as another user, or with --account "
            "NAME, or add --force",
            asked ? "--isolation none" : why);
    if (!filtered)
        return lab_complain(LAB_EXIT_MISSING,
                            "this system has no filter of system calls (seccomp), and there is no "
                            "bubblewrap (%s): a submission could read files; --force grades anyway",
                            asked ? "--isolation none" : why);
    return LAB_EXIT_OK;
}

/* With a user of its own in place of bubblewrap. Whether that user may read what it must not is
 * tried once all folders are there. */
static int choose_account(const struct lab_isolation_terms *terms, struct lab_account *account,
                          char *text, size_t size)
{
    if (strcmp(terms->which, "full") == 0)
        return lab_complain(LAB_EXIT_USAGE, "--isolation full is bubblewrap, which --account takes "
                                            "the place of: give one of them");
    if (strcmp(terms->runtime, "gpu") == 0)
        return lab_complain(LAB_EXIT_USAGE, "--runtime gpu: with --account none is timed, since "
                                            "the solution would lie where that user may read");
    int status = lab_account_find(terms->account, account);
    if (status != LAB_EXIT_OK)
        return status;
    snprintf(text, size, "as the user %s, and limits", terms->account);
    if (terms->force || is_filtered(false, account))
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_MISSING,
                        "--account %s: that user cannot run the recorder, or this system has no "
                        "filter of system calls (seccomp)",
                        terms->account);
}

int lab_isolation_choose(const struct lab_isolation_terms *terms, bool *isolate,
                         struct lab_account *account, char *text, size_t size)
{
    char why[256] = "";
    *isolate = false;
    *account = (struct lab_account){.user = 0};
    if (terms->account)
        return choose_account(terms, account, text, size);
    *isolate = strcmp(terms->which, "none") != 0 && lab_confine_can_isolate(why, sizeof why);
    if (!*isolate && strcmp(terms->which, "full") == 0)
        return lab_complain(LAB_EXIT_MISSING,
                            "--isolation full: %s; install the package bubblewrap, or use "
                            "--isolation none",
                            why);
    bool filtered = is_filtered(*isolate, account);
    snprintf(text, size, "%s%s%s%s",
             *isolate ? "isolated by bubblewrap, and limits" : "limits only",
             *isolate || !why[0] ? "" : ": ", *isolate ? "" : why,
             filtered ? "" : "; no filter of system calls here");
    return *isolate ? LAB_EXIT_OK : check_rest(terms, filtered, why);
}

/* --- timing ------------------------------------------------------------------------------------*/

/* Chooses what submissions are timed on, tries whether a timer can open it, and builds the
 * solution. */

/* Without a GPU nothing is timed, unless the tests of this program rehearse it. */
static int choose_runtime(const struct lab_timing_terms *t, struct lab_judge *judge,
                          struct lab_gpu_identity *watch)
{
    const char *rehearsal = getenv("LAB_GRADE_REHEARSAL");
    char why[512];
    struct lab_gpu gpu;
    judge->runtime = "sim";
    if (judge->account.user != 0 || strcmp(t->runtime, "sim") == 0)
        return LAB_EXIT_OK;
    if (rehearsal) {
        judge->timing.wanted = judge->timing.rehearsal = true;
        snprintf(judge->timing.options, sizeof judge->timing.options, "%s", rehearsal);
        snprintf(watch->name, sizeof watch->name, "the simulator, a rehearsal");
        snprintf(watch->bus, sizeof watch->bus, "rehearsal-%d", (int)getuid());
        return LAB_EXIT_OK;
    }
    gpu = lab_runtime_probe();
    lab_runtime_explain(&gpu, why, sizeof why);
    if (gpu.state != LAB_GPU_USABLE || !lab_gpu_identify(watch)) {
        *watch = (struct lab_gpu_identity){.name = ""};
        return strcmp(t->runtime, "gpu") == 0
                   ? lab_complain(LAB_EXIT_MISSING, "--runtime gpu: %s",
                                  why[0] ? why : "the driver does not say which GPU it is")
                   : LAB_EXIT_OK;
    }
    judge->timing.wanted = true;
    judge->runtime = "gpu";
    return LAB_EXIT_OK;
}

/* Decides whether timers run through bubblewrap. On some systems a confined process does not see
 * the GPU: then only limits are left. */
static int confine_timers(const struct lab_timing_terms *t, struct lab_judge *judge, char *text,
                          size_t size)
{
    char why[512], before[512];
    bool is_sim = judge->timing.rehearsal;
    if (!judge->timing.wanted)
        return LAB_EXIT_OK;
    judge->timing.isolate = judge->isolate && lab_timer_works(is_sim, true, why, sizeof why);
    if (judge->timing.isolate)
        return LAB_EXIT_OK;
    if (strcmp(t->isolation, "full") == 0)
        return lab_complain(LAB_EXIT_MISSING,
                            "--isolation full: %s; use --isolation auto, or --runtime sim", why);
    if (judge->isolate) {
        snprintf(before, sizeof before, "%s", text);
        snprintf(text, size, "%.200s; on the GPU limits only: %.250s", before, why);
    }
    return lab_timer_works(is_sim, false, why, sizeof why)
               ? LAB_EXIT_OK
               : lab_complain(LAB_EXIT_MISSING, "the GPU cannot be used (%s); use --runtime sim",
                              why);
}

/* The solution is compiled and started like a submission: what is compared is the kernels alone. */
int lab_timing_build_solution(struct lab_judge *judge, const char *work)
{
    char root[LAB_PATH_BYTES], folder[LAB_PATH_BYTES];
    struct lab_submission solution = {.student = "solution"};
    struct lab_outcome *outcome = calloc(1, sizeof *outcome);
    struct lab_source source;
    if (!judge->timing.wanted || !outcome) {
        free(outcome);
        return LAB_EXIT_OK;
    }
    lab_root(root);
    snprintf(folder, sizeof folder, "%.4000s/solution-XXXXXX", work);
    snprintf(solution.path, sizeof solution.path, "%.3000s/solutions/%s/kernel.cu", root,
             judge->entry->directory);
    lab_source_read(&source, &solution);
    bool good = mkdtemp(folder) && lab_judge_build(judge, &source, folder, outcome);
    lab_source_free(&source);
    snprintf(judge->timing.solution, sizeof judge->timing.solution, "%.4000s/kernel.o", folder);
    int status = good ? LAB_EXIT_OK
                      : lab_complain(LAB_EXIT_MISSING, "solution%s cannot be built: %s",
                                     judge->entry->number, outcome->message);
    free(outcome);
    return status;
}

int lab_timing_choose(const struct lab_timing_terms *t, struct lab_judge *judge,
                      struct lab_gpu_identity *watch, char *confinement, size_t size)
{
    judge->timing.confidence = t->settings->speed_confidence;
    judge->timing.first_pairs = (int)t->settings->speed_pairs;
    judge->timing.seconds = t->settings->gpu_seconds;
    judge->timing.call_seconds = t->settings->call_seconds;
    int status = choose_runtime(t, judge, watch);
    judge->device = watch->name;
    judge->lock = watch->bus;
    return status == LAB_EXIT_OK ? confine_timers(t, judge, confinement, size) : status;
}
