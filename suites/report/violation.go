package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// Why is one violation in its parts: what we sent, what came back, what is due,
// and where. Texts are made of them and of nothing else.
type Why struct {
	By      string `json:"by,omitempty"`    // the agent or the binding that it is about, if several were judged
	Sent    string `json:"sent"`            // what we sent or did
	Did     string `json:"did"`             // what the server did, in words that follow "the server" (see Came)
	Got     string `json:"got"`             // a piece of the recorded bytes, from what matters on
	Words   bool   `json:"words,omitempty"` // got is reported in words: there are no bytes to show
	Due     string `json:"due"`             // what is expected, and by which sentence
	At      At     `json:"at"`
	Against *Clash `json:"against,omitempty"` // what got does not go with
	Client  bool   `json:"client,omitempty"`  // it is about a client: did follows "the client", and sent is what our server did
}

// At is a place in the transcript.
type At struct {
	Exchange int    `json:"exchange"`
	File     string `json:"file,omitempty"`   // the exchange is none: the operator gave this document
	Step     string `json:"step,omitempty"`   // of the conversations, by which it came: quick/send
	Event    int    `json:"event,omitempty"`  // number of the stream event, from 1
	Said     int    `json:"said,omitempty"`   // number of the line by which the client reported what it saw, near the exchange
	Pointer  string `json:"pointer"`          // RFC 6901, into the JSON text
	Header   string `json:"header,omitempty"` // the header field, if it is about one
}

// Clash is the other of two places that contradict each other.
type Clash struct {
	Got   string `json:"got"`
	Words bool   `json:"words,omitempty"`
	At    At     `json:"at"`
}

// maxTextRunes bounds the text of a reason, in characters.
const maxTextRunes = 300

// Text returns the violation in one sentence. If that is too long, what the server
// did and what we sent are cut by turns: what is due stays whole as long as it can.
func (w *Why) Text() string {
	sent, did, due := w.Sent, w.Did, w.Due
	for _, part := range []struct {
		text *string
		left int // of it at least
	}{{&did, 70}, {&sent, 50}, {&did, 40}, {&sent, 30}, {&did, 24}, {&sent, 16}, {&due, 0}} {
		if over := utf8.RuneCountInString(w.formatViolationSentence(sent, did, due)) - maxTextRunes; over > 0 {
			*part.text = shorten.Clip(*part.text, max(part.left, utf8.RuneCountInString(*part.text)-over))
		}
	}
	return w.formatViolationSentence(sent, did, due)
}

// Came returns what came back as a sentence of its own.
func (w *Why) Came() string { return w.describeSubject(w.Did) }

// describeSubject makes a sentence of what the server or the client did. A part of what it sent,
// such as "the result", can be what the sentence is about.
func (w *Why) describeSubject(did string) string {
	switch {
	case strings.HasPrefix(did, "the "):
		return did
	case w.Client:
		return "the client " + did
	}
	return "the server " + did
}

// formatViolationSentence joins the parts of a violation to one sentence.
func (w *Why) formatViolationSentence(sent, did, due string) string {
	s := w.describeSubject(did) + "; expected " + due
	if sent != "" {
		s = sent + ": " + s
	}
	if w.By != "" {
		s = w.By + ": " + s
	}
	if place := w.At.String(); place != "" {
		if w.Against != nil {
			place += "; against " + w.Against.At.String()
		}
		s += " [" + place + "]"
	}
	return s
}

// String returns the place in words: exchange 14, /error/code.
func (a At) String() string {
	if a.Exchange == 0 {
		return ""
	}
	s := a.File
	if s == "" {
		s = fmt.Sprintf("exchange %d", a.Exchange)
	}
	if a.Event > 0 {
		s += fmt.Sprintf(", event %d", a.Event)
	}
	switch {
	case a.Header == StatusLine: // the text reports it
	case a.Header != "":
		s += ", " + a.Header
	case a.Pointer != "":
		s += ", " + shorten.Visible(a.Pointer, 60)
	}
	return s
}

// StatusLine is in the place of a header's name.
const StatusLine = "status"
