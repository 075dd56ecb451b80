package script

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The script of a gateway sends the request on both ways if that shows the failure, and has all conversations held again in any case.
func TestGatewayScript(t *testing.T) {
	for name, c := range map[string]struct {
		change func(x *record.Exchange, facts *record.Facts)
		name   string // of the step before it
		op     string
		why    string // there are no calls with curl
	}{
		"both ways":     {},
		"behind it":     {change: func(_ *record.Exchange, f *record.Facts) { f.Upstream, f.Server = true, "http://127.0.0.1:7" }, why: "what reaches the server"},
		"gRPC":          {change: func(x *record.Exchange, _ *record.Facts) { x.HTTP2 = &record.HTTP2{} }, why: "it is one of gRPC"},
		"one way":       {name: "b-direct", op: "send", why: "was not sent on both ways"},
		"task it made":  {name: "send-direct", op: "get", why: "depends on the answer"},
		"another first": {name: "older-direct", op: "send"},
	} {
		t.Run(name, func(t *testing.T) {
			direct, through := reportstest.Post(`{"it\'s":"$(id)"}`, "200 OK", "application/json", "{}", 0), reportstest.Post(`{"it\'s":"$(id)"}`, "200 OK", "application/json", "{}", 0)
			through.URL = "http://127.0.0.1:8888/rpc"
			calls := []*record.Exchange{direct, through}
			if c.name != "" {
				calls = append([]*record.Exchange{reportstest.Post("{}", "200 OK", "application/json", "{}", 0)}, calls...)
			}
			r, tr := reportstest.Failing(calls...)
			r.Target.Role, r.Target.Through, r.Target.Flags = schema.GatewayRole, "http://127.0.0.1:8888", []string{"--bearer-env", "--timeout 5s", "--header X-Tenant: ⟦secret:bearer⟧", "--config x.yaml"}
			tr.Facts.Role, tr.Facts.Kind = schema.GatewayRole, "url"
			steps := tr.Plays[0].Steps
			last := len(steps) - 1
			steps[last-1].Name, steps[last-1].Side, steps[last].Name, steps[last].Side = "call-direct", record.DirectSide, "call-through", record.ThroughSide
			if c.name != "" {
				steps[0].Name, steps[0].Side, steps[last-1].Op, steps[last].Op = c.name, record.DirectSide, c.op, c.op
			}
			if c.name == "b-direct" {
				steps[last-1].Side = record.ArrivedSide
			}
			if c.change != nil {
				c.change(through, &tr.Facts)
			}
			r.Target.Server = tr.Facts.Server
			text := buildGatewayScript(r, &r.Results[0], tr)
			if strings.Contains(string(text), "Two calls with curl do not show it") != (c.why != "") || !strings.Contains(string(text), c.why) {
				t.Errorf("want %q in\n%s", c.why, text)
			}
			out := performed(t, "sh", text, "")
			for _, says := range []string{"--through http://127.0.0.1:8888", "--bearer-env A2A_TOKEN", "--timeout 5s --header"} {
				if !strings.Contains(out, says) {
					t.Errorf("it does not print %q\n%s", says, out)
				}
			}
			if c.why == "" && (strings.Count(out, `BODY<{"it\'s":"$(id)"}>`) != 2 || !strings.Contains(out, "ARG<http://127.0.0.1:9999/rpc>") || !strings.Contains(out, "ARG<http://127.0.0.1:8888/rpc>") || strings.Count(out, "Bearer s3cret") != 2) {
				t.Errorf("it sends\n%s", out)
			}
			if strings.Contains(string(text), "s3cret") || strings.Contains(string(text), "--config") || c.why != "" && strings.Contains(out, "BODY<") {
				t.Errorf("it has a credential, or sends what shows nothing\n%s\n%s", text, out)
			}
		})
	}
}
