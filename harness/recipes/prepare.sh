#!/usr/bin/env bash
# Makes this checkout ready to grade an exercise with `--account submission`: as root, on a machine that serves nothing else.
# The user `submission` runs compilers and launch functions, and all of the checkout is closed to it but what these open. The
# solution is graded last: that shows that everything is there, and its outcome and the secret of hidden tests are kept.
#
#   prepare.sh EXERCISE
set -eu
cd "$(dirname "$0")/../.."
if ! command -v make > /dev/null; then
    apt-get update -q && apt-get install -y -q --no-install-recommends make
fi
make setup "solution$1"
id submission > /dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin submission
mkdir -p build/grading
chmod -R go= .
chmod go+x . build build/grading
for needed in common build/toolkit build/recorder; do
    [ ! -e "$needed" ] || chmod -R go+rX "$needed"
done
umask 077
sh run grade "$1" solutions/"$1"_*/kernel.cu --account submission > /dev/null
echo "ready: exercise $1 is graded with the solution, and closed to the user submission"
