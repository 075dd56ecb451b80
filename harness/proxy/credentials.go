package proxy

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
)

// hideCredentials takes the values of credential headers out of the heads of an exchange. They are kept apart, since the other side may
// repeat them in a text, in which they are found by their values alone.
func hideCredentials(p *traffic.Passed) {
	of := redact.NewRedactor(nil)
	p.Credentials = http.Header{}
	for _, x := range []*record.Exchange{p.In, p.Out} {
		if x == nil {
			continue
		}
		before := listFieldsOf(x)
		of.Exchange(x)
		for i, after := range listFieldsOf(x) {
			for name, values := range before[i] {
				if !slices.Equal(values, after[name]) && !slices.Equal(values, p.Credentials[name]) {
					p.Credentials[name] = append(p.Credentials[name], values...)
				}
			}
		}
	}
}

// listFieldsOf returns the fields of the heads and trailers of an exchange.
func listFieldsOf(x *record.Exchange) []http.Header {
	return []http.Header{x.Request.Header(), x.Request.Trailers(), x.Response.Header(), x.Response.Trailers()}
}

// countBytes returns how many bytes the values of fields have.
func countBytes(fields http.Header) (n int64) {
	for _, values := range fields {
		for _, v := range values {
			n += int64(len(v))
		}
	}
	return n
}
