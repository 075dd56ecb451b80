package main

import (
	"flag"
	"slices"
	"testing"
)

// Some tests do the same with many that are alike. The leads are spread over them, and show
// most of the time that the rest is as it should be, which takes minutes of two processors:
// .ci/run tries it in a part of its own.
var sweep = flag.String("sweep", "leads", "of many that are alike, which are tried: the leads, the rest, or all")

// leftOut reports whether one of many is not tried this time.
func leftOut(t *testing.T, lead bool) bool {
	if !slices.Contains([]string{"leads", "rest", "all"}, *sweep) {
		t.Fatalf("-sweep %s", *sweep)
	}
	return *sweep == "leads" && !lead || *sweep == "rest" && lead
}
