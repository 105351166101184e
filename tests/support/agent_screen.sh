#!/bin/sh
# agent_screen.sh FILE: draws the screen of an agent that FILE holds, as one that does not take the whole terminal does: it goes
# up row by row, wipes what it has drawn, and draws it anew. The frames of FILE lie between rows of "=== next frame"; of one
# alone nothing moves.
shown=
while :; do
    frame=1
    while :; do
        text=$(awk -v wanted="$frame" 'BEGIN { at = 1 } /^=== next frame$/ { at++; next } at == wanted' "$1")
        [ -n "$text" ] || break
        if [ "$text" != "$shown" ]; then
            rows=$(printf '%s' "$shown" | wc -l)
            while [ "$rows" -gt 0 ]; do
                printf '\033[2K\033[1A'
                rows=$((rows - 1))
            done
            printf '\r\033[2K%s' "$text"
            shown=$text
        fi
        frame=$((frame + 1))
        sleep 0.7
    done
done
