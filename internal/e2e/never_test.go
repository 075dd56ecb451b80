package e2e

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// An agentSetup is what an operator has at hand who follows what a report advises.
type agentSetup struct {
	target conform.Target
	key    string // an API key
	basic  string
	texts  map[string]conform.Stimulus // by behaviour
}

var (
	adviceStimulus = regexp.MustCompile(`^stimuli: \{([a-z]+): \{[^}]*\}*`)
	adviceNever    = regexp.MustCompile(`declares: \{never: \[([a-z]+)\]\}`)
	adviceRemove   = regexp.MustCompile(`^remove ([a-z]+) from declares\.never$`)
	adviceAllow    = regexp.MustCompile(`^--allow ([a-z]+)$`)
)

// follow does what a remedy says. Of two ways it takes the text, if there is one.
func (s *agentSetup) follow(remedy string) error {
	t := &s.target
	switch {
	case adviceRemove.MatchString(remedy):
		word := adviceRemove.FindStringSubmatch(remedy)[1]
		t.Never = slices.DeleteFunc(t.Never, func(w string) bool { return w == word })
	case adviceStimulus.MatchString(remedy):
		word := adviceStimulus.FindStringSubmatch(remedy)[1]
		text, known := s.texts[word]
		if slices.Contains(t.Never, word) {
			return fmt.Errorf("it asks for a message of what is declared never: %s", word)
		}
		if known {
			t.Stimuli[word] = text
			if word == "slow" { // asked for again, it was too quick for this machine
				s.texts[word] = conform.Stimulus{Text: fmt.Sprintf("slow %g", 2*text.Seconds), Seconds: 2 * text.Seconds}
			}
			return nil
		}
		if !adviceNever.MatchString(remedy) {
			return fmt.Errorf("no text for %s is known, and it names no other way", word)
		}
		t.Never = append(t.Never, word)
	case adviceAllow.MatchString(remedy):
		t.Allow = append(t.Allow, schema.Risk(adviceAllow.FindStringSubmatch(remedy)[1]))
	case strings.HasPrefix(remedy, "--webhook-listen"):
		t.Webhook.Listen = "127.0.0.1:0"
	case strings.HasPrefix(remedy, "--bearer-env"):
		t.Bearer = reference.Token
	case strings.HasPrefix(remedy, "--api-key-env"):
		t.APIKey = s.key
	case strings.HasPrefix(remedy, "--basic-env"):
		t.Basic = s.basic
	case strings.HasPrefix(remedy, "--card-key"):
		t.CardKey = string(reference.CardKeys())
	case strings.HasPrefix(remedy, "auth: {low:"):
		t.RestrictedIdentity = operator.Identity{Bearer: reference.LowToken}
	case strings.HasPrefix(remedy, "auth: {second:"):
		t.OtherIdentity = operator.Identity{Bearer: reference.SecondToken}
	case strings.HasPrefix(remedy, "--binding all"):
		t.Binding = "all"
	default:
		return fmt.Errorf("nobody knows how to do that")
	}
	return nil
}

// settle runs, follows every remedy that is printed, and runs again until none is. It
// returns the last run.
func (s *agentSetup) settle(t *testing.T) *conform.Outcome {
	t.Helper()
	const most = 5 // rounds
	for round := 1; ; round++ {
		o, err := conform.Run(t.Context(), s.target)
		if err != nil {
			t.Fatal(err)
		}
		followed := map[string]bool{}
		for _, r := range o.Report.Results {
			if r.Verdict != report.Inconclusive {
				continue
			}
			if r.Remedy == "" {
				if r.Because == "" {
					t.Errorf("%s [%s] is undecided without a remedy: %s", r.ID, r.Level, r.Reason)
				}
				continue
			}
			if followed[r.Remedy] {
				continue
			}
			followed[r.Remedy] = true
			if err := s.follow(r.Remedy); err != nil {
				t.Errorf("%s: the remedy %q cannot be followed: %v", r.ID, r.Remedy, err)
			}
		}
		if os.Getenv("SHOW") != "" {
			fmt.Println(t.Name(), round, o.Report.Verdict, len(followed), followed)
		}
		if len(followed) == 0 || t.Failed() {
			return o
		}
		if round == most {
			t.Fatalf("after %d rounds remedies are left: %v", round, followed)
		}
	}
}

// settingUp is what the operator of a bundled server has at hand, who has said nothing of
// his agent so far but what it never does.
func settingUp(t *testing.T, o reference.Options, never ...string) *agentSetup {
	t.Helper()
	d, err := schema.Load(o.Dialect)
	if err != nil {
		t.Fatal(err)
	}
	s := &agentSetup{key: reference.Key, basic: reference.SecondBasic, texts: map[string]conform.Stimulus{}}
	if d.Card.Schemes == "" || d.Card.Required == "" {
		s.key = reference.Token // which some take in its place
	}
	for name, text := range d.Stimuli {
		if !slices.Contains(never, name) {
			s.texts[name] = conform.Stimulus{Text: text.Text, Answer: text.Answer, Seconds: text.Seconds, Payment: text.Payment}
		}
	}
	if _, given := s.texts["slow"]; given {
		s.texts["slow"] = slowForSure["slow"]
	}
	s.target = conform.Target{URL: bundled(t, o).URL(), Dialect: o.Dialect, Behaviour: conform.Behaviour{Bundled: true, Never: never, Stimuli: map[string]conform.Stimulus{}}}
	if d.Actions { // there is no text that every agent understands
		s.target.Stimuli["quick"] = s.texts["quick"]
	}
	return s
}

// deniable are the behaviours on which requirements of a dialect rest.
func deniable(t *testing.T, dialect string) (words []string) {
	t.Helper()
	d, err := schema.Load(dialect)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range schema.Behaviours() {
		if _, known := d.Stimuli[word]; known {
			words = append(words, word)
		}
	}
	return words
}

// Whatever an operator says that the agent never does, a report names a way out for all
// that is undecided, and to go these ways decides it. If not all tests are run, only a denial of
// everything and that of questions are tried.
func TestEveryDenialLeavesAWayOut(t *testing.T) {
	for _, dialect := range testamount.Of(reference.Dialects(), "a2a-0.1", "a2a-1.0") {
		words := deniable(t, dialect)
		denials := [][]string{schema.Behaviours()}
		for _, word := range words {
			if testamount.All() || word == "ask" {
				denials = append(denials, []string{word})
			}
		}
		for _, never := range denials {
			name := never[0]
			if len(never) > 1 {
				name = "all"
			}
			t.Run(dialect+"/"+name, func(t *testing.T) {
				t.Parallel()
				o := settingUp(t, reference.Options{Dialect: dialect}, never...).settle(t)
				if o.Report.Verdict != report.Conformant {
					t.Errorf("the run ended %s", o.Report.Verdict)
				}
				for _, r := range o.Report.Results {
					if r.Verdict == report.Fail || r.Verdict == report.Inconclusive {
						t.Errorf("%s: %s: %s", r.ID, r.Verdict, r.Reason)
					}
				}
			})
		}
	}
}

// That an agent of A2A 1.0 never asks takes nothing from the requirement that a reply has
// no more messages than the call wants: a server that does not care fails it.
func TestHistoryOfRepliesWithoutQuestions(t *testing.T) {
	const id = "A2A10-GET-015"
	for mutant, want := range map[string]report.Verdict{"": report.NotApplicable, "send-history-ignored": report.Fail} {
		s := settingUp(t, reference.Options{Dialect: "a2a-1.0", Mutant: mutant}, "ask")
		s.target.Select.Run = []string{id}
		o, err := conform.Run(t.Context(), s.target)
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts(o)[id]; got.Verdict != want {
			t.Errorf("%q: %s is %s (%s), want %s", mutant, id, got.Verdict, got.Reason, want)
		}
	}
}

// An agent that asks though its operator says that it never does: the report says so, and
// to take it back decides all.
func TestADenialThatTheAgentContradicts(t *testing.T) {
	for _, c := range []struct{ dialect, word, text string }{
		{"a2a-1.0", "fail", "fail"}, {"a2a-0.3", "message", "hello"}, {"a2a-0.1", "ask", "ask"}, {"jaf-0.3", "fail", "fail"},
	} {
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			s := settingUp(t, reference.Options{Dialect: c.dialect})
			s.target.Never, s.target.Stimuli["quick"] = []string{c.word}, conform.Stimulus{Text: c.text}
			o, err := conform.Run(t.Context(), s.target)
			if err != nil {
				t.Fatal(err)
			}
			told := false
			for _, r := range o.Report.Results {
				told = told || r.Verdict == report.Inconclusive && r.Remedy == "remove "+c.word+" from declares.never"
			}
			if !told {
				t.Errorf("no requirement is undecided because %s was denied and seen", c.word)
			}
		})
	}
}

// A healthy agent that never asks is conformant once its operator says so.
func TestAnAgentThatNeverAsks(t *testing.T) {
	s := settingUp(t, reference.Options{Dialect: "a2a-1.0", Variant: "decisive"}, "ask", "needauth")
	if o := s.settle(t); o.Report.Verdict != report.Conformant {
		t.Errorf("the run ended %s", o.Report.Verdict)
	}
}
