# shellcheck shell=bash
# Sets `driver` and `browser`, or ends the test as skipped.
driver=$(command -v chromedriver) || { echo "chromedriver is not installed: skipped"; exit 77; }
# shellcheck disable=SC2034
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "no browser is installed: skipped"
    exit 77
}
command -v python3 >/dev/null || { echo "python3 is not installed: skipped"; exit 77; }
