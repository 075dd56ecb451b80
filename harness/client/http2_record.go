package client

import (
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Who serves HTTP/2 records frames and fields as this package does, so that both directions are read alike.

// DescribeFrame returns what the record shows of a frame, apart from when it came; frame is nil if only its head came.
func DescribeFrame(head http2.FrameHeader, frame http2.Frame) record.HTTP2Frame {
	f := record.HTTP2Frame{Type: frameName(head.Type), Flags: uint8(head.Flags), Stream: head.StreamID, Length: head.Length}
	if frame != nil {
		describePayload(&f, frame)
	}
	return f
}

// NameErrorCode returns how the record calls an error code of HTTP/2.
func NameErrorCode(c http2.ErrCode) string { return codeName(c) }

// FormatFields writes fields as the lines that they are in HTTP/1.1. What cannot stand in a line is escaped.
func FormatFields(fields []hpack.HeaderField) []byte {
	return (&fieldBlock{fields: fields}).formatLines()
}

// FormatRequestHead writes fields as the head of a request.
func FormatRequestHead(fields []hpack.HeaderField) []byte {
	b := &fieldBlock{fields: fields}
	line := escapeLine(b.firstValue(":method"), true) + " " + escapeLine(b.firstValue(":path"), true) + " HTTP/2\r\n"
	return append(append([]byte(line), b.formatLines()...), "\r\n"...)
}

// FormatResponseHead writes fields as the head of a response.
func FormatResponseHead(fields []hpack.HeaderField) []byte {
	return (&fieldBlock{fields: fields}).responseHead()
}
