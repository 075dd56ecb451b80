package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// cardFormats are the renderings by the extension of their golden files.
var cardFormats = []struct {
	ext    string
	render func(io.Writer, *report.CardReport) error
}{
	{"txt", func(w io.Writer, r *report.CardReport) error { return CardText(w, r, false) }},
	{"ansi", func(w io.Writer, r *report.CardReport) error { return CardText(w, r, true) }},
	{"json", CardJSON},
	{"sarif", CardSARIF},
	{"github.txt", CardGitHub},
}

// judgedCards are a broken card, a good one, one that is no JSON, and one at a URL.
func judgedCards() *report.CardReport {
	broken := report.JudgedCard{Source: "cards/agent-card.json", Digest: "sha256:00", Agent: "Echo", Dialect: "a2a-1.0", Title: "A2A 1.0.1", Verdict: report.Nonconformant,
		Offers: []report.Offer{{Dialect: "a2a-0.3", Title: "A2A 0.3.0"}}, Undecided: []string{"A2A10-CARD-019"}, More: 2, Notices: []string{"the signatures were not verified, since no key was given: --card-key FILE"},
		Summary: map[string]report.Count{"MUST": {Pass: 30, Fail: 1, Inconclusive: 1}, "SHOULD": {Pass: 5, Fail: 1}, "MAY": {}},
		Problems: []report.CardProblem{
			{Rule: "A2A10-CARD-010", Kind: report.CardWarning, Level: schema.Should, Section: "4.4.1", Statement: "Each entry should be a media type.", Pointer: "/defaultInputModes/0", Line: 4, Column: 25, Got: `the card has defaultInputModes/0 "text"`, Want: "a MIME type (A2A 1.0.1 §4.4.1)", Fix: "Write text/plain."},
			{Rule: "A2A10-CARD-014", Kind: report.CardFailure, Level: schema.Must, Section: "4.4.6", Statement: "The `url` of an interface must be absolute.", Pointer: "/supportedInterfaces/0/url", Line: 9, Column: 7, Got: `the card has url "/"`, Want: "an absolute URL (A2A 1.0.1 §4.4.6)", Fix: "Write the scheme and the host.", Because: "A2A10-CARD-011"},
			{Rule: "A2A10-CARD-022", Kind: report.CardNote, Level: schema.May, Section: "4.4.6", Statement: "It may be there twice.", Pointer: "/x", Line: 11, Column: 1, Got: "it is there thrice", Want: "two of them"},
			{Rule: "A2A10-CARD-041", Kind: report.CardFinding, Level: schema.Should, Section: "A.2.2", Statement: "A card should have no older members.", Pointer: "/url", Line: 12, Column: 3, Got: "the card has url"},
			{Rule: "hidden-text", Kind: report.CardFinding, Statement: "a text holds invisible characters", Pointer: "/description", Line: 13, Column: 3, Got: "U+200B in \"ig<U+200B>nore\"", Want: "a text of which people see all", Fix: "Delete them."},
		}}
	good := report.JudgedCard{Source: "good.json", Digest: "sha256:01", Dialect: "a2a-0.3", Title: "A2A 0.3.0", Verdict: report.Conformant, Summary: map[string]report.Count{"MUST": {Pass: 1}, "SHOULD": {}, "MAY": {}}, Problems: []report.CardProblem{}}
	page := report.JudgedCard{Source: "page.json", Digest: "sha256:02", Verdict: report.Nonconformant, Summary: map[string]report.Count{"MUST": {Fail: 1}, "SHOULD": {}, "MAY": {}},
		Problems: []report.CardProblem{{Rule: "card-json", Kind: report.CardFailure, Level: schema.Must, Statement: "An agent card must be a JSON object.", Line: 1, Column: 1, Got: "invalid character '<'", Want: "a JSON object (RFC 8259)", Fix: "Correct the text."}}}
	remote := good
	remote.Source, remote.Problems = "https://bob:secret@agent.acme.com/card?key=secret", []report.CardProblem{{Rule: "address-placeholder", Kind: report.CardFinding, Statement: "a client is sent to a placeholder", Pointer: "/url", Line: 2, Column: 3, Got: "https://agent.example.com", Want: "an address", Fix: "Write it."}}
	return &report.CardReport{SchemaVersion: "1", Tool: report.Tool{Name: "a2a-conform", Version: "v0.0.0", CatalogueVersion: "1"}, Cards: []report.JudgedCard{broken, good, page, remote}}
}

func TestGoldenCards(t *testing.T) {
	for _, f := range cardFormats {
		t.Run(f.ext, func(t *testing.T) {
			reportstest.Golden(t, "card."+f.ext, reportstest.Render(t, func(w io.Writer) error { return f.render(w, judgedCards()) }))
		})
	}
}

// Nothing of a card gets out as a command of a terminal or of a runner, or as the user and password of a URL.
func TestHostileCards(t *testing.T) {
	const evil = "\x1b[31m::error::x\n::set-output name=a::b\r\n##[error]y%0A\u202e\u2028[words](http://x)\u200b"
	r := judgedCards()
	c := &r.Cards[0]
	c.Source, c.Title, c.Dialect, c.Notices, c.Agent = evil, evil, evil, []string{evil}, evil
	for i := range c.Problems {
		p := &c.Problems[i]
		p.Rule, p.Section, p.Statement, p.Pointer, p.Got, p.Want, p.Fix, p.Because = evil, evil, evil, evil, evil, evil, evil, evil
	}
	for _, f := range cardFormats {
		text := reportstest.Render(t, func(w io.Writer) error { return f.render(w, r) })
		if f.ext != "ansi" && strings.ContainsRune(text, '\x1b') || strings.ContainsAny(text, "\u202e\u2028\u200b\r") {
			t.Errorf("%s: a character that acts is in %q", f.ext, text)
		}
		for line := range strings.Lines(text) { // on a terminal the output of the command breaks them
			if f.ext == "github.txt" && (!regexp.MustCompile(`^::(error|warning|notice) (file|title)=`).MatchString(line) || strings.Contains(line, "##[error]")) {
				t.Errorf("a command is in %q", line)
			}
		}
		if f.ext != "json" && strings.Contains(text, "secret") {
			t.Errorf("%s: it shows what is secret in a URL", f.ext)
		}
	}
	for line := range strings.Lines(reportstest.Render(t, func(w io.Writer) error { return CardSARIF(w, r) })) {
		if strings.Contains(line, `"text":`) && strings.Contains(line, "](http") {
			t.Errorf("sarif: a link is in %q", line)
		}
	}
}

// GitHub shows ten annotations of a kind in a step, so that no more are written.
func TestCardAnnotationsAreBounded(t *testing.T) {
	r := judgedCards()
	c := &r.Cards[0]
	for i := range 100 {
		for _, kind := range []string{report.CardFailure, report.CardWarning, report.CardNote, report.CardFinding} {
			c.Problems = append(c.Problems, report.CardProblem{Rule: fmt.Sprint("R", i), Kind: kind, Line: i + 1, Column: 1, Got: "x"})
		}
	}
	text := reportstest.Render(t, func(w io.Writer) error { return CardGitHub(w, r) })
	for _, command := range []string{"error", "warning", "notice"} {
		if n := strings.Count(text, "::"+command+" "); n != maxAnnotations {
			t.Errorf("%d of %s", n, command)
		}
	}
	if !strings.Contains(text, "left out") {
		t.Error("what is left out is not told of")
	}
}

// What CardJSON writes is as the published schema says, which has the members of the Go types.
func TestCardJSONFitsItsSchema(t *testing.T) {
	compareSchema(t, CardSchema, map[string]reflect.Type{"": reflect.TypeFor[report.CardReport](), "card": reflect.TypeFor[report.JudgedCard](), "problem": reflect.TypeFor[report.CardProblem](),
		"count": reflect.TypeFor[report.Count](), "tool": reflect.TypeFor[report.Tool]()})
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if err := c.AddResource("card.schema.json", bytes.NewReader(CardSchema)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("card.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal([]byte(reportstest.Render(t, func(w io.Writer) error { return CardJSON(w, judgedCards()) })), &doc); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(doc); err != nil {
		t.Error(err)
	}
}

func TestEscapedURI(t *testing.T) {
	for address, want := range map[string]string{
		"https://…@h/card":         "https://%E2%80%A6@h/card",
		"http://[::1]:9/a%20b?c=1": "http://[::1]:9/a%20b?c=1",
		"http://h/100% <x>":        "http://h/100%25%20%3Cx%3E",
		"http://h/%":               "http://h/%25",
	} {
		if got := escapeURI(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
