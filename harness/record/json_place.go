package record

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Describe returns the place of a fault in a text, and what it is. Lines and columns are counted
// from 1, and columns in characters.
func (f JSONFault) Describe(text []byte) string {
	if f.Kind == FaultEmpty {
		return "it is empty"
	}
	before := text[:min(max(f.Offset, 0), len(text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("line %d, column %d: %s", line, column, f.Detail)
}

// BrokenJSON returns why a body that claims to be JSON is none, by its media type or its first
// character; "" if it is JSON, or claims nothing of the kind.
func (x *Exchange) BrokenJSON() string {
	if x == nil || !x.ClaimsJSON() {
		return ""
	}
	reply := x.Reply()
	if reply.Root != nil {
		return ""
	}
	for _, f := range reply.Faults {
		switch f.Kind {
		case FaultEmpty, FaultNotJSON:
			return f.Describe(x.Response.Body)
		}
	}
	return ""
}

// ClaimsJSON reports whether a body is labelled as JSON, or begins as an object or a list.
func (x *Exchange) ClaimsJSON() bool {
	kind := x.Response.MediaType()
	if kind == "application/json" || kind == "text/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json") {
		return true
	}
	begin := bytes.TrimLeft(bytes.TrimPrefix(x.Response.Body, bom), " \t\r\n")
	return len(begin) > 0 && (begin[0] == '{' || begin[0] == '[')
}
