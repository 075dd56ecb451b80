package view

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func TestDescribeSDK(t *testing.T) {
	undecided := report.Result{ID: "X-1", Level: schema.Must, Verdict: report.Inconclusive}
	waived := report.Result{ID: "X-2", Level: schema.Must, Verdict: report.Waived}
	known := report.Result{ID: "X-3", Level: schema.Must, Verdict: report.Waived, Known: &report.KnownFault{}}
	js := report.SDKFaults{Name: "@a2a-js/sdk", Version: "1.3.0", Declared: true}
	for _, c := range []struct {
		name    string
		verdict report.RunVerdict
		causes  int
		sdk     *report.SDKFaults
		results []report.Result
		want    string
	}{
		{"no SDK", report.Nonconformant, 8, nil, nil, ""},
		{"nothing fails", report.Conformant, 0, &js, nil, ""},
		{"a run that counts for nothing", report.Void, 8, &js, nil, ""},
		{"all of it", report.Nonconformant, 8, with(js, 8, 17, 0), []report.Result{undecided, undecided}, "8 causes; 8 are known faults of @a2a-js/sdk 1.3.0; nothing points beyond the SDK; 2 requirements are undecided"},
		{"all but one", report.Nonconformant, 8, with(js, 7, 17, 0), []report.Result{undecided}, "8 causes; 7 are known faults of @a2a-js/sdk 1.3.0; 1 points beyond the SDK; 1 requirement is undecided"},
		{"one", report.Nonconformant, 1, with(js, 1, 1, 0), nil, "1 cause; 1 is a known fault of @a2a-js/sdk 1.3.0; nothing points beyond the SDK"},
		{"none", report.Nonconformant, 3, with(js, 0, 0, 0), nil, "3 causes; none is a known fault of @a2a-js/sdk 1.3.0; 3 point beyond the SDK"},
		{"not named", report.Nonconformant, 2, &report.SDKFaults{Name: "@a2a-js/sdk", Causes: 2, Failures: 2, Declare: "--sdk js@1.3.0"}, nil,
			"2 causes; 2 look like known faults of @a2a-js/sdk, if you use it; nothing points beyond the SDK; to name it, give --sdk js@1.3.0"},
		{"waived", report.Partial, 0, with(js, 0, 0, 1), []report.Result{known}, "1 waived failure is a known fault of @a2a-js/sdk 1.3.0; nothing points beyond the SDK"},
		{"waived with another", report.Partial, 0, with(js, 0, 0, 1), []report.Result{known, waived}, "1 waived failure is a known fault of @a2a-js/sdk 1.3.0; 1 other failure is waived"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := DescribeKnownSDKFaults(&report.Report{Verdict: c.verdict, Causes: c.causes, SDK: c.sdk, Results: c.results}); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func with(s report.SDKFaults, causes, failures, waived int) *report.SDKFaults {
	s.Causes, s.Failures, s.Waived = causes, failures, waived
	return &s
}

func TestDescribeKnown(t *testing.T) {
	k := report.KnownFault{SDK: "@a2a-js/sdk 1.3.0", Fault: "It refuses nothing.", File: "src/a.ts", Function: "handle", Upstream: schema.NotReported, Seen: "2026-11-27"}
	reported := k
	reported.Upstream, reported.Supposed, reported.SDK = "https://example.com/1", true, "@a2a-js/sdk"
	for _, c := range []struct {
		known *report.KnownFault
		want  string
	}{
		{nil, ""},
		{&k, "a known fault of @a2a-js/sdk 1.3.0: It refuses nothing (src/a.ts, handle, seen 2026-11-27; not reported)"},
		{&reported, "looks like a known fault of @a2a-js/sdk, if you use it: It refuses nothing (src/a.ts, handle, seen 2026-11-27; reported: https://example.com/1)"},
	} {
		if got := DescribeKnown(&report.Result{Known: c.known}); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}
