// How often each of 256 keys occurs, with the number of keys from the command line.
static struct lab_histogram problem;
static int expected[LAB_HISTOGRAM_BINS];

static void reset(void)
{
    must(cudaMemset(problem.counts, 0xFF, sizeof expected), "reset");
}

static size_t wrong(void)
{
    int counts[LAB_HISTOGRAM_BINS];
    size_t bad = 0;
    must(cudaMemcpy(counts, problem.counts, sizeof counts, cudaMemcpyDeviceToHost), "result");
    for (int bin = 0; bin < LAB_HISTOGRAM_BINS; ++bin)
        bad += counts[bin] != expected[bin];
    return bad;
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 1, 1 << 26);
    int *keys = (int *)on_host((size_t)n * sizeof(int));
    for (int i = 0; i < n; ++i) { // about half of the keys are 0
        const double chance = next_random();
        keys[i] = chance < 0.0 ? 0 : (int)(chance * LAB_HISTOGRAM_BINS);
        ++expected[keys[i]];
    }
    problem.n = n;
    problem.keys = (const int *)on_device(keys, (size_t)n * sizeof(int));
    problem.counts = (int *)on_device(NULL, sizeof expected);
    printf("histogram of %d bins, n=%d\n", LAB_HISTOGRAM_BINS, n);
    return run_variants(&problem, &problem.workspace, 0.0, reset, wrong);
}
