#!/bin/sh
# Plays an agent that goes silent for good: it says what it does three times, and then listens to nobody. The argument is
# the time between two lines in seconds.
pause=${1:-1}
for step in 1 2 3; do
    echo "step $step of 12"
    sleep "$pause"
done
echo "waiting for a lock that nobody will release"
while :; do sleep 1; done
