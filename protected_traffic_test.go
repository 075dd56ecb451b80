package conform

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
)

// What is written of traffic is replayed, though the texts in its bodies were replaced by others with another number of bytes, or
// were left out.
func TestProtectedTrafficIsReplayed(t *testing.T) {
	for name, gaps := range map[string]*record.Gaps{"of a run": nil, "of others": {Bytes: true}} {
		for _, bodies := range []bool{false, true} {
			r := recordTalk(t, `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"größer → 🐦"}]}`, "TASK_STATE_COMPLETED", gaps)
			r.Passed = append(r.Passed, newPassed(3, "POST", "/login", "grant_type=password&password=something-secret", `{"access_token":"something-else"}`, gaps))
			o, err := JudgeProtected(r, bodies, BothSides, Judging{})
			if err != nil {
				t.Fatal(err)
			}
			if len(o.Sides()) != 2 {
				t.Errorf("%s: %d sides are judged", name, len(o.Sides()))
			}
			for _, s := range o.Sides() {
				var har strings.Builder
				if err := record.WriteHAR(&har, s.Outcome.Transcript); err != nil {
					t.Fatal(err)
				}
				again, err := Replay(strings.NewReader(har.String()))
				if err != nil {
					t.Errorf("%s, bodies %v: the %s: %v", name, bodies, s.Side, err)
					continue
				}
				if got, want := again.Report.Verdict, s.Outcome.Report.Verdict; got != want {
					t.Errorf("%s, bodies %v: the %s is %s, and %s in a replay", name, bodies, s.Side, want, got)
				}
			}
		}
	}
}

// A requirement comes to nothing on the card of a healthy server without its texts that it does not come to on the whole card: no
// text that replaces another one breaks a rule.
func TestProtectedCardHasNoFurtherFindings(t *testing.T) {
	judged, left := 0, ""
	for _, name := range reference.Dialects() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		card := readServedCard(t, d)
		if card == "" {
			continue
		}
		r := traffic.Recording{Source: "test", Target: "http://agent.example", Dialects: []*schema.Dialect{d}, Passed: []traffic.Passed{newPassed(0, "GET", d.Card.Paths[0], "", card, nil)}}
		outcomes := map[bool]*TrafficOutcome{}
		for _, bodies := range []bool{false, true} {
			if outcomes[bodies], err = JudgeProtected(r, bodies, BothSides, Judging{}); err != nil {
				t.Fatalf("%s, bodies %v: %v", name, bodies, err)
			}
		}
		judged++
		whole := listConclusions(outcomes[true])
		for id, c := range listConclusions(outcomes[false]) {
			if c.verdict != whole[id].verdict || hasFurther(c.findings, whole[id].findings) {
				t.Errorf("%s: %s is %v without the texts, and %v with them", name, id, c, whole[id])
			}
		}
		for _, s := range outcomes[false].Sides() {
			for _, notice := range s.Outcome.Report.Notices {
				left += notice
				if strings.Contains(notice, "A2A10-CARD-030") && s.Side != ServerSide {
					t.Errorf("a notice on the %s names what only the server is judged by: %s", s.Side, notice)
				}
			}
		}
	}
	if judged < 5 || !strings.Contains(left, "A2A10-CARD-030") {
		t.Errorf("%d cards were judged, and left out was %q, want what the version in the URI of an extension decides", judged, left)
	}
}

// readServedCard returns the card that a server of ours gives to everyone; "" if its dialect has none.
func readServedCard(t *testing.T, d *schema.Dialect) string {
	t.Helper()
	if len(d.Card.Paths) == 0 {
		return ""
	}
	s, err := reference.Start(t.Context(), reference.Options{Dialect: d.Name})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(u.Scheme + "://" + u.Host + d.Card.Paths[0])
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: the card is answered with status %d", d.Name, answer.StatusCode)
	}
	return string(text)
}
