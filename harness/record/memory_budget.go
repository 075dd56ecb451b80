package record

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"
)

// Estimates of memory, in bytes.
const (
	perFrame  = 128     // for a frame of HTTP/2
	perRecord = 1 << 10 // for an exchange without its messages
	perField  = 128     // for a header field without its text
)

// MemoryBudget is what the exchanges of a run, or of a file, take in memory.
type MemoryBudget struct{ kept, weight atomic.Int64 }

// countExchange counts an exchange, and returns the sums with it.
func (h *MemoryBudget) countExchange(x *Exchange) (totalKept, totalWeight int64) {
	return h.kept.Add(x.EstimatedUnparsedMemorySize()), h.weight.Add(x.Weight())
}

func (h *MemoryBudget) uncountExchange(x *Exchange) {
	h.kept.Add(-x.EstimatedUnparsedMemorySize())
	h.weight.Add(-x.Weight())
}

// Even small answers are kept in full up to here only, so that their number is
// no way around the bounds.
const (
	mostKept   = MaxKept + MaxKept/2
	mostWeight = MaxWeight + MaxWeight/4
)

// describeExceededBound returns in words which bound a file goes beyond; "" if it goes beyond none.
// What a run kept is within them, but for the little that remains of each exchange
// once they are reached.
func (h *MemoryBudget) describeExceededBound() string {
	const little = MaxKept / 4
	switch {
	case h.kept.Load() > mostKept+little:
		return fmt.Sprintf("its exchanges have more than %d MiB", (mostKept+little)>>20)
	case h.weight.Load() > mostWeight+little:
		return fmt.Sprintf("the values and events of its exchanges take more than %d MiB", (mostWeight+little)>>20)
	}
	return ""
}

// CutBeforeRedaction cuts what will not be kept before secrets are looked for in it, and leaves
// a margin, so that none is halved.
func (h *MemoryBudget) CutBeforeRedaction(x *Exchange) {
	m := &x.Response
	if len(m.Head)+len(m.Body)+len(m.Trailer)+perPrefix*len(m.Prefixes) <= CutHead+CutTail+2*CutMargin {
		return
	}
	defer func() { x.observed = observed{} }() // what was seen of it so far was not redacted
	switch {
	case x.Ended == Limit:
	case len(m.Body) > MaxBody: // The timeout came between two reads, and the connection had read ahead.
		x.Ended, x.Trouble = Limit, BeyondBody
	default:
		weight := x.Weight()
		if h.kept.Load()+x.EstimatedUnparsedMemorySize() <= MaxKept && (weight <= MaxWeight/512 || h.weight.Load()+weight <= MaxWeight) {
			return
		}
		x.Ended, x.Trouble = Limit, beyondRun
	}
	if len(m.Body) > CutHead+CutTail+2*CutMargin {
		m.Framing.Cut = sha256Digest(m.Body)
		if m.Prefixes != nil {
			m.keepMessages(CutHead + CutMargin)
		} else if x.IsStream() {
			m.Body = firstBytes(m.Body, CutHead+CutMargin)
		} else {
			m.Body = slices.Concat(m.Body[:CutHead+CutMargin], m.Body[len(m.Body)-CutTail-CutMargin:])
		}
		m.Chunks = nil
	}
	m.Head, m.Trailer = firstBytes(m.Head, CutHead+CutMargin), firstBytes(m.Trailer, CutHead+CutMargin)
}

// firstBytes is the beginning of a text that is longer than most bytes, apart from the rest, so that the memory of
// that is given back.
func firstBytes(text []byte, most int) []byte {
	if len(text) <= most {
		return text
	}
	return bytes.Clone(text[:most])
}

// BeyondBody is why a body was read no further.
var BeyondBody = fmt.Sprintf("the body went beyond %d MiB and was read no further", MaxBody>>20)

var beyondRun = fmt.Sprintf("the run had kept as much of what was said as it can (%d MiB, or as many values and events as take %d MiB); of this exchange only a part", MaxKept>>20, MaxWeight>>20)

// CountAndCutExchange counts an exchange, and keeps the beginning and the end of a body that is too large to keep, or
// beyond what is taken apart.
func (h *MemoryBudget) CountAndCutExchange(x *Exchange) {
	m := &x.Response
	if x.Ended == Limit {
		m.Head, m.Trailer = firstBytes(m.Head, CutHead), firstBytes(m.Trailer, CutHead)
	}
	kept, weights := h.countExchange(x)
	weight := x.Weight()
	trouble := ""
	switch {
	case x.Ended == Limit:
		trouble = x.Trouble
	case kept > MaxKept && len(m.Head)+len(m.Body) > CutHead+CutTail, weights > MaxWeight && weight > MaxWeight/512,
		kept > mostKept, weights > mostWeight:
		trouble = beyondRun
	default:
		if trouble = x.describeJSONLimitHit(); trouble == "" {
			if spare := cap(m.Body) - len(m.Body); spare > CutHead && spare > len(m.Body)/8 {
				m.Body = bytes.Clone(m.Body) // what it grew beyond its need is given back
			}
			return
		}
	}
	h.uncountExchange(x)
	x.truncate(CutHead, CutTail)
	if kept, weights := h.countExchange(x); kept > mostKept || weights > mostWeight {
		h.uncountExchange(x)
		x.truncate(CutSmall, 0)
		x.Response.Body, x.Response.Prefixes = nil, nil
		h.countExchange(x)
	}
	x.Ended, x.Trouble = Limit, trouble
}

// truncate keeps head and tail of the body; of an event stream the whole events at
// its beginning, so that nothing is taken for an event that was none. Of what we
// sent as much is kept.
func (x *Exchange) truncate(head, tail int) {
	stream := x.IsStream()
	x.observed = observed{}
	m := &x.Response
	if m.Framing.Cut == "" {
		m.Framing.Cut = sha256Digest(m.Body)
	}
	m.Head, m.Trailer = firstBytes(m.Head, head), firstBytes(m.Trailer, head)
	switch {
	case m.Prefixes != nil:
		m.keepMessages(head)
		stream = false
	case len(m.Body) <= head+tail:
	case stream:
		m.Body = firstBytes(m.Body, head)
	default:
		m.Body = slices.Concat(m.Body[:head], m.Body[len(m.Body)-tail:])
	}
	if q := &x.Request; len(q.Body) > head {
		q.Framing.Cut, q.Chunks = sha256Digest(q.Body), nil
		if q.Prefixes != nil {
			q.keepMessages(head)
		} else {
			q.Body = firstBytes(q.Body, head)
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

// EstimatedUnparsedMemorySize is about how many bytes of memory an exchange takes before it is read.
func (x *Exchange) EstimatedUnparsedMemorySize() int64 {
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

// Weight is about how many bytes of memory the values and events of a response
// take once they are read, or the values of a delivery.
func (x *Exchange) Weight() int64 {
	if x.Dir == In {
		return int64(min(countAny(x.Request.Body, separators), MaxJSONValues)) * 160
	}
	if p := len(x.Response.Prefixes); p > 0 {
		values := 0
		for _, m := range x.Response.GRPCMessages() {
			values += countFields(m.Payload)
		}
		return int64(values)*200 + int64(p)*300
	}
	values := countAny(x.Response.Body, separators)
	if x.IsStream() {
		return int64(values)*160 + int64(countAny(x.Response.Body, "\n\r"))*300
	}
	return int64(min(values, MaxJSONValues)) * 160
}

// separators are about as many as a JSON text has values, if no text in it has such characters.
const separators = ",[{"

// countAny counts the bytes of a text that are one of some.
func countAny(text []byte, chars string) (n int) {
	for _, c := range []byte(chars) {
		n += bytes.Count(text, []byte{c})
	}
	return n
}

// describeJSONLimitHit returns why a response that may well be JSON could not be taken apart:
// limits of ours, which prove nothing against the server.
func (x *Exchange) describeJSONLimitHit() string {
	const few = 1 << 10 // bytes that cannot hold too much
	opened := bytes.Count(x.Response.Body, []byte("[")) + bytes.Count(x.Response.Body, []byte("{"))
	little := opened <= maxJSONDepth && bytes.Count(x.Response.Body, []byte(",")) <= MaxJSONValues-opened
	var faults []JSONFault
	switch {
	case len(x.Response.Body) < few:
	case !x.IsStream():
		faults = x.Reply().Faults
	case x.Response.Prefixes != nil || !little:
		for _, e := range x.Events() {
			faults = append(faults, e.Document.Faults...)
		}
	}
	for _, f := range faults {
		if f.Kind == FaultTooDeep || f.Kind == FaultTooLarge {
			return "its JSON has " + f.Detail
		}
	}
	return ""
}

// CountAndCutDelivery counts a delivery, and cuts one that is kept only in part from here on, if at all: it is too long
// itself, or the run had kept too much of others.
func (h *MemoryBudget) CountAndCutDelivery(x *Exchange) {
	const most = MaxDelivered >> 20
	size, weight := h.countExchange(x)
	fields := bytes.Count(x.Request.Head, []byte{'\n'})
	switch {
	case x.Ended == Limit:
	case fields > MaxFields:
		x.Ended, x.Trouble = Limit, fmt.Sprintf("the delivery has more than %d header fields, of which only the first are kept", MaxFields)
	case size > MaxDelivered && len(x.Request.Head)+len(x.Request.Body) > CutSmall:
		x.Ended, x.Trouble = Limit, fmt.Sprintf("the run had kept %d MiB of deliveries; of this one only a part", most)
	case weight > MaxDeliveredWeight && len(x.Request.Body) > CutSmall:
		x.Ended, x.Trouble = Limit, fmt.Sprintf("the run had kept as many values of deliveries as take %d MiB; of this one only a part", MaxDeliveredWeight>>20)
	default:
		return
	}
	h.uncountExchange(x)
	head, body := len(x.Request.Head), CutHead
	if h.kept.Load() > MaxDelivered {
		head, body = CutSmall, CutSmall
	} else if weight > MaxDeliveredWeight { // a few bytes may be many values
		body = CutSmall
	} else if fields > MaxFields {
		head = CutSmall
	}
	x.Request.Head = firstBytes(x.Request.Head, head)
	x.Request.Framing.Cut = sha256Digest(x.Request.Body)
	first := x.Start
	if len(x.Request.Chunks) > 0 {
		first = x.Request.Chunks[0].At
	}
	if x.Request.Prefixes != nil {
		x.Request.keepMessages(body)
	} else {
		x.Request.Body = firstBytes(x.Request.Body, body)
	}
	if h2 := x.HTTP2; h2 != nil && len(h2.Frames) > body/perFrame {
		x.HTTP2 = &HTTP2{ALPN: h2.ALPN, Frames: slices.Clone(h2.Frames[:body/perFrame]), Unkept: h2.Unkept + len(h2.Frames) - body/perFrame}
	}
	if n := len(x.Request.Body); n > 0 {
		x.Request.Chunks = []Chunk{{first, n}}
	}
	x.observed = observed{}
	h.countExchange(x)
}

// HeadKept reports whether the header fields of a delivery are recorded in full.
func (x *Exchange) HeadKept() bool {
	return x.Ended != Limit || bytes.HasSuffix(x.Request.Head, []byte("\n\r\n")) || bytes.HasSuffix(x.Request.Head, []byte("\n\n"))
}
