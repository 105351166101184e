#!/bin/sh
# session.sh WAY DIRECTORY [PAUSE]: plays an agent's session and logs its tool calls as DIRECTORY/tool_use.jsonl.
#   fine     twelve different calls, then done
#   silent   three calls, then nothing for ever
#   looping  the same call again and again, until somebody leaves a message in the inbox; then different ones, done
#   failing  the same failing call again and again; reads no messages
#   overdue  different calls, on and on
# PAUSE is the time between two calls in seconds. It ends by itself after some minutes, whatever is done to it. If
# SESSION_COPY names a file, each line of the log is written there too.
way=$1
session=$2
pause=${3:-1}
number=0
asked_to_end=
trap 'asked_to_end=1' TERM INT

mkdir -p "$session"

write() {
    printf '%s\n' "$1" >>"$session/tool_use.jsonl"
    [ -z "${SESSION_COPY:-}" ] || printf '%s\n' "$1" >>"$SESSION_COPY"
}

# call TOOL INPUT OUTPUT IS_ERROR: one call and its result.
call() {
    [ -z "$asked_to_end" ] || exit 143
    number=$((number + 1))
    [ "$number" -le 600 ] || exit 1
    now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    about="\"tool_use_id\":\"$number\",\"timestamp\":\"$now\""
    write "{\"event\":\"pre_tool_use\",\"tool_name\":\"$1\",\"tool_input\":$2,$about}"
    write "{\"event\":\"post_tool_use\",\"tool_name\":\"$1\",\"tool_output_preview\":\"$3\",\"is_error\":$4,$about}"
    sleep "$pause"
}

read_chapter() { call Read "{\"file_path\":\"docs/chapter-$1.md\"}" "chapter $1 in full" false; }

read_chapters() { # COUNT
    chapter=0
    while [ "$chapter" -lt "$1" ]; do
        chapter=$((chapter + 1))
        read_chapter "$chapter"
    done
    : >"$session/done"
}

case $way in
    fine) read_chapters 12 ;;
    silent)
        for chapter in 1 2 3; do read_chapter "$chapter"; done
        while [ -z "$asked_to_end" ] && [ "$number" -lt 300 ]; do
            number=$((number + 1))
            sleep 1
        done
        ;;
    looping)
        while [ ! -s "$session/inbox" ]; do
            call Bash '{"command":"cat CHANGELOG.md"}' "nothing new" false
        done
        mv "$session/inbox" "$session/inbox.read"
        read_chapters 8
        ;;
    failing) while :; do call Bash '{"command":"make test"}' "error: 3 tests failed" true; done ;;
    overdue) while :; do read_chapter "$number"; done ;;
    *)
        echo "session.sh: \"$way\" is no way: fine, silent, looping, failing or overdue" >&2
        exit 2
        ;;
esac
