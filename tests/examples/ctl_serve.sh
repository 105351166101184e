#!/usr/bin/env bash
# heeler-ctl in a browser and in a terminal: `serve` and `watch`, on a store that a replay wrote.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/tool_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool_checks.sh"
begin ctl replay
# shellcheck source=SCRIPTDIR/../support/served_address.sh
. "$here/../support/served_address.sh"

now=$(date +%s)
at() { date -u -d "@$((now + $1))" +%Y-%m-%dT%H:%M:%SZ; }
{
    printf '{"at": "%s", "type": "run", "run": "a/b <i>", "task": "Port the parser", "metric": "files"}\n' "$(at -300)"
    printf '{"at": "%s", "type": "progress", "run": "a/b <i>", "value": 3}\n' "$(at -290)"
    printf '{"at": "%s", "type": "run", "run": "other", "task": "Docs"}\n' "$(at -290)"
    printf '{"at": "%s", "type": "heartbeat", "run": "other"}\n' "$(at -5)"
} >"$work/runs.jsonl"
"$bin/heeler-replay" --preset long_run --store "sqlite:$work/store.db" "$work/runs.jsonl" >/dev/null
export HEELER_STORE="sqlite:$work/store.db"

# serve ARGUMENTS...: starts it at a free port; its address is in $url, what it printed in $work/served.
serve() {
    rm -f "$work/served"
    "$tool" serve --port 0 "$@" >"$work/served" 2>&1 &
    behind=$!
    url=$(served_address "$work/served")
    [ -n "$url" ] || fail "serve says no address: $(cat "$work/served")"
    url=${url%/}
}
# get STATUS WHAT ARGUMENTS...: the answer is in $work/out.
get() {
    local status=$1 what=$2 got
    shift 2
    got=$(curl -s -o "$work/out" -w '%{http_code}' --max-time 60 "$@")
    [ "$got" = "$status" ] || fail "$what: $got, not $status"
}

serve
get 200 "the table" "$url/"
says 'a/b &lt;i&gt;'
says '<a href="/run?id=a%2Fb%20%3Ci%3E">'
says '<th scope="col">Incident</th>'
! grep -qF '<i>' "$work/out" || fail "an id became HTML"
! grep -qF '<form' "$work/out" || fail "anybody may decide"
curl -s -D - -o /dev/null "$url/" >"$work/out"
says 'Refresh: 5'
says "default-src 'none'"
get 200 "the page of a run" "$url/run?id=a%2Fb%20%3Ci%3E"
says '<svg'
get 404 "a run that nobody has" "$url/run?id=nobody"
get 404 "another place" "$url/etc/passwd"
get 404 "nothing may be decided" -d "run=other&verb=ack" "$url/decide"
port=${url##*:}
get 403 "somebody else's name for this machine" -H "Host: evil.example:$port" "$url/"
get 403 "no port" -H "Host: localhost" "$url/"
get 403 "a page of somebody else's" -H "Origin: http://evil.example" "$url/"
get 200 "another name of this machine" -H "Host: localhost:$port" "$url/"
! command -v python3 >/dev/null || python3 - "$port" <<'END' || fail "those that say nothing more hold up another"
import socket, sys, time
port = int(sys.argv[1])
slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]  # each is let go after a while
for one in slow:
    one.sendall(b"GET / HTTP/1.1\r\n")
began = time.monotonic()
asks = socket.create_connection(("127.0.0.1", port), 100)
asks.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
sys.exit(not asks.recv(100).startswith(b"HTTP/1.1 200 ") or time.monotonic() - began > 30)
END
kill "$behind"
wait "$behind" || fail "serve ends with $?"
behind=

serve --operate
token=$(sed -n 's/^token: //p' "$work/served")
[ ${#token} = 32 ] || fail "the token is '$token'"
get 200 "the table" "$url/"
says '<form'
! grep -qF "$token" "$work/out" || fail "the page tells the token"
get 403 "no token" -d "run=other&verb=ack" "$url/decide"
get 403 "another token" -d "run=other&verb=ack&token=${token}0" "$url/decide"
get 403 "from another page" -H "Origin: http://127.0.0.1:1" -d "run=other&verb=freeze&token=$token" "$url/decide"
get 400 "another verb" -d "run=other&verb=destroy&token=$token" "$url/decide"
get 400 "a silence needs more" -d "run=other&verb=silence&token=$token" "$url/decide"
get 400 "no length" -d "run=other&verb=snooze&token=$token&for=soon" "$url/decide"
get 200 "a run that nobody has" -d "run=nobody&verb=ack&token=$token" "$url/decide"
says 'no run has the id'
expect 0 "nothing was noted" status --json
! grep -qF '"type":"decision"' "$work/out" || fail "something was noted"
get 200 "a decision" -H "Origin: $url" -d "run=other&verb=snooze&for=2h&token=$token" "$url/decide"
says 'noted as decision 1'
expect 0 "it is noted" status --json
says '"verb":"snooze"'
"$tool" serve --port "${url##*:}" >"$work/out" 2>&1 && fail "two at one port"
says 'is taken'

# In a terminal: again and again until it is interrupted, and its end is no error.
"$tool" watch --every 50ms >"$work/out" 2>&1 &
watching=$!
for _ in $(seq 600); do
    [ "$(grep -c 'a/b <i>' "$work/out")" -lt 2 ] || break
    sleep 0.1
done
[ "$(grep -c 'a/b <i>' "$work/out")" -ge 2 ] || fail "watch shows the table once"
kill -INT "$watching"
wait "$watching" || fail "watch ends with $?"
expect 2 "a misspelt length" watch --every soon
says 'soon'
timeout 100 "$tool" watch --every 50ms 2>"$work/out" | head -n 1 >/dev/null
[ "${PIPESTATUS[0]}" = 0 ] || fail "watch goes on although nobody reads it"
finish
