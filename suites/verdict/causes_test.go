package verdict_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
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
	refused = judge.Define("x/refused", "the reply is one of the errors", func(t *judge.T, p struct {
		Steps []string `json:"steps"`
		Codes []string `json:"codes" names:"error"`
	}) {
		judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { t.Expect(s.Reply()).To(match.BeRPCError(t, p.Codes...)) })
	})
	unlike = judge.Define("x/unlike", "a place has the value that it had in another reply", func(t *judge.T, p struct {
		Step  string `json:"step"`
		Other string `json:"other"`
		At    string `json:"at"`
	}) {
		t.Expect(t.Step(p.Step).Reply().At(p.At)).ComparedWith(t.Step(p.Other).Reply().At(p.At)).To(match.BeText("good"))
	})
)

// probes are what the steps of the conversation "bent" change in a valid call.
var probes = []schema.Probe{
	{Name: "no-key", Patch: []schema.PatchOp{{Op: "remove", Path: "/key"}}},
	{Name: "null-key", Patch: []schema.PatchOp{{Op: "replace", Path: "/key"}}},
	{Name: "key-number", Patch: []schema.PatchOp{{Op: "replace", Path: "/key", Value: 5}}},
	{Name: "odd-key", Patch: []schema.PatchOp{{Op: "replace", Path: "/key", Value: "odd"}}},
	{Name: "odd-size", Patch: []schema.PatchOp{{Op: "add", Path: "/size", Value: -1}}},
	{Name: "get-no-key", Op: "get", Patch: []schema.PatchOp{{Op: "remove", Path: "/key"}}},
	{Name: "other-word", On: "http", Headers: map[string]string{"X-Word": "odd"}},
	{Name: "other-word-get", Op: "get", On: "http", Headers: map[string]string{"X-Word": "odd"}},
	{Name: "no-such", On: "envelope", Patch: []schema.PatchOp{{Op: "replace", Path: "/method", Value: "none"}}},
}

// bent is a probe of the operation send, with its answer.
func bent(name, answer string) string {
	return called("bent/"+name, "send", malformed+" twin=plain", answer)
}

// plain is the valid call that the probes change.
const plain = "bent/plain send\n  > {\"jsonrpc\":\"2.0\",\"id\":\"plain\",\"method\":\"do\",\"params\":{\"key\":\"k\"}}\n  < " + job + "\n"

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

func codeOf(code string) string { return worded(code, "no") }

func worded(code, message string) string {
	return `200 application/json {"jsonrpc":"2.0","id":"x","error":{"code":` + code + `,"message":"` + message + `"}}`
}

// forms are calls of several names, all refused for their form or none.
func forms(answer string, names ...string) (out string) {
	for _, name := range names {
		out += called("p/"+name, "send", malformed, answer)
	}
	return out
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
		{"who never refuses one does not look at anything",
			forms(job, "a", "c", "d", "e") + called("p/b", "get", malformed, codeOf("-32603")),
			[]string{"x/reply, with: {steps: [p/a]}", "x/in, with: {steps: [p/b], at: /error/code}"}, "1, 2 by 1"},
		{"one that is refused for its form shows that something is looked at",
			forms(job, "a", "c", "d", "e") + called("p/b", "get", malformed, codeOf("-32603")) + called("p/f", "get", malformed, codeOf("-32602")),
			[]string{"x/reply, with: {steps: [p/a]}", "x/in, with: {steps: [p/b], at: /error/code}"}, "1, 2"},
		{"accepted calls with flaws of one kind, however few of all they are",
			plain + bent("no-key", job) + bent("null-key", job) + forms(codeOf("-32602"), "a", "b", "c", "d", "e", "f", "g"),
			[]string{"x/reply, with: {steps: [bent/no-key]}", "x/reply, with: {steps: [bent/null-key]}"}, "1, 2 by 1"},
		{"accepted calls with flaws of several kinds: the parameters are not validated",
			plain + bent("no-key", job) + bent("key-number", job) + bent("odd-key", job) + forms(codeOf("-32602"), "a"),
			[]string{"x/reply, with: {steps: [bent/odd-key]}", "x/reply, with: {steps: [bent/key-number]}", "x/reply, with: {steps: [bent/no-key]}"}, "1, 2 by 1, 3 by 1"},
		{"the parameters of another operation are another matter",
			plain + bent("no-key", job) + called("bent/get-no-key", "get", malformed+" twin=plain", job) + forms(codeOf("-32602"), "a"),
			[]string{"x/reply, with: {steps: [bent/no-key]}", "x/reply, with: {steps: [bent/get-no-key]}"}, "1, 2"},
		{"the same flaw is refused alike by several operations",
			plain + bent("no-key", codeOf("-32603")) + called("bent/get-no-key", "get", malformed+" twin=plain", codeOf("-32603")) + forms(codeOf("-32602"), "a"),
			[]string{"x/reply, with: {steps: [bent/no-key]}", "x/reply, with: {steps: [bent/get-no-key]}"}, "1, 2 by 1"},
		{"a header that is not looked at lets a call through, or to the look-up of its task",
			plain + bent("other-word", job) + called("bent/other-word-get", "get", malformed+" twin=plain", codeOf("-32001")) + forms(codeOf("-32602"), "a"),
			[]string{"x/reply, with: {steps: [bent/other-word]}", "x/reply, with: {steps: [bent/other-word-get]}"}, "1, 2 by 1"},
		{"a method that does not exist is no flaw of the parameters",
			plain + strings.Replace(bent("no-such", codeOf("-32603")), `"do"`, `"none"`, 1) + bent("no-key", codeOf("-32603")) + forms(codeOf("-32602"), "a"),
			[]string{"x/reply, with: {steps: [bent/no-such]}", "x/reply, with: {steps: [bent/no-key]}"}, "1, 2"},
		{"well-formed JSON that cannot be parsed, whatever is called",
			plain + bent("no-key", codeOf("-32700")) + called("p/b", "get", "", codeOf("-32700")),
			[]string{"x/reply, with: {steps: [bent/no-key]}", "x/reply, with: {steps: [p/b]}"}, "1, 2 by 1"},
		{"a body that is kept as a recipe has a sound envelope",
			forms(job, "a", "c", "d", "e") + "p/r send role=probe invalid recipe\n  < " + job + "\n",
			[]string{"x/reply, with: {steps: [p/a]}", "x/reply, with: {steps: [p/c]}"}, "1, 2 by 1"},
		{"valid calls that are refused in the same words, in two conversations",
			called("p/a", "get", "", worded("-32603", "not there: 17")) + called("q/b", "get", "", worded("-32603", "not there: 18")) + called("q/c", "get", "", worded("-32603", "too late")),
			[]string{"x/reply, with: {steps: [p/a]}", "x/reply, with: {steps: [q/b]}", "x/reply, with: {steps: [q/c]}"}, "1, 2 by 1, 3"},
		{"each valid message is another", // the agent looks at it, and not the server alone
			called("p/a", "send", "", codeOf("-32603")) + called("q/b", "send", "", codeOf("-32603")),
			[]string{"x/reply, with: {steps: [p/a]}", "x/reply, with: {steps: [q/b]}"}, "1, 2"},
		{"what is due for one condition, and comes for none of the messages",
			called("p/a", "send", "", job) + called("q/b", "stream", "", job) + called("q/c", "get", "", job),
			[]string{"x/refused, with: {steps: [p/a], codes: [InvalidTaskState]}", "x/refused, with: {steps: [q/b], codes: [InvalidTaskState]}", "x/refused, with: {steps: [q/c], codes: [TaskNotFound]}"}, "1, 2 by 1, 3"},
		{"what comes of a call that had to be refused",
			called("p/a", "send", "task=7", job) + called("p/b", "get", "task=7", job) + called("q/c", "get", "task=7", job),
			[]string{"x/refused, with: {steps: [p/a], codes: [InvalidTaskState]}", "x/in, with: {steps: [p/b], at: /result/now/phase}", "x/in, with: {steps: [q/c], at: /result/now/phase}"}, "1, 2 by 1, 3"},
		{"a wrong value, and one that does not fit another answer",
			called("p/a", "get", "", job) + called("p/b", "get", "", job) + called("p/c", "get", "", job),
			[]string{"x/in, with: {steps: [p/a], at: /result/now/phase}", "x/unlike, with: {step: p/b, other: p/c, at: /result/now/phase}"}, "1, 2"},
		{"a root that is about answers, not about a member of one",
			forms(job, "a", "c", "d", "e", "f"),
			[]string{"x/in, with: {steps: [p/a], at: /id}", "x/reply, with: {steps: [p/c]}"}, "1 by 2, 2"},
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
			d := judgetest.Dialect(t, catalogue.String())
			d.Blocks = []schema.Block{{Name: "bent", Op: "send", Probes: probes}}
			k := verdict.NewDecider(d, judgetest.Transcript(t, c.said), judge.Register([]judge.Check{onReply, inReply, refused, unlike}), nil)
			results := k.Judge(ids)
			n := k.Causes(results)
			var got []string
			roots := 0
			for i, r := range results {
				if r.Verdict != report.Fail {
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

// What is wrong in the binding that the agent prefers has as many causes if other bindings
// are judged too, however the refusals look there; what is wrong in another one alone is a
// cause more.
func TestCausesInSeveralBindings(t *testing.T) {
	d := judgetest.Dialect(t, `
  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It is good., check: x/reply, with: {steps: [p/a]}}
  - {id: ZZ99-X-002, level: MUST, area: task, section: '1', statement: It is good., check: x/reply, with: {steps: [p/b]}}
  - {id: ZZ99-X-003, level: MUST, area: task, section: '1', statement: It is good., check: x/reply, with: {steps: [p/c]}}
  - {id: ZZ99-X-004, level: MUST, binding: rest, area: task, section: '1', statement: It is good., check: x/reply, with: {steps: [p/a]}}
  - {id: ZZ99-X-005, level: MUST, binding: rest, area: task, section: '1', statement: It is good., check: x/reply, with: {steps: [p/d]}}
`)
	d.Bindings["WEB"] = schema.Binding{Kind: schema.KindREST, Media: []string{"application/json"}, Routes: map[string]schema.Routes{"get": {{Verb: "GET", Path: "/jobs/{number}"}}}}
	preferred := called("p/a", "get", "in=JSONRPC", codeOf("-32603")) + called("p/b", "get", "in=JSONRPC", codeOf("-32603")) + called("p/c", "get", "in=JSONRPC", codeOf("-32000"))
	inWeb := func(step, answer string) string {
		return step + " get in=WEB\n  > GET -\n  < " + answer + "\n"
	}
	const own, another = `500 application/json {"trouble":1}`, `502 application/json {"broken":1}`
	for _, c := range []struct {
		name, said string
		bindings   []string
		ids        []string
		want       string
	}{
		{"one", preferred, []string{"JSONRPC"}, []string{"ZZ99-X-001", "ZZ99-X-002", "ZZ99-X-003"}, "2"},
		{"each, with one answer to all in the other", preferred + inWeb("p/a", own) + inWeb("p/b", own) + inWeb("p/c", own),
			[]string{"JSONRPC", "WEB"}, []string{"ZZ99-X-001", "ZZ99-X-002", "ZZ99-X-003", "ZZ99-X-004"}, "2"},
		{"each, with an answer of its own to each in the other", preferred + inWeb("p/a", own) + inWeb("p/b", another) + inWeb("p/c", own),
			[]string{"JSONRPC", "WEB"}, []string{"ZZ99-X-001", "ZZ99-X-002", "ZZ99-X-003", "ZZ99-X-004"}, "2"},
		{"each, with something that is wrong in the other alone", preferred + inWeb("p/a", own) + inWeb("p/d", another),
			[]string{"JSONRPC", "WEB"}, []string{"ZZ99-X-001", "ZZ99-X-002", "ZZ99-X-003", "ZZ99-X-004", "ZZ99-X-005"}, "3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			transcript := judgetest.Transcript(t, c.said)
			transcript.Facts.Bindings = c.bindings
			k := verdict.NewDecider(d, transcript, judge.Register([]judge.Check{onReply}), nil)
			results := k.Judge(c.ids)
			for _, r := range results {
				if r.Verdict != report.Fail {
					t.Errorf("%s: %s %s", r.ID, r.Verdict, r.Reason)
				}
			}
			if got := fmt.Sprint(k.Causes(results)); got != c.want {
				t.Errorf("%s causes, want %s: %+v", got, c.want, results)
			}
		})
	}
}

// A cause of several failures is named in general words, at its root alone.
func TestNamedCauses(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{forms(job, "a", "b", "c", "d", "e"), "no malformed call is refused for its parameters"},
		{forms(ownWords, "a", "b"), "the server answers HTTP 400 with JSON of its own, with error, issues"},
		{forms(page, "a", "b"), "the server answers HTTP 400 with text/html that is not JSON"},
		{forms(codeOf("-32603"), "a", "b"), "a malformed send is refused with the code -32603"},
		{forms(hollow, "a", "b"), "an answer has neither result nor error"},
	} {
		d := judgetest.Dialect(t, `
  - {id: ZZ99-X-001, level: SHOULD, area: task, section: '1', statement: It is good., check: x/reply, with: {steps: [p/a]}}
  - {id: ZZ99-X-002, level: MUST, area: task, section: '1', statement: It is good., check: x/reply, with: {steps: [p/b]}}
`)
		k := verdict.NewDecider(d, judgetest.Transcript(t, c.said), judge.Register([]judge.Check{onReply}), nil)
		results := k.Judge([]string{"ZZ99-X-001", "ZZ99-X-002"})
		k.Causes(results)
		if results[0].Because != results[1].ID || results[0].Cause != "" || results[1].Cause != c.want {
			t.Errorf("%q because of %q, and %q, want %q", results[0].Cause, results[0].Because, results[1].Cause, c.want)
		}
		if k.Causes(results[1:]); results[1].Cause != "" {
			t.Errorf("one failure alone has the cause %q", results[1].Cause)
		}
	}
}
