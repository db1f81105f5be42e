/* Starting threads. */
#include "worker.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Basic blocks after which more threads are started for a launch, some 100 us of work. It is work
 * that counts, not time: blocks of a small launch run one after another, however busy the machine
 * is, and what depends on their order comes out the same. */
enum { HELP_AFTER = 1000 };

/* ---- Threads ---- */

static void *run_helper(void *argument)
{
    struct member *const member = argument;
    struct crew *const crew = member->crew;
    member->worker = sim_worker_create(crew->launch, (unsigned)(member - crew->members));
    if (member->worker)
        crew->work(member->worker);
    sim_worker_goes(crew->launch);
    return NULL;
}

/* Starts threads until there are `count`, or the host gives no more. Each counts as running before
 * the host runs it. */
static void start_helpers(struct crew *crew, unsigned count)
{
    pthread_mutex_lock(&crew->starting);
    for (unsigned i = crew->started; i < count; i++) {
        crew->members[i].crew = crew;
        sim_worker_comes(crew->launch);
        if (pthread_create(&crew->threads[i], NULL, run_helper, &crew->members[i]) != 0) {
            sim_worker_goes(crew->launch);
            break;
        }
        crew->started++;
    }
    pthread_mutex_unlock(&crew->starting);
}

static unsigned count_started(struct crew *crew)
{
    pthread_mutex_lock(&crew->starting);
    const unsigned started = crew->started;
    pthread_mutex_unlock(&crew->starting);
    return started;
}

unsigned sim_crew_size(struct launch *launch)
{
    return count_started(launch->crew);
}

void sim_call_helpers(struct launch *launch)
{
    struct crew *const crew = launch->crew;
    if (crew->is_helped || crew->wanted == 1 || atomic_load(&launch->executed) < HELP_AFTER)
        return;
    crew->is_helped = true;
    start_helpers(crew, crew->wanted);
}

void sim_share_draws(struct worker *worker)
{
    enum { WORKERS = 3, LOOKS = 20, NS = 20000, IN_VAIN = 8 };
    struct launch *const launch = worker->launch;
    const unsigned drawn = atomic_fetch_add(&launch->draws, 1) + 1;
    int looks = 0;
    worker->has_drawn = false;
    if (launch->grid == NULL && launch->cluster_count > 1)
        start_helpers(launch->crew,
                      launch->cluster_count < WORKERS ? (unsigned)launch->cluster_count : WORKERS);
    while (atomic_load(&launch->draws) == drawn && looks < LOOKS &&
           atomic_load(&launch->running) > atomic_load(&launch->waiting) + 1) {
        nanosleep(&(struct timespec){.tv_nsec = NS}, NULL);
        looks++;
    }
    atomic_fetch_sub(&launch->shares, looks < LOOKS ? 1 : IN_VAIN);
}

/* The most clusters that may wait at the same time: those that fit on the device, and those of a
 * group that runs in reverse. */
static uint64_t most_workers(const struct launch *launch)
{
    const uint64_t resident = launch->request->resident / launch->cluster_size + launch->turned;
    return launch->request->resident && resident < MAX_WORKERS ? resident : MAX_WORKERS;
}

bool sim_add_workers(struct launch *launch)
{
    struct crew *const crew = launch->crew;
    const uint64_t most = most_workers(launch);
    const uint64_t next = atomic_load(&launch->next_cluster);
    const unsigned started = count_started(crew);
    uint64_t count = 2 * (uint64_t)started;
    if (next >= launch->cluster_count || next > atomic_load(&launch->last_cluster) ||
        launch->grid) /* a cooperative launch has all its threads */
        return false;
    if (count > started + (launch->cluster_count - next))
        count = started + (launch->cluster_count - next);
    start_helpers(crew, (unsigned)(count < most ? count : most));
    return count_started(crew) > started;
}

/* LAB_SIM_WORKERS, or the processors that this process may use. */
static long usual_workers(void)
{
    const char *const text = getenv("LAB_SIM_WORKERS");
    cpu_set_t processors;
    if (text && *text)
        return strtol(text, NULL, 10);
    return sched_getaffinity(0, sizeof processors, &processors) == 0
               ? CPU_COUNT(&processors)
               : sysconf(_SC_NPROCESSORS_ONLN);
}

/* A cooperative launch needs a thread for each block, because its blocks wait for each other. */
static unsigned count_workers(const struct sim_launch *request, uint64_t blocks)
{
    if (request->grid_barrier)
        return (unsigned)blocks;
    long count = request->workers ? (long)request->workers : usual_workers();
    count = count < 1 ? 1 : count > MAX_WORKERS ? MAX_WORKERS : count;
    return (uint64_t)count < blocks ? (unsigned)count : (unsigned)blocks;
}

bool sim_crew_run(struct crew *crew, struct launch *launch, crew_work *work)
{
    *crew = (struct crew){.launch = launch, .work = work, .started = 1};
    crew->wanted = count_workers(launch->request, launch->cluster_count);
    crew->members[0].worker = sim_worker_create(launch, 0);
    if (!crew->members[0].worker)
        return false;
    pthread_mutex_init(&crew->starting, NULL);
    launch->crew = crew;
    sim_worker_comes(launch);
    if (launch->request->grid_barrier)
        start_helpers(crew, crew->wanted);
    work(crew->members[0].worker);
    sim_worker_goes(launch);
    for (unsigned i = 1; i < count_started(crew); i++)
        pthread_join(crew->threads[i], NULL);
    return true;
}

void sim_crew_end(struct crew *crew)
{
    for (unsigned i = 0; i < crew->started; i++)
        if (crew->members[i].worker)
            sim_worker_done(crew->members[i].worker);
    pthread_mutex_destroy(&crew->starting);
}
