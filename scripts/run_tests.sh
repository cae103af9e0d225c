#!/usr/bin/env bash
# Run the tests that the difference to a branch needs; without a branch, and on the branch itself, all of them.
#     scripts/run_tests.sh [BASE]
# The Python is that of .venv, or what PYTHON names.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
base=${1:-}
if [ -n "$base" ] && ! git rev-parse --verify --quiet "$base^{commit}" > /dev/null; then
    echo "no commit is named $base" >&2
    exit 2
fi
if [ -z "$base" ] || [ "$(git rev-parse HEAD)" = "$(git rev-parse "$base")" ]; then
    exec "$python" -m pytest -n auto
fi
found=$(mktemp)
trap 'rm -f "$found"' EXIT
"$python" -m flakelint affected --base "$base" --output-format null > "$found"
# names may hold spaces
mapfile -d '' -t files < "$found"
if [ ${#files[@]} = 0 ]; then
    echo "no test reaches what differs from $base"
    exit
fi
printf '%s\n' "${#files[@]} test files reach what differs from $base:" "${files[@]}"
"$python" -m pytest -n auto "${files[@]}"
