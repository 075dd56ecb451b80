package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// JSON writes the canonical form of a report: indented, in catalogue order,
// with every list present, and ending in a newline.
func JSON(w io.Writer, r *report.Report) error {
	return WriteDocument(w, view.CopyWithBoundedTexts(r))
}

// WriteDocument writes a value as indented JSON, with what acts or hides escaped. It passes a safetext.Writer here
// already, so that the same bytes are printed and lie in a file.
func WriteDocument(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	text := record.AppendIndented(nil, bytes.TrimSuffix(b.Bytes(), []byte("\n")), "", "  ")
	i := safetext.NewWriter(w, false)
	if _, err := i.Write(escapeHidden(append(text, '\n'))); err != nil {
		return err
	}
	return i.Flush()
}

// escapeHidden escapes the characters that JSON allows in strings and that
// would act on the terminal or the diff in which a report is read. They occur
// nowhere but in strings.
func escapeHidden(text []byte) []byte {
	if !bytes.ContainsFunc(text, func(r rune) bool { return r >= 0x7f && (r == 0x7f || safetext.IsHidden(r)) }) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if r != 0x7f && !safetext.IsHidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.Bytes()
}
