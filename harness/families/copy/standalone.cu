// to = from, with n from the command line.
static struct lab_copy problem;
static float *from_host, *result;

static void reset(void)
{
    must(cudaMemset(problem.to, 0xFF, (size_t)problem.n * sizeof(float)), "reset");
}

// Nothing is rounded: results are equal or wrong.
static size_t wrong(void)
{
    size_t bad = 0;
    must(cudaMemcpy(result, problem.to, (size_t)problem.n * sizeof(float), cudaMemcpyDeviceToHost),
         "result");
    for (int i = 0; i < problem.n; ++i)
        bad += !(result[i] == from_host[i]);
    return bad;
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 1, 1 << 26);
    const size_t bytes = (size_t)n * sizeof(float);
    from_host = random_values<float>(n);
    result = (float *)on_host(bytes);
    problem.n = n;
    problem.from = (const float *)on_device(from_host, bytes);
    problem.to = (float *)on_device(NULL, bytes);
    printf("to = from, float, n=%d\n", n);
    return run_variants(&problem, &problem.workspace, 0.0, reset, wrong);
}
