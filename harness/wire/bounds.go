package wire

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// Bounds on what one run keeps. They protect the suite, not the protocol: what
// goes beyond them makes a requirement inconclusive, never failed. A transcript
// that is read from a file has to stay within the same.
const (
	MaxBody   = 8 << 20  // bytes of one response body that are read
	MaxKept   = 32 << 20 // bytes of all exchanges of a run that are kept
	MaxHead   = 1 << 20  // bytes of a response head that are read
	MaxWeight = 48 << 20 // bytes that the values and events of all responses take in memory, about
	largeBody = 1 << 20  // from here on bodies are read a few at a time
	largeOnes = 2        // at most so many
	cutHead   = 64 << 10 // what remains of a body that went beyond a bound
	cutTail   = 4 << 10
	cutMargin = 64 << 10 // beyond both, in which a secret is looked for that a cut would halve
	barely    = 1 << 10  // what remains of a head, or of what we sent, once small exchanges went beyond a bound too; of a body nothing
	perFrame  = 128      // bytes that a frame of HTTP/2 takes, about
	perRecord = 1 << 10  // bytes that an exchange takes beside what was said, about
	maxChunks = 1 << 15  // pieces of a body whose arrival is kept
	perField  = 128      // bytes that a header field takes beside its text, about
	maxFields = 2000     // header fields of one message that are read
)

// Bounds on what a server chooses of our own requests: an address on its card, an id
// that a later call repeats. Without them a run would send and keep megabytes for each
// call, only because the server wants it.
const (
	MaxAddress = 8 << 10              // bytes of an address that calls go to
	MaxID      = 4 << 10              // bytes of an id, a tenant or a page token that calls repeat
	maxURL     = MaxAddress + 8*MaxID // bytes of an address together with the ids in its path and query, which may be escaped
	maxOurHead = 64 << 10             // bytes of the header fields of one of our requests
)

// cutMark ends an address that is longer than calls may go to. No URL has it as it is.
const cutMark = "…"

// BoundAddress returns an address that a server named as its own, such as on its card. Of one
// that is longer than MaxAddress only the beginning is kept, and calls that go there are not
// made.
func BoundAddress(address string) string {
	if len(address) <= MaxAddress {
		return address
	}
	const shown = 200 // bytes
	return strings.ToValidUTF8(address[:shown], "") + cutMark
}

// unboundedRequest returns why a call is not made although a server asks for it: its address
// or its header fields are larger than calls may be. It is "" if the call is within bounds.
func unboundedRequest(call Call) string {
	if strings.Contains(call.URL, cutMark) {
		return fmt.Sprintf("the address that the server names has more than %d bytes, and no call goes to such a one", MaxAddress)
	}
	if len(call.URL) > maxURL {
		return fmt.Sprintf("the address would have %d bytes, and no call goes to one of more than %d", len(call.URL), maxURL)
	}
	size := 0
	for name, values := range call.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	if size > maxOurHead {
		return fmt.Sprintf("its header fields would have %d bytes, and no call has more than %d", size, maxOurHead)
	}
	return ""
}

// memoryBudget is what the exchanges of a run, or of a file, take in memory.
type memoryBudget struct{ kept, weight atomic.Int64 }

// add counts an exchange, and tells what is kept with it.
func (h *memoryBudget) add(x *Exchange) (kept, weight int64) {
	return h.kept.Add(x.size()), h.weight.Add(x.weight())
}

func (h *memoryBudget) drop(x *Exchange) {
	h.kept.Add(-x.size())
	h.weight.Add(-x.weight())
}

// Even small answers are kept in full up to here only, so that their number is
// no way around the bounds.
const (
	mostKept   = MaxKept + MaxKept/2
	mostWeight = MaxWeight + MaxWeight/4
)

// crowded says in words which bound a file goes beyond; "" if it goes beyond none.
// What a run kept is within them, but for the little that remains of each exchange
// once they are reached.
func (h *memoryBudget) crowded() string {
	const little = MaxKept / 4
	switch {
	case h.kept.Load() > mostKept+little:
		return fmt.Sprintf("its exchanges have more than %d MiB", (mostKept+little)>>20)
	case h.weight.Load() > mostWeight+little:
		return fmt.Sprintf("the values and events of its exchanges take more than %d MiB", (mostWeight+little)>>20)
	}
	return ""
}

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

// spare cuts what will not be kept before secrets are looked for in it, and leaves
// a margin, so that none is halved.
func (c *Client) spare(x *Exchange) {
	m := &x.Response
	if len(m.Head)+len(m.Body)+len(m.Trailer)+perPrefix*len(m.Prefixes) <= cutHead+cutTail+2*cutMargin {
		return
	}
	defer func() { x.observed = observed{} }() // what was seen of it so far was not redacted
	if x.Ended != Limit {
		weight := x.weight()
		if c.budget.kept.Load()+x.size() <= MaxKept && (weight <= MaxWeight/512 || c.budget.weight.Load()+weight <= MaxWeight) {
			return
		}
		x.Ended, x.Trouble = Limit, beyondRun
	}
	if len(m.Body) > cutHead+cutTail+2*cutMargin {
		m.Framing.Cut = digest(m.Body)
		if m.Prefixes != nil {
			m.keepMessages(cutHead + cutMargin)
		} else if x.IsStream() {
			m.Body = bytes.Clone(m.Body[:cutHead+cutMargin])
		} else {
			m.Body = slices.Concat(m.Body[:cutHead+cutMargin], m.Body[len(m.Body)-cutTail-cutMargin:])
		}
		m.Chunks = nil
	}
	if len(m.Head) > cutHead+cutMargin {
		m.Head = bytes.Clone(m.Head[:cutHead+cutMargin])
	}
	if len(m.Trailer) > cutHead+cutMargin {
		m.Trailer = bytes.Clone(m.Trailer[:cutHead+cutMargin])
	}
}

var beyondRun = fmt.Sprintf("the run had kept as much of what was said as it can (%d MiB, or as many values and events as take %d MiB); of this exchange only a part", MaxKept>>20, MaxWeight>>20)

// bound keeps the beginning and the end of a body that is too large to keep, or
// beyond what is taken apart.
func (c *Client) bound(x *Exchange) {
	m := &x.Response
	if x.Ended == Limit && len(m.Head) > cutHead {
		m.Head = bytes.Clone(m.Head[:cutHead])
	}
	if x.Ended == Limit && len(m.Trailer) > cutHead {
		m.Trailer = bytes.Clone(m.Trailer[:cutHead])
	}
	kept, weights := c.budget.add(x)
	weight := x.weight()
	trouble := ""
	switch {
	case x.Ended == Limit:
		trouble = x.Trouble
	case kept > MaxKept && len(m.Head)+len(m.Body) > cutHead+cutTail, weights > MaxWeight && weight > MaxWeight/512,
		kept > mostKept, weights > mostWeight:
		trouble = beyondRun
	default:
		if trouble = x.unread(); trouble == "" {
			if spare := cap(m.Body) - len(m.Body); spare > cutHead && spare > len(m.Body)/8 {
				m.Body = bytes.Clone(m.Body) // what it grew beyond its need is given back
			}
			return
		}
	}
	c.budget.drop(x)
	x.cut(cutHead, cutTail)
	if kept, weights := c.budget.add(x); kept > mostKept || weights > mostWeight {
		c.budget.drop(x)
		x.cut(barely, 0)
		x.Response.Body, x.Response.Prefixes = nil, nil
		c.budget.add(x)
	}
	x.Ended, x.Trouble = Limit, trouble
}

// cut keeps head and tail of the body; of an event stream the whole events at
// its beginning, so that nothing is taken for an event that was none. Of what we
// sent as much is kept.
func (x *Exchange) cut(head, tail int) {
	stream := x.IsStream()
	x.observed = observed{}
	m := &x.Response
	if m.Framing.Cut == "" {
		m.Framing.Cut = digest(m.Body)
	}
	if len(m.Head) > head {
		m.Head = bytes.Clone(m.Head[:head])
	}
	if len(m.Trailer) > head {
		m.Trailer = bytes.Clone(m.Trailer[:head])
	}
	if m.Prefixes != nil {
		m.keepMessages(head)
		stream = false
	} else if len(m.Body) > head+tail {
		if !stream {
			m.Body = slices.Concat(m.Body[:head], m.Body[len(m.Body)-tail:])
		} else {
			m.Body = bytes.Clone(m.Body[:head])
		}
	}
	if q := &x.Request; len(q.Body) > head {
		q.Framing.Cut, q.Chunks = digest(q.Body), nil
		if q.Prefixes != nil {
			q.keepMessages(head)
		} else {
			q.Body = bytes.Clone(q.Body[:head])
		}
	}
	if x.HTTP2 != nil && len(x.HTTP2.Frames) > head/perFrame {
		short := *x.HTTP2
		short.Unkept += len(short.Frames) - head/perFrame
		short.Frames = slices.Clone(short.Frames[:head/perFrame])
		x.HTTP2 = &short
	}
	if stream {
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

// size is about how many bytes of memory an exchange takes before it is read.
func (x *Exchange) size() int64 {
	n := perRecord + len(x.URL) + len(x.Trouble)
	for _, m := range []*Message{&x.Request, &x.Response} {
		n += len(m.Head) + len(m.Body) + len(m.Trailer) + 32*len(m.Chunks) + perPrefix*len(m.Prefixes)
		n += perField * (bytes.Count(m.Head, []byte{'\n'}) + bytes.Count(m.Trailer, []byte{'\n'}))
	}
	if x.HTTP2 != nil {
		n += perFrame * len(x.HTTP2.Frames)
	}
	return int64(n)
}

// weight is about how many bytes of memory the values and events of a response
// take once they are read, or the values of a delivery.
func (x *Exchange) weight() int64 {
	values, events := 0, 0
	if x.Dir == In {
		return int64(min(countSeparators(x.Request.Body), maxJSONValues)) * 160
	}
	if p := len(x.Response.Prefixes); p > 0 {
		for _, m := range x.Response.GRPCMessages() {
			values += countFields(m.Payload)
		}
		return int64(values)*200 + int64(p)*300
	}
	values = countSeparators(x.Response.Body)
	for _, b := range []byte("\n\r") {
		events += bytes.Count(x.Response.Body, []byte{b})
	}
	weight := int64(min(values, maxJSONValues)) * 160
	if x.IsStream() {
		weight = int64(values)*160 + int64(events)*300
	}
	return weight
}

// countSeparators counts about how many values a JSON text has, if no text in it has such characters.
func countSeparators(body []byte) (values int) {
	for _, b := range []byte(",[{") {
		values += bytes.Count(body, []byte{b})
	}
	return values
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
	if x.Response.Prefixes != nil {
		for _, e := range x.Events() {
			if why := beyond(e.Document.Faults); why != "" {
				return why
			}
		}
		return ""
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
