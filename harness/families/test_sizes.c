/* Sizes of products, and of what lies in a row, as one would type them. */
#include "families/family.h"

#include <stddef.h>

const char *const lab_test_products[] = {"-m 1",
                                         "-m 2",
                                         "-m 7",
                                         "-m 17",
                                         "-m 31",
                                         "-m 33",
                                         "-m 63",
                                         "-m 65",
                                         "-m 127",
                                         "-m 128",
                                         "-m 129",
                                         "-m 257",
                                         "-m 1 -n 4096 -k 3",
                                         "-m 4096 -n 1 -k 64",
                                         "-m 3 -n 5 -k 4099",
                                         "-m 130 -n 260 -k 1",
                                         "-m 256 -n 128 -k 36",
                                         "-m 132 -n 124 -k 20",
                                         NULL};
const char *const lab_gpu_test_products[] = {
    "-m 1000", "-m 1023", "-m 2048 -n 1 -k 2048", "-m 8191 -n 129 -k 65", "-m 70000 -n 33 -k 17",
    NULL};

const char *const lab_test_lengths[] = {"-n 1",    "-n 2",     "-n 31",  "-n 32",   "-n 33",
                                        "-n 127",  "-n 256",   "-n 257", "-n 1023", "-n 4099",
                                        "-n 8192", "-n 70001", NULL};
const char *const lab_gpu_test_lengths[] = {"-n 1000003", "-n 67108864", "-n 100000007", NULL};
