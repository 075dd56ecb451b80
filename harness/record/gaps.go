package record

// Gaps are what a recording that others made does not show of an exchange. A check that needs what is missing decides
// nothing. An exchange that a run recorded has none.
type Gaps struct {
	// Fields states that header fields may be left out or masked, so that an absent field shows nothing.
	Fields bool `json:"fields,omitempty"`
	// Bytes states that heads and framing were made from a parsed form, so that nothing about raw bytes, framing or
	// delivery can be judged.
	Bytes bool `json:"bytes,omitempty"`
	// Request and Response say that the body is missing, cut, or cannot be decoded.
	Request  bool `json:"request,omitempty"`
	Response bool `json:"response,omitempty"`
	// Times states that instants are unknown or in whole milliseconds: they order exchanges only, and events not at all.
	Times bool `json:"times,omitempty"`
}
