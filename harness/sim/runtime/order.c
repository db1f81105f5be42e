/* Clocks of streams. The default stream and the blocking streams wait for each other. */
#include "order.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 128 };

/* One for the whole process; the API lock guards it. */
static struct {
    bool is_open[SIM_ORDERED_STREAMS], is_blocking[SIM_ORDERED_STREAMS];
    /* known[s][u]: how much work of stream u comes before the next work of stream s; known[s][s]:
     * how much work stream s has */
    struct sim_moment known[SIM_ORDERED_STREAMS], host;
    char name[SIM_ORDERED_STREAMS][NAME_BYTES];
    char last[SIM_ORDERED_STREAMS][NAME_BYTES]; /* each stream's last work */
    int given;                                  /* the stream that the launch function was given */
    uint64_t begin;                             /* how much work `given` had before the function */
    struct sim_moment before;                   /* all work that was enqueued before the function */
    int last_stream;                            /* of the last work */
    char early[600]; /* on work that does not wait for what `given` had; "": none */
} order = {.given = SIM_ORDER_NONE,
           .name = {"the default stream", "the per-thread default stream"}};

static void join(struct sim_moment *to, const struct sim_moment *from)
{
    for (int i = 0; i < SIM_ORDERED_STREAMS; i++)
        to->known[i] = to->known[i] > from->known[i] ? to->known[i] : from->known[i];
}

static bool is_blocking(int stream)
{
    return stream == SIM_ORDER_PER_THREAD || (order.is_open[stream] && order.is_blocking[stream]);
}

/* Orders a stream after what the host has waited for, and after what the default stream orders. */
static void catch_up(int stream)
{
    join(&order.known[stream], &order.host);
    if (stream != SIM_ORDER_LEGACY && is_blocking(stream))
        join(&order.known[stream], &order.known[SIM_ORDER_LEGACY]);
    for (int i = 1; stream == SIM_ORDER_LEGACY && i < SIM_ORDERED_STREAMS; i++)
        if (is_blocking(i))
            join(&order.known[stream], &order.known[i]);
}

int sim_order_open(bool blocking, const char *name)
{
    for (int i = 2; i < SIM_ORDERED_STREAMS; i++)
        if (!order.is_open[i]) {
            order.is_open[i] = true;
            order.is_blocking[i] = blocking;
            snprintf(order.name[i], NAME_BYTES, "%s", name);
            return i;
        }
    return SIM_ORDER_NONE;
}

/* The stream's work may still run, so its clock is kept. */
void sim_order_close(int stream)
{
    if (stream != SIM_ORDER_NONE)
        order.is_open[stream] = false;
}

void sim_order_work(int stream, const char *what)
{
    order.last_stream = stream;
    if (stream == SIM_ORDER_NONE)
        return;
    struct sim_moment *const own = &order.known[stream];
    catch_up(stream);
    own->known[stream]++;
    snprintf(order.last[stream], NAME_BYTES, "%s", what);
    if (order.given != SIM_ORDER_NONE && stream != order.given &&
        own->known[order.given] < order.begin && !order.early[0])
        snprintf(order.early, sizeof order.early,
                 "%s runs in another stream than the given one, and nothing makes it wait for what "
                 "stands there before: record an event on the given stream (cudaEventRecord), and "
                 "let the other one wait for it first (cudaStreamWaitEvent)",
                 what);
}

void sim_order_record(int stream, struct sim_moment *moment)
{
    if (stream == SIM_ORDER_NONE) {
        for (int i = 0; i < SIM_ORDERED_STREAMS; i++)
            moment->known[i] = order.known[i].known[i];
        return;
    }
    catch_up(stream);
    *moment = order.known[stream];
}

void sim_order_wait(int stream, const struct sim_moment *moment)
{
    if (stream != SIM_ORDER_NONE)
        join(&order.known[stream], moment);
}

void sim_order_host_waits_for(const struct sim_moment *moment)
{
    join(&order.host, moment);
    sim_host_waits();
}

void sim_order_host_waits(int stream)
{
    struct sim_moment now;
    sim_order_record(stream, &now);
    join(&order.host, &now);
    sim_host_waits();
}

void sim_order_host_waits_for_all(void)
{
    sim_order_host_waits(SIM_ORDER_NONE);
}

/* The default stream counts only if some stream is not blocking: the default stream is ordered with
 * all blocking ones. */
bool sim_order_is_shared(void)
{
    int count = order.known[SIM_ORDER_PER_THREAD].known[SIM_ORDER_PER_THREAD] > 0;
    bool is_apart = false;
    for (int i = 2; i < SIM_ORDERED_STREAMS; i++) {
        count += order.is_open[i];
        is_apart |= order.is_open[i] && !order.is_blocking[i];
    }
    count += is_apart && order.known[SIM_ORDER_LEGACY].known[SIM_ORDER_LEGACY] > 0;
    return count > 1;
}

struct lab_sim_order sim_order_last(void)
{
    struct lab_sim_order last = {.stream = order.last_stream};
    if (last.stream == SIM_ORDER_NONE)
        return last;
    last.number = sim_order_number(last.stream);
    memcpy(last.known, order.known[last.stream].known, sizeof last.known);
    return last;
}

uint64_t sim_order_number(int stream)
{
    return order.known[stream].known[stream];
}

bool sim_order_is_before(int earlier, uint64_t number, int stream)
{
    const struct sim_moment *const known =
        stream == SIM_ORDER_HOST ? &order.host : &order.known[stream];
    return known->known[earlier] >= number;
}

const char *sim_order_name(int stream)
{
    return stream == SIM_ORDER_NONE ? "a stream"
           : stream == order.given  ? "the given stream"
                                    : order.name[stream];
}

void sim_order_begin(int stream)
{
    order.early[0] = '\0';
    if (stream != SIM_ORDER_NONE)
        sim_order_work(stream, "what comes before");
    order.given = stream;
    sim_order_record(SIM_ORDER_NONE, &order.before);
    order.begin = stream == SIM_ORDER_NONE ? 0 : order.known[stream].known[stream];
}

const char *sim_order_end(void)
{
    static char text[600];
    const int given = order.given;
    order.given = SIM_ORDER_NONE;
    if (given == SIM_ORDER_NONE)
        return NULL;
    if (is_blocking(given))
        join(&order.known[given], &order.known[SIM_ORDER_LEGACY]);
    for (int i = 0; i < SIM_ORDERED_STREAMS; i++) {
        const uint64_t done = order.known[i].known[i];
        if (i == given || done == order.before.known[i] || done <= order.known[given].known[i])
            continue;
        snprintf(text, sizeof text,
                 "%s runs in another stream than the given one, and nothing makes the given one "
                 "wait for it, so that what comes next there may be done before: record an event "
                 "after it (cudaEventRecord), and let the given stream wait for that "
                 "(cudaStreamWaitEvent)",
                 order.last[i]);
        return text;
    }
    return order.early[0] ? order.early : NULL;
}
