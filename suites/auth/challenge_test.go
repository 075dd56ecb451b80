package auth_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites/auth"
)

// Schemes are words of the header, whatever stands in it.
func FuzzChallengeSchemes(f *testing.F) {
	for _, s := range []string{`Bearer realm="a, b", Basic realm="c"`, `Digest nonce="\"", qop="auth", ApiKey`, `Negotiate abc==`, `"`, ",,", `a = b`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, field string) {
		for _, scheme := range auth.ChallengeSchemes([]string{field}) {
			if scheme == "" || strings.ContainsAny(scheme, " =") || !strings.Contains(field, scheme) {
				t.Errorf("%q is no scheme of %q", scheme, field)
			}
		}
	})
}

func TestChallengeSchemes(t *testing.T) {
	for _, c := range []struct {
		field string
		want  []string
	}{
		{"Basic", []string{"Basic"}},
		{`Digest realm="a", nonce="b\", Basic", Negotiate YWJj==`, []string{"Digest", "Negotiate"}},
		{`Newauth realm = "apps", type=1, title="Log in to \"apps\"", Basic realm="simple"`, []string{"Newauth", "Basic"}},
		{"", nil}, {" , ,", nil}, {`"`, []string{`"`}},
	} {
		if got := auth.ChallengeSchemes([]string{c.field}); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", c.field, got, c.want)
		}
	}
}
