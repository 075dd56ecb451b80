package adapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// readAll reads what a program printed in the play of hello, in pieces of one size.
func readAll(text string, piece int) ([]record.Said, []record.Misread) {
	n := record.Instant(0)
	r := NewReader("hello", func() record.Instant { n += time.Second; return n }, func(s string) string { return strings.ReplaceAll(s, "s3cret", "⟦secret⟧") })
	for p := range slices.Chunk([]byte(text), piece) {
		r.Write(p)
	}
	r.Close()
	return r.ListResult()
}

// The document has each line and each command, and all of it can be read.
func TestDocumentIsRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/adapters.md")
	if err != nil {
		t.Fatal(err)
	}
	seen, members := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile(`\{"(?:saw|cannot)"[^}]*\}`).FindAll(text, -1) {
		line, is, err := ParseLine(m)
		if !is || err != nil {
			t.Errorf("%s is not read: %v", m, err)
		}
		seen[line.Said.Saw] = true
		var all map[string]any
		if err := json.Unmarshal(m, &all); err != nil {
			t.Fatal(err)
		}
		var kept map[string]any
		if err := json.Unmarshal([]byte(line.Said.FormatLine()), &kept); err != nil {
			t.Fatal(err)
		}
		for name := range all {
			if members[name] = true; kept[name] == nil && name != "scenario" && name != "exit" {
				t.Errorf("%s loses its member %s: %s", m, name, line.Said.FormatLine())
			}
		}
	}
	for _, kind := range ListKinds() {
		if !seen[kind] {
			t.Errorf("the document has no line of the kind %s", kind)
		}
	}
	said := reflect.TypeFor[record.Said]()
	for i := range said.NumField() {
		name, _, _ := strings.Cut(said.Field(i).Tag.Get("json"), ",")
		if !members[name] && !slices.Contains([]string{"at", "line", "cut"}, name) {
			t.Errorf("the document has no example of the member %s", name)
		}
	}
	for _, word := range ListCommands() {
		at := regexp.MustCompile(`\{"do":"` + word + `"[^}]*\}`).Find(text)
		var c Command
		d := json.NewDecoder(bytes.NewReader(at))
		if d.DisallowUnknownFields(); d.Decode(&c) != nil || c.Do != word {
			t.Errorf("the document has no example of the command %s", word)
		}
	}
	context := regexp.MustCompile(`(?m)^\{"scenario":"cancel".*$`).Find(text)
	var c Context
	if err := json.Unmarshal(context, &c); err != nil || c.EncodeLine() != string(context) {
		t.Errorf("the context of the document is %s, want %s (%v)", context, c.EncodeLine(), err)
	}
	for i := range reflect.TypeFor[Context]().NumField() {
		if name := reflect.TypeFor[Context]().Field(i).Tag.Get("json"); !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("the document does not describe the member %s of the context", name)
		}
	}
}

// Lines are read as they come, in whatever pieces, with their numbers and times; others are plain output.
func TestReadLines(t *testing.T) {
	t.Parallel()
	const text = "hello\n" +
		`{"saw":"task","id":"t-1","state":"working","more":{"a":[1]}}` + "\r\n" +
		`{"kind":"task","id":"t-1"}` + "\n" +
		` {"scenario":"hello", "saw":"error","code":-32001,"name":null}` + "\n" +
		`{"text":"I saw \"saw\""}` + "\n\n" +
		`{"saw":"artifact","id":"a","text":"a s3cret","assembled":true}` + "\n" +
		`{"cannot":"list"}`
	want := []record.Said{
		{At: 1 * time.Second, Line: 2, Saw: "task", ID: "t-1", State: "working"},
		{At: 2 * time.Second, Line: 4, Saw: "error", Code: "-32001"},
		{At: 3 * time.Second, Line: 7, Saw: "artifact", ID: "a", Text: "a ⟦secret⟧", Assembled: true},
		{At: 4 * time.Second, Line: 8, Cannot: "list"},
	}
	for _, piece := range []int{1, 7, 1000} {
		if got, misread := readAll(text, piece); !slices.Equal(got, want) || len(misread) > 0 {
			t.Errorf("in pieces of %d: got %+v and %+v", piece, got, misread)
		}
	}
}

// A line that was meant to report something and cannot be read is listed with what to change.
func TestListMisreadLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"saw":"task"`:                                          "not one JSON object",
		`{"saw":"task"} {}`:                                      "not one JSON object",
		`{ "saw": "unicorn"}`:                                    "saw has to be one of card, task",
		`{"cannot":"fly"}`:                                       "cannot has to be a command: one of send",
		`{"saw":"status","text":["a"]}`:                          "text has to be a text, and is a JSON array",
		`{"saw":"artifact","assembled":"yes"}`:                   "assembled has to be true or false",
		`{"saw":"end","of":"scenario","exit":"no"}`:              "exit has to be a number",
		`{"saw":"task","cannot":"list"}`:                         "both saw and cannot",
		`{"saw":"task","scenario":"stream"}`:                     "another scenario than hello",
		`{"saw":` + strings.Repeat("[", 100000):                  "longer than 65536 bytes",
		`{"saw":` + strings.Repeat("[", 1000):                    "more than 32 levels",
		`{"saw":"message","text":"` + strings.Repeat("x", 1<<20): "longer than 65536 bytes",
		`{"saw":"s3cret`:                                         "not one JSON object",
	} {
		said, misread := readAll("first\n"+line+"\n", 4096)
		if len(said) > 0 || len(misread) != 1 || misread[0].Line != 2 || !strings.Contains(misread[0].Why, want) || len(misread[0].Text) > maxQuoted || strings.Contains(misread[0].Text, "s3cret") {
			t.Errorf("%.60s: got %+v and %+v, want %q", line, said, misread, want)
		}
	}
}

// A program that prints without end costs a bounded amount, and the end of its scenario is seen all the same.
func TestBoundFloods(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ö", 20<<10)
	for name, line := range map[string]string{
		"short":     `{"saw":"status","state":"working"}`,
		"long":      `{"saw":"message","text":"` + long + `"}`,
		"malformed": `{"saw":`,
		"deep":      `{"saw":"task","x":` + strings.Repeat("[", 60000),
	} {
		r := NewReader("hello", func() record.Instant { return 1 }, func(s string) string { return s })
		for range 3 * MaxLines {
			fmt.Fprintln(r, line)
		}
		fmt.Fprintln(r, `{"saw":"end","of":"scenario","scenario":"hello","exit":3}`)
		fmt.Fprintln(r, line)
		said, misread := r.ListResult()
		size := 0
		for _, s := range said {
			size += len(s.FormatLine())
		}
		if len(said) > MaxLines+1 || size > 2*maxTexts || len(misread) == 0 || len(misread) > maxMisread {
			t.Errorf("%s: %d lines of %d bytes are kept, and %d are listed", name, len(said), size, len(misread))
		}
		select {
		case <-r.ScenarioEnd():
		default:
			t.Errorf("%s: the end of the scenario was not seen", name)
		}
		if last := said[len(said)-1]; last.Exit != 3 {
			t.Errorf("%s: the last line is %+v", name, last)
		}
	}
	// One line of a gigabyte.
	r := NewReader("hello", func() record.Instant { return 1 }, func(s string) string { return s })
	piece := bytes.Repeat([]byte(`{"saw":"`), 8<<10)
	for range 1 << 30 / len(piece) {
		r.Write(piece)
	}
	if cap(r.partial) > 1<<20 {
		t.Errorf("%d bytes are kept of a line without an end", cap(r.partial))
	}
}

func TestCompareStates(t *testing.T) {
	t.Parallel()
	for _, same := range [][2]string{{"TASK_STATE_INPUT_REQUIRED", "input-required"}, {"InputRequired", "input_required"}, {"TaskState.Cancelled", "canceled"}} {
		if !IsSameState(same[0], same[1]) {
			t.Errorf("%s and %s are two states", same[0], same[1])
		}
	}
	if IsSameState("working", "completed") {
		t.Error("working and completed are one state")
	}
	if got := MapStates([]string{"TASK_STATE_AUTH_REQUIRED", "working"}); got["auth-required"] != "TASK_STATE_AUTH_REQUIRED" || got["working"] != "working" {
		t.Errorf("got %v", got)
	}
}

// Whatever a program prints, nothing breaks, and what is kept is within its bounds.
func FuzzReadLines(f *testing.F) {
	f.Add("{\"saw\":\"task\",\"id\":\"t\"}\n{\"cannot\":\"get\"}\nplain", 3)
	f.Add("{\"saw\":\"end\",\"of\":\"scenario\"}\n{\"saw\":1}\n", 1)
	f.Add("{\"saw\":\"error\",\"code\":1e400,\"text\":\"\\ud800\"}\n", 5)
	f.Fuzz(func(t *testing.T, text string, piece int) {
		said, misread := readAll(text, max(1, piece%100))
		again, _ := readAll(text, max(1, len(text)))
		if !slices.Equal(said, again) {
			t.Errorf("what is read depends on the pieces: %+v, %+v", said, again)
		}
		if len(said) > MaxLines+1 || len(misread) > maxMisread {
			t.Errorf("%d lines are kept", len(said))
		}
		for _, s := range said {
			if (s.Saw == "") == (s.Cannot == "") || s.Line < 1 {
				t.Errorf("%+v is kept", s)
			}
		}
	})
}
