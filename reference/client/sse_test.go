package client

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll returns the data of all events of a stream.
func readAll(source io.Reader, f streamFaults) (events []string, err error) {
	r := newEventReader(source, f)
	for {
		data, err := r.readEvent()
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, string(data))
	}
}

func TestEventReader(t *testing.T) {
	for _, test := range []struct {
		name, stream string
		want         []string
	}{
		{"plain", "data: a\n\ndata: b\n\n", []string{"a", "b"}},
		{"CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		{"CR", "data: a\r\rdata: b\r\r", []string{"a", "b"}},
		{"mixed line ends", "data: a\r\ndata: b\rdata: c\n\r", []string{"a\nb\nc"}},
		{"several lines", "data: a\ndata:\ndata: b\n\n", []string{"a\n\nb"}},
		{"an empty first line", "data:\ndata: a\n\n", []string{"\na"}},
		{"no space", "data:a\n\n", []string{"a"}},
		{"two spaces", "data:  a\n\n", []string{" a"}},
		{"a colon in the data", "data: a: b\n\n", []string{"a: b"}},
		{"comments", ": ping\n\n:\ndata: a\n: inside\ndata: b\n\n", []string{"a\nb"}},
		{"other fields", "id: 7\nretry: 1\nevent: message\nshoe: 43\nshoe\ndata: a\n\n", []string{"a"}},
		{"events without data", "event: x\n\nid: 7\n\nretry: 1\n\ndata\n\ndata: a\n\n", []string{"a"}},
		{"blank lines", "\n\n\n\ndata: a\n\n\n\n", []string{"a"}},
		{"a mark", "\uFEFFdata: a\n\n", []string{"a"}},
		{"a mark later", "data: a\n\n\uFEFFdata: b\n\n", []string{"a"}},
		{"not ended by a blank line", "data: a\n\ndata: b\n", []string{"a"}},
		{"not ended at all", "data: a", nil},
		{"nothing", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, source := range []io.Reader{strings.NewReader(test.stream), iotest.OneByteReader(strings.NewReader(test.stream)), iotest.DataErrReader(strings.NewReader(test.stream))} {
				if got, err := readAll(source, streamFaults{}); err != nil || !slices.Equal(got, test.want) {
					t.Errorf("got %q (%v), want %q", got, err, test.want)
				}
			}
		})
	}
}

func TestEventReaderReportsATornStream(t *testing.T) {
	torn := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if got, err := readAll(torn, streamFaults{}); !errors.Is(err, io.ErrUnexpectedEOF) || !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q and %v", got, err)
	}
}

func TestEventReaderIsBounded(t *testing.T) {
	for name, line := range map[string]string{"a line": strings.Repeat("a", 1<<20), "data": "data: " + strings.Repeat("a", 1<<20) + "\n", "comments": ": " + strings.Repeat("a", 1<<20) + "\n"} {
		t.Run(name, func(t *testing.T) {
			if _, err := readAll(endless(line), streamFaults{}); err == nil {
				t.Error("a stream without an end was read")
			}
		})
	}
}

// endless is a source that repeats a text up to far above the bounds.
func endless(text string) io.Reader {
	return io.MultiReader(slices.Collect(func(yield func(io.Reader) bool) {
		for range maxStream/len(text) + 2 {
			if !yield(strings.NewReader(text)) {
				return
			}
		}
	})...)
}

// FuzzEventReader checks that the events of a stream do not depend on the pieces in which it
// arrives, and that the line ends make no difference.
func FuzzEventReader(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "\uFEFFdata: a\r\n\r\n", ": x\rdata:ä\r\r", "data: a\ndata\n\nid: 7\n\n", "data: a\n\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		want, err := readAll(strings.NewReader(stream), streamFaults{})
		if err != nil {
			t.Fatal(err)
		}
		for name, source := range map[string]io.Reader{
			"bytes": iotest.OneByteReader(strings.NewReader(stream)),
			"CR":    strings.NewReader(strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\n", "\r")),
		} {
			if got, err := readAll(source, streamFaults{}); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: got %q (%v), want %q", name, got, err, want)
			}
		}
		for _, faults := range []streamFaults{{commentBreaks: true}, {linesAreEvents: true}, {keepsCR: true}, {keepsMark: true, piecesAlone: true, cutsFirstPiece: true, passesEmpty: true, cutsAt: 3}} {
			_, _ = readAll(strings.NewReader(stream), faults) // which must not crash
		}
	})
}
