# Sourced by tests of servers at a free port.
#   served_address FILE   waits until the file has a whole line, and prints the address in it
# A file that an earlier server wrote is removed before the next one is started, or its address is taken for the new one.
# shellcheck shell=bash
served_address() {
    for _ in $(seq 900); do
        [ -s "$1" ] && [ -z "$(tail -c 1 "$1")" ] && break
        sleep 0.1
    done
    grep -m 1 '^http://' "$1"
}
