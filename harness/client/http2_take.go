package client

import (
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// dispatchFrame acts on a frame.
func (h *http2Call) dispatchFrame(frame http2.Frame) (record.Ended, error) {
	head := frame.Header()
	switch frame := frame.(type) {
	case *http2.SettingsFrame:
		if !frame.IsAck() {
			if err := h.writer.applyAndAcknowledgeSettings(frame); err != "" {
				return h.recordFaultReturningReset(http2.ErrCodeFlowControl, "%s", err)
			}
		}
	case *http2.PingFrame:
		if !frame.IsAck() {
			h.writer.sendControlFrame(http2.FramePing, http2.FlagPingAck, 0, frame.Data[:])
		}
	case *http2.WindowUpdateFrame:
		if (head.StreamID == 0 || head.StreamID == record.OurStream) && !h.writer.growWindow(head.StreamID, int64(frame.Increment)) {
			return h.recordFaultReturningReset(http2.ErrCodeFlowControl, "a window of flow control grows beyond 2^31-1 bytes")
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
		return h.recordFaultReturningReset(http2.ErrCodeProtocol, "the server pushes, and was told not to")
	case *http2.HeadersFrame:
		if head.StreamID != record.OurStream {
			return h.recordFaultReturningReset(http2.ErrCodeProtocol, "HEADERS came for stream %d, which nobody opened", head.StreamID)
		}
		h.block = &fieldBlock{end: frame.StreamEnded()}
		return h.readHeaderFragment(frame.HeaderBlockFragment(), frame.HeadersEnded())
	case *http2.ContinuationFrame:
		return h.readHeaderFragment(frame.HeaderBlockFragment(), frame.HeadersEnded())
	case *http2.DataFrame:
		if head.StreamID != record.OurStream {
			return h.recordFaultReturningReset(http2.ErrCodeProtocol, "DATA came for stream %d, which nobody opened", head.StreamID)
		}
		return h.receiveBodyData(frame)
	}
	return "", nil
}

// readHeaderFragment reads a part of a block of header fields.
func (h *http2Call) readHeaderFragment(p []byte, last bool) (record.Ended, error) {
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
		return h.recordFaultReturningReset(http2.ErrCodeCompression, "a block of header fields cannot be unpacked: %v", err)
	case !last:
		return "", nil
	}
	h.block = nil
	return h.storeBlockAndRecordFaults(b)
}

// storeBlockAndRecordFaults takes a whole block: a head that comes before the head, the head, or the
// trailers.
func (h *http2Call) storeBlockAndRecordFaults(b *fieldBlock) (record.Ended, error) {
	n := b.statusCode()
	switch {
	case h.headed:
		b.findFaults(true, h.addFault)
		if h.trailed {
			h.addFault("trailers came twice")
		}
		if !b.end {
			h.addFault("trailers came, and did not end the stream")
		}
		h.trailed = true
		if len(h.resp.Trailer)+b.size > record.MaxHead {
			return record.Limit, fmt.Errorf("trailers have more than %d KiB", record.MaxHead>>10)
		}
		h.resp.Trailer = append(h.resp.Trailer, b.formatLines()...)
	case n >= 100 && n < 200 && !b.end:
		if len(h.resp.Framing.Interim) < maxInterim {
			h.resp.Framing.Interim = append(h.resp.Framing.Interim, n)
		}
		return "", nil
	default:
		b.findFaults(false, h.addFault)
		h.headed = true
		h.resp.Head = b.responseHead()
		if !b.end {
			h.resp.Framing.Kind = "frames"
		}
		h.readContentLength(b)
		if h.answered != nil {
			h.answered(h.resp.Header())
		}
	}
	if b.end {
		return h.recordStreamEnd()
	}
	return "", nil
}

func (h *http2Call) readContentLength(b *fieldBlock) {
	if v := b.firstValue("content-length"); v != "" {
		n, err := strconv.ParseUint(v, 10, 63)
		if err != nil {
			h.addFault("content-length is %s", record.QuoteOrDescribeLength(v))
			return
		}
		h.resp.Framing.Declared = int64(n)
	}
}

// recordStreamEnd takes note of the end of the stream.
func (h *http2Call) recordStreamEnd() (record.Ended, error) {
	h.over, h.code = true, noError
	if d := h.resp.Framing.Declared; d >= 0 && d != h.resp.Framing.Received {
		h.addFault("content-length promises %d bytes, %d came", d, h.resp.Framing.Received)
	}
	return record.EOF, nil
}

// receiveBodyData takes a piece of the body.
func (h *http2Call) receiveBodyData(frame *http2.DataFrame) (record.Ended, error) {
	if !h.headed {
		return h.recordFaultReturningReset(http2.ErrCodeProtocol, "DATA came before the head of the response")
	}
	if h.trailed {
		h.addFault("DATA came after trailers")
	}
	if h.window += int64(frame.Length); h.window > ourWindow {
		h.addFault("more came than the window of flow control has room for")
	}
	piece := frame.Data()
	h.resp.AppendBody(piece, h.arrived)
	enough := len(piece) > 0 && h.watch != nil && !h.watch(piece, h.arrived)
	switch {
	case frame.StreamEnded():
		return h.recordStreamEnd()
	case enough:
		return record.OurClose, nil
	}
	if err := h.room.admit(len(h.resp.Body)); err != nil {
		return record.Limit, err
	}
	if h.window >= ourWindow/2 {
		h.writer.renewWindows(uint32(min(h.window, ourWindow)))
		h.window = 0
	}
	return "", nil
}
