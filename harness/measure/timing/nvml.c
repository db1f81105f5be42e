/* What the driver says of the GPU through NVML: clocks, power, and energy, which is also modelled.
 */
#include "measure/timing/nvml.h"

#include "base/time.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* --- NVML --------------------------------------------------------------------------------------*/

/* The calls of NVML need no header: each file that makes one declares its type. */

typedef int init_fn(void);
typedef int handle_fn(const char *bus, void **device);

/* Loads NVML by name, because it comes with the driver, and finds the current device there: its
 * handle. Returns the library, for dlsym(): it is never closed. NULL: NVML is not there. */
static void *open_nvml(void **device)
{
    char bus[32]; /* NVML numbers GPUs in another order than CUDA */
    int id = 0;
    void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml || cudaGetDevice(&id) != cudaSuccess ||
        cudaDeviceGetPCIBusId(bus, sizeof bus, id) != cudaSuccess)
        return NULL;
    init_fn *init = (init_fn *)dlsym(nvml, "nvmlInit_v2");
    handle_fn *handle = (handle_fn *)dlsym(nvml, "nvmlDeviceGetHandleByPciBusId_v2");
    return init && handle && init() == 0 && handle(bus, device) == 0 ? nvml : NULL;
}

/* --- clocks and power --------------------------------------------------------------------------*/

/* Clocks and power while timing. */

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 }; /* nvmlClockType_t */

typedef int clock_fn(void *device, int which, unsigned *mhz);
typedef int power_fn(void *device, unsigned *milliwatts);

void lab_clocks_note(struct lab_conditions *conditions)
{
    void *device = NULL, *nvml = open_nvml(&device);
    if (!nvml)
        return;
    clock_fn *clock = (clock_fn *)dlsym(nvml, "nvmlDeviceGetClockInfo");
    power_fn *power = (power_fn *)dlsym(nvml, "nvmlDeviceGetPowerUsage");
    unsigned value = 0;
    if (!clock || !power)
        return;
    if (clock(device, CLOCK_SM, &value) == 0)
        conditions->sm_mhz = (int)value;
    if (clock(device, CLOCK_MEMORY, &value) == 0)
        conditions->memory_mhz = (int)value;
    if (power(device, &value) == 0)
        conditions->power_watts = value / 1e3;
}

/* --- energy ------------------------------------------------------------------------------------*/

/* The energy of a row. */

/* --- modelled ----------------------------------------------------------------------------------*/

/* Picojoules of an operation. The paper takes its own from CACTI and McPAT, for GPUs of 2014; these
 * are measured or designed values that others published:
 *
 * - FP32 add and multiply, SRAM of 32 KB and of 1 MB for 64 bits: M. Horowitz, "Computing's Energy
 *   Problem", ISSCC 2014, for 45 nm, and N. Jouppi et al., "Ten Lessons From Three Generations
 *   Shaped Google's TPUv4i", ISCA 2021, table 2, which brings them to 7 nm. GPUs before Pascal, of
 *   40 and 28 nm, are nearer to the first. A multiply-add counts as both. A wavefront of shared
 *   memory reads 32 banks of 4 bytes.
 * - HBM2 3.92, GDDR5 14 for a bit: M. O'Connor et al., "Fine-Grained DRAM", MICRO 2017. GDDR6: 350
 *   to 480 for 64 bits, the middle taken, in the same table of Jouppi et al.
 *
 * Of tensor cores no such values are known: a row that uses them gets no modelled energy.
 *
 * Left out: fetching and issuing instructions, registers, integer arithmetic, special functions,
 * wires between L2 and multiprocessors, leakage. A GPU measures several times as much. The model is
 * for the shares of components, and for the ratio of two kernels. */
struct process {
    double add, multiply;
    double sram_32k, sram_1m; /* for a byte */
};
static const struct process OF_45_NM = {0.9, 3.7, 20.0 / 8.0, 100.0 / 8.0};
static const struct process OF_7_NM = {0.38, 1.31, 8.5 / 8.0, 14.0 / 8.0};
static const double HBM = 3.92 * 8.0, GDDR5 = 14.0 * 8.0, GDDR6 = 415.0 / 8.0; /* for a byte */

enum { WAVEFRONT_BYTES = 128, SECTOR_BYTES = 32 };

static double dram_byte(const struct lab_device *device)
{
    int major = device->properties.major, minor = device->properties.minor;
    bool stacked = (minor == 0 && major >= 6 && major <= 9) || major == 10;
    return stacked ? HBM : major < 7 ? GDDR5 : GDDR6;
}

static const struct process *process_of(const struct lab_device *device)
{
    return device->properties.major < 6 ? &OF_45_NM : &OF_7_NM;
}

double lab_energy_total(const struct lab_energy_model *model)
{
    return model->arithmetic + model->shared + model->l2 + model->dram;
}

bool lab_energy_from_counters(const struct lab_counters *counters, const struct lab_device *device,
                              struct lab_energy_model *model)
{
    enum { FMA, ADDS, MULTIPLIES, LOADS, STORES, READS, WRITES, DRAM_READS, DRAM_WRITES, COUNTS };
    static const char *const names[COUNTS] = {
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "lts__t_sectors_op_read.sum",
        "lts__t_sectors_op_write.sum",
        "dram__bytes_read.sum",
        "dram__bytes_write.sum",
    };
    double n[COUNTS];
    for (int i = 0; i < COUNTS; i++)
        if (!lab_counters_get(counters, names[i], &n[i]))
            return false;
    if (lab_counters_use_tensor_cores(counters))
        return false;
    const struct process *of = process_of(device);
    model->arithmetic =
        1e-12 * ((n[FMA] + n[ADDS]) * of->add + (n[FMA] + n[MULTIPLIES]) * of->multiply);
    model->shared = 1e-12 * (n[LOADS] + n[STORES]) * WAVEFRONT_BYTES * of->sram_32k;
    model->l2 = 1e-12 * (n[READS] + n[WRITES]) * SECTOR_BYTES * of->sram_1m;
    model->dram = 1e-12 * (n[DRAM_READS] + n[DRAM_WRITES]) * dram_byte(device);
    return true;
}

/* --- measured ----------------------------------------------------------------------------------*/

/* The counter is renewed some ten times a second, so a run of this length is off by a few per cent
 * at most. */
static const double LEAST_SECONDS = 1.2;

typedef int energy_fn(void *device, unsigned long long *millijoules);

struct meter {
    void *device;
    energy_fn *read;
};

static bool open_meter(struct meter *meter)
{
    unsigned long long now;
    void *nvml = open_nvml(&meter->device);
    if (!nvml)
        return false;
    meter->read = (energy_fn *)dlsym(nvml, "nvmlDeviceGetTotalEnergyConsumption");
    return meter->read && meter->read(meter->device, &now) == 0;
}

/* Makes `count` launches, then waits. */
static cudaError_t launch_many(struct lab_problem *problem, cudaStream_t stream, long count)
{
    cudaError_t status = cudaSuccess;
    for (long i = 0; i < count && status == cudaSuccess; i++)
        status = lab_problem_launch(problem);
    return status == cudaSuccess ? cudaStreamSynchronize(stream) : status;
}

/* Launches in groups that take about a fiftieth of a second, so that the queue never runs dry and
 * never fills. */
static cudaError_t measure_row(const struct meter *meter, struct lab_problem *problem,
                               cudaStream_t stream, struct lab_row *row)
{
    unsigned long long before = 0, after = 0;
    long group = row->time.median > 0.0 ? (long)(20.0 / row->time.median) + 1 : 1, count = 0;
    cudaError_t status = lab_problem_prepare(problem, row->step, row->index);
    if (status == cudaSuccess)
        status = lab_problem_capture(problem);
    if (status == cudaSuccess)
        status = launch_many(problem, stream, group); /* until power settles */
    double start = lab_clock_seconds(), end = start;
    meter->read(meter->device, &before);
    while (status == cudaSuccess && end - start < LEAST_SECONDS) {
        status = launch_many(problem, stream, group);
        count += group;
        end = lab_clock_seconds();
    }
    if (status == cudaSuccess && meter->read(meter->device, &after) == 0 && after > before) {
        row->energy.joules = 1e-3 * (double)(after - before) / count;
        row->energy.watts = 1e-3 * (double)(after - before) / (end - start);
        row->energy.seconds = end - start;
    }
    return status;
}

cudaError_t lab_energy_measure(struct lab_problem *problem, cudaStream_t stream,
                               struct lab_result *result)
{
    struct meter meter = {0};
    cudaError_t status = cudaSuccess;
    bool show = isatty(STDERR_FILENO);
    if (!open_meter(&meter))
        return cudaSuccess;
    for (int i = 0; i < result->row_count && status == cudaSuccess; i++) {
        struct lab_row *row = &result->rows[i];
        if (row->check.status != LAB_CHECK_OK)
            continue;
        if (show)
            fprintf(stderr, "\rmeasuring the energy of %s \033[K", row->name);
        status = measure_row(&meter, problem, stream, row);
    }
    if (show)
        fprintf(stderr, "\r\033[K");
    return status;
}
