package record

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tmaxmax/go-sse"
)

// The readings in which go-sse departs from the standard. Each row rewrites
// what we read of a stream into what go-sse reads of it, so that any difference
// that no row explains fails the test.
var peerDeviations = []struct {
	name     string
	standard string // what decides it, with its section of the HTML standard
	apply    func(p *peerReading)
}{
	{
		"a byte order mark after blank lines is removed",
		"9.2.6: one leading U+FEFF is ignored if there is one; section 9.2.5 has it before the first event only, and a blank line comes too late.",
		func(p *peerReading) {
			if rest := strings.TrimLeft(p.stream, "\r\n"); rest != p.stream && strings.HasPrefix(rest, "\uFEFF") {
				p.stream = rest
				p.frames, p.rest = ReadSSE([]byte(rest), nil)
			}
		},
	},
	{
		"a last event without its blank line is dispatched",
		"9.2.6: at the end of the stream pending data is discarded; an event that the stream leaves unfinished is not dispatched.",
		func(p *peerReading) {
			// It does so only where the last line has its end; otherwise it reports an error.
			if p.rest != nil && p.rest.HasData && p.rest.Faults[len(p.rest.Faults)-1].Detail != "the stream ends inside a line" {
				p.frames = append(p.frames, *p.rest)
			}
		},
	},
	{
		"a block with an id or a name but without data is dispatched",
		"9.2.6: if the data buffer is empty when a blank line comes, both buffers are reset and nothing is dispatched.",
		func(p *peerReading) {
			blocks := p.frames
			if p.rest != nil && !p.rest.HasData && p.rest.Faults[len(p.rest.Faults)-1].Detail != "the stream ends inside a line" {
				blocks = append(slices.Clone(blocks), *p.rest)
			}
			p.frames = nil
			for _, f := range blocks {
				f.HasData = f.HasData || f.HasID || hasField(p.stream[f.Start:f.End], "event")
				p.frames = append(p.frames, f)
			}
		},
	},
	{
		"invalid UTF-8 is passed on as it is",
		"9.2.6: the stream is decoded with the algorithm \"UTF-8 decode\", which puts U+FFFD in the place of what is invalid.",
		func(p *peerReading) {
			for i, e := range p.peer {
				p.peer[i] = sseEvent{string(decodeUTF8([]byte(e.Event))), string(decodeUTF8([]byte(e.ID))), string(decodeUTF8([]byte(e.Data)))}
			}
		},
	},
}

type peerReading struct {
	stream string
	frames []Frame // ours, on the way to the peer's
	rest   *Frame
	peer   []sseEvent // the peer's
}

// hasField tells an event field with an empty name from none.
func hasField(block, name string) bool {
	lines := strings.FieldsFunc(block, func(c rune) bool { return c == '\r' || c == '\n' })
	return slices.ContainsFunc(lines, func(l string) bool { return l == name || strings.HasPrefix(l, name+":") })
}

func TestSSEAgreesWithPeer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	used := make([]int, len(peerDeviations))
	for range 10_000 {
		stream := randomStream(random)
		frames, rest := ReadSSE([]byte(stream), nil)
		p := peerReading{stream: stream, frames: frames, rest: rest}
		for e, err := range sse.Read(strings.NewReader(stream), &sse.ReadConfig{MaxEventSize: 1 << 20}) {
			if err == nil {
				p.peer = append(p.peer, sseEvent{e.Type, e.LastEventID, e.Data})
			}
		}
		for i, d := range peerDeviations {
			ours, peers := dispatched(p.frames), slices.Clone(p.peer)
			d.apply(&p)
			if !slices.Equal(ours, dispatched(p.frames)) || !slices.Equal(peers, p.peer) {
				used[i]++
			}
		}
		if ours := dispatched(p.frames); !slices.Equal(ours, p.peer) {
			t.Fatalf("%q\ngo-sse %q\nwe     %q", stream, p.peer, ours)
		}
	}
	for i, d := range peerDeviations {
		if used[i] == 0 {
			t.Errorf("no stream shows that %s", d.name)
		}
		t.Logf("%5d streams: %s", used[i], d.name)
	}
}

func randomStream(random *rand.Rand) string {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	var b strings.Builder
	b.WriteString(pick("", "", "", "", "\uFEFF", "\uFEFF", "\n\uFEFF"))
	end := pick("\n", "\r\n", "\r", "")
	for range random.IntN(16) {
		switch random.IntN(10) {
		case 0:
			b.WriteString(pick(":", ": comment", "foo", "foo: bar", "longer-than-that: x", "data ", " data: x", "Event: x", "retry: 10", "retry: x", "retry"))
		case 1:
			b.WriteString(pick("id", "id:", "id: 1", "id:two", "id: \x00", "id:  3"))
		case 2:
			b.WriteString(pick("event", "event: e", "event:other", "event: \U0001F600"))
		case 3, 4, 5, 6:
			b.WriteString(pick("data", "data:", "data: ", "data:a", "data:  b", "data: {\"x\":1}", "data:é", "data: \x00", "data: \uFEFF", "data:\xff\xe2\x82"))
		}
		if end == "" {
			b.WriteString(pick("\n", "\r\n", "\r", "\n\n"))
		} else {
			b.WriteString(end)
		}
	}
	if random.IntN(4) == 0 {
		b.WriteString(pick("data: cut", "id: 9", "x", ":"))
	}
	return b.String()
}
