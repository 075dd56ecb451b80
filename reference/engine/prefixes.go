package engine

import (
	"encoding/base64"
	"strings"
	"time"
)

// Prefixes of ACTS, the A2A Conformance Test Specification (section 11.2 of the draft): a message whose first text begins
// with one asks for a behaviour. tck-auth-required is not in the draft, but in its tests.
const (
	MessagePrefix = "tck-message-response" // answered without a task, before any work begins

	// longWork is how long the work takes that tck-long-running asks for.
	longWork = 2 * time.Second
	// endlessWork is how long tck-cancel works unless it is canceled.
	endlessWork = time.Hour
	// stepWork is the time between two events that a stream shows.
	stepWork = 40 * time.Millisecond
	// finalAnswer ends the questions of tck-multi-turn.
	finalAnswer = "done"
)

// prefixScripts are the behaviours by prefix.
var prefixScripts = map[string]func(u *turn, rest string){
	"tck-complete-task":     (*turn).completeTaskEchoingAnswer,
	"tck-input-required":    (*turn).askQuestions,
	"tck-reject-task":       (*turn).rejectOrFailTask,
	"tck-artifact-text":     func(u *turn, _ string) { u.completeWithArtifact(Text("Generated text content")) },
	"tck-artifact-file":     func(u *turn, _ string) { u.completeWithArtifact(Part{File: newInlineFile()}) },
	"tck-artifact-file-url": func(u *turn, _ string) { u.completeWithArtifact(Part{File: newLinkedFile()}) },
	"tck-artifact-data": func(u *turn, _ string) {
		u.completeWithArtifact(Part{Data: map[string]any{"key": "value", "count": 3}})
	},
	"tck-long-running":   (*turn).workLongAndComplete,
	"tck-multi-turn":     (*turn).askUntilFinalAnswer,
	"tck-cancel":         func(u *turn, _ string) { u.simulateWork(endlessWork) },
	"tck-stream-basic":   (*turn).streamOneArtifact,
	"tck-stream-chunked": (*turn).deliverPiecesAndComplete,
	"tck-task-failure":   (*turn).failOnRequest,
	"tck-auth-required":  (*turn).needAuth,
}

// findPrefixScript returns the behaviour that the beginning of a text asks for.
func findPrefixScript(text string) (script func(u *turn, rest string), rest string) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	return prefixScripts[word], rest
}

func newInlineFile() *File {
	return &File{Name: "output.txt", MIME: "text/plain", Bytes: base64.StdEncoding.EncodeToString([]byte("File content"))}
}

func newLinkedFile() *File {
	return &File{Name: "output.txt", MIME: "text/plain", URI: "https://files.example.com/output.txt"}
}

// completeWithArtifact delivers one artifact of one part.
func (u *turn) completeWithArtifact(part Part) {
	u.deliverArtifact(Artifact{Name: "output", Parts: []Part{part}})
	u.completeTaskWithMessage("The artifact is ready.")
}

// workLongAndComplete works for a while and then delivers an artifact.
func (u *turn) workLongAndComplete(string) {
	if u.simulateWork(longWork) {
		u.completeWithArtifact(Text("The result of long work."))
	}
}

// streamOneArtifact delivers an artifact between two updates of the status, each in its time.
func (u *turn) streamOneArtifact(string) {
	if !u.simulateWork(stepWork) {
		return
	}
	u.deliverArtifact(Artifact{Name: "output", Parts: []Part{Text("Streamed content")}})
	if u.simulateWork(stepWork) {
		u.completeTaskWithMessage("The stream is complete.")
	}
}

// askUntilFinalAnswer asks again after every answer but the final one.
func (u *turn) askUntilFinalAnswer(string) {
	u.engine.mu.Lock()
	u.task.untilFinal = true
	u.engine.mu.Unlock()
	u.askOrCompleteWithQuestion()
}
