package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// mostOfAText bounds every text of a record but the messages themselves, in bytes: an address
// with the ids in it, and what is said of it.
const mostOfAText = 48 << 10

// messageTexts are the fields that hold what was sent and what came. record.MaxKept bounds all of
// them together, and record.MaxHead and record.MaxBody each.
var messageTexts = map[string]bool{"Message.Head": true, "Message.Body": true, "Message.Trailer": true, "Frame.Data": true}

// ownTexts are fields that the operator or the suite fills.
var ownTexts = map[string]bool{"Facts.Schema": true, "Facts.CardKey": true, "Facts.Stimuli": true, "Facts.Waivers": true, "Facts.Baseline": true}

// recordIsBounded walks every field of a record, and finds no text in it that a server made
// longer than anything may be.
func recordIsBounded(t *testing.T, tr *record.Transcript) {
	t.Helper()
	for i, x := range tr.Exchanges {
		if x.Dir == record.Out && len(x.Request.Head) > 128<<10 {
			t.Errorf("exchange %d: our request has a head of %d bytes", i+1, len(x.Request.Head))
		}
		for _, m := range []*record.Message{&x.Request, &x.Response} {
			if len(m.Head)+len(m.Trailer) > record.MaxHead+64<<10 || len(m.Body) > record.MaxBody {
				t.Errorf("exchange %d: a head of %d bytes, a body of %d", i+1, len(m.Head), len(m.Body))
			}
		}
	}
	for _, fault := range longTexts(reflect.ValueOf(tr).Elem(), "Transcript") {
		t.Error(fault)
	}
}

// longTexts lists the texts that are too long in a value, and in all that it holds.
func longTexts(v reflect.Value, at string) (faults []string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			faults = longTexts(v.Elem(), at)
		}
	case reflect.String:
		if v.Len() > mostOfAText {
			faults = append(faults, fmt.Sprintf("%s has %d bytes: %.80s…", at, v.Len(), v.String()))
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if v.Len() > mostOfAText {
				faults = append(faults, fmt.Sprintf("%s has %d bytes", at, v.Len()))
			}
			return faults
		}
		for i := range v.Len() {
			faults = append(faults, longTexts(v.Index(i), at)...)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			faults = append(append(faults, longTexts(key, at)...), longTexts(v.MapIndex(key), at)...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name := v.Type().Name() + "." + f.Name
			if f.IsExported() && !messageTexts[name] && !ownTexts[name] {
				faults = append(faults, longTexts(v.Field(i), name)...)
			}
		}
	}
	return faults
}

// A text that is too long is found wherever it is.
func TestLongTextsAreFound(t *testing.T) {
	long := strings.Repeat("x", mostOfAText+1)
	for name, tr := range map[string]record.Transcript{
		"Facts.RPC":       {Facts: record.Facts{RPC: long}},
		"Facts.Endpoints": {Facts: record.Facts{Endpoints: map[string]string{long: ""}}},
		"Withheld.URL":    {Facts: record.Facts{Withheld: []record.Withheld{{URL: long}}}},
		"Step.Task":       {Plays: []record.Play{{Steps: []record.Step{{Task: long}}}}},
		"Exchange.URL":    {Exchanges: []*record.Exchange{{URL: long}}},
		"TLS.Subject":     {Exchanges: []*record.Exchange{{TLS: &record.TLS{Subject: long}}}},
		"Framing.Faults":  {Exchanges: []*record.Exchange{{Response: record.Message{Framing: record.Framing{Faults: []string{long}}}}}},
	} {
		faults := longTexts(reflect.ValueOf(tr), "Transcript")
		if len(faults) != 1 || !strings.HasPrefix(faults[0], name+" ") {
			t.Errorf("%s: got %q", name, faults)
		}
	}
}
