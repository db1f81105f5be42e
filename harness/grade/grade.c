/* The grade command: its options, the run, and the reports that were asked for. */
#include "grade/grade.h"

#include "exercise/goal_file.h"
#include "grade/folders.h"
#include "grade/machine.h"
#include "grade/pool.h"
#include "base/processes.h"
#include "grade/formats/formats.h"
#include "machine/runtime.h"
#include "options/values.h"
#include "series/registry.h"
#include "base/files.h"
#include "base/text.h"
#include "base/status.h"

#include <argp.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    OPTION_JSON = 256,
    OPTION_CSV,
    OPTION_JUNIT,
    OPTION_GRADESCOPE,
    OPTION_FEEDBACK,
    OPTION_CONFIG,
    OPTION_COURSE, /* another program's: see lab_course() */
    OPTION_STATE,
    OPTION_AGAIN,
    OPTION_RUNTIME,
    OPTION_ISOLATION,
    OPTION_FORCE,
    OPTION_ACCOUNT,
    OPTION_STUDENT,
    OPTION_SLURM,
    OPTION_SHARDS,
    OPTION_SBATCH,
    OPTION_CLAIMS,
    OPTION_GATHER,
    MOST_WORKERS = 256,
    MOST_SHARDS = 1000
};

#define ISOLATION_WORDS "auto|full|none"

const struct argp_option lab_grade_options[] = {
    {0, 'j', "N", 0, "submissions at a time on the simulator (as many as there are cores)", 1},
    {"config", OPTION_CONFIG, "FILE", 0, "points, limits and visibility, see docs", 1},
    {"course", OPTION_COURSE, "FILE", 0,
     "a term's folder by its course file; NN is left out, `run grade --course FILE --help` has the "
     "options",
     1},
    {"again", OPTION_AGAIN, 0, 0, "forget what an earlier run found", 1},
    {"state", OPTION_STATE, "FOLDER", 0, "where outcomes are kept (build/grading/exerciseNN)", 1},
    {"runtime", OPTION_RUNTIME, LAB_RUNTIME_WORDS, 0,
     "all submissions are checked on the simulator; auto: right ones are also timed if there is a "
     "GPU; gpu: a GPU is required; sim: none is timed (auto)",
     1},
    {"isolation", OPTION_ISOLATION, ISOLATION_WORDS, 0,
     "auto: through bubblewrap where the system allows it; full: only with bubblewrap; none: "
     "limits only",
     1},
    {"account", OPTION_ACCOUNT, "NAME", 0,
     "in place of bubblewrap: compiler and launch functions run as this user, who may read nothing "
     "of the lab; takes root",
     1},
    {"student", OPTION_STUDENT, "FOLDER", 0, "a folder that one student handed in", 1},
    {"force", OPTION_FORCE, 0, 0,
     "grade without bubblewrap even as root, or without a filter of system calls", 1},
    {"slurm", OPTION_SLURM, 0, 0, "grade on a cluster: jobs of Slurm do it and write the reports",
     1},
    {"shards", OPTION_SHARDS, "N", 0, "with --slurm: tasks that grade (8)", 1},
    {"sbatch", OPTION_SBATCH, "OPTIONS", 0,
     "with --slurm: options of sbatch, such as --sbatch=\"-p gpu -c 4\"", 1},
    {"claims", OPTION_CLAIMS, "FOLDER", OPTION_HIDDEN,
     "a task: judge what no other one has claimed there, and write no reports", 1},
    {"gather", OPTION_GATHER, 0, OPTION_HIDDEN,
     "with --claims, after all tasks: judge what they left, and write the reports", 1},
    {"json", OPTION_JSON, "FILE", 0, "the whole result as JSON; - for standard output", 2},
    {"csv", OPTION_CSV, "FILE", 0, "a row per submission", 2},
    {"junit", OPTION_JUNIT, "FILE", 0, "JUnit XML, a suite per submission", 2},
    {"gradescope", OPTION_GRADESCOPE, "PATH", 0,
     "results.json of the submission, or a folder with a file for each", 2},
    {"feedback", OPTION_FEEDBACK, "FOLDER", 0, "a text for each student", 2},
    {0}};

/* What was asked for. */
struct request {
    const struct lab_registry_entry *entry;
    struct lab_submissions submissions;
    struct lab_settings settings;
    int workers;
    bool again, force, slurm, gather;
    int shards;
    atomic_int *done; /* submissions done, in memory shared with the process that grades */
    const char *state, *json, *csv, *junit, *gradescope, *feedback, *isolation, *runtime;
    const char *account, *config, *sbatch, *claims;
};

static void take_exercise(struct request *request, const char *word)
{
    request->entry = lab_target_name_exercise(word);
    if (!request->entry)
        exit(lab_target_name_no_exercise(word));
}

/* The place for the text of an option, such as the file or folder that it names; NULL: the option
 * takes none. */
static const char **path_of(struct request *r, int key)
{
    switch (key) {
    case OPTION_STATE:
        return &r->state;
    case OPTION_JSON:
        return &r->json;
    case OPTION_CSV:
        return &r->csv;
    case OPTION_JUNIT:
        return &r->junit;
    case OPTION_GRADESCOPE:
        return &r->gradescope;
    case OPTION_FEEDBACK:
        return &r->feedback;
    case OPTION_ACCOUNT:
        return &r->account;
    case OPTION_SBATCH:
        return &r->sbatch;
    case OPTION_CLAIMS:
        return &r->claims;
    default:
        return NULL;
    }
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct request *r = state->input;
    int status = LAB_EXIT_OK;
    switch (key) {
    case 'j':
        r->workers = (int)lab_parse_integer("j", text, 1, MOST_WORKERS);
        break;
    case OPTION_CONFIG:
        r->config = text;
        status = lab_settings_read(&r->settings, text);
        break;
    case OPTION_AGAIN:
        r->again = true;
        break;
    case OPTION_RUNTIME:
        lab_parse_word("runtime", text, LAB_RUNTIME_WORDS);
        r->runtime = text;
        break;
    case OPTION_FORCE:
        r->force = true;
        break;
    case OPTION_SLURM:
        r->slurm = true;
        break;
    case OPTION_GATHER:
        r->gather = true;
        break;
    case OPTION_SHARDS:
        r->shards = (int)lab_parse_integer("shards", text, 1, MOST_SHARDS);
        break;
    case OPTION_STUDENT:
        status = lab_submissions_add_one(&r->submissions, text);
        break;
    case OPTION_ISOLATION:
        lab_parse_word("isolation", text, ISOLATION_WORDS);
        r->isolation = text;
        break;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0)
            take_exercise(r, text);
        else
            status = lab_submissions_add(&r->submissions, text);
        break;
    default:
        if (!path_of(r, key))
            return ARGP_ERR_UNKNOWN;
        *path_of(r, key) = text;
    }
    if (status != LAB_EXIT_OK)
        exit(status);
    return 0;
}

/* --- reports -----------------------------------------------------------------------------------*/

typedef void report_fn(const struct lab_grading *grading, FILE *stream);

static int complain_of(const char *path)
{
    bool machine = errno == ENOSPC || errno == EDQUOT || errno == EIO;
    return lab_complain(machine ? LAB_EXIT_MISSING : LAB_EXIT_USAGE, "%s: %s", path,
                        strerror(errno));
}

static int write_report(const struct lab_grading *grading, report_fn *report, const char *path)
{
    struct lab_new_file file;
    if (strcmp(path, "-") == 0) {
        report(grading, stdout); /* a failed write is reported at the end of the program */
        return LAB_EXIT_OK;
    }
    if (!lab_new_file_begin(&file, path))
        return complain_of(path);
    report(grading, file.stream);
    return lab_new_file_end(&file) ? LAB_EXIT_OK : complain_of(path);
}

/* Checks the places of reports before anything is graded, because grading may take long. */
static int check_place(const char *path, bool may_be_folder)
{
    char copy[LAB_PATH_BYTES];
    struct stat info;
    if (!path || strcmp(path, "-") == 0)
        return LAB_EXIT_OK;
    if (!may_be_folder)
        return (errno = lab_new_file_try(path)) ? complain_of(path) : LAB_EXIT_OK;
    if (stat(path, &info) == 0) {
        errno = S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
        return !errno && access(path, W_OK) == 0 ? LAB_EXIT_OK : complain_of(path);
    }
    snprintf(copy, sizeof copy, "%s", path);
    return access(dirname(copy), W_OK) == 0 ? LAB_EXIT_OK : complain_of(path);
}

static int check_places(const struct request *r)
{
    const char *files[] = {r->json, r->csv, r->junit};
    int status = LAB_EXIT_OK;
    for (int i = 0; i < 3 && status == LAB_EXIT_OK; i++)
        status = check_place(files[i], false);
    if (status == LAB_EXIT_OK)
        status = check_place(r->gradescope, r->submissions.count != 1);
    return status == LAB_EXIT_OK ? check_place(r->feedback, true) : status;
}

/* Leaves out Gradescope's file for a submission that is not judged, because Gradescope has no
 * result without a score. Without a file it says that the autograder did not finish, and gives no
 * score. */
static void leave_out(const struct lab_outcome *outcome, const char *path)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISREG(info.st_mode))
        unlink(path); /* the file of an earlier run */
    lab_complain(LAB_EXIT_OK,
                 "%s is not judged: no results for Gradescope, which would show a score (%s)",
                 outcome->student, outcome->message);
}

static int write_each(const struct lab_grading *grading, const char *folder, const char *ending)
{
    bool is_text = strcmp(ending, ".txt") == 0;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return complain_of(folder);
    for (int i = 0; i < grading->count; i++) {
        char path[LAB_PATH_BYTES], name[LAB_SUBMISSION_FILE];
        lab_submission_file(grading->outcomes[i]->student, i, ending, name);
        snprintf(path, sizeof path, "%.3800s/%s", folder, name);
        if (!is_text && !lab_outcome_judged(grading->outcomes[i])) {
            leave_out(grading->outcomes[i], path);
            continue;
        }
        struct lab_new_file file;
        if (!lab_new_file_begin(&file, path))
            return complain_of(path);
        if (is_text)
            lab_grading_feedback(grading, grading->outcomes[i], file.stream);
        else
            lab_grading_gradescope(grading, grading->outcomes[i], file.stream);
        if (!lab_new_file_end(&file))
            return complain_of(path);
    }
    return LAB_EXIT_OK;
}

static void only_one(const struct lab_grading *grading, FILE *stream)
{
    lab_grading_gradescope(grading, grading->outcomes[0], stream);
}

static int write_gradescope(const struct lab_grading *grading, const char *path)
{
    if (grading->count != 1)
        return write_each(grading, path, ".json");
    if (lab_outcome_judged(grading->outcomes[0]))
        return write_report(grading, only_one, path);
    leave_out(grading->outcomes[0], path);
    return LAB_EXIT_OK;
}

static int write_reports(const struct request *r, const struct lab_grading *grading)
{
    const struct {
        const char *path;
        report_fn *report;
    } files[] = {
        {r->json, lab_grading_json}, {r->csv, lab_grading_csv}, {r->junit, lab_grading_junit}};
    int status = LAB_EXIT_OK;
    bool quiet = r->json && strcmp(r->json, "-") == 0;
    if (!quiet)
        lab_grading_table(grading, stdout);
    for (size_t i = 0; i < sizeof files / sizeof *files && status == LAB_EXIT_OK; i++)
        if (files[i].path)
            status = write_report(grading, files[i].report, files[i].path);
    if (status == LAB_EXIT_OK && r->gradescope)
        status = write_gradescope(grading, r->gradescope);
    if (status == LAB_EXIT_OK && r->feedback)
        status = write_each(grading, r->feedback, ".txt");
    return status;
}

/* --- the run -----------------------------------------------------------------------------------*/

static void name_state(const struct request *r, char state[LAB_PATH_BYTES])
{
    lab_build_path(state, "grading/exercise%s", r->entry->number);
    if (r->state)
        snprintf(state, LAB_PATH_BYTES, "%s", r->state);
}

static int make_folders(const struct request *r, char state[LAB_PATH_BYTES],
                        char work[LAB_PATH_BYTES])
{
    name_state(r, state);
    int status = lab_folders_state(state, r->submissions.count);
    return status == LAB_EXIT_OK ? lab_folders_work(work) : status;
}

/* Tries that the account can open neither the lab's files nor those of other students: their
 * submissions, the reports of earlier runs, the settings with the secret. A single submission is
 * the student's own. */
static int try_account(const struct request *r, const struct lab_account *account,
                       const char *state, const char *work)
{
    const char *const paths[] = {state,    r->config,     r->json,    r->csv,
                                 r->junit, r->gradescope, r->feedback};
    const int most = (int)(sizeof paths / sizeof *paths), count = r->submissions.count;
    const char **closed = calloc((size_t)(most + count + 1), sizeof *closed);
    int used = 0;
    if (!account->user || !closed) {
        free(closed);
        return account->user ? lab_complain(LAB_EXIT_MISSING, "out of memory") : LAB_EXIT_OK;
    }
    for (int i = 0; i < most; i++)
        if (paths[i] && strcmp(paths[i], "-") != 0)
            closed[used++] = paths[i];
    for (int i = 0; i < count && count > 1; i++)
        closed[used++] = r->submissions.list[i].entry;
    int status = lab_folders_let_pass(work)
                     ? lab_account_try(account, r->account, closed)
                     : lab_complain(LAB_EXIT_MISSING, "%s: %s", work, strerror(errno));
    free(closed);
    return status;
}

static int check_built(const struct request *r)
{
    char path[LAB_PATH_BYTES];
    if (lab_registry_is_handout())
        return lab_complain(LAB_EXIT_MISSING, "a hand-out has no solutions and no hidden tests: "
                                              "grade in the lab that it was made of");
    lab_build_path(path, "solution/%s.so", r->entry->number);
    if (access(path, R_OK) != 0)
        return lab_complain(LAB_EXIT_MISSING, "solution%s is not built; run `make solution%s`",
                            r->entry->number, r->entry->number);
    if (!lab_runtime_has_simulator())
        return lab_complain(LAB_EXIT_MISSING, "the simulator is not built; run `make setup sim`");
    return LAB_EXIT_OK;
}

/* --- the whole ---------------------------------------------------------------------------------*/

/* Settings that give points to nothing are a mistake. */
static int check_shares(const struct request *r, const struct lab_exercise *exercise)
{
    const struct lab_settings *s = &r->settings;
    if (exercise->test_count + exercise->hidden_count + exercise->goal_count >= LAB_PLAN_MOST)
        return lab_complain(LAB_EXIT_USAGE, "solutions/%s/goal.txt: more than %d tests and goals",
                            r->entry->directory, LAB_PLAN_MOST - 1);
    if ((exercise->test_count && s->shown > 0.0) || (exercise->hidden_count && s->hidden > 0.0) ||
        (exercise->goal_count && s->goals > 0.0))
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_USAGE,
                        "--config: the shares shown, hidden and goals give exercise "
                        "%s no points",
                        r->entry->number);
}

/* Checks that each kept outcome belongs to its own student, since somebody could make the names of
 * two kept files equal. The place of the submission may differ. */
static int check_outcomes(const struct lab_submissions *submissions, struct lab_outcome **outcomes)
{
    for (int i = 0; i < submissions->count; i++) {
        const struct lab_submission *one = &submissions->list[i];
        if (strcmp(outcomes[i]->student, one->student) != 0)
            return lab_complain(
                LAB_EXIT_MISSING,
                "the outcome kept for %s is that of %s; grade the two apart, with --again",
                one->student, outcomes[i]->student);
        lab_printable(one->path, false, outcomes[i]->file, sizeof outcomes[i]->file);
    }
    return LAB_EXIT_OK;
}

static int report_and_judge(const struct request *r, const struct lab_grading *grading)
{
    int failed = 0, open = 0, status = write_reports(r, grading);
    for (int i = 0; i < grading->count; i++) {
        const bool judged = lab_outcome_judged(grading->outcomes[i]);
        open += !judged;
        failed += judged && grading->outcomes[i]->status != LAB_CHECK_OK;
    }
    return status != LAB_EXIT_OK ? status
           : failed              ? LAB_EXIT_FAILED
           : open                ? LAB_EXIT_MISSING
                                 : LAB_EXIT_OK;
}

/* Of graders beside each other, the last writes the reports. */
static bool reports(const struct request *r)
{
    return !r->claims || r->gather;
}

static void release(struct lab_outcome **outcomes, int count)
{
    for (int i = 0; outcomes && i < count; i++)
        free(outcomes[i]);
    free(outcomes);
}

/* The lab's commit; "" where there is no git, or no repository. */
static void find_commit(char *commit, size_t size)
{
    char root[LAB_PATH_BYTES], command[LAB_PATH_BYTES + 128];
    lab_root(root);
    snprintf(command, sizeof command,
             "git -c safe.directory='*' -C '%.4000s' describe --always --dirty --abbrev=40 "
             "--exclude '*' 2> /dev/null",
             root);
    FILE *const pipe = strchr(root, '\'') ? NULL : popen(command, "r");
    if (!pipe || !fgets(commit, (int)size, pipe))
        commit[0] = '\0';
    commit[strcspn(commit, "\n")] = '\0';
    if (pipe)
        pclose(pipe);
}

static int grade(const void *subject)
{
    const struct request *r = subject;
    char commit[64];
    static struct lab_exercise exercise;       /* large, read once */
    static struct lab_outcome solution, given; /* likewise, tried once */
    char state[LAB_PATH_BYTES], work[LAB_PATH_BYTES] = "", confinement[512], target[32];
    const struct lab_timing_terms terms = {r->runtime, r->isolation, &r->settings};
    const struct lab_isolation_terms walls = {r->isolation, r->account, r->runtime, r->force};
    struct lab_gpu_identity watch = {.name = ""};
    struct lab_judge judge = {
        .entry = r->entry, .exercise = &exercise, .settings = r->settings, .folder = work};
    struct lab_pool pool = {.judge = &judge,
                            .submissions = &r->submissions,
                            .state = state,
                            .workers = r->workers,
                            .again = r->again,
                            .done = r->done};
    struct lab_claims claims = {.folder = r->claims, .is_last = r->gather};
    struct lab_outcome **outcomes = calloc((size_t)r->submissions.count, sizeof *outcomes);
    int status = outcomes ? lab_exercise_read(r->entry, &exercise) : LAB_EXIT_MISSING;
    if (status == LAB_EXIT_OK)
        status = lab_exercise_check(r->entry, &exercise);
    if (status == LAB_EXIT_OK)
        status = check_shares(r, &exercise);
    if (status == LAB_EXIT_OK)
        status = lab_isolation_choose(&walls, &judge.isolate, &judge.account, confinement,
                                      sizeof confinement);
    if (status == LAB_EXIT_OK)
        status = lab_timing_choose(&terms, &judge, &watch, confinement, sizeof confinement);
    if (status == LAB_EXIT_OK)
        status = make_folders(r, state, work);
    if (status == LAB_EXIT_OK)
        status = try_account(r, &judge.account, state, work);
    if (status == LAB_EXIT_OK && !judge.settings.secret[0] &&
        !lab_folders_secret(state, judge.settings.secret, sizeof judge.settings.secret))
        status = lab_complain(LAB_EXIT_MISSING, "%s/secret: %s", state, strerror(errno));
    if (status == LAB_EXIT_OK)
        status = lab_pool_try_solution(&pool, &solution);
    judge.solution = &solution;
    if (status == LAB_EXIT_OK)
        status = lab_pool_try_given(&pool, &given);
    judge.given = &given;
    if (status == LAB_EXIT_OK)
        status = lab_timing_build_solution(&judge, work);
    if (status == LAB_EXIT_OK && r->claims) {
        status = lab_claims_begin(&claims);
        pool.claims = &claims;
    }
    if (status == LAB_EXIT_OK)
        status = lab_pool_run(&pool, outcomes);
    lab_claims_end(&claims);
    if (status == LAB_EXIT_OK && reports(r))
        status = check_outcomes(&r->submissions, outcomes);
    lab_scratch_remove(work);
    snprintf(target, sizeof target, "exercise%s", r->entry->number);
    find_commit(commit, sizeof commit);
    struct lab_grading grading = {.target = target,
                                  .title = r->entry->title,
                                  .runtime = judge.runtime,
                                  .device = watch.name,
                                  .confinement = confinement,
                                  .commit = commit,
                                  .settings = &r->settings,
                                  .outcomes = (const struct lab_outcome *const *)outcomes,
                                  .count = r->submissions.count};
    if (status == LAB_EXIT_OK && reports(r))
        status = report_and_judge(r, &grading);
    release(outcomes, grading.count);
    return status;
}

/* Shows progress beside the process that grades. Before the first submission, the solution is
 * tried. */
static void is_waiting(const void *subject, double seconds)
{
    const struct request *r = subject;
    const int done = atomic_load(r->done);
    const int left = r->submissions.count - done;
    char estimate[48] = "";
    if (done > 0)
        snprintf(estimate, sizeof estimate, ", about %.0f more", seconds / done * left);
    if (left > 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "\rgrading: %d of %d done, %.0f s%s \033[K", done, r->submissions.count,
                seconds, estimate);
}

static void was_interrupted(const void *subject)
{
    const struct request *r = subject;
    char state[LAB_PATH_BYTES];
    name_state(r, state);
    lab_folders_clean();
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr); /* removes the line of progress */
    lab_complain(
        LAB_EXIT_MISSING,
        "interrupted; what was graded is kept in %s: the same command%s goes on from there", state,
        r->again ? ", without --again," : "");
}

int lab_grade(int argc, char **argv)
{
    static const char
        synopsis
            [] = "NN FILE_OR_DIR...",
    about[] =
        "Grades submissions to an exercise: .cu files, or folders with one file or one folder per "
        "student. A verdict each, by the tests that students know, hidden ones, and the exercise's "
        "goals.";
    const struct argp parser = {lab_grade_options, parse_option, synopsis, about, 0, 0, 0};
    char **const words = calloc((size_t)argc + 1, sizeof *words); /* argp changes their order */
    struct request r = {
        .shards = 8, .settings = lab_settings_default(), .isolation = "auto", .runtime = "auto"};
    const struct argp_option *const tables[] = {lab_grade_options, NULL};
    argp_err_exit_status = LAB_EXIT_USAGE;
    if (!words)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    memcpy(words, argv, (size_t)argc * sizeof *words);
    argv[0] = "run grade"; /* in its own messages */
    if (lab_spelling_check(argc, argv, tables, "`./run grade --help` shows all") != LAB_EXIT_OK)
        return LAB_EXIT_USAGE;
    if (argp_parse(&parser, argc, argv, 0, 0, &r) != 0)
        return LAB_EXIT_USAGE;
    if (!r.entry || r.submissions.count == 0)
        return lab_complain(LAB_EXIT_USAGE,
                            "give an exercise and submissions, such as `./run grade "
                            "05 submissions/`");
    r.done = mmap(NULL, sizeof *r.done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r.done == MAP_FAILED)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    if (r.gather && !r.claims)
        return lab_complain(LAB_EXIT_USAGE, "--gather goes with --claims");
    if (r.account) /* which may read the folder of each submission that is worked on */
        r.workers = 1;
    if (!r.workers)
        r.workers = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int status = lab_submissions_settle(&r.submissions);
    if (status == LAB_EXIT_OK)
        status = check_built(&r);
    if (status == LAB_EXIT_OK)
        status = check_places(&r);
    if (status == LAB_EXIT_OK && r.slurm) {
        char state[LAB_PATH_BYTES];
        name_state(&r, state);
        return lab_course_slurm(&(struct lab_course_slurm){.state = state,
                                                           .shards = r.shards,
                                                           .submissions = r.submissions.count,
                                                           .sbatch = r.sbatch,
                                                           .words = words});
    }
    if (status == LAB_EXIT_OK)
        status = lab_supervise(&(struct lab_supervised){.run = grade,
                                                        .was_interrupted = was_interrupted,
                                                        .subject = &r,
                                                        .is_waiting = is_waiting});
    munmap(r.done, sizeof *r.done);
    free(r.submissions.list);
    free(words);
    return status;
}
