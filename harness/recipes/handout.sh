#!/usr/bin/env bash
# Writes what the students of a course are given, as a git repository that they clone: all that runs, pages and hints; no solution,
# no hidden test. Figures of the solutions stand in for them. Made again, it is the next version of the same repository, and the
# kernel files that students work on stay as they were first given, so that a version merges without touching them.
#
#   handout.sh DIR BUILD [EXERCISE...]     all exercises, if none is named; those of an earlier version stay
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=$1 build=$2
shift 2

end() { # end STATUS MESSAGE
    echo "make handout: $2" >&2
    exit "$1"
}
[ -n "$dir" ] || end 2 'say where: make handout DIR=../course EXERCISES="01 02 05"'
git rev-parse --verify -q HEAD > /dev/null || end 3 "takes a git checkout, because it hands out what is committed"
if ! git diff --quiet HEAD -- common exercises harness solutions steps docs Makefile; then
    end 2 "commit first: a hand-out is made of what is committed, and its figures of what is built"
fi

# --- which exercises, and where --------------------------------------------------------------------

listed() { # listed FILE: "NUMBER DIRECTORY" of each exercise
    sed -n 's/^LAB_EXERCISE("\([^"]*\)", "\([^"]*\)".*/\1 \2/p' "$1"
}
root=$(realpath .) target=$(realpath -m "$dir")
case $target/ in "$root"/*) case $target/ in "$root/${build#"$root"/}"/*) ;; *) end 2 "$dir lies in the lab itself" ;; esac ;; esac
version=1
if [ -e "$target/solutions/solutions.def" ] && grep -q '^#define LAB_IS_HANDOUT' "$target/solutions/solutions.def"; then
    [ -z "$(git -C "$target" status --porcelain)" ] || end 2 "$dir has changes that are not committed"
    version=$(($(git -C "$target" tag --list 'handout-*' | sed 's/handout-//' | sort -n | tail -n 1) + 1))
    while read -r number directory; do # an exercise keeps its number and its folder for a term
        listed solutions/solutions.def | grep -qx "$number $directory" ||
            end 2 "exercise $number was handed out as $directory, which the lab does not have any more"
        [ $# = 0 ] || set -- "$@" "$number"
    done < <(listed "$target/solutions/solutions.def")
elif [ -e "$target" ] && [ -n "$(ls -A "$target")" ]; then
    end 2 "$dir is there, and is no hand-out"
fi
chosen=$(listed solutions/solutions.def)
if [ $# -gt 0 ]; then
    for number; do
        grep -q "^$number " <<< "$chosen" || end 2 "there is no exercise $number"
    done
    chosen=$(grep -E "^($(IFS='|' && echo "$*")) " <<< "$chosen")
fi

# --- the files -------------------------------------------------------------------------------------

files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
git archive HEAD | tar -x -C "$files" --exclude='harness/tests' --exclude='harness/sim/tests' --exclude='harness/recipes' \
    --exclude='.ci' --exclude='exercises/*' --exclude='solutions/*/*' --exclude='Containerfile'
find "$files/solutions" -mindepth 1 -type d -empty -delete
{
    echo "/* A hand-out: the solutions are not here, but figures that were recorded of them. */"
    echo "#define LAB_IS_HANDOUT"
    grep -E "^LAB_EXERCISE\(\"($(cut -d' ' -f1 <<< "$chosen" | paste -sd'|'))\"" solutions/solutions.def
} > "$files/solutions/solutions.def"

# What a student is to write is cut out of the solution; what stands in for it in the exercise is kept, for `make reset-exercise`.
cut_solution='/\/\/ BEGIN SOLUTION: / { inside = 1; print; next } /\/\/ END SOLUTION/ { inside = 0 } !inside || /^ *\/\/\|/'
# Of a goal's options the first of each list, and no words in brackets, which only grading adds.
show_goals='/^(hidden|also) / { next }
    /^(goal|guard) / { at = index($0, "|"); options = substr($0, 1, at - 1); gsub(/ *\[[^]]*\]/, "", options)
        while (match(options, /[0-9.],[-+0-9.e,]+/)) options = substr(options, 1, RSTART) substr(options, RSTART + RLENGTH)
        $0 = options substr($0, at) }
    { print }'
while read -r number directory; do
    mkdir -p "$files/solutions/$directory" "$files/exercises/$directory"
    awk "$cut_solution" "solutions/$directory/kernel.cu" > "$files/solutions/$directory/kernel.cu"
    awk "$show_goals" "solutions/$directory/goal.txt" > "$files/solutions/$directory/goal.txt"
    cp "solutions/$directory/hints.txt" "$files/solutions/$directory/"
    awk -f harness/exercise/stub.awk "solutions/$directory/kernel.cu" > "$files/exercises/$directory/kernel.cu"
    "$build/run" "solution$number" --runtime sim --figures-to "$files/solutions/$directory/recorded.txt" > "$files.out" 2>&1 || {
        cat "$files.out" >&2
        rm -f "$files.out"
        end 3 "solution$number does not pass here, so it has no figures"
    }
    rm -f "$files.out"
    echo "  RECORD solution$number"
done <<< "$chosen"

# What `make dist` packed saves each student compiling the harness and the simulator.
if [ -e "$build/prebuilt.sum" ]; then
    cp "$build/prebuilt.sum" "$files/harness/setup/"
    cp "$build/$(sed 's/.* //' "$build/prebuilt.sum")" "$files"
fi

# The pages that students begin with.
list=$(while IFS= read -r line; do
    sed -n 's/^LAB_EXERCISE("\([^"]*\)", "\([^"]*\)",.*, \([0-9]*\), \([0-9]*\), "\([^"]*\)".*/| [\1](exercises\/\2\/kernel.cu) | \5 | \4 |/p' <<< "$line"
done < "$files/solutions/solutions.def")
first=$(head -n 1 <<< "$chosen" | cut -d' ' -f1)
awk -v list="$list" -v first="$first" -v version="$version" -v date="$(date +%Y-%m-%d)" '
    { gsub(/@FIRST@/, first); gsub(/@VERSION@/, version); gsub(/@DATE@/, date) }
    /@LIST@/ { print list; next } { print }' harness/recipes/students.in > "$files/STUDENTS.md"
awk 'NR == 2 { print "\n> This is the hand-out of a course: begin with [STUDENTS.md](STUDENTS.md)." } { print }' README.md > "$files/README.md"

# --- the repository --------------------------------------------------------------------------------

in_dir() { git -C "$target" -c core.hooksPath=/dev/null "$@"; }
if [ "$version" = 1 ]; then
    mkdir -p "$target"
    git init -q -b main "$target"
fi
changed=
while read -r number directory; do
    kernel=exercises/$directory/kernel.cu
    [ -e "$target/$kernel" ] || continue
    cmp -s "$target/$kernel" "$files/$kernel" || changed+=" $number"
    cp "$target/$kernel" "$files/$kernel"
done <<< "$chosen"
in_dir rm -q -r --cached . > /dev/null 2>&1 || true
find "$target" -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
cp -a "$files/." "$target/"
in_dir add -A
if [ "$version" -gt 1 ] && in_dir diff --cached --quiet HEAD -- . ':!STUDENTS.md'; then # which has version and date
    in_dir reset -q --hard
    end 0 "$dir is as it was: version $((version - 1))"
fi
name=$(git config user.name || echo "the course") mail=$(git config user.email || echo "course@localhost")
in_dir -c user.name="$name" -c user.email="$mail" commit -q -m "hand-out, version $version"
in_dir -c user.name="$name" -c user.email="$mail" tag -a "handout-$version" -m "hand-out, version $version"
[ -z "$changed" ] || echo "exercises that were handed out otherwise keep the file that students have:$changed"
echo "$dir: version $version, with exercises$(cut -d' ' -f1 <<< "$chosen" | sed 's/^/ /' | tr -d '\n')"
