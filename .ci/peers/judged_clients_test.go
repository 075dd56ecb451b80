package peers

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// fault is one that a client has to be found with.
type fault struct {
	id, step string
	bytes    string // in the request or the response of the exchange, in small letters
	beside   string // another scenario that is looked at; "" for none
}

// judgedClients are clients on public SDKs, and one on a package that is not built on an official one, with their faults. All failures are in clients-NAME.yaml.
var judgedClients = []struct {
	name, dialect string
	start         []string
	faults        []fault
}{
	{"js", "a2a-0.3", []string{"node", "js/chat.js"}, []fault{
		{id: "A2A03-CL-IFACE-001", step: "interfaces-order/send", bytes: "post /second/rpc "}, {id: "A2A03-CL-STREAM-002", step: "stream-multi-line/stream", bytes: "\ndata: "},
		{id: "A2A03-CL-STREAM-004", step: "stream-cr/stream", bytes: "\r\rdata: "}, {id: "A2A03-CL-STREAM-012", step: "stream-label/stream", bytes: "text/event-stream; "},
	}},
	{"js10", "a2a-1.0", []string{"node", "js10/chat.js"}, []fault{
		{id: "A2A10-CL-IFACE-001", step: "interfaces-order/send", bytes: "post /second/rpc "}, {id: "A2A10-CL-IFACE-006", step: "interfaces-older/send", bytes: `"method":"sendmessage"`, beside: "interfaces-version"},
		{id: "A2A10-CL-STREAM-004", step: "stream-cr/stream", bytes: "\r\rdata: "}, {id: "A2A10-CL-STREAM-012", step: "stream-label/stream", bytes: "text/event-stream; "},
	}},
	{"go", "a2a-0.3", []string{"go"}, []fault{
		{id: "A2A03-CL-STREAM-002", step: "stream-multi-line/stream", bytes: "\ndata: "}, {id: "A2A03-CL-STREAM-004", step: "stream-cr/stream", bytes: "\r\rdata: "},
		{id: "A2A03-CL-STREAM-005", step: "stream-bom/stream", bytes: "\ufeffdata: "}, {id: "A2A03-CL-STREAM-025", step: "stream-refused-json/stream", bytes: `"error":{`},
	}},
	{"go10", "a2a-1.0", []string{"go10"}, []fault{
		{id: "A2A10-CL-RES-003", step: "unknown-part/send", bytes: `"hologram"`}, {id: "A2A10-CL-STREAM-004", step: "stream-cr/stream", bytes: "\r\rdata: "}, {id: "A2A10-CL-STREAM-005", step: "stream-bom/stream", bytes: "\ufeffdata: "},
		{id: "A2A10-CL-STREAM-016", step: "stream-unknown-event/stream", bytes: "data: "}, {id: "A2A10-CL-STREAM-026", step: "stream-refused-json/stream", bytes: `"error":{`},
	}},
	{"js01", "a2a-0.1", []string{"node", "js01/chat.js"}, []fault{
		{id: "A2A01-CL-STREAM-003", step: "stream-crlf/stream", bytes: "\r\n\r\ndata: "}, {id: "A2A01-CL-STREAM-004", step: "stream-cr/stream", bytes: "\r\rdata: "},
		{id: "A2A01-CL-STREAM-025", step: "stream-refused-json/stream", bytes: `"error":{`},
	}},
}

// judgeClient judges a client that a command starts, and returns the report and the file of the record. No failure may be in it that
// is not waived.
func judgeClient(t *testing.T, bin, dialect string, start []string, flags ...string) (r *report.Report, transcript string) {
	t.Helper()
	out := t.TempDir()
	args := slices.Concat([]string{"client", "--quiet", "--dialect", dialect, "--out", out}, flags, []string{"--"}, start)
	printed, err := exec.Command(filepath.Join(bin, "a2a-conform"), args...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, printed)
	}
	if r, err = conform.ReadReport(filepath.Join(out, "report.json")); err != nil {
		t.Fatal(err)
	}
	for _, res := range r.Results {
		if res.Verdict == report.Fail || res.Verdict == report.SuiteError {
			t.Errorf("%s %s is not known to fail: %s", res.ID, res.Level, res.Reason)
		}
	}
	return r, filepath.Join(out, "transcript.har")
}

// TestClientsAreJudged judges the simplest clients on public SDKs: each failure is a known one, and each known one is found.
func TestClientsAreJudged(t *testing.T) {
	bin := t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	for _, name := range []string{"go", "go10"} {
		build(t, name, "./chat", filepath.Join(bin, name))
	}
	for _, c := range judgedClients {
		start := locateClient(t, bin, c.start)
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			flags := []string{"--waivers", "clients-" + c.name + ".yaml"}
			if !testamount.All() { // .ci/full plays all scenarios
				flags = append(flags, "--scenario", strings.Join(scenariosOf(c.faults), ","))
			}
			r, transcript := judgeClient(t, bin, c.dialect, append(start, "{url}", "{text}", "{second}"), flags...)
			noneOverdue(t, r)
			demandFaults(t, r, transcript, c.faults)
		})
	}
}

// scenariosOf returns the scenarios in which faults are found.
func scenariosOf(faults []fault) (names []string) {
	for _, f := range faults {
		name, _, _ := strings.Cut(f.step, "/")
		names = append(names, name)
		if f.beside != "" {
			names = append(names, f.beside)
		}
	}
	return names
}

// demandFaults demands that a report shows faults, each at its step and with its bytes.
func demandFaults(t *testing.T, r *report.Report, transcript string, faults []fault) {
	t.Helper()
	talk := recorded(t, transcript)
	for _, f := range faults {
		i := slices.IndexFunc(r.Results, func(res report.Result) bool { return res.ID == f.id })
		if i < 0 {
			t.Errorf("%s was not judged", f.id)
			continue
		}
		var places []report.Evidence
		if r.Results[i].Verdict == report.Waived {
			places = slices.Clone(r.Results[i].Evidence)
		}
		for _, found := range r.Results[i].Findings {
			if found.Evidence != nil {
				places = append(places, *found.Evidence)
			}
		}
		if !slices.ContainsFunc(places, func(at report.Evidence) bool {
			if at.Step != f.step || at.Exchange < 1 || at.Exchange > len(talk.Exchanges) {
				return false
			}
			x := talk.Exchanges[at.Exchange-1]
			all := bytes.Join([][]byte{x.Request.Head, x.Request.Body, x.Response.Head, x.Response.Body}, nil)
			return strings.Contains(strings.ToLower(string(all)), f.bytes)
		}) {
			t.Errorf("%s was not found at %s with %q, but %s at %+v: %s", f.id, f.step, f.bytes, r.Results[i].Verdict, places, r.Results[i].Reason)
		}
	}
}
