
# The words, or options, that go with a command, each with what it is; stages, which are many, once
# a dot is typed, and numbers in place of exercises once a digit is.
_lab_run_names() {
    local kind contexts name rest
    while IFS=$'\t' read -r kind contexts name rest; do
        [[ $kind == short && $1 == word && $3 == [0-9]* ]] && kind=word
        [[ $kind == $1 && " $contexts " == *" $2 "* && ($name != *.* || $3 == *.*) ]] && print -r -- "$name:${rest##*$'\t'}"
    done <<< "$_lab_run_words"
}

# What an option of a command takes.
_lab_run_takes() {
    local kind contexts name takes rest
    while IFS=$'\t' read -r kind contexts name takes rest; do
        [[ $kind == option && $name == "$2" && " $contexts " == *" $1 "* ]] && print -rn -- "$takes" && return
    done <<< "$_lab_run_words"
}

_lab_run() {
    local context=run option= takes word
    local -i count=0 i
    local current=$words[CURRENT]
    local -a names
    for ((i = 2; i < CURRENT; i++)); do
        word=$words[i]
        if [[ $word == -* ]]; then
            takes=$(_lab_run_takes $context "$word")
            [[ $takes == "" || $takes == none || $takes == \?* ]] && continue
            ((++i == CURRENT)) && option=$word
        elif [[ $context == run && $count == 0 && $'\n'$_lab_run_words == *$'\n'word$'\t'*$'\t'"$word"$'\t-\n'* ]]; then
            context=$word
        else
            ((++count))
        fi
    done
    if [[ $current == --*=* ]]; then
        option=${current%%=*}
        compset -P '*='
    fi
    if [[ -n $option ]]; then
        takes=$(_lab_run_takes $context "$option")
        case $takes in
        file) _files ;;
        *'|'*) compadd -- ${(s:|:)${takes#\?}} ;;
        esac
    elif [[ $current == -* ]]; then
        names=("${(@f)$(_lab_run_names option $context)}")
        _describe -o option names
    elif ((count == 0)) || [[ $'\n'$_lab_run_words == *$'\n'rest$'\t'$context$'\t'many$'\n'* ]]; then
        names=("${(@f)$(_lab_run_names word $context "$current")}")
        _describe target names || { [[ $context == run ]] && _files } # a step's folder will do
    elif [[ $'\n'$_lab_run_words == *$'\n'rest$'\t'$context$'\t'files$'\n'* ]]; then
        _files
    fi
}

(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _lab_run run
