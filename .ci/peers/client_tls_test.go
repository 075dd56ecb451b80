package peers

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// tlsScenarios are those in which the agent has addresses of https.
const tlsScenarios = "tls,tls-unknown-issuer-interface,tls-unknown-issuer-card,tls-wrong-name-interface,tls-wrong-name-card,tls-expired-interface,tls-expired-card"

// TestTLSOfClients has clients on public SDKs call agents by https. They trust by SSL_CERT_FILE and NODE_EXTRA_CA_CERTS, which a program
// reads at its start, so each scenario has one of its own. No client is accused.
func TestTLSOfClients(t *testing.T) {
	bin := t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	build(t, "go10", "./adapter", filepath.Join(bin, "go10"))
	for _, c := range adapters {
		if c.dialect != "a2a-1.0" {
			continue
		}
		start := locateClient(t, bin, c.start)
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			flags := []string{"client", "--quiet", "--dialect", c.dialect, "--out", out, "--with", "tls", "--scenario", tlsScenarios, "--"}
			printed, err := exec.Command(filepath.Join(bin, "a2a-conform"), append(flags, start...)...).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, printed)
			}
			r, err := conform.ReadReport(filepath.Join(out, "report.json"))
			if err != nil {
				t.Fatal(err)
			}
			passed := 0
			for _, res := range r.Results {
				isTLS := strings.HasPrefix(res.ID, "A2A10-CL-TLS-")
				if res.Verdict == report.Fail || res.Verdict == report.SuiteError || isTLS && res.Verdict == report.Inconclusive {
					t.Errorf("%s %s is %s: %s", res.ID, res.Level, res.Verdict, res.Reason)
				}
				if isTLS && res.Verdict == report.Pass {
					passed++
				}
			}
			if passed < 6 {
				t.Errorf("only %d requirements on TLS were met", passed)
			}
		})
	}
}
