#!/bin/sh
# Plays an agent that repeats itself: the same five lines again and again, until somebody speaks to it. Then it finishes
# its work. The argument is the time between two blocks in seconds.
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
for chapter in introduction features fixes upgrade thanks credits links licence; do
    sleep "$pause"
    echo "wrote the chapter $chapter"
done
echo "Done."
