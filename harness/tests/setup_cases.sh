#!/usr/bin/env bash
# One case of test_setup.c: a machine that is made of stand-ins for nvcc, nvidia-smi, apt-get, pip, the
# compiler and the user's rights, on which harness/setup/ must do the right thing, or say it in one line.
#
#   setup_cases.sh CASE        prints what was wrong; exit status 1 then
set -u
cd "$(dirname "$0")/../.." || exit 2
exec < /dev/null
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
build=$box/build
mkdir "$box/bin" "$build"

stand_in() { # stand_in PATH, with a shell script on standard input
    mkdir -p "$(dirname "$1")"
    { echo '#!/bin/sh'; cat; } > "$1"
    chmod +x "$1"
}
toolkit() { # toolkit FOLDER VERSION
    echo 'echo nvcc' | stand_in "$1/bin/nvcc"
    mkdir -p "$1/lib64"
    touch "$1/lib64/libcudart.so.$2"
}

# Every machine: root, a compiler that finds all headers, all tools, no GPU, no toolkit; and installers
# that write down what they were asked for. What pip installs is a toolkit.
echo 'case "$1" in -u) echo "${USER_ID:-0}" ;; esac' | stand_in "$box/bin/id"
echo 'exit 1' | stand_in "$box/bin/sudo"
echo 'echo "apt-get $*" >> "$BOX/asked"' | stand_in "$box/bin/apt-get"
echo 'for last; do :; done; [ "$last" != - ] || cat > /dev/null; for header in ${NO_HEADERS:-}; do exit 1; done' | stand_in "$box/bin/cc"
echo 'echo "libopenblas.so.0"' | stand_in "$box/bin/ldconfig"
stand_in "$box/bin/python3" <<'EOT'
[ "$3" = --version ] && exit 0
echo "pip $*" >> "$BOX/asked"
[ -n "${OFFLINE:-}" ] && { echo 'Network is unreachable'; exit 1; }
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/nvidia/cu13/bin" "$2/nvidia/cu13/lib"
cp "$BOX/bin/sudo" "$2/nvidia/cu13/bin/nvcc"
touch "$2/nvidia/cu13/lib/libcudart.so.13"
EOT
for tool in g++ bwrap xmllint pkg-config; do echo 'exit 0' | stand_in "$box/bin/$tool"; done
touch "$box/asked"

# on_machine COMMAND...: with these stand-ins first on PATH, and without this machine's own toolkit or browser.
on_machine() {
    local browser=/usr/bin/chromium-headless-shell
    [ -e $browser ] || browser=
    bwrap --dev-bind / / --tmpfs /usr/local --bind "$box" "$box" ${browser:+--ro-bind /dev/null $browser} env -u NVCC -u CUDA_HOME -u CC \
        -u MAKEFLAGS -u MAKELEVEL BOX="$box" \
        PATH="${first_on_path:+$first_on_path:}$box/bin:/usr/bin:/bin" "$@" > "$box/said" 2>&1
    status=$?
}
setup() { on_machine "${settings[@]}" bash harness/setup/install.sh "$build" setup "$@"; }
configure() { on_machine "${settings[@]}" bash harness/setup/configure.sh "$build"; }
settings=(env)
first_on_path=

wrong=0
complain() {
    echo "$1; status $status, said:"
    cat "$box/said"
    echo "asked of apt and pip:"
    cat "$box/asked"
    wrong=1
}
# A checkout in $lab, to be filled, that is built by stand-ins for the compilers: what they write is empty.
lab_of_stand_ins() {
    toolkit "$box/cuda-13.0" 13
    first_on_path=$box/cuda-13.0/bin
    mkdir "$box/cuda-13.0/include"
    touch "$box/cuda-13.0/include/"{cuda_gl_interop,cudaProfilerTypedefs}.h
    echo '#define CUDA_VERSION 13000' > "$box/cuda-13.0/include/cuda.h"
    echo 'extern cudaError_t CUDARTAPI cudaFree(void *);' > "$box/cuda-13.0/include/cuda_runtime_api.h"
    echo 'typedef CUresult (CUDAAPI *PFN_cuInit_v2000)(unsigned);' > "$box/cuda-13.0/include/cudaTypedefs.h"
    compiles='while [ $# -gt 1 ]; do case $1 in -o) : > "$2"; case $2 in *.o) : > "${2%.o}.d" ;; esac ;; esac; shift; done'
    echo "$compiles" | stand_in "$box/cuda-13.0/bin/nvcc"
    echo "case \" \$*\" in *' - '*) cat > /dev/null ;; *) $compiles ;; esac" | stand_in "$box/bin/cc"
    lab=$box/lab
    mkdir "$lab"
    build_step() { on_machine make -C "$lab" --no-print-directory CCACHE= SIM_LEVELS= "$@" step01; }
}
ends_with() { [ "$status" = "$1" ] || complain "status is not $1"; }
says() { grep -qF -- "$1" "$box/said" || complain "does not say '$1'"; }
in_one_line() { [ "$(wc -l < "$box/said")" = 1 ] || complain "says it in more than one line"; }
asks() { grep -qF -- "$1" "$box/asked" || complain "does not ask for '$1'"; }
asks_not() { ! grep -qF -- "$1" "$box/asked" || complain "asks for '$1'"; }

case $1 in
no_toolkit_and_no_driver) # the wheels of the compiler, without cuBLAS
    setup step07
    ends_with 0
    asks nvidia-cuda-nvcc==13
    asks_not nvidia-cublas
    asks_not apt-get
    configure
    says "NVCC ?= $build/toolkit/nvidia/cu13/bin/nvcc"
    says 'ARCH ?= 90'
    ;;
no_toolkit_for_the_tests) # with what compiles at run time, which nothing else takes
    setup step07
    asks_not nvidia-cuda-nvrtc
    setup test
    asks nvidia-cuda-nvrtc==13
    ;;
driver_but_no_toolkit) # with cuBLAS, for this GPU
    echo 'case "$1" in -L) echo "GPU 0: some GPU" ;; *) echo 8.6 ;; esac' | stand_in "$box/bin/nvidia-smi"
    setup step07
    ends_with 0
    asks nvidia-cublas==13
    configure
    says 'ARCH ?= 86'
    ;;
driver_that_does_not_answer)
    echo 'echo "NVIDIA-SMI has failed"; exit 9' | stand_in "$box/bin/nvidia-smi"
    setup step07
    ends_with 0
    asks_not nvidia-cublas
    configure
    says 'ARCH ?= 90'
    ;;
toolkit_12_on_the_path) # is left alone
    toolkit "$box/cuda-12.6" 12
    first_on_path=$box/cuda-12.6/bin
    setup step07
    ends_with 0
    asks nvidia-cuda-nvcc==13
    configure
    says "NVCC ?= $build/toolkit/nvidia/cu13/bin/nvcc"
    ;;
toolkit_12_by_name) # is refused
    toolkit "$box/cuda-12.6" 12
    settings+=("NVCC=$box/cuda-12.6/bin/nvcc")
    configure
    ends_with 3
    in_one_line
    says "$box/cuda-12.6 has no libcudart.so.13; the lab needs the CUDA toolkit 13"
    ;;
another_toolkit_13) # is used, on the path, through a link, and by name
    toolkit "$box/cuda-13.9" 13
    ln -s cuda-13.9 "$box/cuda"
    first_on_path=$box/cuda/bin
    setup step07
    ends_with 0
    says 'nothing is missing'
    asks_not pip
    configure
    says "NVCC ?= $box/cuda-13.9/bin/nvcc"
    first_on_path=
    settings+=("NVCC=$box/cuda/bin/nvcc")
    configure
    says "CUDA_HOME := $box/cuda-13.9"
    ;;
toolkit_in_a_path_with_spaces)
    toolkit "$box/my cuda" 13
    first_on_path="$box/my cuda/bin"
    configure
    ends_with 0
    says "CUDA_LIB := $box/my cuda/lib64"
    ;;
nvcc_that_is_not_there)
    settings+=("NVCC=$box/nowhere/nvcc")
    configure
    ends_with 3
    in_one_line
    says "$box/nowhere/nvcc cannot be run"
    echo old > "$build/flags.stamp"
    on_machine make "BUILD=$build" "NVCC=$box/nowhere/nvcc" setup step07
    [ "$status" != 0 ] || complain "make setup passes"
    says "setup: $box/nowhere/nvcc cannot be run"
    [ "$(cat "$build/flags.stamp")" = old ] || complain "the next make would build everything anew"
    [ ! -e "$build/config.mk.new" ] || complain "config.mk.new is left"
    ;;
build_folder_of_another_user)
    install -d -m 555 "$box/theirs"
    as_other=
    if [ $EUID = 0 ]; then as_other="setpriv --reuid=65534 --clear-groups"; fi # root may write anywhere
    on_machine $as_other make "BUILD=$box/theirs" step07
    ends_with 2
    in_one_line
    says 'may not be written to by this user'
    ;;
toolkit_for_this_processor) # Debian's packages of the vendor keep libraries by processor
    toolkit "$box/cuda" 13
    rm -r "$box/cuda/lib64"
    case $(uname -m) in aarch64) target=sbsa-linux ;; *) target=$(uname -m)-linux ;; esac
    mkdir -p "$box/cuda/targets/$target/lib" "$box/cuda/targets/other-linux/lib"
    touch "$box/cuda/targets/$target/lib/libcudart.so.13" "$box/cuda/targets/other-linux/lib/libcudart.so.13"
    first_on_path=$box/cuda/bin
    configure
    ends_with 0
    says "CUDA_LIB := $box/cuda/targets/$target/lib"
    ;;
no_goal) # what running takes, and nothing for tests, pages and formatting
    settings+=(NO_HEADERS=1)
    setup
    ends_with 0
    asks 'libcjson-dev'
    asks nvidia-cuda-nvcc==13
    for other in libcriterion-dev doxygen graphviz clang-format bubblewrap; do asks_not $other; done
    setup test
    asks libcriterion-dev
    asks_not chromium
    setup test-all # all of it, and what draws pages
    asks chromium-headless-shell
    ;;
offline_before_setup)
    settings+=(OFFLINE=1)
    setup step07
    ends_with 3
    says 'Network is unreachable'
    says 'setup: pip failed: it does not reach the network'
    ;;
offline_after_setup) # nothing is asked for again
    setup step07
    : > "$box/asked"
    settings+=(OFFLINE=1)
    setup step07
    ends_with 0
    in_one_line
    says 'nothing is missing'
    asks_not pip
    asks_not apt-get
    ;;
no_root_and_no_compiler) # the line for root; the toolkit is installed all the same
    settings+=(USER_ID=1000 CC=no-such-compiler)
    setup step07
    ends_with 3
    says 'sudo apt-get update && sudo apt-get install --no-install-recommends gcc'
    asks_not apt-get
    asks nvidia-cuda-nvcc==13
    [ -e "$build/toolkit/nvidia/cu13/bin/nvcc" ] || complain "no toolkit is installed"
    ;;
no_root_and_no_simulator) # steps can be built without it
    settings+=(USER_ID=1000 NO_HEADERS=1)
    setup step07
    ends_with 0
    says 'sudo apt-get update && sudo apt-get install --no-install-recommends libcjson-dev liblz4-dev libzstd-dev'
    says 'going on without libcjson-dev liblz4-dev libzstd-dev'
    setup step07 test-sim # but not the tests
    ends_with 3
    ;;
lock_of_apt_is_held) # is waited for, and that is said; a failure of another kind is not
    stand_in "$box/bin/apt-get" <<'EOT'
echo "apt-get $*" >> "$BOX/asked"
[ -n "${BROKEN:-}" ] && { echo 'E: Unable to locate package'; exit 100; }
case "$*" in *DPkg::Lock::Timeout=60*) exit 0 ;; esac
echo 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1 (apt-get)'
exit 100
EOT
    settings+=(NO_HEADERS=1)
    setup step07
    ends_with 0
    says "another program holds apt's lock; waiting for it for up to a minute"
    asks_not 'apt-get update'
    settings+=(BROKEN=1)
    setup step07
    ends_with 3
    ! grep -q 'waiting' "$box/said" || complain "waits for no lock"
    ;;
no_apt) # says what is missing in one line
    settings+=(NO_HEADERS=1 PATH="$box/few")
    mkdir "$box/few"
    for tool in bash dirname readlink mkdir grep sort tr sed cat tail rm ln mv uname touch cp env sh; do
        ln -s "$(command -v $tool)" "$box/few/$tool"
    done
    for tool in id cc ldconfig python3 g++ bwrap xmllint pkg-config; do ln -s "$box/bin/$tool" "$box/few/$tool"; done
    setup step07
    ends_with 0
    says 'no apt-get here; install what Debian calls: libcjson-dev liblz4-dev libzstd-dev'
    ;;
run_before_and_after_the_build) # ./run of a fresh clone says what is here; then it is the program built last
    lab="$box/my lab"
    mkdir -p "$lab/harness/tests"
    cp -r run Makefile "$lab"
    cp -r harness/setup "$lab/harness"
    cp harness/tests/tests.mk "$lab/harness/tests"
    ln -s "$lab/run" "$box/bin/lab"
    echo 'echo "cc 99"' | stand_in "$box/bin/cc"
    first='make setup step01 && ./run step01'
    on_machine "$lab/run" doctor
    ends_with 0
    says '  ok       C compiler             cc 99'
    says '  missing  nvcc                   `make setup` installs'
    says '  -        GPU                    no GPU: the simulator is used'
    says "$first"
    on_machine env -C "$lab" ./run
    ends_with 3
    says "$first"
    on_machine lab step07
    ends_with 3
    in_one_line
    says "$first"
    echo 'printf "%s;" "$@"; exit 5' | stand_in "$box/elsewhere/run"
    ln -s ../elsewhere "$lab/.built"
    on_machine lab 'of two words' doctor
    ends_with 5
    says 'of two words;doctor;'
    mkdir -p "$lab/build/passed" "$lab/build/steps" && : > "$lab/build/passed/exercise01.sim"
    on_machine make -C "$lab" clean
    [ -f "$lab/build/passed/exercise01.sim" ] || complain 'make clean removes what a student has passed'
    [ ! -e "$lab/build/steps" ] || complain 'make clean leaves what was built'
    on_machine env -C "$lab" sh run doctor
    ends_with 0
    ;;
what_is_built_is_told) # in a short line each
    lab_of_stand_ins
    for part in Makefile common harness steps solutions exercises; do ln -s "$PWD/$part" "$lab"; done
    build_step -j4
    ends_with 0
    [ "$(grep -c '^CC   harness/' "$box/said")" -gt 200 ] || complain "hundreds are not told"
    if grep -v '^\(CC  \|AR  \|AWK \|LINK\|NVCC\) [^ ]*$' "$box/said"; then complain "says more than that"; fi
    build_step
    [ ! -s "$box/said" ] || complain "builds again"
    rm "$lab/build/steps/01.so"
    build_step
    in_one_line
    says 'NVCC steps/01_naive_global/kernel.cu'
    rm "$lab/build/steps/01.so"
    build_step V=1
    in_one_line
    says "$box/cuda-13.0/bin/nvcc' -Icommon"
    ;;
objects_compiled_beforehand) # are taken once, where they fit; another package is refused
    lab_of_stand_ins
    cp -r Makefile common harness steps solutions exercises "$lab"
    echo 'echo "$2" > "$3"' | stand_in "$box/bin/objcopy"
    on_machine make -j4 -C "$lab" --no-print-directory CCACHE= SIM_LEVELS= dist
    ends_with 0
    says 'and its hash to build/prebuilt.sum'
    mv "$lab"/build/prebuilt.sum "$lab/harness/setup"
    mv "$lab"/build/lab-prebuilt-*.tar.gz "$lab"
    rm -r "$lab/build"
    build_step -j4
    ends_with 0
    says 'prebuilt objects taken from lab-prebuilt-'
    if grep '^CC   harness/families' "$box/said"; then complain "compiles what was taken"; fi
    says 'CC   harness/machine/toolchain.c' # which holds a path
    says 'CC   harness/series/registry.c'   # which a hand-out has another of
    build_step
    [ ! -s "$box/said" ] || complain "builds again"
    touch "$lab/harness/base/files.c" # what was taken is compiled when it changes
    build_step
    says 'CC   harness/base/files.c'
    package=$(echo "$lab"/lab-prebuilt-*)
    build_file() { on_machine make -C "$lab" --no-print-directory CCACHE= SIM_LEVELS= "$@" build/harness/base/text.o; }
    echo '/* other sources */' >> "$lab/harness/base/files.c"
    rm -r "$lab/build"
    build_file
    ends_with 0
    says 'prebuilt objects do not fit this checkout or machine: all is compiled here'
    says 'CC   harness/base/text.c'
    build_file
    in_one_line # make's own: it says it once
    echo x >> "$package"
    rm -r "$lab/build"
    build_file
    ends_with 2
    says "is not the package whose hash harness/setup/prebuilt.sum states"
    build_file PREBUILT=no.tar.gz
    ends_with 2
    says 'no no.tar.gz; leave PREBUILT out to compile everything here'
    ;;
build_folder_with_spaces)
    on_machine make "BUILD=$box/my build" step07
    ends_with 2
    in_one_line
    says 'BUILD names a folder with a space in it'
    ;;
*)
    echo "no case $1"
    exit 2
    ;;
esac
exit $wrong
