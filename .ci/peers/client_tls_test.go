package peers

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// tlsScenarios are those in which the agent has addresses of https.
const tlsScenarios = "tls,tls-unknown-issuer-interface,tls-unknown-issuer-card,tls-wrong-name-interface,tls-wrong-name-card,tls-expired-interface,tls-expired-card"

// TestTLSOfClients has clients on public SDKs call agents by https. They trust by SSL_CERT_FILE and NODE_EXTRA_CA_CERTS, which a program
// reads at its start, so each scenario has one of its own. No client is accused.
func TestTLSOfClients(t *testing.T) {
	bin := buildAdapters(t)
	for _, c := range adapters {
		if c.dialect != "a2a-1.0" {
			continue
		}
		start := locateClient(t, bin, c.start)
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, _ := judgeClient(t, bin, c.dialect, start, "--with", "tls", "--scenario", tlsScenarios)
			passed := 0
			for _, res := range r.Results {
				isTLS := strings.HasPrefix(res.ID, "A2A10-CL-TLS-")
				if isTLS && res.Verdict == report.Inconclusive {
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
