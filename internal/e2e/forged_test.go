package e2e

import (
	"bytes"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/forge"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// genuine is the transcript of a run against the bundled server, as it is kept.
func genuine(t *testing.T, dialect string) []byte {
	t.Helper()
	o, err := conform.Run(t.Context(), conform.Target{URL: bundled(t, reference.Options{Dialect: dialect}).URL(), Behaviour: conform.Behaviour{DefaultStimuli: true}})
	if err != nil {
		t.Fatal(err)
	}
	var har bytes.Buffer
	if err := record.WriteHAR(&har, o.Transcript); err != nil {
		t.Fatal(err)
	}
	return har.Bytes()
}

// A transcript whose parts contradict each other is refused, with the place and with a
// sentence of its own.
func TestContradictingTranscriptsAreRefused(t *testing.T) {
	t.Parallel()
	har := genuine(t, "a2a-0.1")
	if _, err := conform.Replay(bytes.NewReader(har)); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, f := range forge.Contradicting() {
		forged, err := f.Apply(har)
		if err != nil {
			t.Fatal(err)
		}
		_, err = conform.Replay(bytes.NewReader(forged))
		switch {
		case err == nil:
			t.Errorf("%s: not noticed", f.Name)
			continue
		case !strings.Contains(err.Error(), "log."):
			t.Errorf("%s: %q names no place", f.Name, err)
		case seen[err.Error()] != "":
			t.Errorf("%s and %s: both are %q", f.Name, seen[err.Error()], err)
		}
		seen[err.Error()] = f.Name
		t.Logf("%s: %v", f.Name, err)
	}
	if len(seen) < 40 {
		t.Errorf("%d forgeries", len(seen))
	}
}

// A forgery that contradicts nothing is noticed by nobody, so that a replay says of no
// transcript that it is the verdict on a server.
func TestConsistentForgeriesAreCalledUnsigned(t *testing.T) {
	t.Parallel()
	har := genuine(t, "a2a-0.1")
	for _, f := range forge.Consistent() {
		forged, err := f.Apply(har)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(forged, har) {
			t.Fatalf("%s: nothing was changed", f.Name)
		}
		o, err := conform.Replay(bytes.NewReader(forged))
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if o.Report.Target.Kind != report.ReplayedTarget {
			t.Errorf("%s: the target is %q", f.Name, o.Report.Target.Kind)
		}
		for name, render := range map[string]func(*bytes.Buffer) error{
			"text":     func(b *bytes.Buffer) error { reports.Quiet(b, o.Report); return nil },
			"markdown": func(b *bytes.Buffer) error { return reports.Markdown(b, o.Report) },
			"junit":    func(b *bytes.Buffer) error { return reports.JUnit(b, o.Report) },
			"page":     func(b *bytes.Buffer) error { return html.WriteReport(b, o.Report, o.Transcript) },
		} {
			var b bytes.Buffer
			if err := render(&b); err != nil || !strings.Contains(strings.ReplaceAll(b.String(), "*", ""), "unsigned transcript that names") {
				t.Errorf("%s, %s (%v): it is not called an unsigned transcript:\n%.600s", f.Name, name, err, b.String())
			}
		}
	}
}
