// Time steps of molecular dynamics, with the number of particles and of steps from the command
// line.
static struct lab_md problem;
static float *start_host[3], *got_host; // position, velocity, acceleration before a launch

static void reset(void)
{
    float *const arrays[] = {problem.position, problem.velocity, problem.acceleration};
    for (int i = 0; i < 3; ++i)
        must(cudaMemcpy(arrays[i], start_host[i], 3 * problem.row * sizeof(float),
                        cudaMemcpyHostToDevice),
             "reset");
    must(cudaMemset(problem.force, 0xFF, 3 * problem.row * sizeof(float)), "reset");
    must(cudaMemset(problem.potential, 0xFF, problem.n * sizeof(float)), "reset");
    must(cudaMemset(problem.energies, 0xFF, 2 * problem.steps * sizeof(double)), "reset");
}

// The force on particle i in double precision, and the sum of all amounts in it.
static double force_on(size_t i, double force[3])
{
    const size_t row = problem.row, n = problem.n;
    const float *x = start_host[0];
    double amount = 0.0;
    for (int c = 0; c < 3; ++c)
        force[c] = 0.0;
    for (size_t j = 0; j < n; ++j) {
        double d[3], r2 = 0.0;
        for (int c = 0; c < 3; ++c) {
            d[c] = (double)x[c * row + i] - x[c * row + j];
            if (problem.box > 0.0f)
                d[c] -= problem.box * rint(d[c] / problem.box);
            r2 += d[c] * d[c];
        }
        if (j == i || (problem.cutoff > 0.0f && r2 >= (double)problem.cutoff * problem.cutoff))
            continue;
        const double r6 = pow(r2, -3.0), by_r = 24.0 * (2.0 * r6 * r6 - r6) / r2;
        amount += 24.0 * (26.0 * r6 * r6 + 7.0 * r6) / sqrt(r2);
        for (int c = 0; c < 3; ++c)
            force[c] += by_r * d[c];
    }
    return amount;
}

// Checks some particles after the first step, when a = f / m. Positions are as large as the cube,
// and their roundings move a force by that much more.
static size_t wrong(void)
{
    const size_t n = problem.n, row = problem.row, some = n < 64 ? n : 64;
    const double edge = cbrt((double)n) + 2.0;
    size_t bad = 0;
    must(cudaMemcpy(got_host, problem.steps == 1 ? problem.acceleration : problem.position,
                    3 * row * sizeof(float), cudaMemcpyDeviceToHost),
         "result");
    for (size_t s = 0; s < some; ++s) {
        const size_t i = some > 1 ? s * (n - 1) / (some - 1) : 0;
        double force[3];
        const double allowed = FLT_EPSILON * force_on(i, force) * (64.0 + edge + n);
        for (int c = 0; c < 3; ++c) {
            const double got = got_host[c * row + i];
            bad += problem.steps == 1
                       ? !(fabs(got - force[c] / problem.mass) <= allowed / problem.mass)
                       : !(fabs(got - start_host[0][c * row + i]) < 1.0);
        }
    }
    return bad;
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 1, 10000), steps = size_of(argc, argv, 2, 1);
    const size_t row = ((size_t)n + 63) / 64 * 64;
    const int side = (int)ceil(cbrt((double)n));
    for (int i = 0; i < 3; ++i)
        start_host[i] = random_values<float>(3 * row);
    got_host = (float *)on_host(3 * row * sizeof(float));
    for (int i = 0; i < n; ++i) { // near the sites of a lattice
        const int site[3] = {i % side, i / side % side, i / side / side};
        for (int c = 0; c < 3; ++c)
            start_host[0][c * row + i] = 1.058f * (site[c] + 0.05f * start_host[0][c * row + i]);
    }
    problem.n = n, problem.steps = steps, problem.row = row;
    problem.law = LAB_MD_LENNARD_JONES;
    problem.kernels = LAB_MD_ALL;
    if (lab_variants[0].flags & LAB_MD_CUTOFF) {
        problem.box = 1.058f * side;
        problem.cutoff = fminf(2.5f, 0.5f * problem.box);
    }
    problem.dt = 0.002f, problem.mass = 1.0f;
    problem.position = (float *)on_device(NULL, 3 * row * sizeof(float));
    problem.velocity = (float *)on_device(NULL, 3 * row * sizeof(float));
    problem.acceleration = (float *)on_device(NULL, 3 * row * sizeof(float));
    problem.force = (float *)on_device(NULL, 3 * row * sizeof(float));
    problem.potential = (float *)on_device(NULL, n * sizeof(float));
    problem.energies = (double *)on_device(NULL, 2 * steps * sizeof(double));
    for (int i = 0; i < LAB_MD_STREAMS; ++i)
        must(cudaStreamCreate(&problem.streams[i]), "stream");
    for (int i = 0; i < LAB_MD_EVENTS; ++i)
        must(cudaEventCreateWithFlags(&problem.events[i], cudaEventDisableTiming), "event");
    printf("molecular dynamics, float, n=%d steps=%d\n", n, steps);
    return run_variants(&problem, &problem.workspace, 24.0 * n * (n - 1.0) * steps, reset, wrong);
}
