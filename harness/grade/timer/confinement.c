/* The confinement of a timer. It sees its program, the object, a CUDA runtime and the driver, and
 * nothing else of the lab. */
#include "grade/timer/timer.h"

#include "machine/toolchain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PROBE_SECONDS = 60.0;

static void library_folders(bool is_sim, struct lab_timer_texts *texts)
{
    struct lab_gpu_identity gpu;
    texts->driver[0] = '\0';
    if (is_sim) {
        lab_build_path(texts->runtime, "sim");
    } else {
        if (!realpath(lab_toolkit_libraries(), texts->runtime))
            snprintf(texts->runtime, sizeof texts->runtime, "%s", lab_toolkit_libraries());
        lab_gpu_identify(&gpu);
        snprintf(texts->driver, sizeof texts->driver, "%s", gpu.driver);
    }
    snprintf(texts->libraries, sizeof texts->libraries, "LD_LIBRARY_PATH=%s%s%s", texts->runtime,
             texts->driver[0] ? ":" : "", texts->driver);
}

static void make_environment(struct lab_timer_texts *texts)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    int count = 0;
    texts->environment[count++] = "PATH=/usr/bin:/bin";
    texts->environment[count++] = texts->libraries;
    texts->environment[count++] = "CUDA_CACHE_DISABLE=1";
    texts->environment[count++] = "CUDA_MODULE_LOADING=EAGER"; /* before the first call */
    texts->environment[count++] = "LAB_SIM_BUDGET=16";
    if (visible) {
        snprintf(texts->visible, sizeof texts->visible, "CUDA_VISIBLE_DEVICES=%.200s", visible);
        texts->environment[count++] = texts->visible;
    }
    texts->environment[count] = NULL;
}

void lab_timer_describe(const char *object, bool is_sim, bool isolate, uint64_t poison,
                        struct lab_timer_texts *texts, struct lab_confine *what)
{
    lab_build_path(texts->program, "timer");
    snprintf(texts->poison, sizeof texts->poison, "%llu", (unsigned long long)poison);
    library_folders(is_sim, texts);
    make_environment(texts);
    *what = (struct lab_confine){.words = {texts->program, object, texts->poison},
                                 .environment = texts->environment,
                                 .isolate = isolate,
                                 .gpu = !is_sim,
                                 .file_bytes = (size_t)64 << 20,
                                 .output_bytes = 4096,
                                 .result_bytes = 4096};
    lab_confine_bind(what, texts->program, false);
    lab_confine_bind(what, object, false);
    lab_confine_bind(what, texts->runtime, false);
    if (texts->driver[0])
        lab_confine_bind(what, texts->driver, false);
}

bool lab_timer_works(bool is_sim, bool isolate, char *why, size_t size)
{
    static struct lab_timer_texts texts; /* large */
    struct lab_confine what;
    struct lab_confined how;
    lab_timer_describe("probe", is_sim, isolate, 0, &texts, &what);
    what.seconds = PROBE_SECONDS;
    lab_confine_run(&what, &how);
    bool works = how.started && how.status == 0;
    const char *said = how.output ? how.output : "";
    snprintf(why, size, "%s%s%.*s",
             how.timed_out ? "the GPU does not answer" : "a confined process cannot open the GPU",
             said[0] ? ": " : "", (int)strcspn(said, "\n"), said);
    lab_confined_free(&how);
    return works;
}
