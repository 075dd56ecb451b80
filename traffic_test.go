package conform

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// newPassed makes an exchange that is the same on both sides.
func newPassed(n int, method, path, sent, came string, gaps *record.Gaps) traffic.Passed {
	half := func(dir record.Direction) *record.Exchange {
		at := time.Duration(n) * time.Second
		return &record.Exchange{Dir: dir, URL: "http://agent.example" + path, Conn: 1, Start: at, End: at + time.Millisecond, Ended: record.EOF, Gaps: gaps,
			Request: record.Message{Head: []byte(method + " " + path + " HTTP/1.1\r\nHost: agent.example\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\n\r\n"), Body: []byte(sent),
				Framing: record.Framing{Kind: "length", Declared: int64(len(sent)), Received: int64(len(sent))}},
			Response: record.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: max-age=60\r\nETag: \"1\"\r\n\r\n"), Body: []byte(came), Chunks: []record.Chunk{{At: at + time.Millisecond, N: len(came)}},
				Framing: record.Framing{Kind: "chunked", Declared: -1, Received: int64(len(came))}}}
	}
	return traffic.Passed{In: half(record.In), Out: half(record.Out), Connection: 1}
}

// recordTalk returns a recording of a card, a message and a look-up of its task.
func recordTalk(t *testing.T, message, state string, gaps *record.Gaps) traffic.Recording {
	t.Helper()
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	card := `{"name":"A","description":"d","version":"1","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"s","description":"d","tags":["t"]}],
		"supportedInterfaces":[{"url":"http://agent.example/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	task := `{"id":"t","contextId":"c","status":{"state":"` + state + `","timestamp":"2026-01-01T00:00:00Z"},"artifacts":[{"artifactId":"a","parts":[{"text":"x"}]}]}`
	return traffic.Recording{Source: "test", Target: "http://agent.example", Dialects: []*schema.Dialect{d}, Started: time.Unix(0, 0), Passed: []traffic.Passed{
		newPassed(0, "GET", "/.well-known/agent-card.json", "", card, gaps),
		newPassed(1, "POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":`+message+`}}`, `{"jsonrpc":"2.0","id":1,"result":{"task":`+task+`}}`, gaps),
		newPassed(2, "POST", "/rpc", `{"jsonrpc":"2.0","id":2,"method":"GetTask","params":{"id":"t"}}`, `{"jsonrpc":"2.0","id":2,"result":`+task+`}`, gaps),
	}}
}

const plainMessage = `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}`

// failures lists the requirements that fail.
func failures(o *Outcome) (ids []string) {
	for _, r := range o.Report.Results {
		if r.Verdict == report.Fail {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// Two sides without a fault are partial, never conformant, and pass the usual gate.
func TestJudgeTraffic(t *testing.T) {
	o, err := JudgeTraffic(recordTalk(t, plainMessage, "TASK_STATE_COMPLETED", nil), BothSides, Judging{})
	if err != nil {
		t.Fatal(err)
	}
	for name, side := range map[string]*Outcome{"server": o.Server, "client": o.Client} {
		if side.Report.Verdict != report.Partial || side.ExitCode() != 0 || len(failures(side)) > 0 {
			t.Errorf("the %s: %s, exit code %d, %v: %s", name, side.Report.Verdict, side.ExitCode(), failures(side), side.Report.Reason)
		}
		passes := 0
		for _, r := range side.Report.Results {
			if r.Verdict == report.Pass {
				passes++
			}
			if r.Verdict == report.SuiteError {
				t.Errorf("the %s: %s: %s", name, r.ID, r.Reason)
			}
		}
		if passes < 10 {
			t.Errorf("the %s: %d requirements pass", name, passes)
		}
	}
	for side, want := range map[TrafficSide][2]bool{ServerSide: {true, false}, ClientSide: {false, true}} {
		o, err := JudgeTraffic(recordTalk(t, plainMessage, "TASK_STATE_COMPLETED", nil), side, Judging{})
		if err != nil || [2]bool{o.Server != nil, o.Client != nil} != want {
			t.Errorf("%s: %+v, %v", side, o, err)
		}
	}
}

// A fault of the server is the server's, with its place; without the times and fields of a recording it is one as well.
func TestTrafficOfABrokenServer(t *testing.T) {
	for name, gaps := range map[string]*record.Gaps{"whole": nil, "from a browser": {Fields: true, Bytes: true, Times: true}} {
		o, err := JudgeTraffic(recordTalk(t, plainMessage, "done", gaps), BothSides, Judging{})
		if err != nil {
			t.Fatal(err)
		}
		if o.Server.Report.Verdict != report.Nonconformant || o.Server.ExitCode() != 1 || len(failures(o.Server)) == 0 {
			t.Errorf("%s: the server is %s: %v", name, o.Server.Report.Verdict, failures(o.Server))
		}
		if got := failures(o.Client); len(got) > 0 {
			t.Errorf("%s: the client fails %v", name, got)
		}
	}
}

// A malformed request is the client's fault, whatever the server answers to it.
func TestTrafficOfABrokenClient(t *testing.T) {
	o, err := JudgeTraffic(recordTalk(t, `{"role":"user","parts":"hello"}`, "done", nil), BothSides, Judging{})
	if err != nil {
		t.Fatal(err)
	}
	if got := failures(o.Server); len(got) > 0 {
		t.Errorf("the server fails %v by answers to malformed requests", got)
	}
	if o.Client.Report.Verdict != report.Nonconformant {
		t.Errorf("the client is %s: %s", o.Client.Report.Verdict, o.Client.Report.Reason)
	}
}

// What a recording lacks decides nothing: no requirement fails for an absent field or body.
func TestTrafficWithGaps(t *testing.T) {
	for _, gaps := range []record.Gaps{{Fields: true}, {Response: true}, {Request: true}, {Bytes: true, Times: true}} {
		r := recordTalk(t, plainMessage, "TASK_STATE_COMPLETED", &gaps)
		for _, p := range r.Passed {
			for _, x := range []*record.Exchange{p.In, p.Out} {
				if gaps.Fields {
					first, _, _ := strings.Cut(string(x.Request.Head), "\r\n")
					x.Request.Head, x.Response.Head = []byte(first+"\r\n\r\n"), []byte("HTTP/1.1 200 OK\r\n\r\n")
				}
				if gaps.Response {
					x.Response.Body = x.Response.Body[:len(x.Response.Body)/2]
				}
				if gaps.Request {
					x.Request.Body = nil
				}
			}
		}
		o, err := JudgeTraffic(r, BothSides, Judging{})
		if errors.Is(err, ErrNoTraffic) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for name, side := range map[string]*Outcome{"server": o.Server, "client": o.Client} {
			for _, res := range side.Report.Results {
				if res.Verdict == report.Fail || res.Verdict == report.SuiteError {
					t.Errorf("%+v: the %s: %s is %s: %s", gaps, name, res.ID, res.Verdict, res.Reason)
				}
			}
		}
	}
}

// A recording that begins in the middle accuses nobody for the sake of what came before.
func TestTrafficFromTheMiddle(t *testing.T) {
	message := `{"messageId":"m","taskId":"old","contextId":"c","role":"ROLE_USER","parts":[{"text":"hello"}]}`
	for _, cut := range []bool{true, false} {
		r := recordTalk(t, message, "TASK_STATE_COMPLETED", nil)
		r.Cut = cut
		o, err := JudgeTraffic(r, BothSides, Judging{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(failures(o.Client)) > 0; got == cut {
			t.Errorf("begun in the middle %v: the client fails %v", cut, failures(o.Client))
		}
		if got := failures(o.Server); len(got) > 0 {
			t.Errorf("begun in the middle %v: the server fails %v", cut, got)
		}
	}
}

func TestTrafficMistakes(t *testing.T) {
	var usage *UsageError
	if _, err := JudgeTraffic(recordTalk(t, plainMessage, "x", nil), "middle", Judging{}); !errors.As(err, &usage) {
		t.Errorf("an unknown side: %v", err)
	}
	if _, err := JudgeTraffic(traffic.Recording{}, BothSides, Judging{}); !errors.As(err, &usage) {
		t.Errorf("no dialect: %v", err)
	}
	nothing := recordTalk(t, plainMessage, "x", nil)
	nothing.Passed = []traffic.Passed{newPassed(0, "GET", "/style.css", "", "{}", nil)}
	if _, err := JudgeTraffic(nothing, BothSides, Judging{}); !errors.Is(err, ErrNoTraffic) {
		t.Errorf("no call: %v", err)
	}
}

// A replay of what was judged comes to the same verdicts, and as little as the judging before it, it says by which flags of a run more
// would be decided.
func TestTrafficIsReplayed(t *testing.T) {
	o, err := JudgeTraffic(recordTalk(t, plainMessage, "done", nil), BothSides, Judging{})
	if err != nil {
		t.Fatal(err)
	}
	for name, side := range map[string]*Outcome{"server": o.Server, "client": o.Client} {
		var har strings.Builder
		if err := record.WriteHAR(&har, side.Transcript); err != nil {
			t.Fatal(err)
		}
		again, err := Replay(strings.NewReader(har.String()))
		if err != nil {
			t.Fatal(name, err)
		}
		list := func(o *Outcome) (out []string) {
			for _, r := range o.Report.Results {
				out = append(out, fmt.Sprint(r.ID, " ", r.Verdict))
			}
			return out
		}
		if !slices.Equal(list(side), list(again)) || side.Report.Verdict != again.Report.Verdict {
			t.Errorf("the %s is judged otherwise in a replay", name)
		}
		for _, o := range []*Outcome{side, again} {
			if len(o.Report.Advice) > 0 {
				t.Errorf("the %s: advice about runs: %v", name, o.Report.Advice)
			}
			for _, r := range o.Report.Results {
				if r.Remedy != "" {
					t.Errorf("the %s: %s: a remedy of runs: %s", name, r.ID, r.Remedy)
				}
			}
		}
	}
}
