package main

import (
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
)

// Writing the scripts of a run that finds many faults takes no time that anybody notices:
// of a processor it is what the reports take more where they know what was judged.
func TestReproduceSpeed(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes time of its own")
	}
	s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0", Mutant: "error-details-untyped", GRPCAddr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Dialect: "a2a-1.0", Preset: true, Version: "test", Timeout: 10 * time.Second, Deadline: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	took := func() time.Duration {
		least := time.Hour
		for range 3 {
			began := processorTime()
			if err := o.Write(t.TempDir()); err != nil {
				t.Fatal(err)
			}
			least = min(least, processorTime()-began)
		}
		return least
	}
	with := took()
	o.Report.RestOn(nil)
	without := took()
	t.Logf("%d causes: %v with the fewest calls, %v without", o.Report.Causes, with, without)
	if with-without > 250*time.Millisecond {
		t.Errorf("the fewest calls take %v", with-without)
	}
}
