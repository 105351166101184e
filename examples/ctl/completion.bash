# Completion of heeler-ctl in bash: verbs, their options and, where the store is known, ids of runs. It asks heeler-ctl itself, so
# it knows what that one knows. Source it, or put it into /usr/share/bash-completion/completions/heeler-ctl.
# shellcheck shell=bash

# _heeler_ctl_words SECTION ARGUMENTS...: the names that stand in a section of the help.
_heeler_ctl_words() {
    local section=$1
    shift
    "${COMP_WORDS[0]}" "$@" --help 2>/dev/null |
        awk -v section="$section" '/^[^ ]/ { here = index($0, section) == 1 || (section == "Options" && /^\[Option Group/) }
            here && /^ +[-a-z]/ { split($1, names, ","); for (i in names) if (names[i] ~ /^--?[a-z]|^[a-z]/) print names[i] }'
}

_heeler_ctl() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb='' i
    local -a store=()
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case ${COMP_WORDS[i]} in
        --store | --schema)
            store+=("${COMP_WORDS[i]}")
            # bash cuts words at the colon of sqlite:PATH.
            local value=''
            while ((i + 1 < COMP_CWORD)) && { [ -z "$value" ] || [ "${COMP_WORDS[i + 1]}" = : ] || [[ $value = *: ]]; }; do
                value+=${COMP_WORDS[++i]}
            done
            store+=("$value")
            ;;
        --by) ((++i)) ;;
        -*) ;;
        *) [ -n "$verb" ] || verb=${COMP_WORDS[i]} ;;
        esac
    done
    local words
    case $before in
    --at-most) words="none warning critical" ;;
    --notify) words="telegram: slack webhook github: email: command:" ;;
    --store) words="sqlite: postgres:" ;;
    --schema | --by | --for | --until | --because | --class | --tag | --kind | --every | --port | --ended | --alerts | --audit) return ;;
    *)
        if [ -z "$verb" ]; then
            words="$(_heeler_ctl_words Subcommands) $(_heeler_ctl_words Options)"
        elif [[ $current = -* ]]; then
            words=$(_heeler_ctl_words Options "$verb")
        elif [ "$before" = --run ] || [ -n "$(_heeler_ctl_words Positionals "$verb" | head -1)" ] ||
            "${COMP_WORDS[0]}" "$verb" --help 2>/dev/null | grep -q '^  RUN'; then
            words=$("${COMP_WORDS[0]}" "${store[@]}" status --json 2>/dev/null |
                sed -n 's/.*"type":"run".*"run":"\([^"\\]*\)".*/\1/p')
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -F _heeler_ctl heeler-ctl
