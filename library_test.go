package conform_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Each type of the library shows its members where it is documented, though some are defined
// in other packages.
func TestTypesShowTheirMembers(t *testing.T) {
	t.Parallel()
	for _, v := range []any{conform.Target{}, conform.Endpoint{}, conform.Credentials{}, conform.Behaviour{}, conform.Limits{}, conform.Judging{}, conform.Webhook{}, conform.Selection{}, conform.Stimulus{}, conform.UsageError{}, conform.Waiver{}} {
		of := reflect.TypeOf(v)
		text, err := exec.Command("go", "doc", ".", of.Name()).Output()
		if err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		for i := range of.NumField() {
			f := of.Field(i)
			typed := strings.ReplaceAll(regexp.QuoteMeta(f.Type.String()), "conform\\.", "")
			member := regexp.MustCompile(`(?m)^\s+(\w+, )*` + f.Name + `\s+(` + typed + `|\S)`)
			if !member.Match(text) {
				t.Errorf("go doc . %s does not show %s %s:\n%s", of.Name(), f.Name, f.Type, text)
			}
		}
	}
	text, err := exec.Command("go", "doc", ".").Output()
	if err != nil || !strings.Contains(string(text), "type Target = operator.Target") {
		t.Errorf("%v\n%s", err, text)
	}
}

// Why a run gave no verdict on the server can be told apart.
func TestErrorsCanBeToldApart(t *testing.T) {
	t.Parallel()
	_, err := conform.Run(t.Context(), conform.Target{URL: "localhost:9999"})
	if mistake := (*conform.UsageError)(nil); !errors.As(err, &mistake) || mistake.Text == "" {
		t.Errorf("a mistake: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	o, err := conform.Run(t.Context(), conform.Target{URL: closed, Dialect: "a2a-0.1", Endpoint: conform.Endpoint{RPC: closed}})
	if err != nil || !errors.Is(o.Err(), conform.ErrUnreachable) || errors.Is(o.Err(), conform.ErrVoid) {
		t.Errorf("unreachable: %v, %v", err, o)
	}
	for _, dialect := range []string{"", "a2a-0.1"} {
		ctx, cancel := context.WithCancel(t.Context())
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		}))
		o, err = conform.Run(ctx, conform.Target{URL: s.URL, Dialect: dialect})
		s.Close()
		if !errors.Is(err, context.Canceled) || o == nil || o.Report.Verdict != report.Void || !errors.Is(o.Err(), conform.ErrVoid) {
			t.Errorf("canceled (%q): %v, %+v", dialect, err, o)
		}
	}
}
