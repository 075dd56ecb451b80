package malformed

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/schema"
)

// ProbeEncoder writes the calls of a block's probes.
type ProbeEncoder struct {
	*conversation.Conversation
	Block string
}

// Encode writes the call of a probe. One that bends what the binding does not have is
// not made.
func (e ProbeEncoder) Encode(s *conversation.Step, p schema.Probe, o dialect.Outgoing) (call client.Call, ok bool) {
	c := e.Conversation
	request, err := Bent(p, c.Request(p.Name, s.Op, o))
	if err == nil {
		call, err = c.EncodeStepWithAlternativeRoutes(s, request)
	}
	switch {
	case errors.Is(err, binding.ErrNotSayable):
		c.RecordInexpressibleStep(*s, err.Error())
		return call, false
	case err == nil && c.UsesProtobuf() && (p.Raw != nil || p.Method != "" || p.Headers["Content-Type"] != ""):
		c.RecordInexpressibleStep(*s, "gRPC has no such call")
		return call, false
	case err == nil && len(call.Body) == 0 && (p.Raw != nil || p.Headers["Content-Type"] != ""):
		c.RecordInexpressibleStep(*s, "such a call has no body in this binding")
		return call, false
	case err != nil:
		panic(fmt.Sprintf("probe %s/%s: %v", e.Block, p.Name, err))
	case p.Raw != nil:
		call.Body = []byte(FillNewIDs(c, *p.Raw))
	}
	return call, true
}

// NewProbeEncoder returns an encoder for the probes of the named block.
func NewProbeEncoder(c *conversation.Conversation, block string) ProbeEncoder {
	return ProbeEncoder{c, block}
}

// probeHeaders are those of a probe alongside the usual ones; an empty one leaves the
// usual one out. A name in small or in capital letters alone is sent as it is written.
func ProbeHeaders(c *conversation.Conversation, p schema.Probe) http.Header {
	if len(p.Headers) == 0 {
		return nil
	}
	h := http.Header{}
	for k, v := range p.Headers {
		switch name := http.CanonicalHeaderKey(k); {
		case v == "":
			h[name] = nil
		case v == schema.EmptyValue:
			h[name] = []string{""}
		case k == strings.ToLower(k), k == strings.ToUpper(k):
			h[k] = []string{FillNewIDs(c, v)}
		default:
			h[name] = []string{FillNewIDs(c, v)}
		}
	}
	return h
}

// fillNewIDs is a text with new ids in its blanks.
func FillNewIDs(c *conversation.Conversation, text string) string {
	for strings.Contains(text, schema.NewID) {
		text = strings.Replace(text, schema.NewID, c.NewID(), 1)
	}
	return text
}
