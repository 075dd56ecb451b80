// Package testamount describes how much the tests try. What they try is the same for everybody;
// how much of many that are alike depends on the time that there is:
//
//	go test -short ./...              nothing that starts a process or judges a whole dialect
//	go test ./...                     everything, with a few of many that are alike
//	A2A_CONFORM_TESTS=rest …          what a few leaves out
//	A2A_CONFORM_TESTS=all …           both
//	A2A_CONFORM_RANDOM=N …            N times as many random edits, runs and servers
//
// CONTRIBUTING.md states when to run which.
package testamount

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
)

// The variables of the environment, and the values of the first.
const (
	TestsVariable  = "A2A_CONFORM_TESTS"
	RandomVariable = "A2A_CONFORM_RANDOM"

	few, rest, all = "few", "rest", "all"
)

// testsSetting returns the value of the first variable. Another value than the three would run less
// than was meant, and pass.
func testsSetting() string {
	switch value := os.Getenv(TestsVariable); value {
	case "":
		return few
	case few, rest, all:
		return value
	default:
		panic(fmt.Sprintf("%s is %q: it may be %s, %s or %s", TestsVariable, value, few, rest, all))
	}
}

// Few reports whether a few of many that are alike are tried. They are unlike one another, and
// show most of the time that the rest is as it should be.
func Few() bool { return testsSetting() == few }

// All reports whether everything is tried.
func All() bool { return testsSetting() == all }

// LeavesOut reports whether one of many is not tried this time; lead states that it is one of the
// few.
func LeavesOut(lead bool) bool {
	return testsSetting() == few && !lead || testsSetting() == rest && lead
}

// Of returns the few that stand for a list, the rest of it, or all.
func Of[T comparable](list []T, few ...T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(one T) bool { return LeavesOut(slices.Contains(few, one)) })
}

// Random returns how many of so many random inputs are tried.
func Random(usual int) int {
	value := cmp.Or(os.Getenv(RandomVariable), "1")
	times, err := strconv.Atoi(value)
	if err != nil || times < 1 {
		panic(fmt.Sprintf("%s is %q: it is a number above zero", RandomVariable, value))
	}
	return max(1, usual*times)
}

// SkipInShort leaves a test out of the quick loop (-short), since it starts processes or judges
// a whole dialect. Without -short it is run.
func SkipInShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts processes or judges a whole dialect, which -short leaves out")
	}
}
