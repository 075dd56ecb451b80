package view_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A gateway is judged again before the same server, by the same addresses.
func TestCheckCommandOfGateways(t *testing.T) {
	for want, target := range map[string]report.Target{
		"a2a-conform run http://s:1 --through http://g:2 --dialect a2a-1.0":                                                                                                                               {URL: "http://s:1", Through: "http://g:2"},
		"a2a-conform run http://s:1 --through http://g:2 --through 'GRPC=g:3' --upstream-listen 127.0.0.1:9 --dialect a2a-1.0":                                                                            {URL: "http://127.0.0.1:9", Server: "http://s:1", Through: "http://g:2", ThroughGRPC: "g:3"},
		"a2a-conform run --through http://g:2 --upstream-listen 127.0.0.1:9 --upstream-variant signed --dialect a2a-1.0":                                                                                  {Kind: view.Bundled, URL: "http://127.0.0.1:9", Through: "http://g:2", Variant: "signed"},
		"a2a-conform run 'http://s:1/$(id)' --through 'http://g:2/$(id)' --through 'GRPC=$(id)' --upstream-listen '127.0.0.1:9/$(id)' --upstream-variant '$(id)' --dialect a2a-1.0":                       {URL: "http://127.0.0.1:9/$(id)", Server: "http://s:1/$(id)", Through: "http://g:2/$(id)", ThroughGRPC: "$(id)", Variant: "$(id)"},
		"a2a-conform run http://s:1 --through http://g:2 --header 'X-Tenant: a b' --header 'X-Secret: '\"$A2A_X_SECRET\" --api-key-env A2A_API_KEY --api-key-header X-Key --timeout 5s --dialect a2a-1.0": {URL: "http://s:1", Through: "http://g:2", Flags: []string{"--header X-Tenant: a b", "--header X-Secret: ⟦secret:x-secret⟧", "--api-key-env", "--api-key-header X-Key", "--timeout 5s", "--out x", "--config=y", "--"}},
		"": {Kind: view.Replayed, URL: "http://s:1", Through: "http://g:2"},
	} {
		target.Role, target.Dialect = schema.GatewayRole, "a2a-1.0"
		if got := view.CheckCommand(target, "GW-VIA-001"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// A client is judged again by its command, or by hand if it has none.
func TestCheckCommandOfClients(t *testing.T) {
	client := report.Target{Role: schema.ClientRole, Kind: "url", Dialect: "a2a-1.0"}
	started, bundled := client, client
	started.Command = []string{"node", "my client.js", "{url}", "{text}"}
	bundled.Kind = view.Bundled
	for _, c := range []struct {
		of       report.Target
		id, want string
	}{
		{started, "X-1", "a2a-conform client --dialect a2a-1.0 --run X-1 -- node 'my client.js' {url} {text}"},
		{started, "", "a2a-conform client --dialect a2a-1.0 -- node 'my client.js' {url} {text}"},
		{client, "X-1", "a2a-conform client --dialect a2a-1.0 --listen 127.0.0.1:0 --run X-1"},
		{bundled, "X-1", "a2a-conform client --self --dialect a2a-1.0 --run X-1"},
	} {
		if got := view.CheckCommand(c.of, c.id); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestNextStep names one step for each way in which a run can end.
func TestNextStep(t *testing.T) {
	const url = "http://agent.test"
	result := func(id string, v report.Verdict, remedy string) report.Result {
		return report.Result{ID: id, Level: schema.Must, Verdict: v, Remedy: remedy}
	}
	known := func(id string, supposed bool) report.Result {
		r := result(id, report.Fail, "")
		r.Known = &report.KnownFault{SDK: "sdk", Supposed: supposed}
		return r
	}
	ask := result("X-1", report.Inconclusive, "stimuli: {ask: {text: …}}  or  declares: {never: [ask]}")
	heavy := result("X-2", report.Inconclusive, "--allow heavy")
	for _, c := range []struct {
		name string
		r    report.Report
		want string
	}{
		{"unreachable", report.Report{Verdict: report.Unreachable}, "a2a-conform probe http://agent.test --wait 30s"},
		{"refused", report.Report{Verdict: report.Void, NeedsCredentials: true, Reason: "give --api-key-env NAME"}, "a2a-conform run http://agent.test --api-key-env A2A_TOKEN"},
		{"refused, and the reason is a notice", report.Report{Verdict: report.Void, NeedsCredentials: true}, "a2a-conform run http://agent.test --bearer-env A2A_TOKEN"},
		{"cut", report.Report{Verdict: report.Void, Run: report.Run{Cut: "the deadline passed"}}, "a2a-conform run http://agent.test --deadline 10m"},
		{"void", report.Report{Verdict: report.Void}, ""},
		{"a failure", report.Report{Verdict: report.Nonconformant, Results: []report.Result{heavy, result("X-3", report.Fail, "")}}, "a2a-conform explain X-3"},
		{"a known fault of the SDK, and another", report.Report{Verdict: report.Nonconformant, SDK: &report.SDKFaults{Name: "sdk", Waive: "sdk:js@1.3.0"}, Results: []report.Result{known("X-6", false), result("X-3", report.Fail, "")}}, "a2a-conform explain X-3"},
		{"known faults of the SDK alone", report.Report{Verdict: report.Nonconformant, SDK: &report.SDKFaults{Name: "sdk", Waive: "sdk:js@1.3.0"}, Results: []report.Result{known("X-6", false)}}, "a2a-conform run http://agent.test --waivers sdk:js@1.3.0"},
		{"known faults of an SDK that nobody named", report.Report{Verdict: report.Nonconformant, SDK: &report.SDKFaults{Name: "sdk", Declare: "--sdk js@1.3.0"}, Results: []report.Result{known("X-6", true)}}, "a2a-conform explain X-6"},
		{"a part", report.Report{Verdict: report.Partial, Run: report.Run{Selection: "--area card"}, Results: []report.Result{ask}}, "a2a-conform run http://agent.test"},
		{"behaviours", report.Report{Verdict: report.Partial, Results: []report.Result{ask, heavy}}, "a2a-conform init http://agent.test"},
		{"another flag decides more", report.Report{Verdict: report.Partial, Results: []report.Result{ask, heavy, heavy}}, "a2a-conform run http://agent.test --allow heavy"},
		{"behaviours, and a configuration is there", report.Report{Verdict: report.Partial, Target: report.Target{Declares: map[string][]string{"never": {"fail"}}}, Results: []report.Result{ask}}, ask.Remedy},
		{"waived", report.Report{Verdict: report.Partial, Results: []report.Result{result("X-4", report.Waived, "")}}, "a2a-conform explain X-4"},
		{"conformant", report.Report{Verdict: report.Conformant}, "a2a-conform keygen acme && a2a-conform run http://agent.test --sign acme.key"},
		{"the bundled server", report.Report{Verdict: report.Conformant, Target: report.Target{Kind: view.Bundled}}, "a2a-conform run http://localhost:9999"},
		{"a transcript", report.Report{Verdict: report.Partial, Target: report.Target{Kind: view.Replayed}, Results: []report.Result{ask}}, ""},
		{"a hostile address", report.Report{Verdict: report.Unreachable, Target: report.Target{URL: "http://a/'; rm -rf ~ #\n"}}, `a2a-conform probe 'http://a/'\''; rm -rf ~ #␊' --wait 30s`},
	} {
		r := c.r
		if r.Target.URL == "" {
			r.Target.URL = url
		}
		if r.Run.Selection == "" {
			r.Run.Selection = view.FullSelection
		}
		if got := view.NextStep(&r).Command; got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := view.NextStep(&report.Report{Verdict: report.Void, Results: []report.Result{result("X-5", report.SuiteError, "")}}); got.Why == "" || got.Command != "" {
		t.Errorf("a fault of the suite: got %q", got)
	}
}
