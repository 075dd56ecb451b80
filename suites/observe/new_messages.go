package observe

import (
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// CallsWithoutTaskOrContext returns the calls of the whole run that brought the agent a message of its own: a
// valid one that names neither a task nor a context, and is not a repetition of another.
// What the server names in reply to each of them, it names anew. Plays may share an
// exchange, which counts once.
func CallsWithoutTaskOrContext(t *judge.T) (out []judge.Step) {
	had, sent := map[*record.Exchange]bool{}, map[string]bool{}
	for p, o := range TranscriptSteps(t) {
		if !t.Case.Dialect.Operation(o.Op).Agent || o.Invalid || o.Contradicts || had[o.Exchange] {
			continue
		}
		s, same := resolveRecordedStep(t, p, o)
		if !same || !s.Exchange.Answered() {
			continue
		}
		had[s.Exchange] = true
		message := SentMessageMember(t, s, "id")
		if SentMessageMember(t, s, "task.id") != "" || SentMessageMember(t, s, "task.context") != "" || message != "" && sent[message] {
			continue
		}
		sent[message] = true
		out = append(out, s)
	}
	return out
}

// NamedTask returns the id by which a reply, or the first event of a stream that has one, names
// its task; nothing exists there if none does.
func NamedTask(t *judge.T, s judge.Step) judge.Value {
	if !s.Exchange.IsStream() {
		return s.Reply().Result().Read("task.id")
	}
	for _, e := range s.Events() {
		if id := e.Result().Read("task.id"); id.IsString() {
			return id
		}
	}
	return judge.Value{}
}

// ContradictedTasks returns the tasks that calls were about which contradict what had been
// agreed on, such as a message that names another context. What is in them afterwards may
// come of that, unless the server refused the call: then the task is as it was.
func ContradictedTasks(t *judge.T) map[string]bool {
	out := map[string]bool{}
	for i := range t.Case.Transcript.Plays {
		p := &t.Case.Transcript.Plays[i]
		for j, s := range p.Steps {
			wrong := s.Contradicts || s.Invalid && t.Case.Dialect.Operation(s.Op).Agent || leavesContext(p, j)
			if wrong && s.Task != "" && s.Exchange != nil && !isRefusedByError(t, p, s) {
				out[s.Task] = true
			}
		}
	}
	return out
}

// isRefusedByError reports whether a recorded call was answered by an error alone.
func isRefusedByError(t *judge.T, p *record.Play, o record.Step) bool {
	s, same := resolveRecordedStep(t, p, &o)
	return same && s.Exchange.Answered() && !s.Exchange.IsStream() && match.IsError(s.Reply())
}

// leavesContext reports whether a probe went to a task of its play in another context than
// the play had it in before. Runs that were recorded earlier do not mark such a call.
func leavesContext(p *record.Play, i int) bool {
	s := &p.Steps[i]
	if s.Role != record.Probe || s.Task == "" || s.Context == "" {
		return false
	}
	for _, before := range p.Steps[:i] {
		if before.Role == record.Main && before.Task == s.Task && before.Context != "" {
			return before.Context != s.Context
		}
	}
	return false
}
