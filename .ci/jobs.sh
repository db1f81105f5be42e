# Named jobs, each timed, all of them run whatever the others did; at the end stands once more what those that failed said
# last, and of the tests that failed all. Sourced by .ci/run and .ci/systems, behind root.sh.

failed=
times=
last_words=
job() { # job NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    printf '\n== %s: %s\n' "$name" "$*"
    "$@" < /dev/null 2>&1 | tee "$work/said"
    if [ "${PIPESTATUS[0]}" = 0 ]; then
        printf '== %s: passed in %d s\n' "$name" $((SECONDS - start))
    else
        printf '== %s: FAILED after %d s\n' "$name" $((SECONDS - start))
        last_words+=$(printf '\n== %s, once more' "$name"; echo; awk '/^== [a-z_]*: / {n = 60} n-- > 0' "$work/said"; tail -n 15 "$work/said")$'\n'
        failed="$failed, $name"
    fi
    times+=$(printf '%6d s  %s' $((SECONDS - start)) "$name")$'\n'
}

# jobs_together NAME|COMMAND...: beside each other; what each said follows when all have ended.
jobs_together() {
    local -a names=() pids=()
    local word i start=$SECONDS
    for word in "$@"; do
        names+=("${word%%|*}")
        (
            own=$SECONDS
            if eval "${word#*|}"; then echo "passed in $((SECONDS - own)) s"; else echo "FAILED after $((SECONDS - own)) s"; false; fi
        ) < /dev/null > "$work/together-${#names[@]}" 2>&1 &
        pids+=($!)
    done
    for ((i = 0; i < ${#names[@]}; i++)); do
        wait "${pids[i]}" || failed="$failed, ${names[i]}"
        printf '\n== %s\n' "${names[i]}"
        cat "$work/together-$((i + 1))"
        times+=$(printf '          %s: %s' "${names[i]}" "$(tail -n 1 "$work/together-$((i + 1))")")$'\n'
    done
    times+=$(printf '%6d s  these together' $((SECONDS - start)))$'\n'
}

finish() { # finish [WHAT]: the times and the verdict
    printf '\n%s%6d s  in all\n' "$times" "$SECONDS"
    if [ -n "$failed" ]; then
        printf '%s\nfailed jobs: %s\n' "$last_words" "${failed#, }"
        exit 1
    fi
    printf '\nall jobs passed%s\n' "${1:-}"
    exit 0
}

# The two commands of the README, what the Containerfile runs, and a newcomer's first command.
mapfile -t commands < <(sed -n 's/^    \(make setup [^#]*[^# ]\) *#.*/\1/p' README.md)
mapfile -t container < <(sed -n 's/^RUN //p' Containerfile)
first=$(sed -n 's/^1\. `\(make setup [^`]*\)`.*/\1/p' README.md)
if [ -z "$first" ]; then
    echo "README.md has no first command for a newcomer" >&2
    exit 1
fi
if [ ${#commands[@]} != 2 ] || [ "${container[1]:-}" != "${commands[0]}" ]; then
    echo "README.md has no two commands, or the Containerfile does not run the first" >&2
    exit 1
fi

in_checkout() { # in_checkout ROOT COMMAND: as root, in /root/lab
    in_root "$1" sh -c "cd lab && $2"
}

as_student() { # as_student ROOT COMMAND: as an ordinary user, in a folder with a space in its name
    in_root "$1" su student -c "cd '/home/student/my lab' && $2"
}

# in_cpu_seconds COMMAND...: says what it took. It is no verdict: processors differ by more than a factor of two.
in_cpu_seconds() {
    local -a before after # of /proc/self/stat: the 16th and 17th field are of processes that were waited for
    read -ra before < "/proc/$BASHPID/stat"
    "$@" || return
    read -ra after < "/proc/$BASHPID/stat"
    echo "$(((after[15] + after[16] - before[15] - before[16]) / $(getconf CLK_TCK))) seconds of processor time"
}

# A user who is not root gets the one line for root. When root has run it, and nothing else, the
# README's first commands work for the user, a newcomer's and that of the front page.
ordinary_user() { # ordinary_user ROOT
    local root=$1 said=$1.said line
    in_root "$root" useradd --create-home --shell /bin/bash student
    put_checkout "$root" "/home/student/my lab" || return
    in_root "$root" chown -R student: /home/student
    if as_student "$root" "make setup step07" > "$said" 2>&1; then
        echo "setup passes although there is no compiler and no right to install one"
        return 1
    fi
    cat "$said"
    line=$(sed -n 's/^    \(sudo apt-get update && sudo .*\)/\1/p' "$said")
    if [ -z "$line" ]; then
        echo "setup does not say what root is to do"
        return 1
    fi
    echo 'APT::Get::Assume-Yes "true";' > "$root/etc/apt/apt.conf.d/90yes"
    in_root "$root" sh -c "${line//sudo /}" > "$said" 2>&1 || { tail "$said"; return 1; }
    in_cpu_seconds as_student "$root" "$first" && as_student "$root" "${commands[0]}"
}

# A second checkout of that user has the objects that `make dist` of the first packed: to the first table, where there is nvcc.
compiled_beforehand() { # compiled_beforehand ROOT
    local second="/home/student/second" said=$1.said
    as_student "$1" "make dist && git clone -q . $second && cp build/lab-prebuilt-*.tar.gz $second && cp build/prebuilt.sum $second/harness/setup" &&
        in_cpu_seconds as_student "$1" "cd $second && make setup step01 NVCC='/home/student/my lab/build/toolkit/nvidia/cu13/bin/nvcc' && ./run step01" 2>&1 |
        tee "$said"
    [ "${PIPESTATUS[0]}" = 0 ] && grep -q 'prebuilt objects taken' "$said" && ! grep -q 'CC   harness/families' "$said"
}

each_system() { # lines of NAME;SUITE;COMPILER
    sed -n 's/^LAB_SYSTEM("\([^"]*\)", "\([^"]*\)", "\([^"]*\)", .*/\1;\2;\3/p' harness/setup/systems.def
}
