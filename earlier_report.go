package conform

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// ReadReport reads a report.json, or that of a folder, and refuses one that contradicts itself.
func ReadReport(file string) (*report.Report, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		folder := file
		if file = filepath.Join(folder, files.JSONFile); isMissing(file) {
			return nil, fmt.Errorf("the folder %s holds no %s; name the folder of a run, or its %[2]s", folder, files.JSONFile)
		}
	}
	f, err := schema.OpenFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := reports.ReadJSON(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// isMissing reports whether there is nothing at a path.
func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// baseline reads the earlier report that a gate names, if it names one.
func baseline(gate string) (*operator.Baseline, error) {
	file, ok := strings.CutPrefix(gate, report.BaselineGate)
	if !ok {
		return nil, nil
	}
	if file == "" {
		return nil, &UsageError{Text: "--gate baseline= names no report; write --gate baseline=OLD.json, with the report.json of an earlier run"}
	}
	r, err := ReadReport(file)
	if err != nil {
		return nil, &UsageError{Text: "--gate " + report.BaselineGate + "…: " + err.Error()}
	}
	if r.Verdict == report.Void || r.Verdict == report.Unreachable {
		return nil, &UsageError{Text: fmt.Sprintf("--gate: the run of %s is %s, so this run cannot be compared with it; name the report of a run with a verdict on the server", file, r.Verdict)}
	}
	if r.Target.Dialect == summary.Unrecognised {
		return nil, &UsageError{Text: fmt.Sprintf("--gate: the run of %s found no A2A server, so this run cannot be compared with it; name the report of a run that judged a protocol", file)}
	}
	b := &operator.Baseline{File: file, Dialect: r.Target.Dialect, Verdicts: map[string]string{}, CatalogueVersion: r.Tool.CatalogueVersion}
	for _, res := range r.Results {
		b.Verdicts[res.ID] = string(res.Verdict)
	}
	return b, nil
}

// RerunFailed narrows a selection to what an earlier run left broken, waived
// or undecided; what that rests on is judged with it.
func RerunFailed(file string) (*operator.Rerun, error) {
	r, err := ReadReport(file)
	if err != nil {
		return nil, &UsageError{Text: "--rerun-failed: " + err.Error()}
	}
	out := &operator.Rerun{File: file, Dialect: r.Target.Dialect}
	for _, res := range r.Results {
		switch res.Verdict {
		case report.Fail, report.Waived, report.Inconclusive, report.SuiteError:
			out.IDs = append(out.IDs, res.ID)
		}
	}
	if len(out.IDs) == 0 {
		return nil, &UsageError{Text: fmt.Sprintf("--rerun-failed: %s has no failure and nothing undecided, so there is nothing to run again", file)}
	}
	return out, nil
}

// DialectsOf are the names of the dialects that the target's files of earlier runs are about: its
// baseline and what is run again, or else its waivers. Run prefers them if Target.Dialect is
// left open. Two reports of different dialects are an error (*UsageError), since a run judges one.
func DialectsOf(target Target) ([]string, error) {
	if target.Baseline == nil {
		var err error
		if target.Baseline, err = baseline(target.Gate); err != nil {
			return nil, err
		}
	}
	return summary.DialectsOf(record.Facts{Baseline: target.Baseline, Selection: target.Select, Waivers: target.Waivers})
}

// sameDialect refuses to compare runs of two protocols.
func sameDialect(d *schema.Dialect, target *Target) error {
	base, rerun := cmp.Or(target.Baseline, &operator.Baseline{}), cmp.Or(target.Select.Rerun, &operator.Rerun{})
	for _, earlier := range []struct{ flag, file, dialect string }{
		{"--gate", base.File, base.Dialect},
		{"--rerun-failed", rerun.File, rerun.Dialect},
	} {
		if earlier.file != "" && earlier.dialect != d.Name && earlier.dialect != summary.Unrecognised {
			text := fmt.Sprintf("%s: %s is a report on %s, but this server is judged as %s", earlier.flag, earlier.file, earlier.dialect, d.Name)
			if target.Dialect == "" || target.Dialect == "auto" {
				text += fmt.Sprintf(", because it does not offer the other; leave the flag out, or give --dialect %s if it does speak it", earlier.dialect)
			}
			return &UsageError{Text: text}
		}
	}
	return nil
}
