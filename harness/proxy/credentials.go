package proxy

import (
	"bytes"
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
)

// newHiding returns what takes the values of credential headers out of the heads of an exchange. They are kept apart, since the other side
// may repeat them in a text, in which they are found by their values alone.
func newHiding() func(p *traffic.Passed) {
	of := redact.NewRedactor(nil)
	return func(p *traffic.Passed) {
		for _, x := range []*record.Exchange{p.In, p.Out} {
			if x == nil {
				continue
			}
			before := [...]record.Message{x.Request, x.Response}
			of.Exchange(x)
			for i, after := range [...]*record.Message{&x.Request, &x.Response} {
				if !bytes.Equal(before[i].Head, after.Head) {
					addChanged(p, before[i].Header(), after.Header())
				}
				if !bytes.Equal(before[i].Trailer, after.Trailer) {
					addChanged(p, before[i].Trailers(), after.Trailers())
				}
			}
		}
	}
}

// addChanged adds to the credentials of an exchange the fields whose values were taken out.
func addChanged(p *traffic.Passed, before, after http.Header) {
	for name, values := range before {
		if !slices.Equal(values, after[name]) && !slices.Equal(values, p.Credentials[name]) { // both sides have most of them
			if p.Credentials == nil {
				p.Credentials = http.Header{}
			}
			p.Credentials[name] = append(p.Credentials[name], values...)
		}
	}
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
