#!/usr/bin/env bash
# Puts the program into FOLDER, and FOLDER into PATH: the release VERSION, whose checksum is
# verified before anything of it is run, or what is built from the source in ACTION. What was
# built for the same source before is in FOLDER already, from the cache.
# It sets the output program.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/common.sh"

download() { # NAME of a file of the release
  local said
  # The largest archive has 30 MB. Nobody is sent from HTTPS to anything else.
  said=$(curl --fail --silent --show-error --location --proto '=http,https' --proto-redir '=https' \
    --connect-timeout 20 --max-time 300 --max-filesize 100000000 --retry 3 \
    --output "$scratch/$1" "$releases/$VERSION/$1" 2>&1) ||
    fail "$1 of the release $VERSION cannot be downloaded from $releases/$VERSION/ ($said): check the inputs version and releases, or give version: source to build the program"
}

install_release() {
  local os arch file want got
  case $RUNNER_OS in
    Linux) os=linux ;;
    macOS) os=darwin ;;
    Windows) os=windows ;;
    *) fail "no release is for $RUNNER_OS: give version: source to build the program" ;;
  esac
  case $RUNNER_ARCH in
    X64) arch=amd64 ;;
    ARM64) arch=arm64 ;;
    *) fail "no release is for the processor $RUNNER_ARCH: give version: source to build the program" ;;
  esac
  file=a2a-conform_${VERSION#v}_${os}_$arch.tar.gz
  [ "$os" != windows ] || file=${file%.tar.gz}.zip
  releases=${RELEASES%/}
  case $releases in
    http://?* | https://?*) ;;
    *) fail "the input releases is \"$releases\": give the address of a folder of releases, which begins with https://" ;;
  esac
  command -v curl > /dev/null || fail "a release is downloaded by curl, and this runner has none: install it, or give version: source to build the program"
  scratch=$(mktemp -d "$RUNNER_TEMP/a2a-conform-download.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT

  download checksums.txt
  want=$(awk -v file="$file" '$2 == file || $2 == "*" file { print $1; exit }' "$scratch/checksums.txt")
  [[ $want =~ ^[0-9a-f]{64}$ ]] || fail "checksums.txt of the release $VERSION has no SHA-256 of $file"
  if [ -n "$SHA256" ]; then
    # A job can run on several systems, so several sums can be given.
    [[ " $(tr 'A-F\t\r\n' 'a-f   ' <<< "$SHA256") " == *" $want "* ]] || fail "the release $VERSION lists $file with the SHA-256 $want, which the input sha256 does not name: find out whether the release was replaced before you change the input"
  fi
  download "$file"
  got=$("${sum[@]}" < "$scratch/$file" | cut -c 1-64)
  [ "$got" = "$want" ] || fail "the SHA-256 of $file is $got, and checksums.txt of the release $VERSION lists $want: the file was damaged or replaced, so nothing of it was run"

  case $file in
    *.tar.gz) tar -xzf "$scratch/$file" -C "$scratch" "${program##*/}" ;;
    *) (cd "$scratch" && if command -v unzip > /dev/null; then unzip -q -o "$file" "${program##*/}"; else "$SYSTEMROOT/System32/tar.exe" -xf "$file" "${program##*/}"; fi) ;;
  esac || fail "$file of the release $VERSION has no ${program##*/}"
  mv -f "$scratch/${program##*/}" "$program"
  chmod +x "$program"
  echo "a2a-conform $VERSION: $file, SHA-256 $got"
}

build_source() {
  local version=devel commit= # a branch or a commit is no version
  command -v go > /dev/null || fail "a2a-conform is built from source, and this runner has no Go: give the version of a release, such as version: v1.2.3, or add actions/setup-go before this action"
  [[ ! $REF =~ ^[0-9a-f]{40}$ ]] || commit=$REF
  [[ ! $REF =~ ^v[0-9]+\.[0-9]+\.[0-9]+ ]] || version=$REF
  # The Go of the runner fetches the one that go.mod names, for this step alone: the
  # caller's later steps have the Go that they had.
  export GOTOOLCHAIN=auto GOFLAGS= GOWORK=off
  go build -C "$ACTION" -trimpath -ldflags "-s -w -X main.version=$version -X main.commit=$commit" -o "$program" ./cmd/a2a-conform
}

program=$FOLDER/a2a-conform
[ "$RUNNER_OS" != Windows ] || program=$program.exe
mkdir -p "$FOLDER"
if [ -n "$VERSION" ]; then
  install_release
elif [ -x "$program" ]; then
  echo "a2a-conform was built from this source before, and comes from the cache"
else
  build_source
fi
echo "program=$program" >> "$GITHUB_OUTPUT"
echo "$FOLDER" >> "$GITHUB_PATH"
