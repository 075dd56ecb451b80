package a2x03

import (
	"bytes"
	_ "embed"
	"maps"

	"github.com/a2a-conform/a2a-conform/reference/a2a01"
	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

//go:embed mutants.yaml
var tableText []byte

var table = mutants.NewTable("reference/a2x03/mutants.yaml", tableText)

// allMutants returns those that A2X has in common with other protocols, which all use its
// methods and words, and its own.
func allMutants() []front.Mutant {
	errors := maps.Clone(a2a03.ErrorNames)
	errors["Unpaid"] = unpaid
	return table.Build(mutants.Vocabulary{
		Words: a2a03.Words, Operations: a2a03.OperationNames, Errors: errors,
		Shared: map[string]mutants.Source{
			"mutants": mutants.SharedSource(a2a03.Words, ""),
			"a2a01":   {Table: a2a01.Table, Code: a2a01.Code()},
			"a2a03":   {Table: a2a03.Table, Code: a2a03.Code()},
		},
		Code: []map[string]front.Mutant{codeMutants},
	})
}

// codeMutants are the mutants of the table that are written in Go.
var codeMutants = map[string]front.Mutant{
	"card-at-later-path": {Reply: mutants.MoveCardTo("later card", func(s *front.Server) any { return Server{a2a03.Server{Server: s}}.card() })},
	"message-data-encoded": a2a03.Looking("echo", func(t any) {
		front.Put(t, "status/message/parts/1/data", string(front.Encode(front.At(t, "status/message/parts/1/data"))))
	}),
	"get-latest-of-context": {Reply: func(x *front.Reply) {
		switch {
		case x.Method() == "message/send" && front.Has(x.Body, "result"):
			x.Server.Notes.Write("latest of "+front.Text(x.Body, "result/contextId"), front.At(x.Body, "result"))
		case x.Method() == "tasks/get" && front.Has(x.Body, "result"):
			if latest := x.Server.Notes.Read("latest of " + front.Text(x.Body, "result/contextId")); latest != nil {
				front.Put(x.Body, "result", latest)
			}
		}
	}},
	"stream-done-marker": {Event: a2a03.Words.InStream("echo", func(f *front.StreamEvent) {
		if f.State() == "completed" {
			f.Raw = "data: " + string(front.Encode(f.Sent(f.Body))) + "\n\ndata: [DONE]\n\n"
		}
	})},
	"first-event-wrapped": {Event: a2a03.Words.InStream("echo", func(f *front.StreamEvent) { f.Bare = f.Count > 1 })},
	"optional-extension-demanded": {Reply: func(x *front.Reply) {
		if x.Method() == "message/send" && !x.Asked(func(uri string) bool { return uri == front.Trace }) {
			x.Decline(unpaid)
			front.Put(x.Body, "error/message", "The extension "+front.Trace+" must be activated.")
		}
	}},
	"missing-extension-crashes": {Reply: func(x *front.Reply) {
		if x.Without() {
			x.Decline(front.CodeInternal)
		}
	}},
	"extension-header-exact": {Bytes: func(b []byte) {
		name := []byte("\nx-a2a-extensions:")
		if i := bytes.Index(b, name); i >= 0 {
			copy(b[i:], "\nz")
		}
	}},
}
