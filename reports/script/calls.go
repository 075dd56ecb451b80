package script

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// callScript is a script that makes calls with curl, keeps them, and has them judged.
func (s *scripter) callScript(t *record.Transcript) []byte {
	// A play is sorted after the plays whose answers it uses.
	t.Plays = slices.Clone(t.Plays)
	slices.SortStableFunc(t.Plays, func(a, b record.Play) int { return cmp.Compare(startOfPlay(a), startOfPlay(b)) })
	k, calls := record.Keep(t, s.res.ID, s.origin)
	names := callNames(t, calls)
	s.findReplyIDs(calls, t)
	k.Carried = s.listReplyIDValues()
	beside := false
	for i := range calls {
		beside = s.writeCall(k, calls, i, names[i]) || beside
	}
	if beside {
		s.body.WriteString("wait\n")
		for i := range calls {
			if i+1 < len(calls) && k.Calls[i+1].Beside {
				fmt.Fprintf(&s.body, "printf '\\n%%s\\n' %s\nshow \"$dir/%d.answer\"\n", quoteLiteral(fmt.Sprintf("== the answer to %d:", i+1)), i+1)
			}
		}
	}
	var b bytes.Buffer
	s.writeScriptPreamble(&b, fmt.Sprintf("This script repeats the %s that %s the fault, records what was sent and what came back, and has a2a-conform judge it.", safetext.CountWithNoun(len(calls), "call"), map[bool]string{true: "shows", false: "show"}[len(calls) == 1]),
		"To hold the whole conversation again instead: a2a-conform run URL --run "+s.res.ID)
	fmt.Fprintf(&b, "target=${A2A_TARGET:-%s}\ntarget=${target%%/}\n", quoteLiteral(s.origin))
	b.WriteString("command -v curl >/dev/null 2>&1 || { echo 'curl was not found, and this script needs it' >&2; exit 2; }\n")
	fmt.Fprintf(&b, "rm -f \"$dir\"/ids \"$dir\"/carried-[0-9]*\nfor n in%s; do rm -f \"$dir/$n.request\" \"$dir/$n.answer\" \"$dir/$n.end\"; done\n", listNumbers(len(calls)))
	s.writeBody(&b)
	s.keptFile(&b, k)
	places := "the answers are in the folder "
	b.WriteString("printf '\\n'\n")
	look := []string{}
	if len(s.res.Why) > 0 {
		look = append(look, "expected: "+s.res.Why[0].Due, s.res.Why[0].Came())
	} else {
		look = append(look, s.res.Reason)
	}
	s.writeMissingProgramExit(&b, "a2a-conform was not found, so nothing is judged (set A2A_CONFORM to the program). Compare the last answers above with this; "+places+s.res.ID+".d:", look...)
	s.writeJudgeCommand(&b, `"$dir"`)
	return b.Bytes()
}

// writeBody writes the calls, and before them what they use.
func (s *scripter) writeBody(b *bytes.Buffer) {
	if bytes.Contains(s.body.Bytes(), []byte(`"$run"`)) {
		b.WriteString("# New ids for this repetition.\nrun=$(printf '%08x%04x' \"$(date +%s)\" \"$(($$ % 65536))\")\nprintf '%s' \"$run\" > \"$dir/ids\"\n")
	}
	b.WriteString("# Prints an answer without control characters; its exact bytes are in the folder.\n" +
		"show() { LC_ALL=C tr -d '\\15' < \"$1\" | LC_ALL=C tr -c '\\11\\12\\40-\\176' '?' | cut -c 1-2000 | sed -e 's/##/# #/g' -e 's/^/| /' -e 100q; printf '\\n'; }\n")
	b.Write(s.body.Bytes())
}

// keptFile writes what the calls are for.
func (s *scripter) keptFile(b *bytes.Buffer, k *record.KeptCalls) {
	text, err := json.MarshalIndent(k, "", " ")
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	fmt.Fprintf(b, "\n# The recorded calls and their purpose, which a2a-conform needs to judge them.\ncat > \"$dir/%s\" <<'%s'\n%s\n%s\n", record.KeptFile, endOfFile, text, endOfFile)
}

// startOfPlay is when a play was begun.
func startOfPlay(p record.Play) record.Instant {
	for _, s := range p.Steps {
		if s.Exchange != nil && s.Exchange.Dir == record.Out {
			return s.Exchange.Start
		}
	}
	return math.MaxInt64
}

// callNames are what the calls were in the conversations.
func callNames(t *record.Transcript, calls []*record.Exchange) []string {
	out := make([]string, len(calls))
	for i, x := range calls {
		if s, p := t.StepOf(x); s != nil {
			out[i] = safetext.Line(p.Scenario, safetext.MaxName) + "/" + safetext.Line(s.Name, safetext.MaxName)
		}
	}
	return out
}

func listNumbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " %d", i+1)
	}
	return b.String()
}

// longestPause bounds how long a script waits between two calls.
const longestPause = 5 * time.Second

// writeCall writes one call. It reports whether the next one overlaps with it.
func (s *scripter) writeCall(k *record.KeptCalls, calls []*record.Exchange, i int, name string) (nextOverlaps bool) {
	x, n := calls[i], i+1
	fmt.Fprintf(&s.body, "\nprintf '\\n%%s\\n' %s\n", quoteLiteral(fmt.Sprintf("== %d of %d: %s", n, len(calls), name)))
	if x.Dir == record.Given {
		s.body.WriteString("# This document came from a local file; nothing was sent for it.\n")
		return false
	}
	s.writePause(min(max(k.Calls[i].Gap, s.pauseBeforeFinalPoll(k, i)), longestPause))
	command, _ := s.curlCommand(x, n)
	made := fmt.Sprintf("%s > \"$dir/%d.answer\" 2> \"$dir/%d.end\"\nprintf 'code %%s\\n' \"$?\" >> \"$dir/%d.end\"\n", command, n, n, n)
	if nextOverlaps = i+1 < len(calls) && k.Calls[i+1].Beside; nextOverlaps {
		fmt.Fprintf(&s.body, "{ %s} &\n", made)
		// The next move came while this one was being answered.
		after := min(k.Calls[i+1].After, longestPause)
		if s.holdsReplyID(i) { // which takes a while longer here
			after += 150 * time.Millisecond
		}
		s.writePause(after)
	} else {
		fmt.Fprintf(&s.body, "%sshow \"$dir/%d.answer\"\n", made, n)
	}
	s.writeReplyIDExtraction(i, nextOverlaps)
	return nextOverlaps
}

// writePause has a script wait.
func (s *scripter) writePause(d time.Duration) {
	if d >= 10*time.Millisecond {
		fmt.Fprintf(&s.body, "sleep %.2f 2>/dev/null || sleep %d\n", d.Seconds(), int(math.Ceil(d.Seconds())))
	}
}

// pollStep is the name of a step that looks again and again until a task has come as far as
// it gets.
var pollStep = regexp.MustCompile(`^(.*-)?(poll|after|later)-\d+$`)

// pauseBeforeFinalPoll is how long the last look at a task waits: a server without the fault may take
// all the time that the work does.
func (s *scripter) pauseBeforeFinalPoll(k *record.KeptCalls, i int) time.Duration {
	last, longest := false, 0.0
	for _, p := range k.Plays {
		for j, step := range p.Steps {
			if step.Exchange == i+1 && pollStep.MatchString(step.Name) {
				last = j+1 == len(p.Steps) || !pollStep.MatchString(p.Steps[j+1].Name)
			}
		}
	}
	for _, stimulus := range s.facts.Stimuli {
		longest = max(longest, stimulus.Seconds)
	}
	// A contradiction to an earlier answer shows while the work continues.
	if !last || len(s.res.Why) > 0 && s.res.Why[0].Against != nil {
		return 0
	}
	return time.Duration((longest + 0.3) * float64(time.Second))
}

// holdsReplyID reports whether an id is read out of the answer to a call.
func (s *scripter) holdsReplyID(i int) bool {
	for _, r := range s.replies {
		if r.call == i {
			return true
		}
	}
	return false
}
