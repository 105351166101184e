#!/bin/sh
# Plays an agent that repeats itself: the same five lines again and again, until somebody speaks to it. Then it finishes
# its work, which is long enough to be believed: a few new lines are no recovery from a loop. The argument is the time
# between two blocks in seconds.
pause=${1:-1}
told=$(mktemp)
trap 'rm -f "$told"' EXIT
trap 'exit 143' TERM

# A background process of a shell reads from nowhere unless it is given the input under another number.
exec 3<&0
{ IFS= read -r line && printf '%s\n' "$line" >"$told"; } <&3 &

echo "Working on the release notes."
while [ ! -s "$told" ]; do
    echo "Reading CHANGELOG.md"
    echo "The section for 2.4 is missing."
    echo "Adding the section for 2.4"
    echo "error: CHANGELOG.md is read-only"
    echo "Trying again."
    sleep "$pause"
done

echo "Somebody says: $(head -c 60 "$told")..."
echo "Right. Another way then: writing RELEASE-NOTES.md instead."
for chapter in introduction features fixes changes removals security speed platforms packages upgrade known-problems \
    documentation translations thanks credits licence; do
    sleep "$pause"
    echo "read the commits about: $chapter"
    echo "wrote the chapter $chapter"
done
echo "Done."
