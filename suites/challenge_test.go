package suites_test

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites"
)

// Schemes are words of the header, whatever stands in it.
func FuzzChallengeSchemes(f *testing.F) {
	for _, s := range []string{`Bearer realm="a, b", Basic realm="c"`, `Digest nonce="\"", qop="auth", ApiKey`, `Negotiate abc==`, `"`, ",,", `a = b`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, field string) {
		for _, scheme := range suites.ChallengeSchemes([]string{field}) {
			if scheme == "" || strings.ContainsAny(scheme, " =") || !strings.Contains(field, scheme) {
				t.Errorf("%q is no scheme of %q", scheme, field)
			}
		}
	})
}
