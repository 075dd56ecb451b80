package main

import (
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports"
)

// BenchmarkReproduce writes the reports of a run that finds a dozen causes, with the
// fewest calls that show each in the scripts and without.
func BenchmarkReproduce(b *testing.B) {
	s, err := reference.Start(b.Context(), reference.Options{Dialect: "a2a-1.0", Mutant: "error-details-untyped", GRPCAddr: "127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	o, err := conform.Run(b.Context(), conform.Target{URL: s.URL(), Dialect: "a2a-1.0", Version: "test", Behaviour: conform.Behaviour{DefaultStimuli: true}, Limits: conform.Limits{Timeout: 10 * time.Second, Deadline: time.Minute}})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("fewest calls", func(b *testing.B) {
		for b.Loop() {
			if err := o.Write(b.TempDir()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all calls", func(b *testing.B) {
		for b.Loop() {
			if err := reports.Write(b.TempDir(), o.Report, o.Transcript, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
