package e2e

import (
	"crypto/tls"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/proxy"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// openProxyFor opens the recording proxy to a bundled server.
func openProxyFor(t *testing.T, s *reference.Server) *proxy.Proxy {
	t.Helper()
	cfg := proxy.Config{Started: time.Now(), Upstreams: []proxy.Upstream{{URL: s.URL()}}}
	var err error
	if cfg.Dialects, err = schema.LoadEach(schema.Names()...); err != nil {
		t.Fatal(err)
	}
	scheme, _, _ := strings.Cut(s.URL(), "://")
	if at := s.GRPCAddr(); at != "" {
		cfg.Upstreams = append(cfg.Upstreams, proxy.Upstream{URL: scheme + "://" + at})
	}
	if scheme == "https" {
		cfg.UpstreamTLS = &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}
		given := httptest.NewTLSServer(nil)
		t.Cleanup(given.Close)
		cfg.TLS = &tls.Config{Certificates: given.TLS.Certificates, MinVersion: tls.VersionTLS12}
	}
	p, err := proxy.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// A server gets the same verdicts through the recording proxy as directly, whatever protocol and binding it is called by.
// Each exchange is recorded or counted as lost.
func TestServerThroughProxy(t *testing.T) {
	for _, name := range schema.Names() {
		for _, variant := range reference.Variants(name) {
			lead := name == "a2a-1.0" && slices.Contains([]string{"full", "tls", "guarded"}, variant) || name == "a2a-0.1" && variant == "full"
			if testamount.LeavesOut(lead) {
				continue
			}
			t.Run(name+"/"+variant, func(t *testing.T) {
				t.Parallel()
				o := reference.Options{Dialect: name, Variant: variant}
				if d, err := schema.Load(name); err == nil && d.Speaks(schema.KindGRPC) {
					o.GRPCAddr = "127.0.0.1:0"
				}
				differing := compareThroughProxy(t, o)
				if len(differing) > 0 { // a busy machine answers late, and what depends on time is undecided then
					again := compareThroughProxy(t, o)
					differing = slices.DeleteFunc(differing, func(d string) bool { return !slices.Contains(again, d) })
				}
				for _, d := range differing {
					t.Error(d)
				}
			})
		}
	}
}

// compareThroughProxy returns which verdicts on a server differ through the proxy. If the card is signed, clients bypass the
// proxy, so that less is decided; then only a failure that the server does not have differs.
func compareThroughProxy(t *testing.T, o reference.Options) (differing []string) {
	t.Helper()
	direct := judgeAt(t, o.Dialect, bundled(t, o).URL())
	p := openProxyFor(t, bundled(t, o))
	through := judgeAt(t, o.Dialect, p.URLs()[0])
	bypassed := p.Bypass() != ""
	if got, want := through.Report.Target.Bindings, direct.Report.Target.Bindings; !bypassed && !slices.Equal(got, want) {
		t.Errorf("it is called by %q, and directly by %q", got, want)
	}
	got := map[string]report.Result{}
	for _, r := range through.Report.Results {
		got[r.ID] = r
	}
	decided := 0
	for _, want := range direct.Report.Results {
		r := got[want.ID]
		if r.Verdict != want.Verdict && (!bypassed || r.Verdict == report.Fail) {
			differing = append(differing, fmt.Sprintf("%s is %s through the proxy, and %s without it", want.ID, r.Verdict, want.Verdict))
			t.Logf("%s: %s; %s", want.ID, r.Reason, want.Reason)
		}
		if r.Verdict == report.Pass || r.Verdict == report.Fail {
			decided++
		}
	}
	p.Close()
	if s := p.Stats(); s.Recorded+s.Dropped+s.Upgraded+s.Unreadable != s.Passed || s.Recorded == 0 || s.Open != 0 || decided == 0 {
		t.Errorf("counted %+v, and %d were decided", s, decided)
	}
	return differing
}

// judgeAt judges the server at an address, in each binding.
func judgeAt(t *testing.T, dialect, url string) *conform.Outcome {
	t.Helper()
	target := conform.Target{URL: url, Dialect: dialect, Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure, Allow: []schema.Risk{schema.Disruptive, schema.Residue}, Webhook: conform.Webhook{Listen: "127.0.0.1:0"}}}
	target.Binding = "all"
	target.Bearer = reference.Token
	target.InsecureSkipVerify = true
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
