
# The rows of words, or options, that go with a command.
function __lab_run_rows -a kind context
    for line in (string split \n -- $_lab_run_words)
        set -l cells (string split \t -- $line)
        test "$cells[1]" = $kind; and contains -- $context (string split ' ' -- "$cells[2]"); and echo $line
    end
end

# Each with what it is; stages, which are many, once a dot is typed, and numbers in place of exercises
# once a digit is.
function __lab_run_names -a kind context current
    set -l rows (__lab_run_rows $kind $context)
    test $kind = word; and string match -qr '^[0-9]' -- "$current"; and set -a rows (__lab_run_rows short $context)
    for line in $rows
        set -l cells (string split \t -- $line)
        string match -q '*.*' -- $cells[3]; and not string match -q '*.*' -- "$current"; and continue
        printf '%s\t%s\n' $cells[3] $cells[-1]
    end
end

# What an option of a command takes.
function __lab_run_takes -a context option
    for line in (__lab_run_rows option $context)
        set -l cells (string split \t -- $line)
        if test "$cells[3]" = $option
            echo $cells[4]
            return
        end
    end
end

# The values of an option, behind `prefix`.
function __lab_run_values -a context option prefix current
    set -l takes (__lab_run_takes $context $option)
    if test "$takes" = file
        printf "$prefix%s\n" (__fish_complete_path $current)
    else if string match -q '*|*' -- "$takes"
        printf "$prefix%s\n" (string split '|' -- (string trim -l -c '?' -- $takes))
    end
end

function __lab_run
    set -l context run
    set -l count 0
    set -l option ''
    set -l current (commandline -ct)
    for word in (commandline -opc)[2..-1]
        if test -n "$option" # this is its value
            set option ''
        else if string match -q -- '-*' $word
            set -l takes (__lab_run_takes $context $word)
            not contains -- "$takes" '' none; and not string match -q -- '\?*' "$takes"; and set option $word
        else if test $context = run -a $count = 0; and string match -qr -- "(?m)^word\t[^\t]*\t"(string escape --style=regex -- $word)"\t-\$" $_lab_run_words
            set context $word
        else
            set count (math $count + 1)
        end
    end
    if test -n "$option"
        __lab_run_values $context $option '' "$current"
    else if string match -q -- '--*=*' "$current"
        set -l parts (string split -m 1 = -- $current)
        __lab_run_values $context $parts[1] $parts[1]= "$parts[2]"
    else if string match -q -- '-*' "$current"
        __lab_run_names option $context
    else if test $count = 0; or string match -qr -- "(?m)^rest\t$context\tmany\$" $_lab_run_words
        set -l names (__lab_run_names word $context "$current")
        printf '%s\n' $names
        test $context = run # a step's folder will do
        and not string match -q -- "$current*" $names
        and __fish_complete_path "$current"
    else if string match -qr -- "(?m)^rest\t$context\tfiles\$" $_lab_run_words
        __fish_complete_path "$current"
    end
end

complete -c run -f -a '(__lab_run)'
