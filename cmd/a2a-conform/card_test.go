package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/internal/testprocess"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

const (
	goodCard = `{
  "name": "x",
  "description": "Echoes.",
  "version": "1",
  "supportedInterfaces": [
    {"url": "SELF/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
  ],
  "capabilities": {},
  "defaultInputModes": ["text/plain"],
  "defaultOutputModes": ["text/plain"],
  "skills": [{"id": "a", "name": "a", "description": "a", "tags": ["a"]}]
}
`
	brokenMember = `"version": 1`
)

// cardFolder is a folder with a good card and a broken one; what is called at the address of both is counted.
func cardFolder(t *testing.T) (dir string, calls *atomic.Int32) {
	calls = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	t.Cleanup(server.Close)
	dir = t.TempDir()
	text := strings.ReplaceAll(goodCard, "SELF", server.URL)
	for name, text := range map[string]string{"agent-card.json": text, "broken.json": strings.Replace(text, `"version": "1"`, brokenMember, 1),
		"public.json": strings.ReplaceAll(goodCard, "SELF", "https://agent.acme.com"), "page.json": "<html>", "unknown.json": "{}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, calls
}

func TestCardFile(t *testing.T) {
	dir, calls := cardFolder(t)
	for _, c := range []struct {
		args     string
		code     int
		out, err string
	}{
		{"public.json", 0, "OK DIR/public.json: judged alone as A2A 1.0.1: 0 MUST requirements broken", ""},
		{"agent-card.json", 0, "DIR/agent-card.json:6:6: FINDING address-loopback", ""},
		{"broken.json", 1, "DIR/broken.json:4:3: FAIL A2A10-CARD-003 MUST §4.4.1", ""},
		{"broken.json --format github", 1, "::error file=DIR/broken.json,line=4,col=3,title=A2A10-CARD-003::", ""},
		{"broken.json --format sarif", 1, `"startLine": 4`, ""},
		{"broken.json --json", 1, `"line": 4`, ""},
		{"public.json broken.json", 1, "OK DIR/public.json", ""},
		{"page.json", 1, "DIR/page.json:1:1: FAIL card-json", ""},
		{"public.json --dialect a2a-0.3", 1, "A2A03-CARD-0", ""},
		{"unknown.json", 2, "", "give --dialect NAME"},
		{"none.json", 2, "", "none.json: the file cannot be read: no such file"},
		{"none.json broken.json", 2, "broken.json:4:3: FAIL", "none.json"},
		{"public.json --dialect nope", 2, "", "is not one of auto, a2a-0.1"},
		{"public.json --format xml", 2, "", "--format"},
		{"public.json --card-key none.pem", 2, "", "--card-key"},
		{"", 2, "", "give a file or the URL"},
	} {
		args := []string{"card"}
		for _, word := range strings.Fields(c.args) {
			if strings.HasSuffix(word, ".json") {
				word = filepath.Join(dir, word)
			}
			args = append(args, word)
		}
		code, out, errs := command(t, args...)
		if want := strings.ReplaceAll(c.out, "DIR", dir); code != c.code || !strings.Contains(out, want) || !strings.Contains(errs, c.err) {
			t.Errorf("card %s: exit %d, want %d with %q and %q\n%s%s", c.args, code, c.code, want, c.err, out, errs)
		}
	}
	if calls.Load() != 0 {
		t.Errorf("for files %d calls were made", calls.Load())
	}
}

// TestCardURL: for a URL the server gets one GET, whatever the card says.
func TestCardURL(t *testing.T) {
	var calls atomic.Int32
	var asked atomic.Pointer[string]
	server := httptest.NewServer(nil)
	defer server.Close()
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		line := r.Method + " " + r.URL.Path
		asked.Store(&line)
		switch r.URL.Path {
		case "/broken.json":
			fmt.Fprint(w, strings.Replace(goodCard, `"version": "1"`, brokenMember, 1))
		case "/none.json":
			http.NotFound(w, r)
		default:
			fmt.Fprint(w, strings.ReplaceAll(goodCard, "SELF", server.URL))
		}
	})
	for _, c := range []struct {
		path, asks string
		code       int
		says       string
	}{
		{"", "GET /.well-known/agent-card.json", 0, "OK " + server.URL + ": judged alone as A2A 1.0.1: 0 MUST requirements broken"},
		{"/agents/card", "GET /agents/card", 0, "OK "},
		{"/broken.json", "GET /broken.json", 1, server.URL + "/broken.json:4:3: FAIL A2A10-CARD-003"},
		{"/none.json", "GET /none.json", 2, "HTTP 404"},
	} {
		calls.Store(0)
		asked.Store(new(string))
		code, out, errs := command(t, "card", server.URL+c.path)
		if code != c.code || !strings.Contains(out+errs, c.says) || calls.Load() != 1 || *asked.Load() != c.asks {
			t.Errorf("%s: exit %d after %d calls, the last %s\n%s%s", c.path, code, calls.Load(), *asked.Load(), out, errs)
		}
		if c.code == 0 && strings.Contains(out, "FINDING") {
			t.Errorf("a card that comes from loopback has findings:\n%s", out)
		}
	}
	nobody := testprocess.HoldAddress(t)
	if code, out, errs := command(t, "card", "http://"+nobody+"/card"); code != 4 || !strings.Contains(errs, "no card was fetched") {
		t.Errorf("nothing answers: exit %d\n%s%s", code, out, errs)
	}
	t.Setenv("CARD_TOKEN", "12345678")
	if code, _, errs := command(t, "card", server.URL, "--bearer-env", "CARD_TOKEN"); code != 0 {
		t.Errorf("with a token: exit %d %s", code, errs)
	}
}

// A signed card is verified with the key of its signer.
func TestCardWithKey(t *testing.T) {
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0", Variant: "signed"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	key := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(key, reference.CardKeys(), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := command(t, "card", server.URL()); code != 0 || !strings.Contains(out, "NOTICE") || !strings.Contains(out, "--card-key") {
		t.Errorf("without a key: exit %d\n%s", code, out)
	}
	if code, out, _ := command(t, "card", server.URL(), "--card-key", key); code != 0 || strings.Contains(out, "NOTICE") {
		t.Errorf("with the key: exit %d\n%s", code, out)
	}
}

// On a runner the annotations are printed besides the text.
func TestCardOnGitHub(t *testing.T) {
	dir, _ := cardFolder(t)
	t.Setenv("GITHUB_ACTIONS", "true")
	_, out, _ := command(t, "card", filepath.Join(dir, "broken.json"))
	if !strings.Contains(out, "\n::error file=") || !strings.Contains(out, "broken.json:4:3: FAIL") {
		t.Errorf("got\n%s", out)
	}
}

// What card prints as JSON is as its published schema says.
func TestCardJSON(t *testing.T) {
	dir, _ := cardFolder(t)
	_, out, _ := command(t, "card", "--json", filepath.Join(dir, "broken.json"), filepath.Join(dir, "page.json"))
	if err := compiledSchema(t, "card").Validate(decodeText(t, out)); err != nil {
		t.Error(err)
	}
	var judged report.CardReport
	if err := json.Unmarshal([]byte(out), &judged); err != nil || len(judged.Cards) != 2 || judged.Cards[0].Dialect != "a2a-1.0" {
		t.Errorf("got %v, %v", judged, err)
	}
}

func decodeText(t *testing.T, text string) (v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// A card in a file takes little more of the processor than reading the catalogue by which it is judged,
// which is most of it.
func TestCardTakesLittleTime(t *testing.T) {
	testamount.SkipInShort(t)
	dir, _ := cardFolder(t)
	least := func(args ...string) time.Duration {
		var best time.Duration
		for range 4 {
			run := newChild(t, args...)
			run.Run()
			state := run.ProcessState
			if took := state.UserTime() + state.SystemTime(); best == 0 || took < best {
				best = took
			}
		}
		return best
	}
	card, list := least("card", filepath.Join(dir, "public.json")), least("list", "--dialect", "a2a-1.0")
	t.Logf("card takes %v of the processor, list %v", card, list)
	if card > list*5/2 && card > 200*time.Millisecond {
		t.Errorf("card takes %v of the processor, and list %v", card, list)
	}
}

// The hooks that the repository offers to pre-commit call this command, with the files that cards are in.
func TestPreCommitHooks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(packageFolder, "..", "..", ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Name, Description, Entry, Language, Files string
		Types                                         []string
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&hooks); err != nil || len(hooks) != 1 {
		t.Fatalf("got %v, %v", hooks, err)
	}
	h := hooks[0]
	if h.ID != "a2a-card" || h.Language != "golang" || h.Entry != "a2a-conform card" || h.Name == "" || h.Description == "" {
		t.Errorf("got %+v", h)
	}
	files := regexp.MustCompile(h.Files)
	for name, want := range map[string]bool{"agent-card.json": true, ".well-known/agent-card.json": true, "public/.well-known/agent.json": true, "cards/echo.agent-card.json": true,
		"user-agent.json": false, "agent-card.yaml": false, "agents.json": false} {
		if files.MatchString(name) != want {
			t.Errorf("%s: got %v", name, !want)
		}
	}
}
