package record

import (
	"strings"
	"testing"
)

// What a run records is no contradiction, however its addresses are written; another address
// is one.
func TestAddressesOfARecord(t *testing.T) {
	for _, c := range []struct {
		name, url, head string
		dir             Direction
		says            string // "" if it is honest
	}{
		{"as it is", "http://h:1/a?b=c", "POST /a?b=c HTTP/1.1\r\nHost: h:1\r\n\r\n", Out, ""},
		{"without a path", "http://h:1", "GET / HTTP/1.1\r\nHost: h:1\r\n\r\n", Out, ""},
		{"in other capitals", "http://H:1/", "GET / HTTP/1.1\r\nHost: h:1\r\n\r\n", Out, ""},
		{"with a zone", "http://[fe80::1%25eth0]:1/", "GET / HTTP/1.1\r\nHost: [fe80::1]:1\r\n\r\n", Out, ""},
		{"beyond ASCII", "http://bücher.example/", "GET / HTTP/1.1\r\nHost: xn--bcher-kva.example\r\n\r\n", Out, ""},
		{"of HTTP/2", "https://h/a", "POST /a HTTP/2\r\n:authority: h\r\n:path: /a\r\n\r\n", Out, ""},
		{"with a secret", "http://h/⟦secret:key⟧/a", "POST /⟦secret:key⟧/a HTTP/1.1\r\nHost: h\r\n\r\n", Out, ""},
		{"of a delivery that a proxy passed on", "https://public.example/hook", "POST /inner/hook HTTP/1.1\r\nHost: 10.0.0.1:8080\r\n\r\n", In, ""},
		{"nothing was sent", "http://h/", "", Out, ""},
		{"another host", "http://h/", "GET / HTTP/1.1\r\nHost: other\r\n\r\n", Out, "names the host"},
		{"another port", "http://h:1/", "GET / HTTP/1.1\r\nHost: h:2\r\n\r\n", Out, "names the host"},
		{"another host of HTTP/2", "https://h/a", "POST /a HTTP/2\r\n:authority: other\r\n\r\n", Out, "names the host"},
		{"another path", "http://h/a", "GET /b HTTP/1.1\r\nHost: h\r\n\r\n", Out, "asks for"},
		{"another query", "http://h/a?b", "GET /a?c HTTP/1.1\r\nHost: h\r\n\r\n", Out, "asks for"},
	} {
		x := &Exchange{Dir: c.dir, URL: c.url, Request: Message{Head: []byte(c.head)}}
		switch err := x.checkExchangeConsistency(); {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v does not say %q", c.name, err, c.says)
		}
	}
}
