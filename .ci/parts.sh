# Parts of what CI runs: each tells its seconds, and which tests it made.

unset GITHUB_ACTIONS # what is found in the servers that are judged here is no annotation of this build

wanted=("$@")
parts=()
log=$(mktemp)
beside= # the process of a part that runs beside the others
trap 'rm -f "$log"; [ -z "$beside" ] || kill "$beside" 2>/dev/null || true' EXIT

known=()

part() { # its name, what it is, and the command
  local short=$1 name=$2 began=$SECONDS
  shift 2
  known+=("$short")
  if [ "${wanted[0]:-}" = --list ]; then
    echo "$short"
    return
  fi
  if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $short "* ]]; then
    return
  fi
  echo "== $short: $name"
  set +e
  (set -e; "$@") 2>&1 | tee "$log"
  local status=${PIPESTATUS[0]}
  set -e
  if [ "$status" != 0 ]; then
    echo "== failed after $((SECONDS - began)) s: $short: $name"
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
  [ "${wanted[0]:-}" != --list ] || return 0
  local short
  for short in "${wanted[@]}"; do
    [[ " ${known[*]} " == *" $short "* ]] || { echo "there is no part $short; --list prints those there are"; exit 2; }
  done
  echo "== passed"
  printf '%s\n' "${parts[@]}"
  printf '%5d s  altogether\n' "$SECONDS"
}

beside() { # like part, but it runs beside the parts that follow, and is shown when they have ended
  local short=$1
  if [ "${wanted[0]:-}" = --list ] || { [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $short "* ]]; }; then
    part "$@"
    return
  fi
  known+=("$short")
  beside_log=$(mktemp)
  (SECONDS=0; log=$(mktemp); known=(); parts=(); part "$@"; rm -f "$log"; echo "${parts[0]}") >"$beside_log" 2>&1 &
  beside=$!
}

awaited() { # what runs beside the parts
  [ -n "$beside" ] || return 0
  local status=0
  wait "$beside" || status=$?
  beside=
  cat "$beside_log"
  [ "$status" = 0 ] || exit 1
  parts+=("$(tail -n 1 "$beside_log")")
  rm -f "$beside_log"
}

installed() { # Debian packages, by one part at a time
  local as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  (
    flock 9
    $as_root apt-get update -q
    $as_root apt-get install -q -y --no-install-recommends "$@"
  ) 9>"${TMPDIR:-/tmp}/a2a-conform-packages"
}

with_browser() { # a command, with Chromium and axe-core there
  if ! command -v chromium chromium-browser google-chrome >/dev/null; then
    installed chromium
  fi
  command -v npm >/dev/null || installed nodejs npm
  npm ci --prefix .ci/browser --no-fund --no-audit --silent
  "$@"
}

gateways_of_debian() { # the programs, if they are not there
  [ -x /usr/sbin/nginx ] && [ -x /usr/sbin/haproxy ] && [ -x /usr/bin/caddy ] || installed nginx-light haproxy caddy
}

peers() { # real servers and clients, with flags of the tests
  command -v npm >/dev/null || installed nodejs npm
  command -v zip unzip openssl ssh-keygen curl >/dev/null || installed zip unzip openssl openssh-client curl
  command -v chromium >/dev/null || installed chromium
  gateways_of_debian
  local folder
  for folder in js js10 js01 playwright; do
    npm ci --prefix ".ci/peers/$folder" --no-fund --no-audit --silent
  done
  for folder in go go10; do
    (cd ".ci/peers/$folder" && go vet ./... && go tool -modfile=../../tools/go.mod staticcheck ./...)
  done
  (cd examples/a2a-go && go vet ./... && go tool -modfile=../../.ci/tools/go.mod staticcheck ./... && go test -count=1 -timeout 10m ./...)
  go vet ./.ci/peers
  go test -count=1 -timeout 20m "$@" ./.ci/peers
}

# Tests that are not run with the race detector: the work of theirs is done by processes of
# their own, by single goroutines for minutes, or by the same runs again.
alone='TestSecretsStayOut|TestPlayWithAdapter|TestLegalScriptsSendValidAnswers|TestBundledClientIsDecided|TestAddingARequirement|TestServerWithARateLimit|TestDisguiseOfHealthyServers|TestNothingOnTheWireNamesTheStep|TestCommandsInTheGuides|TestLargeListIsReadEntryByEntry|TestOneBadValueCostsItsTarget'

# Tests that judge one server in several ways, or play each defect of a client, each of which starts the goroutines of the others.
repeated='TestEachMutantCanBeSeen|TestSeveralBindings|TestNoConversationFindsWhatAnotherLeft|TestGRPCIsJudgedAlike|TestRESTIsJudgedAlike|TestAnotherBindingIsJudgedAlike'

# Packages that start goroutines, or whose tests have others start them.
concurrent='. ./cmd/a2a-conform-fleet/internal/... ./cmd/internal/cli ./harness ./harness/client ./harness/conversation ./harness/livepage ./harness/record ./harness/relay ./harness/scenario/malformed ./harness/schedule ./harness/serve ./internal/recognition ./reference ./reference/client ./reference/engine ./reference/front ./suites/judge ./suites/verdict'

# Of what the test command leaves out, the tests that .ci/run has all the same.
left='TestCommandsInTheGuides|TestSecretsStayOut|TestEveryDenialLeavesAWayOut|TestTableIsStable|TestSabotageIsNoticed|TestEveryRecorded.*'
