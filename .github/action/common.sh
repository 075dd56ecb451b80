# What the scripts of the action share. It is sourced by bash.

# fail MESSAGE ends the action. The message is on one line, so that no other command of the runner
# is in it.
fail() {
  local breaks=$'\r\n'
  echo "::error::${1//[$breaks]/ }"
  exit 2
}

# sum is the command that prints SHA-256 checksums.
sum=(sha256sum)
command -v sha256sum > /dev/null || sum=(shasum -a 256) # macOS
