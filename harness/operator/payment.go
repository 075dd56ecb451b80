package operator

import (
	"bytes"
	"encoding/json"
)

// Payment is the metadata of a message by which work is paid for, as the operator
// wrote it: numbers keep every digit.
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

// Kept is the payment as a transcript keeps it, whatever format it was read from.
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
