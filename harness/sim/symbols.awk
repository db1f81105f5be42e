# Writes the names of all functions that CUDA's headers declare: SIM_RUNTIME(name), and SIM_DRIVER(name, version)
# with the version of CUDA in which it came. A function that the simulator does not define gets a definition there
# that says so, in runtime/unimplemented.c or driver/entry.c, so that programs link.
#
#   cat cuda_runtime_api.h cudaTypedefs.h ... | awk -f symbols.awk
BEGIN { FS = "[()]" }

function runtime(name) {
    if (!(name in seen)) print "SIM_RUNTIME(" name ")"
    seen[name]; runtimes++
}

# What takes a stream is there once more, for programs with a default stream per host thread. WGL is of Windows.
/CUDARTAPI cuda/ && !/WGL/ { sub(/.* /, "", $1); runtime($1) }
/__CUDART_API_PTDS\(cuda/ { runtime($2 "_ptds") }
/__CUDART_API_PTSZ\(cuda/ { runtime($2 "_ptsz") }

# The driver's functions, as PFN_cuMemcpyDtoH_v2000, PFN_cuMemcpyDtoH_v3020, PFN_cuMemcpyDtoH_v7000_ptds.
/CUDAAPI \*PFN_cu/ {
    sub(/.*PFN_/, "", $2)
    if ($2 in seen) next
    seen[$2]; drivers[++count] = $2
    split($2, part, /_v?/)
    if (part[3] == "") versions[part[1]] = versions[part[1]] " " part[2]
}

# Its name says which form of the function it is: cuMemcpyDtoH, cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds.
END {
    for (i = 1; i <= count; i++) {
        split(drivers[i], part, /_v?/)
        form = 0
        for (j = split(versions[part[1]], came, " "); j > 0; j--) form += came[j] <= part[2]
        print "SIM_DRIVER(" part[1] (form > 1 ? "_v" form : "") (part[3] ? "_" part[3] : "") ", " part[2] ")"
    }
    if (!runtimes || !count) { print "symbols.awk: these headers declare none" > "/dev/stderr"; exit 1 }
}
