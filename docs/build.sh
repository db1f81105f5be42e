#!/usr/bin/env bash
# Builds the site in BUILD/docs/html. Warnings are errors.
set -eu
cd "$(dirname "$0")/.."
out=$1/docs
theme=/usr/share/doxygen-awesome-css/doxygen-awesome.css

for tool in doxygen dot python3; do
    if ! command -v $tool > /dev/null; then
        echo "docs: no $tool here; run 'make setup docs'" >&2
        exit 3
    fi
done
if [ ! -e $theme ]; then
    echo "docs: no doxygen-awesome-css here; run 'make setup docs'" >&2
    exit 3
fi

rm -rf "$out/html"
mkdir -p "$out/html/runs"
# Of each matrix product that is built, a run as a page: the step's page then links it.
if [ -e "$1/lab" ] && [ -e /usr/share/nodejs/d3/dist/d3.min.js ]; then
    for step in $(sed -n 's/^LAB_STEP("\([0-9]*\)", "[^"]*", "gemm",.*/step\1/p' steps/steps.def); do
        compgen -G "$1/steps/${step#step}*.so" > /dev/null || continue
        ./run "$step" -m 256 --runtime sim --html "$out/html/runs/$step.html" < /dev/null > /dev/null ||
            echo "docs: no page of a run of $step" >&2
    done
fi
export LAB_DOCS_RUNS=$out/html/runs
# From 1.9.5 on Doxygen has a dark mode of its own, which the theme does not expect.
newer=
if printf '1.9.5\n%s\n' "$(doxygen --version)" | sort -VC; then newer='HTML_COLORSTYLE = LIGHT'; fi
pictures=$(printf '%s ' steps/*/)
{
    cat docs/Doxyfile
    echo "OUTPUT_DIRECTORY = $out"
    echo "IMAGE_PATH = docs/pages $pictures"
    echo "$newer"
} | doxygen -
python3 -B docs/tree.py "$out/html"
python3 -B docs/search.py "$out/html"
python3 -B docs/links.py "$out/html"
if command -v chromium-headless-shell > /dev/null; then
    python3 -B docs/drawn.py "$out/html"
fi
echo "docs: $out/html/index.html"
