package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// What a run costs the owner of an agent: how many messages it answers, and how
// many of them wait for one another, which is what a run with an agent that thinks
// takes its time for.
func TestSpend(t *testing.T) {
	dialects := testamount.Of(schema.Names(), "a2a-0.3", "jaf-0.3", "core-schema")
	costs := []struct {
		dialect, binding string
		messages, chain  int
	}{
		{"a2a-0.1", "", 26, 3},
		{"a2a-0.3", "JSONRPC", 29, 3},
		{"a2a-0.3", "", 35, 3}, // 6 of them besides, for HTTP+JSON
		{"a2a-1.0", "JSONRPC", 30, 3},
		{"a2a-1.0", "", 37, 3}, // 7 of them besides, for HTTP+JSON
		{"a2x-0.3", "", 18, 4},
		{"jaf-0.3", "", 35, 7},
		{"core-schema", "", 5, 1},
	}
	ends := map[int]func() (*conform.Outcome, error){}
	for i, c := range costs {
		if slices.Contains(dialects, c.dialect) {
			server := bundled(t, reference.Options{Dialect: c.dialect, Latency: 2 * time.Second})
			ends[i] = begun(t, conform.Target{URL: server.URL(), Dialect: c.dialect, Endpoint: conform.Endpoint{Binding: c.binding}, Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure}})
		}
	}
	t.Parallel()
	for i, c := range costs {
		end, ok := ends[i]
		if !ok {
			continue
		}
		t.Run(strings.TrimSuffix(c.dialect+" "+c.binding, " "), func(t *testing.T) {
			t.Parallel()
			o, err := end()
			if err != nil {
				t.Fatal(err)
			}
			again := slices.ContainsFunc(o.Transcript.Plays, func(p record.Play) bool { return p.Attempt > 1 }) // on a busy machine
			if got := o.Report.Run.AgentInvocations; got != c.messages && !(again && got > c.messages) {
				t.Errorf("%d messages, want %d: %s", got, c.messages, listMessages(o.Transcript))
			}
			chain, of := longestChain(o.Dialect, o.Transcript)
			if chain != c.chain {
				t.Errorf("%d messages wait for one another, want %d: the last in %s", chain, c.chain, of)
			}
		})
	}
}

// Where the harmless message is answered by a message, sentences about such answers
// are judged, and no other message is asked for.
func TestHarmlessMessageAnsweredByAMessage(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "a2a-0.3"})
	o, err := conform.Run(t.Context(), conform.Target{URL: server.URL(), Dialect: "a2a-0.3", Behaviour: conform.Behaviour{Stimuli: map[string]operator.Stimulus{"quick": {Text: "hello"}}},
		Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A03-SEND-04[789]", "A2A03-STREAM-008"}}}})
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, r := range o.Report.Results {
		if judged++; r.Verdict != report.Pass || r.Vacuous {
			t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
		}
	}
	if judged != 4 {
		t.Errorf("%d sentences were judged", judged)
	}
}

// longestChain counts the messages of which each waits for the answer to another,
// by what the plays wait for and, within a play, by what was sent after what had
// been answered. It names a play that ends such a chain.
func longestChain(d *schema.Dialect, tr *record.Transcript) (longest int, last string) {
	all := scenario.All(d)
	depth := map[string]int{} // up to the end of each play
	add := func(s conversation.Scenario, before int) {
		p := tr.Play(s.Name)
		if p == nil || p.Stop != "" && len(p.Steps) == 0 {
			return
		}
		if depth[s.Name] = before + within(p); depth[s.Name] > longest {
			longest, last = depth[s.Name], s.Name
		}
	}
	for range all { // until what others wait for is known
		for _, s := range all {
			before := 0
			for _, o := range all {
				if slices.Contains(s.After, o.Name) || d.Sorted() && o.ProvesTaskCreation && !s.ProvesTaskCreation && s.Harmless(tr.Facts.Stimuli) {
					before = max(before, depth[o.Name])
				}
			}
			if s.Class == conversation.Shared {
				add(s, before)
			}
		}
	}
	for _, s := range all {
		if s.Class != conversation.Shared && s.Finish == nil {
			add(s, longest)
		}
	}
	before := longest
	for _, s := range all {
		if s.Class != conversation.Shared && s.Finish != nil {
			add(s, before)
		}
	}
	return longest, last
}

// within is the longest chain of messages in one play.
func within(p *record.Play) (longest int) {
	var sent []*record.Exchange
	for _, s := range p.Steps {
		if s.Exchange != nil && s.Of == "" && (s.Op == "send" || s.Op == "stream") && accepted(s.Exchange) {
			sent = append(sent, s.Exchange)
		}
	}
	slices.SortFunc(sent, func(a, b *record.Exchange) int { return int(a.Start - b.Start) })
	chains := make([]int, len(sent))
	for i, x := range sent {
		for j, y := range sent[:i] {
			if y.End <= x.Start {
				chains[i] = max(chains[i], chains[j])
			}
		}
		chains[i]++
		longest = max(longest, chains[i])
	}
	return longest
}

// listMessages names the steps whose messages came to the agent, by their plays.
func listMessages(tr *record.Transcript) string {
	var out strings.Builder
	for _, p := range tr.Plays {
		for _, s := range p.Steps {
			if s.Exchange != nil && s.Of == "" && (s.Op == "send" || s.Op == "stream") && accepted(s.Exchange) {
				fmt.Fprintf(&out, "\n%s %d: %s", p.Scenario, p.Attempt, s.Name)
			}
		}
	}
	return out.String()
}

// accepted reports whether a message came to the agent.
func accepted(x *record.Exchange) bool {
	if x.IsStream() {
		return !slices.ContainsFunc(x.Events(), func(e record.Event) bool { return e.HasData && e.Root.Member("error") != nil })
	}
	return x.Answered() && x.Reply().Root.Member("result") != nil
}
