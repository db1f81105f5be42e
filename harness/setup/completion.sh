#!/usr/bin/env bash
# Writes what makes bash, zsh and fish complete the words of ./run, and says how each takes it.
#
#   completion.sh BUILD
set -eu
build=$(realpath "$1")
mkdir -p "$build/completion"
for shell in bash zsh fish; do
    "$build/run" completion $shell > "$build/completion/run.$shell"
    echo "$shell: source $build/completion/run.$shell"
done
echo "Each stays if that line is added to the shell's own file: ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish."
