/* The functions that every kernel may call without defining them: printf, assert, malloc, free; and
 * how such calls take their arguments.
 *
 * Each runs once for every active lane, lowest first. Each call of printf writes its whole text to
 * standard output at once. */
#include "control.h"

#include "sim/access/access.h"
#include "sim/memory/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- Arguments, results, strings ---- */

uint64_t sim_call_argument(const struct warp *warp, const struct instruction *at, int index,
                           int32_t from, uint32_t lane)
{
    const struct call_site *const site = at->extra;
    uint64_t value = 0;
    for (int32_t byte = 0; from + byte < site->argument_bytes[index] && byte < 8; byte += 4) {
        const uint32_t *const slot =
            sim_local_slot(warp, warp->local_base, site->argument_offsets[index] + from + byte);
        value |= (uint64_t)slot[lane] << (8 * byte);
    }
    return value;
}

static uint64_t argument(const struct warp *warp, const struct instruction *at, int index,
                         uint32_t lane)
{
    return sim_call_argument(warp, at, index, 0, lane);
}

void sim_call_result(struct warp *warp, const struct instruction *at, uint32_t lane, uint64_t value)
{
    const struct call_site *const site = at->extra;
    for (int32_t byte = 0; byte < site->result_bytes && byte < 8; byte += 4) {
        uint32_t *const slot = sim_local_slot(warp, warp->local_base, site->result_offset + byte);
        slot[lane] = (uint32_t)(value >> (8 * byte));
    }
}

/* Copies a string from device memory, cut off at the end of the buffer. */
static void read_string(struct warp *warp, const struct instruction *at, uint32_t lane,
                        uint64_t address, char *text, size_t size)
{
    size_t length = 0;
    while (length + 1 < size) {
        sim_lane_read(warp, at, (int)lane, address + length, &text[length], 1);
        if (text[length] == '\0')
            return;
        length++;
    }
    text[length] = '\0';
}

/* ---- printf ---- */

enum { TEXT_SIZE = 4096, SPEC_SIZE = 64 };

/* What one call has written so far, and the values that it has not used yet. */
struct print {
    struct warp *warp;
    const struct instruction *at;
    uint32_t lane;
    uint64_t values; /* address of the next value */
    int used;
    char text[TEXT_SIZE];
    size_t length;
};

static void append(struct print *print, const char *text)
{
    const size_t room = TEXT_SIZE - print->length, length = strlen(text);
    const size_t copied = length < room ? length : room;
    memcpy(print->text + print->length, text, copied);
    print->length += copied;
}

/* Values lie one after the other, each aligned to its size. */
static uint64_t next_value(struct print *print, unsigned bytes)
{
    uint64_t value = 0;
    print->values = (print->values + bytes - 1) / bytes * bytes;
    sim_lane_read(print->warp, print->at, (int)print->lane, print->values, &value, bytes);
    print->values += bytes;
    print->used++;
    return value;
}

static void print_integer(struct print *print, char *spec, size_t length, char type, bool is_wide,
                          int halves)
{
    char text[512];
    const bool is_signed = type == 'd' || type == 'i';
    uint64_t value = next_value(print, is_wide ? 8 : 4);
    if (!is_wide) {
        const int unused = halves == 2 ? 56 : halves == 1 ? 48 : 32;
        value = is_signed ? (uint64_t)((int64_t)(value << unused) >> unused)
                          : value << unused >> unused;
    }
    snprintf(spec + length, SPEC_SIZE - length, "ll%c", type);
    snprintf(text, sizeof text, spec, (unsigned long long)value);
    append(print, text);
}

static void print_value(struct print *print, char *spec, size_t length, char type, bool is_wide,
                        int halves)
{
    char text[TEXT_SIZE];
    spec[length] = type;
    spec[length + 1] = '\0';
    if (strchr("diouxX", type)) {
        print_integer(print, spec, length, type, is_wide, halves);
        return;
    }
    if (type == 'c') {
        snprintf(text, sizeof text, spec, (int)next_value(print, 4));
    } else if (type == 'p') {
        snprintf(text, sizeof text, spec, (void *)(uintptr_t)next_value(print, 8));
    } else if (type == 's') {
        char string[TEXT_SIZE / 2];
        read_string(print->warp, print->at, print->lane, next_value(print, 8), string,
                    sizeof string);
        snprintf(text, sizeof text, spec, string);
    } else {
        const uint64_t bits = next_value(print, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        snprintf(text, sizeof text, spec, value);
    }
    append(print, text);
}

/* Prints one %[flags][width][.precision][size]type; @return the text that follows it. A % that
 * begins nothing of this form is printed itself. */
static const char *print_spec(struct print *print, const char *format)
{
    char spec[SPEC_SIZE];
    size_t length = 0;
    const char *scan = format;
    int longs = 0, halves = 0;
    spec[length++] = *scan++;
    while (*scan && strchr("-+ #0123456789.*", *scan) && length < SPEC_SIZE - 16) {
        if (*scan == '*')
            length += (size_t)snprintf(spec + length, 12, "%d", (int)next_value(print, 4));
        else
            spec[length++] = *scan;
        scan++;
    }
    for (; *scan && strchr("hlLjzt", *scan); scan++) {
        halves += *scan == 'h';
        longs += *scan != 'h';
    }
    if (*scan == '%') {
        append(print, "%");
        return scan + 1;
    }
    if (!*scan || !strchr("diouxXcspfFeEgGaA", *scan)) {
        append(print, "%");
        return format + 1;
    }
    print_value(print, spec, length, *scan, longs > 0, halves);
    return scan + 1;
}

static int print_line(struct print *print, const char *format)
{
    char plain[2] = {0};
    while (*format) {
        if (*format == '%') {
            format = print_spec(print, format);
            continue;
        }
        plain[0] = *format++;
        append(print, plain);
    }
    fwrite(print->text, 1, print->length, stdout);
    return print->used;
}

static void run_vprintf(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    {
        char format[TEXT_SIZE];
        struct print print = {.warp = warp, .at = at, .lane = lane};
        const uint64_t address = argument(warp, at, 0, lane);
        print.values = argument(warp, at, 1, lane);
        if (address == 0) {
            sim_call_result(warp, at, lane, UINT64_MAX);
            continue;
        }
        read_string(warp, at, lane, address, format, sizeof format);
        sim_call_result(warp, at, lane, (uint64_t)print_line(&print, format));
    }
}

/* ---- assert ---- */

static void run_assertfail(struct warp *warp, const struct instruction *at)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(warp->active);
    char message[256], file[256], function[256];
    read_string(warp, at, lane, argument(warp, at, 0, lane), message, sizeof message);
    read_string(warp, at, lane, argument(warp, at, 1, lane), file, sizeof file);
    read_string(warp, at, lane, argument(warp, at, 3, lane), function, sizeof function);
    sim_fault(warp, at, (int)lane, SIM_ASSERT, 0, "assertion `%s` failed at %s:%u in %s", message,
              file, (unsigned)argument(warp, at, 2, lane), function);
}

/* ---- The device heap: allocations like any other, so that their bounds are checked ---- */

static void run_malloc(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t size = argument(warp, at, 0, lane);
        sim_call_result(warp, at, lane, size ? sim_heap_allocate(size) : 0);
    }
}

void sim_run_free(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t address = argument(warp, at, 0, lane);
        sim_call_result(warp, at, lane, 0); /* cudaFree() has one */
        if (address == 0)
            continue;
        if (!sim_heap_free(address))
            sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, address,
                      "free of 0x%llx, which malloc did not return or which is free already",
                      (unsigned long long)address);
        atomic_fetch_add(&warp->worker->launch->heap_changes, 1);
    }
    sim_refresh_caches(warp->worker);
}

const struct system_call *sim_find_system_call(const char *name)
{
    static const struct system_call calls[] = {{"vprintf", run_vprintf},
                                               {"__assertfail", run_assertfail},
                                               {"malloc", run_malloc},
                                               {"free", sim_run_free},
                                               {"__assert_fail", run_assertfail}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    return NULL;
}
