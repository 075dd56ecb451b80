package record

import (
	"encoding/json"
	"strings"
)

// Said is one line by which the program of a client reported what it saw, or that it has nothing for a command. Its
// members are those of the line (docs/adapters.md), without secrets and bounded; members that are not listed
// there are left out.
type Said struct {
	At   Instant `json:"at"`   // when the line was read
	Line int     `json:"line"` // its number on the standard output of the play, from 1

	Saw    string `json:"saw,omitempty"`    // card, task, message, status, artifact, part, notice, error or end
	Cannot string `json:"cannot,omitempty"` // the command that it has nothing for

	Name    string `json:"name,omitempty"`    // of a card or an error
	ID      string `json:"id,omitempty"`      // of a task, a message or an artifact
	Task    string `json:"task,omitempty"`    // that something belongs to
	Context string `json:"context,omitempty"` // that something belongs to
	State   string `json:"state,omitempty"`   // of a task, in the words of the dialect or of the client
	Text    string `json:"text,omitempty"`
	Kind    string `json:"kind,omitempty"`    // of a part: text, file, url or data
	Code    string `json:"code,omitempty"`    // of an error, as it was written
	Reason  string `json:"reason,omitempty"`  // of an error
	Message string `json:"message,omitempty"` // the text of an error
	Role    string `json:"role,omitempty"`    // of a message, or of that of a status, in the words of the dialect or of the client
	History string `json:"history,omitempty"` // how many messages the history of a task has, as it was written
	Of      string `json:"of,omitempty"`      // what has ended: stream, task or scenario
	// Assembled is set if the text of an artifact is all of it, put together from its chunks.
	Assembled bool `json:"assembled,omitempty"`
	// Exit is the exit code that a program has for one of several scenarios that it plays: of the end of a scenario.
	Exit int `json:"exit,omitempty"`
	// Cut is set if a text was too long to be kept whole.
	Cut bool `json:"cut,omitempty"`
}

// FormatLine returns the line as a program would print it, with the members that are kept.
func (s Said) FormatLine() string {
	s.Cut = false
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(struct {
		At   *int `json:"at,omitempty"`
		Line *int `json:"line,omitempty"`
		Said
	}{Said: s}); err != nil {
		panic(err) // it is made of texts and numbers
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// Misread is a line that was meant to report what the client saw, and cannot be read.
type Misread struct {
	Line int    `json:"line"` // its number on the standard output of the play, from 1
	Text string `json:"text"` // its beginning
	Why  string `json:"why"`  // and what to print instead
}
