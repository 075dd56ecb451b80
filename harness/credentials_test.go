package harness

import (
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

func TestIdentityMistakes(t *testing.T) {
	const url = "http://localhost:9999"
	ours, theirs := operator.Identity{Bearer: "first-token"}, operator.Identity{Bearer: "other-token"}
	for _, c := range []struct {
		name   string
		target operator.Target
		want   string // "" if there is no mistake
	}{
		{"good", operator.Target{URL: url, Credentials: operator.Credentials{Bearer: ours.Bearer, OtherIdentity: theirs, RestrictedIdentity: operator.Identity{APIKey: "low-level-key"}, KeyHeader: "X-Key"}}, ""},
		{"known by a header of its own", operator.Target{URL: url, Credentials: operator.Credentials{Header: http.Header{"Authorization": {"Token abcdefgh"}}, OtherIdentity: theirs}}, ""},
		{"a second without a first", operator.Target{URL: url, Credentials: operator.Credentials{OtherIdentity: theirs}}, "auth.second is given, but there is no credential of the first client"},
		{"a low one without a first", operator.Target{URL: url, Credentials: operator.Credentials{RestrictedIdentity: theirs}}, "auth.low is given, but there is no"},
		{"the same twice", operator.Target{URL: url, Credentials: operator.Credentials{Bearer: ours.Bearer, OtherIdentity: ours}}, "auth.second is the same credential"},
		{"bearer and basic", operator.Target{URL: url, Credentials: operator.Credentials{Bearer: ours.Bearer, OtherIdentity: operator.Identity{Bearer: "other-token", Basic: "a:hidden-word"}}}, "auth.second.bearer and auth.second.basic are both given"},
		{"basic without colon", operator.Target{URL: url, Credentials: operator.Credentials{Bearer: ours.Bearer, RestrictedIdentity: operator.Identity{Basic: "hidden-word"}}}, "auth.low.basic has no colon"},
		{"a short one", operator.Target{URL: url, Credentials: operator.Credentials{Bearer: ours.Bearer, OtherIdentity: operator.Identity{APIKey: "short"}}}, `the secret "second" has 5 characters`},
		{"a line break", operator.Target{URL: url, Credentials: operator.Credentials{Bearer: ours.Bearer, OtherIdentity: operator.Identity{Bearer: "hidden-word\n"}}}, "line break"},
		{"a header without a key", operator.Target{URL: url, Credentials: operator.Credentials{KeyHeader: "X-Key"}}, "a header for the API key is given (X-Key), but no key"},
		{"a header that is none", operator.Target{URL: url, Credentials: operator.Credentials{KeyHeader: "X Key", APIKey: "first-token"}}, `"X Key" is not the name of a header`},
		{"no requests", operator.Target{URL: url, Behaviour: operator.Behaviour{RateLimit: &operator.RateLimit{Seconds: 1}}}, "declares.rateLimit is 0 requests in 1 seconds"},
		{"no seconds", operator.Target{URL: url, Behaviour: operator.Behaviour{RateLimit: &operator.RateLimit{Requests: 1, Seconds: -1}}}, "both must be more than 0"},
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

// Each kind of credential travels by itself too: that of the first client, or
// of the second.
func TestWays(t *testing.T) {
	of := target{operator.Target{Credentials: operator.Credentials{Bearer: "tok-12345678", APIKey: "key-12345678", OtherIdentity: operator.Identity{Basic: "user:12345678"}}}}
	got := of.callerHeaders(card.Card{}, fakeCredentials{"made-up"})
	for as, want := range map[record.Caller]http.Header{
		record.ByBearer: {"Authorization": {"Bearer tok-12345678"}},
		record.ByKey:    {"X-Api-Key": {"key-12345678"}},
		record.ByBasic:  {"Authorization": {"Basic " + encodeBase64("user:12345678")}},
	} {
		if !reflect.DeepEqual(got[as], want) {
			t.Errorf("by %s: %v, want %v", as, got[as], want)
		}
	}
	if first := (&target{operator.Target{Credentials: operator.Credentials{Bearer: "tok-12345678", OtherIdentity: operator.Identity{Bearer: "another-token"}}}}).splitIdentitiesByCredentialKind()[record.ByBearer]; first.Bearer != "tok-12345678" {
		t.Errorf("the token of the second client is taken for the first's: %v", first)
	}
}

// Calls in another's name lose every credential of ours and keep the rest.
func TestCallers(t *testing.T) {
	m := fakeCredentials{"made-up"}
	d := &schema.Dialect{Card: schema.Card{Schemes: "/auth"}}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("client:made-up"))
	tenant := http.Header{"X-Tenant": {"7"}, "Cookie": {"sid=0123456789"}}
	for _, c := range []struct {
		name, card string
		target     operator.Target
		stranger   http.Header
	}{
		{"bearer", `{}`, operator.Target{Credentials: operator.Credentials{Bearer: "tok-12345678"}}, http.Header{"Authorization": {"Bearer made-up"}}},
		{"basic", `{}`, operator.Target{Credentials: operator.Credentials{Basic: "user:12345678"}}, http.Header{"Authorization": {basic}}},
		{"key", `{}`, operator.Target{Credentials: operator.Credentials{APIKey: "key-12345678"}}, http.Header{"X-Api-Key": {"made-up"}}},
		{"key elsewhere", `{}`, operator.Target{Credentials: operator.Credentials{APIKey: "key-12345678", KeyHeader: "x-my-door"}}, http.Header{"X-My-Door": {"made-up"}}},
		{"another scheme", `{}`, operator.Target{Credentials: operator.Credentials{Header: http.Header{"Authorization": {"Token abcdefgh"}}}}, http.Header{"Authorization": {"Token made-up"}}},
		{"more headers", `{}`, operator.Target{Credentials: operator.Credentials{Bearer: "tok-12345678", Header: tenant}}, http.Header{"Authorization": {"Bearer made-up"}, "Cookie": {"made-up"}, "X-Tenant": {"7"}}},
		{"nothing, card says basic", `{"auth":["Basic"]}`, operator.Target{}, http.Header{"Authorization": {basic}}},
		{"nothing, card says key", `{"auth":["ApiKey"]}`, operator.Target{}, http.Header{"X-Api-Key": {"made-up"}}},
		{"nothing, card says OAuth", `{"auth":["OAuth2"]}`, operator.Target{}, http.Header{"Authorization": {"Bearer made-up"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, _ := record.ObserveJSON([]byte(c.card))
			c.target.OtherIdentity = operator.Identity{Bearer: "another-token"}
			got := (&target{c.target}).callerHeaders(card.Of(d, root), m)
			maps.DeleteFunc(got, func(as record.Caller, _ http.Header) bool {
				return slices.Contains([]record.Caller{record.ByBearer, record.ByKey, record.ByBasic}, as)
			})
			nobody := http.Header{}
			if c.stranger.Get("X-Tenant") != "" {
				nobody.Set("X-Tenant", "7")
			}
			second := nobody.Clone()
			second.Set("Authorization", "Bearer another-token")
			want := map[record.Caller]http.Header{record.Nobody: nobody, record.Stranger: c.stranger, record.Second: second}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
	if a, b := newFakeCredentials(), newFakeCredentials(); a == b || !slices.Contains(a.unredactedTexts(), a.token) {
		t.Error("credentials are made up once and for all")
	}
}

// Credentials follow no redirect, be it of the card or of a call.
func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, status := range []string{"301", "302", "307", "308"} {
		t.Run(status, func(t *testing.T) {
			other, strangers := paths{"*": good01}.start(t)
			url, asked := paths{card01: status + " " + other + "/.well-known/agent.json", "*": status + " " + other + "/rpc"}.start(t)
			target := operator.Target{URL: url, Dialect: "a2a-0.1", Credentials: operator.Credentials{Bearer: "tok-12345678", APIKey: "key-12345678"}}
			if _, err := Run(t.Context(), target, func(*schema.Dialect) ([]string, error) { return []string{"quick", "unknown"}, nil }); err != nil {
				t.Fatal(err)
			}
			if n := len(asked()); n < 4 {
				t.Errorf("the server was asked %d times", n)
			}
			if n := len(strangers()); n != 0 {
				t.Errorf("the redirect was followed %d times", n)
			}
		})
	}
}

// Every configured secret is taken out wherever it shows, and the credentials
// that the suite made up are not.
func TestSecretsOfAllClients(t *testing.T) {
	secrets := []string{"first-token-1", "second-key/2+", "low-user:low-pass-3"}
	var mu sync.Mutex
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			w.Write([]byte(`{"name":"x","url":"/","capabilities":{},"authentication":{"schemes":["Bearer"]}}`))
			return
		}
		mu.Lock()
		seen = append(seen, r.Header.Get("Authorization")+r.Header.Get("X-Door"))
		mu.Unlock()
		w.Header().Set("X-Echo", r.Header.Get("Authorization")+" "+r.Header.Get("X-Door"))
		text := strings.Join(secrets, " ") + " " + base64.StdEncoding.EncodeToString([]byte(secrets[2]))
		w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":"completed"},"metadata":{"echo":"` + text + `"}}}`))
	}))
	defer server.Close()
	target := operator.Target{URL: server.URL, Dialect: "a2a-0.1", Credentials: operator.Credentials{Bearer: secrets[0], KeyHeader: "X-Door",
		OtherIdentity: operator.Identity{APIKey: secrets[1]}, RestrictedIdentity: operator.Identity{Basic: secrets[2]}}, Behaviour: operator.Behaviour{Stimuli: map[string]operator.Stimulus{"forbidden": {Text: "no " + secrets[0]}}}}
	talk, err := Run(t.Context(), target, func(*schema.Dialect) ([]string, error) { return []string{"guard"}, nil })
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := record.WriteHAR(&text, talk.Transcript); err != nil {
		t.Fatal(err)
	}
	all := text.String()
	for _, x := range talk.Transcript.Exchanges {
		all += string(x.Request.Head) + string(x.Request.Body) + string(x.Response.Head) + string(x.Response.Body)
	}
	for _, s := range append(secrets, "low-pass-3", base64.StdEncoding.EncodeToString([]byte(secrets[2]))) {
		if strings.Contains(all, s) {
			t.Errorf("the transcript holds %s", s)
		}
	}
	if !regexp.MustCompile(`Authorization: Bearer [A-Z2-7]{26}\b`).MatchString(all) {
		t.Error("the transcript does not show the credentials that were made up")
	}
	for _, want := range []string{"Bearer " + secrets[0], secrets[1], "Basic " + base64.StdEncoding.EncodeToString([]byte(secrets[2])), ""} {
		if !slices.Contains(seen, want) {
			t.Errorf("no call carried %q: %q", want, seen)
		}
	}
	if want := []string{"bearer", "second", "low", "low-password"}; !reflect.DeepEqual(talk.Transcript.Facts.Secrets, want) {
		t.Errorf("secrets %v, want %v", talk.Transcript.Facts.Secrets, want)
	}
}
