package wire

import (
	"bytes"
	"context"
	"fmt"
	"slices"
)

// Bounds on what one run keeps. They protect the suite, not the protocol: what
// goes beyond them makes a requirement inconclusive, never failed.
const (
	MaxBody   = 8 << 20  // bytes of one response body that are read
	MaxKept   = 32 << 20 // bytes of all responses of a run that are kept
	MaxHead   = 1 << 20  // bytes of a response head that are read
	MaxWeight = 48 << 20 // bytes that the values and events of all responses take in memory, about
	largeBody = 1 << 20  // from here on bodies are read a few at a time
	largeOnes = 2        // so many
	cutHead   = 64 << 10 // what remains of a body that went beyond a bound
	cutTail   = 4 << 10
)

// room is where large bodies are held until they are bounded, a few at a time:
// many at once would take more memory than a run may have.
type room struct {
	c    *Client
	ctx  context.Context
	held bool
}

// enter waits for a place; it reports false if the exchange's time ends first.
func (r *room) enter() bool {
	if r.held {
		return true
	}
	select {
	case r.c.large <- struct{}{}:
		r.held = true
		return true
	case <-r.ctx.Done():
		return false
	}
}

func (r *room) leave() {
	if r.held {
		<-r.c.large
	}
}

// bound keeps the beginning and the end of a body that is too large to keep, or
// beyond what is taken apart.
func (c *Client) bound(x *Exchange) {
	m := &x.Response
	if x.Ended == Limit && len(m.Head) > cutHead {
		m.Head = bytes.Clone(m.Head[:cutHead])
	}
	kept := c.kept.Add(int64(len(m.Head) + len(m.Body)))
	weight := x.weight()
	weighs := c.weigh.Add(weight)
	trouble := ""
	switch {
	case x.Ended == Limit:
		trouble = x.Trouble
	case kept > MaxKept && len(m.Body) > cutHead+cutTail:
		trouble = fmt.Sprintf("the run had kept %d MiB of responses; of this one only a part", MaxKept>>20)
	case weighs > MaxWeight && weight > MaxWeight/512:
		trouble = "the run had kept as many values and events as it can; of this response only a part"
	default:
		if trouble = x.unread(); trouble == "" {
			if spare := cap(m.Body) - len(m.Body); spare > cutHead && spare > len(m.Body)/8 {
				m.Body = bytes.Clone(m.Body) // what it grew beyond its need is given back
			}
			return
		}
	}
	c.weigh.Add(-weight)
	c.kept.Add(-int64(len(m.Body)))
	x.cut()
	c.weigh.Add(x.weight())
	c.kept.Add(int64(len(m.Body)))
	x.Ended, x.Trouble = Limit, trouble
}

// cut keeps head and tail of the body; of an event stream the whole events at
// its beginning, so that nothing is taken for an event that was none.
func (x *Exchange) cut() {
	x.observed = observed{}
	m := &x.Response
	if m.Framing.Cut == "" {
		m.Framing.Cut = digest(m.Body)
	}
	if len(m.Body) > cutHead+cutTail {
		if !x.IsStream() {
			m.Body = slices.Concat(m.Body[:cutHead], m.Body[len(m.Body)-cutTail:])
		} else {
			m.Body = bytes.Clone(m.Body[:cutHead])
		}
	}
	if x.IsStream() {
		whole := 0
		for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
			if i := bytes.LastIndex(m.Body, []byte(end)); i >= 0 {
				whole = max(whole, i+len(end))
			}
		}
		m.Body = m.Body[:whole]
	}
	m.Chunks = nil
}

// weight is about how many bytes of memory the values and events of a response
// take once they are read.
func (x *Exchange) weight() int64 {
	values, events := 0, 0
	for _, b := range x.Response.Body {
		switch b {
		case ',', '[', '{':
			values++
		case '\n', '\r':
			events++
		}
	}
	weight := int64(min(values, maxJSONValues)) * 160
	if x.IsStream() {
		weight = int64(values)*160 + int64(events)*300
	}
	return weight
}

// unread says why a response that may well be JSON could not be taken apart:
// limits of ours, which prove nothing against the server.
func (x *Exchange) unread() string {
	beyond := func(faults []JSONFault) string {
		for _, f := range faults {
			if f.Kind == FaultTooDeep || f.Kind == FaultTooLarge {
				return "its JSON has " + f.Detail
			}
		}
		return ""
	}
	const few = 1 << 10 // bytes that cannot hold too much
	if len(x.Response.Body) < few {
		return ""
	}
	if !x.IsStream() {
		return beyond(x.Reply().Faults)
	}
	opened := bytes.Count(x.Response.Body, []byte("[")) + bytes.Count(x.Response.Body, []byte("{"))
	if opened <= maxJSONDepth && bytes.Count(x.Response.Body, []byte(",")) <= maxJSONValues-opened {
		return ""
	}
	for _, e := range x.Events() {
		if why := beyond(e.Document.Faults); why != "" {
			return why
		}
	}
	return ""
}
