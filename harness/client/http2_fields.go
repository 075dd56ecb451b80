package client

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// fieldBlock is a block of header fields while it is read: a head, or trailers.
type fieldBlock struct {
	fields []hpack.HeaderField
	size   int  // of the names and values
	over   bool // there were more than are kept
	packed int  // bytes of the block as it travelled
	frames int  // of the block
	end    bool // the stream ends with it
}

// maxBlockFrames bounds the frames of one block: each of them may be empty.
const maxBlockFrames = 1 << 12

func (b *fieldBlock) addField(f hpack.HeaderField) {
	if b.size += len(f.Name) + len(f.Value) + 4; b.size > record.MaxHead || len(b.fields) == record.MaxFields {
		b.over = true
		return
	}
	b.fields = append(b.fields, f)
}

// firstValue is the first value of a name.
func (b *fieldBlock) firstValue(name string) string {
	for _, f := range b.fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// statusCode is the code that the block states, or 0.
func (b *fieldBlock) statusCode() int {
	if v := b.firstValue(":status"); len(v) == 3 && strings.Trim(v, "0123456789") == "" {
		n, _ := strconv.Atoi(v)
		return n
	}
	return 0
}

// formatLines writes the fields as the lines that they are in HTTP/1.1, so that both
// versions are read alike. What cannot stand in a line is escaped as in Go.
func (b *fieldBlock) formatLines() []byte {
	out := make([]byte, 0, b.size+4*len(b.fields))
	for _, f := range b.fields {
		pseudo, name := "", f.Name
		if strings.HasPrefix(name, ":") {
			pseudo, name = ":", name[1:]
		}
		out = fmt.Appendf(out, "%s%s: %s\r\n", pseudo, escapeLine(name, true), escapeLine(f.Value, false))
	}
	return out
}

func escapeLine(s string, name bool) string {
	bad := func(c byte) bool {
		return c < ' ' && (c != '\t' || name) || c == 0x7f || name && (c == ':' || c == ' ')
	}
	var out []byte
	for i := range len(s) {
		if bad(s[i]) {
			if out == nil {
				out = append(out, s[:i]...)
			}
			out = fmt.Appendf(out, `\x%02x`, s[i])
		} else if out != nil {
			out = append(out, s[i])
		}
	}
	if out == nil {
		return s
	}
	return string(out)
}

// responseHead writes a block as the head of a response.
func (b *fieldBlock) responseHead() []byte {
	line := "HTTP/2"
	if v := b.firstValue(":status"); v != "" {
		line += " " + escapeLine(v, true)
	}
	return fmt.Appendf([]byte(line+"\r\n"), "%s\r\n", b.formatLines())
}

// findFaults finds what a block of fields must not have (RFC 9113, sections 8.2 and
// 8.3).
func (b *fieldBlock) findFaults(trailers bool, fault func(format string, args ...any)) {
	seen, plain := map[string]bool{}, false
	for _, f := range b.fields {
		switch {
		case strings.HasPrefix(f.Name, ":"):
			switch {
			case trailers:
				fault("the trailers have the pseudo-header field %s", record.QuoteOrDescribeLength(f.Name))
			case f.Name != ":status":
				fault("a response has the pseudo-header field %s", record.QuoteOrDescribeLength(f.Name))
			case plain:
				fault(":status comes after other fields")
			case seen[f.Name]:
				fault(":status is given twice")
			}
			seen[f.Name] = true
			continue
		case !httpguts.ValidHeaderFieldName(f.Name):
			fault("%s is no name of a field", record.QuoteOrDescribeLength(f.Name))
		case f.Name != strings.ToLower(f.Name):
			fault("the name of the field %s is not in small letters", record.QuoteOrDescribeLength(f.Name))
		case !httpguts.ValidHeaderFieldValue(f.Value):
			fault("the field %s has a character that no field can have", record.QuoteOrDescribeLength(f.Name))
		case f.Name == "connection", f.Name == "transfer-encoding", f.Name == "keep-alive", f.Name == "upgrade", f.Name == "proxy-connection":
			fault("the field %s is about a connection of HTTP/1.1", f.Name)
		}
		plain = true
	}
	if v := b.firstValue(":status"); !trailers && !seen[":status"] {
		fault("the response has no :status")
	} else if n := b.statusCode(); !trailers && (n < 100 || n > 599) {
		fault("the status is %s, and HTTP has those from 100 to 599", record.QuoteOrDescribeLength(v))
	}
}
