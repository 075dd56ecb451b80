package view

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// DescribeKnownSDKFaults returns what of the failures is known of the SDK on which the agent is built, in one line; "" if a run
// has nothing of it.
func DescribeKnownSDKFaults(r *report.Report) string {
	s := r.SDK
	if s == nil || !r.Verdict.Speaks() || r.Causes+s.Waived == 0 {
		return ""
	}
	title := safetext.Line(s.Title(), safetext.MaxName)
	var parts []string
	if r.Causes > 0 {
		parts = append(parts, safetext.CountWithNoun(r.Causes, "cause"))
		switch {
		case s.Causes == 0:
			parts = append(parts, "none is a known fault of "+title)
		case s.Declared:
			parts = append(parts, fmt.Sprintf("%d %s of %s", s.Causes, singularOrPlural(s.Causes, "is a known fault", "are known faults"), title))
		default:
			parts = append(parts, fmt.Sprintf("%d %s of %s, if you use it", s.Causes, singularOrPlural(s.Causes, "looks like a known fault", "look like known faults"), title))
		}
	}
	if s.Waived > 0 {
		parts = append(parts, fmt.Sprintf("%s %s of %s", safetext.CountWithNoun(s.Waived, "waived failure"), singularOrPlural(s.Waived, "is a known fault", "are known faults"), title))
	}
	own := 0
	for i := range r.Results {
		if r.Results[i].Verdict == report.Waived && r.Results[i].Known == nil {
			own++
		}
	}
	switch beyond := r.Causes - s.Causes; {
	case beyond > 0:
		parts = append(parts, fmt.Sprintf("%d %s beyond the SDK", beyond, singularOrPlural(beyond, "points", "point")))
	case own > 0:
		parts = append(parts, safetext.CountWithNoun(own, "other failure")+singularOrPlural(own, " is waived", " are waived"))
	default:
		parts = append(parts, "nothing points beyond the SDK")
	}
	if open := len(ResultsOfKind(r, Inconclusive)); open > 0 {
		parts = append(parts, safetext.CountWithNoun(open, "requirement")+singularOrPlural(open, " is undecided", " are undecided"))
	}
	if !s.Declared && s.Declare != "" {
		parts = append(parts, "to name it, give "+safetext.Line(s.Declare, safetext.MaxName))
	}
	return strings.Join(parts, "; ")
}

// DescribeKnown returns by which known fault of an SDK a requirement fails, in one line; "" if by none.
func DescribeKnown(r *report.Result) string {
	k := r.Known
	if k == nil {
		return ""
	}
	whose := "a known fault of " + k.SDK
	if k.Supposed {
		whose = "looks like a known fault of " + k.SDK + ", if you use it"
	}
	return safetext.Line(fmt.Sprintf("%s: %s (%s, seen %s; %s)", whose, strings.TrimSuffix(k.Fault, "."), k.Place(), k.Seen, describeUpstream(k)), safetext.MaxReason)
}

func describeUpstream(k *report.KnownFault) string {
	if strings.HasPrefix(k.Upstream, "https://") {
		return "reported: " + k.Upstream
	}
	return k.Upstream
}

// IsBeyondSDK reports whether a failure is none of the known faults of the agent's SDK, although others are.
func IsBeyondSDK(s *report.SDKFaults, r *report.Result) bool {
	return s != nil && s.Failures > 0 && r.Verdict == report.Fail && r.Known == nil
}
