package record

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func sseFaults(f Frame) []string {
	var kinds []string
	for _, x := range f.Faults {
		kinds = append(kinds, x.Kind)
	}
	return kinds
}

// sseEvent is what a frame comes to for an application that listens.
type sseEvent struct{ Event, ID, Data string }

func dispatched(frames []Frame) []sseEvent {
	var events []sseEvent
	lastID := ""
	for _, f := range frames {
		if f.HasID {
			lastID = f.ID
		}
		if f.HasData {
			events = append(events, sseEvent{f.Event, lastID, f.Data})
		}
	}
	return events
}

func TestSSEDispatch(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		want         []sseEvent
	}{
		{"standard: stock ticker", "data: YHOO\ndata: +2\ndata: 10\n\n", []sseEvent{{"", "", "YHOO\n+2\n10"}}},
		{"standard: four blocks",
			": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
			[]sseEvent{{"", "1", "first event"}, {"", "", "second event"}, {"", "", " third event"}}},
		{"standard: empty data", "data\n\ndata\ndata\n\ndata:", []sseEvent{{"", "", ""}, {"", "", "\n"}}},
		{"standard: optional space", "data:test\n\ndata: test\n\n", []sseEvent{{"", "", "test"}, {"", "", "test"}}},
		{"named events", "event: add\ndata: 1\n\nevent: remove\ndata: 2\n\ndata: 3\n\n",
			[]sseEvent{{"add", "", "1"}, {"remove", "", "2"}, {"", "", "3"}}},
		{"last name of a block wins", "event: a\nevent: b\ndata: x\n\n", []sseEvent{{"b", "", "x"}}},
		{"name without data is forgotten", "event: a\n\ndata: x\n\n", []sseEvent{{"", "", "x"}}},
		{"CR", "data: a\rdata: b\r\rdata: c\r\r", []sseEvent{{"", "", "a\nb"}, {"", "", "c"}}},
		{"CRLF", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", []sseEvent{{"", "", "a\nb"}, {"", "", "c"}}},
		{"mixed line ends", "data: a\r\ndata: b\rdata: c\n\r\n", []sseEvent{{"", "", "a\nb\nc"}}},
		{"CR LF CR is two line ends", "data: a\r\n\rdata: b\n\n", []sseEvent{{"", "", "a"}, {"", "", "b"}}},
		{"byte order mark", "\uFEFFdata: a\n\n", []sseEvent{{"", "", "a"}}},
		{"byte order mark later is text", "data: a\n\n\uFEFFdata: b\n\n", []sseEvent{{"", "", "a"}}},
		{"two byte order marks", "\uFEFF\uFEFFdata: a\n\n", nil},
		{"only one space is removed", "data:   a\n\n", []sseEvent{{"", "", "  a"}}},
		{"a tab is not", "data:\ta\n\n", []sseEvent{{"", "", "\ta"}}},
		{"colons in the value", "data: {\"a\":1}\n\n", []sseEvent{{"", "", `{"a":1}`}}},
		{"names are exact", "Data: a\ndata : b\n data: c\n\n", nil},
		{"id carries on", "id: 7\n\ndata: a\n\n", []sseEvent{{"", "7", "a"}}},
		{"id with NUL is ignored", "id: 7\nid: a\x00b\ndata: a\n\n", []sseEvent{{"", "7", "a"}}},
		{"NUL in data stays", "data: a\x00b\n\n", []sseEvent{{"", "", "a\x00b"}}},
		{"invalid UTF-8 becomes U+FFFD", "data: a\xffb\xe2\x82c\n\n", []sseEvent{{"", "", "a\uFFFDb\uFFFDc"}}},
		{"incomplete last event", "data: a\n\ndata: b\n", []sseEvent{{"", "", "a"}}},
		{"blank lines alone", "\n\r\n\r\r\n", nil},
		{"empty", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			frames, _ := ReadSSE([]byte(c.stream), nil)
			if got := dispatched(frames); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestSSEFrames(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		want         Frame // the first one; its faults are compared by kind and offset
	}{
		{"ranges", "data: a\r\ndata:bc\r\n\r\nx", Frame{
			Data: "a\nbc", HasData: true, Retry: -1, End: 20, DataStart: 6, DataEnd: 16}},
		{"block after blank lines and a mark", "\uFEFF\n\ndata\n\n", Frame{
			HasData: true, Retry: -1, Start: 5, End: 11, DataStart: 9, DataEnd: 9}},
		{"a data line far from the next", "data: a\nid: 1\n:c\ndata: b\nevent: e\n\n", Frame{
			Event: "e", ID: "1", HasID: true, Data: "a\nb", HasData: true, Retry: -1, Comments: []string{"c"},
			End: 35, DataStart: 6, DataEnd: 24}},
		{"comment only", ": ping\n\n", Frame{Retry: -1, Comments: []string{"ping"}, End: 8}},
		{"id only", "id: 5\n\n", Frame{ID: "5", HasID: true, Retry: -1, End: 7}},
		{"empty id", "id\n\n", Frame{HasID: true, Retry: -1, End: 4}},
		{"retry", "retry: 0250\n\n", Frame{Retry: 250, End: 13}},
		{"retry beyond any int", "retry: 99999999999999999999999\n\n", Frame{Retry: 1<<63 - 1, End: 32}},
		{"retry with a sign", "retry: +5\n\n", Frame{Retry: -1, End: 11, Faults: []SSEFault{{SSEBadRetry, "", 7}}}},
		{"retry with a space", "retry: 5 \n\n", Frame{Retry: -1, End: 11, Faults: []SSEFault{{SSEBadRetry, "", 7}}}},
		{"retry without digits", "retry\n\n", Frame{Retry: -1, End: 7, Faults: []SSEFault{{SSEBadRetry, "", 5}}}},
		{"id with NUL", "id: a\x00\n\n", Frame{Retry: -1, End: 8, Faults: []SSEFault{{SSEIDWithNUL, "", 5}}}},
		{"unknown field", "foo: bar\n\n", Frame{Retry: -1, End: 10, Faults: []SSEFault{{SSEUnknownField, "", 0}}}},
		{"invalid UTF-8 in a comment", "\uFEFF:\xff\n\n", Frame{Retry: -1, Comments: []string{"\uFFFD"}, Start: 3, End: 7,
			Faults: []SSEFault{{SSEInvalidUTF8, "", 4}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			frames, _ := ReadSSE([]byte(c.stream), nil)
			if len(frames) == 0 {
				t.Fatal("no frame")
			}
			got := frames[0]
			for i := range got.Faults {
				got.Faults[i].Detail = ""
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestSSEIncompleteLastBlock(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		data         string
		faults       []string
	}{
		{"inside a line", "data: a\n\ndata: {\"x\"", `{"x"`, []string{SSEIncompleteLast}},
		{"inside a character", "data: a\n\ndata: b\xe2\x82", "b", []string{SSEIncompleteLast}},
		{"no blank line", "data: a\n\ndata: b\r\n", "b", []string{SSEIncompleteLast}},
		{"an odd line first", "data: a\n\nfoo\ndata: b", "b", []string{SSEUnknownField, SSEIncompleteLast}},
	} {
		t.Run(c.name, func(t *testing.T) {
			frames, rest := ReadSSE([]byte(c.stream), []Chunk{{At: 1, N: 12}, {At: 2, N: 100}})
			if len(frames) != 1 || rest == nil {
				t.Fatalf("frames %+v, rest %+v", frames, rest)
			}
			if rest.Data != c.data || rest.Start != 9 || rest.End != len(c.stream) || rest.At != 2 || !slices.Equal(sseFaults(*rest), c.faults) {
				t.Errorf("got %+v", *rest)
			}
		})
	}
	for _, stream := range []string{"", "\uFEFF", "\n", "data: a\n\n", "data: a\r\r", "data: a\r\n\r\n"} {
		if _, rest := ReadSSE([]byte(stream), nil); rest != nil {
			t.Errorf("%q leaves %+v", stream, *rest)
		}
	}
}

// An event is there when the byte that completes it is: a CR is not kept
// waiting for the LF that might follow.
func TestSSEArrival(t *testing.T) {
	r := NewSSEReader()
	var got []time.Duration
	for i, part := range []string{"data: a\r", "\n\r", "\nda", "ta: b\r\r", "data: c\n", "\n"} {
		for _, f := range r.Feed([]byte(part), time.Duration(i)) {
			got = append(got, f.At)
		}
	}
	if want := []time.Duration{1, 3, 5}; !slices.Equal(got, want) || r.Close() != nil {
		t.Errorf("frames arrived at %v, want %v", got, want)
	}
}

func TestSSEChunks(t *testing.T) {
	body := []byte("data: a\r\n\r\ndata: b\n\n")
	for _, c := range []struct {
		name   string
		chunks []Chunk
		want   []time.Duration
	}{
		{"none", nil, []time.Duration{0, 0}},
		{"split in a line end", []Chunk{{At: 1, N: 10}, {At: 2, N: 10}}, []time.Duration{1, 2}},
		{"more than the body", []Chunk{{At: 1, N: 100}, {At: 2, N: 100}}, []time.Duration{1, 1}},
		{"less than the body", []Chunk{{At: 3, N: 4}}, []time.Duration{3, 3}},
		{"nonsense", []Chunk{{At: 1, N: -5}, {At: 2, N: 0}, {At: 4, N: 20}}, []time.Duration{4, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			frames, rest := ReadSSE(body, c.chunks)
			if len(frames) != 2 || rest != nil || frames[0].At != c.want[0] || frames[1].At != c.want[1] ||
				frames[0].End != 11 || frames[1].Start != 11 {
				t.Errorf("got %+v, %+v", frames, rest)
			}
		})
	}
}

func TestSSEBounds(t *testing.T) {
	t.Run("long line", func(t *testing.T) {
		stream := []byte("data: " + strings.Repeat("é", maxSSELine/2) + "\ndata: b\n\n")
		whole, _ := ReadSSE(stream, nil)
		parts := feedAll(stream, 1<<20)
		if !reflect.DeepEqual(whole, parts) {
			t.Error("frames depend on the feeds")
		}
		f := whole[0]
		if len(f.Data) != maxSSELine-6+2 || !strings.HasSuffix(f.Data, "é\nb") || f.End != len(stream) || f.DataEnd != len(stream)-2 {
			t.Errorf("%d bytes of data, %d..%d, ends in %q", len(f.Data), f.Start, f.End, f.Data[len(f.Data)-4:])
		}
		if len(f.Faults) != 1 || f.Faults[0].Kind != SSELineTooLong || f.Faults[0].Offset != maxSSELine {
			t.Errorf("faults %+v", f.Faults)
		}
	})
	t.Run("comments and faults", func(t *testing.T) {
		stream := strings.Repeat(":"+strings.Repeat("€", 1000)+"\n", 100) + strings.Repeat("x\n", 1000) + "data: a\n"
		_, f := ReadSSE([]byte(stream), nil)
		if len(f.Comments) != maxSSENotes || len(f.Comments[0]) != maxSSEComment-1 || len(f.Faults) != MaxFaults+1 || f.Data != "a" {
			t.Errorf("%d comments of %d bytes, %d faults, data %q", len(f.Comments), len(f.Comments[0]), len(f.Faults), f.Data)
		}
	})
}

const sseSample = "\uFEFF: hi\r\n\r\nid: 1\r\nevent: é€\U0001F600\rdata: a\rdata\n\ndata:b\r\rretry: 5\n\r\n\xe2\x82x\nid: \x00\ndata: \xf0\x9f\n\r\ndata: end"

func feedAll(stream []byte, size int) (frames []Frame) {
	r := NewSSEReader()
	for part := range slices.Chunk(stream, size) {
		frames = append(frames, r.Feed(part, 0)...)
	}
	return frames
}

func TestSSESplits(t *testing.T) {
	stream := []byte(sseSample)
	want, wantRest := ReadSSE(stream, nil)
	if len(want) != 5 || wantRest == nil {
		t.Fatalf("sample gives %d frames", len(want))
	}
	for i := range len(stream) + 1 {
		for j := i; j <= len(stream); j++ {
			got, rest := ReadSSE(stream, []Chunk{{N: i}, {N: j - i}, {N: len(stream) - j}})
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(rest, wantRest) {
				t.Fatalf("split at %d and %d:\ngot  %+v\nwant %+v", i, j, got, want)
			}
		}
	}
	fed := feedAll(stream, len(stream))
	for size := 1; size < len(stream); size++ {
		if !reflect.DeepEqual(feedAll(stream, size), fed) {
			t.Errorf("feeds of %d bytes give other frames", size)
		}
	}
}

func TestDecodeUTF8(t *testing.T) {
	// The first rows are from the Unicode standard, section 3.9, on U+FFFD substitution of maximal subparts.
	for _, c := range []struct{ in, want string }{
		{"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82A", strings.Repeat("\uFFFD", 8) + "A"},
		{"\xED\xA0\x80\xED\xBF\xBF\xED\xAFA", strings.Repeat("\uFFFD", 8) + "A"},
		{"\xF4\x91\x92\x93\xFFA\x80\xBFB", strings.Repeat("\uFFFD", 5) + "A\uFFFD\uFFFDB"},
		{"\xE1\x80\xE2\xF0\x91\x92\xF1\xBFA", strings.Repeat("\uFFFD", 4) + "A"},
		{"a\uFFFDb", "a\uFFFDb"},
		{"\xF0\x9F\x98", "\uFFFD"},
		{"", ""},
	} {
		if got := string(decodeUTF8([]byte(c.in))); got != c.want {
			t.Errorf("%x: got %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzSSEReader(f *testing.F) {
	f.Add([]byte(sseSample), uint16(7))
	f.Add([]byte("data: a\r\n\r\n"), uint16(10))
	f.Add([]byte("\uFEFF\rdata\rid: \xc3\r\rretry:1"), uint16(1))
	f.Fuzz(func(t *testing.T, stream []byte, split uint16) {
		before := bytes.Clone(stream)
		frames, rest := ReadSSE(stream, nil)
		if !bytes.Equal(stream, before) {
			t.Fatal("the reader wrote to the stream")
		}
		n := int(split) % (len(stream) + 1)
		again, restAgain := ReadSSE(stream, []Chunk{{N: n}, {N: len(stream) - n}})
		if !reflect.DeepEqual(frames, again) || !reflect.DeepEqual(rest, restAgain) {
			t.Fatalf("split at %d:\n%+v\n%+v", n, frames, again)
		}
		if !reflect.DeepEqual(feedAll(stream, 1), feedAll(stream, max(len(stream), 1))) {
			t.Fatal("byte by byte gives other frames")
		}
		if rest != nil {
			frames = append(frames, *rest)
		}
		at := 0
		for _, f := range frames {
			ok := at <= f.Start && f.Start < f.End && f.End <= len(stream)
			if f.HasData {
				ok = ok && f.Start < f.DataStart && f.DataStart <= f.DataEnd && f.DataEnd <= f.End
				ok = ok && strings.HasPrefix(string(decodeUTF8(stream[f.DataStart:f.DataEnd])), firstLineOf(f.Data))
			}
			for _, x := range f.Faults {
				ok = ok && f.Start <= x.Offset && x.Offset <= f.End
			}
			if !ok {
				t.Fatalf("offsets after %d in %d bytes: %+v", at, len(stream), f)
			}
			at = f.End
		}
	})
}

func firstLineOf(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func BenchmarkSSEReader(b *testing.B) {
	for _, c := range []struct{ name, frame string }{
		{"small", "id: 17\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"id\":\"t\",\"status\":{\"state\":\"working\"}}}\n\n"},
		{"large", "data: {\"text\":\"" + strings.Repeat("lorem ipsum ", 1000) + "\"}\r\n\r\n"},
		{"hostile", "\r:\rx\n\r"},
	} {
		b.Run(c.name, func(b *testing.B) {
			stream := []byte(strings.Repeat(c.frame, 1<<20/len(c.frame)))
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				ReadSSE(stream, nil)
			}
		})
	}
}
