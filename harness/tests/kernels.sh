#!/usr/bin/env bash
# Writes the corpora of kernels (broken/, right/, submissions/) as they are compiled, all as .cu files: what is whole is copied;
# of NAME.patch the head is kept, and what is behind `// base: FILE` changes that file's lines from its first #include on. A base
# that a patch no longer fits, be it by a line's number, is an error. What is up to date stays as it is.
#
#   kernels.sh FOLDER                writes them to FOLDER, and FOLDER/written last
#   kernels.sh --patch FILE.cu BASE  prints the patch on BASE that makes FILE.cu
#   kernels.sh --again FILE.patch... writes these anew, where lines of their bases have only moved
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code() { # code FILE [OTHER]: where FILE exports a row of its own name, OTHER has one of its own
    local name=${1##*/} other=${2:-$1}
    name=${name%.*} other=${other##*/} other=${other%.*}
    sed -n "/^LAB_EXPORT/s/{\"${name:0:31}\"/{\"${other:0:31}\"/; /^#include/,\$p" "$1"
}

# Context is kept where lines are added alone or removed alone: those that are replaced say themselves where they belong.
print_patch() { # print_patch FILE.cu BASE
    sed '/^#include/,$d' "$1" && echo "// base: $2"
    code "$2" "$1" > "$work/base" && code "$1" > "$work/code"
    diff -d -U1 --suppress-blank-empty "$work/base" "$work/code" | awk '
        function put(   first, last, i, gone, new) {
            first = 1; last = n
            if (minus && plus && line[1] !~ /^[-+]/) { first = 2; from++; to++ }
            if (minus && plus && line[n] !~ /^[-+]/) last--
            for (i = first; i <= last; i++) { gone += line[i] !~ /^\+/; new += line[i] !~ /^-/ }
            if (n) printf "@@ -%d,%d +%d,%d @@\n", from, gone, to, new
            for (i = first; i <= last; i++) print line[i]
            n = minus = plus = 0
        }
        NR <= 2 { next }
        /^@@/ { put(); split($2 "," $3, at, /[-+,]/); from = at[2]; split($3, at, /[+,]/); to = at[2]; next }
        { line[++n] = $0; minus += /^-/; plus += /^\+/ }
        END { put() }'
}

write_patched() { # write_patched FILE.patch BASE OUT [may be moved]
    code "$2" "$1" > "$work/base"
    if [ "$(tail -n 1 "$1")" = "// base: $2" ]; then # another head, of another problem say
        cp "$work/base" "$work/code"
    elif ! patch -u -F0 -o "$work/code" "$work/base" "$1" > "$work/said" 2>&1 < /dev/null || { [ -z "${4:-}" ] && grep -q offset "$work/said"; }; then
        printf '%s: does not fit its base, %s:\n' "$1" "$2" >&2 && cat "$work/said" >&2
        return 1
    fi
    { sed '/^@@/,$d; /^\/\/ base: /d' "$1" && cat "$work/code"; } > "$3.new" && mv "$3.new" "$3"
}

case $1 in
    --patch) print_patch "$2" "$3" && exit ;;
    --again)
        for file in "${@:2}"; do
            whole=$work/$(basename "$file" .patch).cu base=$(sed -n 's|^// base: ||p' "$file")
            write_patched "$file" "$base" "$whole" moved
            print_patch "$whole" "$base" > "$work/again" && cp "$work/again" "$file"
        done
        exit
        ;;
esac
to=${1%/} failed=0
mapfile -t files < <(find harness/tests/broken harness/tests/right harness/tests/submissions -name '*.cu' -o -name '*.patch')
declare -A base there
mkdir -p "$to"
while IFS=: read -r file _ name; do base[$file]=${name# }; done < <(printf '%s\0' "${files[@]}" | xargs -0 grep -H '^// base: ')
for file in "${files[@]}"; do
    out=$to/${file#harness/tests/} from=${base[$file]:-$file}
    out=${out%.*}.cu there[$out]=1
    if [ -e "$from" ] && [ ! "$file" -nt "$out" ] && [ ! "$from" -nt "$out" ] && [ ! "$0" -nt "$out" ]; then continue; fi
    rm -f "$to/written" && mkdir -p "${out%/*}"
    case $file in
        *.cu) cp "$file" "$out" ;;
        *) write_patched "$file" "$from" "$out" || failed=1 ;;
    esac
done
while read -r out; do
    if [ -z "${there[$out]:-}" ]; then rm -f "$out" "$to/written"; fi
done < <(find "$to"/* -name '*.cu')
if [ $failed = 0 ] && [ ! -e "$to/written" ]; then touch "$to/written"; fi
exit $failed
