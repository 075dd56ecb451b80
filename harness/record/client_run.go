package record

import "slices"

// ClientRole is the role of the tested side in a transcript in which it is a client: Facts.Role.
// The role of a server is "".
const ClientRole = "client"

// ClientRun is what the program of a client did while a play was performed in which we are the
// server. The steps of such a play are the requests that arrived, in the order of their first
// byte: their exchanges have the direction In, the client's bytes as the request and ours, as
// they left, as the response. A step is named after what was asked for, and numbered from the
// second one on (send, send-2, …): card, send, stream, get, subscribe, cancel, list and the other
// operations of the dialect; token for a token endpoint; call for no operation at an address that the card names,
// redirected for an address to which calls are redirected, handshake for a connection of TLS without a request, and
// stray for any other.
type ClientRun struct {
	// Command is what was started, with the placeholders filled in and without secrets; it is
	// empty if the operator uses the client by hand.
	Command []string `json:"command,omitempty"`
	Text    string   `json:"text"`             // the message that the client was to send
	Second  string   `json:"second,omitempty"` // the message that it was to send next, in the same conversation
	// Fault states what the scripted server does that the text forbids; it is "" if the text
	// permits all of it.
	Fault string `json:"fault,omitempty"`
	// Twin is the plain scenario in which the same client is compared with this one; "" for a plain one.
	Twin    string   `json:"twin,omitempty"`
	Markers []Marker `json:"markers,omitempty"`
	// Start is what sightings of canaries call this start, Granted are the kinds of credentials that were made up for
	// it and given to the client, and Leaked are those that it printed.
	Start   string   `json:"start,omitempty"`
	Granted []string `json:"granted,omitempty"`
	Leaked  []string `json:"leaked,omitempty"`

	Started  Instant `json:"started"`
	Ended    Instant `json:"ended,omitempty"`    // when the program ended; 0 if nothing was started
	Exit     int     `json:"exit"`               // its exit code; -1 if a signal ended it
	Signal   string  `json:"signal,omitempty"`   // that ended it, unless it was ours
	Patience bool    `json:"patience,omitempty"` // its time was up, and we ended it
	Trouble  string  `json:"trouble,omitempty"`  // why it could not be started
	Stdout   string  `json:"stdout,omitempty"`   // the first 64 KB, without secrets
	Stderr   string  `json:"stderr,omitempty"`   // the first 64 KB, without secrets
	// Of a program that reports what its client saw: the commands that it was given, each as JSON, the lines that it
	// reported, in order, and those that could not be read.
	Do      []string  `json:"do,omitempty"`
	Said    []Said    `json:"said,omitempty"`
	Misread []Misread `json:"misread,omitempty"`
	// Kept is set if one process plays all scenarios, and Renewed is why it was started anew for this one.
	Kept    bool   `json:"kept,omitempty"`
	Renewed string `json:"renewed,omitempty"`
	// Confirms is set if the play was performed again, alone, because an earlier one of the scenario
	// showed a fault.
	Confirms bool `json:"confirms,omitempty"`
	// Surplus counts the requests that came beyond those that are recorded.
	Surplus int `json:"surplus,omitempty"`
	// Disturbed states why nothing that depends on time is judged: our own response was late.
	Disturbed string `json:"disturbed,omitempty"`
}

// Marker is a random word in a text that the scripted server sent: a client that shows the text
// prints the word.
type Marker struct {
	Word    string `json:"word"`
	In      string `json:"in"`      // what carried it: message, status, artifact, event-1, chunk-2, error
	Sent    bool   `json:"sent"`    // it left for the client
	Printed bool   `json:"printed"` // the client printed it, on either output
}

// Printed reports whether the client printed every marker that was sent; false if none was.
func (r *ClientRun) Printed() bool {
	sent := false
	for _, m := range r.Markers {
		if m.Sent && !m.Printed {
			return false
		}
		sent = sent || m.Sent
	}
	return sent
}

// Calibration is what the plays showed of a client as a whole.
type Calibration struct {
	Works     bool     `json:"works"`     // hello ended as a success: it sent its message and left with exit code 0
	Exits     bool     `json:"exits"`     // its exit code tells a success from a failure
	Prints    bool     `json:"prints"`    // it printed all markers in both plays of the plain scenario
	Streams   bool     `json:"streams"`   // it opens a stream if the card offers streaming
	Polls     bool     `json:"polls"`     // it looks a working task up until it ends
	Second    bool     `json:"second"`    // it sends a second message in the same conversation
	Bindings  []string `json:"bindings"`  // that it uses, in the words of the dialect
	NeverUsed []string `json:"neverUsed"` // operations that it used in no play
	// Adapter is set if the command reported in the plain scenario what its client saw, and Cannot are the commands that
	// it has nothing for.
	Adapter bool     `json:"adapter,omitempty"`
	Cannot  []string `json:"cannot,omitempty"`
}

// ClientLevel returns how much a run could learn of a client: 0 if somebody used it by hand, 1 if a command started
// it, and 2 if that also reported what the client saw.
func (f *Facts) ClientLevel() int {
	switch {
	case len(f.Command) == 0:
		return 0
	case f.Calibration != nil && f.Calibration.Adapter:
		return 2
	}
	return 1
}

// Reports returns what the program reported of some kinds of things; of all without one.
func (r *ClientRun) Reports(kinds ...string) (out []Said) {
	for _, s := range r.Said {
		if s.Saw != "" && (len(kinds) == 0 || slices.Contains(kinds, s.Saw)) {
			out = append(out, s)
		}
	}
	return out
}
