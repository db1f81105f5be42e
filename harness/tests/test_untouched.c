/* What a kernel must not touch, in every family: guard zones, inputs, what is foreign in an output;
 * and that it finds its output and scratch memory poisoned, launch after launch. On the simulator a
 * kernel is stopped before it does harm; here the harness's own eyes are all there is, as on a GPU:
 * the writes come from the host, which the simulator lets through. */
#include "families/buffer.h"
#include "sim/lab_sim.h"
#include "tests/made_kernel.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAB_FAMILY_LINE(name) #name,
static const char *const families[] = {
#include "families/families.def"
};
#undef LAB_FAMILY_LINE
enum { FAMILIES = sizeof families / sizeof *families, SCRATCH_BYTES = 1000, MOST_BYTES = 65536 };

/* A launch function is given the problem alone. */
static struct made_kernel made;
static struct lab_array buffers[LAB_MAX_ARRAYS];
static int buffer_count;
static int flipped = -1;  /* the buffer of which one bit is changed; -1: none */
static ptrdiff_t place;   /* of the byte, from the start of the buffer */
static bool fills_output; /* with bytes that are no result */
static unsigned char before[LAB_MAX_ARRAYS][MOST_BYTES]; /* what the launch found */

/* In place of the simulator's, which fills memory with ones itself: on a GPU nobody does that. */
__attribute__((visibility("default"))) int lab_sim_mark_unwritten(const void *device_pointer,
                                                                  size_t size)
{
    (void)device_pointer, (void)size;
    return 1;
}

static size_t scratch(const void *problem)
{
    (void)problem;
    return SCRATCH_BYTES;
}

static cudaError_t misbehave(const void *problem, cudaStream_t stream)
{
    (void)stream;
    buffer_count = made.family->arrays(problem, buffers);
    for (int i = 0; i < buffer_count; i++) {
        char *data;
        memcpy(&data, (const char *)problem + buffers[i].offset, sizeof data);
        if (!data)
            continue; /* of another problem of the family */
        if (buffers[i].role == LAB_ROLE_SCRATCH)
            buffers[i].count = SCRATCH_BYTES / lab_element_bytes(buffers[i].element);
        cr_assert_leq(lab_array_bytes(&buffers[i]), MOST_BYTES);
        cudaMemcpy(before[i], data, lab_array_bytes(&buffers[i]), cudaMemcpyDeviceToHost);
        if (fills_output && buffers[i].role == LAB_ROLE_OUTPUT)
            cudaMemset(data, 0x11, lab_array_bytes(&buffers[i]));
        if (i == flipped) {
            unsigned char byte;
            cudaMemcpy(&byte, data + place, 1, cudaMemcpyDeviceToHost);
            byte ^= 1;
            cudaMemcpy(data + place, &byte, 1, cudaMemcpyHostToDevice);
        }
    }
    return cudaSuccess;
}

/* Sizes that leave room behind the last element, before the next 256 bytes. */
static void open_problem(const char *family)
{
    static const struct {
        const char *family, *sizes;
    } sizes[] = {{"syr2k", "-n 21 -p 3 -q 5"},  {"apsp", "-n 21 --paths"},
                 {"widest", "-n 21"},           {"copy", "-n 21"},
                 {"reduction", "-n 21"},        {"histogram", "-n 21"},
                 {"transpose", "-m 13 -n 21"},  {"trmm", "-n 21 -m 13"},
                 {"trmm_lower", "-n 21 -m 13"}, {"md", "-n 21"},
                 {"md_rest", "-n 21"}};
    const char *given = "-m 13 -n 21 -k 9";
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        given = strcmp(family, sizes[i].family) == 0 ? sizes[i].sizes : given;
    made_kernel_open(&made, family, "%s", given);
    made_kernel_variant(&made, misbehave, scratch);
    flipped = -1;
    fills_output = false;
    made_kernel_check(&made); /* lists the buffers */
    cr_assert_geq(buffer_count, 3);
}

static struct lab_check check_with_flip(int buffer, ptrdiff_t at)
{
    flipped = buffer;
    place = at;
    struct lab_check check = made_kernel_check(&made);
    made_kernel_check(&made); /* and back */
    flipped = -1;
    return check;
}

static void expect_seen(int buffer, ptrdiff_t at, const char *where)
{
    char text[64];
    const ptrdiff_t past = at < 0 ? -at : at - (ptrdiff_t)lab_array_bytes(&buffers[buffer]);
    struct lab_check check = check_with_flip(buffer, at);
    snprintf(text, sizeof text, "%td bytes %s", past, at < 0 ? "before its start" : "past its end");
    cr_expect_eq(check.status, LAB_CHECK_OUT_OF_BOUNDS, "%s, buffer %d, %s: status %d",
                 made.family->options->name, buffer, where, (int)check.status);
    cr_expect(strstr(check.message, text), "%s, buffer %d, %s: %s", made.family->options->name,
              buffer, where, check.message);
}

/* The first and the last byte of either zone, of every buffer. */
Test(untouched, guard_zones)
{
    for (int f = 0; f < FAMILIES; f++) {
        open_problem(families[f]);
        for (int i = 0; i < buffer_count; i++) {
            const ptrdiff_t bytes = (ptrdiff_t)lab_array_bytes(&buffers[i]);
            if (!bytes)
                continue;
            const ptrdiff_t end = (ptrdiff_t)lab_buffer_footprint(bytes) - LAB_GUARD_BYTES;
            cr_expect_geq(end - bytes, LAB_GUARD_BYTES);
            expect_seen(i, -1, "just before");
            expect_seen(i, -LAB_GUARD_BYTES, "far before");
            expect_seen(i, bytes, "just past");
            expect_seen(i, end - 1, "far past");
        }
        made_kernel_close(&made);
    }
}

/* Whatever is copied into them: poison, words of another zone, or of another place in it. */
Test(untouched, guard_zones_are_like_nothing_else)
{
    static const char *const names[] = {"A", "B", "C", "workspace"};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++) {
            struct lab_buffer to = {0}, from = {0};
            ptrdiff_t offset;
            bool intact;
            cr_assert_eq(lab_buffer_create(&to, 100, names[i]), cudaSuccess);
            cr_assert_eq(lab_buffer_create(&from, j == 4 ? 96 : 100, names[j % 4]), cudaSuccess);
            cr_assert_eq(lab_buffer_check_guards(&to, &intact, &offset), cudaSuccess);
            cr_expect(intact);
            char *const end = (char *)to.data + 100;
            if (j == 5)
                cr_assert_eq(cudaMemset(end, 0xFF, 4), cudaSuccess);
            else
                cr_assert_eq(cudaMemcpy(end, (char *)from.data + (j == i ? 104 : 100), 4,
                                        cudaMemcpyDeviceToDevice),
                             cudaSuccess);
            cr_assert_eq(lab_buffer_check_guards(&to, &intact, &offset), cudaSuccess);
            cr_expect_not(intact, "%s from %s (%d)", names[i], names[j % 4], j);
            lab_buffer_destroy(&to);
            lab_buffer_destroy(&from);
        }
}

/* One bit of the first, a middle and the last byte of every input. */
Test(untouched, inputs)
{
    for (int f = 0; f < FAMILIES; f++) {
        open_problem(families[f]);
        int inputs = 0;
        for (int i = 0; i < buffer_count; i++) {
            const ptrdiff_t places[] = {0, (ptrdiff_t)lab_array_bytes(&buffers[i]) / 2 + 1,
                                        (ptrdiff_t)lab_array_bytes(&buffers[i]) - 1};
            if (buffers[i].role != LAB_ROLE_INPUT || !buffers[i].count)
                continue;
            inputs++;
            for (int j = 0; j < 3; j++) {
                struct lab_check check = check_with_flip(i, places[j]);
                cr_expect_eq(check.status, LAB_CHECK_INPUT_MODIFIED, "%s, buffer %d, byte %td: %d",
                             made.family->options->name, i, places[j], (int)check.status);
                cr_expect(strstr(check.message, "changed its input"), "%s", check.message);
            }
        }
        cr_expect_geq(inputs, strcmp(families[f], "md") == 0 ? 0 : 1); /* md goes on with its own */
        cr_expect_neq(made_kernel_check(&made).status, LAB_CHECK_INPUT_MODIFIED);
        made_kernel_close(&made);
    }
}

/* Output and scratch memory are NaN before every launch, also behind one that wrote them. What an
 * output holds that counts, B of trmm, and what is none of the problem's is what it was. */
Test(untouched, poison_before_every_launch)
{
    static unsigned char old[LAB_MAX_ARRAYS][MOST_BYTES];
    for (int f = 0; f < FAMILIES; f++) {
        const bool adds =
            strcmp(families[f], "trmm") == 0 || strcmp(families[f], "trmm_lower") == 0;
        open_problem(families[f]);
        memcpy(old, before, sizeof old);
        fills_output = true;
        cr_expect_neq(made_kernel_check(&made).status, LAB_CHECK_OK);
        fills_output = false;
        struct lab_check check = made_kernel_check(&made);
        cr_expect_eq(check.status, adds ? LAB_CHECK_WRONG : LAB_CHECK_UNWRITTEN, "%s: %s",
                     made.family->options->name, check.message);
        for (int i = 0; i < buffer_count; i++)
            for (size_t byte = 0; byte < lab_array_bytes(&buffers[i]); byte++) {
                const size_t element = byte / lab_element_bytes(buffers[i].element);
                const bool stays = buffers[i].role == LAB_ROLE_OUTPUT &&
                                   (!buffers[i].blank || lab_array_excludes(&buffers[i], element));
                if (buffers[i].role == LAB_ROLE_INPUT)
                    continue;
                cr_assert_eq(before[i][byte], stays ? old[i][byte] : 0xFF,
                             "%s, buffer %d, byte %zu: %02x", made.family->options->name, i, byte,
                             before[i][byte]);
            }
        made_kernel_close(&made);
    }
}

/* With a beta the old C counts: it is the same before every launch, and no NaN. */
Test(untouched, old_c)
{
    made_kernel_open(&made, "gemm", "-m 17 --beta 1");
    made_kernel_variant(&made, misbehave, scratch);
    cr_expect_eq(made_kernel_check(&made).status, LAB_CHECK_WRONG);
    float first[17 * 17], again[17 * 17];
    memcpy(first, before[2], sizeof first);
    fills_output = true;
    made_kernel_check(&made);
    fills_output = false;
    cr_expect_eq(made_kernel_check(&made).status, LAB_CHECK_WRONG);
    memcpy(again, before[2], sizeof again);
    for (int i = 0; i < 17 * 17; i++)
        cr_assert(first[i] == again[i] && (first[i] >= 0.5f || first[i] <= -0.5f));
    made_kernel_close(&made);
}

/* What is below the diagonal of syr2k's output is another's. */
Test(untouched, below_the_diagonal)
{
    open_problem("syr2k");
    struct lab_check check = check_with_flip(2, 8 * 21);
    cr_expect_eq(check.status, LAB_CHECK_OUT_OF_BOUNDS);
    cr_expect(strstr(check.message, "C[1][0] was written"), "%s", check.message);
    check = check_with_flip(2, 8 * (20 * 21 + 19) + 7);
    cr_expect_eq(check.status, LAB_CHECK_OUT_OF_BOUNDS);
    cr_expect(strstr(check.message, "C[20][19] was written"), "%s", check.message);
    cr_expect_eq(check_with_flip(2, 8 * 22).status, LAB_CHECK_UNWRITTEN,
                 "on the diagonal it may be");
    made_kernel_close(&made);
}

/* Nor is what is behind the last particle. */
Test(untouched, behind_the_last_particle)
{
    open_problem("md");
    struct lab_check check = check_with_flip(3, 4 * 21);
    cr_expect_eq(check.status, LAB_CHECK_OUT_OF_BOUNDS);
    cr_expect(strstr(check.message, "force x of particle 21 was written"), "%s", check.message);
    check = check_with_flip(3, 4 * (3 * 64 - 1));
    cr_expect(strstr(check.message, "force z of particle 63 was written"), "%s", check.message);
    cr_expect_eq(check_with_flip(3, 4 * 20).status, LAB_CHECK_UNWRITTEN, "the last one may be");
    made_kernel_close(&made);
}
