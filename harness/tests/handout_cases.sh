#!/usr/bin/env bash
# One case of test_handout.c, on a copy of this checkout with everything committed.
#
#   handout_cases.sh CASE        prints what was wrong; exit status 1 then
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD build=$(realpath -m "${LAB_TEST_BUILD:-build}")
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
export GIT_CONFIG_GLOBAL=$box/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global user.name Student && git config --global user.email student@localhost && git config --global safe.directory '*'

lab=$box/lab out=$box/out
# The first case looks at all files, the others at as many as it takes.
left_out='^(harness/(sim|families|tests/(broken|right))|docs/results)/'
[ "$1" = nothing_is_given_away ] || left_out='^(harness/[^er]|harness/report|steps/.*/|docs/[^p]|docs/pages/[^e])'
mkdir "$lab"
git ls-files -z --cached --others --exclude-standard | grep -zvE "$left_out" | xargs -0 cp --parents -t "$lab" 2> /dev/null
git -C "$lab" init -q -b main && git -C "$lab" add -A && git -C "$lab" commit -q -m lab

handout() { bash "$lab/harness/recipes/handout.sh" "$out" "$build" "$@" 2>&1; }
fails=0
wrong() { echo "$*"; fails=1; }
says() { # says STATUS TEXT COMMAND...
    local status=$1 text=$2 said
    shift 2
    said=$("$@")
    [ $? = "$status" ] && grep -qF "$text" <<< "$said" || wrong "expected status $status and '$text' of '$*': $said"
}

nothing_is_given_away() {
    says 0 'version 1, with exercises 00a 16' handout 16 00a
    bash harness/tests/handout_leaks.sh "$root" "$out" || wrong 'something is given away'
    [ ! -e "$out/harness/tests" ] || wrong 'tests are there'
    ! bash harness/tests/handout_leaks.sh "$root" solutions > /dev/null || wrong 'a leak is not seen'
    echo "    // $(grep -m 1 '^hidden' solutions/05*/goal.txt)" >> "$out/common/step.h"
    git -C "$out" commit -q -a -m leak && git -C "$out" checkout -q HEAD~
    ! bash harness/tests/handout_leaks.sh "$root" "$out" > /dev/null || wrong 'a leak in a git object is not seen'
}
has_what_students_need() {
    says 0 'version 1' handout 16 00a
    for file in STUDENTS.md README.md docs/pages/exercises.md solutions/16_merge_updates/{hints,goal,recorded}.txt run Makefile; do
        [ -s "$out/$file" ] || wrong "$file is not there"
    done
    [ "$(ls "$out/exercises")" = $'00a_copy_vectors\n16_merge_updates' ] || wrong 'other exercises are there'
    cmp "$out/exercises/16_merge_updates/kernel.cu" exercises/16_merge_updates/kernel.cu || wrong 'the exercise is another'
    for name in 16_merge_updates 00a_copy_vectors; do # what is cut gives the same exercise, for make reset-exercise
        awk -f harness/exercise/stub.awk "$out/solutions/$name/kernel.cu" | cmp - "exercises/$name/kernel.cu" || wrong "the cut $name differs"
    done
    grep -E '^(hidden|also)|^(goal|guard) [^|]*([][]|[0-9],)' "$out"/solutions/*/goal.txt && wrong 'goals have what only grading adds'
    grep -q '^goal -n 262144 |' "$out/solutions/00a_copy_vectors/goal.txt" || wrong 'a goal lost its sizes'
    ls -d "$out"/harness/recipes "$out"/.ci 2> /dev/null && wrong 'recipes are there'
}
versions_merge() {
    handout 16 > /dev/null
    git clone -q "$out" "$box/student"
    local kernel=exercises/16_merge_updates/kernel.cu
    echo '// mine' >> "$box/student/$kernel"
    git -C "$box/student" commit -q -a -m work
    sed -i 's|// BEGIN SOLUTION: |&now |' "$lab/solutions/16_merge_updates/kernel.cu"
    echo 'another page' >> "$lab/README.md"
    git -C "$lab" commit -q -a -m change
    says 0 'keep the file that students have: 16' handout 00a
    git -C "$box/student" pull -q --no-rebase || wrong 'a version does not merge'
    grep -q '// mine' "$box/student/$kernel" && ! grep -q 'TODO: now' "$box/student/$kernel" || wrong "the student's file is another"
    grep -q 'another page' "$box/student/README.md" && [ -e "$box/student/exercises/00a_copy_vectors/kernel.cu" ] || wrong 'what is new is missing'
    [ "$(git -C "$box/student" tag)" = $'handout-1\nhandout-2' ] || wrong 'versions have no tags'
    says 0 'is as it was: version 2' handout 16
}
mistakes_are_told() {
    says 2 'say where: make handout DIR=' bash -c "bash '$lab/harness/recipes/handout.sh' '' build 2>&1"
    says 2 'there is no exercise 99' handout 99
    says 2 'lies in the lab itself' bash -c "bash '$lab/harness/recipes/handout.sh' '$lab/docs/out' '$build' 16 2>&1"
    mkdir "$out" && touch "$out/file"
    says 2 'is there, and is no hand-out' handout 16
    rm "$out/file"
    echo '// change' >> "$lab/solutions/16_merge_updates/kernel.cu"
    says 2 'commit first' handout 16
    git -C "$lab" checkout -q .
    handout 16 > /dev/null
    echo '// change' >> "$out/common/step.h"
    says 2 'has changes that are not committed' handout 16
    git -C "$out" checkout -q .
    sed -i 's/"16", "16_merge_updates"/"16", "16_otherwise"/' "$lab/solutions/solutions.def"
    git -C "$lab" commit -q -a -m renamed
    says 2 'exercise 16 was handed out as 16_merge_updates' handout 16
}

"$1"
exit $fails
