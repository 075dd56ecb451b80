# Parts of what CI runs: each tells its seconds, and which tests it made.

unset GITHUB_ACTIONS # what is found in the servers that are judged here is no annotation of this build

parts=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

part() { # its name, and the command
  local name=$1 began=$SECONDS
  shift
  echo "== $name"
  set +e
  (set -e; "$@") 2>&1 | tee "$log"
  local status=${PIPESTATUS[0]}
  set -e
  if [ "$status" != 0 ]; then
    echo "== failed after $((SECONDS - began)) s: $name"
    grep -E '^(--- FAIL|FAIL|panic:)' "$log" || true
    exit 1
  fi
  local line packages tests
  line="$(printf '%5d s  %s' $((SECONDS - began)) "$name")"
  packages=$(grep -c '^ok ' "$log" || true)
  tests=$(grep -cE '^ *--- PASS' "$log" || true)
  [ "$packages" = 0 ] || line+=", $packages packages passed"
  [ "$tests" = 0 ] || line+=", $tests tests"
  parts+=("$line")
}

summary() {
  echo "== passed"
  printf '%s\n' "${parts[@]}"
  printf '%5d s  altogether\n' "$SECONDS"
}

installed() { # Debian packages
  local as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update -q
  $as_root apt-get install -q -y --no-install-recommends "$@"
}

fuzzed() { # every fuzz test of the module, or of the files that git finds by patterns, for so long each
  local dir name binary cache said code pass=0
  binary=$(mktemp) cache=$(mktemp -d)
  for dir in $(git grep -l '^func Fuzz' -- "${@:2}" | xargs -n 1 dirname | sort -u); do
    go test -c -fuzz=. -o "$binary" "./$dir"
    for name in $(grep -hoE '^func Fuzz[A-Za-z0-9]*' "$dir"/*_test.go | cut -d' ' -f2); do
      echo "$name, $dir"
      said=$(cd "$dir" && "$binary" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime "$1" -test.fuzzcachedir "$cache" 2>&1) && code=0 || code=$?
      if [ "$code" -ne 0 ] && ! grep -q 'Failing input written' <<<"$said" && grep -q '^    context deadline exceeded$' <<<"$said"; then
        # Go's own fault at the end of the time on a busy machine: it found no input that fails.
        said=$(cd "$dir" && "$binary" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime "$1" -test.fuzzcachedir "$cache" 2>&1) && code=0 || code=$?
      fi
      tail -n 12 <<<"$said"
      [ "$code" -eq 0 ] || return 1
      pass=$((pass + 1))
    done
  done
  rm -rf "$binary" "$cache"
  echo "$pass fuzz tests, $1 each"
  [ "$pass" -gt 0 ]
}

with_browser() { # a command, with Chromium and axe-core there
  if ! command -v chromium chromium-browser google-chrome >/dev/null; then
    installed chromium
  fi
  command -v npm >/dev/null || installed nodejs npm
  npm ci --prefix .ci/browser --no-fund --no-audit --silent
  "$@"
}

# Tests that are not run with the race detector: the work of theirs is done by processes of
# their own, by single goroutines for minutes, or by the same runs again.
alone='TestSecretsStayOut|TestAddingARequirement|TestMutantsShow.*|TestHealthyServersRepeatThemselves|TestServerWithARateLimit|TestDisguiseOfHealthyServers|TestNothingOnTheWireNamesTheStep|TestCommandsInTheGuides'
