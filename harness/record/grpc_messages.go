package record

import "bytes"

// GRPCPrefix is what is recorded of a message apart from its payload: how it was announced,
// and what came of it.
type GRPCPrefix struct {
	At       Instant `json:"at"`       // arrival of its last byte
	Flag     uint8   `json:"flag"`     // 0 for a payload as it is, 1 for a compressed one; there are no others
	Declared int64   `json:"declared"` // bytes of payload, or -1 if the prefix itself was cut short
	Received int64   `json:"received"` // bytes of payload that came, as they came
	Size     int     `json:"size"`     // bytes of payload in the record, decompressed
	Fault    string  `json:"fault,omitempty"`
}

// Whole reports whether the message came in full.
func (p GRPCPrefix) Whole() bool { return p.Declared == p.Received }

// Sound reports whether the payload is what the sender meant.
func (p GRPCPrefix) Sound() bool { return p.Whole() && p.Fault == "" }

// GRPCMessage is a message of a gRPC call. Its payload is decompressed; it is empty
// if it could not be, and then there is a fault.
type GRPCMessage struct {
	GRPCPrefix
	Payload []byte
}

// takeGRPC makes the body of a message of the payloads that it holds.
func (m *Message) takeGRPC(coding string) (over string) {
	messages, over := ReadGRPC(m.Body, m.Chunks, coding)
	m.setMessages(messages)
	return over
}

// setMessages makes the body of some messages.
func (m *Message) setMessages(messages []GRPCMessage) {
	m.Body, m.Chunks, m.Prefixes = nil, nil, nil
	for _, one := range messages {
		m.Prefixes = append(m.Prefixes, one.GRPCPrefix)
		m.Body = append(m.Body, one.Payload...)
		if one.Size > 0 {
			m.Chunks = append(m.Chunks, Chunk{one.At, one.Size})
		}
	}
}

// GRPCMessages are the messages that a body of gRPC is made of; the last one may
// have been cut short.
func (m *Message) GRPCMessages() []GRPCMessage {
	var out []GRPCMessage
	left := m.Body
	for _, p := range m.Prefixes {
		n := min(max(p.Size, 0), len(left))
		out = append(out, GRPCMessage{p, left[:n:n]})
		left = left[n:]
	}
	return out
}

// keepMessages drops the messages that do not fit into so many bytes, and those
// after them.
func (m *Message) keepMessages(most int) {
	size := 0
	for i, p := range m.Prefixes {
		if size+p.Size > most || (i+1)*perPrefix > most {
			m.Prefixes = append([]GRPCPrefix(nil), m.Prefixes[:i]...)
			break
		}
		size += p.Size
	}
	m.Body = bytes.Clone(m.Body[:size])
	m.Chunks = nil
}

// perPrefix is about how many bytes a prefix takes in memory.
const perPrefix = 64

// ReplaceBodiesByGRPCPayloads replaces the bodies of an exchange of gRPC by the payloads of their messages.
// It asks mayDecode before it decompresses the response. It returns why it did not read to the
// end (a bound of ours), or an empty text.
func (x *Exchange) ReplaceBodiesByGRPCPayloads(mayDecode func() bool) (over string) {
	if IsGRPC(x.Request.MediaType()) && len(x.Request.Body) > 0 {
		if x.Dir != In {
			x.Request.Chunks = []Chunk{{x.Start, len(x.Request.Body)}}
		}
		x.Request.takeGRPC(x.Request.firstValue("Grpc-Encoding"))
		if x.Dir != In {
			x.Request.Chunks = nil // it was ours to send at once
		}
	}
	if !x.speaksGRPC() {
		return ""
	}
	coding := x.Response.firstValue("Grpc-Encoding")
	if coding != "" && coding != "identity" && !mayDecode() {
		x.Response.Framing.Cut = sha256Digest(x.Response.Body)
		x.Response.Body, x.Response.Chunks = nil, nil
		return "there was no time to decode its messages beside other large bodies"
	}
	return x.Response.takeGRPC(coding)
}
