package proxy

import (
	"bufio"
	"bytes"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// A head that is spelled as it came has the fields that net/http wrote and no others, whatever came: nothing can be brought in by
// the way in which it is written.
func FuzzSpellHead(f *testing.F) {
	const written = "POST /rpc HTTP/1.1\r\nHost: server\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 0\r\n\r\n"
	for _, came := range []string{"POST /rpc HTTP/1.1\r\nhost: proxy\r\nx-a: 1\r\nX-a: 2\r\n\r\n", "GET /\nx-b: 3\n", "a\r\n X-A: 1\r\n\r\n", "a\r\nx-a:1\rx-c: 4\r\n\r\n", "a\r\nX-A : 1\r\n\r\n", "a\r\ncontent-length: 5\r\n\r\n", ""} {
		f.Add(written, came)
	}
	f.Add("HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\n", "HTTP/1.1 200 Fine\r\nx-a: 1\r\n\r\n")
	f.Fuzz(func(t *testing.T, written, came string) {
		read := func(head []byte) (http.Header, string, bool) {
			in := bufio.NewReader(bytes.NewReader(head))
			if bytes.HasPrefix(head, []byte("HTTP/")) {
				r, err := http.ReadResponse(in, nil)
				if err != nil || in.Buffered() > 0 {
					return nil, "", false
				}
				return r.Header, "", true
			}
			r, err := http.ReadRequest(in)
			if err != nil || in.Buffered() > 0 {
				return nil, "", false
			}
			return r.Header, r.Method + " " + r.RequestURI + " " + r.Host, true
		}
		var as bytes.Buffer // as net/http writes it
		want, line, ok := read([]byte(written))
		if !ok || findHeadEnd([]byte(written)) != len(written) {
			return
		}
		if first, rest, _ := strings.Cut(written, "\r\n"); strings.Contains(first, "\n") || rest == "" {
			return
		}
		as.WriteString(strings.SplitAfterN(written, "\r\n", 2)[0])
		if _, host, found := strings.Cut(line, " "); found && !strings.HasPrefix(written, "HTTP/") {
			as.WriteString("Host: " + host[strings.LastIndex(host, " ")+1:] + "\r\n")
		}
		want.Write(&as)
		as.WriteString("\r\n")
		if want, line, ok = read(as.Bytes()); !ok {
			return
		}
		got, is, ok := read(spellHead(as.Bytes(), []byte(came)))
		if !ok || is != line || !reflect.DeepEqual(got, want) {
			t.Errorf("%q, as %q, became %q", as.Bytes(), came, spellHead(as.Bytes(), []byte(came)))
		}
	})
}
