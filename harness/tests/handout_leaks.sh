#!/usr/bin/env bash
# Looks for what a hand-out must not have: lines that students are to write, hidden tests, and what goals have for grading alone.
#
#   handout_leaks.sh LAB FOLDER...     prints where some stands in a file or a git object, of whatever kind; exit status 1 then
set -euo pipefail
lab=$1
shift
cd "$lab"
patterns=$(mktemp -d)
trap 'rm -rf "$patterns"' EXIT

trim() { sed 's/^[[:space:]]*//; s/[[:space:]]*$//'; }
# Lines of solutions that stand nowhere else in what every student may read: steps, headers, the exercises as given, pages.
for solution in solutions/*/kernel.cu; do
    awk '/BEGIN SOLUTION/ { inside = 1; next } /END SOLUTION/ { inside = 0 } inside && !/^ *\/\/\|/' "$solution"
done | trim | grep '.\{16\}' | sort -u > "$patterns/written"
{
    git ls-files -z steps common exercises docs README.md | xargs -0 cat
    for solution in solutions/*/kernel.cu; do awk -f harness/exercise/stub.awk "$solution"; done
    cat solutions/*/hints.txt
} > "$patterns/public"
while IFS= read -r line; do
    LC_ALL=C grep -qF -e "$line" "$patterns/public" || printf '%s\n' "$line"
done < "$patterns/written" > "$patterns/all"
# Hidden tests as they are written, goals again, and brackets.
sed -n 's/^hidden //p; s/^also //p' solutions/*/goal.txt | grep -E '\.\.|,' | sort -u >> "$patterns/all"
grep -oh '\[-[^]]*\]' solutions/*/goal.txt | sort -u >> "$patterns/all"
[ "$(wc -l < "$patterns/all")" -gt 150 ] || { echo "too few lines are looked for: $(wc -l < "$patterns/all")"; exit 2; }

found=0
for folder; do
    if grep -rnaFf "$patterns/all" --exclude-dir=.git "$folder" | cut -c 1-200; then found=1; fi
    if [ -e "$folder/.git" ] && git -c safe.directory='*' -C "$folder" cat-file --batch-all-objects --batch --unordered |
        grep -naFf "$patterns/all" | sed 's/^/a git object: /' | cut -c 1-200; then
        found=1
    fi
done
exit $found
