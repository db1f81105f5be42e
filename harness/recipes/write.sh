#!/usr/bin/env bash
# Writes what a course system is given, for one exercise:
#
#   write.sh autograder EXERCISE BUILD      BUILD/autograder-EXERCISE.zip, for Gradescope: the lab as committed, and two scripts
#   write.sh classroom EXERCISE BUILD       BUILD/classroom-EXERCISE.yml, a workflow for GitHub
set -eu
what=$1 exercise=$2 build=$3 recipes=$(dirname "$0")
case $exercise in [0-9] | [0-9][a-z]) exercise=0$exercise ;; esac
set -- solutions/"$exercise"_*/kernel.cu
if [ -z "$exercise" ] || [ ! -e "$1" ]; then
    echo "make $what: ${exercise:+there is no exercise $exercise; }name an exercise, as in: make $what EXERCISE=05" >&2
    exit 2
fi
if ! git rev-parse --verify -q HEAD > /dev/null; then
    echo "make $what: takes a git checkout, because it packs what is committed" >&2
    exit 3
fi
fill() { # fill FILE FOLDER: of this exercise
    sed "s/@EXERCISE@/$exercise/g" "$recipes/$1" > "$2/$1"
}
mkdir -p "$build"
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
if [ "$what" = classroom ]; then
    fill classroom.yml "$files"
    mv "$files/classroom.yml" "$build/classroom-$exercise.yml"
    echo "$build/classroom-$exercise.yml: its first lines say where it belongs"
else
    fill setup.sh "$files"
    fill run_autograder "$files"
    chmod 755 "$files"/*
    git archive --format=zip --output="$files/zip" --prefix= --add-file="$files/setup.sh" --add-file="$files/run_autograder" \
        --prefix=lab/ HEAD
    mv "$files/zip" "$build/autograder-$exercise.zip"
    echo "$build/autograder-$exercise.zip: for Gradescope, with the lab as of commit $(git rev-parse --short HEAD)"
fi
