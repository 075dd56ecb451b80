package harness

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// cardFile writes a file and returns its name; SELF stands for a server's URL.
func cardFile(t *testing.T, text, self string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "my card.json")
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "SELF", self)), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A file that holds no card ends the run before anything is sent, with its name.
func TestCardFilesThatAreNone(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "the file is not a JSON object: it is empty"},
		{"YAML", "name: x\nurl: y\n", "the file is not a JSON object: line 1: "},
		{"no quotes", "{\"name\": \"x\",\n url}", "the file is not a JSON object: line 2: "},
		{"two objects", "{}\n{}", "the file is not a JSON object: line 2: "},
		{"Latin-1", "{\"name\": \"\xfc\"}", "the file is not a JSON object: line 1: "},
		{"an array", "[{}]", "the file holds JSON, but not an object"},
		{"too large", `{"name": "` + strings.Repeat("x", maxCardFile) + `"}`, "the file is larger than 1 MiB"},
	} {
		self, asked := paths{}.start(t)
		name := cardFile(t, c.text, self)
		_, err := Run(t.Context(), operator.Target{URL: self, Endpoint: operator.Endpoint{Card: name}}, nothing)
		if u := (*UsageError)(nil); !errors.As(err, &u) || !strings.HasPrefix(u.Text, "--card "+name+": "+c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
		if n := len(asked()); n > 0 {
			t.Errorf("%s: %d requests were sent", c.name, n)
		}
	}
	for _, c := range []struct{ card, want string }{
		{t.TempDir(), "the file cannot be read: is a directory"},
		{"none.json", "--card none.json: the file cannot be read: no such file or directory; a URL begins with http:// or https://"},
		{"me:hidden-word@localhost/card.json?token=hidden-word", "--card …@localhost/card.json?…: the file cannot be read"},
	} {
		_, err := Run(t.Context(), operator.Target{URL: "http://127.0.0.1:1", Endpoint: operator.Endpoint{Card: c.card}}, nothing)
		if u := (*UsageError)(nil); !errors.As(err, &u) || !strings.Contains(u.Text, c.want) || strings.Contains(u.Text, "hidden-word") {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// A card in a file tells the dialect and the endpoint as one that was fetched,
// and what lies at the well-known place is then a document like any other.
func TestCardInAFile(t *testing.T) {
	const another = `{"name":"another","protocolVersion":"0.3.0","url":"SELF/another"}`
	for _, c := range []struct {
		name, text string
		file       bool // given as a file: URL
		target     operator.Target
		serves     paths
		dialect    string
		rpc, usage string
	}{
		{name: "0.1", text: good01, serves: paths{card01: another}, dialect: "a2a-0.1", rpc: "/rpc"},
		{name: "0.1, as a URL", text: good01, file: true, serves: paths{}, dialect: "a2a-0.1", rpc: "/rpc"},
		{name: "0.3", text: good03, serves: paths{card03: another, card01: good01}, dialect: "a2a-0.3", rpc: "/"},
		{name: "JAF", text: goodJAF, target: operator.Target{Dialect: "jaf-0.3"}, serves: paths{cardJAF: "404"}, dialect: "jaf-0.3", rpc: "/a2a"},
		{name: "with a byte order mark", text: "\ufeff" + goodA2X, serves: paths{}, dialect: "a2x-0.3", rpc: "/api/a2a"},
		{name: "the operator knows", text: `{"name":"x","protocolVersion":"7.1","url":"SELF/"}`, target: operator.Target{Dialect: "a2a-0.3"}, dialect: "a2a-0.3", rpc: "/"},
		{name: "the operator's endpoint", text: `{"name":"x","url":"http://example.invalid/rpc"}`, target: operator.Target{Endpoint: operator.Endpoint{RPC: "SELF/mine"}}, dialect: "a2a-0.1", rpc: "/mine"},
		{name: "another host", text: `{"name":"x","url":"http://example.invalid/rpc"}`, usage: "--rpc http://example.invalid/rpc"},
		{name: "another version", text: `{"name":"x","protocolVersion":"7.1","url":"SELF/"}`, usage: "holds an agent card that states protocolVersion 7.1"},
		{name: "no card", text: `{"status":"up"}`, serves: paths{card03: good03}, usage: "a2a-conform cannot detect the server's protocol"},
	} {
		t.Run(c.name, func(t *testing.T) {
			self, asked := c.serves.start(t)
			target := c.target
			target.URL, target.RPC = self, strings.ReplaceAll(target.RPC, "SELF", self)
			target.Card = cardFile(t, c.text, self)
			if c.file {
				target.Card = "file://" + strings.ReplaceAll(target.Card, " ", "%20")
			}
			talk, err := Run(t.Context(), target, nothing)
			if c.usage != "" {
				if u := (*UsageError)(nil); !errors.As(err, &u) || !strings.Contains(u.Text, c.usage) {
					t.Errorf("got %v, want %s", err, c.usage)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			tr := talk.Transcript
			if talk.Dialect == nil || talk.Dialect.Name != c.dialect || strings.TrimSuffix(tr.Facts.RPC, "/") != strings.TrimSuffix(self+c.rpc, "/") {
				t.Errorf("got %s at %s", tr.Facts.Dialect, tr.Facts.RPC)
			}
			x := tr.Exchanges[len(tr.Exchanges)-1]
			if x.Dir != record.Given || x.URL != "file:my%20card.json" || x.Answered() || !x.Obtained() || x.Reply().Root.Member("name") == nil {
				t.Errorf("the card is kept as %+v", x)
			}
			if tr.Spoken() != len(asked()) || len(tr.Exchanges) != len(asked())+1 {
				t.Errorf("%d requests came, %d exchanges of %d are said to be spoken", len(asked()), tr.Spoken(), len(tr.Exchanges))
			}
			for _, s := range tr.Play("card").Steps {
				if given := s.Exchange == x; given != (s.Name == "configured" && s.Op == "card" && s.Elsewhere) || !given && s.Op != "document" {
					t.Errorf("the step %s is a %s", s.Name, s.Op)
				}
			}
			var har bytes.Buffer
			if err := record.WriteHAR(&har, tr); err != nil {
				t.Fatal(err)
			}
			read, err := record.ReadHAR(&har)
			if err != nil {
				t.Fatal(err)
			}
			y := read.Play("card").Step("configured").Exchange
			if y.Dir != record.Given || y.URL != x.URL || !bytes.Equal(y.Response.Body, x.Response.Body) || y.ID != x.ID {
				t.Errorf("it is read as %+v", y)
			}
		})
	}
}

// Secrets are taken out of a card in a file, and the folders that it lies in are
// told to nobody.
func TestCardInAFileIsRedacted(t *testing.T) {
	const token = "tok-12345678"
	self, _ := paths{}.start(t)
	name := cardFile(t, `{"name":"x","url":"SELF/rpc","description":"use `+token+`"}`, self)
	talk, err := Run(t.Context(), operator.Target{URL: self, Endpoint: operator.Endpoint{Card: name}, Credentials: operator.Credentials{Bearer: token}}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	x := talk.Transcript.Play("card").Step("configured").Exchange
	if body := string(x.Response.Body); strings.Contains(body, token) || !strings.Contains(body, "use ⟦secret:bearer⟧") {
		t.Errorf("the card is kept as %s", body)
	}
	var har bytes.Buffer
	if err := record.WriteHAR(&har, talk.Transcript); err != nil {
		t.Fatal(err)
	}
	if dir := filepath.Dir(name); strings.Contains(har.String(), dir) {
		t.Errorf("the transcript names %s", dir)
	}
}

// The address at which the card would have been looked for anyway changes
// nothing: the same is asked in the same order, and kept in the same plays.
func TestCardNamedWhereItIsAnyway(t *testing.T) {
	outline := func(t *testing.T, self string, target operator.Target) (out []string) {
		target.URL = self
		talk, err := Run(t.Context(), target, nothing)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range talk.Transcript.Plays {
			for _, s := range p.Steps {
				out = append(out, fmt.Sprint(p.Scenario, " ", s.Name, " ", s.Role, " ", s.Op, " ", s.Elsewhere, " ", s.Exchange.ID, " ", s.Exchange.URL))
			}
		}
		return append(out, append(talk.Transcript.Facts.Tried, talk.Transcript.Facts.RPC)...)
	}
	for _, c := range []struct {
		name   string
		serves paths
		path   string
	}{
		{"0.1", paths{card01: good01}, "/.well-known/agent.json"},
		{"0.3", paths{card03: good03}, "/.well-known/agent-card.json"},
		{"0.3, at both", paths{card03: good03, card01: good03}, "/.well-known/agent-card.json"},
		{"0.3, at the older place", paths{card01: good03}, "/.well-known/agent.json"},
		{"JAF", paths{cardJAF: goodJAF}, "/.well-known/agent-card"},
		{"A2X", paths{card01: goodA2X}, "/.well-known/agent.json"},
	} {
		for _, dialect := range []string{"auto", ""} {
			t.Run(c.name+" "+dialect, func(t *testing.T) {
				self, asked := c.serves.start(t)
				name := dialect
				if name == "" {
					talk, err := Run(t.Context(), operator.Target{URL: self}, nothing)
					if err != nil {
						t.Fatal(err)
					}
					name = talk.Dialect.Name
				}
				want := outline(t, self, operator.Target{Dialect: name})
				before := len(asked())
				for _, address := range []string{self + c.path, strings.Replace(self, "127.0.0.1", "localhost", 1) + c.path} {
					if got := outline(t, self, operator.Target{Dialect: name, Endpoint: operator.Endpoint{Card: address}}); !slices.Equal(got, want) {
						t.Errorf("--card %s leads to\n%s\nnot\n%s", address, strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
				}
				requests := asked()
				each := (len(requests) - before) / 2
				for i, r := range requests[before:] {
					if o := requests[before-each+i%each]; r.Method != o.Method || r.URL.String() != o.URL.String() {
						t.Errorf("request %d is %s %s, without the word of the operator %s %s", i, r.Method, r.URL, o.Method, o.URL)
					}
				}
			})
		}
	}
}

// A card elsewhere is the card, or there is none, whatever lies at the dialect's
// own places.
func TestCardElsewhere(t *testing.T) {
	const another = `{"name":"another","protocolVersion":"0.3.0","url":"SELF/another","skills":[]}`
	other, askedOther := paths{"GET /card.json": good03}.start(t)
	for _, c := range []struct {
		name          string
		serves        paths
		dialect, card string
		rpc           string
		elsewhere     bool // on another host
		step          string
	}{
		{"on the server", paths{"GET /mine": good03, card03: another}, "", "/mine", "/", false, "configured"},
		{"on the server, by its name", paths{"GET /mine": good03, card03: another}, "a2a-0.3", "/mine", "/", false, "configured"},
		{"gone", paths{card03: another}, "a2a-0.3", "/mine", "/", false, ""},
		{"on another", paths{card03: another}, "a2a-0.3", other + "/card.json", "", true, "configured"},
		{"the older place beside another card", paths{card03: another, card01: good03}, "a2a-0.3", "/.well-known/agent.json", "/", false, "configured"},
	} {
		t.Run(c.name, func(t *testing.T) {
			self, _ := c.serves.start(t)
			target := operator.Target{URL: self, Dialect: c.dialect, Endpoint: operator.Endpoint{Card: c.card}, Credentials: operator.Credentials{Bearer: "tok-12345678"}}
			if strings.HasPrefix(c.card, "/") {
				target.Card = self + c.card
			}
			if c.rpc == "" {
				target.RPC = self
			}
			talk, err := Run(t.Context(), target, nothing)
			if err != nil {
				t.Fatal(err)
			}
			if got := talk.Transcript.Facts.RPC; strings.TrimSuffix(got, "/") != strings.TrimSuffix(self+c.rpc, "/") {
				t.Errorf("calls go to %s", got)
			}
			found := ""
			for _, s := range talk.Transcript.Play("card").Steps {
				switch {
				case s.Name == "configured" && (s.Op != "card" || s.Elsewhere != c.elsewhere), s.Name != "configured" && (s.Op != "document" || s.Elsewhere):
					t.Errorf("the step %s is a %s, elsewhere %v", s.Name, s.Op, s.Elsewhere)
				case s.Op == "card" && isCard(s.Exchange):
					found = s.Name
				}
			}
			if found != c.step {
				t.Errorf("the card is that of the step %q", found)
			}
		})
	}
	if slices.ContainsFunc(askedOther(), func(r *http.Request) bool { return r.Header.Get("Authorization") != "" }) {
		t.Error("credentials went to another host")
	}
}
