/* Chooses what submissions are timed on, tries whether a timer can open it, and builds the
 * solution. */
#include "grade/timing.h"

#include "grade/timer/confinement.h"
#include "machine/runtime.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    judge->lock = watch->bus;
    return status == LAB_EXIT_OK ? confine_timers(t, judge, confinement, size) : status;
}
