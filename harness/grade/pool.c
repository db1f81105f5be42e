/* Each forked worker judges one submission and keeps its outcome in a file. The file's name has the
 * student, and a hash of all that the outcome depends on: the submission, the exercise, the
 * settings. */
#include "grade/pool.h"

#include "base/files.h"
#include "base/status.h"
#include "exercise/todo.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- what an outcome follows from --------------------------------------------------------------*/

/* FNV-1a (Fowler, Noll, Vo; public domain constants). */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * 0x100000001B3u;
    return hash;
}

static uint64_t hash_file(uint64_t hash, const char *path)
{
    char piece[65536];
    size_t got, total = 0;
    FILE *file = fopen(path, "rb");
    while (file && total < ((size_t)2 << 20) && (got = fread(piece, 1, sizeof piece, file)) > 0) {
        hash = hash_bytes(hash, piece, got);
        total += got;
    }
    if (file)
        fclose(file);
    return hash_bytes(hash, &total, sizeof total);
}

static uint64_t hash_exercise(const struct lab_judge *judge)
{
    char path[LAB_PATH_BYTES], root[LAB_PATH_BYTES];
    uint64_t hash = hash_bytes(0xCBF29CE484222325u, judge->exercise, sizeof *judge->exercise);
    hash = hash_bytes(hash, &judge->settings, sizeof judge->settings);
    hash = hash_bytes(hash, judge->runtime, strlen(judge->runtime) + 1);
    hash = hash_bytes(hash, &judge->isolate, sizeof judge->isolate);
    hash = hash_bytes(hash, &judge->account.user, sizeof judge->account.user);
    hash = hash_bytes(hash, judge->device, strlen(judge->device) + 1);
    hash = hash_bytes(hash, &judge->timing.isolate, sizeof judge->timing.isolate);
    hash = hash_bytes(hash, judge->timing.options, strlen(judge->timing.options) + 1);
    lab_root(root);
    snprintf(path, sizeof path, "%.3000s/solutions/%s/kernel.cu", root, judge->entry->directory);
    return hash_file(hash, path);
}

static void outcome_path(const struct lab_pool *pool, uint64_t exercise,
                         const struct lab_submission *submission, const struct lab_source *source,
                         char path[LAB_PATH_BYTES])
{
    char name[64];
    int length = 0;
    uint64_t hash = hash_bytes(exercise, submission->student, strlen(submission->student) + 1);
    hash = hash_bytes(hash, &source->size, sizeof source->size);
    hash = hash_bytes(hash, source->bytes, source->size);
    hash = hash_bytes(hash, source->message, strlen(source->message) + 1);
    for (const char *c = submission->student; *c && length < 63; c++)
        name[length++] = isalnum((unsigned char)*c) ? *c : '_';
    name[length] = '\0';
    snprintf(path, LAB_PATH_BYTES, "%.3900s/%s-%016llx", pool->state, name,
             (unsigned long long)hash);
}

/* Begins the names of outcomes that are kept for all files of one program; no student's begins so.
 */
static const char EQUAL[] = ".equal-";

/* The same for all files of one program, whoever handed them in; false: out of memory. */
static bool find_equal(const struct lab_pool *pool, const struct lab_source *source,
                       struct lab_judge_equal *equal)
{
    if (!lab_source_plain(&equal->plain, source))
        return false;
    const uint64_t hash =
        hash_bytes(hash_exercise(pool->judge), equal->plain.bytes, equal->plain.size);
    snprintf(equal->path, LAB_PATH_BYTES, "%.3900s/%s%016llx", pool->state, EQUAL,
             (unsigned long long)hash);
    return true;
}

/* Forgets these. */
static void remove_equals(const char *state)
{
    struct dirent **entries;
    const int count = scandir(state, &entries, NULL, NULL);
    for (int i = 0; i < count; i++) {
        char path[LAB_PATH_BYTES];
        snprintf(path, sizeof path, "%.3800s/%s", state, entries[i]->d_name);
        if (strncmp(entries[i]->d_name, EQUAL, strlen(EQUAL)) == 0)
            unlink(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* --- workers -----------------------------------------------------------------------------------*/

/* A worker that runs. */
struct worker {
    pid_t process; /* 0: none */
    int submission;
    char path[LAB_PATH_BYTES]; /* of the file with its outcome */
};

struct progress {
    int done, known, total;
    int others; /* that other graders judge */
    bool show;
    bool broken; /* this machine could not grade a submission, so no more are begun */
};

static void show(const struct progress *p, const struct lab_outcome *outcome)
{
    if (p->show)
        fprintf(stderr, "\r%d of %d: %.40s %s \033[K", p->done, p->total, outcome->student,
                lab_check_status_name(outcome->status));
}

static const char *name_in(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* Judges a submission in the child; does not return. */
static void work(const struct lab_pool *pool, int submission, const struct lab_source *source,
                 const char *path)
{
    struct lab_outcome *outcome = calloc(1, sizeof *outcome);
    const struct lab_submission *one = &pool->submissions->list[submission];
    struct lab_judge judge = *pool->judge;
    struct lab_judge_equal equal;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!outcome || !find_equal(pool, source, &equal))
        _exit(lab_complain(LAB_EXIT_MISSING, "out of memory"));
    judge.equal = &equal;
    lab_judge(&judge, one, source, outcome);
    if (outcome->status == LAB_CHECK_NOT_RUN)
        _exit(lab_complain(LAB_EXIT_MISSING,
                           "%s was not graded: %s; run it again, what was graded "
                           "is kept",
                           one->path, outcome->message));
    if (!lab_outcome_save(outcome, path))
        _exit(lab_complain(LAB_EXIT_MISSING, "the outcome of %s cannot be kept in %s: %s",
                           one->path, pool->state, strerror(errno)));
    if (pool->claims && !lab_claims_done(pool->claims, name_in(path)))
        _exit(lab_complain(LAB_EXIT_MISSING, "%s: %s", pool->claims->folder, strerror(errno)));
    _exit(LAB_EXIT_OK);
}

/* Loads the outcome that a worker left; false if there is no verdict. */
static bool take_outcome(const struct lab_pool *pool, const struct worker *worker, int status,
                         struct lab_outcome *outcome)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == LAB_EXIT_OK &&
        lab_outcome_load(outcome, worker->path))
        return true;
    if (!WIFEXITED(status) || WEXITSTATUS(status) == LAB_EXIT_OK) /* else the worker has said why */
        lab_complain(LAB_EXIT_MISSING, "%s was not graded: its process ended early%s",
                     pool->submissions->list[worker->submission].path,
                     WIFSIGNALED(status) ? "; was there enough memory? -j1 takes the least" : "");
    return false;
}

static int wait_for_one(struct worker *workers, int count, int *status)
{
    for (;;) {
        pid_t ended = waitpid(-1, status, 0);
        if (ended < 0 && errno != EINTR)
            return -1;
        for (int i = 0; i < count; i++)
            if (ended > 0 && workers[i].process == ended) {
                workers[i].process = 0;
                return i;
            }
    }
}

static int idle_worker(const struct worker *workers, int count)
{
    for (int i = 0; i < count; i++)
        if (!workers[i].process)
            return i;
    return -1;
}

/* Waits for a worker to end, and takes what it left. */
static void finish_one(const struct lab_pool *pool, struct worker *workers, int count,
                       struct lab_outcome **outcomes, struct progress *p)
{
    int status, i = wait_for_one(workers, count, &status);
    p->broken = p->broken || i < 0;
    if (i < 0)
        return;
    int n = workers[i].submission;
    if (!take_outcome(pool, &workers[i], status, outcomes[n])) {
        p->broken = true;
        return;
    }
    p->done++;
    atomic_store(pool->done, p->done);
    show(p, outcomes[n]);
}

static bool is_known(const struct lab_pool *pool, const char *path, struct lab_outcome *outcome)
{
    if (pool->again)
        unlink(path);
    return lab_outcome_load(outcome, path) && lab_outcome_judged(outcome) &&
           !lab_outcome_left_out(outcome);
}

/* Whether this grader is to judge a submission that has no kept outcome, or one without a verdict.
 * A submission that got no verdict since the claims were made is not tried once more. */
static bool is_own(const struct lab_pool *pool, const char *path, struct lab_outcome *outcome,
                   struct progress *p)
{
    const enum lab_claim claim = lab_claims_take(pool->claims, name_in(path));
    if (claim == LAB_CLAIM_FAILED) {
        p->broken = true;
    } else if (claim == LAB_CLAIM_OTHERS) {
        p->others++;
    } else if (lab_outcome_load(outcome, path) &&
               (claim == LAB_CLAIM_DONE || is_known(pool, path, outcome))) {
        p->known++;
        atomic_store(pool->done, ++p->done);
    } else {
        return claim == LAB_CLAIM_OWN || pool->claims->is_last;
    }
    return false;
}

static int busy(const struct worker *workers, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        n += workers[i].process != 0;
    return n;
}

/* Begins to grade a submission with an idle worker; false if the worker cannot be started. */
static bool begin(const struct lab_pool *pool, int n, const struct lab_source *source,
                  const char *path, struct worker *workers)
{
    int i = idle_worker(workers, pool->workers);
    fflush(NULL);
    pid_t process = i < 0 ? -1 : fork();
    if (process == 0)
        work(pool, n, source, path);
    if (process < 0) {
        lab_complain(LAB_EXIT_MISSING, "cannot start a worker: %s", strerror(errno));
        return false;
    }
    workers[i] = (struct worker){.process = process, .submission = n};
    snprintf(workers[i].path, LAB_PATH_BYTES, "%s", path);
    return true;
}

static int run_all(const struct lab_pool *pool, struct lab_outcome **outcomes,
                   struct worker *workers, struct progress *p)
{
    uint64_t exercise = hash_exercise(pool->judge);
    if (pool->again)
        remove_equals(pool->state);
    for (int n = 0; n < pool->submissions->count && !p->broken; n++) {
        char path[LAB_PATH_BYTES];
        struct lab_source source;
        if (busy(workers, pool->workers) == pool->workers)
            finish_one(pool, workers, pool->workers, outcomes, p);
        lab_source_read(&source, &pool->submissions->list[n]);
        outcome_path(pool, exercise, &pool->submissions->list[n], &source, path);
        if (is_known(pool, path, outcomes[n])) {
            p->known++;
            atomic_store(pool->done, ++p->done);
        } else if (!p->broken && (!pool->claims || is_own(pool, path, outcomes[n], p)) &&
                   !begin(pool, n, &source, path, workers)) {
            p->broken = true;
        }
        lab_source_free(&source);
    }
    while (busy(workers, pool->workers))
        finish_one(pool, workers, pool->workers, outcomes, p);
    return p->broken ? LAB_EXIT_MISSING : LAB_EXIT_OK;
}

/* The first thing that the solution failed; NULL: it passed all. */
static const char *missed(const struct lab_outcome *outcome)
{
    if (outcome->status != LAB_CHECK_OK)
        return outcome->message;
    for (int i = 0; i < outcome->test_count; i++)
        if (outcome->tests[i].scored && !outcome->tests[i].passed)
            return outcome->tests[i].name;
    return NULL;
}

/* The file that keeps the outcome of the solution, or of the given file. Its name depends on all
 * that the outcome depends on, also the lab's own build. */
static void own_path(const struct lab_judge *judge, const char *who, char path[LAB_PATH_BYTES])
{
    static const char *const built[] = {"lab", "sim/libcudart.so.13"};
    uint64_t hash = hash_exercise(judge);
    struct stat info;
    for (size_t i = 0; i < sizeof built / sizeof *built; i++) {
        lab_build_path(path, "%s", built[i]);
        if (stat(path, &info) == 0)
            hash = hash_bytes(hash, &info.st_mtim, sizeof info.st_mtim);
    }
    lab_build_path(path, "grading/solutions");
    mkdir(path, 0700); /* keeping the outcome reports a failure */
    lab_build_path(path, "grading/solutions/%s.%s.%016llx", judge->entry->number, who,
                   (unsigned long long)hash);
}

/* Tries a file of the exercise's own, unless its outcome is kept. It is kept if it is worth it. */
static int try_own(const struct lab_pool *pool, const char *who, const struct lab_source *source,
                   bool (*is_good)(const struct lab_outcome *), struct lab_outcome *outcome)
{
    struct lab_judge judge = *pool->judge;
    struct lab_submission own = {.shares_name = false};
    char kept[LAB_PATH_BYTES], root[LAB_PATH_BYTES];
    judge.timing.wanted = false;
    lab_root(root);
    snprintf(own.student, sizeof own.student, "%s", who);
    snprintf(own.path, LAB_PATH_BYTES, "%.3000s/solutions/%s/kernel.cu", root,
             judge.entry->directory);
    own_path(pool->judge, who, kept);
    if (!pool->again && lab_outcome_load(outcome, kept))
        return LAB_EXIT_OK;
    lab_judge(&judge, &own, source, outcome);
    return !is_good(outcome) || lab_outcome_save(outcome, kept)
               ? LAB_EXIT_OK
               : lab_complain(LAB_EXIT_MISSING, "%s: %s", kept, strerror(errno));
}

static bool passes(const struct lab_outcome *outcome)
{
    return missed(outcome) == NULL;
}

int lab_pool_try_solution(const struct lab_pool *pool, struct lab_outcome *outcome)
{
    const struct lab_judge *const judge = pool->judge;
    struct lab_submission solution = {.student = "solution"};
    struct lab_source source;
    char root[LAB_PATH_BYTES];
    lab_root(root);
    snprintf(solution.path, LAB_PATH_BYTES, "%.3000s/solutions/%s/kernel.cu", root,
             judge->entry->directory);
    lab_source_read(&source, &solution);
    int status = try_own(pool, "solution", &source, passes, outcome);
    lab_source_free(&source);
    if (status == LAB_EXIT_OK && missed(outcome))
        status = lab_complain(LAB_EXIT_MISSING,
                              "nothing was graded: the solution itself does not pass (%s); look at "
                              "solutions/%s/goal.txt and at the settings",
                              missed(outcome), judge->entry->directory);
    return status;
}

int lab_pool_try_given(const struct lab_pool *pool, struct lab_outcome *outcome)
{
    struct lab_source source = {.status = LAB_CHECK_OK};
    source.bytes = lab_todo_given(pool->judge->entry, &source.size);
    if (!source.bytes)
        return lab_complain(LAB_EXIT_MISSING,
                            "the exercise as it is given cannot be made with awk");
    const int status = try_own(pool, "given", &source, lab_outcome_judged, outcome);
    lab_source_free(&source);
    return status;
}

int lab_pool_run(const struct lab_pool *pool, struct lab_outcome **outcomes)
{
    struct worker *workers = calloc((size_t)pool->workers, sizeof *workers);
    struct progress p = {.total = pool->submissions->count, .show = isatty(STDERR_FILENO)};
    int status = LAB_EXIT_OK;
    for (int i = 0; i < pool->submissions->count; i++)
        if (!(outcomes[i] = calloc(1, sizeof **outcomes)))
            status = LAB_EXIT_MISSING;
    if (!workers || status != LAB_EXIT_OK)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    status = run_all(pool, outcomes, workers, &p);
    if (p.show)
        fprintf(stderr, "\r\033[K");
    if (pool->claims)
        fprintf(stderr, "run: %d of %d submissions judged here, %d known, %d by other graders\n",
                p.done - p.known, p.total, p.known, p.others);
    else if (p.known)
        fprintf(stderr,
                "run: %d of %d outcomes were known from an earlier run (--again grades all "
                "anew)\n",
                p.known, p.total);
    free(workers);
    return status;
}
