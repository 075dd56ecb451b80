#!/usr/bin/env bash
# Judges a server with PROGRAM, adds the summary to that of the job, and sets the outputs of the
# action. Its exit code is that of the run.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/common.sh"

# split_args splits a text into the array args by the rules of a shell for blanks, quotes and
# backslashes. It expands nothing: no variable, no command, no pattern.
split_args() {
  local text=$1 word='' begun='' quote='' c i
  args=()
  for ((i = 0; i < ${#text}; i++)); do
    c=${text:i:1}
    case $quote$c in
      \'\' | \"\") quote='' ;;
      \'?) word+=$c ;;
      \\ | \"\\)
        i=$((i + 1))
        [ "$i" -lt ${#text} ] || fail "the input args ends with a backslash: remove it, or write two for one"
        c=${text:i:1}
        if [ "$c" != $'\n' ]; then # a line that goes on in the next one
          [ -z "$quote" ] || [[ $c == [\"\\\$\`] ]] || word+=\\
          word+=$c begun=1
        fi
        ;;
      \"?) word+=$c ;;
      [\'\"]) quote=$c begun=1 ;;
      [[:space:]])
        [ -z "$begun" ] || args+=("$word")
        word='' begun=''
        ;;
      *) word+=$c begun=1 ;;
    esac
  done
  [ -z "$quote" ] || fail "the input args has a $quote without its counterpart: add it, or write \\$quote for the character itself"
  [ -z "$begun" ] || args+=("$word")
}

# count_results prints the outputs with the counts, of one or several report.json, whose members
# have a line each.
count_results() {
  awk '
    /^  "summary": \{/ { inside = 1; next }
    inside && /^  \}/ { inside = 0 }
    inside && /^    "[A-Z]+": \{/ { level = $1 }
    inside && /^      "/ { gsub(/[",:]/, ""); count[$1] += $2; if (level ~ /MUST/ && $1 == "fail") broken += $2 }
    END { printf "passed=%d\nfailed=%d\nundecided=%d\nwaived=%d\nmusts-broken=%d\n", count["pass"], count["fail"], count["inconclusive"], count["waived"], broken }
  ' /dev/null "$@"
}

print_path() { # OUTPUT FILE
  [ ! -f "$2" ] || echo "$1=$2"
}

[[ $OUT != *[$'\r\n']* ]] || fail "the input out has several lines: give one folder"
split_args "$ARGS"
set -- ${args[@]+"${args[@]}"}
printed=
before=
for arg in "$@"; do
  case "$before $arg" in "--format sarif" | *" --format=sarif") printed=$RUNNER_TEMP/a2a-conform.sarif ;; esac
  before=$arg
done
set -- "$@" --out "$OUT" --gate "$GATE" --wait "$WAIT"
[ -z "$CONFIG" ] || set -- "$@" --config "$CONFIG"
[ -z "$WAIVERS" ] || set -- "$@" --waivers "$WAIVERS"
[ -z "$TARGET" ] || set -- "$@" "$TARGET"

# What is older than this file was left by an earlier run.
began=$(mktemp "$RUNNER_TEMP/a2a-conform-began.XXXXXX")
trap 'rm -f "$began"' EXIT
code=0
if [ -n "$printed" ]; then
  "$PROGRAM" run "$@" > "$printed" || code=$?
else
  "$PROGRAM" run "$@" || code=$?
fi

if [ "$OUT/index.html" -nt "$began" ]; then # several dialects, a folder each
  reports=() summaries=("$OUT/summary.md")
  for report in "$OUT"/*/report.json; do
    [ "$report" -nt "$began" ] || continue
    reports+=("$report") summaries+=("${report%/*}/summary.md")
  done
  cat "${summaries[@]}" >> "$GITHUB_STEP_SUMMARY"
  {
    sed -n '1s/^.* a2a-conform: \([a-z]*\), .*$/verdict=\1/p' "$OUT/summary.md"
    echo "report=$OUT/index.html"
    echo "html=$OUT/index.html"
    echo "junit=$OUT/*/junit.xml"
    count_results ${reports[@]+"${reports[@]}"}
  } >> "$GITHUB_OUTPUT"
elif [ "$OUT/report.json" -nt "$began" ]; then
  cat "$OUT/summary.md" >> "$GITHUB_STEP_SUMMARY"
  {
    sed -n 's/^  "verdict": "\([a-z]*\)",$/verdict=\1/p' "$OUT/report.json"
    echo "report=$OUT/report.json"
    print_path html "$OUT/report.html"
    print_path junit "$OUT/junit.xml"
    count_results "$OUT/report.json"
  } >> "$GITHUB_OUTPUT"
else
  exit "$code"
fi
{
  print_path badge "$OUT/badge.svg"
  if [ -n "$printed" ] && [ -s "$printed" ]; then
    mv -f "$printed" "$OUT/a2a-conform.sarif"
    echo "sarif=$OUT/a2a-conform.sarif"
  fi
} >> "$GITHUB_OUTPUT"
exit "$code"
