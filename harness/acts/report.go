package acts

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Report is the report of a run over one transport, in the form of section 13 of the draft.
type Report struct {
	Version     string            `json:"acts_version"`
	SpecVersion string            `json:"spec_version"`
	GeneratedAt string            `json:"generated_at"`
	SDK         SDKInfo           `json:"sdk"`
	Transport   string            `json:"transport"`
	Environment map[string]string `json:"environment,omitempty"`
	Summary     Summary           `json:"summary"`
	Suites      []ReportedSuite   `json:"suites"`
}

// SDKInfo is what was tested.
type SDKInfo struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Language string `json:"language"`
}

// LevelSummary counts the results of the tests of a level.
type LevelSummary struct {
	Total   int `json:"total"`
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Errors  int `json:"errors"`
}

// Summary counts the results of all tests.
type Summary struct {
	LevelSummary
	DurationMS int64                    `json:"duration_ms"`
	ByLevel    map[string]*LevelSummary `json:"by_level"`
}

// ReportedSuite is a suite with the results of its tests.
type ReportedSuite struct {
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Tests []ReportedTest `json:"tests"`
}

// ReportedTest is the result of a test.
type ReportedTest struct {
	ID         string           `json:"id"`
	Name       string           `json:"name"`
	Level      string           `json:"level"`
	Result     string           `json:"result"`
	DurationMS int64            `json:"duration_ms"`
	SkipReason string           `json:"skip_reason,omitempty"`
	Failure    *ReportedFailure `json:"failure,omitempty"`
	Steps      []ReportedStep   `json:"steps,omitempty"`
}

// ReportedFailure is why a test, or a step, did not pass.
type ReportedFailure struct {
	Message  string `json:"message"`
	Step     string `json:"step_id,omitempty"`
	Expected string `json:"expected,omitempty"`
	Actual   string `json:"actual,omitempty"`
	Path     string `json:"assertion_path,omitempty"`
}

// ReportedStep is the result of a step.
type ReportedStep struct {
	ID         string           `json:"id"`
	Result     string           `json:"result"`
	DurationMS int64            `json:"duration_ms"`
	Failure    *ReportedFailure `json:"failure,omitempty"`
}

// NewReport returns the report of the results over one transport. clean removes secrets from texts of the server.
func NewReport(set *Set, results []*TestResult, transport string, sdk SDKInfo, at time.Time, clean func(string) string) *Report {
	r := &Report{Version: set.Version, SpecVersion: set.SpecVersion, GeneratedAt: at.UTC().Format(time.RFC3339), SDK: sdk, Transport: transport,
		Summary: Summary{ByLevel: map[string]*LevelSummary{"must": {}, "should": {}, "may": {}}}}
	byTest := map[*Test]*TestResult{}
	for _, result := range results {
		byTest[result.Test] = result
	}
	for _, s := range set.Suites {
		suite := ReportedSuite{ID: s.ID, Name: s.Name}
		for _, t := range s.Tests {
			result := byTest[t]
			r.Summary.countResult(result.Result)
			r.Summary.ByLevel[t.Level].countResult(result.Result)
			r.Summary.DurationMS += result.Duration.Milliseconds()
			suite.Tests = append(suite.Tests, newReportedTest(result, clean))
		}
		r.Suites = append(r.Suites, suite)
	}
	return r
}

// countResult counts a result.
func (s *LevelSummary) countResult(result string) {
	s.Total++
	switch result {
	case Passed:
		s.Passed++
	case Failed:
		s.Failed++
	case Skipped:
		s.Skipped++
	default:
		s.Errors++
	}
}

func newReportedTest(r *TestResult, clean func(string) string) ReportedTest {
	out := ReportedTest{ID: r.Test.ID, Name: r.Test.Name, Level: r.Test.Level, Result: r.Result, DurationMS: r.Duration.Milliseconds(), SkipReason: clean(r.SkipReason), Failure: newReportedFailure(r.Failure, clean)}
	for _, s := range r.Steps {
		out.Steps = append(out.Steps, ReportedStep{s.ID, s.Result, s.Duration.Milliseconds(), newReportedFailure(s.Failure, clean)})
	}
	return out
}

func newReportedFailure(f *Failure, clean func(string) string) *ReportedFailure {
	if f == nil {
		return nil
	}
	return &ReportedFailure{clean(f.Message), f.Step, clean(f.Expected), clean(f.Actual), clean(f.Path)}
}

// oddInFileName are characters that the name of a report does not have.
var oddInFileName = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// FileName returns the name of a report's file, as section 13.5 of the draft has it.
func (r *Report) FileName() string {
	name := strings.Trim(oddInFileName.ReplaceAllString(r.SDK.Name, "-"), "-.")
	if name == "" {
		name = "unknown"
	}
	at := strings.NewReplacer("-", "", ":", "").Replace(r.GeneratedAt)
	return fmt.Sprintf("acts-report-%s-%s-%s.json", strings.ToLower(name[:min(len(name), 60)]), r.Transport, at)
}

// DescribeCard returns the name and the version of the agent by the first card on a record; "" for what it does not
// state.
func DescribeCard(t *record.Transcript) (name, version string) {
	for _, step := range t.Steps() {
		if step.Op != "card" || step.Exchange == nil {
			continue
		}
		root := step.Exchange.Reply().Root
		if n := root.Member("name"); n != nil && n.Kind == record.String {
			name = n.String
			if v := root.Member("version"); v != nil && v.Kind == record.String {
				version = v.String
			}
			return name, version
		}
	}
	return "", ""
}
