package proxy

import (
	"cmp"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
)

// describeEnd states how the exchange came to its end on both sides.
func (c *capture) describeEnd(gone, broken bool) {
	now := c.sinceStart()
	c.in.End = now
	closing := c.closing.Load()
	const proxyEnded = "the proxy ended before the answer was complete"
	if out := c.out; out != nil {
		if !c.completed && out.Ended == "" {
			out.End = now
			out.Ended, out.Trouble = record.OurClose, "the client left before the answer was complete"
		}
		if closing && out.Ended != record.EOF && c.raw == nil && !c.restPassed {
			out.Ended, out.Trouble = record.Aborted, proxyEnded
		}
	}
	switch {
	case c.raw != nil && c.raw.both:
		c.in.Ended, c.in.Trouble = record.OurClose, "the body that the client sent cannot be read, so that it was passed on as it came, as was what the server sent"
	case c.restPassed:
		c.in.Ended, c.in.Trouble = record.OurClose, "the body of the server's answer cannot be read, and its rest was passed on as it came"
	case c.raw != nil:
		c.in.Ended, c.in.Trouble = record.OurClose, "what the server sent is no HTTP, and was passed on as it came"
	case c.in.Response.Head != nil && !broken:
		c.in.Ended = record.EOF
	case closing:
		c.in.Ended, c.in.Trouble = record.Aborted, proxyEnded
	case gone:
		c.in.Ended, c.in.Trouble = record.Reset, "the client closed the connection before the answer was complete"
	default:
		c.in.Ended, c.in.Trouble = record.OurClose, "the server's answer ended before it was complete"
	}
}

// buildPassed makes the exchange of the record, seen from both sides. It is called once the exchange is over.
func (c *capture) buildPassed() traffic.Passed {
	in, out := c.in, c.out
	if out == nil {
		return traffic.Passed{In: in, Connection: c.connection}
	}
	long := out.Gaps.Response
	for _, m := range []struct {
		of  *record.Message
		gap *bool
	}{{&out.Request, &out.Gaps.Request}, {&out.Response, &out.Gaps.Response}} {
		if !decodeBody(m.of) {
			*m.gap = true
		}
	}
	if over := out.ReplaceBodiesByGRPCPayloads(func() bool { return true }); over != "" {
		long, out.Trouble = true, over
	}
	if long && out.Ended == record.EOF {
		out.Ended, out.Trouble = record.Limit, cmp.Or(out.Trouble, record.BeyondBody)
	}
	if out.Gaps.Request && len(out.Request.Body) > record.CutHead {
		out.Request.Body, out.Request.Chunks = out.Request.Body[:record.CutHead:record.CutHead], nil
	}
	new(record.MemoryBudget).CountAndCutExchange(out)
	if out.Ended == record.Limit {
		out.Gaps.Response = true
	}
	gaps := *out.Gaps
	in.Gaps = &gaps
	c.shareBodies(in, out)
	new(record.MemoryBudget).CountAndCutDelivery(in)
	return traffic.Passed{In: in, Out: out, Connection: c.connection}
}

// shareBodies gives the client's side the bodies of the server's side, which are the same bytes.
func (c *capture) shareBodies(in, out *record.Exchange) {
	head := in.Request.Head
	in.Request = out.Request
	in.Request.Head = head
	head = in.Response.Head
	if head == nil {
		return
	}
	switch {
	case c.replaced:
		in.Response = record.Message{Head: head, Framing: record.Framing{Kind: "length", Declared: int64(len(c.given)), Interim: c.interim}}
		if c.isHTTP2 {
			in.Response.Framing.Kind = "frames"
		}
		if in.Response.Trailer = out.Response.Trailer; in.Response.Trailer != nil && !c.isHTTP2 {
			in.Response.Framing.Kind, in.Response.Framing.Declared = "chunked", -1
		}
		in.Response.AppendBody(c.given, in.End)
	case out.Response.Head == nil: // the answer is ours
		in.Response.Framing = record.Framing{Kind: "length", Declared: -1}
	default:
		in.Response = out.Response
		in.Response.Head = head
	}
}

// decodeBody takes off the content coding of a body. It reports false if what is kept of it cannot be read.
func decodeBody(m *record.Message) bool {
	coding := m.ContentCoding()
	if coding == "" {
		return true
	}
	return m.DecodePassed(coding) == ""
}
