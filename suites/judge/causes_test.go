package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// Checks that fail wherever they look: on a reply, or on a place in it.
var (
	onReply = judge.Define("x/reply", "the reply is the word good", func(t *judge.T, p struct {
		Steps []string `json:"steps"`
	}) {
		judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { t.Expect(s.Reply()).To(match.BeText("good")) })
	})
	inReply = judge.Define("x/in", "a place is the word good", func(t *judge.T, p struct {
		Steps []string `json:"steps"`
		At    string   `json:"at"`
	}) {
		judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { t.Expect(s.Reply().At(p.At)).To(match.BeText("good")) })
	})
)

// called is a call of some operation with its answer.
func called(step, op, words, answer string) string {
	return fmt.Sprintf("%s %s %s\n  > {\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"do\",\"params\":{}}\n  < %s\n", step, op, words, step, answer)
}

const (
	malformed = "role=probe invalid"
	job       = `200 application/json {"jsonrpc":"2.0","id":"x","result":{"number":"7","now":{"phase":"lost"}}}`
	ownWords  = `400 application/json {"error":"bad body","issues":[]}`
	page      = `400 text/html <h1>Bad request</h1>`
	hollow    = `200 application/json {"jsonrpc":"2.0","id":"x"}`
)

func codeOf(code string) string {
	return `200 application/json {"jsonrpc":"2.0","id":"x","error":{"code":` + code + `,"message":"no"}}`
}

func TestCauses(t *testing.T) {
	for _, c := range []struct {
		name  string
		said  string
		fails []string // each a check with its parameters, and "root" in front if it is one
		want  string   // each with the one it follows from, by number
	}{
		{"malformed calls that are refused alike",
			called("p/a", "send", malformed, codeOf("-32603")) + called("p/b", "send", malformed, codeOf("-32603")),
			[]string{"x/reply, with: {steps: [p/a]}", "x/reply, with: {steps: [p/b]}"}, "1, 2 by 1"},
		{"another code is another cause",
			called("p/a", "send", malformed, codeOf("-32603")) + called("p/b", "send", malformed, codeOf("-32000")),
			[]string{"x/reply, with: {steps: [p/a]}", "x/reply, with: {steps: [p/b]}"}, "1, 2"},
		{"another operation is another cause",
			called("p/a", "send", malformed, codeOf("-32603")) + called("p/b", "get", malformed, codeOf("-32603")) + called("p/c", "get", malformed, codeOf("-32602")),
			[]string{"x/reply, with: {steps: [p/a]}", "x/reply, with: {steps: [p/b]}"}, "1, 2"},
		{"who refuses in a form of its own does so for one reason, whatever is called",
			called("p/a", "send", malformed, ownWords) + called("p/b", "get", malformed, ownWords) + called("p/c", "get", "", page),
			[]string{"x/reply, with: {steps: [p/a]}", "x/in, with: {steps: [p/b], at: /error/code}", "x/reply, with: {steps: [p/c]}"}, "1, 2 by 1, 3"},
		{"a service that is unavailable is so for one reason, whatever is called",
			called("p/a", "send", "", `503 text/plain`) + called("p/b", "get", malformed, `503 text/html <h1>Busy</h1>`) + called("p/c", "get", "", page),
			[]string{"x/reply, with: {steps: [p/a]}", "x/in, with: {steps: [p/b], at: /error/code}", "x/reply, with: {steps: [p/c]}"}, "1, 2 by 1, 3"},
		{"neither result nor error",
			called("p/a", "send", malformed, hollow) + called("p/b", "get", "", hollow),
			[]string{"x/in, with: {steps: [p/a], at: /result}", "x/reply, with: {steps: [p/b]}"}, "1, 2 by 1"},
		{"a few malformed calls that are accepted are gaps of their own",
			called("p/a", "send", malformed, job) + called("p/b", "send", malformed, job) + strings.Repeat(called("p/c", "send", malformed, codeOf("-32602")), 8),
			[]string{"x/reply, with: {steps: [p/a]}", "x/reply, with: {steps: [p/b]}"}, "1, 2"},
		{"who accepts most of them does not look at them",
			strings.Repeat(called("p/a", "send", malformed, job), 4) + called("p/b", "send", malformed, job) + strings.Repeat(called("p/c", "send", malformed, codeOf("-32602")), 3),
			[]string{"x/reply, with: {steps: [p/a]}", "x/reply, with: {steps: [p/b]}"}, "1, 2 by 1"},
		{"who never refuses one does not look at anything",
			strings.Repeat(called("p/a", "send", malformed, job), 4) + called("p/b", "get", malformed, codeOf("-32603")),
			[]string{"x/reply, with: {steps: [p/a]}", "x/in, with: {steps: [p/b], at: /error/code}"}, "1, 2 by 1"},
		{"the same member of the same type",
			called("p/a", "send", "", job) + called("p/b", "get", "", job),
			[]string{"x/in, with: {steps: [p/a], at: /result/now/phase}", "x/in, with: {steps: [p/b], at: /result/now/phase}", "x/in, with: {steps: [p/b], at: /result/number}"}, "1, 2 by 1, 3"},
		{"a broader sentence follows from narrower ones, and from none alone",
			called("p/a", "send", malformed, codeOf("-32603")) + called("p/b", "get", malformed, codeOf("-32000")) + called("p/c", "get", malformed, codeOf("-32602")),
			[]string{"x/reply, with: {steps: [p/a, p/b]}", "x/reply, with: {steps: [p/a]}", "x/reply, with: {steps: [p/b]}"}, "1 by 2, 2, 3"},
		{"the root is named, whatever else is broken in the same way",
			called("p/a", "send", "", ownWords) + called("p/b", "get", "", ownWords),
			[]string{"x/reply, with: {steps: [p/a]}", "root: true, check: x/reply, with: {steps: [p/a, p/b]}"}, "1 by 2, 2"},
		{"what is inside of something that is broken as a whole",
			called("p/a", "send", "", job),
			[]string{"x/in, with: {steps: [p/a], at: /result/now}", "x/in, with: {steps: [p/a], at: /result/now/phase}"}, "1, 2 by 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var catalogue strings.Builder
			var ids []string
			for i, f := range c.fails {
				ids = append(ids, fmt.Sprintf("ZZ99-X-%03d", i+1))
				if !strings.Contains(f, "check:") {
					f = "check: " + f
				}
				fmt.Fprintf(&catalogue, "  - {id: %s, level: MUST, area: task, section: '1', statement: It is good., %s}\n", ids[i], f)
			}
			k := judge.NewCase(judgetest.Dialect(t, catalogue.String()), judgetest.Transcript(t, c.said), judge.Register([]judge.Check{onReply, inReply}), nil)
			results := k.Judge(ids)
			n := k.Causes(results)
			var got []string
			roots := 0
			for i, r := range results {
				if r.Verdict != judge.Fail {
					t.Fatalf("%s: %s %s", r.ID, r.Verdict, r.Reason)
				}
				s := fmt.Sprint(i + 1)
				if r.Because != "" {
					s += " by " + strings.TrimLeft(strings.TrimPrefix(r.Because, "ZZ99-X-"), "0")
				} else {
					roots++
				}
				got = append(got, s)
			}
			if s := strings.Join(got, ", "); s != c.want || n != roots {
				t.Errorf("%s (%d causes), want %s", s, n, c.want)
			}
		})
	}
}
