// V = K W with K(i, j) = exp(-|a_i - b_j|^2 / (2 h^2)), with m, n and k from the command line.
static struct lab_kernel_summation problem;
static float *a_host, *b_host, *w_host, *v_host;

static void reset(void)
{
    must(cudaMemset(problem.v, 0xFF, problem.m * sizeof(float)), "reset");
}

// Compares with sums in double precision. An exponent is a difference of numbers about as large as
// k, each off by some roundings of k. An exponential is off by as much, relative to its value.
static size_t wrong(void)
{
    const size_t m = problem.m, n = problem.n, k = problem.k, some = m < 64 ? m : 64;
    size_t bad = 0;
    must(cudaMemcpy(v_host, problem.v, m * sizeof(float), cudaMemcpyDeviceToHost), "result");
    for (size_t i = 0; i < some; ++i) {
        const size_t row = some > 1 ? i * (m - 1) / (some - 1) : 0;
        double sum = 0.0, amount = 0.0;
        for (size_t j = 0; j < n; ++j) {
            double square = 0.0;
            for (size_t l = 0; l < k; ++l) {
                const double apart = (double)a_host[row * k + l] - b_host[j * k + l];
                square += apart * apart;
            }
            const double term = exp(-square / (2.0 * problem.h * problem.h)) * w_host[j];
            sum += term;
            amount += fabs(term);
        }
        const double roundings = 16.0 * k * (1.0 + 1.0 / (problem.h * problem.h)) + n;
        bad += !(fabs(v_host[row] - sum) <= roundings * FLT_EPSILON * amount);
    }
    return bad;
}

int main(int argc, char **argv)
{
    const int m = size_of(argc, argv, 1, 16384), n = size_of(argc, argv, 2, 1024),
              k = size_of(argc, argv, 3, 32);
    a_host = random_values<float>((size_t)m * k);
    b_host = random_values<float>((size_t)n * k);
    w_host = random_values<float>(n);
    v_host = (float *)on_host(m * sizeof(float));
    problem.m = m, problem.n = n, problem.k = k;
    problem.h = 2.0f;
    problem.a = (const float *)on_device(a_host, (size_t)m * k * sizeof(float));
    problem.b = (const float *)on_device(b_host, (size_t)n * k * sizeof(float));
    problem.w = (const float *)on_device(w_host, n * sizeof(float));
    problem.v = (float *)on_device(NULL, m * sizeof(float));
    printf("V = K W, float, m=%d n=%d k=%d h=%g\n", m, n, k, problem.h);
    return run_variants(&problem, &problem.workspace, (2.0 * k + 4.0) * m * n, reset, wrong);
}
