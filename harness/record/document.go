package record

import (
	"slices"
	"sync"
)

// Document is a text read as JSON: its value, and what a strict reader minds.
type Document struct {
	Root   *Node // nil if the text is not JSON
	Faults []JSONFault
}

// Event is one event of a stream: its frame and the JSON in its data.
type Event struct {
	Frame
	Document
}

// readEvent reads the data of a frame as JSON, if it has some.
func readEvent(f Frame) Event {
	e := Event{Frame: f}
	if f.HasData {
		e.Root, e.Document.Faults = ObserveJSON([]byte(f.Data))
	}
	return e
}

type observed struct {
	start       sync.Once // of the response, as it is asked for most often
	status      int
	answered    bool
	media       string
	reply, call sync.Once
	like        sync.Once // whether it reads like a stream of events
	likeEvents  bool
	stream      sync.Once
	replyDoc    Document
	replyText   []byte
	callDoc     Document
	events      []Event
	rest        *Frame
	rpc         sync.Once
	grpc        *GRPC
}

// observeStatusAndMediaType reads the beginning of the response.
func (x *Exchange) observeStatusAndMediaType() *observed {
	x.observed.start.Do(func() {
		x.observed.status, x.observed.answered = x.Response.StatusCode()
		x.observed.media = x.Response.MediaType()
	})
	return &x.observed
}

// Reply is the response body read as JSON: of gRPC the error, or the first message.
func (x *Exchange) Reply() *Document {
	x.observed.reply.Do(func() {
		if g := x.GRPC(); g != nil {
			x.observed.replyText, x.observed.replyDoc = x.rpcReply(g)
			return
		}
		x.observed.replyDoc.Root, x.observed.replyDoc.Faults = ObserveJSON(x.Response.Body)
	})
	return &x.observed.replyDoc
}

// Call is the request body read as JSON: of gRPC the first message.
func (x *Exchange) Call() *Document {
	x.observed.call.Do(func() {
		if x.HTTP2 != nil && IsGRPC(x.Request.MediaType()) {
			_, x.observed.callDoc = x.rpcCall()
			return
		}
		x.observed.callDoc.Root, x.observed.callDoc.Faults = ObserveJSON(x.Request.Body)
	})
	return &x.observed.callDoc
}

// Events are the frames of a response that is an event stream, those without
// data included; the last one may be incomplete and is then in Rest. Of gRPC they are
// the messages, and the error if the stream ended with one; their offsets are those
// in the body, and what is in Data is the message as JSON.
func (x *Exchange) Events() []Event {
	x.observed.stream.Do(func() {
		if !x.IsStream() {
			return
		}
		if g := x.GRPC(); g != nil {
			x.observed.events, x.observed.rest = x.rpcEvents(g)
			return
		}
		frames, rest := ReadSSE(x.Response.Body, x.Response.Chunks)
		x.observed.rest = rest
		x.observed.events = make([]Event, len(frames))
		for i, f := range frames {
			x.observed.events[i] = readEvent(f)
		}
	})
	return x.observed.events
}

// Rest is the incomplete block at the end of a stream, which a client drops.
func (x *Exchange) Rest() *Frame {
	x.Events()
	return x.observed.rest
}

// Splice returns a copy of the exchange in which the response body's bytes from
// start to end are replaced. Arrival times stay: the chunk that held the last
// replaced byte grows or shrinks.
func (x *Exchange) Splice(start, end int, with []byte) *Exchange {
	y := x.copyWithoutObservations()
	old := x.Response
	y.Response.Body = slices.Concat(old.Body[:start], with, old.Body[end:])
	delta := len(with) - (end - start)
	y.Response.Framing.Received += int64(delta)
	if old.Framing.Declared >= 0 {
		y.Response.Framing.Declared = max(0, old.Framing.Declared+int64(delta))
	}
	y.Response.Chunks = nil
	at, booked := 0, false // offset of the chunk in the old body
	for _, c := range old.Chunks {
		gone := max(0, min(end, at+c.N)-max(start, at))
		n := c.N - gone
		if !booked && end <= at+c.N {
			n += len(with)
			booked = true
		}
		if n > 0 {
			y.Response.Chunks = append(y.Response.Chunks, Chunk{c.At, n})
		}
		at += c.N
	}
	return y
}

func (x *Exchange) copyWithoutObservations() *Exchange {
	return &Exchange{ID: x.ID, Dir: x.Dir, URL: x.URL, Conn: x.Conn, Start: x.Start, End: x.End, Ended: x.Ended,
		Trouble: x.Trouble, Request: x.Request, Response: x.Response, TLS: x.TLS, HTTP2: x.HTTP2, Gaps: x.Gaps}
}
