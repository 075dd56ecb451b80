package record

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
)

func response(head, body string, chunks ...Chunk) *Exchange {
	return &Exchange{ID: 7, Dir: Out, URL: "http://h/", Conn: 2, Start: 1, End: 99, Ended: EOF, Trouble: "t", TLS: &TLS{Version: "TLS 1.3"},
		Request: Message{Head: []byte("POST / HTTP/1.1\r\n\r\n"), Body: []byte("{}")},
		Response: Message{Head: []byte(head), Body: []byte(body), Chunks: chunks,
			Framing: Framing{Kind: "length", Declared: int64(len(body)), Received: int64(len(body))}}}
}

func TestMessage(t *testing.T) {
	for _, c := range []struct {
		head   string
		status int
		proto  string
		media  string
	}{
		{"HTTP/1.1 200 OK\r\nContent-Type: Application/JSON; charset=utf-8\r\n\r\n", 200, "HTTP/1.1", "application/json"},
		{"HTTP/1.0 404 Not Found\nCONTENT-TYPE: text/html; charset\n\n", 404, "HTTP/1.0", "text/html"},
		{"HTTP/1.1 200\r\nContent-Type: json;;\r\n\r\n", 200, "HTTP/1.1", "json"},
		{"HTTP/1.1 200 OK\r\nContent-Type:\r\n\r\n", 200, "HTTP/1.1", ""},
		{"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Type: text/html\r\n\r\n", 200, "HTTP/1.1", "text/event-stream"},
		{"HTTP/1.1 2000 OK\r\n\r\n", 0, "HTTP/1.1", ""},
		{"HTTP/1.1 -20 OK\r\n\r\n", 0, "HTTP/1.1", ""},
		{"HTTP/1.1\r\n\r\n", 0, "HTTP/1.1\r\n\r\n", ""},
		{"ICY 200 OK\r\n\r\n", 0, "ICY", ""},
		{"", 0, "", ""},
	} {
		m := &Message{Head: []byte(c.head)}
		if m.Status() != c.status || m.Proto() != c.proto || m.MediaType() != c.media {
			t.Errorf("%q: got %d %q %q", c.head, m.Status(), m.Proto(), m.MediaType())
		}
	}
	var none *Exchange
	if none.Answered() || none.Status() != 0 || none.IsStream() || none.Before(none) {
		t.Error("an exchange that is none says something")
	}
}

func TestBefore(t *testing.T) {
	a, b, c := &Exchange{Start: 0, End: 5}, &Exchange{Start: 5, End: 9}, &Exchange{Start: 4, End: 6}
	if !a.Before(b) || b.Before(a) || a.Before(c) || c.Before(b) {
		t.Error("only what ended before the other began precedes it")
	}
}

func TestSplice(t *testing.T) {
	for _, c := range []struct {
		name       string
		start, end int
		with       string
		body       string
		chunks     []Chunk // of 0123 45 6789 at 1, 2, 3
	}{
		{"nothing", 3, 3, "", "0123456789", []Chunk{{1, 4}, {2, 2}, {3, 4}}},
		{"insert in front", 0, 0, "ab", "ab0123456789", []Chunk{{1, 6}, {2, 2}, {3, 4}}},
		{"insert at a border", 4, 4, "ab", "0123ab456789", []Chunk{{1, 6}, {2, 2}, {3, 4}}},
		{"insert inside", 5, 5, "ab", "01234ab56789", []Chunk{{1, 4}, {2, 4}, {3, 4}}},
		{"insert at the end", 10, 10, "ab", "0123456789ab", []Chunk{{1, 4}, {2, 2}, {3, 6}}},
		{"replace inside", 1, 3, "abc", "0abc3456789", []Chunk{{1, 5}, {2, 2}, {3, 4}}},
		{"replace over borders", 2, 8, "a", "01a89", []Chunk{{1, 2}, {3, 3}}},
		{"replace one chunk", 4, 6, "abcd", "0123abcd6789", []Chunk{{1, 4}, {2, 4}, {3, 4}}},
		{"remove one chunk", 4, 6, "", "01236789", []Chunk{{1, 4}, {3, 4}}},
		{"replace all", 0, 10, "ab", "ab", []Chunk{{3, 2}}},
		{"remove all", 0, 10, "", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := response("HTTP/1.1 200 OK\r\n\r\n", "0123456789", Chunk{1, 4}, Chunk{2, 2}, Chunk{3, 4})
			before := *response("HTTP/1.1 200 OK\r\n\r\n", "0123456789", Chunk{1, 4}, Chunk{2, 2}, Chunk{3, 4})
			y := x.Splice(c.start, c.end, []byte(c.with))
			if string(y.Response.Body) != c.body || !reflect.DeepEqual(y.Response.Chunks, c.chunks) {
				t.Errorf("got %q %v", y.Response.Body, y.Response.Chunks)
			}
			if f := y.Response.Framing; f.Declared != int64(len(c.body)) || f.Received != int64(len(c.body)) {
				t.Errorf("framing %+v", f)
			}
			if !reflect.DeepEqual(x.Response, before.Response) {
				t.Errorf("the original was changed: %+v", x.Response)
			}
			if whole := response("HTTP/1.1 200 OK\r\n\r\n", c.body); !bytes.Equal(y.Response.Head, whole.Response.Head) || !reflect.DeepEqual(y.Request, whole.Request) ||
				y.ID != 7 || y.Conn != 2 || y.TLS != x.TLS || y.End != 99 || y.Trouble != "t" {
				t.Errorf("something else was changed: %+v", y)
			}
		})
	}
	if y := response("", "0123456789").Splice(2, 4, []byte("x")); y.Response.Chunks != nil || string(y.Response.Body) != "01x456789" {
		t.Errorf("without chunks: %q %v", y.Response.Body, y.Response.Chunks)
	}
}

func TestSpliceEvents(t *testing.T) {
	const stream = "data: {\"n\":1}\n\nid: a\ndata: {\"n\":2}\n\ndata: {\"n\":3"
	x := response("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", stream, Chunk{10, 15}, Chunk{20, len(stream) - 15})
	events := x.Events()
	if len(events) != 2 || events[0].At != 10 || events[1].At != 20 || x.Rest() == nil {
		t.Fatalf("events %+v, rest %+v", events, x.Rest())
	}
	y := x.Splice(events[0].DataStart, events[0].DataEnd, []byte(`{"n":"first"}`))
	got := y.Events()
	if len(got) != 2 || got[0].Data != `{"n":"first"}` || got[0].Root.At("/n").String != "first" || got[1].Data != `{"n":2}` || got[0].At != 10 || got[1].At != 20 || y.Rest() == nil {
		t.Errorf("events %+v", got)
	}
	if again := x.Events(); again[0].Data != `{"n":1}` {
		t.Errorf("the original's event is now %q", again[0].Data)
	}
	if z := x.Splice(0, events[0].End, nil); len(z.Events()) != 1 || z.Events()[0].ID != "a" || z.Events()[0].At != 20 {
		t.Errorf("without its first event: %+v", z.Events())
	}
}

func TestDocuments(t *testing.T) {
	x := response("HTTP/1.1 200 OK\r\n\r\n", `{"result":1}`)
	if first := x.Reply(); first != x.Reply() || x.Reply().Root.At("/result").Number != "1" || x.Call().Root == nil || x.Events() != nil || x.Rest() != nil {
		t.Error("a JSON reply")
	}
	x = response("HTTP/1.1 200 OK\r\n\r\n", "<html>")
	if x.Reply().Root != nil || len(x.Reply().Faults) == 0 {
		t.Error("a reply that is not JSON")
	}
}

func TestSeal(t *testing.T) {
	const ms = time.Millisecond
	a, b, c, d := &Exchange{Start: 9}, &Exchange{Start: 8}, &Exchange{Start: 7 * ms}, &Exchange{Start: 6 * ms}
	tr := &Transcript{
		Plays: []Play{
			{Scenario: "x", Steps: []Step{{Name: "1", Exchange: a}, {Name: "2", NotSent: "no"}, {Name: "3", Exchange: b}, {Name: "4", Exchange: a}}},
			{Scenario: "y"},
		},
		Exchanges: []*Exchange{c, b, d},
	}
	for range 2 { // sealing again changes nothing
		tr.Seal()
		for i, want := range []*Exchange{a, b, d, c} {
			if len(tr.Exchanges) != 4 || tr.Exchanges[i] != want || want.ID != i+1 {
				t.Fatalf("exchange %d of %d is not the expected one, or bears %d", i+1, len(tr.Exchanges), want.ID)
			}
		}
	}
}

func TestClone(t *testing.T) {
	tr := full()
	before := written(t, tr)
	old := tr.Plays[1].Steps[0].Exchange
	replaced := old.Splice(0, len(old.Response.Body), []byte("{}"))
	c := tr.Clone(old, replaced)
	c.Facts.Stimuli["new"] = operator.Stimulus{Text: "x"}
	if !bytes.Equal(before, written(t, tr)) {
		t.Error("the original was changed")
	}
	if c.Exchanges[old.ID-1] != replaced || c.Plays[1].Steps[0].Exchange != replaced || c.Plays[1].Steps[3].Exchange != replaced {
		t.Error("the exchange was not replaced everywhere")
	}
	back, err := ReadHAR(bytes.NewReader(written(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, x := range back.Exchanges {
		if !reflect.DeepEqual(x.Response, tr.Exchanges[i].Response) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d exchanges differ from the original", n)
	}
}

func TestTranscriptLooksUp(t *testing.T) {
	tr := full()
	tr.Plays = append(tr.Plays, Play{Scenario: "quick", Attempt: 3})
	if p := tr.Play("quick"); p == nil || p.Attempt != 3 {
		t.Errorf("got %+v", p)
	}
	if tr.Play("slow") != nil || tr.Plays[1].Step("none") != nil || tr.Plays[1].Step("get").NotSent != "no task" || !tr.Plays[1].Has("final") || tr.Plays[1].Has("x") {
		t.Error("looked up wrongly")
	}
	if s := (operator.Selection{}).String(); s != "full" {
		t.Errorf("got %q", s)
	}
	if s := tr.Facts.Selection.String(); s != "--run A* --skip B --area card --section 8.1 --level MUST" {
		t.Errorf("got %q", s)
	}
}
