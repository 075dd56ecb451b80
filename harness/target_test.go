package harness

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

func TestTargetMistakes(t *testing.T) {
	const url = "http://localhost:9999"
	for _, c := range []struct {
		name   string
		target operator.Target
		want   string // "" if there is no mistake
	}{
		{"good", operator.Target{URL: url}, ""},
		{"good with everything", operator.Target{URL: "https://[::1]:1/a?b=c", Endpoint: operator.Endpoint{Card: url, RPC: url}, Credentials: operator.Credentials{Bearer: "12345678", APIKey: "12345678", Header: http.Header{"X-A": {"a\tb é"}}}}, ""},
		{"no URL", operator.Target{}, "no target URL (is a variable empty?)"},
		{"no scheme", operator.Target{URL: "localhost:9999"}, `the target is "localhost:9999", which is not an http or https URL`},
		{"another scheme", operator.Target{URL: "ftp://localhost"}, "not an http or https URL"},
		{"no host", operator.Target{URL: "http:///x"}, "not an http or https URL"},
		{"white space", operator.Target{URL: url + " "}, "not an http or https URL"},
		{"--rpc", operator.Target{URL: url, Endpoint: operator.Endpoint{RPC: "/rpc"}}, `--rpc is "/rpc"`},
		{"--card", operator.Target{URL: url, Endpoint: operator.Endpoint{Card: "ftp://localhost/agent.json"}}, `--card is "ftp://localhost/agent.json"`},
		{"--card, a file", operator.Target{URL: url, Endpoint: operator.Endpoint{Card: "agent.json"}}, ""}, // which is read before anything is sent
		{"password in the URL", operator.Target{URL: "http://me:hidden-word@localhost/"}, "the target contains a user or password"},
		{"short bearer", operator.Target{URL: url, Credentials: operator.Credentials{Bearer: "1234567"}}, `the secret "bearer" has 7 characters`},
		{"short API key", operator.Target{URL: url, Credentials: operator.Credentials{APIKey: "k"}}, `the secret "api-key" has 1 characters`},
		{"short basic", operator.Target{URL: url, Credentials: operator.Credentials{Basic: "a:b"}}, `the secret "basic" has 3 characters`},
		{"short header", operator.Target{URL: url, Credentials: operator.Credentials{Header: http.Header{"Authorization": {"Token abc"}}}}, `the secret "authorization" has 3 characters`},
		{"basic without colon", operator.Target{URL: url, Credentials: operator.Credentials{Basic: "hidden-word"}}, "write it like user:password"},
		{"bearer and basic", operator.Target{URL: url, Credentials: operator.Credentials{Bearer: "hidden-word", Basic: "user:hidden-word"}}, "both given"},
		{"line break in a token", operator.Target{URL: url, Credentials: operator.Credentials{Bearer: "hidden-word\n"}}, "the value of the header Authorization contains a line break"},
		{"line break in a header", operator.Target{URL: url, Credentials: operator.Credentials{Header: http.Header{"X-A": {"hidden-word\r\nX-B: c"}}}}, "the value of the header X-A contains a line break"},
		{"name of a header", operator.Target{URL: url, Credentials: operator.Credentials{Header: http.Header{"X A": {"b"}}}}, `"X A" is not the name of a header`},
		{"a header that is not ours to give", operator.Target{URL: url, Credentials: operator.Credentials{Header: http.Header{"host": {"b"}}}}, "the header Host cannot be given"},
		{"a header of the conversations", operator.Target{URL: url, Credentials: operator.Credentials{Header: http.Header{"Content-Type": {"text/plain"}}}}, "the header Content-Type cannot be given, because the run tests it"},
		{"a secret in the query of no URL", operator.Target{URL: "localhost/?token=hidden-word"}, `the target is "localhost/?…"`},
		{"a password in no URL", operator.Target{URL: "me:hidden-word@localhost"}, `the target is "…@localhost"`},
		{"no name of a header", operator.Target{URL: url, Credentials: operator.Credentials{Header: http.Header{"": {"b"}}}}, `"" is not the name of a header`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := (&target{c.target}).check()
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if u := (*UsageError)(nil); !errors.As(err, &u) || !strings.Contains(u.Text, c.want) || strings.Contains(u.Text, "hidden-word") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestTargetSecrets(t *testing.T) {
	of := target{operator.Target{Credentials: operator.Credentials{Basic: "user:correct-horse", APIKey: "key number 1", Header: http.Header{
		"x-api-key": {"another key"}, "Authorization": {"Token  abc-def-ghi"}, "Cookie": {"sid=0123456789; theme=dark"},
		"X-Auth-Token": {"long-enough"}, "X-Key": {"short"}, "X-Tenant": {"production"},
	}}}}
	want := []redact.Secret{
		{Name: "api-key", Value: "key number 1"}, {Name: "basic", Value: "user:correct-horse"}, {Name: "basic-password", Value: "correct-horse"},
		{Name: "authorization", Value: "abc-def-ghi"}, {Name: "cookie", Value: "sid=0123456789; theme=dark"}, {Name: "cookie", Value: "0123456789"},
		{Name: "x-auth-token", Value: "long-enough"}, {Name: "x-api-key", Value: "another key"},
	}
	if got := of.secrets(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestTargetHeader(t *testing.T) {
	given := http.Header{"authorization": {"Token x"}, "X-A": {"1", "2"}}
	of := target{operator.Target{Credentials: operator.Credentials{Header: given, Bearer: "12345678", APIKey: "abcdefgh"}}}
	want := http.Header{"Authorization": {"Bearer 12345678"}, "X-Api-Key": {"abcdefgh"}, "X-A": {"1", "2"}}
	if got := of.header(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if len(given) != 2 {
		t.Errorf("the operator's headers were changed: %v", given)
	}
	if got := (&target{operator.Target{Credentials: operator.Credentials{Basic: "a:b"}}}).header().Get("Authorization"); got != "Basic YTpi" {
		t.Errorf("got %q", got)
	}
}

func TestTargetTLS(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		target operator.Target
		want   string
	}{
		{operator.Target{Credentials: operator.Credentials{CA: empty + ".none"}}, "--ca: open"},
		{operator.Target{Credentials: operator.Credentials{CA: empty}}, "no certificate in PEM form"},
		{operator.Target{Credentials: operator.Credentials{Cert: empty}}, "--client-cert and --client-key"},
	} {
		if _, err := (&target{c.target}).tls(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if cfg, err := (&target{operator.Target{Credentials: operator.Credentials{InsecureSkipVerify: true}}}).tls(); err != nil || !cfg.InsecureSkipVerify {
		t.Errorf("got %v, %v", cfg, err)
	}
}

func TestTargetStimuli(t *testing.T) {
	d := &schema.Dialect{Stimuli: map[string]schema.Stimulus{"quick": {Text: "q"}, "slow": {Text: "s"}, "fail": {Text: "f"}}}
	own := map[string]operator.Stimulus{"quick": {Text: "mine"}, "ask": {Text: "a"}}
	for _, c := range []struct {
		target operator.Target
		want   map[string]operator.Stimulus
	}{
		{operator.Target{}, map[string]operator.Stimulus{"quick": {Text: "q"}}},
		{operator.Target{Behaviour: operator.Behaviour{DefaultStimuli: true, Never: []string{"fail"}}}, map[string]operator.Stimulus{"quick": {Text: "q"}, "slow": {Text: "s"}}},
		{operator.Target{Behaviour: operator.Behaviour{Stimuli: own}}, own},
		{operator.Target{Behaviour: operator.Behaviour{Stimuli: own, Never: []string{"ask"}}}, map[string]operator.Stimulus{"quick": {Text: "mine"}}},
	} {
		if got := (&target{c.target}).chosenStimuli(d); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: got %v", c.target, got)
		}
	}
}
