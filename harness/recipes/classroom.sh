#!/usr/bin/env bash
# Grades a folder of submissions, in a checkout that prepare.sh made ready, as root. Its output, which becomes a public log all
# too easily, says only how many there were; whatever belongs to a student or to the exercise goes into the folder REPORTS.
#
#   classroom.sh EXERCISE SUBMISSIONS REPORTS
set -u
umask 077
mkdir -p "$3" && chmod go= "$2" "$3" || exit 3
sh "$(dirname "$0")/../../run" grade "$1" "$2" --account submission --csv "$3/grades.csv" --feedback "$3/feedback" \
    > "$3/table.txt" 2> "$3/messages.txt"
status=$?
chown -R "${SUDO_UID:-0}" "$3"
if [ $status -gt 1 ]; then
    echo "not everything was graded (exit status $status): messages.txt among the reports says why"
    exit $status
fi
echo "graded $(($(wc -l < "$3/grades.csv") - 1)) submissions: grades.csv, and a text for each student, are among the reports"
