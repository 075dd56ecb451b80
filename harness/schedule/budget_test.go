package schedule

import (
	"slices"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// candidates are conversations of one interface, and what each decides alone.
func candidates(subject string, all ...conversation.Scenario) (out []Candidate) {
	for _, s := range all {
		out = append(out, Candidate{Scenario: s, Subject: record.Subject{Binding: subject}})
	}
	return out
}

// countOf counts the requirements that scenarios decide, each so many.
func countOf(worth map[string]int) CountDecided {
	return func(held func(string) bool) (n int) {
		for name, w := range worth {
			if held(name) {
				n += w
			}
		}
		return n
	}
}

// Conversations are held by what they decide for each message, with what they spare others.
func TestChooseWithin(t *testing.T) {
	all := candidates("RPC",
		conversation.Scenario{Name: "looks"},
		conversation.Scenario{Name: "dear", Sends: 4},
		conversation.Scenario{Name: "plain", Sends: 1},
		conversation.Scenario{Name: "first", Sends: 1},
		conversation.Scenario{Name: "second", Sends: 2, Reuses: map[string]int{"first": 2}},
		conversation.Scenario{Name: "refused", Sends: 3, Rare: 3},
		conversation.Scenario{Name: "never", Sends: 1})
	all[6].Idle = true
	count := countOf(map[string]int{"looks": 1, "dear": 20, "plain": 8, "first": 2, "second": 9, "refused": 1, "never": 100})
	for messages, want := range map[int][]string{
		0: {"looks", "refused"},
		1: {"looks", "refused", "first", "second"},
		2: {"looks", "refused", "first", "second", "plain"},
		5: {"looks", "refused", "first", "second", "plain"},
		6: {"looks", "refused", "first", "second", "plain", "dear"},
	} {
		held := make([]bool, len(all))
		chooseWithin(messages, all, held, count)
		var got []string
		for i, c := range all {
			if held[i] {
				got = append(got, c.Scenario.Name)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("with %d messages: got %v, want %v", messages, got, want)
		}
		if chooseWithin(0, all, held, count) {
			t.Errorf("with %d messages: there were more", messages)
		}
	}
}

// An interface is called if all of its conversations can be held, and the first one in any case.
func TestListAffordableSubjects(t *testing.T) {
	two := conversation.Scenario{Name: "a", Sends: 3, Rare: 1}
	all := slices.Concat(candidates("RPC", two, conversation.Scenario{Name: "b", Sends: 1}), candidates("REST", two), candidates("GRPC", two))
	for messages, want := range map[int]int{1: 1, 3: 1, 4: 1, 5: 2, 6: 2, 7: 3} {
		if got := ListAffordableSubjects(messages, all); len(got) != want {
			t.Errorf("with %d messages: got %v, want %d", messages, got, want)
		}
	}
}
