package client

import "errors"

// taskMutants do the wrong thing about a task.
var taskMutants = []mutant{
	{name: "cut-as-success", variant: "streaming", summary: "takes a stream that was cut for a complete one",
		habit: func(h *habits) { h.cutIsSuccess = true }},
	{name: "cut-sends-again", variant: "streaming", summary: "sends the message again, as a new one, after a cut",
		habit: func(h *habits) {
			h.insteadOfFollowing = func(s *session, m outgoingMessage) error { return s.sendAgain(m) }
		}},
	{name: "reconnects-at-once", variant: "streaming", summary: "takes a stream up again without pauses, a hundred times",
		habit: func(h *habits) { h.reconnectPause, h.maxReconnects = 0, 103 }},
	{name: "subscribes-after-end", variant: "streaming", summary: "subscribes to a task that has ended",
		habit: actAfterwards(func(s *session) error {
			if !s.usesStreams() {
				return nil
			}
			if err := s.waitFor(s.habits.pause); err != nil { // until the agent has ended the stream
				return err
			}
			_ = s.readStream(subscribe, s.nameTask())
			return nil
		})},
	{name: "waiting-as-cut", variant: "streaming", summary: "takes a stream that ends while the task waits for input for a lost connection",
		habit: func(h *habits) { h.waitingIsCut = true }},
	{name: "unknown-state-as-end", summary: "takes an unknown state for the end of the task",
		habit: func(h *habits) { h.unknownIsEnd = true }},
	{name: "unknown-state-fatal", summary: "crashes at a state that it does not know",
		habit: refuseResults(func(s *session, result object) error {
			if now := s.dialect.readUpdate(result).state; now != "" && !now.isKnown() {
				return errors.New("unknown state of a task")
			}
			return nil
		})},
	{name: "any-end-is-done", summary: "takes every end of a task for success",
		habit: func(h *habits) { h.anyEndIsDone = true }},
	{name: "working-as-result", variant: "polling", summary: "takes a task that works for the result",
		habit: func(h *habits) { h.followsNot = true }},
	{name: "polls-without-end", summary: "polls until the task is completed, also if it has failed",
		habit: func(h *habits) { h.endsOnlyAtCompleted = true }},
	{name: "polls-after-end", summary: "looks at a task five times after its end",
		habit: actAfterwards(func(s *session) error {
			for range 5 {
				if err := s.waitFor(s.habits.pause); err != nil {
					return err
				}
				if _, err := s.callForResult(get, s.nameTask()); err != nil {
					return nil
				}
			}
			return nil
		})},
	{name: "polls-without-pause", variant: "polling", summary: "polls without pauses",
		habit: func(h *habits) { h.pause = 0 }},
	{name: "polls-when-gone", variant: "polling", summary: "polls on when the agent says that the task is gone",
		habit: func(h *habits) { h.takesErrorsForNotYet = true }},
	{name: "auth-required-as-end", dialect: "a2a-1.0", variant: "polling", summary: "takes a task that waits for authorisation for one that has ended",
		habit: func(h *habits) { h.authIsEnd = true }},
	{name: "auth-required-ignored", dialect: "a2a-1.0", summary: "waits while a task waits for authorisation, and does not look at it",
		habit: func(h *habits) { h.authIgnored = true }},
	{name: "cancels-finished-task", summary: "cancels a task that has ended",
		habit: actAfterwards(func(s *session) error {
			_, _ = s.callForResult(cancel, s.nameTask())
			return nil
		})},
	{name: "cancels-working-task", variant: "polling", summary: "cancels a task that works, though nobody asked for that",
		habit: func(h *habits) {
			h.insteadOfFollowing = func(s *session, _ outgoingMessage) error { return s.callAndUpdate(cancel, s.nameTask()) }
		}},
	{name: "cancels-by-wish", variant: "reporting", summary: "reports a task as canceled, whatever the agent answered",
		habit: func(h *habits) { h.wishIsState = true }},
	{name: "auth-as-failure", variant: "reporting", summary: "reports a task that waits for authorisation as failed",
		habit: func(h *habits) { h.authIsFailure = true }},
	{name: "question-as-end", variant: "reporting", summary: "reports a task that asks back as ended",
		habit: func(h *habits) { h.questionIsEnd = true }},
	{name: "lookup-unsupported", variant: "reporting", summary: "has nothing to look a task up with",
		habit: func(h *habits) { h.lacks = "get" }},
	{name: "list-started-over", dialect: "a2a-1.0", variant: "reporting", summary: "sends the empty token of the last page, and starts over",
		habit: func(h *habits) { h.startsListOver = true }},
	{name: "list-started-over", dialect: "a2a-0.3", variant: "thorough", summary: "sends the empty token of the last page, and starts over",
		habit: func(h *habits) { h.startsListOver = true }},
	{name: "lists-without-end", dialect: "a2a-1.0", variant: "reporting", summary: "follows the tokens of a list, also if they repeat",
		habit: func(h *habits) { h.listsWithoutLimit = true }},
	{name: "no-time-limit", summary: "waits without a limit",
		habit: func(h *habits) { h.unlimited = true }},
}

// actAfterwards makes a habit of something that is done at the end if there was a task.
func actAfterwards(do func(*session) error) func(*habits) {
	return func(h *habits) { h.afterwards = do }
}

// sendAgain sends the text of a message again, as a new one.
func (s *session) sendAgain(m outgoingMessage) error {
	m.id = newID()
	return s.sendMessage(m)
}
