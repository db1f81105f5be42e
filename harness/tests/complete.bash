# What bash offers behind the words of a command line, the last of which is being typed: bash complete.bash ./run sweep st
source <(./run completion bash) || exit
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_lab_run
[[ ${COMPREPLY[*]} ]] && printf '%s ' "${COMPREPLY[@]}"
exit 0
