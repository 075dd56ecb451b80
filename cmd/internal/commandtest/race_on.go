//go:build race

package commandtest

// RaceDetector reports whether this program was built with it.
const RaceDetector = true
