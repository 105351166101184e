#!/bin/sh
# worker.sh WAY [PAUSE]: plays a worker in a pane of tmux; PAUSE is the time between two lines of its output in seconds.
#   works     writes a line again and again
#   stalls    five lines, then nothing until somebody types a line into its pane; then it goes on
#   fails     two lines, then an error, then nothing
#   asks      two lines, then a question, until it is answered with a line; then it goes on
#   finishes  three lines, then reports that it is complete
# It ends by itself after some minutes, whatever is typed.
way=$1
pause=${2:-1}
step=0

work() { # COUNT
    last=$((step + $1))
    while [ "$step" -lt "$last" ] && [ "$step" -lt 3000 ]; do
        step=$((step + 1))
        echo "step $step"
        sleep "$pause"
    done
}
report() { [ -z "${TMUX_PANE:-}" ] || tmux set-option -p -t "$TMUX_PANE" @status "$1"; }

case $way in
    works) work 3000 ;;
    stalls)
        work 5
        read -r line
        echo "told: $line"
        work 3000
        ;;
    fails)
        work 2
        echo "Error: cannot open parser.y"
        sleep 600
        ;;
    asks)
        work 2
        printf 'Do you want to proceed? (y/n) '
        read -r line
        echo "going on"
        work 3000
        ;;
    finishes)
        work 3
        echo "all 12 tests pass"
        report complete
        sleep 600
        ;;
    *)
        echo "worker.sh: no such way: $way" >&2
        exit 2
        ;;
esac
