# What this machine has: functions that install.sh and configure.sh both source, so that the one
# installs exactly what the other would miss. They print what they find and change nothing.

# find_in_toolkit HOME LIBRARY: the directory of a toolkit that holds the library, or nothing.
find_in_toolkit() {
    local directory machine
    machine=$(uname -m)
    for directory in "$1/lib64" "$1/lib" "$1/targets/${machine/aarch64/sbsa}-linux/lib" \
        "$1/targets/$machine-linux/lib"; do
        if [ -e "$directory/$2" ]; then echo "$directory"; return; fi
    done
}
find_libcudart() { find_in_toolkit "$1" libcudart.so.13; }
find_cublas() { find_in_toolkit "$1" libcublas.so.13; }

# find_nvcc BUILD: the first nvcc that belongs to a toolkit 13, or nothing. $NVCC, when set, is
# taken as it is: what the user named is used or refused, never replaced.
find_nvcc() {
    local candidate home
    if [ -n "${NVCC:-}" ]; then command -v "$NVCC" || true; return; fi
    for candidate in "$(command -v nvcc || true)" "${CUDA_HOME:-/nowhere}/bin/nvcc" \
        /usr/local/cuda/bin/nvcc /usr/local/cuda-13*/bin/nvcc "$1/toolkit/nvidia/cu13/bin/nvcc"; do
        [ -x "$candidate" ] || continue
        home=$(dirname "$(dirname "$(readlink -f "$candidate")")")
        if [ -n "$(find_libcudart "$home")" ]; then readlink -f "$candidate"; return; fi
    done
}

# has_gpu: is there a GPU whose driver answers?
has_gpu() {
    command -v nvidia-smi > /dev/null && nvidia-smi -L 2> /dev/null | grep -q '^GPU '
}

# The packages of the simulator and of the tests, as pkg-config knows them.
sim_packages="liblz4 libzstd libcjson"

# package_flags cflags|libs PACKAGE...: what the compiler needs to use them. Where pkg-config does not
# know a package (it has no .pc file, or there is no pkg-config): nothing, and -l and its name.
package_flags() {
    local what=$1 package flags
    shift
    for package in "$@"; do
        if ! flags=$(pkg-config "--$what" "$package" 2> /dev/null); then
            flags=
            if [ "$what" = libs ]; then flags=-l${package#lib}; fi
        fi
        printf '%s ' "$flags"
    done | sed 's/-I/-isystem /g; s/  */ /g; s/ $//' # no warnings for what they include
}

# has_header PACKAGES NAME...: does the C compiler find all these headers of the packages?
has_header() {
    local packages=$1
    shift
    # shellcheck disable=SC2046,SC2086
    printf '#include <%s>\n' "$@" | ${CC:-cc} $(package_flags cflags $packages) -E - > /dev/null 2>&1
}

# The dynamic linker of x86-64, whose name its ABI fixes. ARM has no vector levels.
dynamic_linker=/lib64/ld-linux-x86-64.so.2

# vector_levels: the levels for which the dynamic linker has a folder of its own, if the processor has them,
# and for which the C compiler can compile; the highest first. None with a glibc before 2.33.
vector_levels() {
    local level
    for level in x86-64-v4 x86-64-v3; do
        if "$dynamic_linker" --help 2> /dev/null | grep -q "^ *$level" &&
            ${CC:-cc} -Werror "-march=$level" -x c -c /dev/null -o /dev/null 2> /dev/null; then
            printf '%s ' "$level"
        fi
    done | sed 's/ $//'
}

# has_library SONAME: does the dynamic linker know it? (ldconfig is not on every user's PATH.)
has_library() {
    PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2> /dev/null | grep -q "$1"
}

# find_clang_format BUILD: a clang-format 14, or nothing. Other versions lay the sources out differently.
find_clang_format() {
    local candidate
    for candidate in clang-format-14 clang-format "$1/clang-format/clang_format/data/bin/clang-format"; do
        if "$candidate" --version 2> /dev/null | grep -q 'version 14\.'; then command -v "$candidate"; return; fi
    done
}
