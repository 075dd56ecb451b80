package client

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// take acts on a frame.
func (h *h2call) take(frame http2.Frame) (record.Ended, error) {
	head := frame.Header()
	switch frame := frame.(type) {
	case *http2.SettingsFrame:
		if !frame.IsAck() {
			if err := h.writer.settings(frame); err != "" {
				return h.broken(http2.ErrCodeFlowControl, "%s", err)
			}
		}
	case *http2.PingFrame:
		if !frame.IsAck() {
			h.writer.control(http2.FramePing, http2.FlagPingAck, 0, frame.Data[:])
		}
	case *http2.WindowUpdateFrame:
		if (head.StreamID == 0 || head.StreamID == record.OurStream) && !h.writer.grow(head.StreamID, int64(frame.Increment)) {
			return h.broken(http2.ErrCodeFlowControl, "a window of flow control grows beyond 2^31-1 bytes")
		}
	case *http2.GoAwayFrame:
		h.goAway = codeName(frame.ErrCode)
		if frame.LastStreamID < record.OurStream {
			h.code = noError
			return record.Reset, fmt.Errorf("the server went away without taking the call: GOAWAY %s", h.goAway)
		}
	case *http2.RSTStreamFrame:
		if head.StreamID == record.OurStream {
			h.code = noError
			return record.Reset, fmt.Errorf("the server reset the stream: %s", codeName(frame.ErrCode))
		}
	case *http2.PushPromiseFrame:
		return h.broken(http2.ErrCodeProtocol, "the server pushes, and was told not to")
	case *http2.HeadersFrame:
		if head.StreamID != record.OurStream {
			return h.broken(http2.ErrCodeProtocol, "HEADERS came for stream %d, which nobody opened", head.StreamID)
		}
		h.block = &fieldBlock{end: frame.StreamEnded()}
		return h.fragment(frame.HeaderBlockFragment(), frame.HeadersEnded())
	case *http2.ContinuationFrame:
		return h.fragment(frame.HeaderBlockFragment(), frame.HeadersEnded())
	case *http2.DataFrame:
		if head.StreamID != record.OurStream {
			return h.broken(http2.ErrCodeProtocol, "DATA came for stream %d, which nobody opened", head.StreamID)
		}
		return h.data(frame)
	}
	return "", nil
}

// fragment reads a part of a block of header fields.
func (h *h2call) fragment(p []byte, last bool) (record.Ended, error) {
	b := h.block
	b.frames++
	if b.packed += len(p); b.frames > maxBlockFrames || b.packed > record.MaxHead {
		return record.Limit, fmt.Errorf("a block of header fields went on beyond %d frames or %d KiB", maxBlockFrames, record.MaxHead>>10)
	}
	_, err := h.fields.Write(p)
	if err == nil && last {
		err = h.fields.Close()
	}
	switch {
	case b.over || errors.Is(err, hpack.ErrStringLength):
		return record.Limit, fmt.Errorf("a block of header fields has more than %d KiB or %d fields", record.MaxHead>>10, record.MaxFields)
	case err != nil:
		return h.broken(http2.ErrCodeCompression, "a block of header fields cannot be unpacked: %v", err)
	case !last:
		return "", nil
	}
	h.block = nil
	return h.blockOver(b)
}

// blockOver takes a whole block: a head that comes before the head, the head, or the
// trailers.
func (h *h2call) blockOver(b *fieldBlock) (record.Ended, error) {
	n := b.status()
	switch {
	case h.headed:
		b.oddities(true, h.fault)
		if h.trailed {
			h.fault("trailers came twice")
		}
		if !b.end {
			h.fault("trailers came, and did not end the stream")
		}
		h.trailed = true
		if len(h.resp.Trailer)+b.size > record.MaxHead {
			return record.Limit, fmt.Errorf("trailers have more than %d KiB", record.MaxHead>>10)
		}
		h.resp.Trailer = append(h.resp.Trailer, b.lines()...)
	case n >= 100 && n < 200 && !b.end:
		if len(h.resp.Framing.Interim) < maxInterim {
			h.resp.Framing.Interim = append(h.resp.Framing.Interim, n)
		}
		return "", nil
	default:
		b.oddities(false, h.fault)
		h.headed = true
		h.resp.Head = b.responseHead()
		if !b.end {
			h.resp.Framing.Kind = "frames"
		}
		h.declared(b)
		if h.answered != nil {
			h.answered(h.resp.Header())
		}
	}
	if b.end {
		return h.ended()
	}
	return "", nil
}

func (h *h2call) declared(b *fieldBlock) {
	if v := b.value("content-length"); v != "" {
		var n int64
		if _, err := fmt.Sscanf(v, "%d", &n); err != nil || n < 0 || strings.Trim(v, "0123456789") != "" {
			h.fault("content-length is %s", record.Quote(v))
			return
		}
		h.resp.Framing.Declared = n
	}
}

// ended takes note of the end of the stream.
func (h *h2call) ended() (record.Ended, error) {
	h.over, h.code = true, noError
	if d := h.resp.Framing.Declared; d >= 0 && d != h.resp.Framing.Received {
		h.fault("content-length promises %d bytes, %d came", d, h.resp.Framing.Received)
	}
	return record.EOF, nil
}

// data takes a piece of the body.
func (h *h2call) data(frame *http2.DataFrame) (record.Ended, error) {
	if !h.headed {
		return h.broken(http2.ErrCodeProtocol, "DATA came before the head of the response")
	}
	if h.trailed {
		h.fault("DATA came after trailers")
	}
	if h.window += int64(frame.Length); h.window > ourWindow {
		h.fault("more came than the window of flow control has room for")
	}
	piece := frame.Data()
	h.resp.take(piece, h.arrived)
	total := len(h.resp.Body)
	enough := len(piece) > 0 && h.watch != nil && !h.watch(piece, h.arrived)
	switch {
	case frame.StreamEnded():
		return h.ended()
	case enough:
		return record.OurClose, nil
	case total > record.MaxBody:
		return record.Limit, fmt.Errorf("the body went beyond %d MiB and was read no further", record.MaxBody>>20)
	case total > largeBody && !h.room.enter():
		return record.Limit, fmt.Errorf("the body went beyond %d MiB while others did, and there was no time to read it", largeBody>>20)
	}
	if h.window >= ourWindow/2 {
		h.writer.renew(uint32(min(h.window, ourWindow)))
		h.window = 0
	}
	return "", nil
}
