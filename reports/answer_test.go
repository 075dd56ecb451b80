package reports

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
)

// An answer is printed whole, within bounds, and without effect on a terminal.
func TestAnswer(t *testing.T) {
	printed := func(x *record.Exchange) string {
		return reportstest.Render(t, func(w io.Writer) error { return Answer(w, x) })
	}
	const evil = "\x1b[2J\u202e\x9b"
	x := reportstest.Post("", "200 OK\r\nX-A: "+evil, "application/json", `{"a":"`+evil+`"}`, 0)
	x.Response.Trailer = []byte("grpc-status: 5\r\ngrpc-message: " + evil + "\r\n")
	got := printed(x)
	for _, want := range []string{"HTTP/1.1 200 OK\nX-A: ␛[2J\\u202e", "\n\n{", "after the body\ngrpc-status: 5\ngrpc-message: ␛[2J"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	if strings.ContainsAny(got, "\x1b\u202e\u009b\r") {
		t.Errorf("it prints %q", got)
	}
	stream := reportstest.Sample().Exchanges[2]
	if got := printed(stream); !strings.Contains(got, "event 60 after ") || !strings.Contains(got, "incomplete event, which clients drop\n    data: {\"half") {
		t.Error(got)
	}
	stream.Response.Body = bytes.Repeat([]byte("data: "+strings.Repeat("x", 1000)+"\n\n"), 2000)
	stream.Response.Chunks = nil
	long := reportstest.Post("", "200 OK", "text/plain", strings.Repeat("y", 1<<20), 0)
	for _, x := range []*record.Exchange{stream, long} {
		if got := printed(x); len(got) > 3*maxAnswer || !strings.Contains(got, "left out") {
			t.Errorf("%d bytes are printed", len(got))
		}
	}
}
