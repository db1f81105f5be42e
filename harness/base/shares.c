/* Splits work of the host into equal shares. Each has a thread; a share for which no thread can be
 * made runs in this thread. */
#include "base/shares.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

struct share {
    void (*work)(void *context, int share, int shares);
    void *context;
    int number, count;
};

int lab_shares_of_cores(void)
{
    cpu_set_t cores;
    int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return count < LAB_MOST_SHARES ? count : LAB_MOST_SHARES;
}

static void *do_share(void *argument)
{
    const struct share *share = argument;
    share->work(share->context, share->number, share->count);
    return NULL;
}

void lab_share_out(void (*work)(void *context, int share, int shares), void *context, int shares)
{
    struct share list[LAB_MOST_SHARES];
    pthread_t threads[LAB_MOST_SHARES];
    bool started[LAB_MOST_SHARES] = {false};
    for (int i = 0; i < shares; i++)
        list[i] = (struct share){work, context, i, shares};
    for (int i = 1; i < shares; i++)
        started[i] = pthread_create(&threads[i], NULL, do_share, &list[i]) == 0;
    for (int i = 0; i < shares; i++)
        if (!started[i])
            do_share(&list[i]);
    for (int i = 1; i < shares; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
}
