package record

// An EventReader reads the events of a stream while it arrives: a Watch feeds it.
type EventReader interface {
	// Feed returns the events that the next bytes completed, those without data included.
	Feed(p []byte, at Instant) []Event
}

// NewSSEEventReader returns a reader of an event stream.
func NewSSEEventReader() EventReader { return &sseEvents{} }

// NewGRPCEventReader returns a reader of the messages that the gRPC method at a path answers with.
func NewGRPCEventReader(path string) EventReader {
	return &rpcReader{*NewGRPCReader("gzip"), path, 0} // of codings no other is known
}

type sseEvents struct{ SSEReader }

func (r *sseEvents) Feed(p []byte, at Instant) (out []Event) {
	for _, f := range r.SSEReader.Feed(p, at) {
		out = append(out, readEvent(f))
	}
	return out
}

type rpcReader struct {
	GRPCReader
	path string
	at   int
}

func (r *rpcReader) Feed(p []byte, at Instant) (out []Event) {
	for _, m := range r.GRPCReader.Feed(p, at) {
		e := rpcEvent(r.path, m, r.at)
		r.at = e.End
		out = append(out, e)
	}
	return out
}
