package conform

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// JudgeOne judges one requirement on what a script for it left in a folder, or on the transcript
// that a run left there as transcript.har. The outcome has the result of that requirement, and of
// those that it depends on if they fail. Waivers are ignored. secret returns the values of the
// credentials by their names, "" for an unknown name: what curl wrote down is not redacted yet.
func JudgeOne(id string, dir fs.FS, secret func(name string) string) (*Outcome, *report.Result, error) {
	t, err := readFolder(id, dir)
	if err != nil {
		return nil, nil, err
	}
	var secrets []redact.Secret
	for _, name := range t.Facts.Secrets {
		if value := secret(name); value != "" {
			secrets = append(secrets, redact.Secret{Name: name, Value: value})
		}
	}
	redactor := redact.NewRedactor(secrets)
	for _, x := range t.Exchanges {
		redactor.Exchange(x)
	}
	d, err := loadFor(t.Facts)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]string, len(d.Requirements))
	for i, r := range d.Requirements {
		ids[i] = r.ID
	}
	if t.Facts.Role == schema.GatewayRole {
		ids = schema.LoadGateways().IDs()
	}
	if !slices.Contains(ids, id) {
		hint := "list shows them all"
		if near := suites.NearestID(id, ids); near != "" {
			hint = "did you mean " + near + "?"
		}
		return nil, nil, &UsageError{Text: fmt.Sprintf("%s has no requirement %q; %s", d.Title, shorten.Visible(id, 60), hint)}
	}
	f := &t.Facts
	f.Selection, f.Waivers, f.Baseline, f.Gate, f.Disguise = operator.Selection{Run: []string{id}}, nil, nil, "conformant", false
	o, err := judgeTranscript(d, t, summary.CallDirectly)
	if err != nil {
		return nil, nil, err
	}
	for i := range o.Report.Results {
		if r := &o.Report.Results[i]; r.ID == id {
			return o, r, nil
		}
	}
	return nil, nil, fmt.Errorf("%s was not judged", id)
}

// readFolder reads the transcript that is in a folder: that of a script, or of a run.
func readFolder(id string, dir fs.FS) (*record.Transcript, error) {
	t, about, err := record.ReadKept(dir)
	if err == nil {
		if about != id {
			return nil, &UsageError{Text: fmt.Sprintf("the folder holds the calls of the script for %[1]s, and they cannot decide %[2]s; run the script for %[2]s first", shorten.Visible(about, 60), shorten.Visible(id, 60))}
		}
		return t, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	const recorded = "transcript.har"
	har, none := dir.Open(recorded)
	switch {
	case errors.Is(none, fs.ErrNotExist):
		return nil, err
	case none != nil:
		return nil, none
	}
	defer har.Close()
	if t, err = record.ReadHAR(har); err != nil {
		return nil, fmt.Errorf("%s: %w", recorded, err)
	}
	return t, nil
}
