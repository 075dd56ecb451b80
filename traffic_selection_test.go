package conform

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// Of a selection, each side is judged by what is about it; a side that nothing is about is left out.
func TestTrafficSelection(t *testing.T) {
	const onClient, onServer = "A2A10-CL-RPC-003", "A2A10-DISC-001"
	sole := func(o *Outcome) string {
		var ids []string
		for _, r := range o.Report.Results {
			ids = append(ids, r.ID)
		}
		return strings.Join(ids, " ")
	}
	for name, c := range map[string]struct {
		side           TrafficSide
		choose         func(j *Judging)
		server, client string // the ids that are judged; "" for none, many for more than one
	}{
		"a client's id, of the client": {ClientSide, func(j *Judging) { j.Select.Run = []string{onClient} }, "", onClient},
		"a client's id, of both":       {BothSides, func(j *Judging) { j.Select.Run = []string{onClient} }, "", onClient},
		"a server's id, of both":       {BothSides, func(j *Judging) { j.Select.Run = []string{onServer} }, onServer, ""},
		"an id of each":                {BothSides, func(j *Judging) { j.Select.Run = []string{onServer, onClient} }, onServer, onClient},
		"ids that match both":          {BothSides, func(j *Judging) { j.Select.Run = []string{"A2A10-*-00*"} }, "many", "many"},
		"a section":                    {ClientSide, func(j *Judging) { j.Select.Sections = []string{"9.1"} }, "", "many"},
		"an area that both have":       {BothSides, func(j *Judging) { j.Select.Areas = []string{"message"} }, "many", "many"},
		"an area of the client":        {BothSides, func(j *Judging) { j.Select.Areas = []string{"version"} }, "", "many"},
		"a level":                      {BothSides, func(j *Judging) { j.Select.Levels = []string{"SHOULD"} }, "many", "many"},
		"without a client's id":        {BothSides, func(j *Judging) { j.Select.Skip = []string{onClient} }, "many", "many"},
		"an id and a level that differ": {BothSides, func(j *Judging) {
			j.Select.Run, j.Select.Levels = []string{onServer, "A2A10-CL-MSG-*"}, []string{"SHOULD"}
		}, "", "many"},
	} {
		var j Judging
		c.choose(&j)
		o, err := JudgeTraffic(recordTalk(t, plainMessage, "TASK_STATE_COMPLETED", nil), c.side, j)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for side, got := range map[string]*Outcome{"server": o.Server, "client": o.Client} {
			want := map[string]string{"server": c.server, "client": c.client}[side]
			switch {
			case (got == nil) != (want == ""):
				t.Errorf("%s: the %s is judged: %v, want %v", name, side, got != nil, want != "")
			case got == nil:
			case want == "many" && len(got.Report.Results) < 2, want != "many" && sole(got) != want:
				t.Errorf("%s: the %s is judged by %s, want %s", name, side, sole(got), want)
			case slices.Equal(j.Select.Skip, []string{onClient}) && strings.Contains(sole(got), onClient):
				t.Errorf("%s: %s is judged", name, onClient)
			}
		}
	}
}

// What is about no side is a mistake, which is named.
func TestTrafficSelectionMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		side   TrafficSide
		choose func(j *Judging)
		want   string
	}{
		"no id":                  {BothSides, func(j *Judging) { j.Select.Run = []string{"A2A10-CL-RPC-999"} }, "A2A10-CL-RPC-999"},
		"one id of two":          {BothSides, func(j *Judging) { j.Select.Run = []string{"A2A10-DISC-001", "nonsense"} }, "nonsense"},
		"a server's, of clients": {ClientSide, func(j *Judging) { j.Select.Run = []string{"A2A10-DISC-001"} }, "A2A10-DISC-001"},
		"what needs a run":       {ClientSide, func(j *Judging) { j.Select.Run = []string{"A2A10-CL-STREAM-001"} }, "a2a-conform client judges A2A10-CL-STREAM-001"},
		"a section":              {BothSides, func(j *Judging) { j.Select.Sections = []string{"99.9"} }, "99.9"},
		"an area":                {BothSides, func(j *Judging) { j.Select.Areas = []string{"nonsense"} }, "nonsense"},
		"a level":                {BothSides, func(j *Judging) { j.Select.Levels = []string{"COULD"} }, "COULD"},
	} {
		var j Judging
		c.choose(&j)
		var usage *UsageError
		if _, err := JudgeTraffic(recordTalk(t, plainMessage, "TASK_STATE_COMPLETED", nil), c.side, j); !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

// A call in which the client breaks a MUST is no evidence about the server, whatever is selected.
func TestTrafficSelectionKeepsFaultyCallsOut(t *testing.T) {
	broken := recordTalk(t, `{"role":"user","parts":"hello"}`, "done", nil)
	for name, j := range map[string]Judging{"all": {}, "a server's": {Select: Selection{Run: []string{"A2A10-DATA-*"}}}, "a level": {Select: Selection{Levels: []string{"SHOULD", "MUST"}}}} {
		o, err := JudgeTraffic(broken, ServerSide, j)
		if err != nil {
			t.Fatal(name, err)
		}
		if got := failures(o.Server); len(got) > 0 {
			t.Errorf("%s: the server fails %v by answers to malformed requests", name, got)
		}
	}
}
