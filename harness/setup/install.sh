#!/usr/bin/env bash
# Installs what is missing for the goals of `make setup GOAL...`: Debian packages with apt, and the
# CUDA toolkit from the vendor's Python wheels into BUILD/toolkit when no nvcc of version 13 is
# found. It says what it installs, and does nothing when nothing is missing.
#
#   install.sh BUILD [GOAL...]      exit status 3: something is missing that it may not install
set -eu
mkdir -p "$1"
build=$(readlink -f "$1")
shift
. "$(dirname "$0")/find.sh"
log=$build/setup.log

# The wheels of one toolkit release, 13.0 update 2: they fit together. cuBLAS is four times the size
# of all others and of use on a GPU only; without one the simulator's stands in.
toolkit_wheels="nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-cuda-profiler-api==13.0.85"
if has_gpu; then toolkit_wheels="$toolkit_wheels nvidia-cublas==13.1.0.3"; fi

packages=
need() { # need PACKAGE COMMAND...: PACKAGE is missing unless COMMAND succeeds
    local package=$1
    shift
    "$@" > /dev/null 2>&1 || packages="$packages $package"
}

# No nvcc anywhere; or ours, but without a wheel that is wanted by now (cuBLAS, since there is a GPU).
toolkit_is_missing() {
    local nvcc wheel
    if [ -n "${NVCC:-}" ]; then return 1; fi
    nvcc=$(find_nvcc "$build")
    if [ -z "$nvcc" ]; then return 0; fi
    if [ "$nvcc" != "$build/toolkit/nvidia/cu13/bin/nvcc" ]; then return 1; fi
    for wheel in $toolkit_wheels; do
        grep -qx "$wheel" "$build/toolkit/wheels" 2> /dev/null || return 0
    done
    return 1
}

need_compiler() {
    need gcc command -v "${CC:-cc}"
    need g++ command -v g++
    need libc6-dev test -e /usr/include/stdio.h
    if toolkit_is_missing; then need python3-pip python3 -m pip --version; fi
}

need_simulator() {
    need libopenblas0 has_library libopenblas.so.0
    need liblz4-dev has_header liblz4 lz4.h
    need libzstd-dev has_header libzstd zstd.h
    need libcjson-dev has_header libcjson cjson/cJSON.h
}

need_tests() {
    need libcriterion-dev has_header criterion criterion/criterion.h
    need bubblewrap command -v bwrap
    need libxml2-utils command -v xmllint
    need pkgconf command -v pkg-config # igraph's headers are found by it alone
    need libigraph-dev test -e /usr/include/igraph/igraph.h
}

need_docs() {
    need doxygen command -v doxygen
    need graphviz command -v dot
    need doxygen-awesome-css test -d /usr/share/doxygen-awesome-css
    need python3 command -v python3
}

# What each goal needs. A GPU with its toolkit runs the steps without the simulator.
look_for_packages() {
    local goal
    need_compiler
    has_gpu || need_simulator
    for goal in "$@"; do
        case $goal in
        test | bench-sim | sim) need_simulator ;;&
        test) need_tests ;;
        docs | results | results-check) need_docs ;;
        format | format-check) need clang-format command -v clang-format ;;
        esac
    done
    packages=$(printf '%s\n' $packages | sort -u | tr '\n' ' ')
}

# The last lines of the log, then the end: what went wrong is seldom in the last line alone.
fail() {
    [ -s "$log" ] && tail -n 15 "$log" >&2
    echo "setup: $1 (the whole output is in $log)" >&2
    exit 3
}

install_packages() {
    local as_root= line="apt-get install --no-install-recommends $*"
    if ! command -v apt-get > /dev/null; then
        echo "setup: no apt-get here; install what Debian calls: $*" >&2
        exit 3
    fi
    if [ "$(id -u)" != 0 ]; then
        if ! sudo -n true 2> /dev/null; then
            printf 'setup: these packages are missing and may be installed by root alone. Run\n\n' >&2
            printf '    sudo %s\n\nand then the same make command again.\n' "$line" >&2
            exit 3
        fi
        as_root="sudo -n"
    fi
    echo "setup: installing the packages $*"
    # A fresh or an old list of packages makes the first try fail; then the list is fetched.
    $as_root env DEBIAN_FRONTEND=noninteractive $line -y -q > "$log" 2>&1 && return
    $as_root apt-get update -q >> "$log" 2>&1 || fail "apt-get update failed"
    $as_root env DEBIAN_FRONTEND=noninteractive $line -y -q >> "$log" 2>&1 || fail "apt-get failed"
}

# The wheels hold a toolkit without the names that nvcc and the linker look for; those are links.
install_toolkit() {
    local new=$build/toolkit.new
    echo "setup: installing the CUDA toolkit 13.0 into ${build#"$PWD"/}/toolkit:" $toolkit_wheels
    rm -rf "$new"
    python3 -m pip install --quiet --no-deps --no-cache-dir --disable-pip-version-check \
        --only-binary :all: --target "$new" $toolkit_wheels > "$log" 2>&1 || fail "pip failed"
    ln -s lib "$new/nvidia/cu13/lib64"
    ln -s libcudart.so.13 "$new/nvidia/cu13/lib/libcudart.so"
    printf '%s\n' $toolkit_wheels > "$new/wheels"
    rm -rf "$build/toolkit"
    mv "$new" "$build/toolkit"
    [ -n "$(find_nvcc "$build")" ] || fail "the wheels hold no nvcc where it was expected"
}

goals=$(printf '%s\n' "$@" | grep -vx setup || true)
look_for_packages ${goals:-test docs format}
if [ -n "${packages// /}" ]; then install_packages $packages; fi
toolkit=
if toolkit_is_missing; then
    install_toolkit
    toolkit=installed
fi
if [ -z "${packages// /}$toolkit" ]; then echo "setup: nothing is missing"; fi
