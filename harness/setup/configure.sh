#!/usr/bin/env bash
# Looks at this machine and prints build/config.mk: where nvcc and its libraries are, the GPU
# architecture to build for, and whether the simulator's libraries are there. Installs nothing.
set -eu
build=$1

find_nvcc() {
    if [ -n "${NVCC:-}" ]; then echo "$NVCC"; return; fi
    command -v nvcc && return
    for candidate in "${CUDA_HOME:-/nowhere}/bin/nvcc" /usr/local/cuda/bin/nvcc \
        "$PWD/$build"/toolkit/nvidia/cu13/bin/nvcc; do
        if [ -x "$candidate" ]; then echo "$candidate"; return; fi
    done
}

nvcc=$(find_nvcc)
if [ -z "$nvcc" ]; then
    echo "make: no nvcc on this machine. Run 'make setup' (it installs the CUDA 13 toolkit into" \
        "$build/toolkit), or say where it is: make NVCC=/path/to/nvcc" >&2
    exit 1
fi
home=$(dirname "$(dirname "$(readlink -f "$nvcc")")")

lib=
for candidate in "$home/lib64" "$home/lib" "$home/targets/x86_64-linux/lib"; do
    if [ -e "$candidate/libcudart.so.13" ]; then lib=$candidate; break; fi
done
if [ -z "$lib" ]; then
    echo "make: $home has no libcudart.so.13; the lab needs the CUDA toolkit 13." \
        "Run 'make setup', or point NVCC at a toolkit 13" >&2
    exit 1
fi

arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ' || true)
case $arch in [1-9][0-9]|1[0-9][0-9]) ;; *) arch=90 ;; esac

have_sim=no
if printf '#include <lz4.h>\n#include <zstd.h>\n' | ${CC:-cc} -E - >/dev/null 2>&1; then have_sim=yes; fi

cat <<EOT
# Written by harness/setup/configure.sh; remove it to have the machine looked at again.
NVCC ?= $nvcc
CUDA_HOME := $home
CUDA_LIB := $lib
ARCH ?= $arch
HAVE_SIM_LIBS := $have_sim
EOT
