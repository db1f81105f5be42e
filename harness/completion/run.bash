
# The names of the words, or options, that go with a command; stages, which are many, once a dot is
# typed, and numbers in place of exercises once a digit is.
_lab_run_names() {
    local kind contexts name rest
    while IFS=$'\t' read -r kind contexts name rest; do
        [[ $kind == short && $1 == word && $3 == [0-9]* ]] && kind=word
        [[ $kind == "$1" && " $contexts " == *" $2 "* && ($name != *.* || $3 == *.*) ]] && printf '%s\n' "$name"
    done <<< "$_lab_run_words"
}

# What an option of a command takes.
_lab_run_takes() {
    local kind contexts name takes rest
    while IFS=$'\t' read -r kind contexts name takes rest; do
        [[ $kind == option && $name == "$2" && " $contexts " == *" $1 "* ]] && printf '%s' "$takes" && return
    done <<< "$_lab_run_words"
}

# Readline, where it asks, adds slashes and quotes.
_lab_run_files() {
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
    compopt -o filenames 2> /dev/null
}

_lab_run() {
    local context=run option= takes word count=0 i
    local current=${COMP_WORDS[COMP_CWORD]} prefix=
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == = ]]; then # bash takes --runtime=sim for three words
            ((++i == COMP_CWORD)) && option=${COMP_WORDS[i - 2]}
        elif [[ $word == -* ]]; then
            takes=$(_lab_run_takes $context "$word")
            [[ $takes == "" || $takes == none || $takes == \?* || $word == *=* || ${COMP_WORDS[i + 1]} == = ]] && continue
            ((++i == COMP_CWORD)) && option=$word
        elif [[ $context == run && $count == 0 && $'\n'$_lab_run_words == *$'\n'word$'\t'*$'\t'"$word"$'\t-\n'* ]]; then
            context=$word
        else
            ((count++))
        fi
    done
    if [[ $current == = && ${COMP_WORDS[COMP_CWORD - 1]} == --* ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]} current=
    elif [[ $current == --*=* ]]; then
        option=${current%%=*} prefix=${current%%=*}= current=${current#*=}
    fi
    if [[ $option ]]; then
        takes=$(_lab_run_takes $context "$option")
        case $takes in
        file) _lab_run_files "$current" ;;
        *'|'*) mapfile -t COMPREPLY < <(IFS='|'; compgen -W "${takes#\?}" -- "$current") ;;
        esac
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_lab_run_names option $context)" -- "$current")
    elif ((count == 0)) || [[ $'\n'$_lab_run_words == *$'\n'rest$'\t'$context$'\t'many$'\n'* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_lab_run_names word $context "$current")" -- "$current")
        [[ $context == run ]] && compopt -o default 2> /dev/null # a step's folder will do
    elif [[ $'\n'$_lab_run_words == *$'\n'rest$'\t'$context$'\t'files$'\n'* ]]; then
        _lab_run_files "$current"
    fi
}

complete -F _lab_run run
