package prove

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// draft is a recorded transcript on its way to becoming another one. What was
// recorded stays as it is.
type draft struct {
	record.Transcript
	what string // was done to it, in words
	over bool   // nothing but that the run was over before its time
}

func drafted(t *record.Transcript) *draft {
	d := &draft{Transcript: *t}
	d.Exchanges = slices.Clone(t.Exchanges)
	d.Plays = slices.Clone(t.Plays)
	for i := range d.Plays {
		d.Plays[i].Steps = slices.Clone(d.Plays[i].Steps)
	}
	return d
}

func (d *draft) say(format string, args ...any) { d.what += fmt.Sprintf(format, args...) + "; " }

// name names an exchange by the play and step it belongs to.
func (d *draft) name(x *record.Exchange) string {
	for _, p := range d.Plays {
		for _, s := range p.Steps {
			if s.Exchange == x {
				return fmt.Sprintf("%s/%s", p.Scenario, s.Name)
			}
		}
	}
	return fmt.Sprintf("exchange %d", x.ID)
}

// any draws one of the exchanges by its name; nil if there is none.
func (d *draft) any(r *rand.Rand, of []*record.Exchange) *record.Exchange {
	salt := r.Uint64()
	if len(of) == 0 {
		return nil
	}
	return slices.MinFunc(of, func(x, y *record.Exchange) int { return lot(salt, d.name(x)).compare(lot(salt, d.name(y))) })
}

// replace puts one exchange in the place of another.
func (d *draft) replace(x, y *record.Exchange) {
	for i := range d.Exchanges {
		if d.Exchanges[i] == x {
			d.Exchanges[i] = y
		}
	}
	for i := range d.Plays {
		for j := range d.Plays[i].Steps {
			if s := &d.Plays[i].Steps[j]; s.Exchange == x {
				s.Exchange = y
			}
		}
	}
}

// op is the operation that an exchange asked for.
func (d *draft) op(x *record.Exchange) string {
	for _, p := range d.Plays {
		for _, s := range p.Steps {
			if s.Exchange == x {
				return s.Op
			}
		}
	}
	return ""
}

// fresh is a copy of an exchange that may be changed.
func fresh(x *record.Exchange) *record.Exchange { return x.Splice(0, 0, nil) }

// text is a text that the server sent: a body, or the data of an event.
type text struct {
	event int // from 1; 0 for a body
	data  []byte
}

// texts are what the server said in an exchange.
func texts(x *record.Exchange) []text {
	switch {
	case x.Dir == record.In:
		return []text{{0, x.Request.Body}}
	case x.IsStream():
		var out []text
		for i, e := range x.Events() {
			if e.HasData {
				out = append(out, text{i + 1, []byte(e.Data)})
			}
		}
		return out
	case len(x.Response.Body) > 0 && len(x.Response.Body) < 1<<20: // larger ones take their time
		return []text{{0, x.Response.Body}}
	}
	return nil
}

// rewritten is an exchange in which one of the server's texts is another one.
func rewritten(x *record.Exchange, of text, to []byte) *record.Exchange {
	switch {
	case x.Dir == record.In:
		y := fresh(x)
		y.Request.Body, y.Request.Chunks = to, nil
		return y
	case of.event > 0:
		f := x.Events()[of.event-1]
		return x.Splice(f.DataStart, f.DataEnd, inLine(to))
	}
	return x.Splice(0, len(x.Response.Body), to)
}

// visit calls do with every value of every text, and the operation.
func (d *draft) visit(do func(op string, p place)) {
	for _, x := range d.Exchanges {
		op := d.op(x)
		for _, t := range texts(x) {
			root, _ := record.ObserveJSON(t.data)
			for _, p := range places(root) {
				do(op, p)
			}
		}
	}
}

// rewrite changes every text for which change gives another one, and reports
// whether there is any.
func (d *draft) rewrite(change func(op string, t text) []byte) bool {
	changed := false
	for _, x := range slices.Clone(d.Exchanges) {
		y, op := x, d.op(x)
		for _, t := range slices.Backward(texts(x)) {
			if to := change(op, t); !bytes.Equal(to, t.data) {
				y = rewritten(y, t, to)
			}
		}
		if y != x {
			d.replace(x, y)
			changed = true
		}
	}
	return changed
}

// reheaded is an exchange whose response has other header fields.
func reheaded(x *record.Exchange, edit func([]record.Field) []record.Field) *record.Exchange {
	y := fresh(x)
	line, _, _ := strings.Cut(string(x.Response.Head), "\r\n")
	var head strings.Builder
	head.WriteString(line + "\r\n")
	for _, f := range edit(x.Response.Fields()) {
		head.WriteString(f.Name + ": " + f.Value + "\r\n")
	}
	y.Response.Head = []byte(head.String() + "\r\n")
	return y
}

// restatused is an exchange that was answered with another status.
func restatused(x *record.Exchange, status int) *record.Exchange {
	y := fresh(x)
	_, rest, _ := strings.Cut(string(x.Response.Head), "\r\n")
	y.Response.Head = fmt.Appendf(nil, "HTTP/1.1 %d Edited\r\n%s", status, rest)
	return y
}

// unanswered is an exchange that was never answered.
func unanswered(x *record.Exchange, how record.Ended) *record.Exchange {
	y := fresh(x)
	y.Response, y.Ended, y.Trouble = record.Message{Framing: record.Framing{Kind: "none", Declared: -1}}, how, "edited"
	return y
}

// answered is an exchange that was answered with JSON.
func answered(x *record.Exchange, status int, body string) *record.Exchange {
	y := fresh(x)
	y.Response = record.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %d Edited\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", status, len(body)),
		Body: []byte(body), Framing: record.Framing{Kind: "length", Declared: int64(len(body)), Received: int64(len(body))}}
	y.Ended, y.Trouble = record.EOF, ""
	return y
}

// reframed is an exchange whose stream has other blocks, given by their number.
func reframed(x *record.Exchange, blocks []int) *record.Exchange {
	events := x.Events()
	var body []byte
	for _, i := range blocks {
		body = append(body, x.Response.Body[events[i].Start:events[i].End]...)
	}
	return x.Splice(0, len(x.Response.Body), body)
}

// streams are the exchanges that were answered by event streams.
func (d *draft) streams() []*record.Exchange {
	return slices.DeleteFunc(slices.Clone(d.Exchanges), func(x *record.Exchange) bool { return !x.IsStream() || len(x.Events()) == 0 })
}

// calls are the exchanges of ours that were answered.
func (d *draft) calls() []*record.Exchange {
	return slices.DeleteFunc(slices.Clone(d.Exchanges), func(x *record.Exchange) bool { return x.Dir == record.In || !x.Answered() })
}
