// B = A', with m and n from the command line.
static struct lab_transpose problem;
static float *a_host, *result;

static void reset(void)
{
    must(cudaMemset(problem.b, 0xFF, (size_t)problem.m * problem.n * sizeof(float)), "reset");
}

// Nothing is rounded: results are equal or wrong.
static size_t wrong(void)
{
    const size_t count = (size_t)problem.m * problem.n;
    size_t bad = 0;
    must(cudaMemcpy(result, problem.b, count * sizeof(float), cudaMemcpyDeviceToHost), "result");
    for (size_t i = 0; i < count; ++i)
        bad += !(result[i] == a_host[i % problem.m * problem.n + i / problem.m]);
    return bad;
}

int main(int argc, char **argv)
{
    const int m = size_of(argc, argv, 1, 8192), n = size_of(argc, argv, 2, m);
    const size_t bytes = (size_t)m * n * sizeof(float);
    a_host = random_values<float>((size_t)m * n);
    result = (float *)on_host(bytes);
    problem.m = m, problem.n = n;
    problem.a = (const float *)on_device(a_host, bytes);
    problem.b = (float *)on_device(NULL, bytes);
    printf("B = A', float, m=%d n=%d\n", m, n);
    return run_variants(&problem, &problem.workspace, 0.0, reset, wrong);
}
