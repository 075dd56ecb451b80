package suites_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// A stream that stays open and silent is judged by a look at its task: only if the look
// shows that the task came to rest, if the stream told nothing of that, and if it was
// silent and open for the whole window after the look.
func TestStreamsThatAreLeftSilent(t *testing.T) {
	const window = time.Second // of the made-up dialect
	for _, check := range []struct{ name, with, silent string }{
		{"stream/closes-ended", "{steps: [p/s]}", "open and silent"},
		{"stream/closes", "{steps: [p/s]}", "open and silent"},
		{"stream/final-last", "{steps: [p/s]}", "open and silent"},
		{"stream/stored-state", "{step: q/s, then: q/get}", "open and silent"}, // which looks at each stream
	} {
		for _, c := range []struct {
			name   string
			op     string
			events []string
			ended  record.Ended
			state  string        // that the look shows
			looked time.Duration // when the look ended, after the call
			open   time.Duration // when the stream did
			fails  bool
		}{
			{"ended", "stream", []string{update("busy", "")}, record.OurClose, "ready", 3 * time.Second, 4 * time.Second, true},
			{"ended, until our patience was over", "stream", []string{update("busy", "")}, record.Timeout, "ready", 3 * time.Second, 30 * time.Second, true},
			{"a subscription", "resubscribe", []string{update("busy", "")}, record.OurClose, "ready", 3 * time.Second, 4 * time.Second, true},
			{"failed", "stream", []string{update("busy", "")}, record.OurClose, "broken", 3 * time.Second, 4 * time.Second, true},
			{"waits for the client", "stream", []string{update("busy", "")}, record.OurClose, "asking", 3 * time.Second, 4 * time.Second, true},
			{"works on", "stream", []string{update("busy", "")}, record.OurClose, "busy", 3 * time.Second, 4 * time.Second, false},
			{"left too early", "stream", []string{update("busy", "")}, record.OurClose, "ready", 3 * time.Second, 3*time.Second + window/2, false},
			{"waited before", "resubscribe", []string{update("busy", "")}, record.OurClose, "asking", 3 * time.Second, 4 * time.Second, false},
			{"closed by the server", "stream", []string{update("busy", "")}, record.EOF, "ready", 3 * time.Second, 4 * time.Second, false},
		} {
			t.Run(check.name+"/"+c.name, func(t *testing.T) {
				before := ""
				if c.name == "waited before" {
					before = told("p/look get task=7", "{}", job("7", c.state))
				}
				text := before + streamed("p/s "+c.op+" task=7", c.events...) + told("p/s-silent-1 get task=7", "{}", job("7", c.state)) +
					streamed("q/s stream task=8", strings.ReplaceAll(update("busy", ""), `"7"`, `"8"`), strings.ReplaceAll(update("ready", "true"), `"7"`, `"8"`)) +
					told("q/get get task=8", "{}", job("8", "ready"))
				said := judgetest.Transcript(t, text)
				stream, look := said.Plays[0].Step("s").Exchange, said.Plays[0].Step("s-silent-1").Exchange
				stream.Ended = c.ended
				stream.Response.Chunks = []record.Chunk{{At: stream.Start + time.Millisecond, N: len(stream.Response.Body)}}
				stream.End = stream.Start + c.open
				look.Start, look.End = stream.Start+c.looked-10*time.Millisecond, stream.Start+c.looked
				d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: stream, section: '1', statement: It holds., check: "+check.name+", with: "+check.with+"}\n")
				r := verdict.NewDecider(d, said, suites.Checks(), nil).Result("ZZ99-X-001")
				if fails := r.Verdict == report.Fail && strings.Contains(r.Reason, check.silent); fails != c.fails {
					t.Errorf("fails for silence: %v, want %v: %s %s", fails, c.fails, r.Verdict, r.Reason)
				}
			})
		}
	}
}
