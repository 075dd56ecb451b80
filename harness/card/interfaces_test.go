package card

import (
	"fmt"
	"strings"
	"testing"
)

func TestInterfaces(t *testing.T) {
	const grpc = `"url":"http://a/g","preferredTransport":"GRPC"`
	for _, c := range []struct{ name, dialect, card, all, address string }{
		{"one", "a2a-0.3", `{"url":"http://a/"}`, "http://a/ JSONRPC /url", "http://a/ true"},
		{"repeated", "a2a-0.3", `{"url":"http://a/","additionalInterfaces":[{"url":"http://a/","transport":"JSONRPC"}]}`, "http://a/ JSONRPC /url", "http://a/ true"},
		{"preferred for another transport", "a2a-0.3", `{` + grpc + `,"additionalInterfaces":[{"transport":"JSONRPC"},{"url":"http://a/r","transport":"JSONRPC"}]}`,
			"http://a/g GRPC /url,  JSONRPC /additionalInterfaces/0/url, http://a/r JSONRPC /additionalInterfaces/1/url", "http://a/r true"},
		{"nowhere ours", "a2a-0.3", `{` + grpc + `,"additionalInterfaces":[{"url":"http://a/x","transport":"HTTP+JSON"}]}`,
			"http://a/g GRPC /url, http://a/x HTTP+JSON /additionalInterfaces/0/url", "http://a/g true"},
		{"no preferred endpoint", "a2a-0.3", `{"additionalInterfaces":[{"url":"http://a/r","transport":"JSONRPC"}]}`, " JSONRPC /url, http://a/r JSONRPC /additionalInterfaces/0/url", " false"},
		{"an empty one", "a2a-0.3", `{"url":""}`, " JSONRPC /url", " true"},
		{"odd entries", "a2a-0.3", `{"url":"http://a/","preferredTransport":7,"additionalInterfaces":[null,"x",[{"url":"y"}],{"url":5,"transport":{}}]}`,
			"http://a/ JSONRPC /url,   /additionalInterfaces/0/url", "http://a/ true"},
		{"no list", "a2a-0.3", `{"url":"http://a/","additionalInterfaces":{"0":{"url":"x","transport":"JSONRPC"}}}`, "http://a/ JSONRPC /url", "http://a/ true"},
		{"a dialect without lists", "a2a-0.1", `{"url":"http://a/","additionalInterfaces":[{"url":"x","transport":"JSONRPC"}]}`, "", "http://a/ true"},
		{"a dialect whose cards name no endpoint", "jaf-0.3", `{"url":"http://a/"}`, "", " false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			card := reading(t, c.dialect, c.card)
			var all []string
			for _, i := range card.Interfaces() {
				all = append(all, i.URL()+" "+i.Transport()+" "+i.URLAt())
			}
			if got := strings.Join(all, ", "); got != c.all {
				t.Errorf("interfaces %s\nwant       %s", got, c.all)
			}
			address, ok := card.Address()
			if got := fmt.Sprint(address, " ", ok); got != c.address {
				t.Errorf("address %s, want %s", got, c.address)
			}
		})
	}
}

// What counts as a second endpoint depends on where calls go.
func TestSecondEndpoint(t *testing.T) {
	two := reading(t, "a2a-0.3", `{"url":"http://a/1","additionalInterfaces":[{"url":"http://a/1","transport":"JSONRPC"},{"url":"http://a/2","transport":"GRPC"}]}`)
	for at, want := range map[string]Answer{"http://a/1": No, "http://a/other": Yes} {
		if got := two.CalledAt(at).Claims("interfaces"); got != want {
			t.Errorf("called at %s: %d, want %d", at, got, want)
		}
	}
}

// Tenants, and endpoints where an older version is spoken, count in the dialect's
// transport alone.
func TestTenantsAndOlderVersions(t *testing.T) {
	entry := func(url, more string) string {
		return `{"url":"` + url + `","protocolBinding":"JSONRPC","protocolVersion":` + more + `}`
	}
	list := func(entries ...string) string { return `{"supportedInterfaces":[` + strings.Join(entries, ",") + `]}` }
	for _, c := range []struct{ name, card, tenants, older, alone, claims string }{
		{"one", list(entry("http://a/", `"1.0"`)), "", "", "", ""},
		{"a tenant", list(entry("http://a/", `"1.0","tenant":"x"`)), "x", "", "", "tenant"},
		{"two tenants", list(entry("http://a/", `"1.0","tenant":"x"`), entry("http://a/", `"1.0","tenant":"y"`), entry("http://a/b", `"1.0","tenant":"x"`)), "x y", "", "", "tenant tenants"},
		{"a tenant of another version", list(entry("http://a/", `"1.0"`), entry("http://a/", `"0.3","tenant":"x"`)), "", "http://a/", "", "older-version"},
		{"two versions at one address", list(entry("http://a/", `"1.0"`), entry("http://a/", `"0.3"`)), "", "http://a/", "", "older-version"},
		{"two versions apart", list(entry("http://a/", `"1.0"`), entry("http://a/old", `"0.3.0"`)), "", "http://a/old", "http://a/old", "older-endpoint older-version"},
		{"a version that we do not speak", list(entry("http://a/", `"1.0"`), entry("http://a/old", `"0.2"`)), "", "", "", ""},
		{"another transport", list(entry("http://a/", `"1.0"`), `{"url":"http://a/g","protocolBinding":"GRPC","protocolVersion":"0.3","tenant":"x"}`), "", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			card := reading(t, "a2a-1.0", c.card).CalledAt("http://a/")
			var claims []string
			for _, word := range []string{"older-endpoint", "older-version", "tenant", "tenants"} {
				if card.Claims(word) == Yes {
					claims = append(claims, word)
				}
			}
			got := []string{strings.Join(card.Tenants(), " "), strings.Join(card.Older(), " "), card.OlderVersionOnlyURL(), strings.Join(claims, " ")}
			if want := []string{c.tenants, c.older, c.alone, c.claims}; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
