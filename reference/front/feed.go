package front

import (
	"bytes"
	"fmt"
	"net/http"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A feed carries a stream to its reader in the form of a binding.
type feed interface {
	begin(*Reply)      // sends the head
	keep(*StreamEvent) // takes an event with what the mutant added
	flush()            // sends what was taken
}

// feed is the way to the client that a stream is for.
func (s *Server) feed(w http.ResponseWriter, x *Reply) feed {
	if x.rpc != nil {
		return &parcels{rpc: x.rpc}
	}
	return &events{w: w, out: http.NewResponseController(w)}
}

// events are a stream of server-sent events.
type events struct {
	w    http.ResponseWriter
	out  *http.ResponseController
	kept bytes.Buffer
}

func (e *events) begin(x *Reply) {
	if x.Server.Variant.Lavish {
		x.decorate()
	}
	for name, values := range x.Header {
		e.w.Header()[name] = values
	}
	e.w.WriteHeader(x.Status)
	if x.Server.Variant.Lavish {
		fmt.Fprint(e.w, ": welcome\r\nretry: 3000\r\n\r\n")
	}
	e.out.Flush()
}

func (e *events) keep(f *StreamEvent) { e.kept.WriteString(f.Reply.Server.event(f)) }

func (e *events) flush() {
	e.w.Write(e.kept.Bytes())
	e.kept.Reset()
	e.out.Flush()
}

// parcels are a stream of messages, with the status at its end.
type parcels struct {
	rpc  *rpc
	kept []*GRPCMessage
	over bool // an error was among them
}

func (p *parcels) begin(x *Reply) {
	p.rpc.head(x)
	p.rpc.stream.SendHeader(nil)
	p.rpc.end = status.New(codes.OK, "")
}

func (p *parcels) keep(f *StreamEvent) {
	bodies := f.After
	if !f.Skip {
		bodies = append([]any{f.Body}, bodies...)
	}
	for _, body := range bodies {
		p.kept = append(p.kept, p.rpc.parcel(f.Reply, body))
	}
}

func (p *parcels) flush() {
	for _, parcel := range p.kept {
		if !p.over {
			p.rpc.send(parcel)
			p.over = parcel.Failure != nil
		}
	}
	p.kept = nil
}
