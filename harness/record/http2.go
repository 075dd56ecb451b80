package record

// HTTP2 is what an exchange over HTTP/2 showed apart from its messages (RFC 9113).
type HTTP2 struct {
	ALPN string `json:"alpn,omitempty"` // the protocol that the TLS handshake agreed on; "" for none, or no TLS
	// NoTLS is the error of the TLS that was tried first, if the call then went
	// out in plain: its URL left the choice open.
	NoTLS string `json:"noTLS,omitempty"`
	// Lost is the error of a connection that did not outlive the stream, which we
	// had given up.
	Lost   string       `json:"lost,omitempty"`
	Frames []HTTP2Frame `json:"frames"`
	Unkept int          `json:"unkept,omitempty"` // further frames, which were too many to keep
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

// Ending is the frame by which the peer gave up the stream of the call, or the
// connection; nil if it did neither.
func (h *HTTP2) Ending() *HTTP2Frame {
	if h == nil {
		return nil
	}
	for i := len(h.Frames) - 1; i >= 0; i-- {
		f := &h.Frames[i]
		if !f.Sent && (f.Type == "RST_STREAM" && f.Stream == OurStream || f.Type == "GOAWAY") {
			return f
		}
	}
	return nil
}

// OurStream is the number of the one stream that a connection carries.
const OurStream = 1
