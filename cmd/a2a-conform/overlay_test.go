package main

import (
	"reflect"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
)

// What flags say counts before the configuration, member by member; what they leave out does not.
func TestOverlay(t *testing.T) {
	configured := conform.Target{URL: "http://configured.test", Dialect: "a2a-1.0",
		Endpoint:  conform.Endpoint{Card: "card.json", TrustHosts: []string{"one.test"}},
		Behaviour: conform.Behaviour{Never: []string{"ask"}, Webhook: conform.Webhook{Listen: "127.0.0.1:1", URL: "http://hook.test"}},
		Limits:    conform.Limits{Timeout: time.Second}}
	flags := conform.Target{Dialect: "a2a-0.3",
		Endpoint:  conform.Endpoint{TrustHosts: []string{"two.test"}},
		Behaviour: conform.Behaviour{Webhook: conform.Webhook{Listen: "127.0.0.1:2"}},
		Limits:    conform.Limits{Concurrency: 3}}
	want := conform.Target{URL: "http://configured.test", Dialect: "a2a-0.3",
		Endpoint:  conform.Endpoint{Card: "card.json", TrustHosts: []string{"two.test"}},
		Behaviour: conform.Behaviour{Never: []string{"ask"}, Webhook: conform.Webhook{Listen: "127.0.0.1:2", URL: "http://hook.test"}},
		Limits:    conform.Limits{Timeout: time.Second, Concurrency: 3}}
	got := configured
	overlayFields(reflect.ValueOf(&got).Elem(), reflect.ValueOf(flags))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
