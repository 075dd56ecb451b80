package wire

import (
	"fmt"
	"strings"

	"golang.org/x/net/http2"
)

// HTTP2 is what an exchange over HTTP/2 showed beside its messages (RFC 9113).
type HTTP2 struct {
	ALPN string `json:"alpn,omitempty"` // the protocol that the TLS handshake agreed on; "" for none, or no TLS
	// NoTLS says what came of the TLS that was tried first, where the call then went
	// out in plain: its URL left the choice open.
	NoTLS string `json:"noTLS,omitempty"`
	// Lost says what became of a connection that did not outlive the stream, which we
	// had given up.
	Lost   string       `json:"lost,omitempty"`
	Frames []HTTP2Frame `json:"frames"`
	Unkept int          `json:"unkept,omitempty"` // frames beside those, which were too many to keep
}

// HTTP2Frame is one frame as it was sent or received. What it carried is in the
// messages.
type HTTP2Frame struct {
	At     Instant `json:"at"`             // arrival of its last byte, or the moment before it was sent
	Sent   bool    `json:"sent,omitempty"` // by us
	Type   string  `json:"type"`           // its name, or its number as in 0xfa
	Flags  uint8   `json:"flags"`
	Stream uint32  `json:"stream"`
	Length uint32  `json:"length"`         // bytes of its payload, padding included
	Code   string  `json:"code,omitempty"` // why a stream or the connection was given up: its name, or its number
	Detail string  `json:"detail,omitempty"`
}

// Bounds on the frames of one exchange. A healthy one has about a dozen, and one
// more for each event of a stream.
const (
	maxFramesRead = 1 << 17
	maxFramesKept = 1 << 11
	maxEndsKept   = 1 << 6 // of those that begin or end something, beyond that
	maxFrameSize  = 1 << 20
	usualFrame    = 16 << 10 // what every peer takes (RFC 9113, section 4.2)
)

// keep adds a frame to the record, or counts it where there are too many.
func (h *HTTP2) keep(f HTTP2Frame) {
	ends := f.Type == http2.FrameHeaders.String() || f.Type == http2.FrameRSTStream.String() || f.Type == http2.FrameGoAway.String()
	if n := len(h.Frames); n < maxFramesKept || ends && n < maxFramesKept+maxEndsKept {
		h.Frames = append(h.Frames, f)
		return
	}
	h.Unkept++
}

// Ending is the frame by which the peer gave up the stream of the call, or the
// connection; nil if it did neither.
func (h *HTTP2) Ending() *HTTP2Frame {
	if h == nil {
		return nil
	}
	for i := len(h.Frames) - 1; i >= 0; i-- {
		f := &h.Frames[i]
		if !f.Sent && (f.Type == http2.FrameRSTStream.String() && f.Stream == ourStream || f.Type == http2.FrameGoAway.String()) {
			return f
		}
	}
	return nil
}

// frameName is how a type of frames is called.
func frameName(t http2.FrameType) string {
	if name := t.String(); !strings.HasPrefix(name, "UNKNOWN") {
		return name
	}
	return fmt.Sprintf("0x%02x", uint8(t))
}

// codeName is how an error code is called.
func codeName(c http2.ErrCode) string {
	if c <= http2.ErrCodeHTTP11Required {
		return c.String()
	}
	return fmt.Sprintf("0x%x", uint32(c))
}

// known writes down what a frame says beside its head.
func (f *HTTP2Frame) known(frame http2.Frame) {
	switch frame := frame.(type) {
	case *http2.SettingsFrame:
		var all []string
		for i := range min(frame.NumSettings(), 16) {
			all = append(all, frame.Setting(i).String())
		}
		f.Detail = strings.Map(func(r rune) rune {
			if r == '[' || r == ']' {
				return -1
			}
			return r
		}, strings.Join(all, ", "))
	case *http2.WindowUpdateFrame:
		f.Detail = fmt.Sprintf("%d bytes", frame.Increment)
	case *http2.RSTStreamFrame:
		f.Code = codeName(frame.ErrCode)
	case *http2.GoAwayFrame:
		f.Code = codeName(frame.ErrCode)
		f.Detail = fmt.Sprintf("last stream %d", frame.LastStreamID)
		if d := frame.DebugData(); len(d) > 0 {
			f.Detail += ", " + quoted(string(d))
		}
	}
}
