package adapter

import (
	"encoding/json"
	"slices"
	"strings"
)

// Words of commands.
const (
	Send         = "send"
	Stream       = "stream"
	Get          = "get"
	List         = "list"
	Cancel       = "cancel"
	Subscribe    = "subscribe"
	Push         = "push"
	GetCard      = "card"
	ExtendedCard = "extended-card"
	Stop         = "stop"
)

// ListCommands lists the words of all commands.
func ListCommands() []string {
	return []string{Send, Stream, Get, List, Cancel, Subscribe, Push, GetCard, ExtendedCard, Stop}
}

// IsCommand reports whether a word is that of a command.
func IsCommand(word string) bool { return slices.Contains(ListCommands(), word) }

// LastTask names the task of the call before, in Command.Task.
const LastTask = "last"

// Command is one thing that a program is to do with its client.
type Command struct {
	Do   string `json:"do"`
	Text string `json:"text,omitempty"` // of send and stream
	// Wait is false if send and stream return as soon as the task is known; nil if they follow it to its end.
	Wait  *bool  `json:"wait,omitempty"`
	Task  string `json:"task,omitempty"`  // LastTask, or an id: of send and stream that go on with a task, get, cancel, subscribe and push
	After int    `json:"after,omitempty"` // of stop: so many events of the stream that the command before it opens
	// Since is a moment, as RFC 3339 has it: list asks only for tasks whose status changed after it, if the client can.
	Since string `json:"since,omitempty"`
	// Signed is set if the webhook of push asks for tokens that are signed by the keys of the context.
	Signed bool `json:"signed,omitempty"`
}

// EncodeLine writes the command as JSON.
func (c Command) EncodeLine() string { return encodeLine(c) }

// NoWait is the Wait of a command that returns as soon as the task is known.
func NoWait() *bool { return new(bool) }

// Context is what a program is given for one scenario, as JSON. Credentials are by their kinds: bearer, basic, key, client-id
// and client-secret. Hook is empty unless the client's webhook is always at the same address.
type Context struct {
	Scenario    string            `json:"scenario"`
	Dialect     string            `json:"dialect"`
	URL         string            `json:"url"`
	Card        string            `json:"card"`
	RPC         string            `json:"rpc"`
	Text        string            `json:"text"`
	Second      string            `json:"second"`
	Do          []Command         `json:"do"`
	States      map[string]string `json:"states"`
	Credentials map[string]string `json:"credentials"`
	Extensions  []string          `json:"extensions"`
	Keys        []json.RawMessage `json:"keys"` // each a JSON Web Key
	CA          string            `json:"ca"`
	Cert        string            `json:"cert"`
	CertKey     string            `json:"certKey"`
	Hook        string            `json:"hook"`
}

// EncodeLine writes the context as one line of JSON, without the line end.
func (c Context) EncodeLine() string {
	if c.Do == nil {
		c.Do = []Command{}
	}
	if c.States == nil {
		c.States = map[string]string{}
	}
	if c.Credentials == nil {
		c.Credentials = map[string]string{}
	}
	if c.Extensions == nil {
		c.Extensions = []string{}
	}
	if c.Keys == nil {
		c.Keys = []json.RawMessage{}
	}
	return encodeLine(c)
}

// encodeLine writes a value as JSON on one line.
func encodeLine(v any) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it is made of texts, lists and maps
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// MapStates maps the plain name of each state, such as input-required, to its name in a dialect.
func MapStates(names []string) map[string]string {
	out := map[string]string{}
	for _, name := range names {
		out[strings.ReplaceAll(strings.TrimPrefix(strings.ToLower(name), "task_state_"), "_", "-")] = name
	}
	return out
}

// IsSameState reports whether two words mean one state: in any case, with any separators, with or without the words
// "task state" before it.
func IsSameState(a, b string) bool { return simplifyState(a) == simplifyState(b) }

// simplifyState returns the letters of a state's word.
func simplifyState(word string) string {
	word = strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z':
			return r
		}
		return -1
	}, word)
	word = strings.TrimPrefix(word, "taskstate")
	if word == "cancelled" {
		return "canceled"
	}
	return word
}
