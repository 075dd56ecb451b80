package record

import (
	"strings"
	"testing"
)

// A line is shown as it could have been printed, and a record of a version before it is read.
func TestFormatSaid(t *testing.T) {
	t.Parallel()
	s := Said{At: 5, Line: 3, Saw: "artifact", ID: "a", Text: "x \"y\"", Assembled: true, Cut: true}
	if got, want := s.FormatLine(), `{"saw":"artifact","id":"a","text":"x \"y\"","assembled":true}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := (Said{Line: 1, Cannot: "list"}).FormatLine(); got != `{"cannot":"list"}` {
		t.Errorf("got %s", got)
	}
	run := ClientRun{Said: []Said{s, {Cannot: "get"}, {Saw: "end", Of: "task"}}}
	if all, ends := run.Reports(), run.Reports("end"); len(all) != 2 || len(ends) != 1 || ends[0].Of != "task" {
		t.Errorf("got %+v and %+v", all, ends)
	}
	var f Facts
	for want := range 3 {
		if got := f.ClientLevel(); got != want {
			t.Errorf("the level is %d, want %d", got, want)
		}
		if f.Command != nil {
			f.Calibration = &Calibration{Adapter: true}
		}
		f.Command = []string{"client"}
	}
	before := strings.ReplaceAll(string(written(t, full())), `"said":`, `"other":`)
	if back, err := ReadHAR(strings.NewReader(before)); err != nil || back.Play("hello").Client.Said != nil {
		t.Errorf("a record without such lines is read as %v", err)
	}
}
