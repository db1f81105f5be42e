/* Profiles of GPUs: the built-in ones, and what is refused. */
#include "sim/lab_sim.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 16384 };

static char error[1024];

/* The H200's file with `from` replaced by `to`, read back as a user's file. */
static int read_changed(const char *from, const char *to)
{
    static char text[TEXT_BYTES];
    char path[] = "/tmp/gpu_profile_XXXXXX.json"; /* used up by mkstemps() */
    struct sim_gpu_profile profile;
    char source[4096];
    snprintf(source, sizeof source, "%s/harness/sim/gpu/h200.json", getenv("LAB_TEST_ROOT"));
    FILE *stream = fopen(source, "r");
    cr_assert(stream, "%s cannot be read", source);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    char *at = strstr(text, from);
    cr_assert(at, "h200.json does not hold %s", from);
    int file = mkstemps(path, 5);
    dprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    close(file);
    int good = lab_sim_gpu_read(path, &profile, error, sizeof error);
    cr_expect(good || strstr(error, path), "the message does not name the file: %s", error);
    unlink(path);
    return good;
}

static void expect_refused(const char *from, const char *to, const char *field, const char *what)
{
    cr_expect(!read_changed(from, to), "taken: %s", to);
    cr_expect(strstr(error, field) && strstr(error, what), "message: %s", error);
    cr_expect(!strchr(error, '\n'), "more than one line: %s", error);
}

Test(runtime_profile, every_built_in_profile_is_whole)
{
    const char *const names[] = {"h200",    "A100",   "RTX4090", "t4",
                                 "GTX1050", "GTX970", "gtx480",  "M2070"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct sim_gpu_profile p;
        cr_assert(lab_sim_gpu_read(names[i], &p, error, sizeof error), "%s", error);
        cr_expect(p.threads_per_sm % 32 == 0 && p.shared_per_block <= p.shared_per_block_optin &&
                      p.shared_per_block_optin <= p.shared_per_sm,
                  "%s: limits", names[i]);
        cr_expect(p.shared_latency < p.l2_latency && p.l1_latency < p.l2_latency &&
                      p.l2_latency < p.dram_latency && p.dram_gb_per_s < p.l2_gb_per_s,
                  "%s: rates and latencies", names[i]);
        cr_expect(p.arithmetic_latency >= 1.0 && p.barrier_latency > 0.0 && p.launch_us > 0.0,
                  "%s: latencies", names[i]);
        /* What the bus could move at most: DDR, all pins. */
        cr_expect(p.dram_gb_per_s <= 2.001e-6 * p.memory_clock_khz * p.memory_bus_bits / 8,
                  "%s: DRAM rate", names[i]);
    }
}

Test(runtime_profile, without_a_choice_it_is_the_h200)
{
    const struct sim_gpu_profile *p = lab_sim_gpu();
    cr_expect_eq(p->sm_count, 132);
    cr_expect_eq(p->clock_khz, 1980000);
    cr_expect_eq(p->shared_per_block_optin, 232448);
    cr_expect_str_eq(p->name, "Simulated NVIDIA H200");
    cr_expect(!lab_sim_gpu_error());
}

/* 33 of 132 SMs: a quarter of what all SMs share, and all of what each has. */
Test(runtime_profile, a_slice_has_its_share)
{
    struct sim_gpu_profile whole, slice;
    cr_assert(lab_sim_gpu_read("h200", &whole, error, sizeof error));
    slice = whole;
    cr_expect_eq(whole.whole_sm_count, 132);
    cr_assert(lab_sim_gpu_slice(&slice, 33));
    cr_expect_eq(slice.sm_count, 33);
    cr_expect_eq(slice.whole_sm_count, 132);
    cr_expect_eq(slice.l2_bytes, whole.l2_bytes / 4);
    cr_expect_eq(slice.l2_persisting_bytes, whole.l2_persisting_bytes / 4);
    cr_expect_eq(slice.memory_bus_bits, whole.memory_bus_bits / 4);
    cr_expect_float_eq(slice.l2_gb_per_s, whole.l2_gb_per_s / 4, 1e-9);
    cr_expect_float_eq(slice.dram_gb_per_s, whole.dram_gb_per_s / 4, 1e-9);
    cr_expect_float_eq(slice.atomics_per_cycle, whole.atomics_per_cycle / 4, 1e-9);
    cr_expect_float_eq(slice.atomic_cycles, whole.atomic_cycles * 4, 1e-9, "a word has one place");
    cr_expect_float_eq(slice.float_atomic_cycles, whole.float_atomic_cycles * 4, 1e-9);
    cr_expect_eq(slice.shared_atomic_cycles, whole.shared_atomic_cycles);
    cr_expect(slice.l2_latency == whole.l2_latency && slice.clock_khz == whole.clock_khz &&
              slice.l1_bytes == whole.l1_bytes && slice.launch_us == whole.launch_us);
    cr_assert(lab_sim_gpu_slice(&slice, 3));
    cr_expect(slice.l2_bytes % 1024 == 0 && slice.whole_sm_count == 132);
    cr_expect(!lab_sim_gpu_slice(&slice, 4), "the slice has three");
    cr_expect(!lab_sim_gpu_slice(&slice, 0));
    cr_expect_eq(slice.sm_count, 3, "what is refused changes nothing");
}

Test(runtime_profile, what_a_file_leaves_out_is_the_h200s)
{
    struct sim_gpu_profile h200, t4;
    cr_assert(lab_sim_gpu_read("h200", &h200, error, sizeof error));
    cr_assert(lab_sim_gpu_read("t4", &t4, error, sizeof error));
    cr_expect_eq(t4.barrier_latency, h200.barrier_latency);
    cr_expect_eq(t4.shared_latency, 19.0);
    cr_expect(t4.atomic_cycles == h200.atomic_cycles &&
              t4.float_atomic_cycles == h200.float_atomic_cycles &&
              t4.shared_atomic_cycles == h200.shared_atomic_cycles);
    cr_expect_float_eq(t4.atomics_per_cycle, h200.atomics_per_cycle * 40 / 132, 1e-9);
}

/* Of L2 its rate for each SM and cycle: a quarter for half the SMs at half the clock. */
Test(runtime_profile, l2_rate_that_is_left_out_follows_from_sms_and_clock)
{
    struct sim_gpu_profile h200, small;
    char path[] = "/tmp/lab-profile-XXXXXX.json", command[1024];
    close(mkstemps(path, 5));
    snprintf(
        command, sizeof command,
        "sed -e 's/\"l2_gb_per_s\": [0-9]*,//' -e 's/\"sm_count\": 132/\"sm_count\": 66/' -e "
        "'s/\"clock_khz\": 1980000/\"clock_khz\": 990000/' '%s/harness/sim/gpu/h200.json' > %s",
        getenv("LAB_TEST_ROOT"), path);
    cr_assert_eq(system(command), 0);
    cr_assert(lab_sim_gpu_read("h200", &h200, error, sizeof error), "%s", error);
    cr_assert(lab_sim_gpu_read(path, &small, error, sizeof error), "%s", error);
    unlink(path);
    cr_expect_float_eq(small.l2_gb_per_s, h200.l2_gb_per_s / 4.0, 1e-6, "%g", small.l2_gb_per_s);
}

Test(runtime_profile, a_mistake_is_named_with_file_and_field)
{
    cr_expect(read_changed("132", "99"), "%s", error);
    expect_refused("\"sm_count\": 132,", "", "sm_count", "missing");
    expect_refused("132", "\"132\"", "sm_count", "not a number");
    expect_refused("132", "132.5", "sm_count", "whole number");
    expect_refused("132", "-1", "sm_count", "out of range");
    expect_refused("132", "1e300", "sm_count", "out of range");
    expect_refused("\"l1_latency\"", "\"l1_latencie\"", "l1_latencie", "no such field");
    expect_refused("\"sources\"", "\"source\"", "sources", "from");
    expect_refused("132,", "132", "", "not a JSON object");
}

Test(runtime_profile, an_unknown_name_lists_what_there_is)
{
    struct sim_gpu_profile p;
    cr_expect(!lab_sim_gpu_read("h100", &p, error, sizeof error));
    cr_expect(strstr(error, "h100") && strstr(error, "h200") && strstr(error, "m2070"), "%s",
              error);
    cr_expect(!lab_sim_gpu_read("/nowhere/x.json", &p, error, sizeof error));
    cr_expect(strstr(error, "/nowhere/x.json") && strstr(error, "No such file"), "%s", error);
}
