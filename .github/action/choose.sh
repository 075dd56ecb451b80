#!/usr/bin/env bash
# Decides which program the action runs: the release that VERSION names; without it, the release
# of the tag by which the action is used; or else the source of the action, to be built.
# It sets the outputs version (of the release; empty if the source is built), folder (for the
# program) and key (of the cache, for a program that is built).
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/common.sh"

release='^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$'
version=$VERSION
if [ -z "$version" ]; then
  # Inside of another action, REF can be that action's. The folder tells whether it is ours.
  [[ $REF =~ $release && ${ACTION##*[/\\]} == "$REF" ]] && version=$REF || version=source
fi
if [ "$version" != source ]; then
  [[ $version =~ $release ]] || fail "the input version is \"$version\": give a release such as v1.2.3, or the word source"
  printf 'version=%s\nfolder=%s\n' "$version" "$RUNNER_TEMP/a2a-conform/$version" >> "$GITHUB_OUTPUT"
  exit
fi
[ -z "$SHA256" ] || fail "the input sha256 is the checksum of a release's archive, and this program is built from source: add version: v1.2.3, with the release that you mean"

files=$(cd "$ACTION" && find . -name .git -prune -o -type f -exec "${sum[@]}" {} + | LC_ALL=C sort)
key=$(printf '%s\n' "$REF" "$files" | "${sum[@]}" | cut -c 1-64)
printf 'version=\nfolder=%s\nkey=%s\n' "$RUNNER_TEMP/a2a-conform/$key" "a2a-conform-$RUNNER_OS-$RUNNER_ARCH-$key" >> "$GITHUB_OUTPUT"
