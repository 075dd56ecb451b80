package allowance

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// names are the addresses of hosts in these tests.
func names(_ context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	known := map[string]string{"agents.example.com": "93.184.215.14", "other.example.com": "93.184.215.15", "inside.example.com": "10.0.0.7", "localhost": "127.0.0.1",
		"rebinds.example.com": "169.254.169.254", "v6.example.com": "64:ff9b::7f00:1", "mixed.example.com": "93.184.215.14"}
	if at, ok := known[host]; ok {
		out := []netip.Addr{netip.MustParseAddr(at)}
		if host == "mixed.example.com" {
			out = append(out, netip.MustParseAddr("192.168.1.1"))
		}
		return out, nil
	}
	return nil, errors.New("no such host")
}

func TestEntriesGetNoMoreThanIsAllowed(t *testing.T) {
	secrets := Secrets{
		"acme":    {Value: "long-enough-to-hide", Hosts: []string{"agents.example.com"}},
		"port":    {Value: "long-enough-to-hide", Hosts: []string{"agents.example.com:8443"}},
		"default": {Value: "long-enough-to-hide", Hosts: []string{"agents.example.com:443"}},
		"below":   {Value: "long-enough-to-hide", Hosts: []string{"*.example.com"}},
		"plain":   {Value: "long-enough-to-hide", Hosts: []string{"http://agents.example.com"}},
	}
	a := Allowance{Secrets: secrets, lookup: names, Risks: []schema.Risk{schema.Heavy}}
	for _, c := range []struct{ name, entry, why string }{
		{"a public host", `{"target":"https://agents.example.com"}`, ""},
		{"a risk that is allowed", `{"target":"https://agents.example.com","allow":["heavy"]}`, ""},
		{"its own secret", `{"target":"https://agents.example.com","auth":{"bearer":"secret:acme"}}`, ""},
		{"its own port's secret", `{"target":"https://agents.example.com:8443","auth":{"bearer":"secret:port"}}`, ""},
		{"a secret for all below", `{"target":"https://agents.example.com","auth":{"apiKey":"secret:below"}}`, ""},
		{"a secret that may be sent in the clear", `{"target":"http://agents.example.com","auth":{"bearer":"secret:plain"}}`, ""},
		{"a host without an address", `{"target":"https://nowhere.example.net"}`, ""},

		{"another host's secret", `{"target":"https://other.example.com","auth":{"bearer":"secret:acme"}}`, "the secret acme, which is not bound to other.example.com"},
		{"a secret shown elsewhere too", `{"target":"https://agents.example.com","rpc":"https://other.example.com","auth":{"bearer":"secret:acme"}}`, "not bound to other.example.com"},
		{"a secret shown to a trusted host", `{"target":"https://agents.example.com","trustHosts":["other.example.com"],"auth":{"bearer":"secret:acme"}}`, "not bound to other.example.com"},
		{"a secret shown in another binding", `{"target":"https://agents.example.com","interfaces":{"GRPC":"other.example.com:443"},"auth":{"bearer":"secret:acme"}}`, "not bound to other.example.com"},
		{"a secret in the clear", `{"target":"http://agents.example.com","auth":{"bearer":"secret:acme"}}`, "not bound to agents.example.com without TLS"},
		{"the default port's secret", `{"target":"https://agents.example.com","auth":{"bearer":"secret:default"}}`, ""},
		{"another port's secret", `{"target":"https://agents.example.com","auth":{"bearer":"secret:port"}}`, "not bound to"},
		{"a name like the one above", `{"target":"https://example.com","auth":{"bearer":"secret:below"}}`, "not bound to"},
		{"an unknown secret", `{"target":"https://agents.example.com","auth":{"bearer":"secret:nobody"}}`, "the secret nobody, which this worker does not have"},
		{"a second client's secret", `{"target":"https://agents.example.com","auth":{"second":{"bearer":"secret:nobody"}}}`, "the secret nobody"},
		{"a file of a credential", `{"target":"https://agents.example.com","auth":{"bearer":"file:/etc/passwd"}}`, "asks for a file"},
		{"a variable", `{"target":"https://agents.example.com","auth":{"bearer":"${HOME}"}}`, "asks for a variable"},
		{"a credential itself", `{"target":"https://agents.example.com","auth":{"bearer":"abcdefghijklm"}}`, "holds a credential itself"},
		{"a file of a card", `{"target":"https://agents.example.com","card":"/etc/passwd"}`, "asks for a file (card)"},
		{"a file of a card, as a URL", `{"target":"https://agents.example.com","card":"file:///etc/passwd"}`, "asks for a file (card)"},
		{"a file of a key", `{"target":"https://agents.example.com","cardKey":"/etc/passwd"}`, "asks for a file (cardKey)"},
		{"a metadata address", `{"target":"http://169.254.169.254/latest"}`, "the metadata service of a cloud"},
		{"a metadata address by name", `{"target":"http://rebinds.example.com"}`, "rebinds.example.com, which is 169.254.169.254"},
		{"a metadata address as IPv6", `{"target":"http://[::ffff:169.254.169.254]"}`, "the metadata service of a cloud"},
		{"a private network", `{"target":"http://10.1.2.3"}`, "10.1.2.3, in a network that is not public"},
		{"a private network by name", `{"target":"http://inside.example.com"}`, "inside.example.com, which is 10.0.0.7, in a network that is not public"},
		{"one private address among others", `{"target":"http://mixed.example.com"}`, "192.168.1.1"},
		{"a private network for the card", `{"target":"https://agents.example.com","card":"http://192.168.0.1/card.json"}`, "192.168.0.1"},
		{"a private network for a binding", `{"target":"https://agents.example.com","interfaces":{"GRPC":"[::1]:50051"}}`, "127.0.0.1"},
		{"this machine", `{"target":"http://localhost:9999"}`, "127.0.0.1, in a network that is not public"},
		{"this machine behind NAT64", `{"target":"http://v6.example.com"}`, "127.0.0.1"},
		{"this machine in an older form", `{"target":"http://[::127.0.0.1]:8888"}`, "127.0.0.1"},
		{"a metadata address in an older form", `{"target":"http://[::ffff:0:169.254.169.254]"}`, "the metadata service of a cloud"},
		{"the risk disruptive", `{"target":"https://agents.example.com","allow":["disruptive"]}`, "asks for calls that are disruptive"},
		{"a webhook", `{"target":"https://agents.example.com","webhook":{"listen":"0.0.0.0:80"}}`, "asks to receive push notifications"},
		{"another scheme", `{"target":"ftp://agents.example.com"}`, "no http or https URL"},
		{"an unknown key", `{"target":"https://agents.example.com","out":"/etc"}`, `unknown key "out"`},
		{"a key in other case", `{"target":"https://agents.example.com","CARDKEY":"/etc/passwd"}`, "asks for a file (cardKey)"},
		{"no object", `["https://agents.example.com"]`, "not an object"},
		{"no target", `{}`, "no target"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := a.NewTarget(t.Context(), []byte(c.entry))
			refused := (*refusal)(nil)
			switch {
			case c.why == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.why != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), c.why)):
				t.Errorf("got %v, want %s", err, c.why)
			}
		})
	}
}

// What a server's card names later is called only where the entry allows it, too.
func TestCardsLeadNowhereElse(t *testing.T) {
	a := Allowance{lookup: names, Secrets: Secrets{"tls": {Value: "long-enough-to-hide", Hosts: []string{"agents.example.com"}}}}
	target, _, err := a.NewTarget(t.Context(), []byte(`{"target":"https://agents.example.com","trustHosts":["agents.example.com"],"auth":{"bearer":"secret:tls"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for at, ok := range map[string]bool{"https://agents.example.com/rpc": true, "https://agents.example.com:8443/rpc": true, "https://AGENTS.example.com./rpc": true,
		"http://agents.example.com/rpc": false, "//agents.example.com:50051/": false, "https://other.example.com/rpc": false, "https://127.0.0.1/rpc": false} {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		if err := target.BeforeCall(t.Context(), u); (err == nil) != ok {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// A name that has another address by the time of the connection is not followed there.
func TestConnectionsAreGuarded(t *testing.T) {
	a := Allowance{Networks: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("169.254.0.0/16")}}
	for address, ok := range map[string]bool{
		"93.184.215.14:443": true, "10.1.2.3:80": true, "[2606:2800:21f:cb07::1]:443": true,
		"10.2.0.1:80": false, "127.0.0.1:80": false, "[::1]:80": false, "169.254.169.254:80": false, "[::ffff:127.0.0.1]:80": false, "[fd00:ec2::254]:80": false,
		"0.0.0.0:80": false, "100.64.0.1:80": false, "[fe80::1%eth0]:80": false, "224.0.0.1:80": false, "255.255.255.255:80": false, "[2002:7f00:1::1]:80": false,
	} {
		if err := a.checkAddress("tcp", address); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestSecretsFile(t *testing.T) {
	t.Setenv("ACME", "long-enough-to-hide")
	for _, c := range []struct{ name, text, mistake string }{
		{"good", "secrets:\n  acme: {value: ${ACME}, hosts: [agents.example.com, \"*.example.org\", http://localhost]}\n", ""},
		{"no variable", "secrets:\n  acme:\n    value: ${NOT_THERE}\n    hosts: [a]\n", "s.yaml:3: secrets.acme: the environment variable NOT_THERE is not set"},
		{"no host", "secrets:\n  acme:\n    value: ${ACME}\n", "secrets.acme: it is bound to no host"},
		{"no value", "secrets:\n  acme:\n    hosts: [a]\n", "secrets.acme: it has no value"},
		{"itself", "secrets:\n  acme:\n    value: abcdefghijk\n    hosts: [a]\n", "must not hold a credential itself"},
		{"a path", "secrets:\n  acme:\n    value: ${ACME}\n    hosts:\n      - https://a/b\n", "s.yaml:5: secrets.acme.hosts"},
		{"every host", "secrets:\n  acme:\n    value: ${ACME}\n    hosts: [\"*\"]\n", "a star matches"},
		{"an unknown key", "secrets:\n  acme:\n    host: a\n", "s.yaml:3: unknown key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "s.yaml")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := ReadSecrets(file)
			if c.mistake == "" && err != nil || c.mistake != "" && (err == nil || !strings.Contains(err.Error(), c.mistake)) {
				t.Errorf("got %v, want %s", err, c.mistake)
			}
			if err != nil && strings.Contains(err.Error(), "abcdefghijk") {
				t.Error("the error shows the secret")
			}
		})
	}
}
