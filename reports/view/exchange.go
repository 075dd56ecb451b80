package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// FormatShortDuration formats a duration with a unit that fits.
func FormatShortDuration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// MaxEvent bounds the text of one event of a stream.
const MaxEvent = 1 << 10

func FirstLine(head []byte) string {
	l, _, _ := bytes.Cut(head, []byte("\n"))
	return strings.TrimRight(string(l), "\r")
}

// IndentJSON lays out a JSON text. It leaves alone what is not JSON, and what
// would grow out of proportion: the layout of deep nesting is quadratic.
func IndentJSON(b []byte) ([]byte, bool) {
	const most, deepest = 256 << 10, 64
	if len(b) > most {
		return nil, false
	}
	depth := 0
	for _, c := range b {
		switch c {
		case '[', '{':
			if depth++; depth > deepest {
				return nil, false
			}
		case ']', '}':
			depth--
		}
	}
	var out bytes.Buffer
	if json.Indent(&out, bytes.TrimSpace(b), "", "  ") != nil {
		return nil, false
	}
	return out.Bytes(), true
}

func FormatDelay(d time.Duration) string { return "after " + FormatShortDuration(d) }

// IndentEventData is an event as it was sent; JSON on a single data line is laid out.
func IndentEventData(raw []byte, e *record.Event) string {
	text := strings.TrimRight(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n")
	if p, ok := IndentJSON([]byte(e.Data)); ok && e.HasData && strings.Count(e.Data, "\n") == 0 && len(e.Data) < MaxEvent {
		if before, after, found := strings.Cut(text, e.Data); found {
			text = before + string(p) + after
		}
		return safetext.Text(text, 2*MaxEvent)
	}
	return safetext.Text(text, MaxEvent)
}
