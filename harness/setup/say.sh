#!/bin/sh
# Says what make builds: on a terminal in one line that is written anew, and over which a compiler writes what it has to
# say; elsewhere in a line of every tenth.
#
#   say.sh N OF TOOL FILE
n=$1 of=$2
[ "$n" -le "$of" ] || of=$n # more than was foreseen
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then
    before='\033[K\033[?7l' after='\033[?7h\r' # a long line is cut, not wrapped
    [ "$n" != "$of" ] || after='\033[?7h\n'
elif [ "$of" -le 20 ] || [ "$n" = "$of" ] || [ $((n % 10)) = 0 ]; then
    before='' after='\n'
else
    exit 0
fi
printf "$before[%d/%d] %-4s %s$after" "$n" "$of" "$3" "$4"
