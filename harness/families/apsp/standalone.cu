// All-pairs shortest paths of a random graph of floats, with the number of vertices from the
// command line.
static struct lab_apsp problem;
static float *w_host, *d_host, *expected;

static void reset(void)
{
    const size_t count = (size_t)problem.n * problem.n;
    must(cudaMemset(problem.d, 0xFF, count * sizeof(float)), "reset");
}

// Weights are whole numbers, and so are lengths: they are exact.
static size_t wrong(void)
{
    const size_t count = (size_t)problem.n * problem.n;
    size_t bad = 0;
    must(cudaMemcpy(d_host, problem.d, count * sizeof(float), cudaMemcpyDeviceToHost), "result");
    for (size_t i = 0; i < count; ++i)
        bad += !(d_host[i] == expected[i]);
    return bad;
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 1, 512);
    const size_t count = (size_t)n * n;
    w_host = (float *)on_host(count * sizeof(float));
    d_host = (float *)on_host(count * sizeof(float));
    expected = (float *)on_host(count * sizeof(float));
    for (int from = 0; from < n; ++from)
        for (int to = 0; to < n; ++to) { // about ten arcs leave a vertex, of weights 1 to 100
            const bool is_arc = (next_random() + 1.0) * n < 20.0;
            const float weight = floorf((float)(next_random() + 1.0) * 50.0f) + 1.0f;
            w_host[(size_t)from * n + to] = from == to ? 0.0f : is_arc ? weight : INFINITY;
        }
    memcpy(expected, w_host, count * sizeof(float));
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                expected[(size_t)i * n + j] =
                    fminf(expected[(size_t)i * n + j],
                          expected[(size_t)i * n + k] + expected[(size_t)k * n + j]);
    problem.n = n;
    problem.type = LAB_APSP_F32;
    problem.w = on_device(w_host, count * sizeof(float));
    problem.d = on_device(NULL, count * sizeof(float));
    printf("all-pairs shortest paths, float, n=%d\n", n);
    return run_rows(&problem, &problem.workspace, 2.0 * n * n * n, reset, wrong);
}
