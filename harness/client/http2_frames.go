package client

import (
	"fmt"
	"strings"

	"golang.org/x/net/http2"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Bounds on the frames of one exchange. A healthy one has about a dozen, and one
// more for each event of a stream.
const (
	maxFramesRead = 1 << 17
	maxFramesKept = 1 << 11
	maxEndsKept   = 1 << 6 // of those that begin or end something, beyond that
	maxFrameSize  = 1 << 20
	usualFrame    = 16 << 10 // what every peer takes (RFC 9113, section 4.2)
)

// appendOrCountFrame adds a frame to a record, or counts it if there are too many.
func appendOrCountFrame(h *record.HTTP2, f record.HTTP2Frame) {
	ends := f.Type == http2.FrameHeaders.String() || f.Type == http2.FrameRSTStream.String() || f.Type == http2.FrameGoAway.String()
	if n := len(h.Frames); n < maxFramesKept || ends && n < maxFramesKept+maxEndsKept {
		h.Frames = append(h.Frames, f)
		return
	}
	h.Unkept++
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

// brackets takes out what a setting has around it.
var brackets = strings.NewReplacer("[", "", "]", "")

// describePayload records what the payload of a control frame states.
func describePayload(f *record.HTTP2Frame, frame http2.Frame) {
	switch frame := frame.(type) {
	case *http2.SettingsFrame:
		var all []string
		for i := range min(frame.NumSettings(), 16) {
			all = append(all, frame.Setting(i).String())
		}
		f.Detail = brackets.Replace(strings.Join(all, ", "))
	case *http2.WindowUpdateFrame:
		f.Detail = fmt.Sprintf("%d bytes", frame.Increment)
	case *http2.RSTStreamFrame:
		f.Code = codeName(frame.ErrCode)
	case *http2.GoAwayFrame:
		f.Code = codeName(frame.ErrCode)
		f.Detail = fmt.Sprintf("last stream %d", frame.LastStreamID)
		if d := frame.DebugData(); len(d) > 0 {
			f.Detail += ", " + record.QuoteOrDescribeLength(string(d))
		}
	}
}

// Windows of flow control that we give: of the stream and of the connection.
const ourWindow = 1 << 20

// Why we give up a stream.
const (
	ourCancel = http2.ErrCodeCancel
	noError   = http2.ErrCodeNo
)
