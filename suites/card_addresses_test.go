package suites_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// TestUncallableAddresses: an address on a card that works, or fails, by accident of the
// machine on which it is called is a finding, in each check that is about such an address.
func TestUncallableAddresses(t *testing.T) {
	from := func(host, text string) string {
		return answerCall("card/well-known card url=http://"+host+"/card", "", text)
	}
	at := func(url string) string { return `{"ways":[{"at":"` + url + `","by":"WIRE","in":"9.9"}]}` }
	runTrials(t, "card_addresses", []trial{{"interface/urls", "{authority: PAPER}", map[string]string{
		"pass:the same host":                from("a.example", at("https://a.example/x")),
		"pass:another name":                 from("a.example", at("https://b.example/x")),
		"pass:loopback on loopback":         from("127.0.0.1", at("http://localhost:1/x")),
		"pass:an internal name of its own":  from("agent", at("https://agent/x")),
		"pass:two internal names":           from("agent", at("https://agent.local/x")),
		"pass:loopback from nowhere":        from("server.invalid", at("http://localhost:1/x")),
		"finding:unspecified":               from("127.0.0.1", at("https://0.0.0.0:1/x")),
		"finding:unspecified, of IPv6":      from("127.0.0.1", at("https://[::]:1/x")),
		"finding:unspecified, both":         from("127.0.0.1", at("https://[::ffff:0.0.0.0]/x")),
		"finding:unspecified, short":        from("a.example", at("https://0/x")),
		"finding:unspecified, hexadecimal":  from("a.example", at("https://0x0/x")),
		"finding:no host":                   from("a.example", at("https://:8080/x")),
		"finding:loopback from elsewhere":   from("a.example", at("https://localhost/x")),
		"finding:loopback of IPv6":          from("a.example", at("https://[::1]/x")),
		"finding:an internal name":          from("a.example", at("https://agent:8080/x")),
		"finding:a name of a cluster":       from("127.0.0.1", at("https://agent.default.svc.cluster.local/x")),
		"finding:below localhost":           from("a.example", at("https://agent.localhost/x")),
		"finding:the second address":        from("a.example", `{"ways":[{"at":"https://a.example","by":"WIRE","in":"9.9"},{"at":"https://0.0.0.0","by":"WIRE","in":"9.9"}]}`),
		"finding:an interface of a version": from("a.example", `{"ways":[{"at":"https://0.0.0.0","by":"WIRE","in":"1.0"}]}`),
		"fail:unspecified, and relative":    from("a.example", `{"ways":[{"at":"https://0.0.0.0","by":"WIRE","in":"9.9"},{"at":"/x","by":"WIRE","in":"9.9"}]}`),
	}}}, withInterfaces)
	atURL := func(d *schema.Dialect) { d.Card.Endpoint = "/road" }
	shaped := func(url string) string { return from("a.example", `{"road":"`+url+`"}`) }
	for _, check := range []string{"card/absolute-url", "card/address", "card/endpoint-url"} {
		runTrials(t, "card_addresses_"+check[len("card/"):], []trial{{check, map[bool]string{true: "{at: /road}"}[check != "card/endpoint-url"], map[string]string{
			"pass": shaped("https://a.example/"), "finding": shaped("https://0.0.0.0/"), "finding:loopback": shaped("http://127.1:80/"),
		}}}, atURL)
	}
	runTrials(t, "card_addresses_other", []trial{{"card/absolute-url", "{at: /home}", map[string]string{
		"pass": from("a.example", `{"home":"https://0.0.0.0/"}`), // which is no address of the agent
	}}}, atURL)
}
