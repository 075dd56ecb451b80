package verdict

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/known"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Failures returns what fails or is waived, as known faults are looked for in it.
func (c *Decider) Failures(results []Result) (out []known.Failure) {
	for i := range results {
		if r := &results[i]; r.Verdict == report.Fail || r.Verdict == report.Waived {
			f := c.knownFailure(r)
			f.Cause = cmp.Or(r.Because, r.ID)
			out = append(out, f)
		}
	}
	return out
}

// knownFailure returns a failure. Its violations are left out if no known fault is about its requirement.
func (c *Decider) knownFailure(r *Result) known.Failure {
	f := known.Failure{ID: r.ID, Waived: r.Verdict == report.Waived, Unseen: r.unseen}
	if !slices.ContainsFunc(schema.KnownSDKs(), func(s *schema.SDK) bool { return len(s.FaultsOf(r.ID, "")) > 0 }) {
		return f
	}
	for _, all := range [][]judge.Breach{r.Broken, r.Rest} {
		for _, b := range all {
			f.Violations = append(f.Violations, c.knownViolation(b))
		}
	}
	return f
}

// knownViolation returns a violation with the bytes that were recorded at its place.
func (c *Decider) knownViolation(b judge.Breach) known.Violation {
	v := known.Violation{Pointer: b.Pointer, Bytes: b.Document.Bytes()}
	if x := b.Document.Exchange; x != nil {
		v.Steps = c.stepNames(x.ID)
		if b.OfHead && b.Header != "" {
			v.Pointer, v.Header, v.Bytes = "", b.Header, x.Response.Head
			if b.Document.Kind == judge.Delivery {
				v.Bytes = x.Request.Head
			}
			v.Got = headerValue(x, b)
			return v
		}
	}
	switch a := b.Document.Answer; {
	case a.Failure.Exists():
		v.Answer = schema.ErrorAnswer
	case a.Result.Exists():
		v.Answer = schema.ResultAnswer
	}
	if n := b.Node; n != nil && n.Start >= 0 && n.Start <= n.End && n.End <= len(v.Bytes) {
		v.Got = string(v.Bytes[n.Start:n.End])
	}
	return v
}

// headerValue returns the field of a head that a violation is about, as it was sent; "" if there is none.
func headerValue(x *record.Exchange, b judge.Breach) string {
	of := &x.Response
	if b.Document.Kind == judge.Delivery {
		of = &x.Request
	}
	if b.Header == report.StatusLine {
		if x.GRPC() != nil {
			return of.Trailers().Get("grpc-status")
		}
		return strconv.Itoa(of.Status())
	}
	return cmp.Or(of.Header().Get(b.Header), of.Trailers().Get(b.Header))
}

// coversKnown reports whether the faults of an SDK that a waiver names cause a failure.
func (c *Decider) coversKnown(sdk string, r *Result) bool {
	named, err := schema.FindSDK(sdk)
	if err != nil {
		return false // it was known to the program that made the recording
	}
	f := c.knownFailure(r)
	return known.Fits(&f, named.FaultsOf(r.ID, named.Version))
}
