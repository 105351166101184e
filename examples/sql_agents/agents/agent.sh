#!/bin/sh
# agent.sh WAY DATABASE PROMPT [PAUSE]: plays an agent that has nothing but SQL. It takes its statements from the prompt,
# word for word but for the number of the step and the text, and its work from the line "Remaining steps: [1,2,3]".
#   works   all steps, PAUSE seconds each, then completes
#   naps    the same, but stands still for ten pauses after its first step
#   stops   one step, then nothing for ever
#   asks    all steps, but after the first it asks a person, and waits ten pauses for the answer
#   joins   the same as stops, but it puts its work into the queue by itself, where it waits ten pauses for an agent, and
#           writes to its queue item
prompt=$3
pause=${4:-1}

# statement N: the Nth paragraph of the prompt that is a statement.
statement() { awk -v n="$1" 'BEGIN { RS = "" } /;$/ && ++found == n { print }' "$prompt"; }

# execute STATEMENT WHAT: until there is an answer. No row: replaced, or the run is over.
execute() {
    tries=0
    until answer=$(printf '%s\n' "$1" | sqlite3 -batch "$2" 2>&1); do
        tries=$((tries + 1))
        [ "$tries" -lt 50 ] || exit 1
        sleep 0.1
    done
    [ -n "$answer" ] || { echo "$3: no row, so I stop"; exit 3; }
    echo "$3: $answer"
}

# Numbers and texts as the prompt's example has them.
checkpoint() { # STEP
    execute "$(statement 1 | sed "s/UNION SELECT 1 /UNION SELECT $1 /; s/'Read the parser''s tests[^,]*'/'Step $1''s work is done'/")" \
        "$database" "step $1"
}

database=$2
if [ "$1" = joins ]; then
    execute "INSERT INTO agent_progress(queue_item_id, agent_task_name, work_item, plan, status)
        VALUES (7, 'guest', 'Do what the guest wants, in four steps.', '[1,2,3,4]', 'queued') RETURNING 'inserted'" \
        "$database" queue
    for _ in 1 2 3 4 5 6 7 8 9 10; do sleep "$pause"; done
    execute "UPDATE agent_progress
        SET last_checkpoint = CURRENT_TIMESTAMP, last_step = 'The guest''s first step is done',
            completed_steps = json_insert(completed_steps, '\$[#]', 1)
        WHERE queue_item_id = 7 RETURNING 'counted'" "$database" "step 1"
    exec sleep 120
fi
worked=
for step in $(sed -n 's/^Remaining steps: \[\(.*\)\]$/\1/p' "$prompt" | tr ',' ' '); do
    sleep "$pause"
    checkpoint "$step"
    [ "$1" != stops ] || exec sleep 120
    [ "$1" != asks ] || [ -n "$worked" ] || execute "$(statement 5)" "$database" question
    { [ "$1" != naps ] && [ "$1" != asks ]; } || [ -n "$worked" ] || for _ in 1 2 3 4 5 6 7 8 9 10; do sleep "$pause"; done
    worked=yes
done
execute "$(statement 6)" "$database" completed
