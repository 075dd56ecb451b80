package commandtest

import (
	"io"
	"net"
	"net/http"
	"testing"
)

// StartSilentServer starts a server that takes connections and never answers. asked is closed with the
// first of them.
func StartSilentServer(t *testing.T) (url string, asked <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	came := make(chan struct{})
	go func() {
		for first := true; ; first = false {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if first {
				close(came)
			}
			go func() { io.Copy(io.Discard, c); c.Close() }()
		}
	}()
	return "http://" + l.Addr().String(), came
}

// AnswerWith answers everything alike.
func AnswerWith(code int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}
