package livepage

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// hostile is a text that a client may send.
const hostile = "</script><script>alert(1)</script>\"' onload=x \u202e\x1b[31m"

func newHostilePage() Page {
	turns := Scenario{Name: "turns", About: "The client is given a second text.", Current: true, Requests: 2, Last: "send",
		Do: []Action{{Words: "In your application, send:", Text: "Hello & <goodbye>"}, {Words: "Then send:", Text: "And what else?"}}}
	return Page{Nonce: "NONCE", Protocol: "A2A 1.0", Address: "http://127.0.0.1:1", Card: "http://127.0.0.1:1/card.json", Current: turns, Came: "turns: request 2, " + hostile, Trouble: hostile, Version: 7,
		Groups:  []Group{{"plain", []Scenario{{Name: "hello", About: "A message makes a task.", Requests: 1, Last: "card"}, turns}}, {"card", []Scenario{{Name: "card-broken-html", About: hostile, Fault: "a web page"}}}},
		Summary: &Summary{Verdict: "1 requirement is broken", Reason: hostile, Fails: 3, Passes: 12, Undecided: 40, Failures: []Failure{{"X-001", "MUST", "It holds.", "sent " + hostile}}}}
}

func writePage(t *testing.T, p Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWritePage(t *testing.T) {
	got := writePage(t, newHostilePage())
	const file = "testdata/page.html"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		had := strings.Split(string(want), "\n")
		for i, line := range strings.Split(got, "\n") {
			if i >= len(had) || line != had[i] {
				t.Fatalf("%s, line %d: the page is now\n\t%s\n(-update rewrites the file)", file, i+1, line)
			}
		}
		t.Errorf("%s has lines that are no longer written (-update rewrites the file)", file)
	}
}

// What others wrote is text, whatever it contains.
func TestEscapeHostileTexts(t *testing.T) {
	got := writePage(t, newHostilePage())
	if n := strings.Count(strings.ToLower(got), "<script"); n != 1 {
		t.Errorf("the page has %d scripts", n)
	}
	if strings.ContainsAny(got, "\u202e\x1b") {
		t.Error("the page has control characters")
	}
	if strings.Contains(got, "<goodbye>") {
		t.Error("the page has the markup of a text")
	}
}

// A page of whatever texts is of a bounded size.
func TestBoundTexts(t *testing.T) {
	p := newHostilePage()
	long := strings.Repeat("<", 1<<20)
	p.Came, p.Trouble, p.Current.Last, p.Current.Do[0].Text, p.Summary.Reason = long, long, long, long, long
	for range 5000 {
		p.Summary.Failures = append(p.Summary.Failures, Failure{long[:5000], long[:5000], long[:5000], long[:5000]})
	}
	p.Summary.Fails = 5001
	got := writePage(t, p)
	if len(got) > 4<<20 {
		t.Errorf("the page has %d bytes", len(got))
	}
	if !strings.Contains(got, "4901 more are in the report") {
		t.Error("the page does not state how many failures it leaves out")
	}
}

// A page before the first request and the first verdict states so.
func TestWriteFirstPage(t *testing.T) {
	got := writePage(t, Page{Current: Scenario{Name: "hello"}})
	for _, want := range []string{"No request has come yet.", "Nothing was judged yet.", "none yet"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The page counts the scenarios that are done, and those that are left.
func TestCountScenariosThatAreLeft(t *testing.T) {
	p := newHostilePage()
	if got := writePage(t, p); !strings.Contains(got, "2 of 3 scenarios done, 1 left<") {
		t.Error("the page does not count 1 of 3 scenarios as left")
	}
	p.Groups[1].Scenarios[0].Requests = 1
	if got := writePage(t, p); !strings.Contains(got, "3 of 3 scenarios done<") {
		t.Error("the page does not count all scenarios as done")
	}
}

// The policy lets the browser apply what has the nonce, and nothing of another origin.
func TestPolicy(t *testing.T) {
	const want = "default-src 'none'; style-src 'nonce-N'; script-src 'nonce-N'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	if got := Policy("N"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
