package client

import "errors"

// streamMutants misread streams.
var streamMutants = []mutant{
	{name: "comment-breaks", variant: "streaming", summary: "breaks off at a comment",
		habit: misreadEvents(func(f *streamFaults) { f.commentBreaks = true })},
	{name: "data-lines-are-events", variant: "streaming", summary: "takes each data line for an event",
		habit: misreadEvents(func(f *streamFaults) { f.linesAreEvents = true })},
	{name: "last-data-line-wins", variant: "streaming", summary: "keeps only the last data line of an event",
		habit: misreadEvents(func(f *streamFaults) { f.lastLineWins = true })},
	{name: "crlf-not-a-line-end", variant: "streaming", summary: "keeps the CR of CR LF in the line, so that no line is blank",
		habit: misreadEvents(func(f *streamFaults) { f.keepsCR = true })},
	{name: "cr-not-a-line-end", variant: "streaming", summary: "does not end a line at CR alone",
		habit: misreadEvents(func(f *streamFaults) { f.feedOnly = true })},
	{name: "mark-hides-event", variant: "streaming", summary: "loses the first event if a byte order mark is before it",
		habit: misreadEvents(func(f *streamFaults) { f.keepsMark = true })},
	{name: "pieces-decoded-alone", variant: "streaming", summary: "decodes each piece of a stream by itself, so that letters break",
		habit: misreadEvents(func(f *streamFaults) { f.piecesAlone = true })},
	{name: "first-events-of-piece", variant: "streaming", summary: "takes only two of the events that arrive at once as the stream begins",
		// On a busy machine events of other streams arrive together, too, but not the first three.
		habit: func(h *habits) { h.stream.cutsFirstPiece, h.cutIsSuccess = true, true }}, // it misses nothing
	{name: "space-after-colon-needed", variant: "streaming", summary: "passes over fields without a space after the colon",
		habit: misreadEvents(func(f *streamFaults) { f.wantsSpace = true })},
	{name: "other-field-breaks", variant: "streaming", summary: "breaks off at a field that is not data",
		habit: misreadEvents(func(f *streamFaults) { f.otherFieldBreaks = true })},
	{name: "empty-event-parsed", variant: "streaming", summary: "parses an event without data",
		habit: misreadEvents(func(f *streamFaults) { f.passesEmpty = true })},
	{name: "long-event-cut", variant: "streaming", summary: "cuts the data of an event after 64 KB",
		habit: misreadEvents(func(f *streamFaults) { f.cutsAt = 64 << 10 })},
	{name: "stream-label-compared", variant: "streaming", summary: "knows text/event-stream only in small letters and without parameters",
		habit: func(h *habits) { h.exactMediaType = true }},
	{name: "unknown-event-fatal", variant: "streaming", summary: "breaks off at an event of an unknown kind",
		habit: refuseResults(func(s *session, result object) error {
			if s.dialect.readStreamed(result).kind == unknownUpdate {
				return errors.New("unknown kind of event")
			}
			return nil
		})},
	{name: "artifact-events-dropped", variant: "reporting", summary: "drops the artifacts of a stream",
		habit: refuseResults(func(s *session, result object) error {
			if s.dialect.readStreamed(result).kind == artifactUpdate {
				clear(result)
			}
			return nil
		})},
	{name: "append-ignored", variant: "reporting", summary: "replaces an artifact by each of its chunks",
		habit: func(h *habits) { h.ignoresAppend = true }},
	{name: "old-pieces-appended", dialect: "a2a-1.0", variant: "reporting", summary: "adds the pieces of the task that begins a subscription to those that it has",
		habit: func(h *habits) { h.appendsOldPieces = true }},
	{name: "stream-left-open", variant: "reporting", summary: "leaves the connection of a stream open that is not read any more",
		habit: func(h *habits) { h.leavesStreamOpen = true }},
	{name: "waits-for-final", variant: "streaming", summary: "waits for an event with final, which 0.3 has",
		habit: func(h *habits) { h.waitsForFinal = true }},
	{name: "waits-for-close", variant: "streaming", summary: "reads on after the event with final, until the connection ends",
		habit: func(h *habits) { h.waitsForClose = true }},
	{name: "bare-event-fatal", dialect: "a2x-0.3", variant: "reporting", summary: "reads no event without the envelope of JSON-RPC",
		habit: func(h *habits) { h.envelopesAlone = true }},
	{name: "refused-stream-as-empty", variant: "streaming", summary: "looks for events in the refusal of a stream, and takes it for an empty one",
		habit: func(h *habits) { h.readsAnythingAsStream = true }},
	{name: "silence-fatal", variant: "streaming", summary: "ends streams that last longer than a second",
		habit: func(h *habits) { h.readLimit = 5 * h.pause }},
	{name: "event-error-skipped", variant: "reporting", summary: "passes over an error within a stream",
		habit: rewriteErrors(func(c *call, e *rpcError, _ any) error {
			if c.op == stream || c.op == subscribe {
				return nil
			}
			return e
		})},
}

// misreadEvents makes a habit of mistakes in reading events.
func misreadEvents(edit func(*streamFaults)) func(*habits) {
	return func(h *habits) { edit(&h.stream) }
}
