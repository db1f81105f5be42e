#!/usr/bin/env bash
# Looks at this machine and prints build/config.mk: where nvcc and its libraries are, the GPU
# architecture to build for, and whether the simulator's libraries are there. Installs nothing.
# CUBLAS_LIB is empty where the toolkit has no cuBLAS: then the simulator's is linked.
set -eu
build=$(readlink -f "$1")
. "$(dirname "$0")/find.sh"

nvcc=$(find_nvcc "$build")
if [ -z "$nvcc" ] && [ -n "${NVCC:-}" ]; then
    echo "make: $NVCC cannot be run; give the path of an nvcc of a CUDA toolkit 13 as NVCC=, or leave NVCC out" >&2
    exit 3
fi
if [ -z "$nvcc" ]; then
    echo "make: no nvcc of a CUDA toolkit 13 on this machine." \
        "Run 'make setup' (it puts one into build/toolkit), or say where one is:" \
        "make NVCC=/path/to/nvcc" >&2
    exit 3
fi
home=$(dirname "$(dirname "$(readlink -f "$nvcc")")")

lib=$(find_libcudart "$home")
if [ -z "$lib" ]; then
    echo "make: $home has no libcudart.so.13; the lab needs the CUDA toolkit 13." \
        "Run 'make setup', or point NVCC at a toolkit 13" >&2
    exit 3
fi

arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ' || true)
case $arch in [1-9][0-9]|1[0-9][0-9]) ;; *) arch=90 ;; esac

have_sim=no
if has_header "$sim_packages" lz4.h zstd.h cjson/cJSON.h; then have_sim=yes; fi

cat <<EOT
# Written by harness/setup/configure.sh; remove it to have the machine looked at again.
NVCC ?= $nvcc
CUDA_HOME := $home
CUDA_LIB := $lib
CUBLAS_LIB := $(find_cublas "$home")
ARCH ?= $arch
HAVE_SIM_LIBS := $have_sim
VECTOR_LEVELS := $(vector_levels)
DYNAMIC_LINKER := $dynamic_linker
SIM_PACKAGE_CFLAGS := $(package_flags cflags $sim_packages)
SIM_PACKAGE_LIBS := $(package_flags libs $sim_packages)
CRITERION_CFLAGS := $(package_flags cflags criterion)
CRITERION_LIBS := $(package_flags libs criterion)
IGRAPH_CFLAGS := $(package_flags cflags igraph)
IGRAPH_LIBS := $(package_flags libs igraph)
EOT
