package summary

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/known"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// addKnownFaults adds to each failure that is a known fault of the agent's SDK which one it is, and counts them. It
// changes no verdict. declared is the SDK as the operator names it, or "".
func addKnownFaults(r *report.Report, failures []known.Failure, declared string) {
	var named *schema.NamedSDK
	if n, err := schema.FindSDK(declared); err == nil {
		named = &n
	}
	found := known.Attribute(failures, named, schema.KnownSDKs())
	if found == nil {
		return
	}
	r.SDK = &report.SDKFaults{Name: found.SDK.Name, Version: found.Version, Declared: found.Declared}
	if found.Declared && found.Version != "" {
		r.SDK.Waive = "sdk:" + named.String()
	} else if !found.Declared {
		r.SDK.Declare = suggestSDKFlags(found.SDK, r.Target.Dialect)
	}
	beyond, causes := map[string]bool{}, map[string]bool{}
	for _, f := range failures {
		switch is := found.Faults[f.ID] != nil; {
		case f.Waived && is:
			r.SDK.Waived++
		case f.Waived:
		case is:
			r.SDK.Failures++
			causes[f.Cause] = true
		default:
			beyond[f.Cause] = true
		}
	}
	for cause := range causes {
		if !beyond[cause] {
			r.SDK.Causes++
		}
	}
	for i := range r.Results {
		if f := found.Faults[r.Results[i].ID]; f != nil {
			r.Results[i].Known = &report.KnownFault{SDK: r.SDK.Title(), Supposed: !found.Declared, Fault: f.Fault, File: f.File, Function: f.Function, Upstream: f.Upstream, Seen: f.Seen}
		}
	}
}

// suggestSDKFlags returns the flags by which an operator names an SDK, one for each version that was judged in the dialect.
func suggestSDKFlags(s *schema.SDK, dialect string) string {
	var out []string
	for _, v := range s.Versions {
		if slices.Contains(v.Dialects, dialect) {
			out = append(out, "--sdk "+schema.NamedSDK{SDK: s, Version: v.Version}.String())
		}
	}
	return strings.Join(out, " or ")
}
