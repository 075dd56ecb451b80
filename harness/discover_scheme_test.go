package harness

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// A URL of the wrong scheme is a mistake that the answer gives away.
func TestWrongSchemeIsNamed(t *testing.T) {
	plain, secure := httptest.NewServer(http.NotFoundHandler()), httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer plain.Close()
	defer secure.Close()
	for _, c := range []struct{ url, want string }{
		{strings.Replace(plain.URL, "http:", "https:", 1), "begins with http://"},
		{strings.Replace(secure.URL, "https:", "http:", 1), "begins with https://"},
	} {
		talk, err := Run(t.Context(), operator.Target{URL: c.url, Dialect: "auto"}, nil)
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = strings.Join(talk.Transcript.Facts.Tried, "\n")
		}
		if !strings.Contains(said, c.want) {
			t.Errorf("%s: %q does not say that the URL %s", c.url, said, c.want)
		}
	}
}
