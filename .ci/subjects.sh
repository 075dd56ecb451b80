#!/usr/bin/env bash
# Checks the subjects of commits: "room: verb what", the verb in the imperative, at most 72
# characters. It reads the commits that are named (a range of git log), or else all since the rule
# has been in force.
set -euo pipefail
cd "$(dirname "$0")/.."
since=2026-11-27T15:20:00Z
verbs=" $(tr '\n' ' ' < .ci/verbs) "

git log --no-merges --format='%h %s' "${1:---since=$since}" | while read -r id subject; do
  verb=$(sed -n 's/^[a-z0-9][^:]\{0,39\}: \([a-z-]*\)\( .*\|\)$/\1/p' <<< "$subject")
  if [ ${#subject} -gt 72 ]; then
    echo "commit $id: the subject has ${#subject} characters, want at most 72: $subject"
  elif [ -z "$verb" ] || [[ "$verbs" != *" $verb "* ]]; then
    echo "commit $id: the subject must be \"room: verb what\" with a verb of .ci/verbs: $subject"
  fi
done | { ! grep .; }
