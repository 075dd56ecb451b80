package conform_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// bundledCard fetches the card of a bundled server, and returns its URL with it. The body is nil if there is no card.
func bundledCard(t *testing.T, o reference.Options) (address string, body []byte, stop func()) {
	t.Helper()
	d, err := schema.Outline(o.Dialect)
	if err != nil {
		t.Fatal(err)
	}
	server, err := reference.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	address = server.URL() + d.Card.Paths[0]
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+reference.Token)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		body = nil
	}
	return address, body, func() { server.Close() }
}

// judgeFile writes a card to a file of the name that its dialect gives it, and judges the file.
func judgeFile(t *testing.T, dialect string, body []byte, by conform.CardBy) *report.JudgedCard {
	t.Helper()
	d, err := schema.Outline(dialect)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), filepath.Base(d.Card.Paths[0]))
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := harness.ReadCardFile(file)
	if err != nil {
		t.Fatal(err)
	}
	judged, err := conform.JudgeCard(file, x, by)
	if err != nil {
		t.Fatal(err)
	}
	return judged
}

// TestHealthyCardsAlone: nothing is reported of a healthy card that its server handed out. Of the same card in a file, which
// anybody may be given, the addresses that clients elsewhere cannot call are findings, and no failures.
func TestHealthyCardsAlone(t *testing.T) {
	for _, dialect := range conform.CardDialects() {
		for _, variant := range reference.Variants(dialect) {
			t.Run(dialect+"/"+variant, func(t *testing.T) {
				address, body, stop := bundledCard(t, reference.Options{Dialect: dialect, Variant: variant})
				defer stop()
				target := operator.Target{URL: address, Credentials: operator.Credentials{Bearer: reference.Token, InsecureSkipVerify: true}}
				x, err := harness.FetchCard(t.Context(), target)
				if err != nil {
					t.Fatal(err)
				}
				by := conform.CardBy{}
				if dialect == "core-schema" { // whose cards are those of A2A 0.1 too
					by.Dialect = dialect
				}
				served, err := conform.JudgeCard(address, x, by)
				if err != nil {
					t.Fatal(err)
				}
				if served.Dialect != dialect || served.Verdict != report.Conformant || len(served.Problems) != 0 || len(served.Undecided) != 0 {
					t.Errorf("from its server: %s, %s, %+v, undecided %v", served.Dialect, served.Verdict, served.Problems, served.Undecided)
				}
				filed := judgeFile(t, dialect, body, by)
				if filed.Dialect != dialect || filed.Verdict != report.Conformant {
					t.Errorf("from a file: %s, %s", filed.Dialect, filed.Verdict)
				}
				for _, p := range filed.Problems {
					if p.Kind != report.CardFinding || p.Rule != "address-loopback" && p.Rule != "address-placeholder" {
						t.Errorf("from a file: %+v", p)
					}
				}
				if !slices.ContainsFunc(filed.Problems, func(p report.CardProblem) bool { return p.Rule == "address-loopback" }) && bytes.Contains(body, []byte("127.0.0.1")) {
					t.Error("from a file: the addresses on loopback are no finding")
				}
			})
		}
	}
}

var portNumber = regexp.MustCompile(`(127\.0\.0\.1|localhost|0\.0\.0\.0):[0-9]+`)

// TestBrokenCardsAlone: of the cards of broken servers, the line of the member is named, as a reader of JSON
// that shares nothing with ours finds it.
func TestBrokenCardsAlone(t *testing.T) {
	named := 0
	for _, dialect := range conform.CardDialects() {
		healthy := map[string]string{}
		for _, m := range reference.Mutants(dialect) {
			if m.Area != "card" && m.Area != "discovery" && !strings.Contains(m.Name, "card") && !strings.Contains(m.Name, "signature") {
				continue
			}
			if _, ok := healthy[m.Variant]; !ok {
				_, body, stop := bundledCard(t, reference.Options{Dialect: dialect, Variant: m.Variant})
				stop()
				healthy[m.Variant] = withoutChance(body)
			}
			_, body, stop := bundledCard(t, reference.Options{Dialect: dialect, Variant: m.Variant, Mutant: m.Name})
			stop()
			if body == nil || withoutChance(body) == healthy[m.Variant] {
				continue // the defect is elsewhere
			}
			var lines bytes.Buffer
			if json.Indent(&lines, body, "", "  ") != nil {
				lines.Reset()
				lines.Write(body)
			}
			by := conform.CardBy{Dialect: dialect}
			if dialect == "a2a-1.0" {
				by.CardKey = string(reference.CardKeys())
			}
			judged, found := judgeFile(t, dialect, lines.Bytes(), by), 0
			for _, p := range judged.Problems {
				if p.Rule == "address-loopback" || p.Rule == "address-placeholder" {
					continue
				}
				found++
				if want := lineOf(lines.Bytes(), p.Pointer); p.Line != want && p.Rule != conform.RuleJSON {
					t.Errorf("%s %s: %s %s is in line %d, want %d", dialect, m.Name, p.Rule, p.Pointer, p.Line, want)
				}
				if p.Line < 1 || p.Column < 1 || p.Got == "" || p.Kind != report.CardFinding && (p.Want == "" || p.Fix == "") {
					t.Errorf("%s %s: a problem lacks something: %+v", dialect, m.Name, p)
				}
			}
			if found > 0 {
				named++
			} else {
				t.Logf("%s %s: nothing found: %s", dialect, m.Name, m.Summary)
			}
		}
	}
	t.Logf("the line was named on %d broken cards", named)
	if named < 60 {
		t.Errorf("the line was named on %d broken cards, want 60 at least", named)
	}
}

// withoutChance returns a card without what differs from start to start.
func withoutChance(body []byte) string {
	text := portNumber.ReplaceAllString(string(body), "HOST")
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	if m, ok := v.(map[string]any); ok && strings.Count(text, `"version"`) < 2 {
		sorted, _ := json.Marshal(m)
		return string(sorted)
	}
	return text
}

// lineOf finds the line of a member, of the nearest one around it if there is none, with the decoder of the
// standard library.
func lineOf(text []byte, pointer string) int {
	best, line := "", 1
	dec := json.NewDecoder(bytes.NewReader(text))
	start := func() int { // of the token that comes next
		rest := text[dec.InputOffset():]
		return int(dec.InputOffset()) + len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
	}
	note := func(at string, offset int) {
		if (pointer == at || strings.HasPrefix(pointer, at+"/")) && len(at) >= len(best) {
			best, line = at, 1+bytes.Count(text[:offset], []byte("\n"))
		}
	}
	var value func(at string)
	value = func(at string) {
		token, err := dec.Token()
		if err != nil {
			return
		}
		switch token {
		case json.Delim('{'):
			for dec.More() {
				offset := start()
				name, err := dec.Token()
				if err != nil {
					return
				}
				below := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(name))
				note(below, offset)
				value(below)
			}
			dec.Token()
		case json.Delim('['):
			for i := 0; dec.More(); i++ {
				below := at + "/" + strconv.Itoa(i)
				note(below, start())
				value(below)
			}
			dec.Token()
		}
	}
	value("")
	return line
}

// A card that is signed is verified if its key is given, and told of if not.
func TestSignedCardAlone(t *testing.T) {
	_, body, stop := bundledCard(t, reference.Options{Dialect: "a2a-1.0", Variant: "signed"})
	defer stop()
	unverified := judgeFile(t, "a2a-1.0", body, conform.CardBy{})
	if len(unverified.Notices) != 1 || !strings.Contains(unverified.Notices[0], "--card-key") || unverified.Verdict != report.Conformant {
		t.Errorf("without a key: %s, %q", unverified.Verdict, unverified.Notices)
	}
	verified := judgeFile(t, "a2a-1.0", body, conform.CardBy{CardKey: string(reference.CardKeys())})
	if len(verified.Notices) != 0 || verified.Verdict != report.Conformant || verified.Summary["MUST"].Pass <= unverified.Summary["MUST"].Pass {
		t.Errorf("with the key: %s, %q, %d of %d kept", verified.Verdict, verified.Notices, verified.Summary["MUST"].Pass, unverified.Summary["MUST"].Pass)
	}
	changed := judgeFile(t, "a2a-1.0", bytes.Replace(body, []byte(`"Reference Agent"`), []byte(`"Another Agent"`), 1), conform.CardBy{CardKey: string(reference.CardKeys())})
	if changed.Verdict != report.Nonconformant || !slices.ContainsFunc(changed.Problems, func(p report.CardProblem) bool {
		return strings.Contains(p.Rule, "-SIGN-") && strings.HasPrefix(p.Pointer, "/signatures")
	}) {
		t.Errorf("changed: %s, %+v", changed.Verdict, changed.Problems)
	}
}

// given is the record of a card's text.
func given(name, text string) *record.Exchange {
	return &record.Exchange{Dir: record.Given, URL: "file:" + name, Ended: record.EOF, Response: record.Message{Body: []byte(text)}}
}

func TestTextsThatAreNoCard(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		line, column int
		got          string
	}{
		{"nothing", "", 1, 1, "no value"},
		{"white space", " \n\n", 1, 1, "no value"},
		{"an open object", "{\n  \"name\": \"x\",\n", 3, 1, "ends inside"},
		{"a comma too many", "{\n  \"name\": \"x\",\n}", 2, 14, ""},
		{"something behind", "{}\n{}", 2, 1, "follow"},
		{"a list", "\n[]", 1, 1, "not an object"},
		{"too deep", strings.Repeat("[", 1100), 1, 1001, "levels"},
		{"a page", "<!doctype html>", 1, 1, ""},
	} {
		judged, err := conform.JudgeCard(c.name, given("x.json", c.text), conform.CardBy{})
		if err != nil {
			t.Fatal(err)
		}
		if len(judged.Problems) != 1 || judged.Verdict != report.Nonconformant {
			t.Fatalf("%s: %+v", c.name, judged)
		}
		p := judged.Problems[0]
		if p.Rule != conform.RuleJSON || p.Line != c.line || p.Column != c.column || !strings.Contains(p.Got, c.got) {
			t.Errorf("%s: got %+v", c.name, p)
		}
	}
}

func TestDialectOfCardAlone(t *testing.T) {
	const older = `{"name":"x","protocolVersion":"0.3.0","url":"https://a.acme.com/"}`
	for _, c := range []struct{ source, text, named, want, mistake string }{
		{"agent-card.json", older, "", "a2a-0.3", ""},
		{"card.json", older, "", "a2a-0.3", ""},
		{"https://acme.com/.well-known/agent.json?x=/agent-card", older, "", "a2x-0.3", ""},
		{"agent-card", older, "", "jaf-0.3", ""},
		{"card.json", older, "jaf-0.3", "jaf-0.3", ""},
		{"card.json", older, "a2a-1.0", "a2a-1.0", ""},
		{"card.json", `{"name":"x","protocolVersion":"0.2.5"}`, "", "", "protocolVersion 0.2.5"},
		{"card.json", `{}`, "", "", "--dialect NAME"},
		{"card.json", older, "directory-0.1", "", "has no agent card"},
		{"card.json", older, "a2a-9", "", "--dialect"},
	} {
		judged, err := conform.JudgeCard(c.source, given("card.json", c.text), conform.CardBy{Dialect: c.named})
		if c.mistake != "" {
			if usage := (*conform.UsageError)(nil); !errors.As(err, &usage) || !strings.Contains(usage.Text, c.mistake) {
				t.Errorf("%s: got %v, want %s", c.text, err, c.mistake)
			}
			continue
		}
		if err != nil || judged.Dialect != c.want {
			t.Errorf("%s as %s: got %v, %v, want %s", c.source, c.named, judged, err, c.want)
		}
	}
	judged, err := conform.JudgeCard("card.json", given("card.json", older), conform.CardBy{})
	if err != nil || len(judged.Notices) != 1 || !strings.Contains(judged.Notices[0], "jaf-0.3") {
		t.Errorf("the other protocols are not told of: %v, %v", judged, err)
	}
}

// What looks like a secret is not printed, wherever it is quoted.
func TestSecretsOfCardAlone(t *testing.T) {
	const secret = "sk-proj-abc123DEF456ghi789"
	text := strings.ReplaceAll(`{"name":"x SECRET","protocolVersion":"0.3.0","url":"http://bob:hunter2hunter2@a.acme.com/","description":"use SECRET",
		"documentationUrl":"SECRET","skills":[{"id":"SECRET"},{"id":"SECRET"}]}`, "SECRET", secret)
	judged, err := conform.JudgeCard("card.json", given("card.json", text), conform.CardBy{})
	if err != nil {
		t.Fatal(err)
	}
	all, _ := json.Marshal(judged)
	for _, s := range []string{secret, "hunter2hunter2"} {
		if bytes.Contains(all, []byte(s)) {
			t.Errorf("%s is shown in %s", s, all)
		}
	}
	if !bytes.Contains(all, []byte("address-credentials")) {
		t.Errorf("the password in the address is not found: %s", all)
	}
}

func FuzzJudgeCard(f *testing.F) {
	for _, seed := range []string{`{"name":"x","supportedInterfaces":[{"url":"/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, "\ufeff{\"name\":1,\"name\":2}", `{"skills":[[[]]],"signatures":[{"protected":"e30"}]}`, "{\"\xff\":\"\xfe\"}", "[", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, dialect := range []string{"a2a-1.0", "a2a-0.1"} {
			judged, err := conform.JudgeCard("card.json", given("card.json", string(text)), conform.CardBy{Dialect: dialect})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range judged.Problems {
				if p.Line < 1 || p.Column < 1 || p.Rule == "" || p.Kind == "" {
					t.Errorf("%+v", p)
				}
			}
		}
	})
}
