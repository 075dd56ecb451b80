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
