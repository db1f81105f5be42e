#!/usr/bin/env bash
# Installs what is missing for the goals of `make setup GOAL...`: Debian packages with apt, and the
# CUDA toolkit from the vendor's Python wheels into BUILD/toolkit when no nvcc of version 13 is
# found. It says what it installs, and does nothing when nothing is missing. Without a goal: what
# building and running steps takes, and nothing for tests, pages or formatting.
#
# Where it may not install packages it prints the line for root, and goes on with the rest.
#
#   install.sh BUILD [GOAL...]      exit status 3: something is missing that it may not install, and
#                                   the goals cannot be built without it
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
# One of the tests' programs compiles at run time.
case " $* " in *" test"*) toolkit_wheels="$toolkit_wheels nvidia-cuda-nvrtc==13.0.88" ;; esac

packages= # all that is missing
required= # of them, those without which the goals cannot be built
need() { # need PACKAGE COMMAND...: PACKAGE is missing unless COMMAND succeeds
    local package=$1
    shift
    "$@" > /dev/null 2>&1 && return
    packages="$packages $package"
    required="$required $package"
}
want() { # the same for what is needed to run alone
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

need_pip() { need python3-pip python3 -m pip --version; }

need_compiler() {
    need gcc command -v "${CC:-cc}"
    need g++ command -v g++
    need libc6-dev test -e /usr/include/stdio.h
    if toolkit_is_missing; then need_pip; fi
}

simulator() { # simulator need|want
    $1 libopenblas0 has_library libopenblas.so.0
    $1 liblz4-dev has_header liblz4 lz4.h
    $1 libzstd-dev has_header libzstd zstd.h
    $1 libcjson-dev has_header libcjson cjson/cJSON.h
}

need_criterion() {
    need libcriterion-dev has_header criterion criterion/criterion.h
}

# A course file has times of a time zone; submissions are confined.
need_course() {
    need bubblewrap command -v bwrap
    need python3 command -v python3
    need tzdata test -e /usr/share/zoneinfo/Europe/Berlin
}

need_tests() {
    need_course
    need libxml2-utils command -v xmllint
    need patch command -v patch
    need pkgconf command -v pkg-config # igraph's headers are found by it alone
    need libigraph-dev test -e /usr/include/igraph/igraph.h
    need_page
}

need_docs() {
    need doxygen command -v doxygen
    need graphviz command -v dot
    need doxygen-awesome-css test -d /usr/share/doxygen-awesome-css
    need python3 command -v python3
}

need_page() {
    need node-d3 dpkg -s node-d3
}

# What each goal needs. A GPU with its toolkit runs the steps without the simulator, and without both
# they can still be built.
look_for_packages() {
    local goal
    need_compiler
    has_gpu || simulator want
    for goal in "$@"; do
        case $goal in
        test | test-all | test-build | test-sim | freeze | compile | bench-sim | sim | install-sim | deb | wheel) simulator need ;;&
        test | test-all | test-build | test-sim | freeze | compile) need_criterion ;;&
        test | test-all | test-build | freeze | compile) need_tests ;;&
        docs | results | results-check) need_docs ;;
        page) need_page ;;&
        course) need_course; need_pip ;;
        handout) need_course ;;
        test-all) need chromium-headless-shell chromium-headless-shell --version ;;
        format | format-check) [ -n "$(find_clang_format "$build")" ] || need_pip ;;
        esac
    done
    packages=$(printf '%s\n' $packages | sort -u | tr '\n' ' ')
    packages=${packages% }
}

# The last lines of the log, then the end: what went wrong is seldom in the last line alone.
fail() {
    [ -s "$log" ] && tail -n 15 "$log" >&2
    echo "setup: $1 (the whole output is in $log)" >&2
    exit 3
}

# patiently COMMAND...: apt-get, as root; again with a minute's wait where its lock is held, as by the
# updates that a machine makes in the background after its start.
patiently() {
    local apt="$as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C"
    $apt "$@" > "$log.new" 2>&1 && return
    cat "$log.new" >> "$log"
    grep -q 'Could not get lock' "$log.new" || return 1
    echo "setup: another program holds apt's lock; waiting for it for up to a minute"
    $apt "$@" -o DPkg::Lock::Timeout=60 >> "$log" 2>&1
}

# Prints what root is to do, where this user may not.
install_packages() {
    local as_root= line="apt-get install --no-install-recommends $*"
    if ! command -v apt-get > /dev/null; then
        echo "setup: no apt-get here; install what Debian calls: $*" >&2
        return 1
    fi
    if [ "$(id -u)" != 0 ]; then
        if ! sudo -n true 2> /dev/null; then
            printf 'setup: these packages are missing and may be installed by root alone. Run\n\n' >&2
            printf '    sudo apt-get update && sudo %s\n\nand then the same make command again.\n' "$line" >&2
            return 1
        fi
        as_root="sudo -n"
    fi
    echo "setup: installing the packages $*"
    : > "$log"
    # A fresh or an old list of packages makes the first try fail; then the list is fetched.
    patiently $line -y -q && return
    patiently apt-get update -q || fail "apt-get update failed"
    patiently $line -y -q || fail "apt-get failed"
}

install_wheels() { # install_wheels FOLDER WHEEL...: these alone, but for --with-deps as the first word
    local deps=--no-deps
    if [ "$1" = --with-deps ]; then deps=; shift; fi
    python3 -m pip install --quiet $deps --disable-pip-version-check --only-binary :all: \
        --target "$@" > "$log" 2>&1 && return
    if grep -qiE 'network is unreachable|name resolution|name or service not known|failed to establish' "$log"; then
        fail "pip failed: it does not reach the network"
    fi
    fail "pip failed"
}

# The wheels hold a toolkit without the names that nvcc and the linker look for; those are links.
install_toolkit() {
    local new=$build/toolkit.new
    echo "setup: installing the CUDA toolkit 13.0 into ${build#"$PWD"/}/toolkit:" $toolkit_wheels
    rm -rf "$new"
    install_wheels "$new" $toolkit_wheels
    ln -s lib "$new/nvidia/cu13/lib64"
    ln -s libcudart.so.13 "$new/nvidia/cu13/lib/libcudart.so"
    printf '%s\n' $toolkit_wheels > "$new/wheels"
    rm -rf "$build/toolkit"
    mv "$new" "$build/toolkit"
    [ -n "$(find_nvcc "$build")" ] || fail "the wheels hold no nvcc where it was expected"
}

if [ -n "${NVCC:-}" ] && [ -z "$(find_nvcc "$build")" ]; then
    echo "setup: $NVCC cannot be run; give the path of an nvcc of a CUDA toolkit 13 as NVCC=, or leave NVCC out" >&2
    exit 3
fi
goals=$(printf '%s\n' "$@" | grep -vx setup | tr '\n' ' ' || true)
look_for_packages $goals
installed= refused=
if [ -n "$packages" ]; then
    if install_packages $packages; then installed=yes; else refused=yes; fi
fi
if toolkit_is_missing && python3 -m pip --version > /dev/null 2>&1; then
    install_toolkit
    installed=yes
fi
case " $goals " in *" format"*)
    if [ -z "$(find_clang_format "$build")" ] && python3 -m pip --version > /dev/null 2>&1; then
        echo "setup: installing clang-format 14 into ${build#"$PWD"/}/clang-format"
        install_wheels "$build/clang-format" clang-format==14.0.6
        installed=yes
    fi
    ;;
esac
case " $goals " in *" course "*)
    if [ ! -d "$build/course/copydetect" ] && python3 -m pip --version > /dev/null 2>&1; then
        echo "setup: installing copydetect 0.5.0 into ${build#"$PWD"/}/course"
        install_wheels --with-deps "$build/course" copydetect==0.5.0
        installed=yes
    fi
    ;;
esac
if [ -n "$refused" ] && [ -n "$required" ]; then exit 3; fi
if [ -n "$refused" ]; then
    echo "setup: going on without $packages: what needs them to run will say so" >&2
elif [ -z "$installed" ]; then
    echo "setup: nothing is missing"
fi
