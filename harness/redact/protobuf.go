package redact

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Protobuf has the length of everything, and a reader without its schema cannot
// distinguish a text from a message. So the mark that replaces a secret there is as
// long as the secret, and no length has to change.

// redactGRPCPayloads redacts the payloads of a body of gRPC.
func (r *Redactor) redactGRPCPayloads(m *record.Message) {
	if r.longest == 0 {
		return
	}
	body, changed := []byte(nil), false
	take := func(p []byte) {
		clean, is := r.redactProtobuf(p)
		body, changed = append(body, clean...), changed || is
	}
	for _, one := range m.GRPCMessages() {
		take(one.Payload)
	}
	take(m.Body[len(body):]) // nothing, unless the prefixes are wrong
	if changed {
		m.Body = body
	}
}

// redactProtobuf is a message without the known secrets, and whether it had any: as they
// are, in any encoding, or spelled out over several texts of one field, or of all.
func (r *Redactor) redactProtobuf(b []byte) (out []byte, changed bool) {
	if r.longest == 0 || len(b) == 0 {
		return b, false
	}
	spans := r.findSecrets(b)
	for _, p := range groupProtobufTexts(b) {
		for _, s := range r.findSecretsUnderAnyReading(p.join(b)) {
			spans = append(spans, p.mapSpan(s, 0)...)
		}
	}
	if len(spans) == 0 {
		return b, false
	}
	out = bytes.Clone(b)
	for _, s := range mergeOverlappingSpans(spans) {
		copy(out[s.from:s.to], fitMarkToLength(s.mark, s.to-s.from))
	}
	return out, true
}

// fitMarkToLength is a mark of a given length in bytes. A part of a secret too short for one is
// blotted out.
func fitMarkToLength(mark []byte, n int) []byte {
	const opening, closing = "⟦", "⟧"
	room := n - len(opening) - len(closing)
	if len(mark) == 0 || room < 2 {
		return bytes.Repeat([]byte("*"), n)
	}
	words := bytes.TrimSuffix(bytes.TrimPrefix(mark, []byte(opening)), []byte(closing))
	for len(words) > room {
		_, last := utf8.DecodeLastRune(words)
		words = words[:len(words)-last]
	}
	return slices.Concat([]byte(opening), words, bytes.Repeat([]byte("."), room-len(words)), []byte(closing))
}

// groupProtobufTexts are the texts that the values of one field make together, and those of all
// fields. A value that reads as a message is taken for one as well as for a text.
func groupProtobufTexts(b []byte) (out []*joinedText) {
	numbered, all := map[protowire.Number]*joinedText{}, &joinedText{}
	var walk func(from, to, depth int)
	walk = func(from, to, depth int) {
		const deepest = 1000
		record.EachProtobufField(b[from:to], func(f record.ProtobufField) {
			if len(f.Content) == 0 {
				return
			}
			if p := (textPart{from + f.End - len(f.Content), from + f.End}); !isMessage(f.Content) {
				if numbered[f.Num] == nil {
					if len(numbered) >= pieceNames {
						return
					}
					numbered[f.Num] = &joinedText{}
					out = append(out, numbered[f.Num])
				}
				numbered[f.Num].parts = append(numbered[f.Num].parts, p)
				all.parts = append(all.parts, p)
			} else if depth < deepest {
				walk(p.from, p.to, depth+1)
			}
		})
	}
	walk(0, len(b), 0)
	out = append(out, all)
	return slices.DeleteFunc(out, func(p *joinedText) bool { return len(p.parts) < 2 || p.length() < MinSecret })
}

// isMessage reports whether a value reads as a message, and not as a printable text.
func isMessage(b []byte) bool {
	return slices.ContainsFunc(b, func(c byte) bool { return c < ' ' || c == 0x7f }) &&
		record.EachProtobufField(b, func(record.ProtobufField) {})
}

// redactBinaryHeaders redacts the fields whose names end with -bin: their values are base64
// of protobuf, mostly.
func (r *Redactor) redactBinaryHeaders(head []byte) []byte {
	if r.longest == 0 || !bytes.Contains(bytes.ToLower(head), []byte("-bin:")) {
		return head
	}
	lines := strings.SplitAfter(string(head), "\n")
	for i, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if !ok || !strings.HasSuffix(strings.ToLower(name), "-bin") {
			continue
		}
		text := strings.TrimSpace(value)
		b, ok := record.DecodeBinaryField(text)
		if !ok {
			continue
		}
		if clean, is := r.redactProtobuf(b); is {
			coding := base64.RawStdEncoding
			if strings.HasSuffix(text, "=") {
				coding = base64.StdEncoding
			}
			lines[i] = name + ": " + coding.EncodeToString(clean) + "\r\n"
		}
	}
	return []byte(strings.Join(lines, ""))
}
