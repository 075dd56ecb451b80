package judge_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// above is a matcher that knows nothing of the protocol and speaks as those of
// Gomega do.
type above struct{ than int }

func (m above) Match(actual any) (bool, error) { return actual.(int) > m.than, nil }
func (m above) FailureMessage(actual any) string {
	return fmt.Sprintf("Expected\n    <int>: %d\nto be >\n    <int>: %d", actual, m.than)
}
func (m above) NegatedFailureMessage(actual any) string { return m.FailureMessage(actual) }

// failing judges one check on a few lines of transcript and returns what it states.
func failing(t *testing.T, said string, check func(*judge.T)) *verdict.Result {
	t.Helper()
	d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: x/y, with: {}}\n")
	made := judge.Define("x/y", "a check of this test", func(t *judge.T, _ struct{}) { check(t) })
	r := verdict.NewDecider(d, judgetest.Transcript(t, said), judge.Register([]judge.Check{made}), nil).Result("ZZ99-X-001")
	if r.Verdict != report.Fail || len(r.Why) != 1 || r.Why[0].Text() != r.Reason {
		t.Fatalf("%s with %d reasons: %s", r.Verdict, len(r.Why), r.Reason)
	}
	return r
}

// What came back is the server's own bytes in their order, from what matters on.
func TestWhatIsShownOfTheBytes(t *testing.T) {
	const call = "p/a get\n  > {\"jsonrpc\":\"2.0\",\"id\":\"t\",\"method\":\"look\",\"params\":{\"id\":\"7\"}}\n"
	reply := func(s judge.Step) judge.Value { return s.Reply() }
	for _, c := range []struct {
		name, answer string
		of           func(judge.Step) judge.Value
		got          string
		words        bool
	}{
		{"a member, with its name", `200 application/json {"zz":1,"result":{"b":2,"a":{"y":1,"x":2}}}`, func(s judge.Step) judge.Value { return s.Reply().At("/result/a") }, `"a":{"y":1,"x":2}}}`, false},
		{"what should hold a member", `200 application/json {"zz":1,"result":{"b":2,"a":3}}`, func(s judge.Step) judge.Value { return s.Reply().At("/result/c") }, `"result":{"b":2,"a":3}}`, false},
		{"an element of a list", `200 application/json {"result":[1,"two"]}`, func(s judge.Step) judge.Value { return s.Reply().At("/result/1") }, `"two"]}`, false},
		{"the error of a reply", `200 application/json {"id":"t","error":{"code":-1,"message":"no"}}`, reply, `"error":{"code":-1,"message":"no"}}`, false},
		{"the state of a result", `200 application/json {"result":{"files":[],"now":{"at":1,"phase":"ready"},"z":0}}`, reply, `"phase":"ready"},"z":0}}`, false},
		{"a body that is no JSON", `404 text/plain nothing here`, reply, "nothing here", false},
		{"the status line where there is no body", `204 text/plain`, reply, "HTTP/1.1 204 ", false},
		{"a field of the head", `200 application/json {}`, func(s judge.Step) judge.Value { return s.Head().Header("content-type") }, "Content-Type: application/json", false},
		{"a field that is not there", `200 application/json {}`, func(s judge.Step) judge.Value { return s.Head().Header("X-Other") }, "no X-Other header", true},
		{"the head, in the words of the check", `200 application/json {}`, judge.Step.Head, "was odd", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := failing(t, call+"  < "+c.answer+"\n", func(t *judge.T) { t.Fail(c.of(t.Step("p/a")), "was odd", "it to be even") }).Why[0]
			if w.Got != c.got || w.Words != c.words {
				t.Errorf("shows %q (words: %v), want %q", w.Got, w.Words, c.got)
			}
			if !strings.Contains(w.Sent, "of an unknown task") || w.Due != "it to be even (ZZ 9.9 §1)" || w.At.Exchange != 1 || w.At.Step != "p/a" {
				t.Errorf("%+v", w)
			}
		})
	}
}

// A matcher that knows nothing of the protocol has all the parts too, two places
// that clash are both named, and a long text keeps what is due.
func TestWhatATextIsMadeOf(t *testing.T) {
	said := number("p/a", "7") + number("p/b", "8")
	plain := failing(t, said, func(t *judge.T) {
		v := t.Step("p/a").Reply().At("/result/number")
		t.ExpectOf(len(v.Text()), v).To(above{3})
	})
	if w := plain.Why[0]; w.Due != "it to be > 3 (ZZ 9.9 §1)" || w.Got != `"number":"7"}}` || !strings.Contains(plain.Reason, "the server sent 1; ") {
		t.Errorf("%s %+v", plain.Reason, w)
	}
	clash := failing(t, said, func(t *judge.T) {
		a, b := t.Step("p/a").Reply().At("/result/number"), t.Step("p/b").Reply().At("/result/number")
		t.Expect(b).ComparedWith(a).To(match.BeText("7"))
	})
	if w := clash.Why[0]; w.Against == nil || w.Against.Got != `"number":"7"}}` || !strings.Contains(clash.Reason, "[exchange 2, /result/number; against exchange 1, /result/number]") {
		t.Errorf("%s %+v", clash.Reason, w)
	}
	long := failing(t, said, func(t *judge.T) {
		t.Fail(t.Step("p/a").Reply(), "sent "+strings.Repeat("much ", 100), "little of it")
	})
	if n := utf8.RuneCountInString(long.Reason); n > 300 || !strings.Contains(long.Reason, "expected little of it") || !strings.Contains(long.Reason, "sent much") {
		t.Errorf("%d characters: %s", n, long.Reason)
	}
}

// If two long values begin alike, the text and both pieces show the place where they differ.
func TestTextShowsTheDifference(t *testing.T) {
	alike := strings.Repeat("alike ", 60)
	said := number("p/a", alike+"one"+alike) + number("p/b", alike+"two"+alike)
	r := failing(t, said, func(t *judge.T) {
		a, b := t.Step("p/a").Reply().At("/result/number"), t.Step("p/b").Reply().At("/result/number")
		t.Expect(b).ComparedWith(a).To(match.Should("the number of the call before", a.Equal, nil))
	})
	w := r.Why[0]
	if !strings.Contains(r.Reason, "…") || !strings.Contains(r.Reason, "alike two") || strings.Contains(r.Reason, `"alike`) {
		t.Error(r.Reason)
	}
	if !strings.Contains(w.Got, "two") || w.Against == nil || !strings.Contains(w.Against.Got, "one") {
		t.Errorf("%+v %+v", w, w.Against)
	}
	short := failing(t, number("p/a", "alike one")+number("p/b", "alike two"), func(t *judge.T) {
		a, b := t.Step("p/a").Reply().At("/result/number"), t.Step("p/b").Reply().At("/result/number")
		t.Expect(b).ComparedWith(a).To(match.Should("the number of the call before", a.Equal, nil))
	})
	if !strings.Contains(short.Reason, `sent number "alike two"`) {
		t.Error(short.Reason)
	}
}

// What we sent is told from the call itself and from what was said before it.
func TestWhatWasSent(t *testing.T) {
	made := "p/a send\n  > {\"method\":\"do\",\"id\":1,\"params\":{\"id\":\"7\",\"message\":{\"parts\":[{\"text\":\"hi\"}]}}}\n  < 200 application/json {\"result\":{\"number\":\"7\",\"now\":{\"phase\":\"busy\"}}}\n"
	for _, c := range []struct{ name, step, call, want string }{
		{"a look at a task", "get", `{"method":"look","id":2,"params":{"id":"7","historyLength":3}}`, `of a task in state busy with historyLength 3`},
		{"a look at nothing", "get", `{"method":"look","id":2,"params":{"id":"8"}}`, "of an unknown task"},
		{"without an id", "get", `{"method":"look","params":{"id":"7"}}`, "of a task in state busy, without an id"},
		{"another method", "get", `{"method":"jump","id":2}`, "the unknown method jump without params"},
		{"as nobody", "get as=nobody", `{"method":"look","id":2,"params":{"id":"7"}}`, "of a task in state busy, without credentials"},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := made + "p/b " + c.step + "\n  > " + c.call + "\n  < 200 application/json {\"result\":1}\n"
			w := failing(t, said, func(t *judge.T) { t.Fail(t.Step("p/b").Reply(), "was odd", "less") }).Why[0]
			if !strings.HasSuffix(w.Sent, c.want) {
				t.Errorf("says %q, want %q", w.Sent, c.want)
			}
		})
	}
}

// That an earlier answer repeats the id of its call does not show that there is such a task.
func TestUnknownTaskStaysUnknown(t *testing.T) {
	call := func(step, method, params, answer string) string {
		return "p/" + step + "\n  > {\"method\":\"" + method + "\",\"id\":1,\"params\":" + params + "}\n  < 200 application/json " + answer + "\n"
	}
	look := call("z get", "look", `{"id":"8"}`, `{"result":1}`)
	for _, c := range []struct{ name, before, want string }{
		{"a webhook is set for it", call("a push-set", "aim", `{"number":"8","tell":{}}`, `{"result":{"number":"8","tell":{}}}`), "of an unknown task"},
		{"it is said not to be there", call("a get", "look", `{"id":"8"}`, `{"error":{"code":-32001,"message":"no task 8"}}`), "of an unknown task"},
		{"the message that names it is refused", call("a send", "do", `{"id":"8"}`, `{"error":{"code":-32602,"message":"8"}}`), "of an unknown task"},
		{"the message that names it is answered", call("a send", "do", `{"id":"8"}`, `{"result":{"number":"8"}}`), "of a task made before"},
		{"the message that names it has no answer", "p/a send\n  > {\"method\":\"do\",\"params\":{\"id\":\"8\"}}\n  ! timeout\n", "of a task made before"},
		{"a list has it", call("a list", "all", `{}`, `{"result":{"jobs":[{"number":"8"}]}}`), "of a task made before"},
		{"it has a state", call("a get", "look", `{"id":"8"}`, `{"result":{"number":"8","now":{"phase":"busy"}}}`), "of a task in state busy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := failing(t, c.before+look, func(t *judge.T) { t.Fail(t.Step("p/z").Reply(), "was odd", "less") }).Why[0]
			if !strings.HasSuffix(w.Sent, c.want) {
				t.Errorf("says %q, want %q", w.Sent, c.want)
			}
		})
	}
}

// number is a reply whose task has this number.
func number(step, n string) string {
	return step + " send\n  > {\"id\":\"t\"}\n  < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":\"t\",\"result\":{\"number\":\"" + n + "\"}}\n"
}
