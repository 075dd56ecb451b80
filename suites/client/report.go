package client

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// reportParams name lines that the program of the client has to print in some scenarios.
type reportParams struct {
	Plays []string  `json:"plays"`
	Uses  []string  `json:"uses"` // an operation of these has to be used, or there is nothing to report
	Lines []lineDue `json:"lines"`
}

// lineDue describes a line of a report.
type lineDue struct {
	Play  string   `json:"play"`  // the scenario in which it is due; "" for all
	Saw   []string `json:"saw"`   // what it reports, one of these; none for anything
	Kind  string   `json:"kind"`  // of a part
	State string   `json:"state"` // of a task
	Word  string   `json:"word"`  // its text has a marker of what this pattern describes
	// Words are markers that its text has in this order, once each, and no others.
	Words     []string `json:"words"`
	Assembled bool     `json:"assembled"` // it reports all of an artifact
	Times     int      `json:"times"`     // as many of them are due; 1 without a number
	As        string   `json:"as"`        // what the agent sent, in words
}

// checkReports judges whether the program of the client reported what it was sent. A line whose members such a
// program never prints is not due: then nothing shows whether the client saw what it is about.
func checkReports(t *judge.T, p reportParams) {
	type dueIn struct {
		start judge.Start
		line  lineDue
	}
	var all []dueIn
	for _, s := range t.ReportingStarts(p.Plays...) {
		for _, l := range p.Lines {
			if l.Play == "" || l.Play == s.Play.Scenario {
				all = append(all, dueIn{s, l})
			}
		}
	}
	for _, l := range p.Lines {
		if l.Play != "" {
			t.Starts(l.Play) // it has to be part of the run
		}
	}
	judge.Each(t, all, func(d dueIn) {
		s, due := d.start, d.line
		demandPlainSuccess(t, s)
		demandUseAndEnd(t, s, p.Uses)
		var found, near []judge.Reported
		cut := false
		for _, r := range s.Reported(due.Saw...) {
			switch {
			case due.matchesLine(s, r):
				found = append(found, r)
			case due.Assembled == r.Assembled && due.showsMembers(r):
				near = append(near, r)
			}
			cut = cut || r.Cut
		}
		times := max(1, due.Times)
		switch {
		case len(found) >= times:
			t.OK(found[0].Value)
		case cut:
			t.StopUndecided("the client reported a text in the scenario '%s' that is too long to be kept", s.Play.Scenario)
		case due.Assembled && len(near) == 0:
			t.StopUndecided("the client reported no artifact that it had put together in the scenario '%s'", s.Play.Scenario)
		case !due.isEverReported(t):
			t.StopUndecided("the client never reports %s", due.describeMembers())
		case len(due.Words) > 0 && len(near) > 0:
			t.Fail(near[len(near)-1].Value.At("/text"), "put together "+describeWords(s, near[len(near)-1].Text, due), due.describeDue())
		case len(found) > 0:
			t.Fail(found[len(found)-1].Value, fmt.Sprintf("reported %d of them", len(found)), due.describeDue())
		default:
			t.Fail(s.Last(), "did not report "+due.As, due.describeDue())
		}
	})
}

// matchesLine reports whether a line is the one that is due.
func (l lineDue) matchesLine(s judge.Start, r judge.Reported) bool {
	return (l.Kind == "" || r.Kind == l.Kind) && (l.State == "" || r.HasState(l.State)) && (!l.Assembled || r.Assembled) &&
		(l.Word == "" || len(findWords(s, r.Text, l.Word)) > 0) &&
		(len(l.Words) == 0 || slices.Equal(findWords(s, r.Text, "*"), l.Words))
}

// showsMembers reports whether a line has the members by which the one that is due is known, whatever they are.
func (l lineDue) showsMembers(r judge.Reported) bool {
	return (l.Kind == "" || r.Kind != "") && (l.State == "" || r.State != "") && (l.Word == "" && len(l.Words) == 0 || r.Text != "")
}

// isEverReported reports whether the program prints such lines at all, in whatever scenario. What needs no other member is always
// due.
func (l lineDue) isEverReported(t *judge.T) bool {
	if l.Kind == "" && l.State == "" && l.Word == "" && len(l.Words) == 0 {
		return true
	}
	return slices.ContainsFunc(t.AllStarts(), func(s judge.Start) bool { return slices.ContainsFunc(s.Reported(l.Saw...), l.showsMembers) })
}

func (l lineDue) describeMembers() string {
	switch {
	case l.Kind != "":
		return "the kinds of parts"
	case l.State != "":
		return "the states of tasks"
	}
	return "texts of this kind"
}

// describeDue returns in words what is due.
func (l lineDue) describeDue() string {
	kinds := "a line"
	if len(l.Saw) > 0 {
		kinds = "a line `" + strings.Join(l.Saw, "` or `") + "`"
	}
	if l.Times > 1 {
		kinds = fmt.Sprintf("%d lines", l.Times) + strings.TrimPrefix(kinds, "a line")
	}
	return kinds + " with " + l.As
}

// findWords returns what carried the markers that a text has, in the order in which they are in it. A pattern chooses
// among them.
func findWords(s judge.Start, text, pattern string) (in []string) {
	type found struct {
		in string
		at int
	}
	var all []found
	for _, m := range s.Run.Markers {
		if is, err := path.Match(pattern, m.In); err != nil || !is || m.Word == "" {
			continue
		}
		for from := 0; ; {
			i := strings.Index(text[from:], m.Word)
			if i < 0 {
				break
			}
			all = append(all, found{m.In, from + i})
			from += i + len(m.Word)
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.at, b.at) })
	for _, f := range all {
		in = append(in, f.in)
	}
	return in
}

// describeWords returns in words what a text is made of.
func describeWords(s judge.Start, text string, due lineDue) string {
	if words := findWords(s, text, "*"); len(words) > 0 {
		return "the texts of " + shorten.Clip(strings.Join(words, ", "), 120)
	}
	return "no text of " + due.As
}

// eventParams choose what of the events of a stream is judged.
type eventParams struct {
	Plays []string `json:"plays"`
	Uses  []string `json:"uses"`
	// What is judged: order, that events are reported in the order in which they came; time, that each is reported
	// soon; left, that the one described by Event is not reported.
	What    string  `json:"what"`
	Words   string  `json:"words"`   // a pattern for what carried the markers of the events
	Seconds float64 `json:"seconds"` // in which an event is reported
	Left    string  `json:"left"`    // what carried the marker of the event that is not reported
	State   string  `json:"state"`   // or the state that it brings
	Event   string  `json:"event"`   // that event, in words
}

// checkReportedEvents judges what the program of the client reported while it read a stream. What it put together afterwards
// does not count, and neither does what may be the answer to a later call.
func checkReportedEvents(t *judge.T, p eventParams) {
	judge.EachOf(t, t.ReportingStarts(p.Plays...), func(s judge.Start) {
		demandUseAndEnd(t, s, p.Uses)
		call, lines := readStreamReport(t, s)
		switch p.What {
		case "order":
			judgeReportedOrder(t, s, p, lines)
		case "time":
			judgeReportedTimes(t, s, p, call, lines)
		case "left":
			judgeLeftEvent(t, s, p, lines)
		default:
			panic(fmt.Errorf("there is no sentence %q about reported events", p.What))
		}
	})
}

// readStreamReport returns the first call of a start that was answered by a stream, and the lines that were printed before the next
// call, except for those on artifacts that were put together.
func readStreamReport(t *judge.T, s judge.Start) (call judge.Request, lines []judge.Reported) {
	calls := s.Requests(judge.Request.IsCall)
	i := slices.IndexFunc(calls, func(r judge.Request) bool { return r.Exchange.IsStream() })
	if i < 0 {
		s.Last()
		t.StopInconclusive("", "the client read no stream in the scenario '%s'", s.Play.Scenario)
	}
	for _, r := range s.Reported() {
		if !r.Assembled && r.At >= calls[i].Exchange.Start && (i+1 == len(calls) || r.At < calls[i+1].Exchange.Start) {
			lines = append(lines, r)
		}
	}
	return calls[i], lines
}

// judgeReportedOrder judges whether marked texts were reported in the order of their numbers. Of a text that grows, the last one
// counts.
func judgeReportedOrder(t *judge.T, s judge.Start, p eventParams, lines []judge.Reported) {
	var order []string
	for _, m := range s.Run.Markers {
		order = append(order, m.In)
	}
	var last judge.Reported
	was, seen := -1, 0
	for _, r := range lines {
		words := findWords(s, r.Text, p.Words)
		if len(words) == 0 {
			continue
		}
		seen++
		now := slices.Index(order, words[len(words)-1])
		if now < was {
			t.Fail(r.Value.At("/text"), fmt.Sprintf("reported %s after %s", order[now], order[was]), "the order in which they came", last.Value.At("/text"))
		}
		was, last = now, r
	}
	if seen < 2 {
		t.StopUndecided("the client reported no two of the events one by one")
	}
	t.OK(last.Value)
}

// judgeReportedTimes judges whether marked events were reported soon after they had left.
func judgeReportedTimes(t *judge.T, s judge.Start, p eventParams, call judge.Request, lines []judge.Reported) {
	if s.Run.Disturbed != "" {
		t.StopUndecided("%s", s.Run.Disturbed)
	}
	seen := 0
	for _, e := range call.Exchange.Events() {
		words := findWords(s, e.Data, p.Words)
		if len(words) == 0 {
			continue
		}
		i := slices.IndexFunc(lines, func(r judge.Reported) bool { return slices.Contains(findWords(s, r.Text, p.Words), words[0]) })
		if i < 0 {
			continue
		}
		seen++
		if late := (lines[i].At - e.At).Seconds(); late > p.Seconds {
			t.Fail(lines[i].Value.At("/text"), fmt.Sprintf("reported %s %.1f s after it had been sent", words[0], late), fmt.Sprintf("a report within %v s", p.Seconds))
		}
		t.OK(lines[i].Value)
	}
	if seen == 0 {
		t.StopUndecided("the client reported none of the events by itself")
	}
}

// judgeLeftEvent judges whether one event was not reported, of a client that reports the others.
func judgeLeftEvent(t *judge.T, s judge.Start, p eventParams, lines []judge.Reported) {
	others := 0
	for _, r := range lines {
		switch {
		case len(findWords(s, r.Text, p.Left)) > 0, p.State != "" && r.HasState(p.State):
			t.Fail(r.Value, "took "+p.Event, "nothing of that event")
		case len(findWords(s, r.Text, p.Words)) > 0:
			others++
		}
	}
	if others == 0 {
		t.StopUndecided("the client reported none of the other events by itself")
	}
	t.OK(s.Last())
}

// reportedErrorParams choose what of an error has to be reported.
type reportedErrorParams struct {
	Plays []string `json:"plays"`
	Uses  []string `json:"uses"`
	Shows []string `json:"shows"` // code or text, or both
	// Like are scenarios with plain errors: what the client does not report of these is not due. Without one it is what the
	// scenario is compared with.
	Like      []string `json:"like"`
	Tolerated []string `json:"tolerated"` // scenarios in which all of this is a finding
}

// checkReportedErrors judges whether the program of the client reported the errors by which its calls were refused.
func checkReportedErrors(t *judge.T, p reportedErrorParams) {
	starts := t.ReportingStarts(p.Plays...)
	t.Calls()
	judge.EachOf(t, starts, func(s judge.Start) {
		demandUseAndEnd(t, s, p.Uses)
		refusals := s.Refusals()
		if len(refusals) == 0 {
			s.Last()
			t.StopInconclusive("", "no call of the client was refused in the scenario '%s'", s.Play.Scenario)
		}
		due := chooseErrorSigns(t, s, p)
		got, at := "reported no error", s.Last()
		for _, r := range s.Reported("error") {
			lacks := slices.DeleteFunc(slices.Clone(due), func(sign string) bool {
				return slices.ContainsFunc(refusals, func(v judge.Value) bool { return showsErrorSign(s, r, v, sign) })
			})
			if len(lacks) == 0 {
				t.OK(r.Value)
				return
			}
			got, at = "reported an error without its "+strings.Join(lacks, " and "), r.Value
		}
		wants := fmt.Sprintf("the %s of the error %s", strings.Join(due, " and the "), describeRefusal(refusals[len(refusals)-1]))
		if s.IsOf(p.Tolerated...) {
			t.Tolerate(at, "in the scenario '%s' the client %s; %s would help its users", s.Play.Scenario, got, wants)
			return
		}
		t.Fail(at, got, wants)
	})
}

// chooseErrorSigns returns what the client has to report of an error: of what the requirement is about, that which it reports of a
// plain error too, or whatever it reports of that.
func chooseErrorSigns(t *judge.T, s judge.Start, p reportedErrorParams) []string {
	like := p.Like
	if len(like) == 0 {
		like = []string{twinOf(s)}
	}
	refused := 0
	shown := map[string]bool{}
	for _, plain := range t.AllStarts() {
		if !plain.IsOf(like...) {
			continue
		}
		for _, v := range plain.Refusals() {
			refused++
			for _, r := range plain.Reported("error") {
				for _, sign := range []string{"code", "text"} {
					shown[sign] = shown[sign] || showsErrorSign(plain, r, v, sign)
				}
			}
		}
	}
	due := slices.DeleteFunc(slices.Clone(p.Shows), func(sign string) bool { return refused > 0 && !shown[sign] })
	for _, sign := range []string{"code", "text"} {
		if len(due) == 0 && shown[sign] {
			return []string{sign}
		}
	}
	if len(due) == 0 {
		t.StopUndecided("the client reports neither the code nor the text of plain errors")
	}
	return due
}

// showsErrorSign reports whether a line has the code of an error, or what it is called, or its text.
func showsErrorSign(s judge.Start, r judge.Reported, refusal judge.Value, sign string) bool {
	if sign == "text" {
		return len(findWords(s, r.Message+" "+r.Text, "error")) > 0
	}
	texts := []string{r.Code, r.Name, r.Reason, r.Message}
	for _, code := range listErrorCodes(refusal) {
		if r.Code == code || len(code) > 3 && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, code) }) {
			return true
		}
	}
	return slices.ContainsFunc(listErrorWords(refusal), func(word string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(foldName(text), foldName(word)) })
	})
}

// listErrorCodes returns the numbers that stand for an error: the one that was sent, and those that the dialect has for it.
func listErrorCodes(refusal judge.Value) (codes []string) {
	codes = append(codes, refusal.ErrorCode().Number())
	for _, name := range refusal.ErrorNames() {
		codes = append(codes, fmt.Sprint(refusal.ErrorSign(name).Code))
	}
	return slices.DeleteFunc(codes, func(code string) bool { return code == "" || code == "0" })
}

// listErrorWords returns the words that stand for an error: the one that was sent, and those that the dialect has for it.
func listErrorWords(refusal judge.Value) (words []string) {
	words = append(words, refusal.ErrorCode().Text())
	for _, name := range refusal.ErrorNames() {
		words = append(words, name, refusal.ErrorSign(name).Reason)
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

func describeRefusal(v judge.Value) string {
	return shorten.Visible(shorten.Clip(cmp.Or(v.ErrorName(), v.ErrorCode().Number(), v.ErrorCode().Text()), 60), 60)
}

// separateParams name scenarios in which errors are sent that only their details tell apart.
type separateParams struct {
	Plays  []string `json:"plays"`
	Status int      `json:"status"` // the HTTP status that they share
	Codes  bool     `json:"codes"`  // errors without details count too: their codes tell them apart
	GRPC   string   `json:"grpc"`   // the status of gRPC that they share, in place of one of HTTP
	ByGRPC bool     `json:"byGRPC"` // those are compared that have different statuses of gRPC
}

// hasStatus reports whether an error is one that is compared.
func (p *separateParams) hasStatus(v judge.Value) bool {
	if p.GRPC != "" || p.ByGRPC {
		return v.Exchange().GRPC().Failed() && (p.ByGRPC || v.Exchange().GRPC().Status() == p.GRPC)
	}
	return v.Exchange().Status() == p.Status
}

// nameReason returns what distinguishes an error from others; "" if nothing does.
func (p *separateParams) nameReason(v judge.Value) string {
	if p.ByGRPC {
		return v.Exchange().GRPC().Status()
	}
	if name := v.ErrorName(); name != "" && (p.Codes || v.ErrorSign(name).Reason != "") {
		return name
	}
	return ""
}

// describeErrors returns what the errors have in common, and in what they differ.
func (p *separateParams) describeErrors() (common, apart string) {
	switch {
	case p.ByGRPC:
		return "over gRPC", "statuses"
	case p.GRPC != "":
		return "with the gRPC status " + p.GRPC, "reasons"
	}
	return fmt.Sprintf("with the HTTP status %d", p.Status), "reasons"
}

// checkSeparatedErrors judges whether the program of the client reports errors otherwise that have the same HTTP status and
// different reasons.
func checkSeparatedErrors(t *judge.T, p separateParams) {
	t.Calls() // it may make none in such a binding, and then the scenarios of that are not played
	starts := t.ReportingStarts(p.Plays...)
	type report struct {
		line   judge.Reported
		reason string
		text   string
	}
	var all []report
	for _, s := range starts {
		refusals := slices.DeleteFunc(s.Refusals(), func(v judge.Value) bool {
			return !p.hasStatus(v) || p.nameReason(v) == ""
		})
		lines := s.Reported("error")
		if len(refusals) == 0 || len(lines) == 0 {
			continue
		}
		r := lines[len(lines)-1]
		text := strings.Join([]string{r.Code, r.Name, r.Reason, r.Message}, "\n")
		for _, m := range s.Run.Markers {
			if m.Word != "" {
				text = strings.ReplaceAll(text, m.Word, "")
			}
		}
		all = append(all, report{r, p.nameReason(refusals[0]), text})
	}
	pairs := 0
	common, apart := p.describeErrors()
	judge.Each(t, all, func(b report) {
		for _, a := range all {
			if a.line.Value.Exchange() == b.line.Value.Exchange() {
				break
			}
			if a.reason == b.reason {
				continue
			}
			pairs++
			if a.text == b.text {
				t.Fail(b.line.Value, fmt.Sprintf("reported the error %s like %s", b.reason, a.reason), "another report, since the "+apart+" differ", a.line.Value)
			}
		}
		t.OK(b.line.Value)
	})
	if pairs == 0 {
		t.StopVacuous("the client reported no two errors %s and different %s", common, apart)
	}
}
