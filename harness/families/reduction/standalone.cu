// The sum of n floats, with n from the command line.
static struct lab_reduction problem;
static double expected;

static void reset(void)
{
    must(cudaMemset(problem.sum, 0xFF, sizeof(float)), "reset");
}

// Compares with a sum in any order: see harness/families/reduction for the tolerance.
static size_t wrong(void)
{
    const double n = problem.n;
    float got;
    must(cudaMemcpy(&got, problem.sum, sizeof got, cudaMemcpyDeviceToHost), "result");
    return !(fabs(got - expected) <= (4.0 * n + 16.0 * sqrt(n)) * FLT_EPSILON / 2);
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 1, 1 << 26);
    float *x = random_values<float>(n);
    for (int i = 0; i < n; ++i)
        expected += x[i];
    problem.n = n;
    problem.x = (const float *)on_device(x, (size_t)n * sizeof(float));
    problem.sum = (float *)on_device(NULL, sizeof(float));
    printf("sum of x, float, n=%d\n", n);
    return run_variants(&problem, &problem.workspace, 0.0, reset, wrong);
}
