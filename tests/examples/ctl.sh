#!/usr/bin/env bash
# heeler-ctl on stores that heeler-replay made: what it shows, what it refuses, and that a watchdog applies what was noted.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
ctl=$bin/heeler-ctl
replay=$bin/heeler-replay
for program in "$ctl" "$replay"; do
    [ -x "$program" ] || { echo "not built: $program"; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export USER=ana
unset HEELER_STORE
export XDG_STATE_HOME=/nowhere
failures=0

fail() {
    echo "FAILED: $1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2"
    failures=$((failures + 1))
}

# expect STATUS WHAT ARGUMENTS...: runs heeler-ctl on $store; its output is in $work/out and $work/err.
expect() {
    local status=$1 what=$2
    shift 2
    timeout 60 "$ctl" --store "$store" "$@" >"$work/out" 2>"$work/err" </dev/null
    local got=$?
    [ "$got" = "$status" ] || fail "$what: status $got, not $status" "$work/err"
}

says() { grep -qF -- "$2" "$1" || fail "nothing says \"$2\"" "$1"; }
silent() { ! grep -qF -- "$2" "$1" || fail "it says \"$2\"" "$1"; }
decisions() { "$ctl" --store "$store" status --json | grep -c '"type":"decision"'; }

# Moments in seconds before now, as RFC 3339.
now=$(date -u +%s)
ago() { date -u -d "@$((now - $1))" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -r $((now - $1)) +%Y-%m-%dT%H:%M:%SZ; }
since() { # SECONDS_AGO JSON...: one line of a scenario
    local at
    at=$(ago "$1")
    shift
    echo "{\"at\":\"$at\",$*}"
}
watch() { # reads a scenario, on $store
    "$replay" --preset long_run --store "$store" - >"$work/watched" 2>&1 || fail "heeler-replay" "$work/watched"
}

hostile='it'\''s "x"; DROP TABLE runs; --|'
hostile_json='it'\''s \"x\"; DROP TABLE runs; --|'
scenario() {
    since 700 '"type":"run","run":"port-parser","task":"Port the parser"'
    since 690 '"type":"checkpoint","run":"port-parser","step":1,"text":"lexer done"'
    since 680 "\"type\":\"run\",\"run\":\"$hostile_json\""
    since 670 '"type":"run","run":"write-docs"'
    since 660 '"type":"state","run":"write-docs","state":"waiting_human"'
    since 650 '"type":"run","run":"old"'
    since 640 '"type":"state","run":"old","state":"completed"'
    since 600 '"type":"notifier","results":["permanent"]'
    since 20 '"type":"output","run":"port-parser","text":"one\n"'
}
# A watchdog that knows the class, and looks at everything once.
cycle() {
    since 0 "\"type\":\"run\",\"run\":\"cycle$1\""
    since 0 '"type":"tick"'
}

echo "== ids that look like options, or hide something"
store=sqlite:$work/odd.db
bidi=$(printf 'a\342\200\256b')
{
    for id in -h --all -- --for "$bidi"; do since 100 "\"type\":\"run\",\"run\":\"$id\""; done
    cycle odd
} | watch
for id in -h --all -- --for "$bidi"; do
    expect 0 "the id $id" snooze --for 2h -- "$id"
    expect 0 "the id $id" status -- "$id"
done
[ "$(decisions)" = 5 ] || fail "not five decisions" <("$ctl" --store "$store" status --json)
expect 0 "all" status
says "$work/out" 'a\u{202E}b'
expect 0 "all as JSON" status --json
says "$work/out" 'a\u202eb'
expect 3 "no such run" ack -- "$bidi$bidi"
says "$work/err" 'a\u{202E}ba\u{202E}b'

echo "== what is no store"
store=sqlite:$work/none.db expect 1 "a missing file" status
says "$work/err" "$work/none.db: it does not exist"
[ ! -e "$work/none.db" ] || fail "a missing file was created"
store=sqlite:$work/none.db expect 1 "a missing file" freeze
[ ! -e "$work/none.db" ] || fail "a missing file was created"
store=sqlite:$work expect 1 "a directory" status
says "$work/err" "it is a directory"
: >"$work/empty"
store=sqlite:$work/empty expect 1 "an empty file" status
[ ! -s "$work/empty" ] || fail "an empty file was filled"
echo "something else" >"$work/text"
store=sqlite:$work/text expect 1 "something else" ack x
says "$work/err" "it is not a store of heeler"
says "$work/text" "something else"
for store in redis:x sqlite: postgres: "" "$work/none.db" memory; do expect 2 "--store $store" status; done
says "$work/err" "--store is 'memory'"

echo "== what was due long ago, and was not written since"
store=sqlite:$work/late.db
{
    since 900 '"type":"run","run":"late"'
    since 890 '"type":"tick"'
} | watch
expect 0 "late" status
silent "$work/out" "due "
says "$work/out" "with the next cycle"

store=sqlite:$work/store.db
scenario | watch

echo "== bad arguments"
expect 2 "no verb"
expect 2 "an unknown verb" forget port-parser
expect 2 "no run" ack
expect 2 "too much" ack port-parser write-docs
expect 2 "an empty id" ack ""
expect 2 "an id with a control sequence" ack $'a\e[31m'
silent "$work/err" $'\e'
expect 2 "a name with a line break" --by $'x\ny' ack port-parser
[ "$(wc -l <"$work/err")" = 1 ] || fail "an argument adds a line to the message" "$work/err"
expect 2 "no moment" snooze port-parser
expect 2 "two moments" snooze port-parser --for 2h --until "$(ago -7200)"
expect 2 "no length" snooze port-parser --for soon
says "$work/err" '"soon" is no duration'
expect 2 "no moment of time" snooze port-parser --until tomorrow
expect 2 "a moment that is over" snooze port-parser --until "$(ago 60)"
says "$work/err" "which is over"
[ "$(decisions)" = 0 ] || fail "bad arguments were noted"
expect 0 "help" --help
says "$work/out" "mark-wrong"
"$ctl" status >/dev/null 2>&1 && fail "no store is needed"
HEELER_STORE=$store "$ctl" status >/dev/null || fail "the store is not taken from the environment"

echo "== runs"
expect 0 "status" status
says "$work/out" "port-parser"
says "$work/out" 'DROP TABLE runs; --\|'
says "$work/out" "waiting_human"
says "$work/out" "check of inject:nudge"
says "$work/out" "STALLED"
silent "$work/out" "completed"
expect 0 "ended runs too" status --all
says "$work/out" "completed"
silent "$work/out" "Watchdog"
expect 0 "one run" status port-parser
says "$work/out" "lexer done"
silent "$work/out" "write-docs"
expect 0 "explain" explain "$hostile"
says "$work/out" "inject:nudge"
expect 0 "report" report "$hostile"
says "$work/out" "| Conditions detected | STALLED"
expect 0 "report of an ended run" report old
says "$work/out" "completed"
expect 0 "outbox" outbox
says "$work/out" "given up"
says "$work/out" "run.unhealthy"
for verb in status ack explain report; do
    expect 3 "$verb of an unknown run" $verb port-parsr
    says "$work/err" 'no run has the id "port-parsr"; nearest: "port-parser"'
done
expect 3 "nothing like it" status zzzzzzzzzzzz
says "$work/err" "lists all 4"
for verb in ack continue dismiss resume mark-stopped mark-wrong freeze unfreeze "snooze --for 1h"; do
    expect 3 "$verb of an ended run" $verb old
    says "$work/err" "(10m "
    says "$work/err" "completed; nothing was noted"
done
[ "$(decisions)" = 0 ] || fail "a decision about an ended run was noted"

echo "== decisions, and the watchdog that applies them"
expect 0 "ack" ack "$hostile"
says "$work/out" "noted as decision 1: the next cycle applies it"
silent "$work/out" "no watchdog has written"
expect 0 "snooze" snooze port-parser --for 2h --by bo
says "$work/out" "(in 2h 0m)"
expect 0 "dismiss" dismiss write-docs
watched_store=$store
store=sqlite:$work/idle.db
{
    since 700 '"type":"run","run":"idle"'
    since 690 '"type":"tick"'
} | watch
expect 0 "of a run that nobody writes" dismiss idle
says "$work/out" "no watchdog has written this run for 11m"
store=$watched_store
expect 0 "freeze of a run" freeze write-docs
expect 0 "resume" resume write-docs
says "$work/out" "the watchdog had not paused it when it was last written"
expect 0 "freeze of all" freeze
says "$work/out" "in force from the next cycle until unfreeze"
expect 0 "a second freeze" freeze --by bo
expect 0 "status" status
says "$work/out" "FROZEN since"
says "$work/out" "by ana: nothing is done to any run"
says "$work/out" "Noted, not applied yet:"
says "$work/out" "| bo "
expect 0 "status of one run" status port-parser
says "$work/out" "snooze"
silent "$work/out" "dismiss"
cycle 1 | watch
expect 0 "status" status
says "$work/out" "FROZEN since"
silent "$work/out" "Noted, not applied yet:"
says "$work/out" "snoozed until"
says "$work/out" "acknowledged"
says "$work/out" "FROZEN, dismissed"
expect 0 "explain" explain port-parser
says "$work/out" '"verb":"snooze","by":"bo"'

expect 0 "unfreeze" unfreeze
expect 0 "status" status
says "$work/out" "decision 8 ends it"
expect 0 "continue" continue port-parser
expect 0 "mark-wrong" mark-wrong "$hostile"
cycle 2 | watch
expect 0 "status" status
silent "$work/out" "FROZEN since"
says "$work/out" "How often it was wrong:"
says "$work/out" "1 (50 %)"
expect 0 "explain" explain port-parser
says "$work/out" '"verb":"continue","by":"ana"'
expect 0 "mark-stopped" mark-stopped write-docs
cycle 3 | watch
expect 3 "ack of a run that was marked as stopped" ack write-docs
says "$work/err" "cancelled"

echo "== a run that has an owner"
{
    since 30 '"type":"run","run":"owned","owner":"ana"'
    since 0 '"type":"tick"'
} | watch
expect 0 "dismiss by somebody else" dismiss owned --by bo
says "$work/out" 'only its owner, "ana", may snooze, continue or dismiss it, so it will be ignored'
expect 0 "freeze by somebody else" freeze owned --by bo
silent "$work/out" "owner"
expect 0 "snooze by the owner" snooze owned --for 2h
silent "$work/out" "ignored"
cycle 4 | watch
expect 0 "explain" explain owned
says "$work/out" '"verb":"dismiss","by":"bo","ignored":"not the owner"'
expect 0 "status of one run" status owned
says "$work/out" "| Owner"
says "$work/out" "snoozed until"
silent "$work/out" "dismissed"
expect 0 "status --json" status owned --json
says "$work/out" '"owner":"ana"'

echo "== what was spent"
kept=$store
store=sqlite:$work/spent.db
echo '{"spend": {"owner_day_usd": 10}}' >"$work/spend.json"
{
    since 30 '"type":"run","run":"paid","owner":"ana"'
    since 20 '"type":"usage","run":"paid","tokens_in":1200000,"cost_usd":8.5'
    since 10 '"type":"run","run":"next","owner":"ana","continues":"paid"'
    since 5 '"type":"usage","run":"next","tokens_in":34567,"cost_usd":2'
    since 2 '"type":"tick"'
    since 0 '"type":"tick"'
} | "$replay" --preset long_run --config "$work/spend.json" --store "$store" - >"$work/watched" 2>&1 ||
    fail "heeler-replay" "$work/watched"
says "$work/watched" '"alert":"spend.reached"'
expect 0 "status" status
says "$work/out" "Spent today (UTC):"
says "$work/out" "1,234,567"
says "$work/out" "\$10.50"
expect 0 "status --json" status --json
says "$work/out" '{"type":"spend","owner":"ana","tokens":1234567,"usd":10.5}'
expect 0 "status of one run" status next
says "$work/out" "34,567 tokens, \$2.00; since \`paid\` 1,234,567 tokens, \$10.50"
says "$work/out" "cap owner_day_usd \$10.00: reached, nobody is started for it"
store=$kept

echo "== silences"
kept=$store
store=sqlite:$work/silent.db
{
    since 700 '"type":"run","run":"first","tags":["nightly"]'
    since 700 '"type":"tick"'
} | watch
expect 2 "a silence of nothing" silence --for 2h --because x
says "$work/err" "does not say what it is about: name at least one of run, class, tag, kind and at-most"
expect 2 "no comment" silence --run r --for 2h
expect 2 "a blank comment" silence --run r --for 2h --because "  "
says "$work/err" "has no comment"
expect 2 "a long comment" silence --run r --for 2h --because "$(head -c 100000 /dev/zero | tr '\0' x)"
says "$work/err" "has 100000 bytes, the limit is 512: shorten it"
expect 2 "a comment with a control sequence" silence --run r --for 2h --because $'a\e[2J'
silent "$work/err" $'\e'
expect 2 "an end that is over" silence --run r --until "$(ago 60)" --because x
says "$work/err" "which is over"
expect 2 "no end" silence --run r --because x
expect 2 "a long silence" silence --run r --for 31d --because x
says "$work/err" "the limit is 30 days"
expect 2 "an unknown severity" silence --at-most loud --for 2h --because x
says "$work/err" "--at-most is 'loud', but must be 'none', 'warning' or 'critical'"
expect 2 "what is about no run" silence --kind watchdog.store_down --for 2h --because x
says "$work/err" "are about no run and are always told"
expect 0 "nothing was noted" silences
says "$work/out" "Nothing is silenced."
expect 0 "a silence" silence --class long_run --at-most warning --for 2h --because "deploy it's \"x\""
says "$work/out" "noted as silence 1 about class long_run, at most warning: in force from the next cycle until unsilence 1"
[ ! -s "$work/err" ] || fail "a warning of a class that there is" "$work/err"
expect 0 "another one" silence --run nobody --kind escalation --for 1h --because "not now" --by bo
[ "$(cat "$work/err")" = "heeler-ctl: no run has the id 'nobody'" ] || fail "another warning" "$work/err"
for each in "--run firts:no run has the id 'firts'; did you mean 'first'?" \
    "--class longrun:no run has the class 'longrun'; did you mean 'long_run'?" \
    "--tag nightyl:no run that goes on has the tag 'nightyl'; did you mean 'nightly'?" \
    "--kind run.unhealty:no alert of heeler's own has the kind 'run.unhealty'; did you mean 'run.unhealthy'?"; do
    # shellcheck disable=SC2086 # two words
    expect 0 "${each%%:*}" silence ${each%%:*} --for 1h --because x
    says "$work/out" "noted as silence"
    [ "$(cat "$work/err")" = "heeler-ctl: ${each#*:}" ] || fail "${each%%:*}: another warning" "$work/err"
    number=$(sed -n 's/^noted as silence \([0-9]*\) .*/\1/p' "$work/out")
    expect 0 "its end" unsilence "$number"
done
expect 0 "silences" silences
says "$work/out" "deploy it's \"x\""
says "$work/out" "run nobody, kind escalation"
expect 0 "silences --json" silences --json
says "$work/out" '"verb":"silence","run":null,'
says "$work/out" '"about":"class long_run, at most warning","because":"deploy it'
expect 0 "status" status
says "$work/out" "SILENCED by 1 of ana until"
silent "$work/out" "Noted, not applied yet:"
{
    since 690 '"type":"run","run":"r"'
    since 20 '"type":"output","run":"r","text":"one\n"'
} | watch
expect 0 "explain" explain r
says "$work/out" "silenced by 1 (ana until"
says "$work/out" "nudge"
silent "$work/out" "alert.delivered"
expect 0 "status of one run" status r
says "$work/out" "SILENCED by 1"
silent "$work/out" "SILENCED by 2"
expect 0 "unsilence" unsilence 1 --by bo
says "$work/out" "silence 1 of ana about class long_run, at most warning is over from the next cycle on"
expect 3 "unsilence again" unsilence 1
says "$work/err" "no silence 1 is in force"
expect 2 "unsilence of no number" unsilence one
expect 0 "silences" silences
silent "$work/out" "long_run"
says "$work/out" "nobody"
store=$kept

echo "== two operators at once"
operator() { for _ in 1 2 3 4 5 6 7 8 9 10; do "$ctl" --store "$store" --by "$1" ack port-parser || echo "status $?"; done; }
operator ana >"$work/ana" 2>&1 &
operator bo >"$work/bo" 2>&1
wait $!
[ "$(cat "$work/ana" "$work/bo" | grep -o 'noted as decision [0-9]*' | sort -u | wc -l)" = 20 ] ||
    fail "20 decisions have no 20 numbers" "$work/bo"
[ "$(decisions)" = 20 ] || fail "20 decisions were not noted"

echo "== programs can read it"
if command -v python3 >/dev/null; then
    all_json() {
        python3 -c 'import json, sys
lines = [json.loads(line) for line in sys.stdin]
sys.exit(not lines or not all(isinstance(line, dict) for line in lines))' <"$work/out"
    }
    for view in "status" "status --all" "status port-parser" "outbox" "report old"; do
        expect 0 "$view" $view --json
        all_json || fail "$view --json is no JSON" "$work/out"
    done
    expect 0 "status" status "$hostile" --json
    python3 -c 'import json, sys; sys.exit(json.loads(sys.stdin.readline())["run"] != sys.argv[1])' "$hostile" \
        <"$work/out" || fail "an id does not read back" "$work/out"

    # Watchdogs that share the store.
    expect 0 "no holders" holders
    says "$work/out" "No watchdog has a name here"
    python3 - "$work/store.db" <<'PYTHON'
import sqlite3, sys, time
store = sqlite3.connect(sys.argv[1])
now = int(time.time() * 1e6)
store.execute("INSERT INTO leases VALUES ('dog', 'd', 3, ?), ('c\x1b[1mat', '', 7, ?)", (now + 600_000_000, now - 60_000_000))
store.execute("UPDATE runs SET holder = 'dog', epoch = 3 WHERE id IN ('port-parser', 'old')")
store.commit()
PYTHON
    expect 0 "holders" holders
    says "$work/out" "| dog "
    grep -Eq '\| dog +\| 3 +\| live, 9m 5[0-9]s left +\| 1 ' "$work/out" || fail "dog's lease" "$work/out"
    grep -Eq '\| 7 +\| over for 1m [0-9]+s +\| 0 ' "$work/out" || fail "cat's lease" "$work/out"
    silent "$work/out" $'\e'
    expect 0 "holders" holders --json
    all_json || fail "holders --json is no JSON" "$work/out"
    says "$work/out" '"holder":"dog","epoch":3,"live":true,'
    expect 0 "status" status
    says "$work/out" "| Watchdog |"
    expect 0 "status" status port-parser --json
    says "$work/out" '"holder":"dog"'

    # Text in a store that somebody else wrote, and facts that this version cannot read.
    python3 - "$work/store.db" <<'PYTHON'
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
store.execute("UPDATE runs SET class = 'a\x1b]0;owned\x07\u202eb', facts = substr(facts, 1, 40) WHERE id = 'port-parser'")
store.execute("UPDATE audit SET body = '\x1b[2Jx' WHERE run = 'port-parser'")
store.commit()
PYTHON
    for view in status "status port-parser" "explain port-parser"; do
        expect 0 "$view of damaged facts" $view
        silent "$work/out" $'\e'
        says "$work/out" "ab"
    done
    expect 0 "status" status port-parser
    says "$work/out" "| Incident   | ? "
    says "$work/out" "?: written by another version of heeler, or damaged"
    expect 1 "report of damaged facts" report port-parser
    says "$work/err" "another version of heeler"

    # Rows that nobody can read: all else is shown.
    python3 - "$work/store.db" <<'PYTHON'
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
store.execute("UPDATE runs SET attempt = 'x' WHERE id = 'write-docs'")
store.execute("UPDATE alerts SET attempts = 'y' WHERE state = 'dead'")
store.execute("UPDATE audit SET kind = x'00' WHERE ordinal = (SELECT min(ordinal) FROM audit WHERE run = 'port-parser')")
store.commit()
PYTHON
    for view in "status --all" "status --all --json"; do
        expect 1 "$view of a damaged row" $view
        says "$work/out" "port-parser"
        says "$work/err" "heeler-ctl: run \"write-docs\": table 'runs', column 'attempt' holds 'x'"
        [ "$(grep -c "'attempt'" "$work/err")" = 1 ] || fail "it is not named once" "$work/err"
    done
    says "$work/out" '"type":"damaged","run":"write-docs","what":"table '
    all_json || fail "status --json is no JSON" "$work/out"
    expect 1 "a run that cannot be read" status write-docs
    says "$work/err" "'attempt' holds 'x'"
    expect 1 "a decision about it" ack write-docs
    expect 1 "outbox" outbox --json
    says "$work/out" "\"what\":\"table 'alerts', column 'attempts' holds 'y'"
    expect 1 "explain" explain port-parser
    says "$work/out" "lexer done"
    says "$work/err" "table 'audit', column 'kind'"
    expect 0 "freeze" freeze
    expect 1 "damaged facts in JSON" status port-parser --json
    says "$work/out" '"readable":false'
else
    echo "python3 is missing: JSON was not parsed, nothing was damaged"
fi

[ $failures = 0 ] || { echo "$failures failed"; exit 1; }
echo "all passed"
