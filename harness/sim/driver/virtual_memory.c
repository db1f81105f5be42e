/* Virtual memory by the driver API. Physical memory is a file without a name, so that it can be
 * mapped in several places and in several processes. A reservation has addresses, and storage of
 * the same length, into which files are mapped. Kernels and copies see each run of neighbouring
 * mappings with the same access as one allocation, all of it written. */
#include "driver.h"

#include "sim/runtime/order.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GRANULARITY ((uint64_t)2 << 20)

enum { PAGE = 4096 };

/* Physical memory, while a handle or a mapping holds it. */
struct physical {
    int file;
    uint64_t size;
    unsigned handles, mappings;
    CUmemAllocationProp properties;
    struct physical *next;
};

/* What cuMemMap() has mapped. Mappings and reservations are sorted by address. */
struct mapping {
    uint64_t address, size;
    struct physical *physical;
    CUmemAccess_flags access;
    struct mapping *next;
};

struct reservation {
    uint64_t address, size;
    char *host;
    struct reservation *next;
};

static struct physical *physicals;
static struct mapping *mappings;
static struct reservation *reservations;

static bool is_multiple(uint64_t number, uint64_t unit)
{
    return number % unit == 0;
}

/* ---- physical memory ------------------------------------------------------------------------- */

static struct physical *find_physical(CUmemGenericAllocationHandle handle)
{
    struct physical *found = physicals;
    while (found && (CUmemGenericAllocationHandle)(uintptr_t)found != handle)
        found = found->next;
    return found && found->handles ? found : NULL;
}

static void drop_if_unused(struct physical *physical)
{
    struct physical **link = &physicals;
    if (physical->handles || physical->mappings)
        return;
    while (*link != physical)
        link = &(*link)->next;
    *link = physical->next;
    sim_memory_give_back(physical->size);
    close(physical->file);
    free(physical);
}

/* Takes over the file. */
static cudaError_t add_physical(CUmemGenericAllocationHandle *handle, int file, uint64_t size,
                                const CUmemAllocationProp *properties)
{
    struct physical *const physical = calloc(1, sizeof *physical);
    const bool is_taken = physical && sim_memory_take(size);
    if (file < 0 || !is_taken) {
        if (is_taken)
            sim_memory_give_back(size);
        if (file >= 0)
            close(file);
        free(physical);
        return cudaErrorMemoryAllocation;
    }
    *physical = (struct physical){file, size, 1, 0, *properties, physicals};
    physicals = physical;
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
    return cudaSuccess;
}

static cudaError_t check_properties(const CUmemAllocationProp *properties)
{
    if (!properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return cudaErrorInvalidValue;
    if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        (properties->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) ||
        properties->allocFlags.usage) {
        sim_driver_refuse("cuMemCreate: memory of the host, for sparse arrays, or shared by "
                          "another handle than a file is not implemented");
        return cudaErrorNotSupported;
    }
    return properties->location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t create(CUmemGenericAllocationHandle *handle, size_t size,
                          const CUmemAllocationProp *properties, unsigned long long flags)
{
    cudaError_t status = sim_enter();
    if (!status && (!handle || !size || flags || !is_multiple(size, GRANULARITY)))
        status = cudaErrorInvalidValue;
    if (!status)
        status = check_properties(properties);
    if (!status) {
        CUmemAllocationProp plain = *properties;
        plain.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_NONE;
        int file = memfd_create("cuMemCreate", MFD_CLOEXEC);
        if (file >= 0 && ftruncate(file, (off_t)size) != 0) {
            close(file);
            file = -1;
        }
        status = add_physical(handle, file, size, &plain);
    }
    return sim_leave_call(status, "cuMemCreate");
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                     const CUmemAllocationProp *properties, unsigned long long flags)
{
    return SIM_IN_DRIVER(create(handle, size, properties, flags));
}

static cudaError_t release(CUmemGenericAllocationHandle handle)
{
    cudaError_t status = sim_enter();
    struct physical *const physical = find_physical(handle);
    if (!status && !physical)
        status = cudaErrorInvalidValue;
    if (!status) {
        physical->handles--;
        drop_if_unused(physical);
    }
    return sim_leave_call(status, "cuMemRelease");
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    return SIM_IN_DRIVER(release(handle));
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option)
{
    (void)option;
    if (!granularity || !properties)
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY;
    return sim_driver_lacks_init();
}

static cudaError_t describe(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle)
{
    cudaError_t status = sim_enter();
    const struct physical *const physical = find_physical(handle);
    if (!status && (!properties || !physical))
        status = cudaErrorInvalidValue;
    if (!status)
        *properties = physical->properties;
    return sim_leave_call(status, "cuMemGetAllocationPropertiesFromHandle");
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                CUmemGenericAllocationHandle handle)
{
    return SIM_IN_DRIVER(describe(properties, handle));
}

/* ---- between processes ----------------------------------------------------------------------- */

static cudaError_t export(int *file, CUmemGenericAllocationHandle handle,
                          CUmemAllocationHandleType type, unsigned long long flags)
{
    cudaError_t status = sim_enter();
    const struct physical *const physical = find_physical(handle);
    if (!status &&
        (!file || !physical || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
         !(physical->properties.requestedHandleTypes & type)))
        status = cudaErrorInvalidValue;
    if (!status && (*file = fcntl(physical->file, F_DUPFD_CLOEXEC, 0)) < 0)
        status = cudaErrorMemoryAllocation;
    return sim_leave_call(status, "cuMemExportToShareableHandle");
}

CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags)
{
    return SIM_IN_DRIVER(export(shareable, handle, type, flags));
}

static cudaError_t import(CUmemGenericAllocationHandle *handle, int file,
                          CUmemAllocationHandleType type)
{
    cudaError_t status = sim_enter();
    struct stat about;
    if (!status &&
        (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || fstat(file, &about) != 0 ||
         !about.st_size || !is_multiple((uint64_t)about.st_size, GRANULARITY)))
        status = cudaErrorInvalidValue;
    if (!status)
        status =
            add_physical(handle, fcntl(file, F_DUPFD_CLOEXEC, 0), (uint64_t)about.st_size,
                         &(CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}});
    return sim_leave_call(status, "cuMemImportFromShareableHandle");
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                        CUmemAllocationHandleType type)
{
    return SIM_IN_DRIVER(import(handle, (int)(intptr_t)shareable, type));
}

/* ---- addresses ------------------------------------------------------------------------------- */

static struct reservation *reservation_of(uint64_t address, uint64_t size)
{
    struct reservation *found = reservations;
    while (found && (address < found->address || address - found->address >= found->size))
        found = found->next;
    return found && size <= found->address + found->size - address ? found : NULL;
}

/* The first place with room; *place then is where its reservation belongs in the list. */
static uint64_t find_room(uint64_t size, uint64_t alignment, struct reservation ***place)
{
    uint64_t first, end;
    sim_memory_spare_addresses(&first, &end);
    for (*place = &reservations;; *place = &(**place)->next) {
        const struct reservation *const next = **place;
        const uint64_t room = next ? next->address : end;
        first = (first + alignment - 1) / alignment * alignment;
        if (first < room && size <= room - first)
            return first;
        if (!next)
            return 0;
        first = next->address + next->size + GRANULARITY; /* a gap, where an overrun is found */
    }
}

static cudaError_t reserve(CUdeviceptr *address, size_t size, size_t alignment,
                           unsigned long long flags)
{
    struct reservation **place;
    cudaError_t status = sim_enter();
    if (!status &&
        (!address || !size || flags || !is_multiple(size, PAGE) || alignment & (alignment - 1)))
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave_call(status, "cuMemAddressReserve");
    const uint64_t found =
        find_room(size, alignment > GRANULARITY ? alignment : GRANULARITY, &place);
    struct reservation *const made = malloc(sizeof *made);
    char *const host = found && made ? mmap(NULL, size, PROT_NONE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                     : MAP_FAILED;
    if (host == MAP_FAILED) {
        free(made);
        return sim_leave_call(cudaErrorMemoryAllocation, "cuMemAddressReserve");
    }
    *made = (struct reservation){found, size, host, *place};
    *place = made;
    *address = found;
    return sim_leave_call(cudaSuccess, "cuMemAddressReserve");
}

/* The hint where to reserve is not taken, as a driver may choose. */
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr hint,
                             unsigned long long flags)
{
    (void)hint;
    return SIM_IN_DRIVER(reserve(address, size, alignment, flags));
}

static bool has_mappings(const struct reservation *reservation)
{
    for (const struct mapping *m = mappings; m; m = m->next)
        if (reservation_of(m->address, 1) == reservation)
            return true;
    return false;
}

static cudaError_t unreserve(CUdeviceptr address, size_t size)
{
    cudaError_t status = sim_enter();
    struct reservation **link = &reservations;
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    if (!status && (!*link || (*link)->size != size || has_mappings(*link)))
        status = cudaErrorInvalidValue;
    if (!status) {
        struct reservation *const gone = *link;
        *link = gone->next;
        munmap(gone->host, size);
        free(gone);
    }
    return sim_leave_call(status, "cuMemAddressFree");
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size)
{
    return SIM_IN_DRIVER(unreserve(address, size));
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* The first mapping that ends behind an address: its link in the list. */
static struct mapping **first_behind(uint64_t address)
{
    struct mapping **link = &mappings;
    while (*link && (*link)->address + (*link)->size <= address)
        link = &(*link)->next;
    return link;
}

bool sim_mapping_at(CUdeviceptr address, CUdeviceptr *start, size_t *size)
{
    const struct mapping *const found = *first_behind(address);
    if (!found || found->address > address)
        return false;
    *start = found->address;
    *size = found->size;
    return true;
}

/* Whether whole mappings fill a range. */
static bool is_filled(uint64_t address, uint64_t size)
{
    const uint64_t end = address + size;
    for (const struct mapping *m = *first_behind(address); m && address < end; m = m->next) {
        if (m->address != address)
            return false;
        address += m->size;
    }
    return size && address == end;
}

/* Enters the runs of accessible mappings of a reservation into the map of memory, or takes them
 * away before mappings change. */
static void show(const struct reservation *reservation, bool is_shown)
{
    const struct mapping *m = *first_behind(reservation->address);
    while (m && m->address < reservation->address + reservation->size) {
        const uint64_t first = m->address;
        const CUmemAccess_flags access = m->access;
        uint64_t end = first;
        for (; m && m->address == end && m->access == access; m = m->next)
            end += m->size;
        if (!access)
            continue;
        if (!is_shown)
            sim_memory_free(first);
        else if (sim_memory_map(first, reservation->host + (first - reservation->address),
                                end - first) &&
                 access == CU_MEM_ACCESS_FLAGS_PROT_READ)
            sim_memory_protect(first);
    }
}

static cudaError_t map(uint64_t address, size_t size, size_t offset,
                       CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    cudaError_t status = sim_enter();
    struct physical *const physical = find_physical(handle);
    const struct reservation *const reservation = reservation_of(address, size);
    if (!status && (!physical || !reservation || !size || offset || flags ||
                    !is_multiple(address | size, GRANULARITY) || size > physical->size))
        status = cudaErrorInvalidValue;
    struct mapping **const link = first_behind(address);
    if (!status && *link && (*link)->address < address + size)
        status = cudaErrorInvalidValue;
    struct mapping *const made = status ? NULL : malloc(sizeof *made);
    if (!status && (!made || mmap(reservation->host + (address - reservation->address), size,
                                  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->file,
                                  0) == MAP_FAILED)) {
        free(made);
        status = cudaErrorMemoryAllocation;
    }
    if (!status) {
        *made = (struct mapping){address, size, physical, CU_MEM_ACCESS_FLAGS_PROT_NONE, *link};
        *link = made;
        physical->mappings++;
    }
    return sim_leave_call(status, "cuMemMap");
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    return SIM_IN_DRIVER(map(address, size, offset, handle, flags));
}

static cudaError_t unmap(uint64_t address, size_t size)
{
    cudaError_t status = sim_enter();
    const struct reservation *const reservation = reservation_of(address, size);
    if (!status && (!reservation || !is_filled(address, size)))
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave_call(status, "cuMemUnmap");
    sim_order_host_waits_for_all();
    show(reservation, false);
    for (struct mapping **link = first_behind(address);
         *link && (*link)->address < address + size;) {
        struct mapping *const gone = *link;
        *link = gone->next;
        gone->physical->mappings--;
        drop_if_unused(gone->physical);
        free(gone);
    }
    mmap(reservation->host + (address - reservation->address), size, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    show(reservation, true);
    return sim_leave_call(cudaSuccess, "cuMemUnmap");
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size)
{
    return SIM_IN_DRIVER(unmap(address, size));
}

static cudaError_t check_access(const CUmemAccessDesc *wanted, size_t count)
{
    if (!wanted || !count)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        if (wanted[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE && wanted[i].location.id != 0)
            return cudaErrorInvalidDevice;
        if (wanted[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
            return cudaErrorNotSupported; /* the host has no address of it */
    }
    return cudaSuccess;
}

static cudaError_t set_access(uint64_t address, size_t size, const CUmemAccessDesc *wanted,
                              size_t count)
{
    cudaError_t status = sim_enter();
    const struct reservation *const reservation = reservation_of(address, size);
    if (!status && (!reservation || !is_filled(address, size)))
        status = cudaErrorInvalidValue;
    if (!status)
        status = check_access(wanted, count);
    if (status)
        return sim_leave_call(status, "cuMemSetAccess");
    sim_order_host_waits_for_all();
    show(reservation, false);
    for (struct mapping *m = *first_behind(address); m && m->address < address + size; m = m->next)
        m->access = wanted[count - 1].flags;
    show(reservation, true);
    return sim_leave_call(cudaSuccess, "cuMemSetAccess");
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *wanted,
                        size_t count)
{
    return SIM_IN_DRIVER(set_access(address, size, wanted, count));
}

/* ---- what is mapped -------------------------------------------------------------------------- */

static cudaError_t get_access(unsigned long long *flags, const CUmemLocation *location,
                              uint64_t address)
{
    cudaError_t status = sim_enter();
    const struct mapping *const found = *first_behind(address);
    if (!status && (!flags || !location || !found || found->address > address))
        status = cudaErrorInvalidValue;
    if (!status)
        *flags = location->type == CU_MEM_LOCATION_TYPE_DEVICE ? found->access : 0;
    return sim_leave_call(status, "cuMemGetAccess");
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                        CUdeviceptr address)
{
    return SIM_IN_DRIVER(get_access(flags, location, address));
}

static cudaError_t retain(CUmemGenericAllocationHandle *handle, uint64_t address)
{
    cudaError_t status = sim_enter();
    const struct mapping *const found = *first_behind(address);
    if (!status && (!handle || !found || found->address > address))
        status = cudaErrorInvalidValue;
    if (!status) {
        found->physical->handles++;
        *handle = (CUmemGenericAllocationHandle)(uintptr_t)found->physical;
    }
    return sim_leave_call(status, "cuMemRetainAllocationHandle");
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    return SIM_IN_DRIVER(retain(handle, (uint64_t)(uintptr_t)address));
}
