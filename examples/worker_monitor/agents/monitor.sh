#!/bin/sh
# monitor.sh COMMAND...: plays the agent in the monitor's own pane. What COMMAND says fills its conversation, which is what
# the pane shows; /clear empties that. Everything else that is typed is answered.
stty -echo
"$@" </dev/null &
watching=$!
trap 'kill "$watching" 2>/dev/null; wait "$watching"; exit' TERM INT HUP
while IFS= read -r line; do
    case $line in
        /clear) printf '\033[H\033[2J\033[3J' ;;
        *) echo "You said: $line" ;;
    esac
done
kill "$watching" 2>/dev/null
