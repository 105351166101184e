#!/usr/bin/env bash
# man_pages.sh PROGRAMS DIR: writes DIR/heeler-NAME.1 for each heeler-NAME in the directory PROGRAMS, from what its --help says,
# and that of its commands. `man -l DIR/heeler-ctl.1` shows one.
set -euo pipefail

programs=${1:?the directory of the built programs}
to=${2:?the directory for the pages}
mkdir -p "$to"

# What roff would obey, as text.
plain() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\&&/"; }
# As it stands.
verbatim() { printf '.nf\n' && plain && printf '.fi\n'; }

for program in "$programs"/heeler-*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=$(basename "$program")
    help=$("$program" --help)
    version=$("$program" --version)
    about=$(sed '/^Usage:/,$d' <<<"$help")
    page=$to/$name.1
    {
        printf '.TH %s 1 "" "%s"\n.SH NAME\n%s \\- %s\n' "$(tr '[:lower:]' '[:upper:]' <<<"$name" | plain)" "$version" \
            "$(plain <<<"$name")" "$(tr '\n' ' ' <<<"$about" | sed 's/\([.:]\) .*/\1/; s/[.:] *$//' | plain)"
        printf '.SH SYNOPSIS\n'
        sed -n 's/^Usage: //p' <<<"$help" | plain
        printf '.SH DESCRIPTION\n'
        plain <<<"$about"
        printf '.SH OPTIONS\n'
        sed '1,/^Usage:/d' <<<"$help" | verbatim
        for command in $(sed -n '/^Subcommands:/,/^[^ S]/s/^  \([a-z-]*\) .*/\1/p' <<<"$help"); do
            printf '.SS %s\n' "$(plain <<<"$command")"
            "$program" "$command" --help | sed '/^Exit status:/,$d' | verbatim
        done
    } >"$page"
done
