package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// PartMutants are about the parts of an incoming message.
func PartMutants(w Wording) []front.Mutant {
	return front.InArea("message",
		front.Mutant{Name: "part-type-guessed", Summary: "The type of a part is guessed from its members.",
			Call: w.PartsMisread(func(p map[string]any) {
				if p[w.Kind] == nil && p["text"] != nil {
					p[w.Kind] = "text"
				}
			})},
		front.Mutant{Name: "unknown-part-dropped", Summary: "A part of an unknown type is dropped.",
			Call: w.PartsMisread(func(p map[string]any) {
				if kind := front.Text(p, w.Kind); kind != "" && kind != "text" && kind != "file" && kind != "data" {
					w.turnIntoText(p)
				}
			})},
		front.Mutant{Name: "text-optional", Summary: "A text part without text counts as empty.",
			Call: w.PartsMisread(func(p map[string]any) {
				if p[w.Kind] == "text" && !front.Has(p, "text") {
					p["text"] = ""
				}
			})},
		front.Mutant{Name: "text-stringified", Summary: "A text that is a number is turned into a string.",
			Call: w.PartsMisread(func(p map[string]any) {
				if p[w.Kind] == "text" && front.IsNumber(p["text"]) {
					p["text"] = string(front.Encode(p["text"]))
				}
			})},
		front.Mutant{Name: "file-optional", Summary: "A file part without a file is dropped.",
			Call: w.PartsMisread(func(p map[string]any) {
				if p[w.Kind] == "file" && front.Object(p, "file") == nil {
					w.turnIntoText(p)
				}
			})},
		front.Mutant{Name: "bytes-win", Summary: "Of bytes and uri in one file the uri is dropped.",
			Call: w.PartsMisread(func(p map[string]any) {
				if f := front.Object(p, "file"); f["bytes"] != nil && f["uri"] != nil {
					delete(f, "uri")
				}
			})},
		front.Mutant{Name: "bytes-unchecked", Summary: "Bytes that are not base64 are accepted.",
			Call: w.PartsMisread(func(p map[string]any) {
				if s := front.Text(p, "file/bytes"); !front.IsBase64(s) {
					front.Put(p, "file/bytes", "")
				}
			})},
		front.Mutant{Name: "data-scalar-accepted", Summary: "A data part may hold a scalar.",
			Call: w.PartsMisread(func(p map[string]any) {
				if p[w.Kind] == "data" && (front.IsText(p["data"]) || front.IsNumber(p["data"])) {
					p["data"] = map[string]any{}
				}
			})},
	)
}

// SentFiles edits every file in the results of the server.
func SentFiles(edit func(file map[string]any)) func(*front.Reply) {
	return func(x *front.Reply) {
		front.Walk(front.At(x.Body, "result"), func(m map[string]any) {
			if f := front.Object(m, "file"); f != nil {
				edit(f)
			}
		})
	}
}
