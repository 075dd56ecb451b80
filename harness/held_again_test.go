package harness

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
)

// heldTwice are the conversations of a dialect, of which each shared one that changes
// something or rests on another is held once more, as it is after an accident.
func heldTwice(d *schema.Dialect) []conversation.Scenario {
	all := scenario.All(d)
	for i, s := range all {
		if s.Class != conversation.Shared {
			continue
		}
		all[i].Play = func(c *conversation.Conversation) {
			s.Play(c)
			if n := len(c.Play.Steps); n > 0 && c.Play.Attempt == 1 && slices.ContainsFunc(c.Play.Steps, func(s record.Step) bool { return s.Of != "" || changing(d, s) }) {
				c.Play.Steps[n-1].Late = "this test says so"
			}
		}
	}
	return all
}

// changing reports whether a step changed a task: a call that was refused did not.
func changing(d *schema.Dialect, s record.Step) bool {
	op := d.Operation(s.Op)
	if s.Exchange == nil || s.Of != "" || s.Task == "" || op.Reads || s.Exchange.Dir != record.Out || op.About != schema.AboutTask && !op.Agent {
		return false
	}
	if s.Exchange.IsStream() {
		return true
	}
	answer := s.Exchange.Reply().Root
	if s.Exchange.Status() >= 400 {
		return false
	}
	return answer == nil || answer.Member("error") == nil
}

// A use is a call about a task.
type use struct {
	record.Step
	play *record.Play
}

func (u use) String() string {
	return fmt.Sprintf("%s/%s (attempt %d, %s)", u.play.Scenario, u.Name, u.play.Attempt, u.play.Subject.Binding)
}

// A conversation that changes a task does not share it: neither with its own second
// attempt, nor with a conversation that looks at it while it is changed, or afterwards. One
// that made the task and is over may leave it to others as it is then.
func TestNoConversationFindsWhatAnotherLeft(t *testing.T) {
	testamount.SkipInShort(t)
	for _, dialect := range []string{"a2a-0.1", "a2a-0.3", "a2a-1.0", "a2x-0.3", "jaf-0.3"} {
		t.Run(dialect, func(t *testing.T) {
			server, err := reference.Start(t.Context(), reference.Options{Dialect: dialect, Rate: reference.Rate{Requests: 4000, Window: 5 * time.Second}})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			target := operator.Target{URL: server.URL(), Dialect: dialect, Behaviour: operator.Behaviour{DefaultStimuli: true, Bundled: true,
				Stimuli: map[string]operator.Stimulus{"slow": {Text: "slow 0.2", Seconds: 0.2}}, Webhook: operator.Webhook{Listen: "127.0.0.1:0"}}, Credentials: operator.Credentials{Bearer: reference.Token}, Limits: operator.Limits{Retries: 1}}
			d, err := schema.Load(dialect)
			if err != nil {
				t.Fatal(err)
			}
			talk, err := run(t.Context(), target, heldTwice, func(d *schema.Dialect) (names []string, err error) {
				for _, s := range scenario.All(d) {
					names = append(names, s.Name)
				}
				return names, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			twice := 0
			uses := map[string][]use{}
			for i := range talk.Transcript.Plays {
				p := &talk.Transcript.Plays[i]
				twice += p.Attempt - 1
				for _, s := range p.Steps {
					if s.Task != "" && s.Exchange != nil && s.Exchange.Dir == record.Out && s.Of == "" && s.Name != "leave" {
						uses[s.Task] = append(uses[s.Task], use{s, p})
					}
				}
			}
			if twice < 5 {
				t.Fatalf("only %d conversations were held again", twice)
			}
			for _, of := range uses {
				violators(t, d, of)
			}
		})
	}
}

// violators reports the calls about a task, given in any order, that met with what
// another conversation did to it.
func violators(t *testing.T, d *schema.Dialect, of []use) {
	t.Helper()
	slices.SortFunc(of, func(a, b use) int { return cmp.Compare(a.Exchange.Start, b.Exchange.Start) })
	maker := of[0].play
	for _, change := range of[1:] { // the first made it
		if !changing(d, change.Step) {
			continue
		}
		var over record.Instant // the last call of the conversation about it
		for _, u := range of {
			if u.play == change.play {
				over = max(over, u.Exchange.End)
			}
		}
		for _, u := range of {
			before, inherited := u.Exchange.End < change.Exchange.Start, change.play == maker && u.Exchange.Start >= over && u.play.Scenario != maker.Scenario
			if u.play != change.play && !before && !inherited {
				t.Errorf("%v asks about the task that %v changed", u, change)
			}
		}
	}
}
