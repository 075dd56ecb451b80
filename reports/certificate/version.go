package certificate

import (
	"fmt"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Unreleased is the version of a build that was given none.
const Unreleased = "devel"

// NextRelease is the number of the next release at least. A build without a place of its own
// among the versions comes after every release before this one, and before this one.
const NextRelease = "v1.0.0"

// isRelease reports whether a version names one state of the code.
func (t Tool) isRelease() bool { return releasedVersion.MatchString(t.Version) }

// hasSameVersionNumber reports whether two programs have one version. Then they judge alike and write alike,
// also if they were built for two systems.
func (t Tool) hasSameVersionNumber(other Tool) bool { return t.Version == other.Version }

// sameFile reports whether two programs are one executable, so that they also compress alike.
func (t Tool) sameFile(other Tool) bool { return t.Program != "" && t.Program == other.Program }

// checkVersion refuses a version that no build of the program has.
func checkVersion(version string) error {
	if version == Unreleased || isFullVersion(version) {
		return nil
	}
	return fmt.Errorf("the version %q, which cannot be read: one is like v1.2.0, or %s for a build without a version", shortenText(version), Unreleased)
}

// isFullVersion reports whether a version has all three numbers.
func isFullVersion(version string) bool {
	return semver.IsValid(version) && semver.Canonical(version)+semver.Build(version) == version
}

// isNewer reports whether a version came after the one of the program that checks.
func isNewer(made, checks string) bool {
	if !isFullVersion(made) {
		return false // a build without a version has no place among them
	}
	return semver.Compare(made, placeOf(checks, made)) > 0
}

// placeOf is the version as which the program is compared with another one. A
// checkout without tags calls itself v0.0.0-DATE, which only orders it among its like.
func placeOf(checks, made string) string {
	const unreleased = NextRelease + "-0"
	switch {
	case !isFullVersion(checks):
		return unreleased
	case module.IsPseudoVersion(checks) && !module.IsPseudoVersion(made) && semver.Compare(checks, unreleased) < 0:
		return unreleased
	}
	return checks
}

// checkClaim refuses what a certificate claims of the program that made it, if that cannot be
// or if the program that checks came before it.
func checkClaim(made, checks Tool) error {
	if err := checkVersion(made.Version); err != nil {
		return fmt.Errorf("it claims to be made by %w", err)
	}
	switch {
	case made.sameFile(checks) && made.Version != checks.Version:
		return fmt.Errorf("it claims to be made by version %s and by the executable of %s, which are not one program", shortenText(made.Version), checks.Version)
	case isNewer(made.Version, checks.Version):
		return fmt.Errorf("it claims to be made by version %s, which is newer than this one (%s): verify it with that version or a later one", shortenText(made.Version), checks.Version)
	}
	return nil
}

// namesVersion reports whether a pattern of versions names some of them, at least by their
// first number, and does not take every version that a signer may claim.
func namesVersion(pattern string) bool {
	major, _, whole := strings.Cut(pattern, ".")
	return whole && semver.IsValid(major) || pattern == Unreleased
}

// checkVersionPattern refuses a pattern that fits no version at all.
func checkVersionPattern(pattern string) error {
	switch wild := strings.ContainsAny(pattern, `*?[\`); {
	case !wild && checkVersion(pattern) != nil, wild && !strings.ContainsAny(pattern[:1], `v*?[\`):
		return fmt.Errorf("%q fits no version; write it like v1.2.0 or v1.*", pattern)
	}
	return nil
}
