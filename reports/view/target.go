package view

import (
	"cmp"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// DescribeOperatorDeclarations lists the settings of the configuration on which verdicts depend.
func DescribeOperatorDeclarations(r *report.Report) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(r.Target.Declares)) {
		out = append(out, safetext.Line(describeOperatorDeclaration(r.Target, k, strings.Join(r.Target.Declares[k], ", ")), safetext.MaxReason))
	}
	return out
}

// describeOperatorDeclaration describes one setting of a configuration.
func describeOperatorDeclaration(t report.Target, name, values string) string {
	whose := "Your configuration"
	switch t.Kind {
	case Bundled:
		whose = "The configuration of the bundled server"
	case Replayed:
		whose = "The configuration in the transcript"
	}
	switch {
	case values == "":
		return whose + " sets " + name
	case name == "words" && t.IsClient():
		return "Stated of the client (--declare): " + values
	case name == "words":
		return whose + " sets " + values
	case name == "never":
		return whose + " says that the agent never does: " + values
	}
	return whose + " sets " + name + ": " + values
}

// ListDiscoveryAttempts are the questions that were asked to find the server out. Those that follow each other
// and came to the same are one line.
func ListDiscoveryAttempts(r *report.Report) (out []string) {
	last := ""
	for _, text := range r.Tried {
		asked, came, ok := strings.Cut(text, ": ")
		if n := len(out); ok && n > 0 && came == last {
			before := strings.TrimSuffix(out[n-1], ": "+last)
			out[n-1] = before + ", " + dropRepeatedOrigin(before, asked) + ": " + came
			continue
		}
		out, last = append(out, text), came
	}
	return out
}

// dropRepeatedOrigin is a question after another one: without the origin, if it is the same.
func dropRepeatedOrigin(previous, next string) string {
	_, rest, _ := strings.Cut(previous, " ")
	address, _, _ := strings.Cut(rest, ", ")
	address, _, _ = strings.Cut(address, " ")
	u, err := url.Parse(address)
	method, to, ok := strings.Cut(next, " ")
	if err != nil || u.Host == "" || !ok {
		return next
	}
	origin := u.Scheme + "://" + u.Host
	path, same := strings.CutPrefix(to, origin)
	switch {
	case !same:
		return next
	case path == "" || strings.HasPrefix(path, " "):
		return method + " /" + path
	case path[0] != '/' && path[0] != '?':
		return next
	}
	return method + " " + path
}

// DialectName names the protocol that was judged.
func DialectName(t report.Target) string {
	switch {
	case t.Title != "":
		return safetext.Line(t.Title, safetext.MaxName)
	case t.Dialect == "auto":
		return "a protocol that was not recognised"
	}
	return safetext.Line(t.Dialect, safetext.MaxName)
}

// DescribeTargetWithURL names what was judged, and its address.
func DescribeTargetWithURL(t report.Target) string {
	if t.Kind == Bundled && t.Role == "" {
		return "the " + DescribeTargetByKind(t) + " (" + safetext.Line(t.URL, safetext.MaxName) + ")"
	}
	return DescribeTargetByKind(t)
}

// Replayed is the kind of target that is a file: nothing proves that the server which it names was called.
const Replayed = report.ReplayedTarget

// Bundled is the kind of target that comes with this program.
const Bundled = report.BundledTarget

// DescribeTargetByKind returns the name of what was judged, for places that are read alone: the one line of a quiet
// run, a heading, a testcase. The bundled server is never named by its URL only, which could be that of any
// server, nor a transcript by the URL in it alone.
func DescribeTargetByKind(t report.Target) string {
	switch {
	case t.IsClient() && t.Kind == record.TrafficKind:
		return "the client of " + cmp.Or(safetext.Line(t.URL, safetext.MaxName), "a recording")
	case t.Kind == record.TrafficKind:
		return "the traffic with " + cmp.Or(safetext.Line(t.URL, safetext.MaxName), "a server")
	case t.IsClient():
		return "the client " + cmp.Or(FormatCommand(t.Command), safetext.Line(t.URL, safetext.MaxName), "that was used by hand")
	}
	if t.IsGateway() {
		return "the gateway " + safetext.Line(t.Through, safetext.MaxName) + " before " + safetext.Line(t.URL, safetext.MaxName)
	}
	switch t.Kind {
	case Bundled:
		return "bundled " + safetext.Line(t.Dialect, safetext.MaxName) + " reference server"
	case Replayed:
		return "an unsigned transcript that names " + safetext.Line(t.URL, safetext.MaxName)
	}
	return safetext.Line(t.URL, safetext.MaxName)
}

// Offers lists what else the server offers, and how that is judged: each in words, with the flag.
func Offers(t report.Target) (out [][2]string) {
	for _, o := range t.Offers {
		out = append(out, [2]string{"the card also offers " + safetext.Line(cmp.Or(o.Title, o.Dialect), safetext.MaxName), "--dialect " + safetext.Line(o.Dialect, safetext.MaxName)})
	}
	return out
}
