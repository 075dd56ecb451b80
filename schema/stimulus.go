package schema

import (
	"bytes"
	"encoding/json"
)

// Stimulus is a message text that makes an agent show a behaviour.
type Stimulus struct {
	Text    string  `json:"text" yaml:"text"`
	Answer  string  `json:"answer,omitempty" yaml:"answer"`
	Seconds float64 `json:"seconds,omitempty" yaml:"seconds"`
	// MessageID is what the ids of its messages begin with, for agents that go by
	// that; if the client names no messages, it is of no use.
	MessageID string `json:"messageId,omitempty" yaml:"messageId"`
	// Payment is the metadata of a message by which the work is paid for.
	Payment Payment `json:"payment,omitempty" yaml:"payment"`
}

// Payment is the metadata of a message by which work is paid for, as it was
// written: numbers keep every digit.
type Payment map[string]any

// UnmarshalJSON reads a payment without rounding its numbers.
func (p *Payment) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return err
	}
	*p = m
	return nil
}

// Kept returns the payment as a transcript keeps it, whatever format it was read from.
func (p Payment) Kept() (Payment, error) {
	if p == nil {
		return nil, nil
	}
	text, err := json.Marshal(map[string]any(p))
	if err != nil {
		return nil, err
	}
	var kept Payment
	err = json.Unmarshal(text, &kept)
	return kept, err
}
