# Sourced by tests that wait for something.
#   until_true COMMAND...    waits until it succeeds; fails after 60 s, which no busy machine needs
# shellcheck shell=bash
until_true() {
    local end=$((SECONDS + 60))
    while ! "$@" 2>/dev/null; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}
