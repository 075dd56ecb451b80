package reports

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Schema is the JSON Schema of report.json.
//
//go:embed report.schema.json
var Schema []byte

// ReadJSON reads a report that JSON wrote. It refuses what the schema does not
// describe, and a report that contradicts itself: one whose counts are not
// those of its results, or whose verdict is better than they allow.
func ReadJSON(rd io.Reader) (*report.Report, error) {
	b, err := io.ReadAll(io.LimitReader(rd, maxReport+1))
	if err != nil {
		return nil, fmt.Errorf("not a report: %w", err)
	}
	if len(b) > maxReport {
		return nil, fmt.Errorf("not a report: it is larger than %d MiB, which no report of a run is; name the report.json of a run", maxReport>>20)
	}
	if n := record.CountValues(b); n > maxReportValues {
		return nil, fmt.Errorf("not a report: it has about %d values, and no report of a run has more than %d; name the report.json of a run", n, maxReportValues)
	}
	if err := validateReport(b); err != nil {
		return nil, err
	}
	var r report.Report
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("not a report: %w", err)
	}
	return &r, checkConsistency(&r)
}

// Bounds of a report that is read. One that a run wrote is far below: it has some
// hundred results, each with texts and places that are bounded.
const (
	maxReport       = 24 << 20
	maxReportValues = 200_000
)

func checkConsistency(r *report.Report) error {
	seen := map[string]int{}
	for i, res := range r.Results {
		if j, twice := seen[res.ID]; twice {
			return fmt.Errorf("results[%d] and results[%d] are both about %s: a requirement has one result", j, i, safetext.Line(res.ID, safetext.MaxName))
		}
		seen[res.ID] = i
	}
	for level, want := range report.Summarize(r.Results) {
		if got := r.Summary[level]; got != want {
			return fmt.Errorf("summary.%s does not count the results: it is %+v, the results give %+v", level, got, want)
		}
	}
	// A stated verdict may be graver than the results alone would give, for a
	// run can go wrong or be narrow in ways that no result shows.
	cut := report.Whole
	if r.Run.Cut != "" {
		cut = report.OutOfTime
	}
	best := report.Decide(r.Results, true, true, cut)
	if slices.Index(view.VerdictsByGravity, r.Verdict) > slices.Index(view.VerdictsByGravity, best) {
		return fmt.Errorf("verdict is %q, but the results allow no better than %q", r.Verdict, best)
	}
	return nil
}

// decodeSingleJSON reads exactly one JSON value, numbers as they are written.
func decodeSingleJSON(b []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("not JSON: %w at byte %d", err, syntax.Offset)
		}
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("not one JSON value: something follows at byte %d", dec.InputOffset())
	}
	return v, nil
}

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const name = "report.schema.json"
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	if err := c.AddResource(name, bytes.NewReader(Schema)); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

// validateReport checks a text against the schema of reports and names the first places that differ from it.
func validateReport(b []byte) error {
	v, err := decodeSingleJSON(b)
	if err != nil {
		return fmt.Errorf("not a report: %w", err)
	}
	if err := checkNumbers(v, ""); err != nil {
		return err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return errors.New("not a report: it is no JSON object")
	}
	// The version is checked first: a report of another version differs from the schema in many places, and
	// none of them is the reason.
	if version, ok := m["schemaVersion"].(string); ok && version != view.SchemaVersion {
		return fmt.Errorf("schemaVersion is %q, this version reads %q", safetext.Line(version, safetext.MaxName), view.SchemaVersion)
	}
	s, err := compiled()
	if err != nil {
		return err
	}
	err = s.Validate(v)
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return err
	}
	var faults []string
	collectErrors(ve, &faults)
	slices.Sort(faults)
	faults = slices.Compact(faults)
	const most = 5
	if more := len(faults) - most; more > 0 {
		faults = append(faults[:most], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("not a report as report.schema.json describes it: %s", strings.Join(faults, "; "))
}

func collectErrors(e *jsonschema.ValidationError, out *[]string) {
	if len(e.Causes) == 0 {
		at := e.InstanceLocation
		if at == "" {
			at = "/"
		}
		*out = append(*out, safetext.Line(at, safetext.MaxName)+": "+safetext.Line(e.Message, safetext.MaxExcerpt))
	}
	for _, c := range e.Causes {
		collectErrors(c, out)
	}
}

// checkNumbers refuses numbers that no report holds and that the validator,
// which computes exactly, cannot bear.
func checkNumbers(v any, at string) error {
	switch v := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(v.String(), 64)
		if err != nil || len(v) > 40 || f > 1e18 || f < -1e18 || f != 0 && f < 1e-18 && f > -1e-18 || exponentSize(v.String()) > 40 {
			return fmt.Errorf("%s: %s is no number of a report", safetext.Line(at, safetext.MaxName), safetext.Line(v.String(), 60))
		}
	case []any:
		for i, e := range v {
			if err := checkNumbers(e, at+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
	case map[string]any:
		for k, e := range v {
			if err := checkNumbers(e, at+"/"+k); err != nil {
				return err
			}
		}
	}
	return nil
}

// exponentSize is the size of a number's exponent; a zero may carry a huge one.
func exponentSize(s string) int {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
	if err != nil {
		return 1 << 20
	}
	return max(n, -n)
}
