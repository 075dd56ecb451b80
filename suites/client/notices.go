package client

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// noticeParams choose what of the notifications is judged that were brought to a webhook of the client.
type noticeParams struct {
	Plays []string `json:"plays"`
	Ops   []string `json:"ops"` // by which a webhook is registered without a message
	// Message is the pointer of a webhook in the parameters of a call that sends a message.
	Message string `json:"message"`
	// What is judged: acknowledged, that genuine ones are accepted; kinds, that those of every kind are; prompt, that they are answered
	// soon; fetches, that the task is looked up afterwards; once, that a repeated one has one effect; believed, that forged ones have none.
	What    string   `json:"what"`
	Seconds float64  `json:"seconds"`
	Gets    []string `json:"gets"`  // the operations that look a task up
	Kinds   []string `json:"kinds"` // of the notifications that are judged
	Of      string   `json:"of"`    // what the client asked for, without which none of them is sent
	State   string   `json:"state"` // that they bring, and nothing else does
	Mark    string   `json:"mark"`  // what carried the marker in their text
	// Free has a look at the task be no sign of belief, and More is the kind of forged notifications that are sent only to a client
	// which asked for more: of such a client, belief is a finding.
	Free bool   `json:"free"`
	More string `json:"more"`
}

// checkNotices judges what the client makes of notifications.
func checkNotices(t *judge.T, p noticeParams) {
	starts := t.Starts(p.Plays...)
	if p.What == "once" {
		starts = t.ReportingStarts(p.Plays...)
	}
	judge.EachOf(t, starts, func(s judge.Start) {
		all := listNotifications(t, s, p)
		switch p.What {
		case "acknowledged":
			judgeAcknowledgement(t, all)
		case "kinds":
			judgeKindsOfNotices(t, all)
		case "prompt":
			judgePromptness(t, s, p, all)
		case "fetches":
			judgeFetches(t, s, p, all)
		case "once":
			judgeRepeatedNotice(t, s, p, all)
		case "believed":
			judgeForgedNotices(t, s, p, all)
		default:
			panic(fmt.Errorf("there is no sentence %q about notifications", p.What))
		}
	})
}

// listNotifications returns the notifications of a start that were sent. Without one the requirement is not judged.
func listNotifications(t *judge.T, s judge.Start, p noticeParams) (sent []judge.Notification) {
	all := s.Notifications()
	if len(all) == 0 {
		stopWithoutNotifications(t, s, p)
	}
	trouble := ""
	for _, n := range all {
		switch {
		case n.Exchange == nil:
			t.StopUndecidedWithRemedy(n.Remedy, "no notification was sent: %s", n.NotSent)
		case n.IsAnswered() || n.Exchange.Ended == record.Timeout:
			sent = append(sent, n)
		case trouble == "":
			trouble = n.Exchange.Trouble
		}
	}
	if len(sent) == 0 {
		t.StopUndecided("no notification came to the webhook in the scenario '%s', which has to be open until the task has ended: %s", s.Play.Scenario, shorten.Visible(shorten.Clip(trouble, 120), 120))
	}
	return sent
}

// stopWithoutNotifications leaves a requirement unjudged for want of a webhook.
func stopWithoutNotifications(t *judge.T, s judge.Start, p noticeParams) {
	if slices.ContainsFunc(messagesOf(t, s), func(r judge.Request) bool { return p.Message != "" && r.Params.At(p.Message).Exists() }) {
		t.StopUndecided("the client waited for the end of its task in the scenario '%s', so that there was nothing to notify it of: have it ask the agent not to wait", s.Play.Scenario)
	}
	if used := t.Case.Transcript.Facts.Calibration; used != nil && !slices.ContainsFunc(p.Ops, func(op string) bool { return !slices.Contains(used.NeverUsed, op) }) {
		t.StopNotApplicable("the client registered no webhook")
	}
	s.Last()
	t.StopInconclusive("", "the client registered no webhook in the scenario '%s'", s.Play.Scenario)
}

// describeAnswer returns in words what a webhook answered to a notification.
func describeAnswer(n judge.Notification) string {
	if !n.IsAnswered() {
		return "did not answer the notification `" + n.DescribeKind() + "`"
	}
	return fmt.Sprintf("answered the notification `%s` by HTTP %d", n.DescribeKind(), n.Exchange.Status())
}

// tokenField is the header field in which we send the token of a webhook. Texts have it as an example, if at all.
const tokenField = "X-A2A-Notification-Token"

// judgeAcknowledgement judges whether any genuine notification was accepted.
func judgeAcknowledgement(t *judge.T, all []judge.Notification) {
	for _, n := range all {
		if !n.Invalid && n.IsAccepted() {
			t.OK(n.Answer)
			return
		}
	}
	why := "no genuine notification came to the webhook"
	for _, n := range all {
		status := n.Exchange.Status()
		switch {
		case n.Invalid:
		case !n.IsAnswered():
			why = "the webhook answered no genuine notification in our time; agents may wait for 30 s"
		case n.IsOf("end") && slices.Contains([]int{404, 409, 410}, status):
			why = "the client " + describeAnswer(n) + ": it may have no use for one about a task that it knows has ended"
		case (status == 401 || status == 403) && n.Exchange.Request.Header().Get(tokenField) != "":
			t.StopUndecided("the client %s: it may want its token elsewhere than in %s", describeAnswer(n), tokenField)
		default:
			t.Fail(n.Answer, describeAnswer(n), "a status of 2xx")
		}
	}
	t.StopUndecided("%s", why)
}

// judgeKindsOfNotices judges whether notifications of every kind were accepted. The answer to one that came before is free, and a
// client may be late or limit their rate.
func judgeKindsOfNotices(t *judge.T, all []judge.Notification) {
	demandAcceptance(t, all)
	judge.Each(t, all, func(n judge.Notification) {
		switch {
		case n.Invalid || n.IsRepeated() || n.IsOf("end"):
		case !n.IsAnswered() || n.Exchange.Status() == 429 || n.Exchange.Status() == 503:
		case !n.IsAccepted():
			t.Fail(n.Answer, describeAnswer(n), "a status of 2xx, as for the others")
		default:
			t.OK(n.Answer)
		}
	})
}

// demandAcceptance leaves a requirement undecided if no genuine notification was accepted.
func demandAcceptance(t *judge.T, all []judge.Notification) judge.Notification {
	i := slices.IndexFunc(all, func(n judge.Notification) bool { return !n.Invalid && n.IsAccepted() })
	if i < 0 {
		t.StopUndecided("the webhook accepted no genuine notification")
	}
	return all[i]
}

// judgePromptness judges how soon notifications were answered.
func judgePromptness(t *judge.T, s judge.Start, p noticeParams, all []judge.Notification) {
	if s.Run.Disturbed != "" {
		t.StopUndecided("%s", s.Run.Disturbed)
	}
	judge.Each(t, all, func(n judge.Notification) {
		if took := (n.Exchange.End - n.Exchange.Start).Seconds(); took > p.Seconds {
			t.Fail(n.Answer, fmt.Sprintf("%s after %.1f s", describeAnswer(n), took), fmt.Sprintf("an answer within %v s", p.Seconds))
		}
		t.OK(n.Answer)
	})
}

// judgeFetches shows whether the client looks its task up after a notification.
func judgeFetches(t *judge.T, s judge.Start, p noticeParams, all []judge.Notification) {
	first := demandAcceptance(t, all)
	if after := startedAfter(s.Calls(p.Gets...), first.Exchange.Start); len(after) > 0 {
		t.OK(after[0].Call)
		return
	}
	t.StopNotApplicable("the client makes no use of the permission: it looked no task up after a notification")
}

// judgeRepeatedNotice judges whether the client reported a notification once that came twice.
func judgeRepeatedNotice(t *judge.T, s judge.Start, p noticeParams, all []judge.Notification) {
	var twice []judge.Notification
	for _, n := range all {
		if slices.ContainsFunc(p.Kinds, n.IsOf) && n.IsAccepted() {
			twice = append(twice, n)
		}
	}
	if len(twice) < 2 {
		t.StopUndecided("the webhook did not accept the two notifications that are the same")
	}
	var lines []judge.Reported
	for _, r := range s.Reported("notice") {
		if r.HasState(p.State) || r.State == "" && r.At >= twice[0].Exchange.Start && r.At < endOfReaction(all, twice[1]) {
			lines = append(lines, r)
		}
	}
	switch len(lines) {
	case 0:
		t.StopUndecided("the client did not report the notification that came twice")
	case 1:
		t.OK(lines[0].Value)
	default:
		t.Fail(lines[1].Value, fmt.Sprintf("reported it %d times", len(lines)), "one report of a notification that came twice", lines[0].Value)
	}
}

// endOfReaction returns when the time ends in which the client reacts to a notification alone: with the next one.
func endOfReaction(all []judge.Notification, n judge.Notification) record.Instant {
	end := record.Instant(1<<63 - 1)
	for _, other := range all {
		if at := other.Exchange.Start; at > n.Exchange.Start && at < end {
			end = at
		}
	}
	return end
}

// judgeForgedNotices judges whether forged notifications were refused, or had no effect. They count only if the genuine one before them
// was accepted.
func judgeForgedNotices(t *judge.T, s judge.Start, p noticeParams, all []judge.Notification) {
	var forged []judge.Notification
	tolerated, late := false, false
	for _, n := range all {
		switch is := slices.ContainsFunc(p.Kinds, n.IsOf); {
		case is && n.IsAnswered():
			forged = append(forged, n)
		case is:
			late = true
		}
		tolerated = tolerated || p.More != "" && n.IsOf(p.More)
	}
	genuine := demandAcceptance(t, all)
	switch {
	case len(forged) > 0:
	case late || p.Of == "": // what nothing has to be asked for is sent to every webhook that is open
		t.StopUndecided("the webhook answered no forged notification in our time")
	default:
		t.StopNotApplicable("the webhook that the client registered asks for no %s", p.Of)
	}
	shown := slices.ContainsFunc(s.Reported("notice"), func(r judge.Reported) bool { return r.At >= genuine.Exchange.Start })
	judge.Each(t, forged, func(n judge.Notification) {
		effect, at, against := findEffect(s, p, all, genuine, n)
		switch {
		case effect != "" && tolerated:
			t.Tolerate(at, "the client %s, and %s: of what it asks for, its token makes no difference", describeAnswer(n), effect)
		case effect != "":
			t.Fail(at, describeAnswer(n)+", and "+effect, "a refusal, or no effect", against...)
		case n.IsAccepted() && printsAll(s, p, forged): // which a log does as well
			t.Tolerate(n.Answer, "the client %s, and printed its text, as that of the genuine one", describeAnswer(n))
		case !n.IsAccepted(), shown:
			t.OK(n.Answer)
		default:
			t.StopUndecidedWithRemedy(judge.AdapterRemedy(&t.Case.Transcript.Facts), "the client %s, and nothing shows whether it took it for genuine", describeAnswer(n))
		}
	})
}

// printsAll reports whether the client printed the text of the genuine notification, and that of the forged ones. These share one,
// so that it may be the text of one that was refused.
func printsAll(s judge.Start, p noticeParams, forged []judge.Notification) bool {
	return isPrinted(s, p.Mark) && isPrinted(s, "notice") && !slices.ContainsFunc(forged, func(n judge.Notification) bool { return !n.IsAccepted() })
}

// findEffect returns what shows that the client took a forged notification for genuine, in words, and the places of that; "" if nothing does.
func findEffect(s judge.Start, p noticeParams, all []judge.Notification, genuine, n judge.Notification) (effect string, at judge.Value, against []judge.Value) {
	if !n.IsAccepted() {
		return "", at, nil
	}
	end := endOfReaction(all, n)
	for _, r := range s.Reported("notice", "task", "status") {
		about := r.Task
		if r.Saw == "task" && about == "" {
			about = r.ID
		}
		switch {
		case n.Task != genuine.Task && about == n.Task:
		case n.Task == genuine.Task && p.State != "" && r.HasState(p.State) && r.At >= n.Exchange.Start:
		case n.Task == genuine.Task && r.Saw == "notice" && r.State == "" && r.At >= n.Exchange.Start && r.At < end && isReportedBetween(s, genuine, all):
		default:
			continue
		}
		return "reported it", r.Value, nil
	}
	if looks := listLooksBetween(s, p, n.Task, n.Exchange.Start, end); !p.Free && len(looks) == 1 && reactsByLooks(s, p, all, n.Task) {
		return "looked the task up at once, as after each genuine one", looks[0].Call, []judge.Value{n.Answer}
	}
	return "", at, nil
}

// isPrinted reports whether the client printed the marker of a text.
func isPrinted(s judge.Start, in string) bool {
	return slices.ContainsFunc(s.Run.Markers, func(m record.Marker) bool { return m.In == in && m.Printed })
}

// isReportedBetween reports whether the client reported the genuine notification before the next one came, so that reports are not
// late.
func isReportedBetween(s judge.Start, genuine judge.Notification, all []judge.Notification) bool {
	end := endOfReaction(all, genuine)
	return slices.ContainsFunc(s.Reported("notice"), func(r judge.Reported) bool { return r.At >= genuine.Exchange.Start && r.At < end })
}

// listLooksBetween returns the calls by which the client looked a task up between two moments.
func listLooksBetween(s judge.Start, p noticeParams, task string, from, to record.Instant) (out []judge.Request) {
	for _, r := range s.Calls(p.Gets...) {
		names := slices.ContainsFunc(r.Params.Strings(), func(v judge.Value) bool { return v.Text() == task })
		if names && r.Exchange.Start >= from && r.Exchange.Start < to {
			out = append(out, r)
		}
	}
	return out
}

// fewReactions is how many notifications show that a client looks its task up because of them, and not by the clock.
const fewReactions = 3

// reactsByLooks reports whether the client looks a task up because of notifications: once after each genuine one that it accepted, and
// never before the first, as it would if it did so by the clock.
func reactsByLooks(s judge.Start, p noticeParams, all []judge.Notification, task string) bool {
	var seen int
	for _, n := range all {
		if n.Invalid || n.Task != task || n.IsOf("end") || !n.IsAccepted() {
			continue
		}
		if seen == 0 && len(listLooksBetween(s, p, task, 0, n.Exchange.Start)) > 0 || len(listLooksBetween(s, p, task, n.Exchange.Start, endOfReaction(all, n))) != 1 {
			return false
		}
		seen++
	}
	return seen >= fewReactions
}
