package proxy

import (
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/client"
)

// formatRequestHead writes the head of a request. The order of the fields, and the case of their names, are not those that
// were sent, since net/http does not keep them.
func formatRequestHead(r *http.Request, isHTTP2 bool) []byte {
	if isHTTP2 {
		scheme := r.URL.Scheme // of a call to the server, which has the TLS of the client's call as well
		switch {
		case scheme != "":
		case r.TLS != nil:
			scheme = "https"
		default:
			scheme = "http"
		}
		fields := []hpack.HeaderField{{Name: ":method", Value: r.Method}, {Name: ":scheme", Value: scheme}, {Name: ":authority", Value: r.Host}, {Name: ":path", Value: r.URL.RequestURI()}}
		return client.FormatRequestHead(append(fields, listFields(r.Header)...))
	}
	out := make([]byte, 0, 512)
	out = append(out, r.Method+" "+r.URL.RequestURI()+" HTTP/1.1\r\nHost: "+r.Host+"\r\n"...)
	switch {
	case r.ContentLength > 0:
		out = append(out, "Content-Length: "+strconv.FormatInt(r.ContentLength, 10)+"\r\n"...)
	case r.ContentLength < 0 && r.Body != nil:
		out = append(out, "Transfer-Encoding: chunked\r\n"...)
	}
	return append(append(out, formatFields(r.Header, []string{"Content-Length"})...), "\r\n"...)
}

// formatResponseHead writes the head of an answer.
func formatResponseHead(status int, line, proto string, h http.Header, codings []string, isHTTP2 bool) []byte {
	if isHTTP2 {
		return client.FormatResponseHead(append([]hpack.HeaderField{{Name: ":status", Value: strconv.Itoa(status)}}, listFields(h)...))
	}
	if line == "" {
		line = strings.TrimRight(strconv.Itoa(status)+" "+http.StatusText(status), " ")
	}
	out := make([]byte, 0, 512)
	out = append(out, proto+" "+line+"\r\n"...)
	if len(codings) > 0 {
		out = append(out, "Transfer-Encoding: "+strings.Join(codings, ", ")+"\r\n"...)
	}
	return append(append(out, formatFields(h, nil)...), "\r\n"...)
}

// formatFields writes header fields, a line for each, by their names. Those that are left out are written elsewhere.
func formatFields(h http.Header, leaveOut []string) (out []byte) {
	for name, value := range sortFields(h) {
		if !slices.Contains(leaveOut, name) {
			out = append(append(append(append(out, strings.TrimPrefix(name, http.TrailerPrefix)...), ": "...), value...), "\r\n"...)
		}
	}
	return out
}

// listFields returns header fields as HTTP/2 has them, by their names.
func listFields(h http.Header) (out []hpack.HeaderField) {
	for name, value := range sortFields(h) {
		out = append(out, hpack.HeaderField{Name: strings.ToLower(name), Value: value})
	}
	return out
}

// sortFields yields the header fields that are sent, by their names.
func sortFields(h http.Header) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for _, name := range slices.Sorted(maps.Keys(h)) {
			for _, value := range h[name] {
				if name == "User-Agent" && value == "" {
					continue // how net/http is had to send none
				}
				if !yield(name, value) {
					return
				}
			}
		}
	}
}
