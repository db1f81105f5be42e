/* Claims are NAME.1, NAME.2, ..., each by a grader that found the one before to be gone; NAME.done
 * has a line for each time that it was judged. Slurm starts a task again only after it has ended,
 * and gives it the next number of restarts. */
#include "grade/pool.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MACHINE_BYTES = 192, TASK_BYTES = 64 };

/* Who made a claim. */
struct claimant {
    char
        machine[MACHINE_BYTES]; /* a process's number means the same in all of it, until it stops */
    int process;
    unsigned long long start; /* of the process */
    char task[TASK_BYTES];    /* of Slurm; "-": none */
    int restarts;
};

/* When a process started; 0: there is none. */
static unsigned long long start_of(int process)
{
    char path[64], text[1024];
    unsigned long long start = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    const size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[got] = '\0';
    const char *at = strrchr(text, ')'); /* the name before may have anything */
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (at)
        start = strtoull(at, NULL, 10);
    return start;
}

/* The host, its start and the space of its process numbers. */
static void name_machine(char machine[MACHINE_BYTES])
{
    char host[65] = "", boot[40] = "", space[40] = "";
    gethostname(host, sizeof host - 1);
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file && fscanf(file, "%39s", boot) != 1)
        boot[0] = '\0';
    if (file)
        fclose(file);
    const ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[length > 0 ? length : 0] = '\0';
    snprintf(machine, MACHINE_BYTES, "%s/%s/%s", host, boot, space);
}

static struct claimant this_one(void)
{
    struct claimant self = {.process = (int)getpid(), .task = "-"};
    const char *array = getenv("SLURM_ARRAY_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID"),
               *job = getenv("SLURM_JOB_ID"), *restarts = getenv("SLURM_RESTART_COUNT");
    name_machine(self.machine);
    self.start = start_of(self.process);
    if (array && task)
        snprintf(self.task, sizeof self.task, "%.30s_%.30s", array, task);
    else if (job)
        snprintf(self.task, sizeof self.task, "%.60s", job);
    self.restarts = restarts ? (int)strtol(restarts, NULL, 10) : 0;
    return self;
}

static bool read_claimant(const char *path, struct claimant *one)
{
    FILE *file = fopen(path, "r");
    const bool read = file && fscanf(file, "%191s %d %llu %63s %d", one->machine, &one->process,
                                     &one->start, one->task, &one->restarts) == 5;
    if (file)
        fclose(file);
    return read;
}

/* Whether a claimant certainly is not there any more. */
static bool is_gone(const struct claimant *one)
{
    const struct claimant self = this_one();
    if (strcmp(one->task, "-") != 0 && strcmp(one->task, self.task) == 0 &&
        one->restarts != self.restarts)
        return one->restarts < self.restarts;
    return strcmp(one->machine, self.machine) == 0 && start_of(one->process) != one->start;
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

int lab_claims_begin(struct lab_claims *claims)
{
    const struct claimant self = this_one();
    mkdir(claims->folder, 0700); /* unless it is there */
    snprintf(claims->own, sizeof claims->own, "%.3900s/.grader-XXXXXX", claims->folder);
    const int file = mkostemp(claims->own, O_CLOEXEC);
    const bool written =
        file >= 0 && dprintf(file, "%s %d %llu %s %d\n", self.machine, self.process, self.start,
                             self.task, self.restarts) > 0;
    if ((file < 0 || close(file) == 0) && written)
        return LAB_EXIT_OK;
    const int error = errno;
    lab_claims_end(claims);
    return lab_complain(LAB_EXIT_MISSING, "%s: %s", claims->folder, strerror(error));
}

void lab_claims_end(struct lab_claims *claims)
{
    if (claims->own[0])
        unlink(claims->own);
    claims->own[0] = '\0';
}

/* True if this process has made the claim; else errno is EEXIST, or says what is wrong. A reply
 * that was lost on the network makes a link that was made look like another's. */
static bool make_claim(const struct lab_claims *claims, const char *path)
{
    if (link(claims->own, path) == 0)
        return true;
    const int error = errno;
    const bool is_own = error == EEXIST && is_same_file(claims->own, path);
    errno = error;
    return is_own;
}

enum lab_claim lab_claims_take(const struct lab_claims *claims, const char *name)
{
    char path[LAB_PATH_BYTES], done[LAB_PATH_BYTES];
    snprintf(done, sizeof done, "%.3600s/%.400s.done", claims->folder, name);
    for (int number = 1; access(done, F_OK) != 0; number++) {
        struct claimant before;
        snprintf(path, sizeof path, "%.3600s/%.400s.%d", claims->folder, name, number);
        if (make_claim(claims, path)) {
            if (access(done, F_OK) != 0) /* looked up anew, since the folder has changed */
                return LAB_CLAIM_OWN;
            unlink(path); /* who was there before had judged it, and ended */
            return LAB_CLAIM_DONE;
        }
        if (errno != EEXIST) {
            lab_complain(LAB_EXIT_MISSING, "%s: %s", path, strerror(errno));
            return LAB_CLAIM_FAILED;
        }
        if (!claims->is_last && (!read_claimant(path, &before) || !is_gone(&before)))
            return LAB_CLAIM_OTHERS;
    }
    return LAB_CLAIM_DONE;
}

bool lab_claims_done(const struct lab_claims *claims, const char *name)
{
    char path[LAB_PATH_BYTES];
    const struct claimant self = this_one();
    snprintf(path, sizeof path, "%.3600s/%.400s.done", claims->folder, name);
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const bool written = file >= 0 && dprintf(file, "%s %d\n", self.task, self.restarts) > 0;
    return (file < 0 || close(file) == 0) && written;
}
