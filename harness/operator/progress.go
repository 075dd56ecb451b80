package operator

import "time"

// Progress is how far a run has come.
type Progress struct {
	Scenario    string
	Doc         string // what the conversation is, in words
	Done, Total int
	Took        time.Duration
	Held        bool // a call was made; else the conversation was left out
}
