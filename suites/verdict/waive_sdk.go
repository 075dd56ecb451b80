package verdict

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The waivers of a known SDK come with the program, so that no operator can delete one of them. One whose
// requirement passes is no reason to close the gate, unless none of the SDK's faults is there any more.

// describeKnownFault returns what became of a waiver for a known fault of an SDK.
func (c *Decider) describeKnownFault(w operator.Waiver, r *Result) (report.WaiverState, string) {
	list := sdkPrefix + w.SDK
	switch {
	case r.Verdict == report.Waived && c.coversKnown(w.SDK, r):
		return report.InForce, ""
	case r.Verdict == report.Waived, r.Verdict == report.NotApplicable:
		return report.NotJudged, ""
	case r.Verdict == report.Pass && w.Sometimes:
		return report.Undecided, ""
	case r.Verdict == report.Pass:
		return report.Undecided, fmt.Sprintf("%s passes, which %s is known to fail: if the agent is built on another version by now, correct --waivers %s", w.ID, nameSDK(w.SDK), list)
	case c.isWaiverExpired(w):
		return report.Expired, fmt.Sprintf("the waiver of %s ended on %s, %d days after the fault was last seen: update a2a-conform or the SDK, or write a waiver of your own in place of --waivers %s", w.ID, w.Until, schema.KnownFaultDays, list)
	case r.Verdict == report.Fail:
		return report.Stale, fmt.Sprintf("%s fails, but not as %s is known to fail it: fix it, or write a waiver of your own besides --waivers %s", w.ID, nameSDK(w.SDK), list)
	}
	return report.Undecided, ""
}

// isWaivedBySDK reports whether a known fault of an SDK that the operator names covers a failure.
func (c *Decider) isWaivedBySDK(r *Result) bool {
	return slices.ContainsFunc(c.Transcript.Facts.Waivers, func(w operator.Waiver) bool {
		return w.ID == r.ID && w.SDK != "" && !c.isWaiverExpired(w) && c.coversKnown(w.SDK, r)
	})
}

// markUselessSDKWaiversStale makes the waivers of an SDK stale if not one of them is of any use: then the agent is not built
// on that version.
func markUselessSDKWaiversStale(all []report.Waiver) {
	for i := range all {
		w := &all[i]
		inForce := slices.ContainsFunc(all, func(o report.Waiver) bool { return o.SDK == w.SDK && o.State == report.InForce })
		if w.SDK != "" && w.State == report.Undecided && w.Advice != "" && !inForce {
			w.State = report.Stale
		}
	}
}

// nameSDK returns how texts call the SDK that a word names.
func nameSDK(word string) string {
	named, err := schema.FindSDK(word)
	if err != nil {
		return word
	}
	return named.Name + " " + named.Version
}

// sdkPrefix begins the name of a list of waivers that is made of the known faults of an SDK.
const sdkPrefix = "sdk:"

// WaiversOf makes a waiver of each known fault of an SDK. It covers only failures with the marks of the fault.
func WaiversOf(sdk schema.NamedSDK) (out []operator.Waiver) {
	for i := range sdk.Faults {
		f := &sdk.Faults[i]
		if f.Side != schema.ServerSide || !slices.Contains(f.Versions, sdk.Version) {
			continue
		}
		for _, id := range f.IDs {
			n := slices.IndexFunc(out, func(w operator.Waiver) bool { return w.ID == id })
			if n < 0 {
				n = len(out)
				out = append(out, operator.Waiver{ID: id, Until: f.LastDay(), SDK: sdk.String(), File: sdkPrefix + sdk.String()})
				out[n].Why = fmt.Sprintf("known fault of %s %s (%s, %s)", sdk.Name, sdk.Version, f.File, f.Function)
			}
			out[n].Until = min(out[n].Until, f.LastDay())
			out[n].Sometimes = out[n].Sometimes || f.Sometimes
		}
	}
	return out
}
